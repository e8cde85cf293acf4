"""The one builder of our records that every reader uses, so that the mapping rules live once. Spec: foreign.md 3.

A reader tells a `RunDraft` what it meets, in file order: `start`, `request`, `result`, `steer`, `refuse`, `cancel`,
`freeze`. The draft sees to the order of the records. Those of one request stand together where its first row stood
(`model_called`, what people said since the request before, `model_returned`, each `tool_called`); a result stands where
it was met, and after its call when it was met before it; a person's words stand in the request they reached, and at
the end of the last one when they reached none.
"""

from typing import Final

from accounting.foreign.fidelity import DamageCode, Fidelity, Totals
from accounting.foreign.outline import Outline
from accounting.foreign.payload import plain_json
from accounting.foreign.request import Line, Pairing, RequestDraft
from accounting.foreign.session import Session
from accounting.foreign.totals import totals, totals_of
from accounting.ledger.problem import Place
from wire.record.envelope import Record
from wire.record.kinds import Kind
from wire.scalars import Json, JsonObject, RunId, TimeMs, i64, u64

__all__ = ["RequestDraft", "RunDraft", "arguments", "totals"]

# The bare words: a member of an enumeration is slow to look up, to compare and to hash, and every record has one.
_CANCEL_RECEIVED: Final = Kind.cancel_received.value
_MODEL_CALLED: Final = Kind.model_called.value
_PROVIDER_DEGRADED: Final = Kind.provider_degraded.value
_RUN_FROZEN: Final = Kind.run_frozen.value
_RUN_STARTED: Final = Kind.run_started.value
_STEER_RECEIVED: Final = Kind.steer_received.value
_TOOL_RESULT: Final = Kind.tool_result.value


