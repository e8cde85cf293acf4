"""The events of `gemini --output-format stream-json` as our records. Spec: foreign.md 3.4, at its end.

The events name no request: one opens with the first words or call after a prompt or a tool's result. Token counts
are stated once, for the whole session. Where it made one request they are taken for that request's, as an estimate.
"""

import re
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from accounting.foreign.drafting import RunDraft, arguments, totals
from accounting.foreign.fidelity import DamageCode, Fidelity, Standing, Totals
from accounting.foreign.gemini.conversation import AGENT
from accounting.foreign.gemini.events import Event, Stats, Trouble, is_event
from accounting.foreign.gemini.tools import exit_code, subject, texts_of
from accounting.foreign.objects import without_surrogates
from accounting.foreign.outline import Fact, FailedRequest, Outline, Stop, TurnStanding
from accounting.foreign.payload import has_bad_count, usage_of
from accounting.foreign.rows import rows
from accounting.foreign.sample import Sample
from accounting.foreign.session import Session, Source, run_of
from accounting.foreign.times import time_ms
from accounting.ledger.problem import Place
from wire.reading import used
from wire.scalars import Json, JsonObject, TimeMs, u64

_NO_FIELD: Final = "our records have no field for it"
_LIMIT: Final = re.compile(r"turn ?limit|max(imum)?( session)? turns", re.IGNORECASE).search
_CANCEL: Final = re.compile(r"cancel", re.IGNORECASE).search


def source_of(path: Path, sample: Sample) -> Source:
    """The session that the file is of."""
    own = next((own for row in sample.rows if isinstance(own := row.get("session_id"), str) and own), None)
    return Source(agent=AGENT, path=path, run=None if own is None else run_of(AGENT, without_surrogates(own)[0]))


def read_stream(source: Source) -> Session:
    """The session that the events tell. Raises `OSError`."""
    fidelity = Fidelity(AGENT, str(source.path))
    stream = _Stream(fidelity)
    for event, place in rows(source.path, Event, fidelity, is_row=is_event):
        stream.event(event, place)
    return stream.session(source.path.stem)


class _Reply(Struct):
    """The reply of a request so far, and where it began."""

    blocks: list[Json]
    t: TimeMs | None
    place: Place


