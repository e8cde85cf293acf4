"""The messages of an OpenCode session as our records, and the report beside them. Spec: foreign.md 3.5."""

from typing import Final

from accounting.foreign.drafting import RequestDraft, RunDraft, arguments
from accounting.foreign.fidelity import DamageCode, Fidelity, Standing
from accounting.foreign.opencode.kept import KeptMessage, KeptPart, KeptSession
from accounting.foreign.opencode.marks import Marks
from accounting.foreign.opencode.rows import AGENT, Failure, State
from accounting.foreign.opencode.steps import Step, first_at, key_of, latest_at, steps_of, whole_input, whole_output
from accounting.foreign.opencode.tally import tally
from accounting.foreign.opencode.tools import given, outcome, retried_at, started_at, started_session, subject
from accounting.foreign.outline import Child, TurnStanding
from accounting.foreign.payload import has_bad_count, usage_of
from accounting.foreign.session import Session, run_of
from accounting.ledger.problem import Place
from wire.scalars import Json, JsonObject, RunId, TimeMs

_ABORTED: Final = frozenset(("MessageAbortedError", "AbortError", "AbortedError"))
_TOO_LONG: Final = "MessageOutputLengthError"


class Conversation:
    """One run, in the making."""

    def __init__(self, kept: KeptSession, fidelity: Fidelity) -> None:
        self.kept: Final = kept
        self.run: Final[RunId] = run_of(AGENT, kept.id)
        self.started: Final[dict[str, tuple[str, int]]] = {}
        """Sessions that calls of this one started, by id: the call and its turn."""
        self._fidelity: Final = fidelity
        self._draft: Final = RunDraft(self.run, fidelity)
        self._marks: Final = Marks(kept, fidelity)
        self._task: str | None = None
        self._call_ids: set[str] = set()
        self._messages: Final = kept.in_order()
        for message in self._messages:
            self._message(message)
        told = {message.info.error.name for message in self._messages if message.info.error is not None}
        for error, place, t in kept.errors:
            if error.name not in told:
                told.add(error.name)
                self._failed(error, place, t)

    def session(self, parent: RunId | None, started_by: str | None, children: tuple[Child, ...]) -> Session:
        """The session, once it is known how it hangs together with others."""
        kept = self.kept
        place = kept.place if kept.place is not None else next((one.place for one in self._messages), None)
        # Not before somebody spoke: a stream that is followed would else begin without its task.
        if place is not None and (self._task is not None or self._draft.turns):
            began = kept.info.created
            if began is None:
                began = next((one.created for one in self._messages if one.created is not None), None)
            self._draft.start(began, place, task=self._task, parent=parent)
        return self._draft.session(
            AGENT,
            kept.id,
            self._marks.outline(children),
            parent=parent,
            started_by=started_by,
        )

    def _message(self, message: KeptMessage) -> None:
        place = message.place
        role = message.info.role
        if message.created is None:
            self._fidelity.damaged(place, DamageCode.bad_time, "time.created")
        if role not in (None, "user", "assistant"):
            self._fidelity.unknown(place, f"message/{role}")
            return
        tally(message, self._fidelity)
        if message.is_reply:
            self._reply(message)
        else:
            self._prompt(message)

    def _prompt(self, message: KeptMessage) -> None:
        texts: list[str] = []
        for kept in message.in_order():
            part = kept.part
            if part.type == "text" and part.text and not kept.is_aside:
                texts.append(part.text)
            elif part.type == "subtask" and part.prompt:
                texts.append(part.prompt)
            elif part.type == "compaction":
                self._marks.compacted(kept, message, self._draft.turns)
        if not texts:
            self._fidelity.dropped(message.place, "message/user", "text", "there is none that the person typed")
        elif self._task is None and not self._draft.turns:
            self._task = "\n".join(texts)
        else:
            self._draft.steer(message.created, message.place, "\n".join(texts))

    def _reply(self, message: KeptMessage) -> None:
        steps = steps_of(message)
        for status, place, t in message.retries:
            self._failed(Failure(message=status.message), place, t, retried=True)
        if not steps:
            self._besides(message.in_order(), message)
        before = self._draft.turns
        for number, step in enumerate(steps):
            self._step(message, step, number, last=number == len(steps) - 1)
        if message.info.summary is True:
            said = "".join(kept.part.text or "" for kept in message.in_order() if kept.part.type == "text")
            self._marks.summarised(message, said, before)
        if message.info.error is not None:
            self._error(message.info.error, message, steps)

    def _step(self, message: KeptMessage, step: Step, number: int, *, last: bool) -> None:
        self._besides([part for part in step.parts if part.part.type == "retry"], message)
        place = message.place if number == 0 or not step.all_parts else step.all_parts[0].place
        # A later step has no time of its own. When its part was stored is none: each way of keeping has another.
        t = message.created if number == 0 else None
        request = self._draft.request(t, place, model=message.info.named_model)
        blocks: list[Json] = []
        answers: list[tuple[KeptPart, str, State]] = []
        for kept in step.parts:
            part = kept.part
            if part.type == "text" and part.text and not kept.is_aside:
                blocks.append({"kind": "text", "text": part.text})
            elif part.type == "reasoning" and part.text:
                blocks.append({"kind": "thinking", "thinking": part.text, "signature": ""})
            elif part.type == "tool":
                call_id = self._call(request, kept, blocks)
                answers.append((kept, call_id, part.state or State()))
        finish = step.finish
        ended = message.info.completed if last else None
        whole = last and message.info.completed is not None and message.info.error is None
        if blocks or finish is not None or step.tokens is not None or whole:
            stop = None if finish is None else finish.part.reason
            request.reply(
                latest_at(step) if ended is None else ended,
                message.place if finish is None else finish.place,
                blocks=blocks,
                usage=self._usage(step, message.place if finish is None else finish.place),
                stop=message.info.finish if stop is None and last else stop,
                billed_usd_micros=step.spent,
                first_at=first_at(step),
            )
        self._stand(message, step, number, blocks)
        for kept, call_id, state in answers:
            self._answer(kept, call_id, state)
        self._besides([part for part in step.parts if part.part.type == "compaction"], message)

    def _besides(self, parts: list[KeptPart], message: KeptMessage) -> None:
        """What stands in a reply and is none of it: attempts that failed, and compactions."""
        for kept in parts:
            if kept.part.type == "retry":
                self._failed(kept.part.error or Failure(), kept.place, retried_at(kept.part), retried=True)
            elif kept.part.type == "compaction":
                self._marks.compacted(kept, message, self._draft.turns)

    def _call(self, request: RequestDraft, kept: KeptPart, blocks: list[Json]) -> str:
        part, place = kept.part, kept.place
        state = part.state or State()
        call_id = self._call_id(kept)
        args = arguments(given(state), self._fidelity, place, "part/tool")
        blocks.append({"kind": "tool_use", "id": call_id, "name": part.tool or "", "input": args})
        began = started_at(state)
        request.call(
            began,
            place,
            call_id=call_id,
            name=part.tool,
            args=args,
            subject=subject(part.tool, args),
            measured=began is not None,
        )
        child = started_session(part)
        if child is not None and child != self.kept.id:
            self.started.setdefault(child, (call_id, self._draft.turns))
        return call_id

    def _answer(self, kept: KeptPart, call_id: str, state: State) -> None:
        told = outcome(state)
        if told is None:
            return
        if told.stopped:
            self._marks.stopped(self._draft.turns, kept.place, told.t, call_id, denied=told.denied)
        self._draft.result(
            told.t,
            kept.place,
            call_id=call_id,
            text=told.text,
            failed=told.failed,
            exit_code=told.exit_code,
            took_us=told.took_us,
            name=kept.part.tool,
            measured=told.t is not None,
        )

    def _call_id(self, kept: KeptPart) -> str:
        """The call's id, or one made for it: the result stands inside the call, so that each needs its own."""
        own = kept.part.call_id or kept.id
        made, nth = own, 1
        while made in self._call_ids:
            nth += 1
            made = f"{own}#{nth}"
        if made != kept.part.call_id:
            self._fidelity.derived(kept.place, "part/tool", "callID", "missing, or of another call already")
        self._call_ids.add(made)
        return made

    def _usage(self, step: Step, place: Place) -> JsonObject | None:
        tokens = step.tokens
        if tokens is None:
            return None
        if has_bad_count(tokens) or has_bad_count(tokens.cache):
            self._fidelity.damaged(place, DamageCode.bad_field, "tokens")
        output, included = whole_output(tokens)
        if included:
            self._fidelity.derived(place, "tokens", "output", "by `total` it includes the reasoning already")
        elif tokens.reasoning:
            self._fidelity.derived(place, "tokens", "output", "output and reasoning added up")
        cache = tokens.cache
        if cache is None:
            return usage_of(tokens.input, output)
        self._fidelity.derived(place, "tokens", "input", "input and both parts of the cache added up")
        return usage_of(whole_input(tokens), output, cached=cache.read, cache_write=cache.write)

    def _stand(self, message: KeptMessage, step: Step, number: int, blocks: list[Json]) -> None:
        reply = self._draft.requests[-1].returned
        figures = step.figures if reply is not None and "usage" in reply.data else Standing.unknown
        self._fidelity.lower(figures)
        standing = TurnStanding(
            number=self._draft.turns,
            key=key_of(message, step, number, blocks),
            figures=figures,
            rows=max(1, len(step.all_parts)),
        )
        self._marks.stood(standing, message, step)

    def _error(self, error: Failure, message: KeptMessage, steps: list[Step]) -> None:
        t, place = message.info.completed, message.place
        if error.name in _ABORTED or not steps or (steps[-1].finish is not None and error.name != _TOO_LONG):
            self._failed(error, place, t)
        elif error.name == _TOO_LONG:
            self._fidelity.dropped(place, "message/assistant", "error", "the reply's own stop says so")
        else:
            self._fidelity.derived(place, "message/assistant", "error", "a note: of its request something came back")
            self._refuse(error, t, place)

    def _failed(self, error: Failure, place: Place, t: TimeMs | None, *, retried: bool = False) -> None:
        """A request that came to nothing, or that the person broke off."""
        if error.name in _ABORTED:
            self._marks.stopped(self._draft.turns, place, t)
            self._draft.cancel(t, place, error.text)
            return
        self._marks.failed(error, place, t, self._draft.turns, retried=retried)
        self._refuse(error, t, place, retry=True if retried else None)

    def _refuse(self, error: Failure, t: TimeMs | None, place: Place, *, retry: bool | None = None) -> None:
        data = error.data
        self._draft.refuse(
            t,
            place,
            subject=None,
            told=error.text,
            status=None if data is None else data.status_code,
            retry=data.is_retryable if data is not None and data.is_retryable is not None else retry,
        )
