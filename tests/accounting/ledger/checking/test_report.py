"""What a check as a whole has to keep to: the same twice, in ledger order, whole figures, however the files are cut."""

import gc
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accounting.ledger import Ledger, Verification, check, segments, verify
from accounting.ledger.canonical import line_hash
from accounting.ledger.checking import FaultError, proven_end
from accounting.ledger.checking.rules import RULE, RULES
from accounting.ledger.segments import segment_name
from tests.accounting.ledger.checking.build import BARE, RUN, SMALL, STARTS, content, lines_of, rewrite, split, store
from tests.accounting.ledger.checking.test_story import events, written
from tests.compare import Plain
from tests.lines import canonical
from wire import Finding, Severity

BY_FILE = {"segment-name", "long-segment", "unended-segment"}
JUNK = (
    b"",
    b"oops",
    b"{}",
    b'{"v":1}',
    b'{"v":3}',
    SMALL[2],
    SMALL[5],
    SMALL[5].replace(b"tool_result", b"tool_resulted"),
)


@st.composite
def damaged(draw: st.DrawFn) -> list[bytes]:
    """Draw lines of a ledger in which a few things are wrong."""
    lines = written(draw(events())) or [SMALL[0]]
    random = Random(draw(st.integers(0, 2**32)))
    for _ in range(random.choice((0, 1, 1, 2, 3, 6))):
        at = random.randrange(len(lines) + 1)
        junk = random.choice(JUNK)
        lines = random.choice((
            [*lines[:at], *[junk] * random.randint(1, 3), *lines[at:]],
            [*lines[:at], junk, *lines[at + 1 :]],
            [*lines[:at], *lines[at + 1 :]],
            [line.replace(b'"t":6', b'"t":60') if index == at else line for index, line in enumerate(lines)],
        )) or lines  # fmt: skip
    return lines


def everything(path: Path, **options: Any) -> tuple[list[Finding], Verification]:
    verification = verify(path, **options)
    return list(verification), verification


def placed(found: list[Finding], folder: Path, starts: tuple[int, ...]) -> list[tuple[object, ...]]:
    """Findings of a ledger in files, as they would be of one file; what is about files as such is left out."""
    first = {str(folder / segment_name(start)): start for start in (0, *starts)}
    return [
        (one.code, one.severity, first[one.segment] + one.line, one.seq, one.run, one.expected, one.found)
        for one in found
        if one.code not in BY_FILE
    ]


@pytest.mark.invariant("C4")
@given(damaged(), st.integers(0, 2**32))
@settings(max_examples=100)
def test_findings_do_not_depend_on_how_lines_are_cut_into_files(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], seed: int
) -> None:
    random = Random(seed)
    base = tmp_path_factory.getbasetemp() / "cut"
    starts = tuple(sorted({random.randint(1, len(lines)) for _ in range(random.randint(0, 4))}))
    for old in [*base.glob("*")]:
        old.unlink()
    whole, of_whole = everything(store(base, {segment_name(0): content(lines)}))
    apart, of_parts = everything(store(base, split(lines, *starts)))
    assert placed(whole, base, ()) == placed(apart, base, starts)
    again, of_again = everything(base)
    assert (again, of_again.summary) == (apart, of_parts.summary)
    for name in ("lines", "bytes", "sound", "first_seq", "last_seq", "last_hash", "faults", "notes"):
        assert getattr(of_whole.summary, name) == getattr(of_parts.summary, name), name


@given(damaged(), st.integers(1, 700), st.integers(0, 20), st.sampled_from((b"", b"{", b"\0\0", b"x\0")))
@settings(max_examples=100)
def test_findings_do_not_depend_on_how_files_are_read(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], block: int, first: int, tail: bytes
) -> None:
    path = rewrite(tmp_path_factory.getbasetemp() / "blocks", content(lines) + tail)
    found, verification = everything(path, from_seq=first)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments, "BLOCK", block)
        again, other = everything(path, from_seq=first)
    assert (again, other.summary, other.newest) == (found, verification.summary, verification.newest)
    assert verification.newest == (len(content(lines)), len(tail.rstrip(b"\0")))


