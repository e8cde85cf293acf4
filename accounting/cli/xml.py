"""Text as XML can hold it, for the reports that are written as JUnit."""

from typing import Final

_NO_CHARACTERS: Final = {0xFFFE: "\\ufffe", 0xFFFF: "\\uffff"}
"""What XML cannot hold beyond what is made visible everywhere."""


def xml_text(text: str) -> str:
    """The text with the characters that no XML document may hold spelled out."""
    return text.translate(_NO_CHARACTERS)
