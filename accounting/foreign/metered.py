"""A request as usage counts it, and what becomes of it when it is met again elsewhere. Spec: foreign.md 3, 4."""

from typing import Final, TypeAlias

from msgspec import Struct

from accounting.foreign.fidelity import Standing
from wire.answer.rounds import Used
from wire.scalars import RunId, TimeMs, UsdMicros

WORST: Final = list(Standing)
"""Standings from the best to the worst."""

Rank: TypeAlias = tuple[bool, bool, TimeMs, str, int, bool, str]


class Request(Struct):
    """One request, wherever it stands."""

    rank: Rank
    """Which of several copies is the original: the smallest. One without a time is none where another has one."""
    run: RunId
    """The run that made it."""
    agent: str
    """The reader's name, or `LEDGER`."""
    model: str | None
    """The model; `None` when not recorded."""
    t: TimeMs
    """When it went out, as recorded; 0 where the format records no times."""
    used: Used | None = None
    """Its token counts; `None` when not stated."""
    spent: UsdMicros | None = None
    """What it cost as stated; `None` when not."""
    standing: Standing = Standing.exact
    """How the counts were obtained: in the first of the copies that has any."""
    counted: Rank | None = None
    """The rank of that copy; `None` when none has any."""
    named: Rank | None = None
    """The rank of the copy that the model's name is of; `None` when none has one."""
    wall_ms: int = 0
    """Milliseconds from it to the next one, and before the first from the run's beginning."""
    active_ms: int = 0
    """The same without gaps of `IDLE_MS` or more."""
    copies: int = 0
    """How often it stands elsewhere."""
    elsewhere: tuple[RunId, ...] = ()
    """The other runs that it stands in, sorted."""
    covered: bool = False
    """Whether it is paid for in a sum that is stated for its session; not known before all is taken in."""


class Whole(Struct):
    """A session of which the agent states what all of it cost, sub-agents included, and not what each request did."""

    run: RunId
    """Its run."""
    agent: str
    """The reader's name."""
    spent: UsdMicros
    """Millionths of a US dollar."""
    models: set[str | None]
    """The models of its requests; not known before all is taken in."""
    times: set[TimeMs]
    """The smallest and the largest time of them; not known before all is taken in."""


def add(requests: dict[bytes, Request], key: bytes, request: Request) -> None:
    """Add a request to those there are: it may be one of them."""
    there = requests.get(key)
    if there is None:
        requests[key] = request
        return
    first, second = (there, request) if there.rank <= request.rank else (request, there)
    if first.rank == second.rank:  # the same request of the same run, in a file that has since grown
        first.wall_ms = max(first.wall_ms, second.wall_ms)
        first.active_ms = max(first.active_ms, second.active_ms)
    if first.named is None or (second.named is not None and second.named < first.named):
        first.model, first.named = second.model, second.named
    if first.counted is None or (second.counted is not None and second.counted < first.counted):
        first.standing, first.counted = second.standing, second.counted
    elif first.counted == second.counted:
        first.standing = max(first.standing, second.standing, key=WORST.index)
    first.standing = max(first.standing, Standing.deduplicated, key=WORST.index)
    first.used = _larger(first.used, second.used)
    first.spent = _most(first.spent, second.spent)
    if second.run != first.run or second.elsewhere or first.elsewhere:
        first.elsewhere = tuple(sorted({*first.elsewhere, *second.elsewhere, second.run} - {first.run}))
    first.copies = there.copies + request.copies + 1
    requests[key] = first


def rows(requests: dict[bytes, Request]) -> int:
    """In how many places the requests stand."""
    return sum(1 + request.copies for request in requests.values())


def _larger(first: Used | None, second: Used | None) -> Used | None:
    if first is None or second is None:
        return first or second
    return Used(
        input=max(first.input, second.input),
        output=max(first.output, second.output),
        cached=_most(first.cached, second.cached),
        cache_write=_most(first.cache_write, second.cache_write),
    )


def _most(first: int | None, second: int | None) -> int | None:
    return second if first is None else first if second is None else max(first, second)