class RunDraft:
    """The records of one run, in the making."""

    def __init__(self, run: RunId, fidelity: Fidelity) -> None:
        self.run: RunId = run
        """The run; a reader that learns it late may set it until the draft is finished."""
        self.fidelity: Final = fidelity
        self.requests: Final[list[RequestDraft]] = []
        """The requests so far, in the order of their first rows: turn numbers less one."""
        self._items: list[Line | RequestDraft] = []
        self._waiting: list[Line] = []
        self._pairing: Final = Pairing()
        self._asked: Final[dict[str | None, JsonObject]] = {}

    @property
    def turns(self) -> int:
        """How many requests there are so far: the number of the latest turn."""
        return len(self.requests)

    def start(self, t: TimeMs | None, place: Place, *, task: str | None = None, parent: RunId | None = None) -> None:
        """The session begins: `task` is what the person first asked for. Once; it stands first whenever it is told."""
        data: JsonObject = {}
        if task is not None:
            data["task"] = task
        if parent is not None:
            data["parent"] = str(parent)
        self._items.insert(0, Line(2, t, _RUN_STARTED, data, place))

    def request(
        self, t: TimeMs | None, place: Place, *, model: str | None = None, measured: bool = False
    ) -> RequestDraft:
        """A model request, that is a turn. `measured` says that `t` is the moment it went out."""
        data = self._asked.get(model)
        if data is None:  # the payload is the same for every request to a model, and there may be thousands
            data = self._asked[model] = {"segments": []} if model is None else {"segments": [], "model": model}
        before: tuple[Line, ...] = ()
        if self._waiting:
            before, self._waiting = tuple(self._waiting), []
        request = RequestDraft(self._pairing, Line(2 if measured else 1, t, _MODEL_CALLED, data, place), before)
        self.requests.append(request)
        self._items.append(request)
        return request

    def steer(self, t: TimeMs | None, place: Place, text: str, source: str = "user") -> None:
        """Somebody spoke after the session began; `source` is `user` for the person."""
        self._waiting.append(Line(2, t, _STEER_RECEIVED, {"source": source, "text": text}, place))

    def refuse(
        self,
        t: TimeMs | None,
        place: Place,
        *,
        subject: str | None,
        told: str | None,
        status: int | None = None,
        retry: bool | None = None,
        retry_after_ms: int | None = None,
    ) -> None:
        """The provider refused a request or it broke off: no turn, but a note in the next request.

        `told` is what the person read; `retry` whether trying again is of use, `None` when that is not known.
        """
        provider: JsonObject = {"kind": "exchange"} if status is None else {"kind": "refused", "status": status}
        data: JsonObject = {
            "code": "E_PROVIDER",
            "action": "call the provider",
            "subject": subject or "",
            "nearby": [],
            "recovery": told or "",
            "retry": "unknown" if retry is None else "yes" if retry else "no",
            "provider": provider,
        }
        if u64(retry_after_ms) is not None:
            data["retry_after_ms"] = retry_after_ms
        self._waiting.append(Line(2, t, _PROVIDER_DEGRADED, data, place))

    def result(
        self,
        t: TimeMs | None,
        place: Place,
        *,
        call_id: str | None,
        text: str,
        failed: bool = False,
        exit_code: int | None = None,
        took_us: int | None = None,
        name: str | None = None,
        measured: bool = False,
    ) -> None:
        """What a call gave: the text that the person would have read, as an error when the agent marks failure.

        `name` is the tool's where the row states it; otherwise it is the call's. `measured` says that `t` is the moment
        the tool was done. A result before its call waits for it; one that names no call answers none.
        """
        pairing = self._pairing
        known = None if call_id is None else pairing.names.get(call_id)
        data: JsonObject = {"name": name or known or "", "error" if failed else "result": text}
        if exit_code is not None and i64(exit_code) is not None:
            data["exit_code"] = exit_code
        if took_us is not None and u64(took_us) is not None:
            data["took_us"] = took_us
        line = Line(2 if measured else 1, t, _TOOL_RESULT, data, place)
        if call_id is None:
            self.fidelity.damaged(place, DamageCode.unpaired_result)
            self._items.append(line)
            return
        data["tool_use_id"] = call_id
        if pairing.answered(call_id, failed=failed):
            self._items.append(line)
        elif known is not None:  # answered before: what came first stands
            self.fidelity.damaged(place, DamageCode.unpaired_result)
            self._items.append(line)
        else:
            pairing.early.setdefault(call_id, []).append(line)

    def is_open(self, call_id: str) -> bool:
        """Whether a call of that id was made and has no answer yet."""
        return call_id in self._pairing.waiting

    def cancel(self, t: TimeMs | None, place: Place, text: str | None = None) -> None:
        """The person broke off what was going on; `text` is what the agent wrote down of it."""
        data: JsonObject = {"source": "user"} if text is None else {"source": "user", "text": text}
        self._items.append(Line(2, t, _CANCEL_RECEIVED, data, place))

    def freeze(self, t: TimeMs | None, place: Place, completion: str) -> None:
        """The session ended: `done`, `limit` or `cancelled`. Only where the agent's files say so."""
        self._items.extend(self._waiting)
        self._waiting = []
        self._items.append(Line(2, t, _RUN_FROZEN, {"completion": completion}, place))

    def session(
        self,
        agent: str,
        own: str,
        outline: Outline,
        *,
        parent: RunId | None = None,
        started_by: str | None = None,
        stream: bool = False,
    ) -> Session:
        """The run as a session, which its agent calls `own`. The draft is done with."""
        records, places = self.finish()
        return Session(
            run=self.run,
            agent=agent,
            id=own,
            parent=parent,
            started_by=started_by,
            records=records,
            places=places,
            report=self.fidelity.report(self._totals(records)),
            outline=outline,
            stream=stream,
        )

    def finish(self) -> tuple[tuple[Record, ...], tuple[Place, ...]]:
        """The records in order, and where each came from. The draft is done with."""
        lines: list[Line] = []
        add = lines.append
        for item in self._items:
            if isinstance(item, RequestDraft):
                add(item.called)
                if item.before:
                    lines += item.before
                returned, calls = item.returned, item.calls
                if returned is not None:
                    returned.data["calls"] = len(calls)
                    add(returned)
                lines += calls
                if item.early:
                    lines += item.early
            else:
                add(item)
        lines.extend(self._waiting)
        for strays in self._pairing.early.values():
            for stray in strays:
                self.fidelity.damaged(stray.place, DamageCode.unpaired_result)
                lines.append(stray)
        return self._numbered(lines)

    def _numbered(self, lines: list[Line]) -> tuple[tuple[Record, ...], tuple[Place, ...]]:
        latest = next((line.t for line in lines if line.t is not None), None)
        why = "no time of its own: the latest before it"
        if latest is None:
            latest, why = 0, "no row has a time: 0 stands for it"
        records: list[Record] = []
        keep = records.append
        run = self.run
        for seq, line in enumerate(lines):
            t = line.t
            if t is None:
                self.fidelity.derived(line.place, line.kind, "t", why)
            else:
                latest = t
            keep(Record(v=line.v, run=run, seq=seq, t=latest, kind=line.kind, data=line.data))
        return tuple(records), tuple([line.place for line in lines])

    def _totals(self, records: tuple[Record, ...]) -> Totals:
        """The sums, without going through the records again where the results were counted on the way."""
        if self._pairing.are_distinct:
            return totals_of(self.requests, self._pairing.results, self.fidelity.standing)
        return totals(records, self.fidelity)


def arguments(value: Json, fidelity: Fidelity, place: Place, kind: str) -> JsonObject:
    """A call's arguments as our payloads hold them: an object as it is, anything else under the key `arguments`.

    Floats become decimal text, which the report says; a text that should be JSON and is not stays text.
    """
    plain, changed = plain_json(value)
    if changed:
        fidelity.derived(place, kind, "arguments", "a number that is no 64-bit integer, or deep nesting, as text")
    if isinstance(plain, dict):
        return plain
    return {} if plain is None else {"arguments": plain}
