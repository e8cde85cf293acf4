"""The shapes of an answer: one session as the turns a person reads. Spec: rounds.md 1.

Every field of a shape is written, null for `None`. Reading takes a missing nullable field as null and ignores
unknown keys, so that an older reader survives a newer writer and the reverse. `JOINED_LATER` marks the fields
that the schema does not require.
"""

from enum import StrEnum
from typing import Annotated, Final

from msgspec import Meta, Struct

from wire.answer.note import Note
from wire.record.session import Effort, RunPolicy
from wire.record.signal import Landing
from wire.record.tool import Effect, RenderIntent
from wire.scalars import (
    I64,
    U32_MAX,
    U64,
    GitOid,
    Locator,
    Micros,
    RunId,
    Seq,
    TimeMs,
    Tokens,
    UsdMicros,
    Who,
    check_range,
)

OUTPUT_LINES: Final = 12
"""How many lines of an output a view keeps."""

JOINED_LATER: Final = Meta(extra={"joined": "later"})


class Outcome(StrEnum):
    """What became of a call. `failed` is a fact, not an alert."""

    waiting = "waiting"
    """No answer yet."""
    answered = "answered"
    """It gave a result."""
    failed = "failed"
    """It went wrong."""


class Timing(StrEnum):
    """Whether the difference of a row's two times is how long it took."""

    measured = "measured"
    """It is."""
    unmeasured = "unmeasured"
    """It is not: the times are stamps, not measurements."""


# A session has many of the four shapes that follow, and frozen values form no cycles: `gc=False` spares visiting them.


class Output(Struct, frozen=True, kw_only=True, gc=False):
    """Text bounded by lines."""

    head: str
    """The first 12 lines, joined by a newline."""
    cut: U64
    """How many lines of the whole come after `head`; 0 when it is all of it."""
    pinned: Locator | None = None
    """Where the whole output is stored; null when it was not stored apart, and always on arguments."""

    def __post_init__(self) -> None:
        check_range(self.pinned)


class Used(Struct, frozen=True, kw_only=True, gc=False):
    """Tokens of one turn, as absolute counts."""

    input: Tokens
    """The whole prompt, cached parts included."""
    output: Tokens
    """Tokens of the reply."""
    cached: Annotated[Tokens | None, JOINED_LATER] = None
    """Tokens of `input` that came out of the provider's cache; null when not reported, which is not 0."""
    cache_write: Annotated[Tokens | None, JOINED_LATER] = None
    """Tokens of `input` that were stored into the provider's cache; null when not reported, which is not 0."""
    first_us: Annotated[Micros | None, JOINED_LATER] = None
    """Microseconds, request out to first content; null wherever the turn's `first_at` is."""
    took_us: Annotated[Micros | None, JOINED_LATER] = None
    """Microseconds, request out to reply whole; null when not measured."""


class Call(Struct, frozen=True, kw_only=True, gc=False):
    """One tool call in a turn."""

    tool: str
    """The tool's name as recorded; `tool` when the record names none."""
    subject: str | None = None
    """What it acted on, as the record states it; null when it states nothing."""
    arguments: Output | None = None
    """What it was called with, as indented JSON; null when the record holds none, or holds null."""
    outcome: Outcome
    """What became of it."""
    at: Seq
    """The line that made the call."""
    output: Output | None = None
    """What it gave; null until answered, and when there was nothing to read."""
    called: TimeMs
    """When it was called, UTC milliseconds."""
    answered: TimeMs | None = None
    """When it was answered, UTC milliseconds; null exactly when `outcome` is `waiting`."""
    timing: Timing
    """Whether `answered - called` is how long it took."""
    effect: Effect | None = None
    """What the tool was registered to do; null for an unregistered tool and on older lines."""
    render: RenderIntent | None = None
    """How it wants to be drawn; null for an unregistered tool and on older lines: draw it as generic."""
    exit_code: Annotated[I64 | None, JOINED_LATER] = None
    """The exit code of a tool that ran a command; null when stopped by a signal, not awaited, or no command."""
    took_us: Annotated[Micros | None, JOINED_LATER] = None
    """Microseconds the call took; null on older lines."""
    landing: Annotated[Landing | None, JOINED_LATER] = None
    """Where the letter of a sending call went; null when it sent none, or that is not known."""


class Turn(Struct, frozen=True, kw_only=True, gc=False):
    """One request to the model, its reply, and what came of it."""

    number: Annotated[int, Meta(ge=1, le=U32_MAX)]
    """From 1, in the order turns opened."""
    opened: Seq
    """The `model_called` line."""
    t: TimeMs
    """That line's time, UTC milliseconds."""
    timing: Timing
    """Whether `t` is a measured moment."""
    first_at: TimeMs | None = None
    """When the reply's first content arrived; null when it did not stream, streamed only calls, or on older lines."""
    returned: Annotated[TimeMs | None, JOINED_LATER] = None
    """The reply line's own measured moment; null without a reply and on older lines."""
    model: str | None = None
    """The model asked; null when the record names none."""
    said: str | None = None
    """The reply's prose; null when there is none."""
    thought: str | None = None
    """The reply's reasoning, apart from its prose; null when there is none."""
    spent: UsdMicros | None = None
    """Millionths of a US dollar billed for this turn; null without a reply or a bill: unknown, not free."""
    used: Used | None = None
    """Tokens of the request and its reply; null without a reply, and when the counts are absent or do not all read."""
    stopped: str | None = None
    """The provider's own word for why the reply ended; null when it gave none."""
    calls: tuple[Call, ...]
    """In the order called."""
    notes: tuple[Note, ...]
    """In ledger order."""


class FrozenNames(Struct, frozen=True, kw_only=True):
    """The names that were in force when the session began."""

    mayor: str | None = None
    """The mayor's name; null for the default name of the reader's language."""


class Opening(Struct, frozen=True, kw_only=True):
    """How the session began."""

    task: str
    """What to do; empty when not recorded."""
    goal: str
    """What it is for; empty when not recorded."""
    at: TimeMs
    """When it began, UTC milliseconds."""
    dispatched_by: Who | None = None
    """Who sent it; null when not recorded."""
    policy: Annotated[RunPolicy | None, JOINED_LATER] = None
    """The terms it runs under; null when not recorded."""
    effort: Annotated[Effort | None, JOINED_LATER] = None
    """How hard the model was asked to think; null when not recorded, which is not `none`."""
    names: Annotated[FrozenNames | None, JOINED_LATER] = None
    """The names in force when it began; null when not at hand: fall back to address and role."""
    parent: Annotated[RunId | None, JOINED_LATER] = None
    """The session that started this one; null when none did."""


class Closing(Struct, frozen=True, kw_only=True):
    """How the session ended."""

    completion: str
    """`done`, `limit` or `cancelled` today."""
    at: TimeMs
    """The time of the line that ended it, UTC milliseconds."""


class RoundsAnswer(Struct, frozen=True, kw_only=True):
    """One session, whole or the newest part of it, as turns."""

    run: RunId
    """The session."""
    turns: tuple[Turn, ...]
    """In the order they opened."""
    opened_at: GitOid | None = None
    """The tree as the work found it: the first commit checkpoint; null when there is none."""
    opening: Opening | None = None
    """How the session began; null when its start is not at hand."""
    closing: Closing | None = None
    """How it ended; null while it goes on, and when its ending could not be read (a problem beside the answer)."""
    worktree: Annotated[str | None, JOINED_LATER] = None
    """The name of its working tree, never a path; null when it has none."""
