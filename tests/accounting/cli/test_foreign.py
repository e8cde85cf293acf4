"""Sessions of other agents in show, fold and runs: which file is whose, which session is meant, and what is marked."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json, structs

from accounting.cli.draw import NARROWEST, draw
from accounting.cli.draw.columns import columns
from accounting.cli.visible import visible
from accounting.foreign import Session, read
from accounting.foreign.fidelity import Standing
from accounting.foreign.outline import Child, Compaction, Fact, Outline, Rewind, Stop, TurnStanding
from accounting.ledger import Place
from accounting.sample import PATH
from accounting.views.rounds import rounds as fold_rounds
from tests.accounting.cli.help import process, rounds
from tests.accounting.foreign.claude_lines import Lines, session_id, small, text, use
from wire import encode
from wire.scalars import RunId, run_id


def run(number: int) -> RunId:
    known = run_id(session_id(number))
    assert known is not None
    return known


def answer(path: Path) -> bytes:
    session = read(path)
    return encode(fold_rounds(session.records, session.run).answer) + b"\n"


def test_fold_prints_what_the_library_gives(tmp_path: Path) -> None:
    path = small().write(tmp_path)
    given = rounds("fold", path)
    assert (given.exit_code, given.stderr) == (0, "")
    assert given.stdout_bytes == answer(path) == rounds("show", "--json", path).stdout_bytes
    assert rounds("fold", "--from", "claude_code", path).stdout_bytes == given.stdout_bytes
    (only,) = json.decode(rounds("runs", "--json", path).stdout)
    assert (only["run"], only["turns"], only["calls"], only["input"], only["output"]) == (run(1), 2, 1, 30, 16)


def test_standard_input_and_pipes_are_read_like_files(tmp_path: Path) -> None:
    path = small().write(tmp_path)
    given = process("fold", "-", input=path.read_bytes())
    assert (given.returncode, given.stdout, given.stderr) == (0, answer(path), b"")


def test_a_ledger_stays_a_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("asked whose it is")

    monkeypatch.setattr("accounting.foreign.registry.recognise", never)
    for path in (PATH, *Path(PATH).glob("ledger-*.jsonl")):
        assert rounds("runs", path).exit_code == 0


def test_several_sessions_are_listed_to_choose_from(tmp_path: Path) -> None:
    for number in (1, 2):
        small(number).write(tmp_path)
    given = rounds("show", tmp_path)
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr.splitlines() == [
        f"rounds: {tmp_path}: 2 sessions in it; choose one with --run",
        *(f"  {run(number)}  claude_code  {run(number)}.jsonl" for number in (1, 2)),
    ]
    assert [row["run"] for row in json.decode(rounds("runs", "--json", tmp_path).stdout)] == [run(1), run(2)]


def test_the_beginning_of_an_id_is_enough_and_a_shared_one_is_not(tmp_path: Path) -> None:
    one = small(1).write(tmp_path, name="one.jsonl")
    small(2).write(tmp_path, name="two.jsonl")
    for asked in (run(1), run(1).upper()):
        assert rounds("fold", tmp_path, "--run", asked).stdout_bytes == answer(one)
    shared = rounds("fold", tmp_path, "--run", "abc")
    assert shared.exit_code == 2
    assert shared.stderr.splitlines()[0] == "rounds: 2 runs begin with 'abc'; give more of the id with --run"
    none = rounds("fold", tmp_path, "--run", "0123")
    assert none.exit_code == 2
    assert f"{tmp_path}: no run '0123'" in none.stderr


def test_a_session_whose_file_is_named_after_it_is_found_without_opening_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from accounting.foreign import sample

    folder = tmp_path / "projects" / "-home-me"
    folder.mkdir(parents=True)
    paths = [small(number).write(folder) for number in range(1, 5)]
    opened: list[Path] = []
    take = sample.take_sample

    def taken(path: Path) -> sample.Sample:
        opened.append(path)
        return take(path)

    monkeypatch.setattr("accounting.foreign.registry.take_sample", taken)
    given = rounds("fold", tmp_path, "--run", run(3))
    assert given.stdout_bytes == answer(paths[2])
    assert {path.name for path in opened} == {paths[2].name}


def test_of_copies_the_fullest_is_shown(tmp_path: Path) -> None:
    lines = small()
    for folder in ("a", "m", "z"):  # so that there is one before it and one after it
        (tmp_path / folder).mkdir()
        lines.write(tmp_path / folder, 3)
    whole = lines.write(tmp_path / "m")
    assert rounds("fold", tmp_path, "--run", run(1)).stdout_bytes == answer(whole)


def test_what_nobody_knows_is_told_with_what_was_tried(tmp_path: Path) -> None:
    for path in (tmp_path / "a.json", tmp_path / "folder"):
        if path.suffix:
            path.write_text('{"hello": 1}\n')
        else:
            path.mkdir()
        given = rounds("show", path)
        assert (given.exit_code, given.stdout) == (2, "")
        assert f"rounds: {path}: neither a ledger nor a session of an agent that is known here" in given.stderr
        assert re.search("tried .*claude_code", given.stderr)
        assert "--from AGENT" in given.stderr


def test_there_is_no_such_agent(tmp_path: Path) -> None:
    given = rounds("show", "--from", "nobody", small().write(tmp_path))
    assert given.exit_code == 2
    assert re.match("rounds: --from: no reader is called 'nobody'; there are .*claude_code", given.stderr)


def test_damage_is_told_with_its_place_and_a_torn_end_is_none(tmp_path: Path) -> None:
    path = small().write(tmp_path)
    path.write_bytes(path.read_bytes() + b'{"type": "us')
    assert (rounds("fold", path).exit_code, rounds("fold", path).stderr) == (0, "")
    size = path.stat().st_size
    path.write_bytes(path.read_bytes() + b"\n" + small(1).lines[0] + b"\n")
    given = rounds("show", path)
    assert given.exit_code == 1
    assert f"rounds: {path}:7 (byte {size - 12}): not-json" in given.stderr
    assert rounds("runs", path).exit_code == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="this user may read everything")
def test_a_file_that_may_not_be_read(tmp_path: Path) -> None:
    path = small().write(tmp_path)
    path.chmod(0)
    assert rounds("show", path).exit_code == 2


def drawn(session: Session, width: int = 80, window: int | None = None) -> list[str]:
    folded = fold_rounds(session.records, session.run, window)
    return [line.plain for line in draw(folded, width, window, session)]


def told(tmp_path: Path, outline: Outline) -> Session:
    """A session of two turns, with what is said beside it."""
    return structs.replace(read(small().write(tmp_path)), outline=outline)


def test_figures_that_were_put_together_are_marked(tmp_path: Path) -> None:
    lines = drawn(read(small().write(tmp_path)))
    assert "   counted once of 2 rows" in lines
    assert lines[-1].startswith("   tokens de-duplicated: each request counted once")


def test_branches_and_copies_and_what_the_person_did(tmp_path: Path) -> None:
    place = Place(segment="a", line=1, offset=0)
    outline = Outline(
        turns=(
            TurnStanding(number=1, live=False, figures=Standing.estimated),
            TurnStanding(number=2, live=True, copied_from=run(7)),
        ),
        compactions=(
            Compaction(after=1, place=place, trigger="auto", tokens_before=155_000, tokens_after=9_000, took_us=1_500),
        ),
        rewinds=(Rewind(place=place, turns=(1,)),),
        stops=(
            Stop(turn=2, place=place),
            Stop(turn=2, place=place, call="t1_0", denied=True),
            Stop(turn=2, place=place, call="gone"),
            Stop(turn=2, place=place, call="gone", denied=True),
        ),
        children=(Child(run=run(8), call="t1_0", turn=1), Child(run=run(9))),
        facts=(Fact(name="cwd", value="/home/me"), Fact(name="title", value="Light\nhouses")),
    )
    lines = drawn(told(tmp_path, outline), 100)
    assert "   agent     claude_code" in lines
    assert "   in        /home/me" in lines
    assert "   title     Light ↵ houses" in lines
    first, second = (next(i for i, line in enumerate(lines) if line.startswith(f"── {n}")) for n in (1, 2))
    between = lines[first:second]
    assert "   off the live branch · tokens estimated" in between
    assert f"     ↳ sub-agent {run(8)}" in between
    assert "   ◇ history compacted: auto, 155,000 tokens before, 9,000 tokens after, 1,500 µs" in between
    assert "   ↶ the person went back, leaving turn 1 behind" in between
    after = lines[second:]
    assert f"   copied from {run(7)}" in after
    assert after.index("   ■ the person interrupted") < after.index("   ■ the person denied Bash  ls")
    assert "   ■ the person interrupted a call" in after
    assert "   ■ the person denied a call" in after
    assert any("1 turn off the live branch, counted all the same · 2 sub-agents" in line for line in after)
    assert f"   sub-agent {run(9)}" in after


def test_in_a_window_the_marks_stand_where_they_belong(tmp_path: Path) -> None:
    outline = Outline(
        turns=(TurnStanding(number=1, live=False), TurnStanding(number=2)),
        stops=(Stop(turn=2, place=Place(segment="a", line=1, offset=0)),),
    )
    lines = drawn(told(tmp_path, outline), window=3)
    assert "   off the live branch" not in lines
    assert "   ■ the person interrupted" in lines


@settings(max_examples=80)
@given(
    st.integers(0, 120),
    st.text(max_size=40),
    st.lists(st.integers(1, 5), max_size=4),
    st.sampled_from(Standing),
    st.none() | st.integers(0, 2**64),
)
def test_no_line_is_wider_than_asked(
    tmp_path_factory: pytest.TempPathFactory, width: int, words: str, turns: list[int], standing: Standing, count: Any
) -> None:
    place = Place(segment="a", line=1, offset=0)
    outline = Outline(
        turns=(TurnStanding(number=1, live=False, figures=standing, rows=count or 1, copied_from=run(7)),),
        compactions=(Compaction(after=0, place=place, trigger=words, tokens_before=count, took_us=count),),
        rewinds=(Rewind(place=place, turns=tuple(turns)),),
        stops=(Stop(turn=1, place=place, call=words),),
        children=(Child(run=run(8), call="t1_0", turn=1), Child(run=run(9), turn=count)),
        facts=(Fact(name="title", value=words), Fact(name="cwd", value=words)),
    )
    session = structs.replace(told(tmp_path_factory.getbasetemp(), outline), started_by=words)
    for line in drawn(session, width):
        assert columns(line) <= max(width, NARROWEST)
        assert visible(line) == line


def test_sub_agents_can_be_chosen(tmp_path: Path) -> None:
    lines = Lines(1).said("Go.").reply("a", use("task"), out=3)
    path = lines.write(tmp_path)
    folder = tmp_path / run(1) / "subagents"
    folder.mkdir(parents=True)
    child = Lines(1, 50)
    child.add("user", {"role": "user", "content": "Look."}, isSidechain=True, agentId="x1")
    child.reply("c", text("Done."))
    rows = [json.decode(line) | {"isSidechain": True, "agentId": "x1"} for line in child.lines]
    (folder / "agent-x1.jsonl").write_bytes(b"".join(json.encode(row) + b"\n" for row in rows))
    listed = json.decode(rounds("runs", "--json", path).stdout)
    assert [row["turns"] for row in listed] == [1, 1]
    main, other = (row["run"] for row in listed)
    assert main == run(1)
    for place in (path, tmp_path):
        shown = rounds("show", place, "--run", other)
        assert shown.exit_code == 0
        assert "Done." in shown.stdout


@pytest.mark.parametrize("command", ["fold", "runs"])
def test_what_comes_in_by_a_pipe_is_called_so(tmp_path: Path, command: str) -> None:
    given = process(command, "-", input=b"[]\n" + small().write(tmp_path).read_bytes())
    assert given.returncode == 1
    assert given.stderr == b"rounds: standard input:1 (byte 0): not-a-row\n"


def exec_stream(path: Path) -> Path:
    """What `codex exec --json` prints: nothing in it has a time."""
    item = {"id": "i", "type": "command_execution", "command": "ls", "status": "in_progress"}
    rows: list[Any] = [
        {"type": "thread.started", "thread_id": session_id(5)},
        {"type": "turn.started"},
        {"type": "item.started", "item": item},
    ]
    path.write_bytes(b"".join(json.encode(row) + b"\n" for row in rows))
    return path


def test_times_that_are_not_recorded_are_not_shown(tmp_path: Path) -> None:
    path = exec_stream(tmp_path / "exec.jsonl")
    rounds("import", path, "-o", tmp_path / "ledger")
    for where in (path, tmp_path / "ledger"):
        drawing = rounds("show", where).stdout
        assert "1970" not in drawing
        assert "00:00:00" not in drawing
        assert "began" not in drawing
        assert re.search(r"command_execution .*waiting$", drawing, re.MULTILINE)
        listed = rounds("runs", where).stdout
        assert "1970" not in listed
        assert "unknown" in listed
    finished = path.read_bytes() + b'{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}\n'
    path.write_bytes(finished)
    assert "1970" not in rounds("show", path).stdout


def test_an_empty_file_has_nothing_recorded(tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    given = rounds("show", path, "--from", "claude_code")
    assert given.exit_code == 0
    assert "nothing is recorded in it" in given.stdout
    assert "its beginning is not at hand" not in given.stdout
