"""Tool calls and their answers, which may stand in items, in events, or in both. Spec: foreign.md 3.3.

Items come first. An event that ends a call adds what only it knows, the exit code and how long it took; it stands for
the answer where there is no other, and for the call itself where that has no item.
"""

from typing import Final

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


class Calls:
    """The calls of a thread."""

    def __init__(self, draft: RunDraft, fidelity: Fidelity, survey: Survey, turns: Turns) -> None:
        self.stops: Final[list[Stop]] = []
        """Where a person did not allow a call or broke it off."""
        self._draft = draft
        self._fidelity = fidelity
        self._survey = survey
        self._turns = turns

    def call(self, item: Item, t: TimeMs | None, place: Place, kind: str) -> None:
        """An item that is a call; some say themselves that they are done."""
        self._fidelity.mapped(place, kind)
        call = call_of(item, place, self._fidelity, kind)
        own = self._made(call, self._turns.made(t, place), t, place)
        if item.type not in SELF_ANSWERED:
            return
        told = own in self._survey.answered or own in self._survey.ends
        if isinstance(item.status, str) and item.status in _DONE and not told:
            self._fidelity.derived(place, kind, "status", "the item says that the call is done, and keeps no answer")
            self._answer(own, Answer(failed=item.status == "failed"), t, place)

    def output(self, item: Item, t: TimeMs | None, place: Place, kind: str) -> None:
        """An item that answers a call."""
        self._fidelity.mapped(place, kind)
        own = item.own or ""
        value: Json = item.output
        if item.type == "tool_search_output":
            value = None if item.tools is None else spelled(item.tools)
        answer = read_output(value)
        end = self._end_of(own)
        if end is not None:
            add_end(answer, end)
        self._answer(own, answer, t, place)

    def told(self, event: Fields, t: TimeMs | None, place: Place, kind: str) -> None:
        """An event that tells of a call."""
        own = event.own
        if event.source == "user_shell":
            self._fidelity.dropped(place, kind, None, "a command that the person ran")
        elif own is None:
            self._fidelity.dropped(place, kind, None, "it names no call")
        elif own in self._survey.calls:
            self._fidelity.mapped(place, kind)
            end = None if own in self._survey.answered or event.type in BEGINS else self._end_of(own)
            if end is not None:
                self._answer(own, answer_of_end(end), t, place)
        elif event.type in ITEM_ENDS and self._survey.calls:
            self._fidelity.dropped(place, kind, None, "part of a call that has rows of its own")
        else:
            self._alone(event, own, t, place, kind)

    def _alone(self, event: Fields, own: str, t: TimeMs | None, place: Place, kind: str) -> None:
        call = call_of_end(event, place, self._fidelity, kind)
        self._fidelity.derived(place, kind, None, "the call has no row of its own: made from the event")
        if not self._draft.is_open(own):
            self._made(call, self._turns.latest(t, place), t, place)
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

    def _end_of(self, own: str) -> Fields | None:
        ends = self._survey.ends.get(own)
        return ends.popleft() if ends else None


def tells_of_call(event: Fields) -> bool:
    """Whether an event, or the item of an `item_completed`, tells of a call."""
    return event.type in ENDS or event.type in BEGINS or event.type in ITEM_ENDS
