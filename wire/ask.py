"""Ask threads: the records that one is written in, and the turns that it folds to. Spec: asks.md 1.3, 1.5.

    from wire import AskEvent, AskQuestion, decode

    event = decode(line, AskEvent)

The shapes are what a writer writes, with its camelCase keys. A reader of a whole thread passes over a record that does
not read, and counts it. No I/O here: files, locks and the fold are `accounting/ask/`.
"""

from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct

from wire.scalars import IsoTime

ASK_SEQ_MAX: Final = 2**53 - 1
"""The largest number of a question: the other writers of threads count in JavaScript."""

AskSeq: TypeAlias = Annotated[int, Meta(ge=1, le=ASK_SEQ_MAX)]
"""The number of a question in its thread, from 1, perhaps with gaps. Whatever answers it carries the same number."""


class AskMeta(Struct, frozen=True, kw_only=True, tag_field="t", tag="meta", rename="camel"):
    """The thread began; written before its first question."""

    run_id: str
    """The thread's name as its file has it, repeated for people. A temporary thread's is `<pid>-<8 hex digits>`."""
    started_at: IsoTime
    """When."""
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
    """When."""


class AskAborted(Struct, frozen=True, kw_only=True, tag_field="t", tag="aborted"):
    """A person cancelled the question."""

    seq: AskSeq
    """The question that was cancelled."""
    at: IsoTime
    """When."""


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
