"""The scheduler's automations, their runs and their health, worked out by hand. W15 and W16 are here."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest

from accounting.dispatch.automations import automation_health, list_automation_runs, list_automations, table
from accounting.dispatch.automations.notes import Notes
from accounting.dispatch.automations.row import Cell, Row
from tests.accounting.dispatch.scheduler import HOUR, NOW, automation, made, ran, row, state
from tests.accounting.foreign.test_sqlite_snapshot import held, listing, tell
from wire.dispatch import Automation, AutomationHealth, AutomationRun, AutomationStanding, Health


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "agent" / "workbuddy.db"


@pytest.fixture(autouse=True)
def _folder(path: Path) -> None:
    path.parent.mkdir()


def test_all_that_a_row_says(path: Path) -> None:
    made(
        path,
        row(
            "automations",
            id="a1",
            name="Nightly",
            prompt="Look after it",
            status="ACTIVE",
            schedule_type="recurring",
            next_run_at=NOW + 5,
            last_run_at=NOW - 9,
            cwds='["/srv/site", "C:\\\\work"]',
            rrule="FREQ=DAILY",
            scheduled_at=3,
            model_id="m",
            permission_mode="default",
            created_at=1,
            updated_at=2,
        ),
        row(
            "automation_runs",
            thread_id="t1",
            automation_id="a1",
            status="failed",
            read_at=8,
            thread_title="Tuesday",
            source_cwd="/srv/site",
            result_success=0,
            metadata_json="{malformed",
            created_at=6,
            updated_at=7,
            failure_code="quota",
            reason_code="daily",
        ),
        state("a1", 1, running_started_at=NOW - 4, last_error="was busy", last_run_at=5),
    )
    run = AutomationRun(
        thread_id="t1",
        automation_id="a1",
        status="failed",
        result_success=False,
        thread_title="Tuesday",
        source_cwd="/srv/site",
        created_at=6,
        updated_at=7,
        read_at=8,
        failure_code="quota",
        reason_code="daily",
    )
    found = list_automations(path, NOW)
    assert found.automations == (
        Automation(
            id="a1",
            name="Nightly",
            prompt="Look after it",
            status="ACTIVE",
            live=True,
            soft_deleted=False,
            overdue=False,
            running=True,
            running_started_at=NOW - 4,
            schedule_type="recurring",
            rrule="FREQ=DAILY",
            scheduled_at=3,
            next_run_at=NOW + 5,
            last_run_at=NOW - 9,
            cwds=("/srv/site", "C:\\work"),
            model_id="m",
            permission_mode="default",
            created_at=1,
            updated_at=2,
            last_error="was busy",
            last_run=run,
        ),
    )
    assert (found.at, found.live, found.soft_deleted, found.overdue, found.notes) == (NOW, 1, 0, 0, ())
    runs = list_automation_runs(path)
    assert (runs.runs, runs.found, runs.notes) == ((run,), 1, ())


def test_w15_what_is_deleted_keeps_its_status_and_is_not_overdue(path: Path) -> None:
    made(path, automation("a", next_run_at=1), automation("b", next_run_at=1, deleted_at=2))
    found = list_automations(path, NOW)
    assert (found.live, found.soft_deleted, found.overdue) == (1, 1, 1)
    assert [(one.id, one.live, one.soft_deleted, one.overdue) for one in found.automations] == [
        ("a", True, False, True),
        ("b", False, True, False),
    ]
    health = automation_health(path, NOW)
    assert (health.live, health.soft_deleted, health.overdue) == (1, 1, 1)
    assert [one.id for one in health.standings] == ["a"]


def test_w16_the_last_run_is_the_one_that_was_put_down_last(path: Path) -> None:
    made(path, automation("a"), ran("t2", "a", created_at=200), ran("t1", "a", created_at=100), ran("t9", "other"))
    (one,) = list_automations(path, NOW).automations
    assert one.last_run is not None
    assert one.last_run.thread_id == "t1"
    assert [run.thread_id for run in list_automation_runs(path).runs] == ["t9", "t1", "t2"]


def test_a_run_that_is_replaced_is_last_and_one_that_is_updated_is_not(path: Path) -> None:
    lines = (automation("a"), ran("t1", "a"), ran("t2", "a"))
    made(path, *lines, "UPDATE automation_runs SET status = 'late', updated_at = 9 WHERE thread_id = 't1'")
    (one,) = list_automations(path, NOW).automations
    assert one.last_run is not None
    assert one.last_run.thread_id == "t2"
    with closing(sqlite3.connect(path)) as database:
        database.execute(ran("t1", "a", 0).replace("INSERT", "INSERT OR REPLACE"))
        database.commit()
    (one,) = list_automations(path, NOW).automations
    assert one.last_run is not None
    assert (one.last_run.thread_id, one.last_run.result_success) == ("t1", False)
    assert [run.thread_id for run in list_automation_runs(path).runs] == ["t1", "t2"]


def test_rows_without_numbers_go_by_their_time(path: Path) -> None:
    made(
        path,
        automation("a"),
        automation("b"),
        *(ran("t2", "a", created_at=200), ran("t1", "a", created_at=100), ran("t3", "a", created_at="tomorrow")),
        *(ran("t4", "b", created_at=7), ran("t5", "b", created_at=7)),
        rowid=False,
    )
    found = list_automations(path, NOW)
    assert [one.last_run.thread_id for one in found.automations if one.last_run is not None] == ["t2", "t5"]
    assert found.notes == ("automation_runs has no row numbers: which run is last goes by created_at",)
    runs = list_automation_runs(path)
    assert [run.thread_id for run in runs.runs] == ["t2", "t1", "t5", "t4", "t3"]
    assert runs.notes[0] == found.notes[0]


def test_rows_without_numbers_and_times_tell_no_last_run(path: Path) -> None:
    made(path, automation("a"), ran("t1", "a"), rowid=False, without={"automation_runs": ("created_at",)})
    found = list_automations(path, NOW)
    assert found.automations[0].last_run is None
    assert any("neither row numbers nor created_at" in note for note in found.notes)
    (standing,) = automation_health(path, NOW).standings
    assert (standing.health, standing.why) == (Health.unknown, "the database does not tell how runs came out")
    assert list_automation_runs(path).found == 1


def test_columns_that_have_the_names_of_row_numbers(path: Path) -> None:
    made(
        path,
        "ALTER TABLE automation_runs ADD COLUMN rowid TEXT DEFAULT 'x'",
        automation("a"),
        ran("b", "a"),
        ran("a", "a"),
    )
    assert [run.thread_id for run in list_automation_runs(path).runs] == ["a", "b"]
    with closing(sqlite3.connect(path)) as database:
        for name in ("_ROWID_", "oid"):
            database.execute(f"ALTER TABLE automation_runs ADD COLUMN {name} TEXT DEFAULT 'x'")
    assert (
        "automation_runs has no row numbers: which run is last goes by created_at" in list_automation_runs(path).notes
    )


@pytest.mark.parametrize(
    ("values", "running", "overdue"),
    [
        ({"next_run_at": NOW - 60_001}, None, True),
        ({"next_run_at": NOW - 60_000}, None, False),
        ({"next_run_at": NOW + 1}, None, False),
        ({"next_run_at": None}, None, False),
        ({"next_run_at": 1}, 1, False),
        ({"next_run_at": 1}, 0, True),
        ({"next_run_at": 1, "status": "PAUSED"}, None, False),
        ({"next_run_at": 1, "status": "active"}, None, False),
        ({"next_run_at": 1, "deleted_at": 0}, None, False),
        ({"next_run_at": "yesterday"}, None, False),
    ],
)
def test_what_is_overdue(path: Path, values: dict[str, int | str | None], running: int | None, overdue: bool) -> None:
    made(path, automation("a", **values), *([] if running is None else [state("a", running)]))
    found = list_automations(path, NOW)
    assert (found.overdue, found.automations[0].overdue) == (overdue, overdue)
    assert list_automations(path, NOW, grace_ms=-1).automations[0].overdue == (
        overdue or values["next_run_at"] == NOW - 60_000
    )


def test_the_runs_of_one_and_so_many_of_them(path: Path) -> None:
    made(path, *(ran(f"t{number}", "ab"[number % 2]) for number in range(7)))
    runs = list_automation_runs(path, "a", limit=2)
    assert ([run.thread_id for run in runs.runs], runs.found) == (["t6", "t4"], 4)
    assert list_automation_runs(path, limit=0).runs == ()
    assert list_automation_runs(path, limit=0).found == 7
    assert len(list_automation_runs(path, limit=2**80).runs) == 7
    for nobody in ("", "A", "a'; DROP TABLE automation_runs; --", "a\0", "\ud800"):
        assert list_automation_runs(path, nobody).found == 0
    with pytest.raises(ValueError, match="give 0 or more"):
        list_automation_runs(path, limit=-1)


def test_how_each_does(path: Path) -> None:
    long_ago = NOW - HOUR - 1
    made(
        path,
        automation("well", name="Well"),
        ran("tw", "well"),
        automation("new", next_run_at=NOW),
        automation("paused", "PAUSED", next_run_at=1),
        automation("open", next_run_at=1),
        ran("to", "open", None, status="ACCEPTED"),
        automation("unsaid", "PAUSED"),
        ran("tu", "unsaid", None),
        automation("overdue", next_run_at=1),
        automation("failing", next_run_at=1),
        ran("old", "failing"),
        ran("tf", "failing", 0, status="timeout", failure_code="E1"),
        automation("stuck", next_run_at=1),
        ran("ts", "stuck", 0),
        state("stuck", 1, running_started_at=long_ago),
        automation("busy"),
        state("busy", 1, running_started_at=NOW - HOUR),
        automation("gone", deleted_at=5),
        state("gone", 1, running_started_at=1),
    )

    def standing(own: str, health: Health, why: str, name: str | None = None) -> AutomationStanding:
        return AutomationStanding(id=own, name=name, health=health, why=why)

    due = "it should have run at 1970-01-01T00:00:00.001Z"
    assert automation_health(path, NOW) == AutomationHealth(
        at=NOW,
        live=9,
        soft_deleted=1,
        overdue=3,
        stuck=1,
        failing=2,
        unknown=2,
        standings=(
            standing("stuck", Health.stuck, "it has been running since 2026-09-21T13:13:19.999Z"),
            standing("failing", Health.failing, "its last run, tf (timeout E1), came out badly"),
            standing("open", Health.overdue, due),
            standing("overdue", Health.overdue, due),
            standing("unsaid", Health.unknown, "its last run, tu, does not tell how it came out"),
            standing("paused", Health.paused, "it is paused"),
            standing("well", Health.well, "its last run, tw, came out well", "Well"),
            standing("new", Health.well, "it has not run yet"),
            standing("busy", Health.well, "it has not run yet"),
        ),
        notes=(),
    )
    assert automation_health(path, NOW, stuck_after_ms=HOUR - 1).stuck == 2


def test_a_running_that_is_not_said_to_have_begun_is_not_stuck(path: Path) -> None:
    made(path, automation("a", next_run_at=1), state("a", 1))
    health = automation_health(path, NOW)
    assert (health.stuck, health.overdue, health.standings[0].health) == (0, 0, Health.well)


def test_one_that_ran_and_left_no_run_is_not_said_to_do_well(path: Path) -> None:
    made(path, automation("a", last_run_at=7), automation("b"), state("b", last_run_at=8), automation("c"))
    health = automation_health(path, NOW)
    told = "it ran at 1970-01-01T00:00:00.00{}Z, and no run is put down that tells how it came out"
    assert [(one.id, one.health, one.why) for one in health.standings] == [
        ("a", Health.unknown, told.format(7)),
        ("b", Health.unknown, told.format(8)),
        ("c", Health.well, "it has not run yet"),
    ]
    assert health.unknown == 2


@pytest.mark.parametrize("success", [1, None])
def test_an_error_that_the_scheduler_has_down_is_a_failure(path: Path, success: int | None) -> None:
    made(
        path,
        automation("a"),
        ran("ta", "a", success),
        state("a", last_run_at=7, last_error="no credit\n  left " + "x" * 300),
        automation("b"),
        ran("tb", "b", 0),
        state("b", last_error="later"),
        automation("c"),
        ran("tc", "c"),
        state("c", last_error=" \n"),
    )
    health = automation_health(path, NOW)
    assert [(one.id, one.health, one.why) for one in health.standings] == [
        ("a", Health.failing, f"the scheduler has put down an error: no credit left {'x' * 185}…"),
        ("b", Health.failing, "its last run, tb, came out badly"),
        ("c", Health.well, "its last run, tc, came out well"),
    ]
    assert health.failing == 2


def test_when_it_ran_last_may_stand_with_its_state(path: Path) -> None:
    made(path, automation("a"), state("a", last_run_at=7, running_started_at=8))
    (one,) = list_automations(path, NOW).automations
    assert (one.last_run_at, one.running, one.running_started_at) == (7, False, None)


def test_a_writer_at_work_sees_nothing_of_it_and_leaves_nothing_half_read(path: Path) -> None:
    made(path, automation("a"), ran("t1", "a"))
    writer = held(path, "BEGIN IMMEDIATE", "DELETE FROM automations", "DELETE FROM automation_runs")
    before = listing(path.parent)
    assert list_automations(path, NOW).live == 1
    assert list_automation_runs(path).found == 1
    assert automation_health(path, NOW).live == 1
    assert listing(path.parent) == before
    tell(writer, "die")


def test_nobody_at_work_finds_no_file_more(path: Path) -> None:
    made(path, automation("a"), ran("t1", "a"))
    before = listing(path.parent)
    assert [*before] == [path.name]
    list_automations(path, NOW)
    list_automation_runs(path, "a")
    automation_health(path, NOW)
    assert listing(path.parent) == before


def test_a_database_of_many_runs_is_asked_for_few(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes out of the database is what is answered, and no row more."""
    fill = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) "
        "INSERT INTO automation_runs (thread_id, automation_id, result_success) "
        "SELECT 't' || i, CASE i % 20 WHEN 0 THEN 'x' || i ELSE 'a' || (i % 20) END, 1 FROM n"
    )
    made(path, fill, *(automation(f"a{number}") for number in range(10)))
    read: list[str] = []

    class Counted(Row):
        def __init__(self, table: str, cells: Mapping[str, Cell], key: tuple[str, Cell] | None, notes: Notes) -> None:
            super().__init__(table, cells, key, notes)
            read.append(table)

    monkeypatch.setattr(table, "Row", Counted)
    found = list_automations(path, NOW)
    assert (read.count("automations"), read.count("automation_runs")) == (10, 9)
    assert [one.last_run.thread_id for one in found.automations if one.last_run is not None] == [
        f"t{99_980 + number}" for number in range(1, 10)
    ]
    runs = list_automation_runs(path, "a3", limit=2)
    assert ([run.thread_id for run in runs.runs], runs.found) == (["t99983", "t99963"], 5000)
    assert read.count("automation_runs") == 9 + 2
