"""Texts of others - agents, models, schedulers - made fit for a text of ours: not too long, and never at its margin.

What stands at the left margin of a tool's text is said by this program. Whatever an agent wrote is indented, or one
line within one of ours, so that it cannot pass for a verdict.
"""

from typing import Final

CUT: Final = "…"
"""What stands where the rest of a text was left out."""
_INDENT: Final = "  "


def clipped(text: str, most: int) -> str:
    """A text of at most so many characters; one that was cut ends in `…`."""
    return text if len(text) <= most else f"{text[: most - len(CUT)]}{CUT}"


def one_line(text: str, most: int = 200) -> str:
    """A text as a piece of a line, whatever breaks lines in it made a space."""
    return clipped(" ".join(text.splitlines()), most)


def first_line(text: str, most: int = 200) -> str:
    """The first line of a text that is not blank; `…` says that there is more."""
    lines = text.strip().splitlines() or [""]
    line = clipped(lines[0], most)
    return line if len(lines) == 1 or line.endswith(CUT) else f"{line} {CUT}"


def indented(text: str) -> str:
    """A text with every line of it moved away from the margin."""
    return "\n".join(f"{_INDENT}{line}" for line in text.splitlines())
