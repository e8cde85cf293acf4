"""One line at a time: each rule of a single line broken in every way, and lines at the edge that break none."""

from pathlib import Path

import pytest

from accounting.ledger import verify
from accounting.ledger.canonical import line_hash
from accounting.ledger.checking import FaultError, proven_end
from accounting.ledger.checking.rules import RULE
from tests.accounting.ledger.checking import naive
from tests.accounting.ledger.checking.build import content, rewrite
from tests.accounting.ledger.checking.line_cases import BEFORE, LINE, OFFSET, PLACE_CASES, RUN, Case
from tests.accounting.ledger.checking.spelling_cases import GOOD, SKIPPED, SPELLING_CASES
from wire import Finding, Severity
from wire.scalars import run_id


def after(line: bytes, seq: int | None) -> bytes:
    """A line that goes on from this one."""
    seq = 2 if seq is None or seq == 2**64 - 1 else seq + 1
    head = f'{{"v":2,"run":"{RUN}","seq":{seq},"prev":"{line_hash(line)}"'
    return f'{head},"t":1002,"who":"city","kind":"went_back","data":{{}}}}'.encode()


@pytest.mark.parametrize("case", PLACE_CASES + SPELLING_CASES, ids=lambda case: f"{case.rule}-{case.new[:30]!r}")
def test_a_line_that_breaks_one_rule(tmp_path: Path, case: Case) -> None:
    lines = [BEFORE, case.line, after(case.line, case.seq)]
    path = rewrite(tmp_path / "file", content(lines))
    rule = RULE[case.rule]
    verification = verify(path)
    assert list(verification) == [
        Finding(
            code=case.rule, severity=Severity.fault, segment=str(path), line=2, offset=OFFSET,
            seq=case.seq, run=run_id(case.run), expected=case.expected, found=case.found, advice=rule.advice,
        )
    ]  # fmt: skip
    assert (verification.summary.sound, verification.summary.lines) == (1, 3)
    assert verification.summary.last_hash == line_hash(lines[2])
    assert naive.read([path.read_bytes()]) == (0, 2, OFFSET, naive.step_of(case.rule))
    with pytest.raises(FaultError) as raised:
        proven_end(path)
    assert str(raised.value) == (
        f"{path}:2 (byte {OFFSET}): {case.rule}: expected {case.expected}, found {case.found}. {rule.advice}"
    )


@pytest.mark.parametrize("line", GOOD)
def test_a_line_in_order(tmp_path: Path, line: str) -> None:
    lines = [BEFORE, line.encode(), after(line.encode(), 1)]
    path = rewrite(tmp_path / "file", content(lines))
    assert [one.code for one in verify(path) if one.code != "time-backwards"] == []
    assert isinstance(naive.read([path.read_bytes()]), naive.End)


@pytest.mark.parametrize("line", SKIPPED)
def test_a_line_that_may_be_skipped(tmp_path: Path, line: bytes) -> None:
    lines = [BEFORE, line, after(line, 1)]
    path = rewrite(tmp_path / "file", content(lines))
    [only] = verify(path)
    assert (only.code, only.severity, only.line, only.seq) == ("kind-skipped", Severity.note, 2, 1)
    assert (only.expected, only.found) == ("a kind that is known", "went_further")
    assert isinstance(naive.read([path.read_bytes()]), naive.End)


def test_the_lines_are_what_they_are_said_to_be() -> None:
    assert len(BEFORE) + 1 == OFFSET
    assert after(BEFORE, 0).decode().replace("1002", "1001") == LINE
