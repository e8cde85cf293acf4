"""The sample ledger: built by its script and nobody else, whole, and showing what it is there to show."""

from collections.abc import Callable, Iterator

import pytest
from blake3 import blake3
from msgspec import json

from accounting.ledger import Ledger
from accounting.sample import PATH
from accounting.views.rounds import Rounds, read_rounds
from accounting.views.runs import read_runs
from tests.build_sample import ARCHIVE, FILE, KEEPER, content
from wire import (
    Arrived,
    AwaitingReply,
    Call,
    Checkpointed,
    Discarded,
    EventRecord,
    Note,
    Outcome,
    Refused,
    RenderDiff,
    ReplyEnd,
    RoundsAnswer,
    Speaker,
    Turn,
    Waiting,
    decode,
    payload,
)
from wire.scalars import run_id


def folded(run: str) -> Rounds:
    known = run_id(run)
    assert known is not None
    return read_rounds(PATH, known)


KEPT = folded(KEEPER)
ANSWER = KEPT.answer


def lines() -> list[bytes]:
    return FILE.read_bytes().splitlines(keepends=True)


def test_it_is_what_the_script_builds() -> None:
    assert FILE.read_bytes() == content(), "stale: python -m tests.build_sample"


def test_it_is_the_only_segment() -> None:
    assert [segment.path for segment in Ledger(PATH).segments] == [FILE]


def test_chain_and_numbers() -> None:
    prev = "0" * 64
    for number, line in enumerate(lines()):
        assert line.endswith(b"\n")
        record = decode(line, EventRecord)
        assert (record.seq, record.prev) == (number, prev)
        prev = blake3(line[:-1]).hexdigest()


def test_spelling_is_canonical() -> None:
    for line in lines():
        record = decode(line, EventRecord)
        assert json.encode(record) + b"\n" == line
        assert json.encode(json.decode(record.data), order="sorted") == bytes(record.data)


def test_it_begins_with_the_city() -> None:
    first = decode(lines()[0], EventRecord)
    assert first.kind == "city_initialized"
    assert first.run == "00000000-0000-0000-0000-000000000000"


def test_every_line_reads_as_its_kind() -> None:
    for line in lines():
        payload(decode(line, EventRecord))


@pytest.mark.parametrize("run", [KEEPER, ARCHIVE])
def test_nothing_is_left_over(run: str) -> None:
    given = folded(run)
    assert given.problems == ()
    assert given.outside == {}
    assert given.answer.closing is not None


def test_a_listing_finds_two_runs() -> None:
    found = read_runs(PATH)
    assert found.problems == ()
    assert [(run.run, run.state) for run in found.runs] == [(KEEPER, "done"), (ARCHIVE, "done")]


def calls(answer: RoundsAnswer = ANSWER) -> Iterator[Call]:
    for turn in answer.turns:
        yield from turn.calls


def notes(answer: RoundsAnswer = ANSWER) -> Iterator[Note]:
    for turn in answer.turns:
        yield from turn.notes


def answered_out_of_order(turn: Turn) -> bool:
    answers = [call.answered for call in turn.calls if call.answered is not None]
    return len(answers) > 1 and answers != sorted(answers)


SHOWN: dict[str, Callable[[], bool]] = {
    "a task, a goal and the terms of work": lambda: (
        ANSWER.opening is not None
        and bool(ANSWER.opening.task and ANSWER.opening.goal)
        and None not in (ANSWER.opening.policy, ANSWER.opening.effort, ANSWER.opening.dispatched_by)
    ),
    "a worktree and the commit it began from": lambda: None not in (ANSWER.worktree, ANSWER.opened_at),
    "a child session": lambda: (opening := folded(ARCHIVE).answer.opening) is not None and opening.parent == KEEPER,
    "two calls answered out of order": lambda: any(map(answered_out_of_order, ANSWER.turns)),
    "a failed call with the error shape": lambda: any(
        call.outcome is Outcome.failed and call.output is not None and '"code":"E_' in call.output.head
        for call in calls()
    ),
    "a command that answered with another exit code than 0": lambda: any(
        call.outcome is Outcome.answered and call.exit_code == 1 for call in calls()
    ),
    "a command that went well": lambda: any(call.exit_code == 0 for call in calls()),
    "a call nobody answered, in a session that is done": lambda: (
        any(call.outcome is Outcome.waiting for call in calls())
        and ANSWER.closing is not None
        and ANSWER.closing.completion == "done"
    ),
    "a refusal by a gate": lambda: any(
        isinstance(note.variant, Refused) and bool(note.variant.error.gate) for note in notes()
    ),
    "an approval asked for and answered": lambda: any(
        isinstance(note.variant, Waiting) and note.variant.answered is not None for note in notes()
    ),
    "an attempt without a reply": lambda: any(turn.returned is None for turn in ANSWER.turns),
    "tokens out of the cache, and into it": lambda: any(
        turn.used is not None and bool(turn.used.cached) and bool(turn.used.cache_write) for turn in ANSWER.turns
    ),
    "a cache nobody reported": lambda: any(turn.used is not None and turn.used.cached is None for turn in ANSWER.turns),
    "a cost, and a cost nobody reported": lambda: (
        any(turn.spent for turn in ANSWER.turns)
        and any(turn.spent is None and turn.used is not None for turn in ANSWER.turns)
    ),
    "thought": lambda: any(turn.thought for turn in ANSWER.turns),
    "an output of more lines than are kept": lambda: any(
        call.output is not None and call.output.cut > 0 for call in calls()
    ),
    "an output whose whole is stored": lambda: any(
        call.output is not None and call.output.pinned is not None for call in calls()
    ),
    "a diff": lambda: any(
        isinstance(call.render, RenderDiff) and call.output is not None and "@@" in call.output.head for call in calls()
    ),
    "a letter that landed": lambda: any(call.landing == "delivered" for call in calls()),
    "a wait for a reply that came": lambda: any(
        isinstance(note.variant, AwaitingReply)
        and note.variant.ended is not None
        and note.variant.ended.by is ReplyEnd.reply
        for note in notes()
    ),
    "the person's word": lambda: any(
        isinstance(note.variant, Arrived) and note.variant.by is Speaker.user for note in notes()
    ),
    "a letter with its text and its sender": lambda: any(
        isinstance(note.variant, Arrived) and note.variant.session == ARCHIVE and bool(note.variant.said)
        for note in notes()
    ),
    "a checkpoint": lambda: any(isinstance(note.variant, Checkpointed) for note in notes()),
    "files thrown away": lambda: any(isinstance(note.variant, Discarded) for note in notes()),
    "durations": lambda: any(call.took_us for call in calls()) and any(turn.first_at for turn in ANSWER.turns),
    "time to first content": lambda: any(turn.used is not None and turn.used.first_us for turn in ANSWER.turns),
    "two models": lambda: len({turn.model for turn in ANSWER.turns}) == 2,
    "wide characters": lambda: any(call.output is not None and "清水" in call.output.head for call in calls()),
}


@pytest.mark.parametrize("what", SHOWN)
def test_it_shows(what: str) -> None:
    assert SHOWN[what]()
