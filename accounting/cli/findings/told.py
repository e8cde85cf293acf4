"""A finding in one line of words, and findings counted by rule: what every form of a report has in common."""

from collections.abc import Mapping
from typing import Final

from accounting.cli.visible import visible
from wire.check import CheckReport, Finding

RESTS: Final = "What follows rests on what was found there."
"""What is said after the first fault."""


def place(finding: Finding) -> str:
    """Where it is: `file:8 (byte 2210, seq 7, run 019a…)`, without what does not read."""
    seq = "" if finding.seq is None else f", seq {finding.seq}"
    run = "" if finding.run is None else f", run {finding.run}"
    return visible(f"{finding.segment}:{finding.line} (byte {finding.offset}{seq}{run})")


def what(finding: Finding) -> str:
    """What should have been there, and what was."""
    return visible(f"expected {finding.expected}, found {finding.found}")


def told(finding: Finding) -> str:
    """The whole finding on one line, less its advice."""
    return f"{place(finding)}: {finding.severity} {visible(finding.code)}: {what(finding)}"


def unlisted(report: CheckReport) -> dict[str, int]:
    """How many findings of each rule the report counts and does not list."""
    left = {one.code: one.count for one in report.summary.counts}
    for finding in report.findings:
        left[finding.code] = left.get(finding.code, 0) - 1
    return {code: count for code, count in left.items() if count > 0}


def by_code(counts: Mapping[str, int]) -> str:
    """`1 chain-break, 3 seq-gap`."""
    return ", ".join(f"{count:,} {visible(code)}" for code, count in counts.items())
