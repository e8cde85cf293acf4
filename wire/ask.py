"""Ask threads: their records, the turns they fold to, how they are shown, and the lock. Spec: asks.md 1.3, 1.5, 1.6.

    from wire import AskEvent, AskQuestion, decode

    event = decode(line, AskEvent)

The shapes are what a writer writes, with its camelCase keys. A reader of a whole thread passes over a record that does
not read, and counts it. No I/O here: files, locks and the fold are `accounting/ask/`.
"""

from enum import StrEnum
from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct

from wire.scalars import U32_MAX, IsoTime

ASK_SEQ_MAX: Final = 2**53 - 1
"""The largest number of a question: the other writers of threads count in JavaScript."""

AskSeq: TypeAlias = Annotated[int, Meta(ge=1, le=ASK_SEQ_MAX)]
"""The number of a question in its thread, from 1, perhaps with gaps. Whatever answers it carries the same number."""


class AskMeta(Struct, frozen=True, kw_only=True, tag_field="t", tag="meta", rename="camel"):
    """The thread began; written before its first question."""

    run_id: str
    """The thread's name as its file has it, repeated for people. A temporary thread's is `<pid>-<8 hex digits>`."""
    started_at: IsoTime
    """When the thread began."""
    provider: str
    """The provider's command, joined by spaces, without values of the environment; `(none)` when none is set up."""


class AskQuestion(Struct, frozen=True, kw_only=True, tag_field="t", tag="question"):
    """A person asked. Of two with one `seq` the later one counts."""

    seq: AskSeq
    """Its number."""
    at: IsoTime
    """When it was asked."""
    focus: str | None = None
    """The session that the person was looking at; null when they were looking at none."""
    text: str
    """The question, trimmed."""


class AskChunk(Struct, frozen=True, kw_only=True, tag_field="t", tag="chunk"):
    """A piece of an answer; the pieces of one `seq` are joined in file order."""

    seq: AskSeq
    """The question that it answers."""
    text: str
    """The piece, as the provider wrote it; it may be empty and may hold newlines."""


class AskEnd(Struct, frozen=True, kw_only=True, tag_field="t", tag="end"):
    """The answer is complete."""

    seq: AskSeq
    """The question that was answered."""
    at: IsoTime
    """When the answer was complete."""


class AskAborted(Struct, frozen=True, kw_only=True, tag_field="t", tag="aborted"):
    """A person cancelled the question."""

    seq: AskSeq
    """The question that was cancelled."""
    at: IsoTime
    """When it was cancelled."""


class AskError(Struct, frozen=True, kw_only=True, tag_field="t", tag="error"):
    """The question could not be answered."""

    seq: AskSeq
    """The question."""
    at: IsoTime
    """When it failed."""
    message: str
    """What went wrong and, on a second line, what to do about it where that is known."""


AskEvent: TypeAlias = AskMeta | AskQuestion | AskChunk | AskEnd | AskAborted | AskError
"""One line of an ask thread, tagged by `t`. The last `end`, `aborted` or `error` of a question settles it."""


class AskTurn(Struct, frozen=True, kw_only=True):
    """A question and its whole answer: what a thread folds to, in order of `seq`, for each question that has one."""

    question: str
    """The question's text."""
    answer: Annotated[str, Meta(min_length=1)]
    """The pieces of the answer joined, trimmed; never empty."""


class AskLock(Struct, frozen=True, kw_only=True, rename="camel"):
    """The whole of a lock file: one question of the thread is being answered. Spec: asks.md 1.6."""

    pid: Annotated[int, Meta(ge=0, le=U32_MAX)]
    """The worker's process; 0 while none has been started yet."""
    started_at: str
    """When the question was taken up, as an IsoTime; a lock with any other text is stale."""


class AskState(StrEnum):
    """How a question stands: what settled it last, or else whether anything has been answered."""

    waiting = "waiting"
    """Not settled, and nothing but white space so far."""
    answering = "answering"
    """Not settled, with a part of its answer."""
    answered = "answered"
    """An `end` came last."""
    cancelled = "cancelled"
    """An `aborted` came last."""
    failed = "failed"
    """An `error` came last."""


class AskShown(Struct, frozen=True, kw_only=True):
    """One question as a person sees it, with all that is there of its answer. Spec: asks.md 1.5."""

    seq: AskSeq
    """Its number."""
    at: str
    """When it was asked, an IsoTime; where its record holds another text, that text."""
    re: str | None
    """The session that the person was looking at, by its first 8 characters; null where the question before this one
    had the same, and where they were looking at none."""
    question: str
    """The question's text."""
    state: AskState
    """How it stands."""
    text: str
    """The pieces of the answer joined, trimmed; it may be empty."""
    message: str | None
    """What went wrong; null unless the state is `failed`, and where the record's message is blank."""
