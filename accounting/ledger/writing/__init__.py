"""Writing a ledger: the reference for how lines come to be on disk. Spec: ledger.md 7."""

from accounting.ledger.writing.draft import Draft
from accounting.ledger.writing.errors import (
    AppendError,
    DraftError,
    LedgerHeldError,
    UnprovenLedgerError,
    WriteError,
    WriterUnusableError,
)
from accounting.ledger.writing.system import SYSTEM, System
from accounting.ledger.writing.writer import LedgerWriter

__all__ = [
    "SYSTEM",
    "AppendError",
    "Draft",
    "DraftError",
    "LedgerHeldError",
    "LedgerWriter",
    "System",
    "UnprovenLedgerError",
    "WriteError",
    "WriterUnusableError",
]
