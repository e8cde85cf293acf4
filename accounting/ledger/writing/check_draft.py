"""A draft held to everything that a line has to be, and spelled. Spec: ledger.md 1, 2, 3, 4, 6."""

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, NamedTuple, cast

from msgspec import UNSET, Raw

from accounting.ledger.canonical import GENESIS, encode_sorted
from accounting.ledger.checking.payloads import misfit
from accounting.ledger.line import Line
from accounting.ledger.parse import DEEPEST_WRITTEN, shortened
from accounting.ledger.writing.draft import Draft
from accounting.ledger.writing.errors import DraftError
from wire.record.envelope import EventRecord
from wire.record.kinds import TIMED, Kind
from wire.scalars import I64_MIN, U64_MAX, Json, TimeMs, address, kind_word, run_id, u64, who

_KINDS: Final = frozenset(Kind)
_surrogate = re.compile("[\ud800-\udfff]").search
_step = re.compile(r"\.([^.\[`]+)|\[([0-9]+)\]")


def check_draft(draft: Draft, index: int, now: TimeMs) -> EventRecord:
    """The draft as a record whose `seq` and `prev` are still to come.

    Raises `DraftError`, which tells the draft by its `index`.
    """
    for where, expected, found in _envelope(draft, now):
        raise DraftError(index, where, expected, _shown(found))
    fault = _fault(draft.data, 1)
    if fault is not None:
        where = shortened("data" + "".join(reversed(fault.path)), 200)
        raise DraftError(index, where, fault.expected, fault.found)
    t = now if draft.t is None else draft.t
    line = Line(v=draft.v, run=draft.run, seq=0, prev=GENESIS, t=t, who=draft.who, kind=draft.kind, data=draft.data)
    why = misfit(line)
    if why is not None:
        raise DraftError(index, *_told(draft, why))
    return EventRecord(
        v=draft.v,
        run=draft.run,
        seq=0,
        prev=GENESIS,
        t=t,
        who=draft.who,
        addr=UNSET if draft.addr is None else draft.addr,
        kind=Kind(draft.kind) if draft.kind in _KINDS else cast("Kind", draft.kind),
        data=Raw(encode_sorted(draft.data)),
        ig=draft.ig,
    )


def _envelope(draft: Draft, now: TimeMs) -> Iterator[tuple[str, str, object]]:
    """What is wrong with the fields around the payload."""
    # Types are looked at too: nothing has held the draft to them.
    if type(draft.v) is not int or draft.v not in (1, 2):
        yield "v", "1 or 2", draft.v
    for name, value, fits, expected in (
        ("run", draft.run, run_id, "a hyphenated lower-case uuid"),
        ("who", draft.who, who, "`city`, `person` or an Address"),
        ("kind", draft.kind, kind_word, "a snake_case word"),
        ("addr", draft.addr, address, "an Address"),
    ):
        if value is None and name == "addr":
            continue
        if _odd_string(value) is not None or fits(cast("str", value)) is None:
            yield name, expected, value
    if draft.t is None and u64(now) is None:
        yield "t", "a clock that gives whole milliseconds, 0..2^64-1", now
    if draft.t is not None and u64(draft.t) is None:
        yield "t", "whole milliseconds, 0..2^64-1", draft.t
    if type(draft.ig) is not bool:
        yield "ig", "true or false", draft.ig
    if draft.kind not in _KINDS and not draft.ig:
        yield "kind", "a kind of ledger.md 3, or `ig` so that a reader may skip the line", draft.kind
    if draft.kind in _KINDS and draft.ig:
        yield "ig", f"false, for every reader knows {draft.kind}", draft.ig
    if draft.v == 1 and draft.kind not in TIMED:
        yield "v", "2, for only the four kinds that record their own moment can lack it", draft.v
    if not isinstance(cast("object", draft.data), dict):
        yield "data", "an object", draft.data


class _Fault(NamedTuple):
    path: list[str]
    """Keys and indexes, the innermost first."""
    expected: str
    found: str


def _fault(value: object, depth: int) -> _Fault | None:
    """The first thing in a payload that no line may hold; `depth` counts the containers down to `value`."""
    # Most values are short ASCII strings: what they are is told first.
    if isinstance(value, str):
        return _odd_string(value)
    if value is None or value is True or value is False:
        return None
    if type(value) is int:
        return None if I64_MIN <= value <= U64_MAX else _Fault([], "an integer that fits i64 or u64", _shown(value))
    if isinstance(value, float):
        return _Fault([], "an integer or a string: a ledger holds no floats", _shown(value))
    if not isinstance(value, dict | list):
        return _Fault([], "a JSON value: dict, list, str, int, bool or None", _shown(value))
    if depth > DEEPEST_WRITTEN:
        return _Fault([], f"at most {DEEPEST_WRITTEN} containers inside each other", "one more")
    if isinstance(value, dict):
        for key, item in cast("dict[object, Json]", value).items():
            fault = _odd_string(key) if isinstance(key, str) else _Fault([], "a string as key", _shown(key))
            if fault is None and (fault := _fault(item, depth + 1)) is not None:
                fault.path.append(f".{shortened(_sayable(str(key)))}")
            if fault is not None:
                return fault
        return None
    for index, item in enumerate(cast("list[Json]", value)):
        if (fault := _fault(item, depth + 1)) is not None:
            fault.path.append(f"[{index}]")
            return fault
    return None


def _odd_string(value: object) -> _Fault | None:
    # Members of a vocabulary, like `wire.Kind`, are strings to the encoder too.
    if type(value) is not str and not isinstance(value, StrEnum):
        return _Fault([], "a plain string", _shown(value))
    if not value.isascii() and _surrogate(value):
        return _Fault([], "both halves of a surrogate pair", _shown(value))
    return None


def _told(draft: Draft, why: str) -> tuple[str, str, str]:
    """Why a payload does not read as its kind, as place, expected and found."""
    if why.startswith("as "):  # one reason for each form that the kind has
        return "data", f"a payload of {draft.kind}", why
    reason, _, place = why.partition(" - at `$")
    expected = shortened(reason.removeprefix("Expected ").partition(", got ")[0], 100)
    if not reason.startswith("Expected "):
        expected = f"a payload of {draft.kind} ({expected})"
    value: object = draft.data
    for key, index in _step.findall(place):
        value = cast("dict[str, object]", value)[key] if key else cast("list[object]", value)[int(index)]
    return "data" + place.rstrip("`"), expected, _shown(value)


def _sayable(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


def _shown(value: object) -> str:
    """A value and its type, short."""
    # Python does not write out an integer of thousands of digits in decimals.
    text = hex(value) if isinstance(value, int) and value.bit_length() > 1000 else repr(value)
    return f"{shortened(_sayable(text))} ({type(value).__name__})"
