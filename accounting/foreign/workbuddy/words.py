"""What a person said in a `user` row, out of the wrappers that the agent put around it. Spec: dispatch.md 2.4."""

import re
from typing import Final, NamedTuple

from accounting.foreign.claude_code.words import Voice, voice

_QUERY: Final = re.compile(r"<user_query>\s*(.*?)\s*(?:</user_query>|\Z)", re.DOTALL)
_REMINDER: Final = re.compile(r"<system-reminder\b[^>]*>.*?(?:</system-reminder>|\Z)", re.DOTALL)
_TEAMMATE: Final = re.compile(r"\s*<teammate-message\b[^>]*>\s*(.*?)\s*(?:</teammate-message>|\Z)", re.DOTALL)
_ECHO: Final = ("<command-name>", "<command-message>", "<command-args>", "<local-command-")


class Words(NamedTuple):
    """Who speaks, and what is left without the wrappers."""

    voice: Voice
    text: str
    spawns: bool
    """Whether they are what one agent tells another to do."""


def words(text: str, *, meta: bool) -> Words:
    """The words of a `user` row; `meta` says that the row is marked as the agent's own."""
    if teammate := _TEAMMATE.match(text):
        return Words(Voice.city, teammate[1], spawns=True)
    if queries := _QUERY.findall(text):
        return Words(Voice.agent if meta else Voice.person, "\n".join(queries), spawns=False)
    bare = _REMINDER.sub("", text).strip() if "<system-reminder" in text else text
    if not bare.strip() or bare.lstrip().startswith(_ECHO):
        return Words(Voice.agent, bare, spawns=False)
    return Words(voice(bare, meta=meta), bare, spawns=False)
