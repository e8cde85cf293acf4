"""The lines of one stream, in file order, told to the draft of its run. Spec: foreign.md 3.3."""

from pathlib import Path
from typing import Final

from msgspec import Struct

from accounting.foreign.codex.counting import usage_of_counts
from accounting.foreign.codex.output import spelled, text_of
from accounting.foreign.codex.tools import command_line, mcp_name
from accounting.foreign.codex_exec.rows import TYPES, Event, Item, Result, Told
from accounting.foreign.drafting import RunDraft, arguments
from accounting.foreign.fidelity import DamageCode, Fidelity, Standing
from accounting.foreign.outline import FailedRequest, Stop, TurnStanding
from accounting.foreign.payload import has_bad_count
from accounting.foreign.request import RequestDraft
from accounting.foreign.session import run_of
from accounting.foreign.times import time_ms
from accounting.ledger.problem import Place
from wire.scalars import Json, JsonObject, TimeMs

AGENT: Final = "codex_exec"
"""The reader's name."""
_FAILED: Final = ("failed", "declined")


class _Turn(Struct, kw_only=True, eq=False):
    """One of Codex's own turns."""

    draft: RequestDraft
    t: TimeMs | None
    blocks: list[Json]
    usage: JsonObject | None = None
    rows: int = 1


class Stream:
    """The stream under way."""

    def __init__(self, path: Path) -> None:
        self.fidelity = Fidelity(AGENT, str(path))
        self.draft = RunDraft(run_of(AGENT, path.stem), self.fidelity)
        self.id = path.stem
        self.turns: list[_Turn] = []
        self.began: tuple[TimeMs | None, Place] | None = None
        self.failures: list[FailedRequest] = []
        self.stops: list[Stop] = []
        self.done: tuple[TimeMs | None, Place] | None = None
        self._open: _Turn | None = None
        self._called: dict[str, str] = {}
        self._answered: set[str] = set()
        self._said: dict[str, JsonObject] = {}
        self._last_error: str | None = None

    def read(self, event: Event, place: Place) -> None:
        """Take in a line."""
        t = time_ms(event.timestamp)
        if t is None and event.timestamp is not None:
            self.fidelity.damaged(place, DamageCode.bad_time)
        if self.began is None:
            self.began = t, place
        kind = event.type or "?"
        if kind not in TYPES:
            self.fidelity.unknown(place, kind)
            return
        if kind == "error":
            self._refused(event.message, t, place, kind)
        elif event.item is not None and kind.startswith("item."):
            self._item(event.item, t, place, kind)
        else:
            self.fidelity.mapped(place, kind)
            self._mark(event, t, place, kind)

    def finish(self) -> None:
        """The stream is at its end."""
        for turn in self.turns:
            if turn.usage is None:
                self.fidelity.lower(Standing.unknown)
            turn.draft.reply(turn.t, turn.draft.place, blocks=turn.blocks, usage=turn.usage)
        if self.done is not None:
            self.draft.freeze(*self.done, "done")

    def standings(self) -> tuple[TurnStanding, ...]:
        """The standing of each turn."""
        return tuple(
            TurnStanding(
                number=number, figures=Standing.unknown if turn.usage is None else Standing.exact, rows=turn.rows
            )
            for number, turn in enumerate(self.turns, 1)
        )

    def _mark(self, event: Event, t: TimeMs | None, place: Place, kind: str) -> None:
        if kind in ("thread.started", "session.created"):
            own = event.thread_id or event.session_id
            if own is not None and not self.turns:
                self.id, self.draft.run = own, run_of(AGENT, own)
        elif kind == "turn.started":
            self._open, self.done = None, None
        elif kind == "turn.completed":
            if event.usage is not None:
                if has_bad_count(event.usage):
                    self.fidelity.damaged(place, DamageCode.bad_field, "usage")
                self._turn(t, place).usage = usage_of_counts(event.usage)
            self._open, self.done = None, (t, place)
        elif kind == "turn.failed":
            told = event.error
            self._refused(told.message if isinstance(told, Told) else told, t, place, kind)
            self._open, self.done = None, None

    def _turn(self, t: TimeMs | None, place: Place) -> _Turn:
        if self._open is None:
            self._open = _Turn(draft=self.draft.request(t, place), t=t, blocks=[])
            self.turns.append(self._open)
            self._last_error = None
        else:
            self._open.t = t
            self._open.rows += 1
        return self._open

    def _item(self, item: Item, t: TimeMs | None, place: Place, kind: str) -> None:
        word = item.type or item.item_type or "?"
        where = f"{kind}/{word}"
        if word in ("agent_message", "assistant_message"):
            self._say("text", item, t, place, where)
        elif word == "reasoning":
            self._say("thinking", item, t, place, where)
        elif word == "error":
            self._refused(item.message, t, place, where)
        else:
            call = _call_of(word, item)
            if call is None:
                self.fidelity.unknown(place, where)
            else:
                self._call(call, item, t, place, kind, where)

    def _say(self, name: str, item: Item, t: TimeMs | None, place: Place, where: str) -> None:
        """A text; what an item says last stands."""
        turn = self._turn(t, place)
        if item.text is None:
            self.fidelity.dropped(place, where, None, "no text")
            return
        self.fidelity.mapped(place, where)
        block: JsonObject = {"kind": name, name: item.text}
        if name == "thinking":
            block["signature"] = ""
        known = None if item.id is None else self._said.get(item.id)
        if known is not None and known["kind"] == name and known in turn.blocks:
            known[name] = item.text
            return
        turn.blocks.append(block)
        if item.id is not None:
            self._said[item.id] = block

    def _call(
        self,
        call: tuple[str, Json, str | None],
        item: Item,
        t: TimeMs | None,
        place: Place,
        kind: str,
        where: str,
    ) -> None:
        name, args, subject = call
        turn = self._turn(t, place)
        own = item.id or f"line-{place.line}"
        if own not in self._called:
            self._called[own] = name
            held = arguments(args, self.fidelity, place, where)
            turn.blocks.append({"kind": "tool_use", "id": own, "name": name, "input": held})
            if subject is None:
                turn.draft.call(t, place, call_id=own, name=name, args=held)
            else:
                turn.draft.call(t, place, call_id=own, name=name, args=held, subject=subject)
        self.fidelity.mapped(place, where)
        if kind != "item.completed" or item.status == "in_progress" or own in self._answered:
            return
        self._answered.add(own)
        text, failed = _answer_of(item)
        self.draft.result(t, place, call_id=own, text=text, failed=failed, exit_code=item.exit_code)
        if item.status == "declined":
            self.stops.append(Stop(turn=len(self.turns), place=place, t=t, call=own, denied=True))

    def _refused(self, message: str | None, t: TimeMs | None, place: Place, where: str) -> None:
        if message is not None and message == self._last_error:
            self.fidelity.dropped(place, where, None, "told before")
            return
        self._last_error = message
        self.fidelity.mapped(place, where)
        self.draft.refuse(t, place, subject=None, told=message)
        self.failures.append(FailedRequest(after=len(self.turns), place=place, t=t, text=message))


