"""What a person said, out of the agent's wrappers: as patterns would find it, and in one pass over a long text."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.foreign.claude_code.words import Voice, voice
from accounting.foreign.workbuddy.words import Words, words

MEGABYTE = 1_000_000


def plainly(text: str, *, meta: bool) -> Words:
    """The same by patterns, which are short and take a time that grows with the square of the text."""
    teammate = re.match(r"(?s)\s*<teammate-message\b[^>]*>\s*(.*?)\s*(?:</teammate-message>|\Z)", text)
    if teammate is not None:
        return Words(Voice.city, teammate[1], spawns=True)
    queries: list[str] = re.findall(r"(?s)<user_query>\s*(.*?)\s*(?:</user_query>|\Z)", text)
    if queries:
        return Words(Voice.agent if meta else Voice.person, "\n".join(queries), spawns=False)
    bare = text
    if "<system-reminder" in text:
        bare = re.sub(r"(?s)<system-reminder\b[^>]*>.*?(?:</system-reminder>|\Z)", "", text).strip()
    echo = ("<command-name>", "<command-message>", "<command-args>", "<local-command-")
    if not bare.strip() or bare.lstrip().startswith(echo):
        return Words(Voice.agent, bare, spawns=False)
    return Words(voice(bare, meta=meta), bare, spawns=False)


TAGS = ("<{}>", "</{}>", "<{}", "<{} a='b'>", "<{}x>", "<{}_>", "<{}-a>")
PIECES = st.sampled_from(
    (
        *(tag.format(name) for name in ("user_query", "system-reminder", "teammate-message") for tag in TAGS),
        *("<command-name>", "<local-command-stdout>", "[Request interrupted by user", "Caveat"),
        *(" ", "\n", "\x1c", "\u2003", "a", "b c", ">", "<", "é", "-"),
    )
)


@given(st.lists(PIECES, max_size=9).map("".join), st.booleans())
def test_as_patterns_would_find_it(text: str, meta: bool) -> None:
    assert words(text, meta=meta) == plainly(text, meta=meta)


LONG = {
    "a query of spaces": "<user_query>a" + " " * MEGABYTE + "x",
    "a query that is closed late": "<user_query>" + " " * MEGABYTE + "x</user_query>",
    "queries that are not closed": "<user_query>" * (MEGABYTE // 12),
    "what a teammate says": "<teammate-message x>a" + " " * MEGABYTE + "x",
    "no teammate": " " * MEGABYTE + "<teammate-message",
    "teammates later": "x" + "<teammate-message" * (MEGABYTE // 17),
    "reminders that are not closed": "<system-reminder>" * (MEGABYTE // 17),
    "reminders that are no tags": "<system-reminder " * (MEGABYTE // 17),
    "reminders one after the other": "<system-reminder>x</system-reminder>" * (MEGABYTE // 36),
    "another tag": "<system-reminders>" * (MEGABYTE // 18),
}


@pytest.mark.parametrize("long", LONG)
def test_a_long_text_is_gone_through_once(long: str) -> None:
    """A pattern that tries again at each place would take hours."""
    found = words(LONG[long], meta=False)
    assert len(found.text) <= len(LONG[long])
