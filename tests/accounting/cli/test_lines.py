"""Lines bounded in columns, with a count of what is hidden."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from accounting.cli.draw.columns import columns
from accounting.cli.draw.lines import cropped, flow, prose, rule, safe, single, spread

texts = st.text(st.sampled_from("ab \t\né漢字👩\u200d\ufe0f\u0301\x1b\r"), max_size=200)


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("", 10, ""),
        ("a" * 50, 50, "a" * 50),
        ("a" * 51, 50, "a" * 32 + " … 19 more columns"),
        ("a" * 862, 67, "a" * 48 + " … 814 more columns"),
        ("漢" * 30, 60, "漢" * 30),
        ("漢" * 31, 60, "漢" * 21 + " … 20 more columns"),
        # Half a wide character does not fit: its column stays empty.
        ("a" + "漢" * 31, 60, "a" + "漢" * 20 + " … 22 more columns"),
        ("a" * 41, 40, "a" * 30 + " … 11 more"),
        ("e" + "\u0301" * 500, 50, "e" + "\u0301" * 199 + " … 301 more characters"),
        ("abc", 1, "a"),
    ],
)
def test_cropped(text: str, width: int, shown: str) -> None:
    assert cropped(text, width).plain == shown


@given(texts, st.integers(1, 120))
def test_no_line_is_wider_and_none_acts(text: str, width: int) -> None:
    width = max(width, 2)  # one wide character has to go somewhere
    for row in (cropped(safe(text), width).plain, *prose(text, width, 3)):
        assert cell_len(row) <= columns(row) <= width
        assert not {*row} & {*"\x1b\r\n\t"}


@given(st.text(st.sampled_from("ab 漢é"), max_size=300), st.integers(2, 60))
def test_prose_loses_nothing_but_spaces(text: str, width: int) -> None:
    assert "".join(prose(text, width, 1000)).replace(" ", "") == text.replace(" ", "")


def test_a_character_made_an_emoji_may_take_another_column() -> None:
    assert [columns(text) for text in ("a", "漢", "e\u0301", "\u2764", "\u2764\ufe0f", "\u200d\u200d字")] == [
        1,
        2,
        1,
        1,
        2,
        2,
    ]


def test_prose_breaks_between_words() -> None:
    assert [*prose("one two three\nfour  five\n\nsix", 9, 10)] == ["one two", "three", "four", "five", "", "six"]
    assert [*prose("  indented words", 12, 10)] == ["  indented", "words"]
    assert [*prose("abcdefghij", 4, 10)] == ["abcd", "efgh", "ij"]
    assert [*prose("漢字漢字", 5, 10)] == ["漢字", "漢字"]


def test_prose_counts_what_it_hides() -> None:
    assert [*prose("one two three four", 9, 1)] == ["one two", "… 10 more"]
    assert [*prose("one two three four", 30, 1)] == ["one two three four"]
    assert [*prose("one\ntwo\nthree", 30, 2)] == ["one", "two", "… 5 more characters"]
    assert [*prose("\x1b\x1b\x1b ab\n\x07", 12, 1)] == ["\\x1b\\x1b\\x1b", "… 7 more"]
    assert [*prose("one\ntwo\nx", 30, 2)] == ["one", "two", "… 1 more character"]


def test_tabs_are_spaces_and_line_ends_are_shown() -> None:
    assert safe("a\tb") == "a       b"
    assert single("one\r\ntwo\n") == "one ↵ two"


def test_flow_breaks_between_items() -> None:
    items = [Text(word) for word in ("one", "two", "three", "a longer item")]
    assert [line.plain for line in flow(items, 12)] == ["one · two", "three", "a longer", "item"]


def test_spread() -> None:
    left, right = Text("left"), [Text("a"), Text("bb")]
    assert [line.plain for line in spread(left, right, 14, 2)] == ["left    a · bb"]
    assert [line.plain for line in spread(left, right, 11, 2)] == ["left", "  a · bb"]
    assert [line.plain for line in spread(left, [], 14, 2)] == ["left"]


def test_rule() -> None:
    assert rule(Text("a"), Text("b"), 12, "─").plain == "── a ───── b"
    assert rule(Text("a"), Text("longer one"), 12, "─").plain == "── a ───────"
