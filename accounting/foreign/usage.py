"""What sessions come to: tokens, cost and time over many files, by run, day, model or agent. Spec: foreign.md 3, 4.

What is stated, what is estimated and what is not known are told apart; nothing unknown is added up as nothing.
"""

import os
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from enum import StrEnum
from typing import Final

from msgspec import Struct

from accounting.foreign.fidelity import Standing
from accounting.foreign.metered import WORST, Request, Whole
from accounting.foreign.metered_run import IDLE_MS
from accounting.foreign.metering import Meter
from accounting.foreign.prices import PARTS, Prices
from accounting.foreign.session import Source
from accounting.ledger import Ledger
from wire.scalars import RunId, TimeMs, UsdMicros

UNKNOWN_DAY: Final = "unknown"
"""The day of what has no time."""
UNKNOWN_MODEL: Final = "unknown"
"""The model of a request that names none."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class By(StrEnum):
    """What the requests are grouped by."""

    run = "run"
    day = "day"
    model = "model"
    agent = "agent"


class UsageRow(Struct, frozen=True, kw_only=True):
    """The sums over some requests. What nothing states is null; beside each sum stands how many requests it lacks."""

    key: str
    """The run, day (`2025-10-26`), model or agent; of the sum over all `total`."""
    agents: tuple[str, ...]
    """The agents that made the requests, sorted."""
    runs: int
    """Runs that made them."""
    requests: int
    """Requests, each counted once."""
    copies: int
    """Rows of history that repeat one of them in another place, and were not counted."""
    unmetered: int
    """Requests that do not say how many tokens they took: `input` and `output` lack them."""
    input: int | None
    """Prompt tokens, what came out of the cache or went into it included; null when no request says."""
    cached: int | None
    """Of `input`, taken from the provider's cache; null when no request says."""
    cached_unknown: int
    """Requests with token counts that do not say how many of them were cached."""
    cache_write: int | None
    """Of `input`, stored into the cache; null when no request says."""
    cache_write_unknown: int
    """Requests with token counts that do not say how many of them were stored."""
    output: int | None
    """Reply tokens; null when no request says."""
    standing: Standing
    """The worst way in which the token counts were obtained."""
    spent: UsdMicros | None
    """Millionths of a US dollar, as the files state them; null when none says. What is stated for a session as a whole
    stands with the model or day that all its requests are of, else with `unknown`."""
    priced: int
    """Requests that state what they cost, or whose session does."""
    estimated: UsdMicros | None
    """Millionths of a US dollar by the price table, of requests that do not state what they cost; null when of none."""
    estimated_requests: int
    """Requests whose cost was estimated."""
    unpriced: int
    """Requests of which neither is known."""
    wall_ms: int
    """Milliseconds from record to record of each run, added up: sessions side by side count side by side."""
    active_ms: int
    """The same without the gaps of five minutes or more."""


class Usage(Struct, frozen=True, kw_only=True):
    """Usage over many files."""

    by: By
    """What the rows are grouped by."""
    zone: str
    """The time zone of the days."""
    idle_ms: int
    """Gaps between records from which on they do not count as active."""
    rows: tuple[UsageRow, ...]
    """A row for each group, sorted by key."""
    total: UsageRow
    """The sum over all of them."""


