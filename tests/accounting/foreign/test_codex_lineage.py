"""Forks and sub-agents of Codex: what a thread copied from its parent, and what is its own. Spec: foreign.md 3.3, 4."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.foreign import Session
from accounting.foreign.fidelity import Standing
from accounting.foreign.metering import Meter
from tests.accounting.foreign.codex_files import (
    NAME,
    SESSION,
    TREE,
    Lines,
    Writer,
    answer,
    counts,
    read,
    scripts,
    written,
)

PARENT = "0190a000-0000-7000-8000-0000000000a0"
FORK = "0190a000-0000-7000-8000-0000000000a1"
AGENT = "0190a000-0000-7000-8000-0000000000a2"


def file_of(session: str) -> Path:
    (path,) = TREE.glob(f"*{session}.jsonl")
    return path


def own_input(session: Session) -> int:
    pairs = zip(answer(session).turns, session.outline.turns, strict=True)
    return sum(turn.used.input for turn, told in pairs if turn.used is not None and told.copied_from is None)


def metered(*found: Session) -> tuple[int, int]:
    """Requests and prompt tokens over several sessions, each request once."""
    meter = Meter()
    for session in found:
        meter.session(session)
    requests = list(meter.requests())
    return len(requests), sum(request.used.input for request in requests if request.used is not None)


def test_a_fork_knows_its_own_part() -> None:
    parent, fork = read(file_of(PARENT)), read(file_of(FORK))
    assert [standing.copied_from for standing in fork.outline.turns] == [PARENT, PARENT, None]
    assert [standing.key for standing in fork.outline.turns][:2] == [turn.key for turn in parent.outline.turns][:2]
    assert (fork.report.totals.input, own_input(fork)) == (70, 40)
    assert fork.parent is None
    assert {fact.name: fact.value for fact in fork.outline.facts}["forked_from"] == PARENT
    for order in ((parent, fork), (fork, parent)):
        assert metered(*order) == (4, 100)


def test_a_sub_agent_is_a_run_of_its_own() -> None:
    parent, agent = read(file_of(PARENT)), read(file_of(AGENT))
    assert (agent.run, agent.parent, agent.started_by) == (AGENT, PARENT, "sp_1")
    opening = answer(agent).opening
    assert opening is not None
    assert opening.parent == PARENT
    assert [(child.run, child.call, child.turn) for child in parent.outline.children] == [(AGENT, "sp_1", 2)]
    assert [standing.copied_from for standing in agent.outline.turns] == [None]


def test_without_the_parent_a_burst_is_not_guessed_about(tmp_path: Path) -> None:
    fork = read(Path(shutil.copy(file_of(FORK), tmp_path)))
    assert [standing.figures for standing in fork.outline.turns] == [Standing.unknown, Standing.unknown, Standing.exact]
    assert [standing.copied_from for standing in fork.outline.turns] == [None] * 3
    assert fork.report.totals.standing is Standing.unknown
    # Whoever has both all the same counts the copies once.
    assert metered(read(file_of(PARENT)), fork) == (4, 100)


def test_without_the_parent_a_sub_agent_that_copied_nothing_is_exact(tmp_path: Path) -> None:
    agent = read(Path(shutil.copy(file_of(AGENT), tmp_path)))
    assert (agent.parent, agent.started_by) == (PARENT, None)
    assert [standing.figures for standing in agent.outline.turns] == [Standing.exact]


def test_files_of_other_names_are_told_by_their_heads(tmp_path: Path) -> None:
    shutil.copy(file_of(PARENT), tmp_path / "one.jsonl")
    fork = read(Path(shutil.copy(file_of(FORK), tmp_path / "two.jsonl")))
    assert [standing.copied_from for standing in fork.outline.turns] == [PARENT, PARENT, None]


def test_the_parent_is_found_in_another_day_and_in_the_archive(tmp_path: Path) -> None:
    day = tmp_path / "sessions" / "2026" / "03" / "09"
    day.mkdir(parents=True)
    fork = Path(shutil.copy(file_of(FORK), day))
    for place in (tmp_path / "sessions" / "2026" / "02" / "28", tmp_path / "archived_sessions"):
        place.mkdir(parents=True)
        parent = Path(shutil.copy(file_of(PARENT), place))
        assert own_input(read(fork)) == 40
        parent.unlink()


def test_a_fork_of_a_fork_names_whose_request_it_was(tmp_path: Path) -> None:
    for path in TREE.iterdir():
        shutil.copy(path, tmp_path)
    lines = Writer(session="0190a000-0000-7000-8000-0000000000a9", clock=7200)
    lines.head(forked_from_id=FORK)
    for sums, last in (((10, 1, 0), (10, 1)), ((30, 3, 10), (20, 2)), ((70, 7, 30), (40, 4)), ((71, 8, 30), (1, 1))):
        lines.event("token_count", info={"total_token_usage": counts(*sums), "last_token_usage": counts(*last)})
    grandchild = read(written(tmp_path / f"rollout-x-{lines.session}.jsonl", lines.lines))
    assert [standing.copied_from for standing in grandchild.outline.turns] == [PARENT, PARENT, FORK, None]
    found = [read(path) for path in sorted(tmp_path.iterdir())]
    assert metered(*found) == (6, 10 + 20 + 30 + 40 + 5 + 1)


def test_threads_that_name_one_another_end(tmp_path: Path) -> None:
    paths: list[Path] = []
    for own, other in ((PARENT, FORK), (FORK, PARENT), (AGENT, AGENT)):
        writer = Writer(session=own)
        writer.head(forked_from_id=other)
        writer.counts(5, 1)
        paths.append(written(tmp_path / f"rollout-x-{own}.jsonl", writer.lines))
    assert [read(path).report.totals.requests for path in paths] == [1, 1, 1]


@pytest.mark.parametrize(
    ("session", "count", "own"),
    [(FORK, 0, 40), (FORK, 1, 40), (PARENT, 0, 40), (PARENT, 1, 60)],  # in the last nothing tells that it was copied
)
def test_a_count_that_is_lost_in_either_file_costs_itself(tmp_path: Path, session: str, count: int, own: int) -> None:
    for path in (file_of(PARENT), file_of(FORK)):
        shutil.copy(path, tmp_path)
    (damaged,) = tmp_path.glob(f"*{session}.jsonl")
    rows = damaged.read_text().splitlines()
    lost = [number for number, row in enumerate(rows) if "token_count" in row][count]
    rows[lost] = rows[lost][:-9]
    damaged.write_text("\n".join(rows) + "\n")
    found = [read(path) for path in sorted(tmp_path.iterdir())]
    assert own_input(found[1]) == own
    assert metered(*found)[1] == 100


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("forks")


@settings(max_examples=40)
@given(scripts(), st.data())
def test_what_is_copied_is_counted_once(folder: Path, first: Lines, data: st.DataObject) -> None:
    """A parent cut anywhere, copied into a fork that goes its own way: nothing is lost and nothing counted twice."""
    parent = written(folder / f"rollout-x-{PARENT}.jsonl", [_headed(PARENT), *first[1:]])
    cut = data.draw(st.integers(1, len(first)))
    forked = Writer(session=FORK, clock=9000)
    forked.head(forked_from_id=PARENT)
    forked.lines += [{**line, "timestamp": forked.lines[0]["timestamp"]} for line in first[:cut]]
    forked.sums = _sums(first[:cut])
    forked.clock += 600
    own = data.draw(st.integers(0, 3))
    for number in range(own):
        forked.replies(f"own {number}")
        forked.counts(1000 + number, 1)
    fork = read(written(folder / f"rollout-x-{FORK}.jsonl", forked.lines))
    assert own_input(fork) == sum(1000 + number for number in range(own))
    both = metered(read(parent), fork)
    assert both[1] == sum(_lasts(first)) + own_input(fork)


def _headed(session: str) -> dict[str, object]:
    writer = Writer(session=session)
    writer.head()
    return writer.lines[0]


def _lasts(lines: Lines) -> list[int]:
    counted = (line["payload"] for line in lines if line["payload"].get("type") == "token_count")
    return [payload["info"]["last_token_usage"]["input_tokens"] for payload in counted]


def _sums(lines: Lines) -> list[int]:
    counted = [line["payload"]["info"] for line in lines if line["payload"].get("type") == "token_count"]
    if not counted:
        return [0, 0, 0]
    total = counted[-1]["total_token_usage"]
    return [total["input_tokens"], total["output_tokens"], total["cached_input_tokens"]]


def test_a_call_whose_answer_names_the_sub_agent_started_it(tmp_path: Path) -> None:
    """Older files have no event of it."""
    child = "0190a000-0000-7000-8000-0000000000f1"
    writer = Writer()
    writer.head()
    writer.asks("go")
    writer.item("function_call", name="spawn_agent", arguments='{"message":"look"}', call_id="sp")
    writer.counts(10, 1)
    writer.answers("sp", json.dumps({"agent_id": child, "nickname": "Ada"}))
    parent = read(written(tmp_path / NAME, writer.lines))
    assert [(one.run, one.call, one.turn) for one in parent.outline.children] == [(child, "sp", 1)]
    other = Writer(session=child)
    other.head(source={"subagent": {"thread_spawn": {"parent_thread_id": SESSION, "depth": 1}}})
    other.asks("look")
    session = read(written(tmp_path / NAME.replace(SESSION, child), other.lines))
    assert (session.parent, session.started_by) == (SESSION, "sp")
