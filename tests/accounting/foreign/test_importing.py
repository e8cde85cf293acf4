"""Importing: the same answers as reading directly, the same bytes for the same files, and only what is new."""

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs, to_builtins

from accounting.foreign import Session, Source, read, sessions, sources
from accounting.foreign.import_report import ImportReport, WhyNot
from accounting.foreign.importing import NotALedgerDirectoryError, import_sessions
from accounting.foreign.provenance import ImportedLine, ImportedRun, provenance, provenance_file
from accounting.ledger import check
from accounting.ledger.writing import Draft, LedgerWriter
from accounting.views.rounds import read_rounds, rounds
from tests.accounting.foreign.claude_lines import Lines, small, text, use
from wire.scalars import NIL_RUN

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "data" / "samples"
SOME = settings().max_examples // 10
"""Examples are files here: fewer than elsewhere."""
Where = tuple[str, int, int]


def do(into: Path, *paths: Path) -> ImportReport:
    return import_sessions([source for path in paths for source in sources(path)], into)


def put(answer: Any, place: Callable[[int], Where]) -> Any:
    """An answer with the places of its lines in place of their numbers."""
    if isinstance(answer, dict):
        shape = cast("dict[str, Any]", answer)
        is_time = "task" in shape or "completion" in shape  # what `at` is in an opening and a closing
        names = ("opened",) if is_time else ("at", "opened")
        return {key: place(value) if key in names else put(value, place) for key, value in shape.items()}
    return [put(one, place) for one in cast("list[Any]", answer)] if isinstance(answer, list | tuple) else answer


def direct(session: Session) -> Any:
    def place(seq: int) -> Where:
        where = session.places[seq]
        return where.segment, where.line, where.offset

    return put(to_builtins(rounds(session.records, session.run).answer), place)


def imported(ledger: Path, session: Session) -> Any:
    lines = {row.seq: row for row in provenance(ledger) if isinstance(row, ImportedLine)}

    def place(seq: int) -> Where:
        return lines[seq].file, lines[seq].line, lines[seq].offset

    return put(to_builtins(read_rounds(ledger, session.run).answer), place)


def everything(ledger: Path) -> dict[str, bytes]:
    files = [*ledger.iterdir(), provenance_file(ledger)]
    return {file.name: file.read_bytes() for file in sorted(files)}


def conforms(ledger: Path) -> bool:
    return check(ledger).conforms


STEPS = st.lists(
    st.sampled_from(["said", "reply", "call", "more", "result", "failed", "early", "late"]), min_size=1, max_size=14
)


def made(number: int, steps: list[str]) -> Lines:
    """A session that goes as the steps say."""
    lines = Lines(number, 100 * number).said(f"Begin {number}.")
    requests = calls = answered = 0
    for step in steps:
        if step == "said":
            lines.said(f"Word {len(lines.lines)}.")
        elif step == "reply":
            requests += 1
            lines.reply(f"m{number}_{requests}", text("x" * requests), out=requests, stop="end_turn")
        elif step == "call":
            requests, calls = requests + 1, calls + 1
            lines.reply(f"m{number}_{requests}", use(f"t{number}_{calls}"), out=4)
        elif step == "more" and requests:
            calls += 1
            lines.reply(f"m{number}_{requests}", use(f"t{number}_{calls}", "more"), out=50 + calls)
        elif step == "late" and requests > 1:
            lines.reply(f"m{number}_{requests - 1}", text("late"), out=90)
        elif step == "early":
            lines.result(f"t{number}_{calls + 1}", "before its call")
        elif step in ("result", "failed") and answered < calls:
            answered += 1
            lines.result(f"t{number}_{answered}", f"{step}\n", failed=step == "failed")
    return lines


@settings(max_examples=SOME)
@given(st.lists(STEPS, min_size=1, max_size=3), st.randoms(use_true_random=False))
def test_importing_and_folding_is_reading_and_folding(every: list[list[str]], chance: random.Random) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        paths = [made(number, steps).write(folder) for number, steps in enumerate(every, 1)]
        report = do(folder / "ledger", *paths)
        assert not any(session.not_told for session in report.sessions)
        assert conforms(folder / "ledger")
        for path in paths:
            for session in sessions(path):
                assert imported(folder / "ledger", session) == direct(session)
        before = everything(folder / "ledger")
        chance.shuffle(paths)
        again = do(folder / "ledger", *paths, *paths)
        assert sum(session.added for session in again.sessions) == 0
        assert everything(folder / "ledger") == before
        # Another order of the same files, or the folder that they are in: the same bytes.
        do(folder / "other", *paths)
        assert [*everything(folder / "other").values()] == [*before.values()]


