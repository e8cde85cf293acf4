"""The builder of records: their order, versions and payloads, whichever way a reader tells it what it meets."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from accounting.foreign.drafting import RunDraft, arguments, totals
from accounting.foreign.fidelity import DamageCode, Fate, Fidelity, Standing, Totals
from accounting.foreign.outline import Outline
from accounting.foreign.payload import DEEPEST, is_plain, plain_json, subject_of, usage_of
from accounting.ledger.plain import plain
from accounting.ledger.problem import Place
from accounting.views.rounds import rounds
from tests.accounting.foreign.test_times import json_values
from wire import EventRecord, payload
from wire.answer.rounds import Outcome, RoundsAnswer, Timing, Used
from wire.record.envelope import Record
from wire.record.kinds import Kind
from wire.scalars import U64_MAX, Json, JsonObject, run_id

RUN = run_id("0b0b0b0b-1111-4222-8333-444444444444")
assert RUN is not None


def at(line: int) -> Place:
    return Place(segment="s", line=line, offset=line * 10)


def new() -> RunDraft:
    assert RUN is not None
    return RunDraft(RUN, Fidelity("test"))


def folded(draft: RunDraft) -> RoundsAnswer:
    records, _ = draft.finish()
    return rounds(records, draft.run).answer


def kinds(records: tuple[Record, ...]) -> list[str]:
    return [record.kind for record in records]


def test_the_records_of_a_request_stand_together() -> None:
    draft = new()
    draft.start(1, at(1), task="go")
    draft.steer(2, at(2), "and this")
    one = draft.request(3, at(3), model="m")
    one.call(4, at(4), call_id="c1", name="T", args={"z": "last", "path": "p"})
    draft.result(5, at(5), call_id="c1", text="out", exit_code=3)
    two = draft.request(6, at(6), model="n")
    one.call(7, at(7), call_id="c2", name="T", args={"b": "second", "a": 1})
    one.reply(8, at(8), blocks=[{"kind": "text", "text": "hi"}], usage=usage_of(5, 2, cached=3), stop="end")
    two.reply(9, at(9), blocks=[], measured=True, took_us=12)
    draft.steer(10, at(10), "too late")
    draft.freeze(11, at(11), "done")
    records, places = draft.finish()
    assert kinds(records) == [
        Kind.run_started,
        Kind.model_called,
        Kind.steer_received,
        Kind.model_returned,
        Kind.tool_called,
        Kind.tool_called,
        Kind.tool_result,
        Kind.model_called,
        Kind.model_returned,
        Kind.steer_received,
        Kind.run_frozen,
    ]
    assert [place.line for place in places] == [1, 3, 2, 8, 4, 7, 5, 6, 9, 10, 11]
    assert [record.seq for record in records] == list(range(11))
    assert [record.v for record in records] == [2, 1, 2, 1, 1, 1, 1, 1, 2, 2, 2]
    answer = rounds(records, draft.run).answer
    assert [call.subject for call in answer.turns[0].calls] == ["p", "second"]
    assert answer.turns[0].calls[0].exit_code == 3
    assert answer.turns[0].used == Used(input=5, output=2, cached=3)
    assert answer.closing is not None
    assert records[3].data["calls"] == 2


def test_a_result_before_its_call_waits_for_it() -> None:
    draft = new()
    draft.result(1, at(1), call_id="c", text="early")
    draft.result(1, at(1), call_id="never", text="stray")
    request = draft.request(2, at(2))
    request.call(3, at(3), call_id="c", name="T", args={})
    request.call(3, at(4), call_id="d", name="T", args={})
    answer = folded(draft)
    assert [call.outcome for call in answer.turns[0].calls] == [Outcome.answered, Outcome.waiting]
    (damage,) = draft.fidelity.report(Totals()).damage
    assert (damage.code, damage.count) == (DamageCode.unpaired_result, 1)


def test_a_second_answer_answers_no_later_call_of_the_same_id() -> None:
    draft = new()
    first = draft.request(1, at(1))
    first.call(1, at(1), call_id="c", name="T", args={})
    draft.result(2, at(2), call_id="c", text="one")
    draft.result(3, at(3), call_id="c", text="again")
    second = draft.request(4, at(4))
    second.call(4, at(4), call_id="c", name="T", args={})
    draft.result(5, at(5), call_id="c", text="two", failed=True)
    answer = folded(draft)
    outputs = [call.output and call.output.head for turn in answer.turns for call in turn.calls]
    assert outputs == ["one", "two"]


def test_what_names_no_call_pairs_with_none() -> None:
    draft = new()
    request = draft.request(1, at(1))
    request.call(1, at(1), call_id=None, name=None, args={})
    draft.result(2, at(2), call_id=None, text="whose?")
    (turn,) = folded(draft).turns
    assert [(call.tool, call.outcome) for call in turn.calls] == [("tool", Outcome.waiting)]


def test_a_record_without_a_time_takes_the_latest_before_it() -> None:
    draft = new()
    draft.start(None, at(1))
    draft.request(50, at(2))
    draft.request(None, at(3))
    records, _ = draft.finish()
    assert [record.t for record in records] == [50, 50, 50]
    derived = [tally for tally in draft.fidelity.report(Totals()).tallies if tally.fate is Fate.derived]
    assert sum(tally.count for tally in derived) == 2


def test_only_a_measured_moment_is_version_2() -> None:
    draft = new()
    request = draft.request(1, at(1), measured=True)
    request.call(2, at(2), call_id="c", name="T", args={}, measured=True)
    draft.result(3, at(3), call_id="c", text="", measured=True, took_us=7)
    (turn,) = folded(draft).turns
    assert turn.timing is Timing.measured
    assert (turn.calls[0].timing, turn.calls[0].took_us) == (Timing.measured, 7)


def test_a_refusal_is_a_note_of_the_next_request() -> None:
    draft = new()
    draft.refuse(1, at(1), subject="m", told="Overloaded", status=529, retry=True, retry_after_ms=5)
    draft.request(2, at(2))
    (turn,) = folded(draft).turns
    refused = turn.notes[0].refused
    assert refused.error.code == "E_PROVIDER"  # type: ignore[union-attr]


def test_every_payload_reads_as_its_kind() -> None:
    draft = new()
    draft.start(1, at(1), task="go", parent=RUN)
    draft.refuse(1, at(1), subject=None, told=None)
    request = draft.request(1, at(1), model="m")
    block: JsonObject = {"kind": "thinking", "thinking": "t", "signature": ""}
    request.reply(1, at(1), blocks=[block], usage=usage_of(1, 1, dialect="anthropic"), billed_usd_micros=3, first_us=1)
    request.call(1, at(1), call_id="c", name="T", args={})
    draft.result(1, at(1), call_id="c", text="x", failed=True)
    draft.cancel(1, at(1), "stop")
    draft.freeze(1, at(1), "cancelled")
    from msgspec import Raw, json

    from accounting.ledger.canonical import GENESIS

    for record in draft.finish()[0]:
        payload(
            EventRecord(
                v=record.v,
                run=record.run,
                seq=record.seq,
                prev=GENESIS,
                t=record.t,
                who="city",
                kind=Kind(record.kind),
                data=Raw(json.encode(record.data)),
            )
        )


def test_totals_are_sums_and_absent_is_not_zero() -> None:
    draft = new()
    one = draft.request(1, at(1))
    one.reply(1, at(1), blocks=[], usage=usage_of(10, 3, cache_write=4), billed_usd_micros=7)
    one.call(1, at(1), call_id="a", name="T", args={})
    one.call(1, at(1), call_id="b", name="T", args={})
    draft.request(2, at(2))
    draft.result(3, at(3), call_id="b", text="", failed=True)
    draft.fidelity.lower(Standing.unknown)
    draft.fidelity.lower(Standing.deduplicated)
    records, _ = draft.finish()
    assert totals(records, draft.fidelity) == Totals(
        requests=2,
        calls=2,
        failed=1,
        waiting=1,
        unmetered=1,
        input=10,
        output=3,
        cached=None,
        cache_write=4,
        spent=7,
        priced=1,
        standing=Standing.unknown,
    )


_STEP = st.one_of(
    st.tuples(st.just("request"), st.none(), st.booleans()),
    st.tuples(st.just("call"), st.sampled_from((None, "a", "b", "c", "d")), st.integers(0, 3)),
    st.tuples(st.just("result"), st.sampled_from((None, "a", "b", "c", "d", "e")), st.booleans()),
)


@given(st.lists(_STEP, max_size=24))
def test_a_report_sums_what_going_through_the_records_sums(steps: list[tuple[str, str | None, int]]) -> None:
    """Whatever order calls, results and replies come in, and whether or not two calls share an id."""
    draft = new()
    for number, (what, call, choice) in enumerate(steps):
        if what == "request":
            request = draft.request(number, at(number))
            if choice:
                request.reply(number, at(number), blocks=[], usage=usage_of(number, 1), billed_usd_micros=number)
        elif what == "result":
            draft.result(number, at(number), call_id=call, text="", failed=bool(choice))
        elif draft.requests:
            draft.requests[choice % draft.turns].call(number, at(number), call_id=call, name="T", args={})
    session = draft.session("test", "own", Outline())
    assert session.report.totals == totals(session.records, draft.fidelity)
    calls = [call for turn in rounds(session.records, draft.run).answer.turns for call in turn.calls]
    outcomes = Counter(call.outcome for call in calls)
    assert session.report.totals.answered == outcomes[Outcome.answered]
    assert session.report.totals.failed == outcomes[Outcome.failed]
    assert session.report.totals.waiting == outcomes[Outcome.waiting]


@given(json_values)
def test_any_value_becomes_one_a_payload_may_hold(value: Json) -> None:
    made, changed = plain_json(value)
    assert plain({"x": made})
    assert changed or made == value
    args = arguments(value, Fidelity("test"), at(1), "k")
    assert is_plain(args)


def test_depth_is_bounded() -> None:
    deep: Json = 1.5
    for _ in range(DEEPEST + 50):
        deep = [deep]
    made, changed = plain_json(deep)
    assert changed == 1
    # As it stands in a message: payload, message, content, block.
    assert plain({"message": {"content": [{"input": made}]}})


@given(
    st.dictionaries(st.sampled_from(["path", "addr", "program", "arm", "a", "b"]), st.text(max_size=3) | st.integers())
)
def test_the_subject_is_an_argument(args: JsonObject) -> None:
    chosen = subject_of(args)
    texts = [value for value in args.values() if isinstance(value, str)]
    assert (chosen is None) == (not texts)
    assert chosen is None or chosen in texts
    if isinstance(path := args.get("path"), str):
        assert chosen == path
    assert subject_of({"command": "ls", "path": "p"}, ("command",)) == "ls"


def test_usage_stands_or_falls_as_a_whole() -> None:
    assert usage_of(None, 1) is None
    assert usage_of(1, True) is None
    assert usage_of(U64_MAX + 1, 1) is None
    assert usage_of(1, 2, cached=-1, cache_write=0) == {
        "v": 1,
        "input_tokens": 1,
        "output_tokens": 2,
        "cache_write_tokens": 0,
    }