@given(damaged(), st.integers(0, 2**32))
@settings(max_examples=100)
def test_figures_add_up(tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], seed: int) -> None:
    random = Random(seed)
    base = tmp_path_factory.getbasetemp() / "figures"
    starts = tuple(sorted({random.randint(1, len(lines)) for _ in range(random.randint(0, 3))}))
    for old in [*base.glob("*")]:
        old.unlink()
    files = split(lines, *starts)
    name = random.choice([*files])
    files[name] += random.choice((b"", b"{", b"\0"))
    found, verification = everything(store(base, files))
    summary = verification.summary
    names = [*map(str, sorted(base.iterdir()))]
    # In ledger order; of one line, warnings and notes may follow in any order, but a fault stands first.
    order = [(names.index(one.segment), one.line, one.severity is not Severity.fault) for one in found]
    assert order == sorted(order)
    assert all(one.severity is RULE[one.code].severity and one.advice == RULE[one.code].advice for one in found)
    by_code = Counter(one.code for one in found)
    assert [(one.code, one.severity, one.count) for one in summary.counts] == [
        (rule.code, rule.severity, by_code[rule.code]) for rule in RULES if by_code[rule.code]
    ]
    assert (summary.faults, summary.warnings, summary.notes) == tuple(
        sum(one.severity is severity for one in found) for severity in Severity
    )
    assert (summary.segments, summary.lines) == (len(files), len(lines))
    assert summary.bytes == sum(len(data.rstrip(b"\0")) for data in files.values())
    fault = next((one for one in found if one.severity is Severity.fault), None)
    if fault is None:
        assert summary.sound == len(lines)
        assert proven_end(base).next_seq == len(lines)
    else:
        assert summary.sound == (0, *starts)[names.index(fault.segment)] + fault.line - 1
        with pytest.raises(FaultError) as raised:
            proven_end(base)
        # The writer stops at once, and so may not know yet how many such lines follow.
        assert raised.value.finding == fault
    for most in (0, 2, 1000):
        for strict in (False, True):
            report = check(base, strict=strict, max_findings=most)
            assert len(report.findings) == min(most, len(found))
            assert len(report.findings) + report.unlisted == len(found)
            assert (report.summary, report.strict, report.path) == (summary, strict, str(base))
            assert report.conforms is (summary.faults == 0 and not (strict and summary.warnings))
            kept = sorted(found, key=lambda one: [*Severity].index(one.severity))[:most]
            assert report.findings == tuple(one for one in found if one in kept)


def test_lines_that_are_none_in_a_row(tmp_path: Path) -> None:
    """One finding, told at the first; it says how many more there are, over the end of a file too."""
    junk = [b"oops", b"", b"{}", b"\0"]
    lines = [*SMALL[:2], *junk, *SMALL[2:]]
    whole = list(verify(rewrite(tmp_path / "a", content(lines))))
    assert (whole[0].code, whole[0].line, whole[0].found) == ("not-a-line", 3, "oops, and 3 more such lines")
    apart = store(tmp_path / "b", split(lines, 4, 7))
    first = next(verify(apart))
    assert (first.code, first.line, first.found) == ("not-a-line", 3, "oops, and 3 more such lines")
    alone = list(verify(rewrite(tmp_path / "a", content([*SMALL[:2], b"oops", *SMALL[2:], b"", b""]))))
    assert [(one.line, one.found) for one in alone if one.code == "not-a-line"] == [
        (3, "oops"), (10, "an empty line, and 1 more such lines")
    ]  # fmt: skip


@pytest.mark.parametrize("junk", [b"oops", b'{"v":2,"seq":0}'])
def test_lines_in_order_between_them(tmp_path: Path, junk: bytes) -> None:
    """A line that goes on from one that is none, and what is to be said of it; a payload is looked at however deep."""
    lines = [junk]
    records: tuple[Plain, ...] = (
        {"kind": "worktree_opened", "data": {}},
        {"kind": "worktree_opened", "data": {"name": [[[[[[[2**64 - 1]]]]]]]}},
        {"kind": "worktree_opened", "data": {"name": "x", "disk_bytes": 2**64 - 1}},
    )
    for seq, record in enumerate(records, 1):
        said: Plain = {"v": 2, "run": RUN, "seq": seq, "prev": line_hash(lines[-1]), "t": 1}
        lines.append(canonical(said | record))
    path = rewrite(tmp_path / "a", content([*lines, junk]))
    assert [(one.line, one.code) for one in verify(path)] == [
        (1, "not-a-line"), (2, "payload-shape"), (3, "payload-shape"), (5, "not-a-line")
    ]  # fmt: skip