@settings(max_examples=SOME)
@given(STEPS, st.data())
def test_a_session_that_grew_is_told_on(steps: list[str], data: st.DataObject) -> None:
    whole = made(1, steps)
    cuts = data.draw(st.lists(st.integers(1, len(whole.lines)), max_size=3).map(sorted))
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        ledger = folder / "ledger"
        reports = [do(ledger, whole.write(folder, cut)) for cut in [*cuts, len(whole.lines)]]
        session = read(whole.write(folder))
        assert conforms(ledger)
        before = everything(ledger)
        assert do(ledger, whole.write(folder)).sessions[0].added == 0
        assert everything(ledger) == before
        if not any(report.sessions[0].not_told for report in reports):
            assert imported(ledger, session) == direct(session)
        written = {row.seq for row in provenance(ledger) if isinstance(row, ImportedLine)}
        assert written == set(range(len(written)))


def test_a_reply_that_grew_is_told_again(tmp_path: Path) -> None:
    lines = small()
    first = do(tmp_path / "ledger", lines.write(tmp_path, 2)).sessions[0]
    assert (first.records, first.added, first.again) == (3, 3, 0)
    second = do(tmp_path / "ledger", lines.write(tmp_path)).sessions[0]
    assert (second.added, second.again, second.not_told) == (6, 1, ())
    session = read(tmp_path / f"{lines.id}.jsonl")
    answer = read_rounds(tmp_path / "ledger", session.run).answer
    assert answer.turns[0].used is not None
    assert answer.turns[0].used.output == 7
    assert len(answer.turns[0].calls) == 1


def test_what_comes_after_a_later_request_is_reported(tmp_path: Path) -> None:
    lines = small()
    do(tmp_path / "ledger", lines.write(tmp_path))
    before = everything(tmp_path / "ledger")
    lines.reply("a1_0", use("u"), out=70)
    (told,) = do(tmp_path / "ledger", lines.write(tmp_path)).sessions
    assert everything(tmp_path / "ledger") == before
    assert [one.why for one in told.not_told] == [WhyNot.changed, WhyNot.closed_turn]
    assert told.not_told[1].kind == "tool_called"
    assert told.not_told[1].place.line == 7


def test_words_that_reached_a_later_request_stand_elsewhere(tmp_path: Path) -> None:
    lines = small()
    do(tmp_path / "ledger", lines.write(tmp_path, 5))
    (told,) = do(tmp_path / "ledger", lines.write(tmp_path)).sessions
    assert [(one.why, one.kind) for one in told.not_told] == [(WhyNot.elsewhere, "steer_received")]


def test_of_two_copies_the_longer_one_counts_and_they_do_not_take_turns(tmp_path: Path) -> None:
    lines = small()
    whole, part = lines.write(tmp_path), lines.write(tmp_path, 2, "copy.jsonl")
    report = do(tmp_path / "ledger", part, whole)
    assert [session.added for session in report.sessions] == [8, 0]
    before = everything(tmp_path / "ledger")
    do(tmp_path / "ledger", whole, part)
    assert everything(tmp_path / "ledger") == before


def test_sub_agents_follow_what_started_them(tmp_path: Path) -> None:
    if not SAMPLES.is_dir():
        pytest.skip(f"no samples at {SAMPLES}")
    report = do(tmp_path / "ledger", SAMPLES / "claude_task_sidechain.jsonl")
    parent, child = report.sessions
    assert child.parent == parent.run
    assert child.started_by is not None
    rows = [row for row in provenance(tmp_path / "ledger") if isinstance(row, ImportedRun)]
    assert [(row.run, row.parent, row.started_by) for row in rows] == [
        (parent.run, None, None),
        (child.run, parent.run, child.started_by),
    ]


def test_provenance_that_was_lost_in_a_crash_is_added(tmp_path: Path) -> None:
    path = small().write(tmp_path)
    do(tmp_path / "ledger", path)
    file = provenance_file(tmp_path / "ledger")
    whole = file.read_bytes()
    for cut in range(0, len(whole), 37):
        file.write_bytes(whole[:cut])
        do(tmp_path / "ledger", path)
        assert file.read_bytes() == whole


def test_a_ledger_of_ones_own_is_gone_on_with(tmp_path: Path) -> None:
    with LedgerWriter(tmp_path / "ledger") as writer:
        writer.append(Draft(run=NIL_RUN, who="city", kind="city_initialized", data={}, t=1))
    path = small().write(tmp_path)
    do(tmp_path / "ledger", path)
    assert conforms(tmp_path / "ledger")
    session = read(path)
    assert imported(tmp_path / "ledger", session) == direct(session)


