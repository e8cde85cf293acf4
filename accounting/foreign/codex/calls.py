"""Tool calls and their answers, which may stand in items, in events, or in both. Spec: foreign.md 3.3.

An item comes before an event. An event that ends a call adds what only it knows, the exit code and how long it took,
to the answer behind it; it stands for the answer where none has come when the model goes on, and for the call itself
where that has no item yet. What stands never changes by a later row: a file that grows only adds to what was read.
"""

from typing import Final

from msgspec import Struct

from accounting.foreign.codex.output import Answer, add_end, answer_of_end, read_output, spelled
from accounting.foreign.codex.rows import Fields, Item
from accounting.foreign.codex.survey import BEGINS, ENDS, ITEM_ENDS, Survey
from accounting.foreign.codex.tools import SELF_ANSWERED, Call, call_of, call_of_end
from accounting.foreign.codex.turns import Request, Turns
from accounting.foreign.drafting import RunDraft
from accounting.foreign.fidelity import Fidelity
from accounting.foreign.outline import Stop
from accounting.ledger.problem import Place
from wire.scalars import Json, TimeMs

_DONE: Final = ("completed", "failed")


class _Pending(Struct, frozen=True):
    """An answer that stands when no better one comes."""

    answer: Answer
    end: Fields | None
    """The event that it is of; `None` when the call's own item says that it is done."""
    t: TimeMs | None
    place: Place
    kind: str
    after: int
    """How many requests there were."""


class Calls:
    """The calls of a thread."""

    def __init__(self, draft: RunDraft, fidelity: Fidelity, survey: Survey, turns: Turns) -> None:
        self.stops: Final[list[Stop]] = []
        """Where a person did not allow a call or broke it off."""
        self._draft = draft
        self._fidelity = fidelity
        self._survey = survey
        self._turns = turns
        self._of_items: set[str] = set()
        self._of_events: set[str] = set()
        self._pending: dict[str, _Pending] = {}

    def call(self, item: Item, t: TimeMs | None, place: Place, kind: str) -> None:
        """An item that is a call; some say themselves that they are done."""
        if item.own is not None and item.own in self._of_events:
            self._fidelity.dropped(place, kind, None, "an event before it told of the call")
            return
        self._fidelity.mapped(place, kind)
        call = call_of(item, place, self._fidelity, kind)
        own = self._made(call, self._turns.made(t, place), t, place)
        self._of_items.add(own)
        if item.type in SELF_ANSWERED and isinstance(item.status, str) and item.status in _DONE:
            self._wait(own, Answer(failed=item.status == "failed"), t, place, kind)

    def output(self, item: Item, t: TimeMs | None, place: Place, kind: str) -> str:
        """An item that answers a call; its text."""
        self._fidelity.mapped(place, kind)
        own = item.own or ""
        value: Json = item.output
        if item.type == "tool_search_output":
            value = None if item.tools is None else spelled(item.tools)
        answer = read_output(value)
        pending = self._pending.pop(own, None)
        if pending is not None and pending.end is not None:
            add_end(answer, pending.end)
        self._answer(own, answer, t, place)
        return answer.text

    def told(self, event: Fields, t: TimeMs | None, place: Place, kind: str) -> None:
        """An event that tells of a call."""
        own = event.own
        if event.source == "user_shell":
            self._fidelity.dropped(place, kind, None, "a command that the person ran")
        elif own is None:
            self._fidelity.dropped(place, kind, None, "it names no call")
        elif own in self._of_items:
            if event.type in BEGINS or self._draft.is_open(own):
                self._fidelity.mapped(place, kind)
            else:
                self._fidelity.dropped(place, kind, None, "the call has its answer already")
            if event.type not in BEGINS and self._draft.is_open(own):
                self._wait(own, answer_of_end(event), t, place, kind, event)
        elif event.type in ITEM_ENDS and self._is_part(t):
            self._fidelity.dropped(place, kind, None, "part of a call that has rows of its own")
        else:
            self._alone(event, own, t, place, kind)

    def settle(self, *, over: bool) -> None:
        """Answer what an event ended, and no item answered before the model went on, or its turn was over."""
        for own, pending in list(self._pending.items()):
            if over or pending.after < self._turns.count:
                del self._pending[own]
                if pending.end is None:
                    why = "the item says that the call is done, and keeps no answer"
                    self._fidelity.derived(pending.place, pending.kind, "status", why)
                self._answer(own, pending.answer, pending.t, pending.place)

    def _wait(
        self, own: str, answer: Answer, t: TimeMs | None, place: Place, kind: str, end: Fields | None = None
    ) -> None:
        self._pending[own] = _Pending(answer, end, t, place, kind, self._turns.count)

    def _is_part(self, t: TimeMs | None) -> bool:
        """Whether calls stand as items from before that time on; where it is not known, from before this row on."""
        return bool(self._of_items) if t is None else self._survey.has_call_before(t)

    def _alone(self, event: Fields, own: str, t: TimeMs | None, place: Place, kind: str) -> None:
        call = call_of_end(event, place, self._fidelity, kind)
        self._fidelity.derived(place, kind, None, "the call has no row of its own: made from the event")
        if not self._draft.is_open(own):
            self._made(call, self._turns.latest(t, place), t, place)
            self._of_events.add(own)
        if event.type not in BEGINS:
            self._answer(own, answer_of_end(event), t, place)

    def _made(self, call: Call, request: Request, t: TimeMs | None, place: Place) -> str:
        own = call.id or f"line-{place.line}"
        request.blocks.append({"kind": "tool_use", "id": own, "name": call.name, "input": call.args})
        request.draft.call(t, place, call_id=own, name=call.name, args=call.args, subject=call.subject)
        return own

    def _answer(self, own: str, answer: Answer, t: TimeMs | None, place: Place) -> None:
        self._draft.result(
            t,
            place,
            call_id=own,
            text=answer.text,
            failed=answer.failed,
            exit_code=answer.exit_code,
            took_us=answer.took_us,
        )
        if answer.denied or answer.stopped:
            self.stops.append(Stop(turn=self._turns.count, place=place, t=t, call=own, denied=answer.denied))


def tells_of_call(event: Fields) -> bool:
    """Whether an event, or the item of an `item_completed`, tells of a call."""
    return event.type in ENDS or event.type in BEGINS or event.type in ITEM_ENDS
