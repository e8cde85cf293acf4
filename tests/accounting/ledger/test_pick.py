"""Whose business a line is: told of each line alone, and never too few."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.conformance.strategies import RUNS
from accounting.conformance.strategies.history import histories
from accounting.ledger import Place
from accounting.ledger.pick import CROSSING, every, owner, pick, runs_named
from accounting.ledger.record import LineReader
from tests.accounting.ledger.index.world import ABSENT, ASKED, spelled
from tests.compare import Plain
from tests.lines import canonical
from wire.scalars import NIL_RUN as NIL
from wire.scalars import RunId

A, B, *_ = ASKED
LINE: Plain = {"v": 2, "run": A, "seq": 3, "t": 5, "kind": "model_called", "data": {"model": "m"}}
HERE = Place(segment="", line=1, offset=0)


def chosen(line: bytes, run: RunId | None) -> bool:
    return bool(pick(line + b"\n", run)[0])


def business(line: bytes) -> set[RunId] | None:
    """Whose business a line is among the known runs; `None`: everybody's."""
    return None if chosen(line, None) else {run for run in ASKED if chosen(line, run)}


@pytest.mark.invariant("X3")
@given(histories(), st.integers(0, 10**9))
def test_a_line_is_told_alone(records: list[Plain], seed: int) -> None:
    random = Random(seed)
    lines = [line for one in records for line in spelled(one, random).split(b"\n")]
    block = b"".join(line + b"\n" for line in lines)
    starts = [sum(len(line) + 1 for line in lines[:index]) for index in range(len(lines))]
    for run in (*ASKED, None):
        picked, count = pick(block, run)
        assert count == len(lines)
        assert picked == [
            (index, start, start + len(line))
            for index, (start, line) in enumerate(zip(starts, lines, strict=True))
            if chosen(line, run)
        ]
    assert every(block)[0] == [
        (index, start, start + len(line)) for index, (start, line) in enumerate(zip(starts, lines, strict=True))
    ]


@pytest.mark.invariant("X3")
@given(histories(), st.integers(0, 10**9))
def test_a_plain_line_is_the_business_of_whom_it_names(records: list[Plain], seed: int) -> None:
    random = Random(seed)
    for one in records:
        line = spelled(one, random).replace(b"\n", b"")
        whose = business(line)
        if whose is not None:
            first = owner(line)
            assert first is not None
            assert chosen(line, first)
            assert whose == {run.decode() for run in runs_named(line)} & set(ASKED)


@given(histories(), st.integers(0, 10**9))
def test_a_record_is_never_missed(records: list[Plain], seed: int) -> None:
    random = Random(seed)
    for one in records:
        line = spelled(one, random).replace(b"\n", b"")
        record = LineReader(lambda problem: None).read(line, HERE)
        if record is None or chosen(line, None) or b"\\u" in line:
            continue
        assert chosen(line, record.run)
        # A second `kind` behind the payload is not looked for.
        assert record.kind not in CROSSING or line.count(b'"kind"') > 1


CANONICAL = canonical(LINE)


@pytest.mark.parametrize("kind", ["model_called", "brand_new", "log_truncated"])
@pytest.mark.parametrize("more", [{}, {"v": 1}, {"addr": "a/b"}, {"ig": True}, {"who": "ünï"}, {"run": NIL}])
def test_canonical_lines_are_plain(kind: str, more: Plain) -> None:
    line = canonical(LINE | {"kind": kind} | more)
    assert business(line) == {(LINE | more)["run"]}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"junk",
        b" " + CANONICAL,
        CANONICAL + b"\r",
        CANONICAL[:-1],
        CANONICAL + b"}x",
        CANONICAL.replace(b'"v":2', b'"v":3'),
        CANONICAL.replace(b'"v":2', b'"v": 2'),
        CANONICAL.replace(b'"seq":3', b'"seq":-3'),
        CANONICAL.replace(b'"run":"0a', b'"run":"0A'),
        CANONICAL.replace(b'"run":"0', b'"run":"'),
        CANONICAL.replace(b'"who":"city"', b'"who":"c\\u0069ty"'),
        CANONICAL.replace(b'"kind":"model_called"', b'"kind":"Model_called"'),
        CANONICAL.replace(b'"kind":"model_called"', b'"kind":"signal_enqueued"'),
        CANONICAL.replace(b'"kind":"model_called"', b'"kind":"approval_resolved"'),
        CANONICAL.replace(b'"data":{"model":"m"}', b'"data":[{}]'),
        CANONICAL[:-1] + b',"ig":1}',
        CANONICAL[:-1] + b',"run":"' + RUNS[1].encode() + b'"}',
    ],
)
def test_everything_else_is_everybodys(line: bytes) -> None:
    assert business(line) is None


def test_kinds_that_begin_like_one_that_crosses_do_not_cross() -> None:
    assert business(canonical(LINE | {"kind": "signal_enqueued_twice"})) == {A}


NAMED = f'"run":"{B}"'.encode()


@pytest.mark.parametrize(
    ("line", "whose"),
    [
        (CANONICAL[:-3] + CANONICAL.replace(A.encode(), B.encode()), {A, B}),
        (CANONICAL[:-1] + b"," + NAMED + b',"x":{}}', {A, B}),
        (CANONICAL[:-1] + b"," + NAMED.replace(b":", b" :\t") + b',"x":{}}', {A, B}),
        (CANONICAL.replace(b'"data":{', b'"data":{' + NAMED + b","), {A, B}),
        # Where the head has room for it: a line with such a `prev` says that it is B's.
        (CANONICAL.replace(b"0" * 64, (b'","run":"' + B.encode() + b'","x":"').ljust(64, b"0")), {A, B}),
        # Named, but not as a run.
        (CANONICAL.replace(b'"m"', b'"' + B.encode() + b'"'), {A}),
        (CANONICAL.replace(b'"m"', b'"\\"run\\":\\"' + B.encode() + b'\\""'), {A}),
        (CANONICAL.replace(b'"model"', b'"rerun"').replace(b'"m"', b'"' + B.encode() + b'"'), {A}),
    ],
    ids=["glued", "twice", "spaced", "in the payload", "in prev", "as a text", "quoted", "by another key"],
)
def test_who_is_named(line: bytes, whose: set[str]) -> None:
    assert business(line) == whose
    assert ABSENT not in whose
