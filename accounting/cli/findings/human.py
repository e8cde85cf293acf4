"""A report in words: the verdict and the figures, then what was found, in ledger order, and what to do about it.

A line comes as pieces of text, each with the style it has where there is colour: the pytest plugin gives the same
report where rich is not installed. Nothing in a line acts on a terminal.
"""

from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from accounting.cli.findings.told import RESTS, by_code, place, unlisted, what
from accounting.cli.units import several
from accounting.cli.visible import visible
from wire.check import CheckReport, CheckSummary, Finding, Severity
from wire.scalars import B3Hash

Line: TypeAlias = tuple[tuple[str, str], ...]
"""Pieces of text and their styles."""

_STYLES: Final = {Severity.fault: "bold red", Severity.warning: "yellow", Severity.note: "cyan"}
_DIM: Final = "dim"
_MARGIN: Final = 3
_LABEL: Final = 10


def report_lines(report: CheckReport, expected: B3Hash | int | None) -> Iterator[Line]:
    """The whole report. `expected` is the end that the ledger was held to, as a hash or a `seq`; `None` for no end."""
    yield from summary_lines(report, expected)
    if report.findings or report.unlisted:
        yield ()
    yield from _findings(report)


def plain(lines: Iterable[Line]) -> str:
    """The lines without their styles."""
    return "\n".join("".join(text for text, _ in line) for line in lines)


def summary_lines(report: CheckReport, expected: B3Hash | int | None) -> Iterator[Line]:
    """The verdict and the figures; what a chain cannot see, as far as `expected` does not pin it."""
    summary = report.summary
    yield _verdict(report)
    yield _row("read", _read(summary))
    if summary.faults:
        yield _row("sound", _sound(summary.sound))
    for severity, count in _by_severity(summary):
        if count:
            codes = {one.code: one.count for one in summary.counts if one.severity is severity}
            every = f"{count:,}: " if len(codes) > 1 else ""
            yield _row(f"{severity}s", f"{every}{by_code(codes)}", _STYLES[severity])
    if summary.last_hash is not None:
        seq = "" if summary.last_seq is None else f"seq {summary.last_seq}, "
        yield _row("last", f"{seq}hash {summary.last_hash}")
        for label, text in _unseen(expected):
            yield _row(label, text, _DIM)


def _verdict(report: CheckReport) -> Line:
    path, summary = ("standard input" if report.path == "-" else visible(report.path)), report.summary
    found = [several(count, severity.value) for severity, count in _by_severity(summary) if count]
    if not report.conforms:
        why = f": {found[0]}" if summary.faults else f": {found[0]}, and warnings count (strict)"
        return (path, "bold"), (" does not conform to the ledger format", _STYLES[Severity.fault]), (why, "")
    beside = "; nothing is in it yet" if not summary.lines else f", with {' and '.join(found)}" if found else ""
    return (path, "bold"), (" conforms to the ledger format", "green"), (beside, "")


def _by_severity(summary: CheckSummary) -> tuple[tuple[Severity, int], ...]:
    return ((Severity.fault, summary.faults), (Severity.warning, summary.warnings), (Severity.note, summary.notes))


def _read(summary: CheckSummary) -> str:
    of = f"{several(summary.lines, 'line')} in {several(summary.segments, 'segment')}, {several(summary.bytes, 'byte')}"
    if summary.first_seq is None or summary.last_seq is None:
        return of
    last = "" if summary.first_seq == summary.last_seq else f" to {summary.last_seq}"
    return f"{of}; seq {summary.first_seq}{last}"


def _sound(lines: int) -> str:
    return "no line before the first fault" if not lines else f"{several(lines, 'line')} before the first fault"


def _unseen(expected: B3Hash | int | None) -> Iterator[tuple[str, str]]:
    """A hash pins all of the end, a number only that it is there."""
    if isinstance(expected, str):
        return
    change = "a change inside the last line that leaves it canonical"
    yield "unseen", change if expected is not None else f"{change}, and whole lines missing at the end;"
    yield "", "keep this hash, and give it to the next check: --expect-last <hash>"


def _row(label: str, text: str, style: str = "") -> Line:
    return (" " * _MARGIN + label.ljust(_LABEL), _DIM), (text, style)


def _findings(report: CheckReport) -> Iterator[Line]:
    """Each finding, its advice where that is said for the first time, and after the first fault what rests on it."""
    advised: set[tuple[str, str]] = set()
    faultless = True
    for index, finding in enumerate(report.findings, 1):
        yield _finding(finding)
        if (finding.code, finding.advice) not in advised:
            advised.add((finding.code, finding.advice))
            yield _aside(f"→ {visible(finding.advice)}")
        if faultless and finding.severity is Severity.fault:
            faultless = False
            if index < len(report.findings) or report.unlisted:
                yield _aside(RESTS)
    if report.unlisted:
        every = len(report.findings) + report.unlisted
        yield (
            (f"and {report.unlisted:,} more, not listed: {by_code(unlisted(report))}", "bold"),
            (f"; `rounds check --max-findings {every}` lists them all", ""),
        )


def _finding(finding: Finding) -> Line:
    severity = (finding.severity.value, _STYLES[finding.severity])
    return (place(finding), "bold"), (": ", ""), severity, (f" {visible(finding.code)}: {what(finding)}", "")


def _aside(text: str) -> Line:
    return (" " * _MARGIN, ""), (text, _DIM)
