"""One conversation of a stream in the making: the main run, and its sub-agents by the call that started each.

Spec: foreign.md 3.2. The messages are those of the session files, so a run is a `Chain` of that reader.
"""

from collections.abc import Iterator
from typing import Final

from accounting.foreign.claude_code.chain import Chain, Spawn
from accounting.foreign.claude_code.message import as_json, larger, texts_of, whole_input
from accounting.foreign.claude_code.rows import Line, Message, Usage
from accounting.foreign.claude_stream.ending import completion, micros_of, told_of
from accounting.foreign.claude_stream.rows import Event
from accounting.foreign.fidelity import DamageCode, Fidelity, Standing
from accounting.foreign.outline import Compaction, FailedRequest, Stop
from accounting.foreign.times import time_ms, whole_us
from accounting.ledger.problem import Place
from wire.scalars import TimeMs, UsdMicros, u64

_SYNTHETIC: Final = "<synthetic>"
_NO_FIELD: Final = "our records have no field for it"


class Conversation:
    """What a stream tells of one session."""

    def __init__(self, fidelity: Fidelity) -> None:
        self.id: str | None = None
        """The agent's own id; `None` while no event has named it."""
        self.fidelity: Final = fidelity
        self.main: Final = Chain("", fidelity)
        self.sides: Final[dict[str, Chain]] = {}
        """Sub-agents by the id of the call that started each, in the order they appear."""
        self.failures: Final[list[FailedRequest]] = []
        self.compactions: Final[list[Compaction]] = []
        self.facts: Final[dict[str, str]] = {}
        self.spent: UsdMicros | None = None
        """What the whole session cost, sub-agents included; `None` when no result states it."""
        self._seen: dict[str, tuple[str | None, object]] = {}
        self._end: tuple[str | None, TimeMs | None, Place] | None = None
        self._stated: Usage | None = None

    def event(self, event: Event, place: Place) -> None:
        """The next event of the session."""
        stamp = event.timestamp
        t = time_ms(stamp if not isinstance(stamp, float) else None)
        if t is None and stamp is not None:
            self.fidelity.damaged(place, DamageCode.bad_time)
        if event.type == "system":
            self._system(event, t, place)
        elif event.type == "result":
            self._result(event, t, place)
        elif not self._is_repeat(event, place):
            self._end = None
            chain = self._chain(event.parent_tool_use_id)
            self._begin(chain, t, place)
            if event.type == "assistant":
                self._assistant(chain, event, t, place)
            else:
                chain.user(_line(event), t, place)

    def _begin(self, chain: Chain, t: TimeMs | None, place: Place) -> None:
        if chain.began is None:
            chain.began = t, place

    def _is_repeat(self, event: Event, place: Place) -> bool:
        if event.uuid is None:
            return False
        this = event.type, event.message
        if self._seen.setdefault(event.uuid, this) is this:
            return False
        if self._seen[event.uuid] != this:
            return False  # two events that share an id by mistake are two events
        self.fidelity.damaged(place, DamageCode.repeated_row)
        return True

    def _chain(self, call: str | None) -> Chain:
        if call is None:
            return self.main
        chain = self.sides.get(call)
        if chain is None:
            chain = self.sides[call] = Chain(call, Fidelity(self.fidelity.agent, *self.fidelity.files))
        return chain

    def _assistant(self, chain: Chain, event: Event, t: TimeMs | None, place: Place) -> None:
        message = event.message if isinstance(event.message, Message) else Message()
        if message.model != _SYNTHETIC:
            chain.assistant(_line(event), t, place)
            return
        told = "\n".join(texts_of(message.content)) or None
        if event.error is None and not (told or "").startswith("API Error"):
            self.fidelity.dropped(place, "assistant", _SYNTHETIC, "written by the agent itself, not by a model")
            return
        code = event.error if isinstance(event.error, str) else None
        self._failed(chain, t, place, "assistant", told=told, code=code, status=None)
        chain.draft.refuse(t, place, subject=code, told=told)

    def _failed(
        self,
        chain: Chain,
        t: TimeMs | None,
        place: Place,
        kind: str,
        *,
        told: str | None,
        code: str | None,
        status: int | None,
        retried: bool = False,
    ) -> None:
        chain.fidelity.beside(place, kind)
        if chain is self.main:
            after = chain.draft.turns
            self.failures.append(
                FailedRequest(after=after, place=place, t=t, text=told, code=code, status=status, retried=retried)
            )

    # Events about the session.

    def _system(self, event: Event, t: TimeMs | None, place: Place) -> None:
        kind = f"system/{event.subtype}"
        if event.subtype == "init":
            self._begin(self.main, t, place)
            self.fidelity.mapped(place, kind)
            for name, value in (("cwd", event.cwd), ("version", event.version)):
                if value is not None:
                    self.facts[name] = value
        elif event.subtype == "compact_boundary":
            self.fidelity.beside(place, kind)
            meta = event.compact_metadata
            self.compactions.append(
                Compaction(
                    after=self.main.draft.turns,
                    place=place,
                    t=t,
                    trigger=None if meta is None else meta.trigger,
                    tokens_before=None if meta is None else u64(meta.pre_tokens),
                    tokens_after=None if meta is None else u64(meta.post_tokens),
                    took_us=None if meta is None else whole_us(meta.duration_ms),
                )
            )
        elif event.subtype in ("api_retry", "api_error"):
            inner = as_json(event.error, "message")
            told = event.error if isinstance(event.error, str) else inner if isinstance(inner, str) else None
            status = u64(event.error_status)
            status = status if status is None or status < 2**32 else None
            waited = whole_us(event.retry_delay_ms)
            chain = self._chain(event.parent_tool_use_id)
            self._failed(chain, t, place, kind, told=told, code=None, status=status, retried=True)
            after_ms = None if waited is None else waited // 1000
            chain.draft.refuse(t, place, subject=None, told=told, status=status, retry=True, retry_after_ms=after_ms)
        else:
            self.fidelity.dropped(place, kind, None, _NO_FIELD)

    def _result(self, event: Event, t: TimeMs | None, place: Place) -> None:
        self._begin(self.main, t, place)
        self.fidelity.mapped(place, "result")
        ending = completion(event, self.main.stops)
        self._end = ending, t, place
        cost = event.total_cost_usd if event.total_cost_usd is not None else event.cost_usd
        if (micros := micros_of(cost)) is not None:
            self.spent = micros
            self._fact("total_cost_usd", repr(cost), place)
        for name in ("subtype", "terminal_reason"):
            if (word := getattr(event, name)) is not None:
                self._fact("result" if name == "subtype" else name, word, place)
        for name in ("duration_ms", "duration_api_ms", "num_turns"):
            if (count := getattr(event, name)) is not None:
                self._fact(name, repr(count), place)
        self._stated = larger(self._stated, event.usage)
        if event.usage is not None:
            self.fidelity.dropped(place, "result", "usage", "the sum of the requests, which state theirs")
        if ending is None and (event.is_error or (event.subtype or "").startswith("error")):
            self._broke(event, t, place)
        elif event.errors:
            self.fidelity.dropped(place, "result", "errors", "the subtype says as much")
        for denial in event.permission_denials or ():
            self._denied(denial.tool_use_id, t, place)

    def _broke(self, event: Event, t: TimeMs | None, place: Place) -> None:
        """The session failed, which may have been told before."""
        told, code = told_of(event), None if event.subtype == "success" else event.subtype
        if told is None or not self._is_told(told):
            self._failed(self.main, t, place, "result", told=told, code=code, status=None)
            self.main.draft.refuse(t, place, subject=code, told=told)

    def _fact(self, name: str, value: str, place: Place) -> None:
        self.facts[name] = value
        self.fidelity.beside(place, "result", "subtype" if name == "result" else name)

    def _is_told(self, text: str) -> bool:
        return any(failed.text == text for failed in self.failures)

    def _denied(self, call: str | None, t: TimeMs | None, place: Place) -> None:
        if call is None:
            return
        for chain in (self.main, *self.sides.values()):
            for group in chain.groups:
                if group.has_call(call):
                    known = any(stop.call == call for stop in chain.stops)
                    if not known:
                        chain.stops.append(Stop(turn=group.number, place=place, t=t, call=call, denied=True))
                    self.fidelity.beside(place, "result", "permission_denials")
                    return
        self.fidelity.dropped(place, "result", "permission_denials", "of a call that is not in the stream")

    # The end.

    def close(self) -> None:
        """Give every request its reply, and the session its end when it was told."""
        for call, chain in self.sides.items():
            spawn = self.spawn(call)
            if chain.task is None and spawn is not None and isinstance(spawn[1].prompt, str):
                chain.task = spawn[1].prompt
        for chain in (self.main, *self.sides.values()):
            chain.close()
        self._check()
        if self._end is not None and self._end[0] is not None:
            self.main.draft.freeze(self._end[1], self._end[2], self._end[0])

    def spawn(self, call: str) -> tuple[Chain, Spawn] | None:
        """The call that started a sub-agent, and the run that made it; `None` when it is not in the stream."""
        for chain in (self.main, *self.sides.values()):
            if (spawn := chain.spawns.get(call)) is not None and chain.key != call:
                return chain, spawn
        return None

    def _check(self) -> None:
        """Compare the requests with the session's own sum: more there than here was told of no request."""
        stated = self._stated
        if stated is None or not self.main.groups:
            return
        groups = [group.usage for chain in (self.main, *self.sides.values()) for group in chain.groups]
        known = [usage for usage in groups if usage is not None]
        prompts = sum(whole_input(usage) or 0 for usage in known)
        replies = sum(usage.output_tokens or 0 for usage in known)
        if (whole_input(stated) or 0) > prompts or (stated.output_tokens or 0) > replies:
            place = self.main.groups[-1].request.place
            self.fidelity.derived(place, "result", "usage", "the session's own sum is larger than its requests'")
            self.fidelity.lower(Standing.unknown)


def _line(event: Event) -> Line:
    """The event as a line of a session file."""
    return Line(
        type=event.type,
        uuid=event.uuid,
        request_id=event.request_id,
        message=event.message,
        tool_use_result=event.tool_use_result,
        is_meta=event.is_synthetic,
    )


def in_order(conversation: Conversation) -> Iterator[Chain]:
    """The sub-agents, each after the one that started it."""

    def depth(call: str) -> int:
        passed: set[str] = set()
        while call and call not in passed:
            passed.add(call)
            spawn = conversation.spawn(call)
            call = "" if spawn is None else spawn[0].key
        return len(passed)

    for call in sorted(conversation.sides, key=depth):
        yield conversation.sides[call]
