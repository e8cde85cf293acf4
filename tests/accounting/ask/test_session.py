"""A thread as a session: which record becomes what, and what holds for any bytes. Spec: rounds.md 3, issue 7."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.ask import AskFold, parse
from accounting.ask.session import thread_session
from accounting.foreign import Session, run_of
from accounting.foreign.fidelity import DamageCode, Fate, Standing
from accounting.views.rounds import Rounds, rounds
from tests.accounting.ask.threads import AT_MS, aborted, chunk, end, error, events, files, meta, question, spelled
from wire.answer.note import Arrived, Refused
from wire.answer.rounds import Timing
from wire.ask import AskEvent, AskQuestion, AskState

LATER = "2026-10-05T09:30:09.412Z"
SETTLED = (AskState.answered, AskState.failed, AskState.cancelled)


def session(*records: AskEvent, tail: bytes = b"") -> Session:
    return thread_session(spelled(records) + tail, "harbour", "harbour.jsonl")


def folded(one: Session) -> Rounds:
    return rounds(one.records, one.run)


def kinds(one: Session) -> list[str]:
    return [record.kind for record in one.records]


def at(event: Any, time: str) -> AskEvent:
    from msgspec import structs

    changed: AskEvent = structs.replace(event, at=time)
    return changed


def test_an_answered_question_is_a_turn() -> None:
    one = session(meta(), question(1, "Where?"), chunk(1, "In "), chunk(1, "cfg.py\n"), at(end(1), LATER))
    answer = folded(one).answer
    assert answer.run == one.run == run_of("ask", "harbour")
    assert answer.opening is not None
    assert (answer.opening.task, answer.opening.at, answer.closing) == ("Where?", AT_MS, None)
    (turn,) = answer.turns
    assert (turn.t, turn.returned, turn.timing) == (AT_MS, AT_MS + 9412, Timing.measured)
    assert (turn.said, turn.stopped, turn.used, turn.spent, turn.model, turn.notes) == (
        "In cfg.py", "end", None, None, None, ())  # fmt: skip
    assert [place.line for place in one.places] == [1, 2, 3]


def test_a_later_question_is_a_word_that_reached_its_turn() -> None:
    answer = folded(session(question(1, "a?"), chunk(1, "A"), end(1), question(2, "b?", "019a"), end(2))).answer
    assert [turn.said for turn in answer.turns] == ["A", None]
    (note,) = answer.turns[1].notes
    assert isinstance(note.variant, Arrived)
    assert (note.variant.by, note.variant.said, note.variant.t) == ("user", "b?", AT_MS)


def test_a_failure_says_so_in_its_own_turn() -> None:
    one = session(question(1, "a?"), chunk(1, "half"), error(1, "boom\ntry again"), question(2, "b?"))
    first, second = folded(one).answer.turns
    assert (first.said, first.stopped, first.returned) == ("half", "error", None)
    (note,) = first.notes
    assert isinstance(note.variant, Refused)
    assert (note.variant.error.code, note.variant.error.recovery) == ("E_PROVIDER", "boom\ntry again")
    assert (second.said, second.stopped) == (None, None)


def test_a_failure_without_words() -> None:
    (turn,) = folded(session(question(1), error(1, " "))).answer.turns
    (note,) = turn.notes
    assert isinstance(note.variant, Refused)
    assert note.variant.error.recovery == "the answer failed"


def test_a_cancelled_question_says_so_and_the_person_is_named() -> None:
    one = session(question(1), end(1), question(2), chunk(2, "half"), at(aborted(2), LATER))
    turn = folded(one).answer.turns[1]
    assert (turn.said, turn.stopped, turn.returned) == ("half", "aborted", None)
    assert kinds(one)[-2:] == ["model_returned", "cancel_received"]
    (stop,) = one.outline.stops
    assert (stop.turn, stop.t, stop.place.line) == (2, AT_MS + 9412, 5)


def test_a_question_in_flight_waits() -> None:
    one = session(question(1, "a?"), chunk(1, "part"))
    assert kinds(one) == ["run_started", "model_called"]
    (turn,) = folded(one).answer.turns
    assert (turn.said, turn.returned, turn.stopped) == (None, None, None)


def test_what_is_there_of_an_answer_that_nobody_goes_on_with() -> None:
    first, second = folded(session(question(1), chunk(1, "part"), question(2), chunk(2, "part"))).answer.turns
    assert (first.said, first.stopped, second.said) == ("part", None, None)


def test_a_question_asked_twice_is_two_turns_and_the_later_is_answered() -> None:
    first, second = folded(session(question(1, "a?"), question(1, "A?"), chunk(1, "yes"), end(1))).answer.turns
    assert (first.said, second.said) == (None, "yes")


def test_the_last_word_settles_it() -> None:
    one = session(question(1), chunk(1, "x"), end(1), aborted(1))
    assert folded(one).answer.turns[0].stopped == "aborted"
    dropped = [tally for tally in one.report.tallies if tally.fate is Fate.dropped and tally.kind == "end"]
    assert [(tally.count, tally.places[0].line) for tally in dropped] == [(1, 3)]


def test_a_time_that_nobody_recorded_is_unmeasured() -> None:
    one = session(at(question(1), "noon"), at(end(1), LATER), question(2), at(end(2), "later"))
    first, second = folded(one).answer.turns
    assert (first.timing, first.t, first.returned) == (Timing.unmeasured, AT_MS + 9412, AT_MS + 9412)
    assert (second.timing, second.returned) == (Timing.measured, None)
    assert [damage.code for damage in one.report.damage] == [DamageCode.bad_time]


def test_tokens_are_not_known() -> None:
    one = session(question(1), end(1))
    assert one.report.totals.standing is Standing.unknown
    assert [standing.figures for standing in one.outline.turns] == [Standing.unknown]


def test_meta_alone_and_nothing_at_all() -> None:
    assert kinds(session(meta())) == ["run_started"]
    assert session().records == ()
    assert [fact.value for fact in session(meta()).outline.facts] == ["claude -p"]


def test_damage_is_told_with_its_line() -> None:
    one = session(question(1), tail=b'{"t":"chu\n42\n{"t":"chunk","seq":"1","text":"x"}\n{"t":"note"}\n{"t":"en')
    assert [(damage.code, damage.places[0].line) for damage in one.report.damage] == [
        (DamageCode.not_json, 2),
        (DamageCode.not_a_row, 3),
        (DamageCode.bad_field, 4),
        (DamageCode.torn_tail, 6),
    ]
    unknown = [tally for tally in one.report.tallies if not tally.known]
    assert [(tally.kind, tally.places[0].line) for tally in unknown] == [("note", 5)]


@given(files() | events().map(spelled))
def test_any_bytes_are_a_session_that_folds_to_what_is_shown(data: bytes) -> None:
    one = thread_session(data, "harbour", "harbour.jsonl")
    found = folded(one)
    shown = AskFold.of(parse(data).events).shown()
    assert (found.problems, sum(found.outside.values())) == ((), 0)
    assert len(found.answer.turns) == len(shown) == len(one.outline.turns)
    last = max((each.seq for each in shown), default=0)
    for index, (turn, each) in enumerate(zip(found.answer.turns, shown, strict=True)):
        answers = (index + 1 == len(shown) or shown[index + 1].seq != each.seq) and (
            each.state in SETTLED or each.seq < last
        )
        assert turn.said == (each.text or None if answers else None)
        assert (turn.stopped is not None) == (answers and each.state in SETTLED)


@given(files())
def test_each_record_names_the_line_it_is_from(data: bytes) -> None:
    one = thread_session(data, "harbour", "harbour.jsonl")
    lines = data.split(b"\n")
    assert len(one.places) == len(one.records)
    for place, record in zip(one.places, one.records, strict=True):
        assert len(b"\n".join(lines[: place.line - 1])) + (place.line > 1) == place.offset
        (event,) = parse(lines[place.line - 1]).events
        if record.kind == "model_called":
            assert isinstance(event, AskQuestion)


@settings(max_examples=50)
@given(events(), st.randoms(use_true_random=False))
def test_only_the_order_within_a_number_matters(some: list[AskEvent], chance: Any) -> None:
    by_seq: dict[int, list[AskEvent]] = {}
    for event in some:
        by_seq.setdefault(getattr(event, "seq", 0), []).append(event)
    order = [seq for seq, group in by_seq.items() for _ in group]
    chance.shuffle(order)
    again = [by_seq[seq].pop(0) for seq in order]
    assert session(*again).records == session(*some).records
