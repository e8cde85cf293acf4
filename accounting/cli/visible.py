"""Text that others wrote, made harmless for a terminal: what would act on it or not show is spelled out."""

import re
from functools import cache
from typing import Final

_NAMED: Final = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}

# Control characters, separators that some terminals break lines at, marks and overrides of writing direction, and
# what is invisible altogether. Joiners and variation selectors stay: scripts and emoji are written with them.
_unseen = re.compile(
    "[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    r"""The text with each character that acts or hides as its escape: `\n`, `\x1b`, `\u202e`."""
    if text.isascii() and text.isprintable():
        return text
    return _unseen.sub(lambda match: _escape(match[0]), text)


@cache
def _escape(character: str) -> str:
    code = ord(character)
    if character in _NAMED:
        return _NAMED[character]
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
