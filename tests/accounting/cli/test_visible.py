"""Nothing that acts on a terminal gets there, and nothing hides."""

import unicodedata

import pytest

from accounting.cli.visible import visible

OVERRIDES = "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("\x1b]8;;http://a\x07", r"\x1b]8;;http://a\x07"),
        ("a\rb\nc\td", r"a\rb\nc\td"),
        ("\x00\x7f\x9b1m", r"\x00\x7f\x9b1m"),
        ("abc\u202edcba", r"abc\u202edcba"),
        ("\u2028\u200b\ufeff\U000e0041", r"\u2028\u200b\ufeff\U000e0041"),
        ("\udcff", r"\udcff"),
        ("[bold]é漢👩\u200d👧 :smile:", "[bold]é漢👩\u200d👧 :smile:"),
    ],
)
def test_shown(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_every_control_and_override_is_spelled_out() -> None:
    for code in range(0x110000):
        character = chr(code)
        if unicodedata.category(character) in ("Cc", "Zl", "Zp", "Cs") or character in OVERRIDES:
            shown = visible(character)
            assert shown.isascii(), hex(code)
            assert shown.isprintable(), hex(code)


def test_what_is_shown_is_shown_as_it_is_again() -> None:
    once = visible("".join(map(chr, range(0x3000))))
    assert visible(once) == once