class _Sum:
    """The sums over a group, under way."""

    def __init__(self) -> None:
        self._agents: set[str] = set()
        self._runs: set[RunId] = set()
        self._counts = dict.fromkeys(("requests", "copies", "unmetered", "estimated_requests", "priced", "unpriced"), 0)
        self._terms: dict[str, list[int]] = {
            name: [0, 0] for name in ("input", "output", "cached", "cache_write", "spent", "estimated")
        }
        self._standing = Standing.exact
        self._wall = self._active = 0

    def add(self, request: Request, estimate: int | None) -> None:
        self._agents.add(request.agent)
        self._runs.add(request.run)
        self._counts["requests"] += 1
        self._counts["copies"] += request.copies
        if request.used is None:
            self._counts["unmetered"] += 1
        else:
            self._standing = max(self._standing, request.standing, key=WORST.index)
            for name in ("input", "output", "cached", "cache_write"):
                self._term(name, getattr(request.used, name))
        self._term("spent", request.spent)
        self._term("estimated", estimate)
        self._counts["estimated_requests"] += estimate is not None
        self._counts["priced"] += request.spent is not None or request.covered
        self._counts["unpriced"] += request.spent is None and estimate is None and not request.covered
        self._wall += request.wall_ms
        self._active += request.active_ms

    def add_whole(self, whole: Whole) -> None:
        """What a session cost of which only that is stated; its requests are added one by one."""
        self._agents.add(whole.agent)
        self._runs.add(whole.run)
        self._term("spent", whole.spent)

    def row(self, key: str) -> UsageRow:
        sums = {name: summed if count else None for name, (summed, count) in self._terms.items()}
        estimated = sums["estimated"]
        metered = self._counts["requests"] - self._counts["unmetered"]
        return UsageRow(
            key=key,
            agents=tuple(sorted(self._agents)),
            runs=len(self._runs),
            requests=self._counts["requests"],
            copies=self._counts["copies"],
            unmetered=self._counts["unmetered"],
            input=sums["input"],
            cached=sums["cached"],
            cached_unknown=metered - self._terms["cached"][1],
            cache_write=sums["cache_write"],
            cache_write_unknown=metered - self._terms["cache_write"][1],
            output=sums["output"],
            standing=self._standing if metered or not self._counts["requests"] else Standing.unknown,
            spent=sums["spent"],
            priced=self._counts["priced"],
            estimated=None if estimated is None else (estimated + PARTS // 2) // PARTS,
            estimated_requests=self._counts["estimated_requests"],
            unpriced=self._counts["unpriced"],
            wall_ms=self._wall,
            active_ms=self._active,
        )

    def _term(self, name: str, term: int | None) -> None:
        if term is not None:
            self._terms[name][0] += term
            self._terms[name][1] += 1


def usage(
    inputs: Iterable[Source | Ledger | str | os.PathLike[str]],
    by: By = By.day,
    zone: tzinfo = UTC,
    prices: Prices | None = None,
) -> Usage:
    """What the sessions of the sources and ledgers come to; a path is that of a ledger. Raises `OSError`."""
    meter = Meter()
    for one in inputs:
        if isinstance(one, Source):
            meter.source(one)
        else:
            meter.ledger(one if isinstance(one, Ledger) else Ledger(one))
    return summed(meter, by, zone, prices)


def summed(meter: Meter, by: By, zone: tzinfo = UTC, prices: Prices | None = None) -> Usage:
    """What a meter has taken in so far, added up."""
    sums: dict[str, _Sum] = {}
    total = _Sum()
    requests, wholes = meter.settled()
    for request in requests:
        estimate = None
        if prices is not None and request.spent is None and request.used is not None and not request.covered:
            estimate = prices.estimate(request.model, request.t, request.used)
        for group in (sums.setdefault(_key(request, by, zone), _Sum()), total):
            group.add(request, estimate)
    for whole in wholes:
        for group in (sums.setdefault(_key_of_whole(whole, by, zone), _Sum()), total):
            group.add_whole(whole)
    rows = tuple(sums[key].row(key) for key in sorted(sums))
    return Usage(by=by, zone=str(zone), idle_ms=IDLE_MS, rows=rows, total=total.row("total"))


def _key(request: Request, by: By, zone: tzinfo) -> str:
    match by:
        case By.run:
            return request.run
        case By.model:
            return UNKNOWN_MODEL if request.model is None else request.model
        case By.agent:
            return request.agent
        case By.day:
            return _day(request.t, zone)


def _key_of_whole(whole: Whole, by: By, zone: tzinfo) -> str:
    """The group of a sum that cannot be split: that of all its requests, where they are of one."""
    match by:
        case By.run:
            return whole.run
        case By.agent:
            return whole.agent
        case By.model:
            return next(iter(whole.models)) or UNKNOWN_MODEL if len(whole.models) == 1 else UNKNOWN_MODEL
        case By.day:
            days = {_day(t, zone) for t in whole.times}
            return days.pop() if len(days) == 1 else UNKNOWN_DAY


def _day(t: TimeMs, zone: tzinfo) -> str:
    if not t:
        return UNKNOWN_DAY
    try:
        return (_EPOCH + timedelta(milliseconds=t)).astimezone(zone).date().isoformat()
    except (OverflowError, ValueError):
        return UNKNOWN_DAY
