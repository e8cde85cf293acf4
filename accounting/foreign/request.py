"""One model request under way, as a `RunDraft` gives it out, and which calls are answered. Spec: foreign.md 3.

Nothing here points back at the draft: a run's drafts are freed as soon as it is finished, without waiting for the
collector of cycles.
"""

from typing import Final

from msgspec import UNSET, Struct, UnsetType

from accounting.foreign.payload import subject_of
from accounting.ledger.problem import Place
from wire.record.kinds import Kind
from wire.scalars import Json, JsonObject, TimeMs, u64

# The bare words: a member of an enumeration is slow to look up, to compare and to hash, and every record has one.
_MODEL_RETURNED: Final = Kind.model_returned.value
_TOOL_CALLED: Final = Kind.tool_called.value


class Line(Struct, gc=False):
    """A record without its `seq`."""

    v: int
    t: TimeMs | None
    kind: str
    data: JsonObject
    place: Place


class Pairing:
    """Which calls of a run were made, and which of them wait for their result."""

    __slots__ = ("are_distinct", "early", "names", "results", "waiting")

    def __init__(self) -> None:
        self.are_distinct = True
        """Whether no two calls share an id. Then each result answers the call it came for, wherever both stand."""
        self.results: Final = [0, 0]
        """How many results answer a call: first those that are no failure, then those that are."""
        self.names: Final[dict[str, str]] = {}
        """The tool of each call that was made."""
        self.waiting: Final[dict[str, int]] = {}
        """How many calls of an id have no result yet; of ids without such a call nothing."""
        self.early: Final[dict[str, list[Line]]] = {}
        """The results that came before their call."""

    def called(self, call_id: str, name: str | None) -> Line | None:
        """A call was made: the result that came before it and answers it, if one did."""
        if call_id in self.names:
            self.are_distinct = False
        else:
            self.names[call_id] = name or ""
        early = self.early.get(call_id) if self.early else None
        if not early:
            self.waiting[call_id] = self.waiting.get(call_id, 0) + 1
            return None
        answer = early.pop(0)
        self.results["error" in answer.data] += 1
        if not answer.data["name"]:
            answer.data["name"] = name or ""
        return answer

    def answered(self, call_id: str, *, failed: bool) -> bool:
        """A result came: whether a call was waiting for it."""
        left = self.waiting.pop(call_id, 0)
        if not left:
            return False
        if left > 1:
            self.waiting[call_id] = left - 1
        self.results[failed] += 1
        return True


class RequestDraft(Struct, eq=False, gc=False):
    """One model request under way: its reply and calls may come in at any time until the run is finished."""

    pairing: Pairing
    called: Line
    before: tuple[Line, ...]
    returned: Line | None = None
    calls: tuple[Line, ...] = ()
    early: tuple[Line, ...] = ()

    @property
    def place(self) -> Place:
        """Where its first row stands."""
        return self.called.place

    @property
    def model(self) -> str | None:
        """The model's name; `None` when no row named it."""
        name = self.called.data.get("model")
        return name if isinstance(name, str) else None

    @model.setter
    def model(self, name: str | None) -> None:
        if name is not None:
            self.called.data = {**self.called.data, "model": name}

    def reply(
        self,
        t: TimeMs | None,
        place: Place,
        *,
        blocks: list[Json],
        usage: JsonObject | None = None,
        stop: str | None = None,
        billed_usd_micros: int | None = None,
        first_at: TimeMs | None = None,
        first_us: int | None = None,
        took_us: int | None = None,
        measured: bool = False,
    ) -> None:
        """The reply; a later one replaces it. `blocks` are in our block kinds, `usage` is of `usage_of`.

        `measured` says that `t` is the moment the reply was whole. What is `None` was not recorded.
        """
        data: JsonObject = {"message": {"role": "assistant", "content": blocks}, "calls": 0}
        if usage is not None:
            data["usage"] = usage
        if stop is not None:
            data["stop"] = stop
        if billed_usd_micros is not None and u64(billed_usd_micros) is not None:
            data["billed_usd_micros"] = billed_usd_micros
        if first_at is not None and u64(first_at) is not None:
            data["first_at"] = first_at
        if first_us is not None and u64(first_us) is not None:
            data["first_us"] = first_us
        if took_us is not None and u64(took_us) is not None:
            data["took_us"] = took_us
        self.returned = Line(2 if measured else 1, t, _MODEL_RETURNED, data, place)

    def call(
        self,
        t: TimeMs | None,
        place: Place,
        *,
        call_id: str | None,
        name: str | None,
        args: JsonObject,
        subject: str | UnsetType | None = UNSET,
        measured: bool = False,
    ) -> None:
        """A tool call. `args` hold no floats (`arguments` sees to it); `subject` is chosen from them when not given.

        A call without an id is never answered: nothing can name it. `measured` says that `t` is the moment the tool was
        started.
        """
        if subject is UNSET:
            subject = subject_of(args)
        data: JsonObject
        if call_id is not None and name is not None and subject is not None:  # as nearly always
            data = {"args": args, "id": call_id, "name": name, "subject": subject}
        else:
            stated = {"id": call_id, "name": name, "subject": subject}
            data = {"args": args, **{key: value for key, value in stated.items() if value is not None}}
        self.calls += (Line(2 if measured else 1, t, _TOOL_CALLED, data, place),)
        if call_id is not None and (early := self.pairing.called(call_id, name)) is not None:
            self.early += (early,)
