"""Dispatched runs as texts: a journal, what cancelling came to, a list of runs, and what can be started.

What an agent said is indented: only what this program knows stands at the margin.
"""

import shlex
from collections.abc import Iterator
from typing import Final

from msgspec import UNSET

from accounting.tools.clip import CUT, clipped, first_line, indented, one_line
from accounting.tools.moment import moment
from wire.dispatch import (
    TERMINAL,
    CancelAnswer,
    DispatchError,
    DispatchJournal,
    DispatchList,
    DispatchState,
    DoctorReport,
    ProfileReport,
)

SHOWN: Final = 4000
"""Characters of an agent's last word that a text shows."""
_PATH: Final = 1000


def journal_text(run: DispatchJournal) -> str:
    """Where a run stands, what it came to, and what to do next."""
    return "\n".join(_journal(run))


def cancel_text(answer: CancelAnswer) -> str:
    """Whether a run was cancelled, and the run."""
    said = "cancelled" if answer.cancelled else "not cancelled"
    why = "" if answer.why is None else f": {one_line(answer.why)}"
    return f"{said}{why}\n{journal_text(answer.run)}"


def runs_text(answer: DispatchList) -> str:
    """A run in a few lines each, and what of the journals does not read."""
    unreadable = (f"unreadable: {one.path}: {one.message}" for one in answer.unreadable)
    head = f"{len(answer.runs):,} runs"
    return "\n".join((head, *(line for run in answer.runs for line in _run(run)), *unreadable))


def doctor_text(report: DoctorReport) -> str:
    """Every agent, and what is wrong."""
    lines = [f"journals are kept in {report.state_directory}"]
    for profile in report.profiles:
        lines += _profile(profile)
    return "\n".join((*lines, *(f"problem: {problem}" for problem in report.problems)))


def _journal(run: DispatchJournal) -> Iterator[str]:
    yield f"{run.run_id} {_state(run)}"
    yield f"{run.kind} by {run.profile} in {one_line(run.workspace, _PATH)}"
    if run.idempotent_replay is True:
        yield "it was there already: nothing was started"
    if run.replay_differs is not UNSET:
        yield f"it was started with another {', '.join(run.replay_differs)} than asked for now: use another key"
    if run.session_id is not None:
        file = "" if run.session_file is None else f" in {one_line(run.session_file, _PATH)}"
        yield f"session {one_line(run.session_id)}{file}"
    yield ", ".join(_figures(run))
    if run.error is not None:
        yield from _error(run.error, run.result_text)
    if run.result_text is not None:
        yield "result:"
        yield indented(clipped(run.result_text, SHOWN))
        if len(run.result_text) > SHOWN:
            yield f"cut here: `resultText` of the structured answer, or read_session of {run.run_id}, has more"
    if run.state not in TERMINAL:
        yield f"not ended yet: call wait_run with {run.run_id}"
    elif run.state is DispatchState.unknown:
        yield "how it ended is not known, which is no success: look at the workspace before relying on it"


def _state(run: DispatchJournal) -> str:
    source = "" if run.state_source is None else f", known by {run.state_source}"
    reason = "" if run.stop_reason is None else f" ({one_line(run.stop_reason)})"
    return f"{run.state}{reason}{source}"


def _error(error: DispatchError, result: str | None) -> Iterator[str]:
    """Why a run failed; the agent's words for it are left out where they are its last word too."""
    code = one_line(error.code)
    if result is not None and result.startswith(error.message.removesuffix(CUT)):
        yield f"error {code}"
    elif len(error.message.splitlines()) <= 1:
        yield f"error {code}: {clipped(error.message, SHOWN)}"
    else:
        yield f"error {code}:"
        yield indented(clipped(error.message, SHOWN))


def _run(run: DispatchJournal) -> Iterator[str]:
    ended = "" if run.finished_at is None else f", ended {moment(run.finished_at)}"
    yield f"{run.run_id} {_state(run)}"
    yield f"  {run.kind} by {run.profile} in {one_line(run.workspace, _PATH)}"
    yield f"  began {moment(run.created_at)}{ended}"
    yield f"  task: {first_line(run.task)}"


def _figures(run: DispatchJournal) -> Iterator[str]:
    yield f"began {moment(run.created_at)}"
    if run.finished_at is not None:
        yield f"ended {moment(run.finished_at)}"
    yield f"{run.tool_calls:,} tool calls"
    if run.num_turns is not None:
        yield f"{run.num_turns:,} turns"
    if run.cost_usd_micros is not None:
        yield f"${run.cost_usd_micros / 1_000_000:.4f}"
    if run.exit_code is not None:
        yield f"exit code {run.exit_code}"
    if run.signal is not None:
        yield f"ended by {one_line(run.signal)}"


def _profile(profile: ProfileReport) -> Iterator[str]:
    yield f"{profile.profile}: {'ready' if profile.ready else 'cannot be started'}"
    if profile.program is not None:
        yield f"  program {profile.program}"
    if profile.configuration is not None:
        yield f"  its own directory {profile.configuration}"
    for planned in profile.planned:
        yield f"  {planned.kind}: {shlex.join(planned.invocation.argv)}"
    for problem in profile.problems:
        yield f"  problem: {problem}"