def test_nothing_is_written_among_other_files(tmp_path: Path) -> None:
    small().write(tmp_path)
    with pytest.raises(NotALedgerDirectoryError):
        do(tmp_path, tmp_path)
    assert len([*tmp_path.iterdir()]) == 1


def test_a_file_that_cannot_be_read_costs_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    good, bad = small(1).write(tmp_path), small(2, 50).write(tmp_path)
    found = [*sources(good), *sources(bad)]
    bad.unlink()
    report = import_sessions(found, tmp_path / "ledger")
    assert [one.path for one in report.unread] == [str(bad)]
    assert len(report.sessions) == 1


def _samples() -> Iterator[Path]:
    yield from sorted(SAMPLES.glob("*.json*")) if SAMPLES.is_dir() else ()


@pytest.mark.parametrize("path", [*_samples()], ids=lambda path: path.name)
def test_samples_import_as_they_read(tmp_path: Path, path: Path) -> None:
    every = [*sessions(path)]
    report = do(tmp_path / "ledger", path)
    assert conforms(tmp_path / "ledger")
    lacking = {one.run for one in report.sessions if one.not_told_count}
    for session in every:
        if session.run not in lacking and session.records:
            assert imported(tmp_path / "ledger", session) == direct(session)
    before = everything(tmp_path / "ledger")
    do(tmp_path / "ledger", path)
    assert everything(tmp_path / "ledger") == before


def test_copies_that_contradict_each_other_do_not_take_turns(tmp_path: Path) -> None:
    one = Lines(1).said("Go.").reply("a", text("seven"))
    other = Lines(1).said("Go.").reply("a", text("eight"))
    paths = one.write(tmp_path, None, "one.jsonl"), other.write(tmp_path, None, "other.jsonl")
    first = do(tmp_path / "ledger", *paths)
    assert [[one.why for one in session.not_told] for session in first.sessions] == [[], [WhyNot.changed]]
    before = everything(tmp_path / "ledger")
    do(tmp_path / "ledger", *paths[::-1])
    assert everything(tmp_path / "ledger") == before


def test_lost_provenance_of_copies_is_added_once(tmp_path: Path) -> None:
    lines = small()
    paths = lines.write(tmp_path), lines.write(tmp_path, None, "copy.jsonl")
    do(tmp_path / "ledger", *paths)
    file = provenance_file(tmp_path / "ledger")
    whole = file.read_bytes()
    file.write_bytes(whole[:-30])
    do(tmp_path / "ledger", *paths)
    assert file.read_bytes() == whole


def test_the_result_of_a_call_that_could_not_be_told_is_not_told_either(tmp_path: Path) -> None:
    lines = small()
    do(tmp_path / "ledger", lines.write(tmp_path))
    before = everything(tmp_path / "ledger")
    lines.reply("a1_0", use("u"), out=70).result("u", "late")
    (told,) = do(tmp_path / "ledger", lines.write(tmp_path)).sessions
    assert [(one.why, one.kind) for one in told.not_told[1:]] == [
        (WhyNot.closed_turn, "tool_called"),
        (WhyNot.closed_turn, "tool_result"),
    ]
    assert everything(tmp_path / "ledger") == before


@pytest.mark.parametrize(
    ("index", "data", "left"),
    [
        (1, {"segments": [], "model": "\ud800"}, ["tool_result"]),
        (1, {"segments": [], "model": 7}, ["tool_result"]),
        (3, {"id": "t", "name": "Bash", "args": {"x": 1.5}}, []),
        (4, {"tool_use_id": "t1_0", "name": "Bash", "result": "a", "error": "b"}, []),
    ],
)
def test_what_no_line_can_say_is_left_out_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, index: int, data: Any, left: list[str]
) -> None:
    path = small().write(tmp_path)
    session = read(path)
    records = list(session.records)
    assert [record.kind for record in records[1:5]] == ["model_called", "model_returned", "tool_called", "tool_result"]
    records[index] = structs.replace(records[index], data=data)
    broken = structs.replace(session, records=tuple(records))

    def read_broken(_: Source) -> Iterator[Session]:
        yield broken

    monkeypatch.setattr("accounting.foreign.import_order.read_source", read_broken)
    for added in (True, False):
        (told,) = do(tmp_path / "ledger", path).sessions
        assert bool(told.added) is added
        assert (told.not_told[0].why, told.not_told[0].place) == (WhyNot.refused, session.places[index])
        assert conforms(tmp_path / "ledger")
    answer = read_rounds(tmp_path / "ledger", session.run).answer
    assert answer.turns[-1].said == "Four."
    # What belongs to a request that is not there is in no other one.
    assert len(answer.turns) == (1 if left else 2)
    assert not left or not answer.turns[0].calls
