"""A ledger proven as a writer proves it before it goes on: strictly, up to the first fault. Spec: ledger.md 7, 8."""

import os
from contextlib import closing

from msgspec import Struct

from accounting.ledger.canonical import GENESIS
from accounting.ledger.checking.verification import Verification
from accounting.ledger.ledger import Ledger
from accounting.ledger.segments import NotALedgerError
from wire.check import Finding, Severity
from wire.scalars import B3Hash, Seq


class FaultError(Exception):
    """The ledger breaks a rule of the format; the message says which, where, and what to do."""

    def __init__(self, finding: Finding) -> None:
        place = f"{finding.segment}:{finding.line} (byte {finding.offset})"
        super().__init__(
            f"{place}: {finding.code}: expected {finding.expected}, found {finding.found}. {finding.advice}"
        )
        self.finding = finding
        """What is broken."""


class End(Struct, frozen=True, kw_only=True):
    """Where a proven ledger goes on."""

    next_seq: Seq
    """The `seq` of the next line."""
    prev: B3Hash
    """The `prev` of the next line."""
    size: int
    """Bytes of whole lines in the newest segment; 0 when there is no segment."""
    torn: int
    """Bytes after its last newline, without a run of zeros at the end: a line that was never finished."""


def proven_end(path: str | os.PathLike[str]) -> End:
    """Read a ledger up to its end, stopping at the first fault; a directory without segments is an empty ledger.

    Raises `FaultError` for a fault, `OSError` when the ledger cannot be read.
    """
    try:
        ledger = Ledger(path)
    except NotALedgerError:
        return End(next_seq=0, prev=GENESIS, size=0, torn=0)
    verification = Verification(ledger)
    with closing(verification):
        for finding in verification:
            if finding.severity is Severity.fault:
                raise FaultError(finding)
    summary = verification.summary
    size, torn = verification.newest
    return End(
        next_seq=0 if summary.last_seq is None else summary.last_seq + 1,
        prev=summary.last_hash or GENESIS,
        size=size,
        torn=torn,
    )
