"""A ledger made by hand for every rule that a single line does not decide, and a case for each rule there is."""

from pathlib import Path
from typing import Any

import pytest

from accounting.ledger import segments, verify
from accounting.ledger.checking import one_pass as module
from accounting.ledger.checking.rules import RULE, RULES
from accounting.ledger.segments import segment_name
from tests.accounting.ledger.checking.build import BARE, store
from tests.accounting.ledger.checking.line_cases import PLACE_CASES
from tests.accounting.ledger.checking.spelling_cases import SPELLING_CASES
from tests.accounting.ledger.checking.whole_cases import SIX, WHOLE, Whole, ended
from wire import Finding, Severity
from wire.scalars import run_id


@pytest.mark.invariant("C3")
@pytest.mark.parametrize("case", WHOLE, ids=lambda case: case.rule)
def test_a_ledger_that_breaks_one_rule(tmp_path: Path, case: Whole) -> None:
    folder = store(tmp_path / "ledger", {segment_name(first): b"".join(lines) for first, lines in case.files})
    first, lines = case.files[case.file]
    assert list(verify(folder, **case.options)) == [
        Finding(
            code=case.rule, severity=Severity(case.severity), segment=str(folder / segment_name(first)),
            line=case.at + 1, offset=sum(map(len, lines[: case.at])), seq=case.seq, run=run_id(case.run),
            expected=case.expected, found=case.found, advice=RULE[case.rule].advice,
        )
    ]  # fmt: skip


Files = tuple[tuple[int, list[bytes]], ...]
EMPTY: list[bytes] = []
NOTHING_WRONG: tuple[Files, ...] = (
    ((0, EMPTY),),
    ((0, [b"\0" * 200_000]),),
    ((0, [*SIX, b"\0" * 200_000]),),
    # Zeros set aside are left behind in an older segment too, and a segment may be begun before it has a line.
    ((0, [*SIX[:2], b"\0\0"]), (2, SIX[2:]), (6, EMPTY)),
    ((0, EMPTY), (1, EMPTY), (6, EMPTY)),
    ((0, SIX[:1]), (1, SIX[1:2]), (2, EMPTY), (3, EMPTY)),
)


@pytest.mark.parametrize("files", NOTHING_WRONG)
def test_ledgers_without_a_finding(tmp_path: Path, files: Files) -> None:
    folder = store(tmp_path / "ledger", {segment_name(first): b"".join(lines) for first, lines in files})
    assert list(verify(folder)) == []


@pytest.mark.parametrize("block", [1, 300, 1 << 16])
def test_a_segment_that_is_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    """By the line that goes past the limit, once; a longer single line has a segment of its own."""
    monkeypatch.setattr(segments, "BLOCK", block)
    long = ended(BARE, {"data": {"x": "x" * 500}}, *[BARE] * 3)
    starts = [sum(map(len, long[:at])) for at in range(6)]
    whole = store(tmp_path / "whole", {segment_name(0): b"".join(long)})
    parts = {0: long[:1], 1: long[1:3], 3: long[3:]}
    apart = store(tmp_path / "apart", {segment_name(first): b"".join(lines) for first, lines in parts.items()})

    def told(folder: Path, limit: int, **options: Any) -> list[tuple[str, int, int, int | None, str, str]]:
        monkeypatch.setattr(module, "SEGMENT_LIMIT", limit)
        return [(one.code, one.line, one.offset, one.seq, one.expected, one.found) for one in verify(folder, **options)]

    for at in range(1, 5):
        for limit in (starts[at], starts[at + 1] - 1):
            found = (
                "long-segment",
                at + 1,
                starts[at],
                at,
                f"up to {limit} bytes",
                f"a line that ends at byte {starts[at + 1] - 1}",
            )
            assert told(whole, limit) == [found], (at, limit)
    assert told(whole, starts[5]) == []
    # The first line alone is past the limit already, so the second is the first that should not be there.
    assert [one[:4] for one in told(whole, 10)] == [("long-segment", 2, starts[1], 1)]
    assert [one[:4] for one in told(apart, len(long[1]))] == [("long-segment", 2, len(long[1]), 2)]
    assert told(apart, len(long[1]) + len(long[2])) == []
    # Begun in the midst of a segment that is too long, the check tells it by its first line.
    assert [one[:2] for one in told(whole, starts[3], from_seq=4)] == [("long-segment", 5)]
    assert told(whole, starts[5], from_seq=4) == []


def test_a_long_segment_is_told_by_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Findings stay in ledger order where the limit is passed among lines that are none."""
    monkeypatch.setattr(module, "SEGMENT_LIMIT", len(SIX[0]) + 3)
    folder = store(tmp_path / "ledger", {segment_name(0): b"".join([SIX[0], b"ab\n", b"cd\n", *SIX[1:]])})
    assert [(one.line, one.code) for one in verify(folder)] == [(2, "not-a-line"), (4, "long-segment")]


def test_a_segment_may_begin_with_a_line_that_has_no_number(tmp_path: Path) -> None:
    for first in (b'{"v":3}', b'{"v":0,"seq":-1}', b"{}", b'{"seq":7}'):
        folder = store(tmp_path / "ledger", {segment_name(0): SIX[0], segment_name(1): first + b"\n"})
        [only] = verify(folder)
        assert (only.segment, only.line, only.severity) == (str(folder / segment_name(1)), 1, Severity.fault)


@pytest.mark.invariant("C3")
def test_every_rule_has_a_case() -> None:
    tried = {case.rule for case in (*PLACE_CASES, *SPELLING_CASES)} | {case.rule for case in WHOLE} | {"long-segment"}
    assert tried == {rule.code for rule in RULES}
    assert len({rule.code for rule in RULES}) == len(RULES)


def test_every_line_rule_comes_in_the_order_of_the_table() -> None:
    """Of a line that breaks two rules the one that stands first in the table is told: the others are on it too."""
    order = [rule.code for rule in RULES]
    seen = [case.rule for case in (*PLACE_CASES, *SPELLING_CASES)]
    assert sorted(set(seen), key=seen.index) == sorted(set(seen), key=order.index)
