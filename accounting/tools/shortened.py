"""Answers made short enough for a model to read: long texts are cut, and end in `…` then. Nothing else is left out."""

from typing import Final

from msgspec import structs

from accounting.tools.clip import clipped
from wire.dispatch import CancelAnswer, DispatchJournal, DispatchList, SessionList, SessionListed

LONGEST_RESULT: Final = 64 << 10
"""Characters of an agent's last word up to which an answer about its run holds it whole."""
LONGEST_TASK: Final = 4000
"""Characters of a task up to which an answer about its run holds it whole: who asks has mostly written it."""
LONGEST_LISTED: Final = 300
"""Characters of a task, and of a last word, in a list of runs."""
LONGEST_OF_SESSION: Final = 1000
"""Characters of each text in a list of sessions."""


def answered(run: DispatchJournal) -> DispatchJournal:
    """A run, for an answer about it."""
    return _cut(run, task=LONGEST_TASK, said=LONGEST_RESULT)


def cancelled(answer: CancelAnswer) -> CancelAnswer:
    """What cancelling came to."""
    return structs.replace(answer, run=answered(answer.run))


def listed(answer: DispatchList) -> DispatchList:
    """A list of runs."""
    runs = tuple(_cut(run, task=LONGEST_LISTED, said=LONGEST_LISTED) for run in answer.runs)
    return structs.replace(answer, runs=runs)


def sessions_listed(answer: SessionList) -> SessionList:
    """A list of sessions."""
    return structs.replace(answer, sessions=tuple(_session(one) for one in answer.sessions))


def _cut(run: DispatchJournal, *, task: int, said: int) -> DispatchJournal:
    error = run.error
    return structs.replace(
        run,
        task=clipped(run.task, task),
        result_text=_clipped(run.result_text, said),
        error=None if error is None else structs.replace(error, message=clipped(error.message, min(task, said))),
    )


def _session(one: SessionListed) -> SessionListed:
    summary = one.summary
    cut = structs.replace(
        summary,
        title=_clipped(summary.title, LONGEST_OF_SESSION),
        first_prompt=_clipped(summary.first_prompt, LONGEST_OF_SESSION),
        last_text=_clipped(summary.last_text, LONGEST_OF_SESSION),
    )
    return structs.replace(one, summary=cut)


def _clipped(text: str | None, most: int) -> str | None:
    return None if text is None else clipped(text, most)
