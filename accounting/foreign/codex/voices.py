"""Who says what in a row: a text may stand in the file up to three times over, in three kinds of row.

Spec: foreign.md 3.3. Of prompts one kind of row is followed throughout a file, the first that holds any text; which
rows are of the model's voices `channels.py` says.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from accounting.foreign.codex.output import text_of
from accounting.foreign.codex.rows import Fields, Item


class Voice(StrEnum):
    """Whose text it is."""

    prompt = "prompt"
    """A person's."""
    reply = "reply"
    """The model's."""
    thought = "thought"
    """The model's reasoning."""


class Spoken(Struct, frozen=True, gc=False):
    """A text, and which of the kinds of row it stands in: 0 is the one to follow first."""

    voice: Voice
    rank: int
    text: str


_ROWS: Final = {
    ("event_msg", "user_message"): (Voice.prompt, 0),
    ("event_msg", "UserMessage"): (Voice.prompt, 1),
    ("response_item", "message/user"): (Voice.prompt, 2),
    ("response_item", "message/assistant"): (Voice.reply, 0),
    ("event_msg", "agent_message"): (Voice.reply, 1),
    ("event_msg", "AgentMessage"): (Voice.reply, 2),
    ("response_item", "reasoning"): (Voice.thought, 0),
    ("event_msg", "agent_reasoning"): (Voice.thought, 1),
    ("event_msg", "Reasoning"): (Voice.thought, 2),
    ("event_msg", "agent_reasoning_raw_content"): (Voice.thought, 3),
}
_INJECTED: Final = (
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<permissions",
    "<INSTRUCTIONS>",
    "<skill>",
    "<subagent_notification>",
    "<collaboration_mode>",
    "<user_shell_command>",
)
"""How the texts begin that Codex itself puts under a person's name."""
_INJECTED_KINDS: Final = ("user_instructions", "environment_context")


def spoken(envelope: str, item: Item) -> Spoken | None:
    """What a row says; `None` for rows of other kinds. The text is empty where there is none, or none of a person."""
    told: Fields = item
    if item.type == "item_completed" and item.item is not None:
        told = item.item
    kind = told.type or ""
    if kind == "message":
        kind = f"message/{told.role}"
    known = _ROWS.get((envelope, kind))
    if known is None:
        return None
    text = told.message or told.text or text_of(told.summary or told.content) or text_of(told.summary_text)
    if known[0] is Voice.prompt and text and is_injected(text, told.kind):
        text = None
    return Spoken(*known, text or "")


def is_injected(text: str, kind: str | None = None) -> bool:
    """Whether Codex put a text under a person's name."""
    return kind in _INJECTED_KINDS or text.lstrip().startswith(_INJECTED)
