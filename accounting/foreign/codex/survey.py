"""What must be known of a whole rollout before its first row can be read. Spec: foreign.md 3.3.

A prompt may stand in the file twice: which rows to follow is a question to the whole file. And a sub-agent's file does
not say which call started it, which its parent's does.
"""

from collections.abc import Iterable
from typing import Final

from accounting.foreign.codex.entries import Entry
from accounting.foreign.codex.output import read_output
from accounting.foreign.codex.rows import Item
from accounting.foreign.codex.tools import CALLS, SPAWN, spawned_thread
from accounting.foreign.codex.voices import Spoken, Voice
from wire.scalars import TimeMs

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
        self.turn_ids: Final[set[str]] = set()
        """The ids of Codex's own turns, each from a person's prompt to the last answer."""
        self.spawns: Final[dict[str, str]] = {}
        """Which call started each thread that this one started."""
        self._first_call: TimeMs | None = None
        self._spawning: set[str] = set()
        self._rank: int | None = None
        for entry in entries:
            if entry.item is not None:
                self._look(entry, entry.item)

    def prompt(self, said: Spoken) -> str:
        """What a person says in a row; nothing where another kind of row is to be followed."""
        return said.text if said.rank == self._rank else ""

    def has_call_before(self, t: TimeMs) -> bool:
        """Whether a call that stands as an item was made by that time."""
        return self._first_call is not None and self._first_call <= t

    def _look(self, entry: Entry, item: Item) -> None:
        envelope, said, t = entry.envelope, entry.said, entry.t
        if item.turn_id is not None:
            self.turn_ids.add(item.turn_id)
        if envelope == "session_meta":
            self.heads.append(item)
            return
        if said is not None:
            if said.text and said.voice is Voice.prompt:
                self._rank = said.rank if self._rank is None else min(said.rank, self._rank)
            return
        own = item.own
        if own is None:
            return
        if envelope == "event_msg":
            if item.type == "collab_agent_spawn_end" and item.new_thread_id is not None:
                self.spawns[item.new_thread_id] = own
            return
        if item.type in CALLS and t is not None:
            self._first_call = t if self._first_call is None else min(self._first_call, t)
        if item.name == SPAWN and item.type == "function_call":
            self._spawning.add(own)
        elif own in self._spawning and item.type in OUTPUTS:
            thread = spawned_thread(read_output(item.output).text)
            if thread is not None and own not in self.spawns.values():
                self.spawns.setdefault(thread, own)
