"""The sequences W1 to W20 of dispatch.md 2.9: those without processes here, and where the others are tested."""

import json
from pathlib import Path
from typing import Final

import pytest
from msgspec import structs

from accounting.dispatch.events import Killed, Reaped, Spawned
from accounting.dispatch.machine import step
from accounting.dispatch.reconcile import ProcessState, reconcile
from accounting.dispatch.stream import StreamReading
from accounting.dispatch.transcripts.of_run import transcript_of
from accounting.dispatch.transcripts.places import session_file
from tests.accounting.dispatch.journals import BEGAN, QUEUED, path
from wire.dispatch import DispatchJournal, TranscriptState
from wire.scalars import Json, JsonObject

# With processes, files or databases. The ids of 2.9 are in test_ids.py.
WHERE: Final = {
    "W1": "test_start.py::test_w1_a_run_from_its_start_to_its_result",
    "W2": "test_start.py::test_w2_w3_an_error_is_one_whatever_it_is_called",
    "W3": "test_start.py::test_w2_w3_an_error_is_one_whatever_it_is_called",
    "W4": "test_sequences.py::test_w4_a_transcript_that_is_complete",
    "W5": "test_sequences.py::test_w5_a_transcript_that_ends_in_a_call",
    "W6": "test_wait.py::test_w6_gone_without_a_result_is_unknown",
    "W7": "test_observe.py::test_w7_the_process_decides_and_not_its_session_file",
    "W8": "test_cancel.py::test_w8_cancelled_when_the_process_is_proven_gone",
    "W9": "test_cancel.py::test_w9_a_process_that_survives_is_not_cancelled",
    "W10": "test_start.py::test_w10_w11_a_key_names_one_run",
    "W11": "test_start.py::test_w11_neither_failed_nor_unknown_frees_a_key",
    "W12": "test_start.py::test_w12_cancelled_frees_a_key",
    "W13": "test_start.py::test_w13_a_start_answers_without_a_session_that_never_comes",
    "W14": "test_start.py::test_w14_the_exit_code_after_a_result_changes_nothing_but_is_told",
    "W15": "test_automations.py::test_w15_what_is_deleted_keeps_its_status_and_is_not_overdue",
    "W16": "test_automations.py::test_w16_the_last_run_is_the_one_that_was_put_down_last",
    "W17": "test_transcripts_summary.py::test_w17_of_five_megabytes_the_two_ends_are_read",
    "W18": "test_start.py::test_w18_warnings_are_passed_over",
    "W19": "test_archive.py::test_w19_an_unchanged_session_is_archived_once",
    "W20": "test_store.py::test_w20_a_half_written_journal_is_corrupt",
}

INIT: Final[JsonObject] = {"type": "system", "subtype": "init", "session_id": "s1"}
GONE, ALIVE = ProcessState.gone, ProcessState.alive


def test_each_has_a_test() -> None:
    assert list(WHERE) == [f"W{number}" for number in range(1, 21)]
    for name in WHERE.values():
        file, _, test = name.partition("::")
        assert f"\ndef {test}(" in Path(__file__).with_name(file).read_text(), name


def _printed(*lines: Json | str, journal: DispatchJournal | None = None) -> DispatchJournal:
    """A run of process 41 that printed these lines: text as it is, all else as JSON."""
    if journal is None:
        journal = step(QUEUED, Spawned(at=BEGAN + 1, pid=41, pid_started_at="410"))
    reading = StreamReading()
    for line in lines:
        reading.feed((line if isinstance(line, str) else json.dumps(line)).encode() + b"\n")
    for event in reading.events(BEGAN + 2, lambda session: path(f"/home/ada/.agent/projects/x/{session}.jsonl")):
        journal = step(journal, event)
    return journal


def _end(journal: DispatchJournal) -> tuple[str, str | None, str | None]:
    return journal.state, journal.state_source, journal.stop_reason


