"""White space at the ends of a text, as the writers of ask threads take it away. Spec: asks.md 1.5.

They trim as ECMAScript does: its white space and line terminators. `str.strip` differs both ways: it also takes
U+001C to U+001F and U+0085, and leaves U+FEFF. `wire.scalars.WHITE_SPACE` is a third set, Unicode's own property.
"""

from typing import Final

TRIMMED: Final = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""Every character that is trimmed."""


def trim(text: str) -> str:
    """The text without white space at either end."""
    return text.strip(TRIMMED)