class _Stream:
    def __init__(self, fidelity: Fidelity) -> None:
        self._fidelity = fidelity
        self._draft = RunDraft(run_of(AGENT, ""), fidelity)
        self._began: tuple[TimeMs | None, Place] | None = None
        self._id: str | None = None
        self._model: str | None = None
        self._task: str | None = None
        self._is_open = False
        self._replies: list[_Reply] = []
        self._tools: dict[str, str | None] = {}
        self._failed: list[FailedRequest] = []
        self._stops: list[Stop] = []
        self._stats: Stats | None = None
        self._frozen = False

    def event(self, event: Event, place: Place) -> None:
        t = time_ms(event.timestamp)
        if t is None:
            self._fidelity.damaged(place, DamageCode.bad_time, "absent" if event.timestamp is None else "")
        if self._began is None:
            self._began = t, place
        match event.type:
            case "init":
                self._fidelity.mapped(place, "init")
                self._id = self._id or event.session_id
                self._model = event.model or self._model
            case "message":
                self._message(event, t, place)
            case "tool_use":
                self._tool_use(event, t, place)
            case "tool_result":
                self._tool_result(event, t, place)
            case "error":
                self._error(event, t, place)
            case "result":
                self._result(event, t, place)
            case kind:
                self._fidelity.unknown(place, kind or "(no type)")

    def session(self, stem: str) -> Session:
        own = self._id or stem
        self._draft.run = run_of(AGENT, own)
        if self._began is not None:
            self._draft.start(*self._began, task=self._task)
        figures = self._reply()
        records, places = self._draft.finish()
        turns = self._draft.turns
        if turns:
            self._fidelity.lower(figures)
        return Session(
            run=self._draft.run,
            agent=AGENT,
            id=own,
            records=records,
            places=places,
            report=self._fidelity.report(self._totals(totals(records, self._fidelity))),
            outline=Outline(
                turns=tuple(TurnStanding(number=number, figures=figures) for number in range(1, turns + 1)),
                failed_requests=tuple(self._failed),
                stops=tuple(self._stops),
                facts=self._facts(),
            ),
            stream=True,
        )

    def _message(self, event: Event, t: TimeMs | None, place: Place) -> None:
        texts, _, others = texts_of(event.content)
        text = "".join(texts) if event.delta else "\n".join(texts)
        if others:
            self._fidelity.dropped(place, "message", "content[]", "a part that is no text")
        self._fidelity.mapped(place, "message")
        if event.role == "user":
            self._is_open = False
            if text and self._task is None and not self._draft.turns:
                self._task = text
            elif text:
                self._draft.steer(t, place, text)
        elif event.role in ("assistant", "model", "gemini"):
            self._words(text, t, place, more=event.delta is True)
        else:
            self._fidelity.unknown(place, f"message/{event.role}")

    def _words(self, text: str, t: TimeMs | None, place: Place, *, more: bool) -> None:
        blocks = self._request(t, place)
        last = blocks[-1] if blocks else None
        if more and isinstance(last, dict) and isinstance(said := last.get("text"), str):
            last["text"] = said + text
        elif text:
            blocks.append({"kind": "text", "text": text})

    def _tool_use(self, event: Event, t: TimeMs | None, place: Place) -> None:
        self._fidelity.mapped(place, "tool_use")
        blocks = self._request(t, place)
        name = event.tool_name
        args = arguments(event.parameters, self._fidelity, place, "tool_use")
        blocks.append({"kind": "tool_use", "id": event.tool_id or "", "name": name or "", "input": args})
        self._draft.requests[-1].call(
            t, place, call_id=event.tool_id, name=name, args=args, subject=subject(name, args)
        )
        if event.tool_id is not None:
            self._tools[event.tool_id] = name

    def _request(self, t: TimeMs | None, place: Place) -> list[Json]:
        """The blocks of the request under way; it opens when there is none."""
        if not self._is_open:
            self._draft.request(t, place, model=self._model)
            self._replies.append(_Reply([], t, place))
            self._is_open = True
        return self._replies[-1].blocks

    def _tool_result(self, event: Event, t: TimeMs | None, place: Place) -> None:
        self._is_open = False
        trouble = event.error
        told = trouble.message if isinstance(trouble, Trouble) else trouble
        failed = event.status == "error" or (event.status != "success" and trouble is not None)
        texts, _, others = texts_of(event.output)
        if others:
            self._fidelity.dropped(place, "tool_result", "output", "a part that is no text")
        text = "\n".join(texts)
        if failed and told:
            text = told
        self._fidelity.mapped(place, "tool_result")
        call = event.tool_id
        code = None if call is None else exit_code(self._tools.get(call), text)
        self._draft.result(t, place, call_id=call, text=text, failed=failed, exit_code=code)

    def _error(self, event: Event, t: TimeMs | None, place: Place) -> None:
        if event.severity == "warning":
            self._fidelity.dropped(place, "error", "warning", _NO_FIELD)
            return
        self._fidelity.beside(place, "error")
        self._failed.append(FailedRequest(after=self._draft.turns, place=place, t=t, text=event.message))

    def _result(self, event: Event, t: TimeMs | None, place: Place) -> None:
        self._fidelity.mapped(place, "result")
        self._is_open = False
        self._stats = event.stats or self._stats
        if has_bad_count(event.stats):
            self._fidelity.damaged(place, DamageCode.bad_field, "stats")
        if self._frozen:
            return
        if event.status == "success":
            self._freeze(t, place, "done")
        elif event.status == "error" or event.error is not None:
            trouble = event.error if isinstance(event.error, Trouble) else Trouble(message=event.error)
            said = f"{trouble.type or ''} {trouble.message or ''}"
            if _LIMIT(said):
                self._freeze(t, place, "limit")
            elif _CANCEL(said):
                self._stops.append(Stop(turn=self._draft.turns, place=place, t=t))
                self._freeze(t, place, "cancelled")
            else:  # it ended, and in none of the ways that a closing has a word for
                self._failed.append(
                    FailedRequest(after=self._draft.turns, place=place, t=t, text=trouble.message, code=trouble.type)
                )
                self._draft.refuse(t, place, subject=trouble.type, told=trouble.message)

    def _freeze(self, t: TimeMs | None, place: Place, completion: str) -> None:
        self._frozen = True
        self._draft.freeze(t, place, completion)

    def _reply(self) -> Standing:
        """Give every request its reply; the standing of their token counts."""
        stats = self._stats
        usage = None
        if stats is not None and len(self._replies) == 1:
            usage = _usage(stats)
        for request, reply in zip(self._draft.requests, self._replies, strict=True):
            request.reply(reply.t, reply.place, blocks=reply.blocks, usage=usage)
        if stats is not None and self._began is not None:
            place = self._began[1]
            if usage is None:
                self._fidelity.dropped(place, "result", "stats", "of the whole session: in the totals")
            else:
                self._fidelity.derived(place, "result", "stats", "the session's counts, which made one request")
        return Standing.unknown if usage is None else Standing.estimated

    def _totals(self, counted: Totals) -> Totals:
        """With the session's own sums, where it made several requests and none states its part."""
        stated = None if self._stats is None or counted.input is not None else used(_usage(self._stats))
        if stated is None or not counted.requests:
            return counted
        return replace(counted, input=stated.input, output=stated.output, cached=stated.cached, standing=Standing.exact)

    def _facts(self) -> tuple[Fact, ...]:
        took = None if self._stats is None else u64(self._stats.duration_ms)
        return () if took is None else (Fact(name="duration_ms", value=str(took)),)


def _usage(stats: Stats) -> JsonObject | None:
    output = stats.output_tokens
    if stats.total_tokens is not None and stats.input_tokens is not None and output is not None:
        output = max(output, stats.total_tokens - stats.input_tokens)
    return usage_of(stats.input_tokens, output, cached=stats.cached)
