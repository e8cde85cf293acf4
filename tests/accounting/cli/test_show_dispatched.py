"""`rounds show RUN` and its like: the agent's session file where there is one, else what the agent printed."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from accounting.dispatch.store import RunStore
from accounting.dispatch.wait import wait
from accounting.foreign import read
from accounting.views.rounds import rounds as fold_rounds
from tests.accounting.cli.help import process, rounds
from tests.accounting.dispatch.journals import INITIALISED, QUEUED, SPAWN_FAILED, SPAWNED, after
from tests.accounting.dispatch.runs import World, create, until
from tests.accounting.dispatch.talks import CWD, SESSION, Claude, Newer, written
from wire import encode
from wire.dispatch import DispatchJournal, DispatchState
from wire.scalars import DispatchId, absolute_path, dispatch_id

RUN = "wb-21247a57b8ae3af2"


def run_id(text: str) -> DispatchId:
    known = dispatch_id(text)
    assert known is not None
    return known


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunStore:
    """Where runs are, for this test; the working directory is empty."""
    monkeypatch.setenv("ROUNDS_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    return RunStore(tmp_path / "state")


def keep(store: RunStore, journal: DispatchJournal, run: str = RUN, session: str | None = SESSION) -> Path:
    """Write a run's journal; the agent's own directory is beside the state directory."""
    workspace, configuration = absolute_path(CWD), absolute_path(str(store.directory.parent / "agent"))
    assert workspace is not None
    journal = structs.replace(
        journal,
        run_id=run_id(run),
        workspace=workspace,
        configuration=configuration,
        session_id=session if journal.session_id is not None else None,
        session_file=None,
    )
    assert create(store, journal)
    return store.stream_path(run_id(run))


def session_file(store: RunStore, talk: Claude | Newer) -> Path:
    return written(store.directory.parent / "agent" / "projects" / "-home-me-harbour" / f"{SESSION}.jsonl", talk.rows)


def event(kind: str, **more: Any) -> bytes:
    return json.dumps({"type": kind, "session_id": SESSION, **more}).encode() + b"\n"


INIT = event("system", subtype="init", cwd=CWD, model="m", tools=["Bash"])
SAYS = event(
    "assistant",
    parent_tool_use_id=None,
    message={"id": "m1", "role": "assistant", "model": "m", "content": [{"type": "text", "text": "Mended."}]},
)
RESULT = event("result", subtype="success", is_error=False, result="Mended.", num_turns=1)
WARNINGS = b"Warning: no colours\n" * 30


def answer(path: Path, agent: str | None = None) -> bytes:
    session = read(path, agent)
    return encode(fold_rounds(session.records, session.run).answer) + b"\n"


@pytest.mark.parametrize("dialect", [Claude, Newer])
def test_the_session_file_is_shown(store: RunStore, dialect: type[Claude] | type[Newer]) -> None:
    keep(store, after(SPAWNED, INITIALISED)).write_bytes(INIT)
    talk = dialect()
    talk.asks("Mend it.")
    talk.says("Mended.")
    path = session_file(store, talk)
    given = rounds("show", RUN)
    assert (given.exit_code, given.stderr) == (0, "")
    assert "Mend it." in given.stdout
    assert "Mended." in given.stdout
    assert rounds("show", RUN, "--json").stdout_bytes == rounds("fold", RUN).stdout_bytes == answer(path)
    (only,) = json.loads(rounds("runs", "--json", RUN).stdout)
    assert (only["run"], only["turns"]) == (SESSION, 1)
    usage = json.loads(rounds("usage", RUN, "--json").stdout)
    assert usage["total"]["requests"] == 1


def test_without_a_session_file_what_the_agent_printed_is_shown(store: RunStore) -> None:
    stream = keep(store, after(SPAWNED))
    stream.write_bytes(INIT + SAYS + RESULT)
    given = rounds("show", RUN)
    assert (given.exit_code, given.stderr) == (0, "")
    assert "Mended." in given.stdout
    assert rounds("fold", RUN).stdout_bytes == answer(stream)
    (only,) = json.loads(rounds("runs", "--json", RUN).stdout)
    assert (only["run"], only["turns"]) == (SESSION, 1)


def test_a_session_file_that_no_reader_knows_yet(store: RunStore) -> None:
    keep(store, after(SPAWNED, INITIALISED)).write_bytes(INIT + SAYS)
    for rows in ([], [{"brand": "new"}]):
        talk = Claude()
        talk.rows = rows
        session_file(store, talk)
        given = rounds("show", RUN)
        assert (given.exit_code, given.stderr) == (0, "")
        assert "Mended." in given.stdout


def test_warnings_above_the_stream_are_told_and_it_is_shown(store: RunStore) -> None:
    stream = keep(store, after(SPAWNED))
    stream.write_bytes(WARNINGS + INIT + SAYS + RESULT)
    given = rounds("show", RUN)
    assert given.exit_code == 1
    assert given.stderr == f"rounds: {stream}:1 (byte 0): not-json, and 29 more\n"
    assert "Mended." in given.stdout
    assert rounds("fold", RUN).stdout_bytes == answer(stream, "claude_stream")


def test_a_stream_of_warnings_only_and_one_that_has_just_begun(store: RunStore) -> None:
    stream = keep(store, after(SPAWNED))
    stream.write_bytes(WARNINGS)
    given = rounds("show", RUN)
    assert given.exit_code == 1
    assert "not-json" in given.stderr
    assert not isinstance(given.exception, (ValueError, KeyError, IndexError))
    stream.write_bytes(INIT)
    assert rounds("show", RUN).exit_code == 0


def test_a_stream_that_is_being_written(store: RunStore) -> None:
    stream = keep(store, after(SPAWNED))
    whole = INIT + SAYS + RESULT
    turns: list[int] = []
    for cut in range(1, len(whole) + 1, 7):
        stream.write_bytes(whole[:cut])
        given = rounds("show", RUN, "--json")
        assert (given.exit_code, given.stderr) == (0, ""), whole[:cut]
        turns.append(len(json.loads(given.stdout)["turns"]))
    assert sorted(turns) == turns
    assert set(turns) == {0, 1}


def test_a_run_under_way(store: RunStore) -> None:
    """A real process, which waits for a file in the middle of its work."""
    here = store.directory.parent
    world, gate = World(here), here / "gate"
    run = world.start(f"say:Warning init call:t1 hold:{gate} call:t2 ok:Mended.").run_id
    try:
        until(lambda: '"t1"' in world.stream(run), "the first call")
        given = rounds("show", run, "--json")
        assert [call["outcome"] for call in json.loads(given.stdout)["turns"][0]["calls"]] == ["waiting"]
        assert json.loads(given.stdout)["closing"] is None
    finally:
        gate.touch()
    assert wait(world.store, run, 20_000).state is DispatchState.succeeded
    given = rounds("show", run, "--json")
    assert sum(len(turn["calls"]) for turn in json.loads(given.stdout)["turns"]) == 2
    assert json.loads(given.stdout)["closing"]["completion"] == "done"


def test_another_reader_can_be_asked_for(store: RunStore) -> None:
    stream = keep(store, after(SPAWNED))
    stream.write_bytes(INIT + SAYS + RESULT)
    assert rounds("show", RUN, "--from", "claude_stream").exit_code == 0
    given = rounds("show", RUN, "--from", "nobody")
    assert (given.exit_code, given.stderr.startswith("rounds: --from: no reader is called 'nobody'")) == (2, True)


# Which run.


def test_a_beginning_that_no_other_run_shares(store: RunStore) -> None:
    keep(store, after(SPAWNED)).write_bytes(INIT + SAYS)
    keep(store, after(SPAWNED), "wb-2134567890abcdef")
    for begun in ("wb-212", "wb-21247a57b8ae3af"):
        assert rounds("fold", begun).stdout_bytes == rounds("fold", RUN).stdout_bytes != b""
    given = rounds("fold", "wb-21")
    assert given.exit_code == 2
    assert given.stderr.splitlines() == [
        "rounds: 2 runs begin with 'wb-21'; give more of the id",
        f"  {RUN}",
        "  wb-2134567890abcdef",
    ]


@pytest.mark.parametrize("text", ["wb-3", RUN])
def test_no_such_run(store: RunStore, text: str) -> None:
    given = rounds("show", text)
    assert given.exit_code == 2
    what = f"{text}: no such run in {store.runs}; `rounds dispatch list` shows those there are"
    assert given.stderr == f"rounds: {what}\n"
    assert not store.directory.exists()  # looking makes nothing


@pytest.mark.parametrize("text", ["wb-", "wb-21247A57B8AE3AF2", "wb-g", f"{RUN}0", "xwb-1", f"./{RUN}"])
def test_what_is_no_id_of_a_run_is_a_path(store: RunStore, text: str) -> None:
    keep(store, after(SPAWNED)).write_bytes(INIT + SAYS)
    given = rounds("show", text)
    assert given.exit_code == 2
    assert "no such file or directory; give a ledger's directory" in given.stderr


def test_a_file_of_that_name_and_a_thread_of_that_name_come_first(store: RunStore) -> None:
    keep(store, after(SPAWNED)).write_bytes(INIT + SAYS)
    kept = store.directory.parent / "data" / "rounds" / "ask" / f"{RUN}.jsonl"
    kept.parent.mkdir(parents=True)
    kept.write_text('{"v":1,"t":"meta","runId":"r","startedAt":"2026-03-01T08:00:00.000Z","model":"m"}\n')
    assert rounds("fold", RUN).stdout_bytes == rounds("fold", kept).stdout_bytes
    talk = Newer()
    talk.asks("From the file.")
    written(Path(RUN), talk.rows)
    assert "From the file." in rounds("fold", RUN).stdout


# What cannot be shown.


def test_nothing_was_written_yet(store: RunStore) -> None:
    keep(store, QUEUED)
    given = rounds("show", RUN)
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr == f"rounds: {RUN} is queued; its agent has written nothing yet\n"
    keep(store, after(SPAWNED), "wb-0000000000000001").touch()
    given = rounds("show", "wb-0000000000000001")
    assert given.stderr == "rounds: wb-0000000000000001 is running; its agent has written nothing yet\n"


def test_it_never_started(store: RunStore) -> None:
    failed = after(SPAWN_FAILED)
    assert failed.error is not None
    keep(store, failed)
    given = rounds("show", RUN)
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr == f"rounds: {RUN} is failed ({failed.error.message}); its agent has written nothing\n"


def test_a_journal_that_does_not_read(store: RunStore) -> None:
    keep(store, after(SPAWNED)).write_bytes(INIT + SAYS)
    store.journal_path(run_id(RUN)).write_bytes(b'{"runId":"wb-2')
    given = rounds("show", RUN)
    assert (given.exit_code, given.stdout) == (2, "")
    assert given.stderr.startswith(f"rounds: {store.journal_path(run_id(RUN))}: this journal does not read")


def test_a_run_is_no_ledger(store: RunStore) -> None:
    keep(store, after(SPAWNED)).write_bytes(INIT + SAYS)
    given = rounds("check", RUN)
    assert given.exit_code == 1
    assert f"{store.stream_path(run_id(RUN))}:1 (byte 0): fault not-a-line" in given.stdout


def test_in_a_process_of_its_own(store: RunStore) -> None:
    stream = keep(store, after(SPAWNED))
    stream.write_bytes(INIT + SAYS + RESULT)
    given = process("fold", RUN)
    assert (given.returncode, given.stdout, given.stderr) == (0, answer(stream), b"")
