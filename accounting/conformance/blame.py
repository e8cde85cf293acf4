"""Which rule an answer breaks: from where two answers differ, and the ledger, to a rule and what it says.

`rules` holds the table, by where an answer differs; what the ledger holds decides where one place falls under two
rules. On the smallest ledger that shows a difference this is nearly always the rule that was broken; on a larger one it
is where to begin reading.
"""

import json
import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from operator import itemgetter
from typing import Final, TypeAlias

from msgspec import Struct

from accounting.conformance.comparing import Difference, What, differences
from accounting.conformance.reference import reference_answer
from accounting.conformance.rules import (
    ARRIVALS,
    BOUNDED,
    ERROR,
    FIELDS,
    FILE_ORDER,
    LATEST,
    LINES_END,
    OUTPUT,
    PAIRING,
    RECORDS,
    RULES,
    STRUCTURE,
    TOTAL,
    Broken,
)
from accounting.ledger.canonical import GENESIS
from accounting.ledger.problem import Place
from accounting.ledger.record import LineReader, is_version
from wire.record.envelope import NEWEST_VERSION
from wire.scalars import Json, JsonObject, RunId, u64

__all__ = ["RULES", "TOTAL", "Broken", "blame"]

_Lines: TypeAlias = Sequence[JsonObject]
"""The lines of a ledger that are JSON objects."""

_indexes: Final = re.compile(r"\[[0-9]+\]").sub
_OTHER_BREAKS: Final = re.compile("[\v\f\x1c-\x1e\x85\u2028\u2029]").search
_REPLY: Final = frozenset(("said", "thought", "spent", "used", "stopped", "first_at", "returned"))


class _Seen(Struct, frozen=True):
    """What is at hand beside one difference: all of them, the ledger, and its lines that are JSON objects."""

    found: Sequence[Difference]
    ledger: bytes
    lines: _Lines


def blame(found: Sequence[Difference], ledger: bytes, run: RunId) -> Broken:
    """The rule that an answer breaks, which differs in these places from what this run of the ledger comes to.

    Raises `ValueError` when there are no differences.
    """
    if not found:
        raise ValueError("answers that do not differ break no rule")
    if _is_of_time_order(found, ledger, run):
        return FILE_ORDER
    seen = _Seen(found, ledger, tuple(_objects(ledger)))
    for part, decide in ((STRUCTURE, _of_structure), (PAIRING, _of_pairing), (FIELDS, _of_field)):
        for one in found:
            for where, rule, says in part:
                if _fits(_place(one), where):
                    return decide(one, seen) or Broken(rule=rule, says=says)
    raise AssertionError("the last entry fits anything")


def _fits(place: str, where: str) -> bool:
    # Brackets mean something else in a pattern.
    return fnmatchcase(place.replace("[]", "()"), where.replace("[]", "()"))


def _place(one: Difference) -> str:
    return _indexes("[]", one.path)


def _of_structure(one: Difference, seen: _Seen) -> Broken | None:
    if one.path in ("", "run", "turns") or one.path.endswith((".calls", ".notes")):
        return None
    if one.what is What.missing and _has_other_breaks(seen):
        return LINES_END
    return RECORDS if _unsealed(seen) else None


def _of_pairing(one: Difference, seen: _Seen) -> Broken | None:
    if one.path.endswith(".outcome") and [one.expected, one.actual] in (["answered", "failed"], ["failed", "answered"]):
        return ERROR
    if one.actual in ("waiting", None) and _has_other_breaks(seen):
        return LINES_END
    return None


def _of_field(one: Difference, seen: _Seen) -> Broken | None:
    place = _place(one)
    if one.what is What.missing and not _is_bounded(place) and _has_other_breaks(seen):
        return LINES_END
    if place.removeprefix("turns[].").partition(".")[0] in _REPLY and _replies_at_stake(seen):
        return LATEST
    if _is_bounded(place) and _is_cut_otherwise(seen):
        return BOUNDED
    if place.startswith("turns[].calls[].output") and not place.endswith((".cut", ".pinned")):
        results = [line["data"] for line in seen.lines if line.get("kind") == "tool_result"]
        values = [data.get("error", data.get("result")) for data in results if isinstance(data, dict)]
        return BOUNDED if all(isinstance(value, str) for value in values) or _has_other_breaks(seen) else OUTPUT
    if place.startswith("turns[].notes[].arrived") and any(
        line.get("kind") == "signal_consumed" for line in seen.lines
    ):
        return ARRIVALS
    return None


def _is_bounded(place: str) -> bool:
    return place.startswith(("turns[].calls[].output", "turns[].calls[].arguments"))


def _is_cut_otherwise(seen: _Seen) -> bool:
    """Whether some text has another number of lines left out."""
    return any(_is_bounded(_place(one)) and one.path.endswith(".cut") for one in seen.found)


def _has_other_breaks(seen: _Seen) -> bool:
    """Whether a text holds what some take for a line's end: a line is lost to whoever splits the file there."""
    return _OTHER_BREAKS(seen.ledger.decode(errors="replace")) is not None


def _replies_at_stake(seen: _Seen) -> bool:
    """Whether a whole reply seems to have gone to another turn, or two of them into one."""
    several = sum(line.get("kind") == "model_returned" for line in seen.lines) > 1
    turns = {one.path.partition(".")[0] for one in seen.found if one.path.startswith("turns[")}
    return several or len(turns) > 1


def _objects(ledger: bytes) -> Iterable[JsonObject]:
    for line in ledger.split(b"\n")[:-1]:
        try:
            value: Json = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _is_of_time_order(found: Sequence[Difference], ledger: bytes, run: RunId) -> bool:
    """Whether these are the differences that come of taking the records in the order of their times."""
    lines = [line + b"\n" for line in ledger.split(b"\n")[:-1]]
    times = [_time(line) for line in lines]
    by_time = b"".join(line for _, line in sorted(zip(times, lines, strict=True), key=itemgetter(0)))
    if by_time == ledger:
        return False
    return differences(reference_answer(ledger, run), reference_answer(by_time, run)) == tuple(found)


def _time(line: bytes) -> int:
    """The time of a line; of one that has none the least, for it is no record wherever it stands."""
    return next((t for value in _objects(line) if (t := u64(value.get("t"))) is not None), 0)


def _unsealed(seen: _Seen) -> bool:
    """Whether some line is no record, of a newer version, not chained to the one before, or one being written."""
    *lines, torn = seen.ledger.split(b"\n")
    read = LineReader(lambda _: None).read
    records = all(read(line, _SOMEWHERE) is not None for line in lines)
    newer = any(is_version(v := line.get("v")) and v > NEWEST_VERSION for line in seen.lines)
    return torn != b"" or not records or newer or any(line.get("prev") == GENESIS for line in seen.lines[1:])


_SOMEWHERE: Final = Place(segment="", line=1, offset=0)
