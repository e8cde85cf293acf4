"""Ledgers on disk: read, checked, followed, written. Spec: ledger.md."""

from accounting.ledger.checking import Verification, check, verify
from accounting.ledger.ledger import Ledger
from accounting.ledger.problem import Place, Problem, ProblemCode, Problems
from accounting.ledger.segments import NotALedgerError, Segment

__all__ = [
    "Ledger",
    "NotALedgerError",
    "Place",
    "Problem",
    "ProblemCode",
    "Problems",
    "Segment",
    "Verification",
    "check",
    "verify",
]