def test_a_ledger_of_nothing_but_such_lines(tmp_path: Path) -> None:
    found, verification = everything(rewrite(tmp_path / "a", b"\n" * 1000 + b"x"))
    assert [(one.code, one.line) for one in found] == [("not-a-line", 1), ("torn-tail", 1001)]
    summary = verification.summary
    assert (summary.lines, summary.sound, summary.faults, summary.first_seq, summary.last_seq) == (
        1000,
        0,
        1,
        None,
        None,
    )


def test_findings_come_as_the_lines_are_read(tmp_path: Path) -> None:
    """The summary tells how far it has come; nothing is read before it is asked for."""
    lines = lines_of(*[{"data": {"x": "y" * 1000}}] * 500, {"kind": "dug"}, *[BARE] * 500)
    path = rewrite(tmp_path / "a", content(lines))
    verification = verify(path)
    assert (verification.summary.lines, verification.ledger.position) == (0, 0)
    assert next(verification).code == "unknown-kind"
    assert verification.summary.lines == 501
    assert verification.ledger.position < path.stat().st_size
    assert list(verification) == []
    assert (verification.summary.lines, verification.ledger.position) == (1001, path.stat().st_size)
    assert list(verification) == []


@pytest.mark.parametrize("closed", [False, True])
def test_a_check_that_is_given_up_lets_go_of_its_file(tmp_path: Path, closed: bool) -> None:
    ledger = Ledger(rewrite(tmp_path / "a", content([b"x", *SMALL])))
    verification = verify(ledger)
    assert next(verification).code == "not-a-line"
    file = ledger._open  # pyright: ignore[reportPrivateUsage]
    assert file is not None
    assert not file.closed
    gc.disable()  # let nothing else help
    try:
        if closed:
            verification.close()
        else:
            del verification
        assert file.closed
    finally:
        gc.enable()


def test_a_writer_that_is_refused_holds_no_file(tmp_path: Path) -> None:
    path = rewrite(tmp_path / "a", content([b"x", *SMALL]))
    with pytest.raises(FaultError) as raised:
        proven_end(path)
    gc.collect()  # a file left open would be told by a warning, and warnings are errors
    assert raised.value.finding.code == "not-a-line"


def test_a_ledger_may_be_given_as_a_path_or_opened(tmp_path: Path) -> None:
    folder = store(tmp_path / "small", split(SMALL, *STARTS))
    report = check(folder)
    assert check(str(folder)) == check(Ledger(folder)) == report
    assert (report.summary.first_seq, report.strict) == (0, False)
    assert [one.run for one in report.findings] != [RUN]
    named = Ledger(rewrite(tmp_path / "a", content([b"x"])), name="standard input")
    assert [one.segment for one in verify(named)] == ["standard input"]


def test_deep_and_long_lines_raise_nothing(tmp_path: Path) -> None:
    head = f'{{"v":2,"run":"{RUN}","seq":0,"prev":"{"0" * 64}","t":1,"who":"city","kind":"went_back","data":'
    many = 20_000
    values = (
        "[" * many, "[" * many + "]" * many, '{"a":' * many, '{"a":' * many + "1" + "}" * many, '"' + "\\" * (many + 1),
        "1" * many, "1" + "e9" * many, "1e99999999999999999999", "-1e99999999999999999999", "[" * 500 + "]" * 500,
    )  # fmt: skip
    lines = (*values, *(f'{{"v":{value}}}' for value in values), *(f'{head}{{"a":{value}}}}}' for value in values))
    for line in (*map(str.encode, lines), b"\xff" * many):
        found = list(verify(rewrite(tmp_path / "a", line + b"\n")))
        assert [one.severity for one in found] == [Severity.fault], line[:80]
        assert all(len(one.found) + len(one.expected) < 500 for one in found)
