"""The session report beside the answer: what another agent recorded and our shapes have no field for.

Spec: foreign.md 3, the mapping rules. Turns are named by their number in the answer, from 1. Everything is a value of
its own; nothing is squeezed into a note or a text.
"""

from msgspec import Struct

from accounting.foreign.fidelity import Standing
from accounting.ledger.problem import Place
from wire.scalars import RunId, TimeMs


class TurnStanding(Struct, frozen=True, kw_only=True, gc=False):
    """What is known about one turn beyond its row in the answer."""

    number: int
    """The turn, from 1."""
    key: str | None = None
    """What names this very request wherever its rows are copied to; null when the format has no such name.

    Two turns with one key were billed once: whoever adds up several sessions counts the key once, and takes the
    largest of each count.
    """
    live: bool | None = None
    """Whether the turn is on the live branch; null where the format has no branches or does not tell."""
    figures: Standing = Standing.exact
    """How its token counts were obtained; `unknown` when it has none."""
    rows: int = 1
    """How many rows the request was written on."""
    copied_from: RunId | None = None
    """The run whose rows these are a copy of; null when it is the run's own turn, or nothing tells."""


class Compaction(Struct, frozen=True, kw_only=True):
    """History was replaced by a summary."""

    after: int
    """The last turn before it; 0 when it came before any."""
    place: Place
    """Where it is recorded."""
    t: TimeMs | None = None
    """When; null when not recorded."""
    trigger: str | None = None
    """What set it off, in the agent's own word (`auto`, `manual`); null when not recorded."""
    tokens_before: int | None = None
    """Tokens of the history before it; null when not recorded."""
    tokens_after: int | None = None
    """Tokens after it; null when not recorded."""
    took_us: int | None = None
    """Microseconds it took; null when not measured."""
    summary: str | None = None
    """The text that stands for the history; null when not recorded."""


class Rewind(Struct, frozen=True, kw_only=True):
    """The person went back to an earlier point: what came after it is off the live branch."""

    place: Place
    """Where the new branch begins, or the rewind is recorded."""
    t: TimeMs | None = None
    """When; null when not recorded."""
    turns: tuple[int, ...] = ()
    """The turns that were left behind."""


class FailedRequest(Struct, frozen=True, kw_only=True):
    """A request that the provider refused or that broke off: no turn, for nothing came back and nothing was billed."""

    after: int
    """The last turn before it; 0 when it came before any."""
    place: Place
    """Where it is recorded."""
    t: TimeMs | None = None
    """When; null when not recorded."""
    text: str | None = None
    """What the person was told; null when nothing was recorded."""
    status: int | None = None
    """The HTTP status; null when not recorded."""
    code: str | None = None
    """The agent's or provider's own word for it; null when not recorded."""
    retried: bool = False
    """Whether the agent itself tried again."""


class Stop(Struct, frozen=True, kw_only=True):
    """A person broke in: a request interrupted, or a tool denied. No fault of the model or the tool."""

    turn: int
    """The turn it happened in; 0 when before any."""
    place: Place
    """Where it is recorded."""
    t: TimeMs | None = None
    """When; null when not recorded."""
    call: str | None = None
    """Id of the call that was denied or interrupted; null when it was the request itself."""
    denied: bool = False
    """Whether a tool was denied before it ran; false for an interruption."""


class Child(Struct, frozen=True, kw_only=True):
    """A sub-agent: a run of its own."""

    run: RunId
    """Its run."""
    call: str | None = None
    """Id of the call that started it; null when not known."""
    turn: int | None = None
    """The turn that made the call; null when not known."""


class Fact(Struct, frozen=True, kw_only=True):
    """A small fact about the session by name, as `title`, `cwd`, `version` or `git_branch`; the last one recorded."""

    name: str
    """What it is, in a lower-case word."""
    value: str
    """The agent's own text."""


class Outline(Struct, frozen=True, kw_only=True):
    """Everything beside the answer."""

    turns: tuple[TurnStanding, ...] = ()
    """One for each turn of the answer, in order."""
    compactions: tuple[Compaction, ...] = ()
    """Where history was compacted, in file order."""
    rewinds: tuple[Rewind, ...] = ()
    """Where the person went back, in file order."""
    failed_requests: tuple[FailedRequest, ...] = ()
    """Requests that are no turns, in file order."""
    stops: tuple[Stop, ...] = ()
    """Where a person broke in, in file order."""
    children: tuple[Child, ...] = ()
    """Sub-agents, in the order they appear."""
    facts: tuple[Fact, ...] = ()
    """Small facts, sorted by name."""
