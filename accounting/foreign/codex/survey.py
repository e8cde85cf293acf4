"""What must be known of a whole rollout before its first row can be read. Spec: foreign.md 3.3.

A text may stand in the file twice, the event that ends a call may come after its answer or be all that is left of it.
Which rows to follow is a question to the whole file.
"""

from collections import deque
from collections.abc import Iterable
from typing import Final

from accounting.foreign.codex.entries import Entry
from accounting.foreign.codex.rows import Fields, Item
from accounting.foreign.codex.tools import CALLS
from accounting.foreign.codex.voices import Spoken, Voice

OUTPUTS: Final = frozenset(("function_call_output", "custom_tool_call_output", "tool_search_output"))
"""The items that answer a call."""
ENDS: Final = frozenset(
    [
        "exec_command_end",
        "patch_apply_end",
        "mcp_tool_call_end",
        "web_search_end",
        "image_generation_end",
        "dynamic_tool_call_response",
    ]
)
"""The events that end a call."""
BEGINS: Final = frozenset(("view_image_tool_call", "dynamic_tool_call_request"))
"""The events that only tell that a call was made."""
ITEM_ENDS: Final = frozenset(("CommandExecution", "McpToolCall", "FileChange", "WebSearch", "Extension"))
"""The items of an `item_completed` that end a call."""


class Survey:
    """What a file holds."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.heads: Final[list[Item]] = []
        """The `session_meta`: the session's own, then those of what it was forked from."""
        self.calls: Final[set[str]] = set()
        """Ids of the calls that stand as items of their own."""
        self.answered: Final[set[str]] = set()
        """Ids of the calls whose answers do."""
        self.ends: Final[dict[str, deque[Fields]]] = {}
        """The ending events of each call, in order."""
        self.turn_ids: Final[set[str]] = set()
        """The ids of Codex's own turns, each from a person's prompt to the last answer."""
        self.spawns: Final[dict[str, str]] = {}
        """Which call started each thread that this one started."""
        self._ranks: dict[Voice, int] = {}
        for entry in entries:
            if entry.item is not None:
                self._look(entry.envelope, entry.item, entry.said)

    def follows(self, said: Spoken) -> bool:
        """Whether such a row is the one to follow."""
        return bool(said.text) and self._ranks.get(said.voice) == said.rank

    def _look(self, envelope: str, item: Item, said: Spoken | None) -> None:
        if item.turn_id is not None:
            self.turn_ids.add(item.turn_id)
        if envelope == "session_meta":
            self.heads.append(item)
            return
        if said is not None:
            if said.text:
                self._ranks[said.voice] = min(said.rank, self._ranks.get(said.voice, said.rank))
            if item.item is None:
                return
        own = item.own
        if own is None and item.item is None:
            return
        if envelope == "response_item" and own is not None:
            if item.type in CALLS:
                self.calls.add(own)
            elif item.type in OUTPUTS:
                self.answered.add(own)
        elif envelope == "event_msg":
            self._event(item, own)

    def _event(self, item: Item, own: str | None) -> None:
        told: Fields = item
        if item.type == "item_completed" and item.item is not None:
            told, own = item.item, item.item.own
        if own is None:
            return
        if told.type in ENDS or told.type in ITEM_ENDS:
            self.ends.setdefault(own, deque()).append(told)
        elif item.type == "tool_call":
            self.calls.add(own)
        elif item.type == "collab_agent_spawn_end" and item.new_thread_id is not None:
            self.spawns[item.new_thread_id] = own
