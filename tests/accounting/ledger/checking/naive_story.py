"""What the lines of a run say one after the other, worked out for each line anew from all the lines before it.

A second reading of the rules about calls, attempts and endings, as plain as it can be. It looks at a ledger as a list
of events; `lost` says that the line was at fault, so that what was going on may have gone on unseen.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple


class Event(NamedTuple):
    """One line: a record, or a line that is lost; a lost line may still be a record."""

    run: str
    kind: str
    t: int
    v: int
    data: dict[str, Any]
    lost: bool = False
    readable: bool = True


def said(events: Sequence[Event], at: int) -> list[str]:
    """The rules that the line at `at` breaks, in the order in which they are told."""
    event = events[at]
    if event.lost or not event.readable:
        return []
    told = list(_of_kind(events, at))
    if at and not _reads_nothing(events, at - 1) and event.t < events[_before(events, at)].t:
        told.append("time-backwards")
    return told


def _of_kind(events: Sequence[Event], at: int) -> list[str]:
    event, data = events[at], events[at].data
    mine = [one for one in events[:at] if one.run == event.run and one.readable]
    kinds = [one.kind for one in mine]
    whole = _whole(events, at)
    told: list[str] = []
    if event.kind == "model_called" and "run_frozen" in kinds:
        told.append("turn-after-freeze")
    if event.kind == "run_frozen" and "run_frozen" in kinds:
        told.append("second-freeze")
    if event.kind == "model_returned":
        if "model_called" not in kinds and whole:
            told.append("returned-without-attempt")
        if _count(data.get("first_at")) and event.v == 2 and data["first_at"] > event.t:
            told.append("first-after-returned")
        if _parts_above_the_whole(data.get("usage")):
            told.append("cache-above-input")
    if event.kind == "tool_called":
        if isinstance(data.get("id"), str) and whole and _open(mine, data["id"]):
            told.append("call-reused")
        name = data.get("name")
        named = [one.data.get("name") for one in events[:at] if one.kind == "tool_called" and one.readable]
        if isinstance(name, str) and name not in named and not _own(name):
            told.append("tool-name")
    if event.kind == "tool_result" and isinstance(data.get("tool_use_id"), str) and whole:
        id = data["tool_use_id"]
        if not any(one.kind == "tool_called" and one.data.get("id") == id for one in mine):
            told.append("result-for-no-call")
        elif not _open(mine, id):
            told.append("second-result")
    return told


def _whole(events: Sequence[Event], at: int) -> bool:
    """Whether every line of the run so far was read: none is lost since it began, and its beginning was seen."""
    first = next(index for index, one in enumerate(events[: at + 1]) if one.run == events[at].run and one.readable)
    since = any(one.lost for one in events[first + 1 : at + 1])
    before = any(one.lost for one in events[: first + 1])
    return not since and (not before or events[first].kind == "run_started")


def _open(mine: Sequence[Event], id: str) -> int:
    """How many calls await an answer under an id."""
    waiting = 0
    for one in mine:
        if one.kind == "tool_called" and one.data.get("id") == id:
            waiting += 1
        if one.kind == "tool_result" and one.data.get("tool_use_id") == id and waiting:
            waiting -= 1
    return waiting


def _reads_nothing(events: Sequence[Event], at: int) -> bool:
    """Whether nothing that reads stands there or before, back to where a line was lost."""
    while at >= 0 and not events[at].readable and not events[at].lost:
        at -= 1
    return at < 0 or not events[at].readable


def _before(events: Sequence[Event], at: int) -> int:
    """The line before, but for those that are skipped."""
    return max(index for index in range(at) if events[index].readable)


def _count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64


def _parts_above_the_whole(usage: Any) -> bool:
    if not isinstance(usage, dict):
        return False
    counts: dict[str, Any] = usage  # pyright: ignore[reportUnknownVariableType]
    parts = [counts.get("cache_read_tokens"), counts.get("cache_write_tokens")]
    whole = counts.get("input_tokens")
    if counts.get("v") is True or counts.get("v") != 1 or whole is None or not _count(whole):
        return False
    above: bool = whole < sum(part for part in parts if part is not None and _count(part))
    return above


def _own(name: str) -> bool:
    return name != "" and all(one in "abcdefghijklmnopqrstuvwxyz0123456789_" for one in name)
