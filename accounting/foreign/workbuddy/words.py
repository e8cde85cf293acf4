"""What a person said in a `user` row, out of the wrappers that the agent put around it. Spec: dispatch.md 2.4."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from accounting.foreign.claude_code.words import Voice, voice

COMMAND: Final = ("<command-name>", "<command-message>", "<command-args>")
"""How the echo of a command begins that somebody typed."""
_ECHO: Final = (*COMMAND, "<local-command-")


class Words(NamedTuple):
    """Who speaks, and what is left without the wrappers."""

    voice: Voice
    text: str
    spawns: bool
    """Whether they are what one agent tells another to do."""


def words(text: str, *, meta: bool) -> Words:
    """The words of a `user` row; `meta` says that the row is marked as the agent's own."""
    trimmed = text.lstrip()
    teammate = next(_tagged(trimmed, "teammate-message"), None)
    if teammate is not None and not teammate.start:
        return Words(Voice.city, trimmed[teammate.begin : teammate.end].strip(), spawns=True)
    queries = [text[found.begin : found.end].strip() for found in _tagged(text, "user_query", bare=True)]
    if queries:
        return Words(Voice.agent if meta else Voice.person, "\n".join(queries), spawns=False)
    bare = _without(text, "system-reminder").strip() if "<system-reminder" in text else text
    if not bare.strip() or bare.lstrip().startswith(_ECHO):
        return Words(Voice.agent, bare, spawns=False)
    return Words(voice(bare, meta=meta), bare, spawns=False)


def _without(text: str, tag: str) -> str:
    """The text without what is tagged so, the tags included."""
    kept: list[str] = []
    at = 0
    for found in _tagged(text, tag):
        kept.append(text[at : found.start])
        at = found.after
    return "".join((*kept, text[at:]))


class _Tagged(NamedTuple):
    """Where something tagged stands: where its tag begins, where its content does and ends, and what comes after."""

    start: int
    begin: int
    end: int
    after: int


def _tagged(text: str, tag: str, *, bare: bool = False) -> Iterator[_Tagged]:
    """What is tagged so. What is not closed goes on to the end of the text; a `bare` tag has no attributes.

    No stretch is looked at twice, however often a tag is left open.
    """
    opening, closing = f"<{tag}", f"</{tag}>"
    at = 0
    while (start := text.find(opening, at)) >= 0:
        at = start + len(opening)
        following = text[at : at + 1]
        if following.isalnum() or following == "_" or (bare and following != ">"):
            continue  # another tag
        begin = text.find(">", at) + 1
        if not begin:
            return
        end = text.find(closing, begin)
        if end < 0:
            yield _Tagged(start, begin, len(text), len(text))
            return
        at = end + len(closing)
        yield _Tagged(start, begin, end, at)
