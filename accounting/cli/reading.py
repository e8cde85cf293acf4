"""Texts that are handed to a command on standard input or in a file."""

import sys

from accounting.cli.trouble import Trouble


def standard_input(what: str) -> bytes:
    """All of standard input, which is to be `what`. Raises `Trouble` when it is closed."""
    if sys.stdin is None:  # pyright: ignore[reportUnnecessaryComparison] - it is when closed at the start
        raise Trouble(f"standard input is closed; give {what}, or - with something to read")
    return sys.stdin.buffer.read()


def as_text(content: bytes, where: str, what: str) -> str:
    """The text that bytes are in UTF-8. Raises `Trouble` when they are none, with where that shows."""
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise Trouble(f"{where}: no UTF-8 at byte {error.start}; write {what} as UTF-8") from None
