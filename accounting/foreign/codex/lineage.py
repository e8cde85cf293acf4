"""Which requests of a thread are its own, and which were copied from the one it was forked from. Spec: foreign.md 3.3.

A fork or sub-agent may begin with its parent's rows, written again with new times, token counts and all. With the
parent's file at hand the copy ends with the last request that both have. Without it nothing proves a copy; rows that
follow one another faster than a model answers hint at one: their figures are marked as unknown, not guessed about.
"""

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from msgspec import Struct

from accounting.foreign.codex.files import AGENT, head_of, parent_file
from accounting.foreign.codex.reading import Rollout, read_rollout
from accounting.foreign.codex.rows import Item, Origin
from accounting.foreign.codex.turns import Request
from accounting.foreign.fidelity import Standing
from accounting.foreign.outline import TurnStanding
from accounting.foreign.session import run_of
from wire.scalars import RunId

_GENERATIONS: Final = 32


class Ancestry(Struct, frozen=True):
    """What is known of the thread that another was forked from."""

    run: RunId
    turns: tuple[tuple[str | None, TurnStanding], ...]
    """Of each request the sums after it, and its standing."""
    turn_ids: frozenset[str]
    spawns: Mapping[str, str]
    """Which of its calls started which thread."""


def parent_of(head: Item | None) -> str | None:
    """The id of the thread that a `session_meta` names as the one it was forked from or started by."""
    if head is None:
        return None
    return head.forked_from_id or started_by(head)


def started_by(head: Item | None) -> str | None:
    """The id of the thread that started a sub-agent; `None` when a person started it."""
    if head is None:
        return None
    if head.parent_thread_id:
        return head.parent_thread_id
    agent = head.source.subagent if isinstance(head.source, Origin) else None
    spawn = None if agent is None or isinstance(agent, str) else agent.thread_spawn
    return None if spawn is None else spawn.parent_thread_id


def ancestry(path: Path, rollout: Rollout) -> Ancestry | None:
    """The thread that this one comes from; `None` when it comes from none, or its file is not at hand."""
    chain: list[tuple[Path, int, int]] = []
    passed = {rollout.id}
    parent = parent_of(rollout.head) or rollout.replayed
    while len(chain) < _GENERATIONS:
        if parent is None or parent in passed:
            break
        passed.add(parent)
        found = parent_file(path, parent)
        if found is None:
            break
        try:
            told = found.stat()
            head = head_of(found)
        except OSError:
            break
        path, parent = found, parent_of(head)
        chain.append((found, told.st_size, told.st_mtime_ns))
    return _told(tuple(chain)) if chain else None


@lru_cache(maxsize=4)
def _told(chain: tuple[tuple[Path, int, int], ...]) -> Ancestry | None:
    """The ancestry of the first file; many sub-agents have one parent, so the last few are kept."""
    try:
        rollout = read_rollout(chain[0][0])
    except OSError:
        return None
    standings = standings_of(rollout, _told(chain[1:]) if chain[1:] else None)
    sums = [request.sum for request in rollout.thread.turns.all]
    return Ancestry(
        run=run_of(AGENT, rollout.id),
        turns=tuple(zip(sums, standings, strict=True)),
        turn_ids=frozenset(rollout.survey.turn_ids),
        spawns=dict(rollout.survey.spawns),
    )


def standings_of(rollout: Rollout, ancestry: Ancestry | None) -> tuple[TurnStanding, ...]:
    """The standing of each request."""
    requests = rollout.thread.turns.all
    parent = parent_of(rollout.head) or rollout.replayed
    if parent is None or parent == rollout.id:
        return _own(requests, rollout.id, Counter())
    if ancestry is None:
        before = rollout.thread.before_pause
        doubtful = len(requests) if before is None else before
        named: Counter[str] = Counter()
        head = _own(requests[:doubtful], parent, named, doubtful=True)
        return head + _own(requests[doubtful:], rollout.id, named)
    copied = _copied(requests, ancestry, parent)
    return copied + _own(requests[len(copied) :], rollout.id, Counter())


def _copied(requests: list[Request], ancestry: Ancestry, parent: str) -> tuple[TurnStanding, ...]:
    """The standings of the requests that were copied: all up to the last with sums, or of a turn, of the parent's.

    A row that is lost in either file costs itself only: what stands before a copied request was copied too.
    """
    theirs = {sums: standing for sums, standing in reversed(ancestry.turns) if sums is not None}
    last = max((request.number for request in requests if request.sum in theirs), default=0)
    for request in requests[last:]:
        if request.sum is not None or request.turn_id not in ancestry.turn_ids:
            break
        last = request.number
    named: Counter[str] = Counter()
    copied: list[TurnStanding] = []
    for request in requests[:last]:
        told = theirs.get(request.sum or "")
        copied.append(
            TurnStanding(
                number=request.number,
                key=_key(request, parent, named) if told is None else told.key,
                live=request.live,
                figures=_figures(request, Standing.deduplicated),
                rows=request.rows,
                copied_from=ancestry.run if told is None or told.copied_from is None else told.copied_from,
            )
        )
    return tuple(copied)


def _own(
    requests: list[Request], owner: str, named: Counter[str], *, doubtful: bool = False
) -> tuple[TurnStanding, ...]:
    return tuple(
        TurnStanding(
            number=request.number,
            key=_key(request, owner, named),
            live=request.live,
            figures=_figures(request, Standing.unknown if doubtful else Standing.exact),
            rows=request.rows,
        )
        for request in requests
    )


def _key(request: Request, owner: str, named: Counter[str]) -> str | None:
    """What names a request in every file it is copied to: the turn, or else the thread, and the sums after it."""
    if request.sum is None:
        return None
    key = f"codex:{request.turn_id or owner}:{request.sum}"
    named[key] += 1
    return key if named[key] == 1 else f"{key}#{named[key]}"


def _figures(request: Request, at_best: Standing) -> Standing:
    if request.usage is None:
        return Standing.unknown
    return max(request.standing, at_best, key=list(Standing).index)
