"""Texts of others, cut and moved from the margin."""

from hypothesis import given
from hypothesis import strategies as st

from accounting.tools.clip import clipped, first_line, indented, one_line

TEXTS = st.text(st.characters(codec="utf-8") | st.sampled_from("\n\r\v\f\x1c\x85\u2028 …"), max_size=40)


@given(TEXTS, st.integers(1, 45))
def test_a_text_that_fits_is_left_and_another_is_a_beginning(text: str, most: int) -> None:
    cut = clipped(text, most)
    if len(text) <= most:
        assert cut == text
    else:
        assert len(cut) == most
        assert cut.endswith("…")
        assert text.startswith(cut[:-1])


@given(TEXTS, st.integers(1, 45))
def test_one_line_is_one_and_keeps_all_but_breaks(text: str, most: int) -> None:
    for line in (one_line(text, most), first_line(text, most)):
        assert len(line.splitlines()) <= 1
    assert one_line(text, 45).replace(" ", "") == "".join(text.splitlines()).replace(" ", "")


@given(TEXTS)
def test_nothing_of_an_indented_text_stands_at_the_margin(text: str) -> None:
    moved = indented(text)
    assert all(line.startswith("  ") for line in moved.splitlines())
    assert [line[2:] for line in moved.split("\n")] == (text.splitlines() or [""])[: len(moved.split("\n"))]


def test_first_lines() -> None:
    assert first_line("") == ""
    assert first_line("\n  one  ") == "one"
    assert first_line("one\ntwo") == "one …"
    assert first_line("x" * 300) == "x" * 199 + "…"
    assert first_line("x" * 300 + "\ny") == "x" * 199 + "…"
    assert one_line("/a  b\nc") == "/a  b c"
