"""The tools for the scheduler's database, which is only read. Spec: dispatch.md 2.6, 2.7."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta, Struct

from accounting.clock import system_clock
from accounting.dispatch.automations import automation_health, list_automation_runs, list_automations
from accounting.tools.clip import one_line
from accounting.tools.configured import configuration_of
from accounting.tools.moment import moment
from accounting.tools.tool import Tool, ToolError, tool
from wire.dispatch import Automation, AutomationHealth, AutomationList, AutomationRun, AutomationRuns

DATABASE: Final = "workbuddy.db"
"""The scheduler's database, in the directory of its agent."""
_PROFILE: Final = "workbuddy"


class ListAutomations(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What `list_automations` takes."""

    profile: str = _PROFILE
    """The agent whose scheduler it is: the name of a profile that `doctor` lists."""


class ListAutomationRuns(
    Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, rename="camel"
):
    """What `list_automation_runs` takes."""

    automation_id: str | None = None
    """Only the runs of this automation, by its id; of all when it is not given."""
    limit: Annotated[int, Meta(ge=1, le=500)] = 50
    """How many at most, 1 to 500."""
    profile: str = _PROFILE
    """The agent whose scheduler it is: the name of a profile that `doctor` lists."""


class Health(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True, rename="camel"):
    """What `automation_health` takes."""

    stuck_after_seconds: Annotated[int, Meta(ge=1, le=31_536_000)] = 3600
    """After how many seconds, 1 or more, a run that still goes on counts as stuck."""
    profile: str = _PROFILE
    """The agent whose scheduler it is: the name of a profile that `doctor` lists."""


def automated() -> tuple[Tool, ...]:
    """The entries of the table."""
    return (
        tool(
            "list_automations",
            "The automations of the agent's scheduler, deleted ones marked, each with its last run. Reads only.",
            ListAutomations,
            AutomationList,
            lambda asked: list_automations(_database(asked.profile), system_clock()),
            _listed,
        ),
        tool(
            "list_automation_runs",
            "Runs of the scheduler's automations, the one that was put down last first. Reads only.",
            ListAutomationRuns,
            AutomationRuns,
            lambda asked: list_automation_runs(_database(asked.profile), asked.automation_id, limit=asked.limit),
            _runs,
        ),
        tool(
            "automation_health",
            "Which of the scheduler's live automations are stuck, failing, overdue or well, and what shows it."
            " Reads only.",
            Health,
            AutomationHealth,
            lambda asked: automation_health(
                _database(asked.profile), system_clock(), stuck_after_ms=asked.stuck_after_seconds * 1000
            ),
            _health,
        ),
    )


def _database(profile: str) -> Path:
    directory = configuration_of(profile, os.environ)
    database = directory / DATABASE
    if not database.exists():
        raise ToolError(f"{database}: there is no such file, so {profile} has no automations here")
    return database


def _listed(answer: AutomationList) -> str:
    head = f"{answer.live:,} automations, {answer.overdue:,} of them overdue; {answer.soft_deleted:,} deleted"
    return "\n".join((head, *(line for one in answer.automations for line in _automation(one)), *_notes(answer.notes)))


def _automation(one: Automation) -> Iterator[str]:
    marks = [one_line(one.status or "no status")]
    marks += [mark for mark, holds in (("deleted", one.soft_deleted), ("overdue", one.overdue)) if holds]
    marks += ["running"] if one.running else []
    yield f"{_called(one.id, one.name)}: {', '.join(marks)}"
    if one.next_run_at is not None:
        yield f"  next {moment(one.next_run_at)}"
    if one.last_run is not None:
        yield f"  last {_run(one.last_run)}"
    if one.last_error is not None:
        yield f"  error {one_line(one.last_error)}"


def _runs(answer: AutomationRuns) -> str:
    head = f"{len(answer.runs):,} of {answer.found:,} runs"
    return "\n".join(
        (
            head,
            *(f"{one_line(one.automation_id or 'no automation')}: {_run(one)}" for one in answer.runs),
            *_notes(answer.notes),
        )
    )


def _run(run: AutomationRun) -> str:
    came = {True: "well", False: "badly", None: "not told"}[run.result_success]
    failed = "" if run.failure_code is None else f" ({one_line(run.failure_code)})"
    at = "" if run.created_at is None else f" at {moment(run.created_at)}"
    return f"{one_line(run.thread_id)}{at}: {one_line(run.status or 'no status')}, came out {came}{failed}"


def _health(answer: AutomationHealth) -> str:
    head = (
        f"{answer.live:,} automations: {answer.stuck:,} stuck, {answer.failing:,} failing, {answer.overdue:,} overdue,"
        f" {answer.unknown:,} unknown"
    )
    each = (f"{one.health}: {_called(one.id, one.name)}: {one_line(one.why)}" for one in answer.standings)
    return "\n".join((head, *each, *_notes(answer.notes)))


def _called(automation: str, name: str | None) -> str:
    return f"{one_line(automation)} {one_line(name or 'without a name')}"


def _notes(notes: tuple[str, ...]) -> Iterator[str]:
    return (f"note: {note}" for note in notes)