def test_w1_w2_w3_what_a_result_says() -> None:
    done = _printed(INIT, {"type": "result", "subtype": "success", "is_error": False})
    assert _end(done) == ("succeeded", "observation", "end_turn")
    assert (done.pid, done.session_id, done.session_file) == (41, "s1", "/home/ada/.agent/projects/x/s1.jsonl")
    spent = _printed(INIT, {"type": "result", "subtype": "error_max_turns", "is_error": True})
    assert _end(spent) == ("failed", "observation", "error_max_turns")
    broken = _printed(INIT, {"type": "result", "subtype": "success", "is_error": True})
    assert _end(broken)[:2] == ("failed", "observation")


SAID: Final[JsonObject] = {
    "type": "message",
    "role": "user",
    "content": [{"type": "input_text", "text": "mend the sluice"}],
}
ANSWERED: Final[JsonObject] = {
    "type": "message",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Mended."}],
}
CALLED: Final[JsonObject] = {"type": "function_call", "name": "Bash", "callId": "c1", "arguments": "{}"}


def _with_session(tmp_path: Path, *rows: JsonObject) -> DispatchJournal:
    """A run that named session s1, whose file holds these rows, one a millisecond after the dispatch."""
    file = session_file(tmp_path, QUEUED.workspace, "s1")
    assert file is not None
    Path(file).parent.mkdir(parents=True)
    told = [json.dumps({"sessionId": "s1", "timestamp": t, **row}) for t, row in enumerate(rows, BEGAN + 1)]
    Path(file).write_text("\n".join(told))
    journal = structs.replace(_printed(INIT), configuration=path(str(tmp_path)), session_file=file)
    summary = transcript_of(journal)
    assert summary is not None
    assert summary.rows == len(rows)
    return journal


def _reconciled(journal: DispatchJournal, process: ProcessState) -> DispatchJournal:
    return reconcile(journal, process, transcript_of(journal), BEGAN + 99)


def test_w4_a_transcript_that_is_complete(tmp_path: Path) -> None:
    journal = _reconciled(_with_session(tmp_path, SAID, ANSWERED), GONE)
    assert _end(journal) == ("succeeded", "transcript", "end_turn")
    assert journal.result_text == "Mended."


def test_w5_a_transcript_that_ends_in_a_call(tmp_path: Path) -> None:
    assert _end(_reconciled(_with_session(tmp_path, SAID, CALLED), GONE)) == ("unknown", "process-exit", None)


def test_w6_no_transcript() -> None:
    assert _end(reconcile(_printed(INIT), GONE, None, BEGAN + 99)) == ("unknown", "process-exit", None)


def test_w7_the_process_is_there(tmp_path: Path) -> None:
    journal = _with_session(tmp_path, SAID, ANSWERED)
    summary = transcript_of(journal)
    assert summary is not None
    assert summary.state is TranscriptState.completed
    assert _reconciled(journal, ALIVE) is journal


def test_w8_killed_and_gone() -> None:
    assert _end(step(_printed(INIT), Killed(at=BEGAN + 99))) == ("cancelled", "observation", None)


def test_w13_an_init_that_comes_late() -> None:
    waiting = _printed("Warning: slow today")
    assert (waiting.state, waiting.session_id, waiting.session_file) == ("running", None, None)
    told = _printed("Warning: slow today", INIT, journal=waiting)
    assert (told.state, told.session_id) == ("running", "s1")


@pytest.mark.invariant("D2")
def test_w14_an_exit_code_after_the_result() -> None:
    done = _printed(INIT, {"type": "result", "subtype": "success"})
    assert step(done, Reaped(at=BEGAN + 99, exit_code=1, signal=None)) is done


def test_w18_a_warning_before_init() -> None:
    journal = _printed("Warning: foo", INIT)
    assert (journal.state, journal.session_id, journal.ignored_lines) == ("running", "s1", 1)
