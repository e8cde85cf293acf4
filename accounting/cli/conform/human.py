"""A report in words: each case that is not as expected, what it is about and where it differs; then the figures."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from shlex import join
from typing import Final, TypeAlias

from accounting.cli.units import several, took
from accounting.cli.visible import visible
from accounting.conformance.comparing import What
from accounting.conformance.report import CaseReport, ConformReport, Outcome, ShownDifference, Totals
from accounting.conformance.smoke import ProbeOutcome, SmokeReport

Line: TypeAlias = tuple[tuple[str, str], ...]
"""Pieces of text and their styles."""
DETAILED: Final = 20
"""After so many cases told in full the others are told in a line each."""
DIFFERENCES: Final = 5
"""The most differences of one case that are told."""
WORDS: Final = {
    Outcome.passed: "passed",
    Outcome.wrong: "wrong",
    Outcome.rejected: "rejected",
    Outcome.crashed: "crashed",
    Outcome.timed_out: "timed out",
    Outcome.not_run: "not run",
}
"""What an outcome is called."""
_NOT_BROKEN: Final = frozenset((Outcome.passed, Outcome.not_run))
"""What says nothing against a rule, though it may not be as expected."""
_WIDE: Final = 300
_STDERR_LINES: Final = 8
_DIM: Final = "dim"
_BAD: Final = "bold red"
_MARGIN: Final = "   "


def show(lines: Iterable[Line]) -> None:
    """Print the lines on standard output."""
    from rich.text import Text

    from accounting.cli.screen import screen, show_lines

    show_lines(screen(), (Text.assemble(*line) for line in lines))


def report_lines(report: ConformReport) -> Iterator[Line]:
    """The whole report."""
    told = 0
    for case in report.cases:
        if case.ok or case.outcome is Outcome.not_run:
            continue
        told += 1
        yield _headline(case)
        if told <= DETAILED:
            yield from _details(case)
            yield ()
    if told > DETAILED:
        yield ((f"The first {DETAILED} of {told:,} are told in full; --case tells of others.", _DIM),)
        yield ()
    if report.leaving is not None:
        yield ("leaving", "bold"), (": ", ""), (WORDS[Outcome.crashed], _BAD)
        yield ((_MARGIN + _cut(visible(report.leaving)), ""),)
        yield ()
    yield _verdict(report)
    yield _row(report.of, _named(report))
    yield _row("cases", _figures(report.totals))
    every = Counter(case.rule for case in report.cases)
    broken = Counter(case.rule for case in report.cases if not case.ok and case.outcome not in _NOT_BROKEN)
    for index, (rule, count) in enumerate(sorted(broken.items())):
        yield _row("" if index else "broken", f"{visible(rule)}: {count:,} of {several(every[rule], 'case')}")
    yield _row("took", took(report.took_us))


def case_text(case: CaseReport) -> str:
    """All that there is to say of a case that failed, without styles."""
    return "\n".join("".join(text for text, _ in line).rstrip() for line in _details(case))


def headline(case: CaseReport) -> str:
    """What became of a case, in a few words."""
    if case.ok and case.expected_failure is not None:
        return f"{WORDS[case.outcome]}, as expected: {visible(case.expected_failure)}"
    if case.expected_failure is not None:
        return "passed, and is expected to fail"
    return WORDS[case.outcome]


def difference_lines(differences: Sequence[ShownDifference], unlisted: int) -> Iterator[Line]:
    """Where an answer differs: the first places, and how many more there are."""
    for one in differences[:DIFFERENCES]:
        yield from _difference(one)
    left = len(differences) + unlisted - DIFFERENCES
    if left > 0:
        yield ((f"{_MARGIN}and {several(left, 'more difference')}", _DIM),)


def smoke_lines(report: SmokeReport) -> Iterator[Line]:
    """What the probes show."""
    styles = {ProbeOutcome.right: "green", ProbeOutcome.wrong: _BAD, ProbeOutcome.miswired: _BAD}
    for probe in report.probes:
        yield (probe.id, "bold"), (": ", ""), (probe.outcome.value, styles[probe.outcome])
        if probe.found is not None:
            for line in probe.found.split("\n")[: _STDERR_LINES + 1]:
                yield ((_MARGIN + _cut(visible(line)), ""),)
        if probe.hint is not None:
            yield (_MARGIN, ""), (f"→ {probe.hint}", _DIM)
    yield ()
    command = visible(join(report.subject))
    if not report.wired:
        yield (command, "bold"), (" is not wired up yet", _BAD), (": no case would say anything of it", "")
    elif not report.ok:
        yield (command, "bold"), (" is wired up, and answers wrongly", _BAD), ("; the cases will say more", "")
    else:
        yield (command, "bold"), (" is wired up", "green"), ("; go on without --smoke", "")


def _verdict(report: ConformReport) -> Line:
    command, figures = visible(join(report.subject)), report.totals
    if report.ok:
        known = figures.expected_failures
        beside = f" but {known:,} that {'is' if known == 1 else 'are'} expected to fail" if known else ""
        return (command, "bold"), (" passes every case", "green"), (beside, "")
    return (command, "bold"), (" does not conform", _BAD)


def _named(report: ConformReport) -> str:
    how = "stays, and speaks JSON lines" if report.protocol == "lines" else "run once for each case"
    return how if report.name is None else f"{visible(report.name)} {visible(report.version or '')}, {how}"


def _figures(figures: Totals) -> str:
    others = {
        "wrong": figures.wrong,
        "rejected": figures.rejected,
        "crashed": figures.crashed,
        "timed out": figures.timed_out,
        "not run": figures.not_run,
        "failed as expected": figures.expected_failures,
        "passed unexpectedly": figures.unexpected_passes,
    }
    rest = "".join(f", {count:,} {word}" for word, count in others.items() if count)
    return f"{figures.passed:,} of {figures.cases:,} passed{rest}"


def _row(label: str, text: str) -> Line:
    return (_MARGIN + label.ljust(10), _DIM), (text, "")


def _headline(case: CaseReport) -> Line:
    return (case.id, "bold"), (": ", ""), (headline(case), _BAD), (f" ({visible(case.rule)})", "")


def _details(case: CaseReport) -> Iterator[Line]:
    yield ((_MARGIN + visible(case.about), _DIM),)
    if case.expected_failure is not None and case.outcome is Outcome.passed:
        yield ((f"{_MARGIN}→ Remove it from the list of expected failures: {visible(case.expected_failure)}", ""),)
    if case.message is not None:
        yield ((_MARGIN + _cut(visible(case.message)), ""),)
    if case.stderr is not None:
        for line in case.stderr.strip().split("\n")[-_STDERR_LINES:]:
            yield ((f"{_MARGIN}│ {_cut(visible(line))}", _DIM),)
    yield from difference_lines(case.differences, case.unlisted)


def _difference(one: ShownDifference) -> Iterator[Line]:
    yield ((_MARGIN + visible(one.path or "the whole answer"), "bold"),)
    expected = "nothing" if one.what is What.unexpected else _cut(visible(one.expected or "null"))
    actual = "nothing" if one.what is What.missing else _cut(visible(one.actual or "null"))
    yield (f"{_MARGIN}  expected  ", _DIM), (expected, "")
    yield (f"{_MARGIN}  found     ", _DIM), (actual, "")


def _cut(text: str) -> str:
    return text if len(text) <= _WIDE else f"{text[:_WIDE]}… and {len(text) - _WIDE:,} more characters"
