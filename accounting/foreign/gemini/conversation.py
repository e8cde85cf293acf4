"""The messages of a Gemini CLI session as our records, and the report beside them. Spec: foreign.md 3.4."""

import re
from typing import Final

from accounting.foreign.drafting import RequestDraft, RunDraft, arguments
from accounting.foreign.fidelity import DamageCode, Fidelity, Standing
from accounting.foreign.gemini.replay import Message, Removal, Replay
from accounting.foreign.gemini.rows import Row, Thought, ToolCall
from accounting.foreign.gemini.tools import Answer, answer, reply_tokens, subject, texts_of
from accounting.foreign.outline import (
    Child,
    Compaction,
    Fact,
    FailedRequest,
    Outline,
    Rewind,
    Stop,
    TurnStanding,
)
from accounting.foreign.payload import has_bad_count, usage_of
from accounting.foreign.session import Session
from accounting.foreign.times import time_ms
from accounting.ledger.problem import Place
from wire.scalars import Json, JsonObject, RunId, TimeMs, run_id

AGENT: Final = "gemini"
_NO_FIELD: Final = "our records have no field for it"
_STATUS: Final = re.compile(r'"?(?:code|status)"?\s*[:=]?\s*"?([45]\d\d)\b').search


class Conversation:
    """One run, in the making."""

    def __init__(self, replay: Replay, own: str, run: RunId) -> None:
        self.own: Final = own
        self.run: Final = run
        self.started: Final[list[tuple[str, str, int]]] = []
        """Calls that started sub-agents: the sub-agent's id, the call's, and the turn."""
        self._replay = replay
        self._fidelity: Fidelity = replay.fidelity
        self._draft = RunDraft(run, replay.fidelity)
        self._task: str | None = None
        self._standings: list[TurnStanding] = []
        self._turn_of: dict[int, int] = {}
        self._failed: list[FailedRequest] = []
        self._stops: list[Stop] = []
        self._call_ids: set[str] = set()
        self._keys: set[str] = set()
        for message in replay.messages:
            self._message(message)

    @property
    def files(self) -> list[str]:
        """The files that the report names."""
        return self._fidelity.files

    def session(self, parent: RunId | None, started_by: str | None, children: tuple[Child, ...]) -> Session:
        """The session, once it is known how it hangs together with others."""
        began = self._replay.began
        if began is not None:
            row, place = began
            start = self._replay.start_time if self._replay.start_time is not None else row.timestamp
            self._draft.start(self._time(start, place), place, task=self._task, parent=parent)
        return self._draft.session(
            AGENT,
            self.own,
            Outline(
                turns=tuple(self._standings),
                compactions=tuple(self._compaction(gone) for gone in self._replay.removals if not gone.rewound),
                rewinds=tuple(self._rewind(gone) for gone in self._replay.removals if gone.rewound),
                failed_requests=tuple(self._failed),
                stops=tuple(self._stops),
                children=children,
                facts=self._facts(),
            ),
            parent=parent,
            started_by=started_by,
        )

    def _message(self, message: Message) -> None:
        row, place = message.row, message.place
        t = self._time(row.timestamp, place)
        match row.word:
            case "user":
                self._user(row, t, place)
            case "gemini":
                self._gemini(message, t)
            case "error":
                self._error(row, t, place)
            case "info" if _is_cancelled(text := self._text(row.content, "info", place)):
                self._fidelity.beside(place, "info")
                self._stops.append(Stop(turn=self._draft.turns, place=place, t=t))
                self._draft.cancel(t, place, text)
            case word:
                self._fidelity.dropped(place, word or "", None, "told by the CLI itself, to the person alone")

    def _user(self, row: Row, t: TimeMs | None, place: Place) -> None:
        shown = row.display_content or row.content
        text = self._text(shown, "user", place)
        if shown is not row.content:
            self._fidelity.derived(place, "user", "content", "`displayContent`, which is what the person typed")
        if not text:
            self._fidelity.dropped(place, "user", None, "no text in it")
            return
        self._fidelity.mapped(place, "user")
        if self._task is None and not self._draft.turns:
            self._task = text
        else:
            self._draft.steer(t, place, text)

    def _error(self, row: Row, t: TimeMs | None, place: Place) -> None:
        text = self._text(row.content, "error", place)
        status = None if (stated := _STATUS(text)) is None else int(stated[1])
        self._fidelity.beside(place, "error")
        self._failed.append(FailedRequest(after=self._draft.turns, place=place, t=t, text=text or None, status=status))
        if "API Error" in text:  # other errors are the CLI's own
            self._draft.refuse(t, place, subject=None, told=text, status=status)

    def _gemini(self, message: Message, t: TimeMs | None) -> None:
        row, place = message.row, message.place
        self._fidelity.mapped(place, "gemini")
        request = self._draft.request(t, place, model=row.model)
        self._turn_of[id(message)] = self._draft.turns
        blocks = self._blocks(row, place)
        answers: list[tuple[ToolCall, str, Answer, Place]] = []
        for number, call in enumerate(row.tool_calls or ()):
            call_id = self._call_id(call, row, number, place)
            self._call(request, call, call_id, t, place, blocks)
            told = answer(call)
            if told is not None:
                answers.append((call, call_id, told, message.answered.get(number, place)))
        request.reply(t, place, blocks=blocks, usage=self._usage(message))
        self._standings.append(self._standing(message))
        for call, call_id, told, where in answers:
            self._answer(call, call_id, told, where)

    def _blocks(self, row: Row, place: Place) -> list[Json]:
        texts, reasoned, others = texts_of(row.content)
        if others:
            self._fidelity.dropped(place, "gemini", "content[]", "a part that is no text")
        thoughts = [_thought(thought) for thought in row.thoughts or ()]
        if thoughts:
            self._fidelity.derived(place, "gemini", "thoughts", "heading and text as one text")
        blocks: list[Json] = [
            {"kind": "thinking", "thinking": text, "signature": ""} for text in (*thoughts, *reasoned) if text
        ]
        blocks.extend({"kind": "text", "text": text} for text in texts if text)
        return blocks

    def _call(
        self,
        request: RequestDraft,
        call: ToolCall,
        call_id: str,
        t: TimeMs | None,
        place: Place,
        blocks: list[Json],
    ) -> None:
        self._fidelity.mapped(place, "gemini/toolCall")
        args = arguments(call.args, self._fidelity, place, "gemini/toolCall")
        blocks.append({"kind": "tool_use", "id": call_id, "name": call.name or "", "input": args})
        request.call(t, place, call_id=call_id, name=call.name, args=args, subject=subject(call.name, args))
        if call.agent_id:
            self.started.append((call.agent_id, call_id, self._draft.turns))

    def _answer(self, call: ToolCall, call_id: str, told: Answer, place: Place) -> None:
        when = None if call.timestamp is None else self._time(call.timestamp, place)
        if told.others:
            self._fidelity.dropped(place, "gemini/toolCall", "result[]", "a part that is no text")
        if told.stopped:
            self._stops.append(Stop(turn=self._draft.turns, place=place, t=when, call=call_id, denied=told.denied))
        self._draft.result(
            when,
            place,
            call_id=call_id,
            text=told.text,
            failed=told.failed,
            exit_code=told.exit_code,
            name=call.name,
        )

    def _call_id(self, call: ToolCall, row: Row, number: int, place: Place) -> str:
        """The call's id, or one made for it: the result stands inside the call, so that each needs its own."""
        own = call.id or f"{row.id or f'message {self._draft.turns}'}/{number}"
        made, nth = own, 1
        while made in self._call_ids:
            nth += 1
            made = f"{own}#{nth}"
        if made != call.id:
            self._fidelity.derived(place, "gemini/toolCall", "id", "missing, or of another call already")
        self._call_ids.add(made)
        return made

    def _usage(self, message: Message) -> JsonObject | None:
        tokens = message.tokens
        if tokens is None:
            return None
        if has_bad_count(tokens):
            self._fidelity.damaged(message.place, DamageCode.bad_field, "tokens")
        output, included = reply_tokens(tokens)
        kind, place = "gemini", message.place
        if included:
            self._fidelity.derived(place, kind, "tokens.output", "by `total` it includes the thoughts already")
        elif tokens.thoughts:
            self._fidelity.derived(place, kind, "tokens.output", "output and thoughts added up")
        if tokens.tool:
            self._fidelity.dropped(place, kind, "tokens.tool", _NO_FIELD)
        return usage_of(tokens.input, output, cached=tokens.cached)

    def _standing(self, message: Message) -> TurnStanding:
        figures = Standing.exact if message.metered < 2 else Standing.deduplicated
        usage = self._draft.requests[-1].returned
        if usage is None or "usage" not in usage.data:
            figures = Standing.unknown
        self._fidelity.lower(figures)
        own = message.row.id
        if own is not None and run_id(own.lower()) is None:
            own = f"{self.own}/{own}"  # of no more than this session
        key = None if own is None or own in self._keys else f"gemini:{own}"
        if own is not None:
            self._keys.add(own)
        return TurnStanding(number=self._draft.turns, key=key, live=message.live, figures=figures, rows=message.rows)

    def _rewind(self, gone: Removal) -> Rewind:
        turns = [self._turn_of[id(one)] for one in gone.removed if id(one) in self._turn_of]
        return Rewind(place=gone.place, turns=tuple(sorted(turns)))

    def _compaction(self, gone: Removal) -> Compaction:
        before = self._replay.messages[: gone.after]
        after = max((self._turn_of[id(one)] for one in before if id(one) in self._turn_of), default=0)
        return Compaction(after=after, place=gone.place)

    def _facts(self) -> tuple[Fact, ...]:
        stated = {"project_hash": self._replay.project_hash, "summary": self._replay.summary}
        return tuple(Fact(name=name, value=value) for name, value in stated.items() if value)

    def _text(self, content: Json, kind: str, place: Place) -> str:
        texts, _, others = texts_of(content)
        if others:
            self._fidelity.dropped(place, kind, "content[]", "a part that is no text")
        return "\n".join(texts)

    def _time(self, stamp: str | int | None, place: Place) -> TimeMs | None:
        t = time_ms(stamp)
        if t is None:
            self._fidelity.damaged(place, DamageCode.bad_time, "absent" if stamp is None else "")
        return t


def _thought(thought: Thought | str) -> str:
    if isinstance(thought, str):
        return thought
    return "\n".join(part for part in (thought.subject, thought.description) if part)


def _is_cancelled(text: str) -> bool:
    return text.strip().rstrip(".").lower() in ("request cancelled", "request canceled", "operation cancelled")
