"""Which names may become a directory or a file of an archive, on every platform. Pure. Spec: dispatch.md 2.5."""

import re
from typing import Final
from unicodedata import category

from accounting.dispatch.archive.errors import ArchiveNameError
from wire.scalars import WHITE_SPACE

LONGEST: Final = 200
"""Most bytes of a name in UTF-8: file systems take 255, and endings are put after it."""
_ALLOWED: Final = (
    f'give one name of at most {LONGEST} bytes without any of `/ \\ : * ? " < > |` or invisible characters, '
    "or a space or dot at either end, that is no device of Windows"
)
_SEPARATOR: Final = re.compile(r"[/\\]")
_WILD: Final = re.compile(r'[*?"<>|]')
_INVISIBLE: Final = frozenset(("Cc", "Cf", "Zl", "Zp"))
"""Categories of Unicode: control and format characters, and what ends a line or a paragraph."""
_DEVICE: Final = re.compile(
    r"(?:con|prn|aux|nul|clock\$|conin\$|conout\$|(?:com|lpt)[0-9¹²³])(?: *\..*)?", re.IGNORECASE
)


def check_name(what: str, name: str) -> None:
    """Raise `ArchiveNameError` unless the name is one segment of a path wherever it is used; `what` says of what."""
    why = _fault(name)
    if why is not None:
        raise ArchiveNameError(what, name, why, _ALLOWED)


def _fault(name: str) -> str | None:
    if not name:
        return "it is empty"
    if name in (".", ".."):
        return "it is a way through directories"
    if _SEPARATOR.search(name):
        return "it is a path"
    if ":" in name:
        return "it names a drive, or a stream of a file"
    if _WILD.search(name):
        return "it holds a character that Windows has no names with"
    if any(category(character) in _INVISIBLE for character in name):
        return "it holds a character that is not seen"
    if name.strip(WHITE_SPACE + ".") != name:
        return "it begins or ends with a space or a dot"
    if _DEVICE.fullmatch(name):
        return "it is a device of Windows"
    try:
        size = len(name.encode())
    except UnicodeEncodeError:
        return "it is no text that can be spelled in UTF-8"
    return f"it has {size} bytes" if size > LONGEST else None
