"""What a scheduler's database says of its automations, their runs and their health. Spec: dispatch.md 2.6.

Which columns there are differs between versions: what a database has no column for is null.
"""

from enum import StrEnum

from msgspec import Struct

from wire.scalars import U64, TimeMs


class AutomationRun(Struct, frozen=True, kw_only=True, rename="camel"):
    """One run of an automation."""

    thread_id: str
    """Its id."""
    automation_id: str | None = None
    """The automation; null when the row does not say."""
    status: str | None = None
    """`ACCEPTED`, `failed`, `timeout` or another word of the scheduler's; null when the row does not say."""
    result_success: bool | None = None
    """Whether it came out well; null while it runs, and when the row does not say."""
    thread_title: str | None = None
    """What it is called; null when the row does not say."""
    source_cwd: str | None = None
    """Where it ran; null when the row does not say."""
    created_at: TimeMs | None = None
    """When it began, UTC milliseconds; null when the row does not say."""
    updated_at: TimeMs | None = None
    """When the row last changed, UTC milliseconds; null when it does not say."""
    read_at: TimeMs | None = None
    """When a person looked at it, UTC milliseconds; null when nobody did."""
    failure_code: str | None = None
    """Why it failed, in a word; null when it did not, or the row does not say."""
    reason_code: str | None = None
    """The reason behind that, in a word; null when there is none."""


class Automation(Struct, frozen=True, kw_only=True, rename="camel"):
    """One automation."""

    id: str
    """Its id."""
    name: str | None = None
    """What it is called; null when the row does not say."""
    prompt: str | None = None
    """What it asks; null when the row does not say."""
    status: str | None = None
    """`ACTIVE`, `PAUSED` or another word, which a deletion does not change; null when the row does not say."""
    live: bool
    """Whether it is not deleted."""
    soft_deleted: bool
    """Whether it was deleted: the row is kept."""
    overdue: bool
    """Whether it should have run by now: live, active, past its next time, and not running."""
    running: bool | None = None
    """Whether it runs now; null when the database does not tell."""
    running_started_at: TimeMs | None = None
    """Since when, UTC milliseconds; null when it does not run, and when the database does not tell."""
    schedule_type: str | None = None
    """`recurring` or another word; null when the row does not say."""
    rrule: str | None = None
    """The rule of its recurrence; null when it has none."""
    scheduled_at: TimeMs | None = None
    """When it is to run once, UTC milliseconds; null when it recurs."""
    next_run_at: TimeMs | None = None
    """When it is to run next, UTC milliseconds; null when it is not to."""
    last_run_at: TimeMs | None = None
    """When it ran last, UTC milliseconds; null when it never did, or the row does not say."""
    cwds: tuple[str, ...]
    """Where it works; none when the row does not say."""
    model_id: str | None = None
    """The model that it asks; null when the row does not say."""
    permission_mode: str | None = None
    """What it may do without asking, in the agent's own word; null when the row does not say."""
    created_at: TimeMs | None = None
    """When it was made, UTC milliseconds; null when the row does not say."""
    updated_at: TimeMs | None = None
    """When the row last changed, UTC milliseconds; null when it does not say."""
    deleted_at: TimeMs | None = None
    """When it was deleted, UTC milliseconds; null when it was not."""
    last_error: str | None = None
    """What went wrong last, as the scheduler has it; null when nothing did."""
    last_run: AutomationRun | None = None
    """The run that was put down last; null when there is none."""


class AutomationList(Struct, frozen=True, kw_only=True, rename="camel"):
    """The automations of a database, as it was at one moment."""

    at: TimeMs
    """That moment, UTC milliseconds; what is overdue is so then."""
    automations: tuple[Automation, ...]
    """All of them, deleted ones included, in the order of the table."""
    live: U64
    """How many are not deleted."""
    soft_deleted: U64
    """How many are."""
    overdue: U64
    """How many of the live ones should have run by now."""
    notes: tuple[str, ...]
    """What the database has no table or column for, and values that do not read."""


class AutomationRuns(Struct, frozen=True, kw_only=True):
    """Runs of automations, the one that was put down last first."""

    runs: tuple[AutomationRun, ...]
    """Those that were asked for."""
    found: U64
    """How many there are in all."""
    notes: tuple[str, ...]
    """What the database has no table or column for, and values that do not read."""


class Health(StrEnum):
    """How an automation does."""

    well = "well"
    """Its last run came out well, or it has not run yet, and nothing below holds."""
    overdue = "overdue"
    """It should have run by now."""
    stuck = "stuck"
    """It has been running longer than a run may take."""
    failing = "failing"
    """Its last run came out badly, or the scheduler has an error down."""
    unknown = "unknown"
    """It has run, and how that came out is not told."""
    paused = "paused"
    """It is not to run."""


class AutomationStanding(Struct, frozen=True, kw_only=True):
    """How one automation does."""

    id: str
    """Its id."""
    name: str | None = None
    """What it is called; null when the row does not say."""
    health: Health
    """The gravest that holds: stuck, failing, overdue, unknown, paused, well."""
    why: str
    """What shows it, in a sentence."""


class AutomationHealth(Struct, frozen=True, kw_only=True, rename="camel"):
    """How the live automations of a database do."""

    at: TimeMs
    """When, UTC milliseconds."""
    live: U64
    """How many are not deleted."""
    soft_deleted: U64
    """How many are: they are not judged."""
    overdue: U64
    """How many should have run by now."""
    stuck: U64
    """How many have been running too long."""
    failing: U64
    """How many failed last, or have an error down."""
    unknown: U64
    """Of how many it is not told how they came out last."""
    standings: tuple[AutomationStanding, ...]
    """Each live one, the gravest first."""
    notes: tuple[str, ...]
    """What the database has no table or column for, and values that do not read."""
