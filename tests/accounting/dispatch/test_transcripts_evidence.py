"""What of a session file is a run's own end: written in its time, in its session, after its one prompt."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from accounting.dispatch.transcripts import evidence as module
from accounting.dispatch.transcripts.evidence import evidence
from accounting.dispatch.transcripts.of_run import transcript_of
from accounting.dispatch.transcripts.summary import HEAD, TAIL, summarise
from tests.accounting.dispatch.journals import INITIALISED, SPAWNED, VANISHED, after
from tests.accounting.dispatch.talks import BEGAN, DIALECTS, SESSION, Claude, Newer, Older, Talk, lines, written
from wire.dispatch import DispatchJournal, TranscriptState, TranscriptSummary
from wire.scalars import absolute_path

COMPLETED, FAILED, OPEN, UNKNOWN = (
    TranscriptState.completed,
    TranscriptState.failed,
    TranscriptState.open,
    TranscriptState.unknown,
)
LATER = BEGAN + 3_600_000
RUNNING = structs.replace(after(SPAWNED, INITIALISED), session_id=SESSION, created_at=BEGAN, session_bytes=0)
GONE = structs.replace(
    after(SPAWNED, INITIALISED, VANISHED), session_id=SESSION, created_at=BEGAN, session_bytes=0, finished_at=LATER
)


def shown(
    path: Path, rows: Sequence[dict[str, Any]], journal: DispatchJournal = RUNNING, *, now: int = LATER
) -> TranscriptState:
    file = written(path / f"{SESSION}.jsonl", rows)
    os.utime(file, (LATER // 1000, LATER // 1000))
    return told(file, journal, now=now).state


def told(file: Path, journal: DispatchJournal = RUNNING, *, now: int = LATER) -> TranscriptSummary:
    """What is shown; where that is no end, nothing is left of what an end says, and all else stands."""
    found, plain = evidence(file, journal, now), summarise(file)
    if found.state is not plain.state:
        assert found == structs.replace(plain, state=UNKNOWN, state_at=None, state_offset=None, reason=None)
    else:
        assert found == plain
    return found


def done(talk: Talk) -> None:
    talk.asks("Mend it.")
    talk.says("Mended.")


def interrupted(talk: Talk) -> None:
    talk.asks("Mend it.")
    talk.breaks_in()


ENDS: dict[Callable[[Talk], None], TranscriptState] = {done: COMPLETED, interrupted: FAILED}
ends = pytest.mark.parametrize("talks", ENDS)
dialects = pytest.mark.parametrize("dialect", DIALECTS)


@dialects
@ends
@pytest.mark.parametrize("journal", [RUNNING, GONE])
def test_the_runs_own_end(
    tmp_path: Path, dialect: Callable[[], Talk], talks: Callable[[Talk], None], journal: DispatchJournal
) -> None:
    talks(talk := dialect())
    assert shown(tmp_path, talk.rows, journal) is ENDS[talks]


@pytest.mark.parametrize("dialect", [Newer, Claude])
@ends
def test_an_end_after_the_process_was_gone_is_not_its(
    tmp_path: Path, dialect: Callable[[], Talk], talks: Callable[[Talk], None]
) -> None:
    talks(talk := dialect())
    assert shown(tmp_path, talk.rows, structs.replace(GONE, finished_at=BEGAN + 1000)) is ENDS[talks]
    assert shown(tmp_path, talk.rows, structs.replace(GONE, finished_at=BEGAN + 999)) is UNKNOWN
    assert shown(tmp_path, talk.rows, now=BEGAN + 1000) is ENDS[talks]
    assert shown(tmp_path, talk.rows, now=BEGAN + 999) is UNKNOWN


@ends
def test_an_end_without_a_time_is_as_late_as_the_file(tmp_path: Path, talks: Callable[[Talk], None]) -> None:
    talks(talk := Older())
    assert shown(tmp_path, talk.rows, structs.replace(GONE, finished_at=LATER)) is ENDS[talks]
    assert shown(tmp_path, talk.rows, structs.replace(GONE, finished_at=LATER - 1)) is UNKNOWN
    assert shown(tmp_path, talk.rows, now=LATER - 1) is UNKNOWN


@dialects
@ends
def test_a_session_that_was_taken_up_by_hand_says_nothing(
    tmp_path: Path, dialect: Callable[[], Talk], talks: Callable[[Talk], None]
) -> None:
    talk = dialect()
    talk.asks("Mend it.")
    talk.calls("t1")
    talk.answers("t1")
    talks(talk)
    assert shown(tmp_path, talk.rows) is UNKNOWN


@pytest.mark.parametrize("dialect", [Newer, Claude])
def test_what_was_asked_before_the_dispatch_is_not_of_it(tmp_path: Path, dialect: Callable[[], Talk]) -> None:
    done(talk := dialect())
    done(talk)
    for created, expected in ((BEGAN, UNKNOWN), (BEGAN + 1, COMPLETED), (BEGAN + 2000, COMPLETED)):
        assert shown(tmp_path, talk.rows, structs.replace(RUNNING, created_at=created)) is expected


def test_where_no_times_are_the_place_tells(tmp_path: Path) -> None:
    done(talk := Older())
    done(talk)
    before = len(b"".join(lines(talk.rows[:2])))
    sizes = ((None, UNKNOWN), (0, UNKNOWN), (1, COMPLETED), (before, COMPLETED))
    for size, expected in sizes:
        assert shown(tmp_path, talk.rows, structs.replace(RUNNING, session_bytes=size)) is expected


def picture(talk: Claude) -> None:
    talk.add("user", message={"role": "user", "content": [{"type": "image", "source": {}}]})


def command(talk: Claude) -> None:
    talk.asks("<command-message>fix is running</command-message>\n<command-name>/fix</command-name>")


def queued(talk: Claude) -> None:
    talk.add("attachment", attachment={"type": "queued_command", "prompt": "And that.", "commandMode": "prompt"})


def meta(talk: Claude) -> None:
    talk.asks("Stop hook feedback: the tests fail.")
    talk.rows[-1]["isMeta"] = True


def reminder(talk: Claude) -> None:
    talk.asks("<system-reminder>Mind the tide.</system-reminder>")


def notified(talk: Claude) -> None:
    talk.asks("<task-notification>done</task-notification>")


def teammate(talk: Claude) -> None:
    talk.asks('<teammate-message from="b">Done.</teammate-message>')


def again(talk: Claude) -> None:
    talk.rows.append(talk.rows[0])


BETWEEN: dict[Callable[[Claude], None], TranscriptState] = {
    picture: UNKNOWN,
    command: UNKNOWN,
    queued: UNKNOWN,
    meta: COMPLETED,
    reminder: COMPLETED,
    notified: COMPLETED,
    teammate: COMPLETED,
    again: COMPLETED,
}


@pytest.mark.parametrize("puts_in", BETWEEN)
def test_what_is_a_second_prompt(tmp_path: Path, puts_in: Callable[[Claude], None]) -> None:
    talk = Claude()
    talk.asks("Mend it.")
    puts_in(talk)
    talk.says("Mended.")
    assert shown(tmp_path, talk.rows) is BETWEEN[puts_in]


def test_an_end_that_names_another_session_is_not_its(tmp_path: Path) -> None:
    done(talk := Claude())
    talk.rows[-1]["sessionId"] = "another"
    assert summarise(written(tmp_path / f"{SESSION}.jsonl", talk.rows)).state is COMPLETED
    assert shown(tmp_path, talk.rows) is UNKNOWN


# The middle of a long file.


def long(talk: Talk, hidden: Callable[[Talk], None]) -> list[dict[str, Any]]:
    """A conversation of which something is neither in the beginning nor in the end that a summary reads."""
    talk.asks("Mend it.")
    talk.calls("t0")
    talk.answers("t0", "x" * HEAD)
    hidden(talk)
    talk.calls("t1")
    talk.answers("t1", "x" * TAIL)
    talk.says("Mended.")
    return talk.rows


@dialects
def test_the_middle_counts_too(tmp_path: Path, dialect: Callable[[], Talk]) -> None:
    hidden: dict[str, tuple[Callable[[Talk], None], TranscriptState]] = {
        "nothing": (lambda _: None, COMPLETED),
        "a call": (lambda talk: talk.calls("t9"), UNKNOWN),
        "a prompt": (lambda talk: talk.asks("And that."), UNKNOWN),
    }
    for what, (puts_in, expected) in hidden.items():
        file = written(tmp_path / f"{SESSION}.jsonl", long(dialect(), puts_in))
        os.utime(file, (LATER // 1000, LATER // 1000))
        plain = summarise(file)
        assert (plain.truncated, plain.state) == (True, COMPLETED)
        assert told(file).state is expected, what


def test_a_prompt_of_the_middle_makes_a_failure_nobodys_too(tmp_path: Path) -> None:
    talk = Newer()
    rows = long(talk, lambda talk: talk.asks("And that."))
    talk.breaks_in()
    assert summarise(written(tmp_path / f"{SESSION}.jsonl", rows)).state is FAILED
    assert shown(tmp_path, rows) is UNKNOWN


@given(st.lists(st.integers(0, 300), max_size=12), st.integers(1, 400))
def test_pieces_of_any_size_give_the_same_lines(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], piece: int
) -> None:
    talk = Newer()
    for number, length in enumerate(lengths):
        talk.calls(f"t{number}", "x" * length)
    file = written(tmp_path_factory.getbasetemp() / "pieces.jsonl", talk.rows, b'{"torn')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK", piece)
        found = [(line.offset, len(line.rows), line.lost) for line in module._lines(file, file.stat().st_size)]  # pyright: ignore[reportPrivateUsage]
    starts = [sum(map(len, lines(talk.rows[:number]))) for number in range(len(lengths) + 1)]
    assert found == [*((start, 1, False) for start in starts[:-1]), (starts[-1], 0, True)]


def test_a_row_that_is_too_long_to_be_read_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = Newer()
    talk.asks("Mend it.")
    talk.calls("t1")
    talk.answers("t1")
    talk.says("Mended. " + "x" * 5000)
    monkeypatch.setattr(module, "_CHUNK", 100)
    assert shown(tmp_path, talk.rows) is COMPLETED
    monkeypatch.setattr(module, "LONGEST", 1000)
    assert shown(tmp_path, talk.rows) is UNKNOWN


@pytest.mark.parametrize(("appends", "expected"), [(True, COMPLETED), (False, UNKNOWN)])
def test_only_what_the_summary_is_of_counts(
    tmp_path: Path, appends: bool, expected: TranscriptState, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What comes later is for the next look; a file that was cut meanwhile does not show its end."""
    done(talk := Newer())
    file = written(tmp_path / f"{SESSION}.jsonl", talk.rows)
    talk.asks("And that.")

    def summarised(path: Path) -> TranscriptSummary:
        summary = summarise(path)
        written(path, talk.rows if appends else [])
        return summary

    monkeypatch.setattr(module, "summarise", summarised)
    assert evidence(file, RUNNING, LATER).state is expected


def test_a_run_is_told_by_its_evidence(tmp_path: Path) -> None:
    """The session was taken up after the process was gone: what was done by hand is no success of the run."""
    talk = Newer()
    talk.asks("Mend it.")
    talk.calls("t1")
    file = written(tmp_path / f"{SESSION}.jsonl", talk.rows)
    journal = structs.replace(RUNNING, session_file=absolute_path(str(file)))
    found = transcript_of(journal)
    assert found is not None
    assert found.state is OPEN
    talk.answers("t1")
    done(talk)
    assert summarise(written(file, talk.rows)).state is COMPLETED
    found = transcript_of(journal)
    assert found is not None
    assert (found.state, found.last_text) == (UNKNOWN, "Mended.")