def _call_of(word: str, item: Item) -> tuple[str, Json, str | None] | None:
    """Name, arguments and subject of the call that an item is; `None` when its type is not known."""
    match word:
        case "command_execution":
            return word, {"command": item.command}, command_line(item.command)
        case "file_change":
            return word, {"changes": item.changes}, _first_path(item.changes)
        case "mcp_tool_call":
            return mcp_name(item.server, item.tool), item.arguments, None
        case "web_search":
            return word, {"query": item.query}, None
        case "todo_list":
            return word, {"items": item.items}, None
        case _:
            return None


def _first_path(changes: Json) -> str | None:
    first = changes[0] if isinstance(changes, list) and changes else None
    path = first.get("path") if isinstance(first, dict) else None
    return path if isinstance(path, str) else None


def _answer_of(item: Item) -> tuple[str, bool]:
    """The text of an answer, and whether it is a failure."""
    failed = item.status in _FAILED or bool(item.exit_code) or item.error is not None
    if item.error is not None:
        return (item.error if isinstance(item.error, str) else item.error.message or ""), True
    if isinstance(item.result, Result):
        told = text_of(item.result.content)
        if told is None and item.result.structured_content is not None:
            told = spelled(item.result.structured_content)
        return told or "", failed
    return item.aggregated_output or item.result or "", failed
