"""A whole ledger checked in one pass, line by line. Spec: ledger.md 8."""

import os
from collections.abc import Iterator
from operator import itemgetter

from accounting.ledger.checking.one_pass import Pass
from accounting.ledger.ledger import Ledger
from wire.check import CheckReport, CheckSummary, Finding, Severity
from wire.scalars import B3Hash, Seq


def verify(
    ledger: Ledger | str | os.PathLike[str],
    *,
    from_seq: Seq | None = None,
    expect_last: B3Hash | Seq | None = None,
) -> "Verification":
    """Hold a ledger to every rule: an iterator of what is found, in ledger order, with a summary. Spec: ledger.md 8.

    `from_seq` begins at that line and believes what is before it. `expect_last` is the hash, or the `seq`, that the
    last line must have: what a chain alone cannot tell.

    Raises `OSError` when the ledger cannot be read, `accounting.ledger.NotALedgerError` when the path holds none,
    `ModuleNotFoundError` without the extra `ledger`.
    """
    return Verification(ledger if isinstance(ledger, Ledger) else Ledger(ledger), from_seq, expect_last)


def check(
    ledger: Ledger | str | os.PathLike[str],
    *,
    strict: bool = False,
    max_findings: int = 1000,
    from_seq: Seq | None = None,
    expect_last: B3Hash | Seq | None = None,
) -> CheckReport:
    """The whole check at once; `strict` counts warnings against the ledger. Raises what `verify` raises.

    The first `max_findings` of the gravest severity are listed, then those of the next; all are counted.
    """
    verification = verify(ledger, from_seq=from_seq, expect_last=expect_last)
    kept: dict[Severity, list[tuple[int, Finding]]] = {severity: [] for severity in Severity}
    found = 0
    for finding in verification:
        if len(kept[finding.severity]) < max_findings:
            kept[finding.severity].append((found, finding))
        found += 1
    # No warning keeps a fault out of the list.
    gravest = [one for severity in Severity for one in kept[severity]][:max_findings]
    listed = [finding for _, finding in sorted(gravest, key=itemgetter(0))]
    summary = verification.summary
    return CheckReport(
        path=os.fspath(ledger.path) if isinstance(ledger, Ledger) else os.fspath(ledger),
        conforms=not summary.faults and not (strict and summary.warnings),
        strict=strict,
        summary=summary,
        findings=tuple(listed),
        unlisted=found - len(listed),
    )


class Verification(Iterator[Finding]):
    """One check under way: iterate for its findings, then ask for the summary. See `verify`."""

    def __init__(self, ledger: Ledger, from_seq: Seq | None = None, expect_last: B3Hash | Seq | None = None) -> None:
        self.ledger = ledger
        """What is checked; its `position` says how far the check has come."""
        self._pass = Pass(ledger, from_seq or 0, expect_last)
        # The pass does not hold its own iteration: so it ends, and lets go of its file, when nobody iterates any more.
        self._findings = self._pass.findings()

    def __next__(self) -> Finding:
        """The next finding."""
        return next(self._findings)

    def close(self) -> None:
        """Let go of the file that is being read, where no more findings are wanted."""
        self._findings.close()

    @property
    def summary(self) -> CheckSummary:
        """The check so far in figures; of the whole ledger once the findings are exhausted."""
        return self._pass.summary

    @property
    def newest(self) -> tuple[int, int]:
        """Of the newest segment, so far: bytes of whole lines, and bytes after the last newline but for zeros."""
        return self._pass.newest
