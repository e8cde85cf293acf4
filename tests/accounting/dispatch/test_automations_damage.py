"""A scheduler's database of another version, or with values that are not what is meant: each costs itself alone."""

import json
import sqlite3
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.dispatch.automations import automation_health, list_automation_runs, list_automations
from tests.accounting.dispatch.scheduler import NOW, TABLES, Value, automation, made, ran, state
from wire import decode, encode
from wire.dispatch import AutomationHealth, AutomationList, AutomationRuns, Health


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "workbuddy.db"


def test_a_database_without_any_of_it(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE sessions (id)")
    notes = tuple(
        f"there is no table {table}: nothing is told of what it holds"
        for table in ("automations", "automation_runtime_state", "automation_runs")
    )
    found = list_automations(path, NOW)
    assert (found.automations, found.live, found.soft_deleted, found.overdue, found.notes) == ((), 0, 0, 0, notes)
    assert list_automation_runs(path, "a") == AutomationRuns(runs=(), found=0, notes=notes[2:])
    assert automation_health(path, NOW).notes == notes
    path.write_bytes(b"")
    assert list_automations(path, NOW).notes == notes


def test_a_table_that_is_missing_leaves_the_others(path: Path) -> None:
    made(path, automation("a", next_run_at=1), ran("t", "a"), state("a", 1), "DROP TABLE automation_runs")
    found = list_automations(path, NOW)
    assert (found.automations[0].running, found.automations[0].last_run, found.overdue) == (True, None, 0)
    (standing,) = automation_health(path, NOW).standings
    assert (standing.health, standing.why) == (Health.unknown, "the database does not tell how runs came out")
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE automation_runtime_state")
    found = list_automations(path, NOW)
    assert (found.automations[0].running, found.overdue) == (None, 1)
    assert len(found.notes) == 2


def test_a_column_that_is_missing_is_null_and_said_once(path: Path) -> None:
    made(
        path,
        "INSERT INTO automations (id, status) VALUES ('a', 'ACTIVE'), ('b', 'ACTIVE')",
        without={"automations": ("name", "deleted_at", "cwds"), "automation_runs": ("result_success", "read_at")},
    )
    found = list_automations(path, NOW)
    assert [(one.name, one.live, one.cwds) for one in found.automations] == [(None, True, ())] * 2
    assert found.notes == (
        "automations lacks columns, which read as null: name, cwds, deleted_at",
        "automation_runs lacks columns, which read as null: result_success, read_at",
    )


def test_a_run_of_nobody_knows_whom(path: Path) -> None:
    made(path, "INSERT INTO automation_runs (thread_id) VALUES ('t')", without={"automation_runs": ("automation_id",)})
    assert list_automation_runs(path).found == 1
    assert list_automation_runs(path, "a").found == 0


VALUES = {
    "next_run_at": ("soon", -1, 2**63 - 1, 253_402_300_800_000, 1.5, b"\x01"),
    "name": (b"\xff\xfe",),
    "cwds": ("[", "{}", "3", '"/srv"', b"\xff", "[" * 100_000),
}


@pytest.mark.parametrize(
    ("column", "value"), [(column, value) for column, values in VALUES.items() for value in values]
)
def test_a_value_that_is_not_what_is_meant_costs_itself(path: Path, column: str, value: Value) -> None:
    made(path, automation("a", prompt="kept", **{column: value}), automation("b", **{column: value}), automation("c"))
    found = list_automations(path, NOW)
    assert (found.live, found.automations[0].prompt) == (3, "kept")
    assert found.automations[0].next_run_at is None
    assert found.automations[0].cwds == ()
    (note,) = found.notes
    assert note.startswith(f"automations.{column} ")
    assert note.endswith(", in 2 rows, the first `a`")
    assert automation_health(path, NOW).notes == found.notes


def test_what_reads_all_the_same(path: Path) -> None:
    made(
        path,
        automation("a", cwds='["/a", 3, "\\udc80", null]', name=b"\xffx", next_run_at="17", created_at=5.0),
        automation(b"\xfe", status=b"ACTIVE"),
        automation(17, name=b"told as a blob"),
        automation("c"),
        ran("t", 17),
        "UPDATE automations SET name = char(0) WHERE id = 'c'",
    )
    one, odd, number, nul = list_automations(path, NOW).automations
    assert (one.cwds, one.name, one.next_run_at, one.created_at) == (("/a", "\ufffd"), "\ufffdx", 17, 5)
    assert (odd.id, odd.status) == ("\ufffd", "ACTIVE")
    assert (number.id, number.name, nul.name) == ("17", "told as a blob", "\0")
    assert number.last_run is not None
    assert list_automations(path, NOW).notes == (
        "automations.name is no UTF-8, and what is bad reads as U+FFFD, in `a`",
        "automations.cwds holds what is no text, which is left out, in `a`",
        "automations.id is no UTF-8, and what is bad reads as U+FFFD, in `\ufffd`",
    )


def test_what_is_neither_yes_nor_no(path: Path) -> None:
    made(path, automation("a", next_run_at=1), ran("t", "a", 2), state("a", "yes", running_started_at=1))
    found = list_automations(path, NOW)
    assert (found.automations[0].running, found.automations[0].running_started_at, found.overdue) == (None, None, 1)
    assert found.notes == (
        "automation_runs.result_success is neither 0 nor 1, in `t`",
        "automation_runtime_state.running is neither 0 nor 1, in `a`",
    )
    health = automation_health(path, NOW)
    assert (health.stuck, health.failing, health.unknown) == (0, 0, 1)


def test_what_has_no_id_is_there_all_the_same(path: Path) -> None:
    made(path, automation(None), automation(None), ran(None, None), state(None, 1), ran("x" * 500 + "\n", None, 3))
    found = list_automations(path, NOW)
    assert [(one.id, one.running, one.last_run) for one in found.automations] == [("", None, None)] * 2
    assert found.notes == (
        "automation_runtime_state.automation_id is missing, and reads as empty, in 1 row",
        "automations.id is missing, and reads as empty, in 2 rows",
    )
    runs = list_automation_runs(path)
    assert [(run.thread_id[:3], run.automation_id) for run in runs.runs] == [("xxx", None), ("", None)]
    assert runs.notes == (
        "automation_runs.result_success is neither 0 nor 1, in `" + "x" * 80 + "…`",
        "automation_runs.thread_id is missing, and reads as empty, in 1 row",
    )


def test_two_states_of_one_automation(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        for table, columns in TABLES.items():
            database.execute(f"CREATE TABLE {table} ({', '.join(columns)})".replace("PRIMARY KEY", ""))
        for line in (automation("a"), automation("a"), state("a", 1), state("a", 0)):
            database.execute(line)
        database.commit()
    assert [one.running for one in list_automations(path, NOW).automations] == [False, False], "the last counts, once"


def test_a_database_in_utf_16(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA encoding='UTF-16le'")
        database.execute("PRAGMA journal_mode=WAL")
    made(path, automation("ä", name="Größe"), ran("t", "ä"))
    (one,) = list_automations(path, NOW).automations
    assert (one.id, one.name, one.last_run is not None) == ("ä", "Größe", True)
    assert list_automation_runs(path, "ä").found == 1


@pytest.mark.parametrize("read", [list_automations, automation_health])
def test_what_is_no_database(path: Path, read: object) -> None:
    assert callable(read)
    for content, why in ((b"x" * 5000, "no SQLite database"), (None, "No such file")):
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content)
        with pytest.raises(OSError, match=why):
            read(path, NOW)
        with pytest.raises(OSError, match=why):
            list_automation_runs(path)


ids = st.sampled_from([None, "a", "b", "c", 1, "1", 1.0, b"a", b"\xff", ""])
times = st.sampled_from([None, 0, 1, NOW - 60_001, NOW - 60_000, NOW, 2**62, -5, "1", "x", b"\x00", 1.0, 2.5])
flags = st.sampled_from([None, 0, 1, 2, "1", "no", 1.0, 0.5, b"1"])
statuses = st.sampled_from(["ACTIVE", "PAUSED", None, 3, b"ACTIVE", "active"])
anything: st.SearchStrategy[Value] = (
    st.none() | st.integers(-(2**63), 2**63 - 1) | st.floats() | st.text() | st.binary()
)
texts = st.sampled_from(['["/a"]', "[", None, 5]) | anything
BY_NAME = {
    **dict.fromkeys(("deleted_at", "next_run_at", "created_at", "running_started_at"), times),
    **dict.fromkeys(("running", "result_success"), flags),
    **dict.fromkeys(("id", "automation_id", "thread_id"), ids),
    "status": statuses,
}

Rows = dict[str, list[dict[str, Value]]]
Had = dict[str, list[str]]


@st.composite
def databases(draw: st.DrawFn) -> tuple[Had, Rows, bool]:
    """Tables, some missing, with some of their columns, and rows with values of any type in them."""
    had: Had = {}
    rows: Rows = {}
    typed = draw(st.booleans())
    for table, spelled in TABLES.items():
        if draw(st.integers(0, 9)) == 0:
            continue
        names = [column.split()[0] for column in spelled]
        dropped = draw(st.sets(st.sampled_from(names), max_size=3)) if draw(st.booleans()) else set[str]()
        had[table] = [name for name in names if name not in dropped] or names[:1]
        row = st.fixed_dictionaries({name: BY_NAME.get(name, texts) for name in had[table]})
        rows[table] = draw(st.lists(row, max_size=5))
    return had, rows, typed


def _build(path: Path, had: Had, rows: Rows, *, typed: bool) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA synchronous=OFF")
        for table, names in had.items():
            spelled = {column.split()[0]: column.split()[1] for column in TABLES[table]}
            columns = ", ".join(f"{name} {spelled[name] if typed else ''}" for name in names)
            database.execute(f"CREATE TABLE {table} ({columns})")
            for row in rows[table]:
                holes = ", ".join("?" * len(row))
                with suppress(UnicodeEncodeError):  # half of a surrogate pair
                    database.execute(f"INSERT INTO {table} VALUES ({holes})", tuple(row.values()))
        database.commit()


def _escaped(text: bytes) -> str:
    return text.decode(errors="surrogateescape")


def _rows(path: Path, table: str) -> list[dict[str, Value]]:
    """The table as it came to be stored, without any selecting by SQL."""
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        database.text_factory = _escaped
        try:
            return [dict(row) for row in database.execute(f"SELECT * FROM {table} ORDER BY rowid")]
        except sqlite3.OperationalError:
            return []


def _key(value: Value) -> str | None:
    if isinstance(value, bytes):
        return value.decode(errors="surrogateescape")
    return None if value is None else str(value)


def _time(value: Value) -> int | None:
    return value if isinstance(value, int) and 0 <= value < 253_402_300_800_000 else None


def _flag(value: Value) -> bool | None:
    return {0: False, 1: True}.get(value) if isinstance(value, int) else None


@settings(max_examples=150)
@given(databases())
def test_whatever_there_is_is_told_as_a_plain_count_would(
    tmp_path_factory: pytest.TempPathFactory, drawn: tuple[Had, Rows, bool]
) -> None:
    had, rows, typed = drawn
    path = tmp_path_factory.mktemp("any") / "workbuddy.db"
    _build(path, had, rows, typed=typed)
    found, health, runs = list_automations(path, NOW), automation_health(path, NOW), list_automation_runs(path)
    for answer, shape in ((found, AutomationList), (health, AutomationHealth), (runs, AutomationRuns)):
        assert decode(encode(answer), shape) == answer
    plain, plain_runs = _rows(path, "automations"), _rows(path, "automation_runs")
    states = {_key(one.get("automation_id")): one for one in _rows(path, "automation_runtime_state")}
    states.pop(None, None)
    last = {_key(one.get("automation_id")): one for one in plain_runs}
    last.pop(None, None)
    expected = Counter[str]()
    for one, shown in zip(plain, found.automations, strict=True):
        own = _key(one.get("id"))
        live = one.get("deleted_at") is None
        running = _flag(states[own].get("running")) if own in states else None
        active = one.get("status") in ("ACTIVE", b"ACTIVE")
        due = _time(one.get("next_run_at"))
        overdue = live and active and due is not None and due < NOW - 60_000 and running is not True
        run = last.get(own)
        assert (shown.live, shown.soft_deleted, shown.overdue) == (live, not live, overdue)
        assert (shown.running, shown.last_run is None) == (running, run is None)
        if run is not None and shown.last_run is not None:
            assert shown.last_run.result_success == _flag(run.get("result_success"))
            assert shown.last_run.created_at == _time(run.get("created_at"))
        began = _time(states[own].get("running_started_at")) if own in states else None
        stuck = bool(running) and began is not None and began < NOW - 3_600_000
        outcome = None if run is None else _flag(run.get("result_success"))
        told = {"automation_id", "result_success"} <= {*had.get("automation_runs", ())} and "id" in had["automations"]
        expected += Counter(live=live, deleted=not live, overdue=overdue)
        failing = outcome is False or bool((shown.last_error or "").split())
        untold = outcome is None if run is not None else shown.last_run_at is not None
        expected += Counter(stuck=live and stuck, failing=live and failing)
        expected += Counter(unknown=live and (not told or untold))
    assert (found.live, found.soft_deleted, found.overdue) == tuple(
        expected[name] for name in ("live", "deleted", "overdue")
    )
    assert (health.live, health.soft_deleted, health.overdue) == (found.live, found.soft_deleted, found.overdue)
    assert (health.stuck, health.failing, health.unknown) == tuple(
        expected[name] for name in ("stuck", "failing", "unknown")
    )
    assert len(health.standings) == health.live
    assert (runs.found, len(runs.runs)) == (len(plain_runs), len(plain_runs))
    assert [run.created_at for run in runs.runs] == [_time(one.get("created_at")) for one in reversed(plain_runs)]
    for own in ("a", "1"):
        assert list_automation_runs(path, own).found == [_key(one.get("automation_id")) for one in plain_runs].count(
            own
        )
    json.loads(encode(health))
