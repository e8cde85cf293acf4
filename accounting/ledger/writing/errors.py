"""What a writer refuses with; each error has the code word that records it in a ledger. Spec: ledger.md 5, 7."""

from pathlib import Path

from accounting.ledger.checking import FaultError
from wire.check import Finding
from wire.error import ErrorCode


class WriteError(Exception):
    """A ledger cannot be opened for writing, or not written to; the message says why, and what to do."""

    code: ErrorCode
    """The code of an error shape that records this failure."""


class LedgerHeldError(WriteError):
    """Another writer has the ledger. Nothing of it was read or written. Spec: ledger.md 7."""

    code = ErrorCode.E_LEDGER_HELD

    def __init__(self, ledger: Path, lock: Path, holder: str | None) -> None:
        who = "another process (the system does not tell which)" if holder is None else holder
        super().__init__(
            f"{ledger}: the ledger has a writer already: {who} holds {lock}. "
            "End that writer, or wait until it is done; removing the lock file would not free the ledger"
        )
        self.ledger = ledger
        """The ledger's directory."""
        self.lock = lock
        """The file whose lock is held."""
        self.holder = holder
        """Who holds it, in words; `None` where the system does not tell."""


class UnprovenLedgerError(WriteError):
    """The ledger breaks a rule of the format: nothing was changed, and nothing may be added. Spec: ledger.md 7, 8."""

    code = ErrorCode.E_HISTORY_UNPROVEN

    def __init__(self, ledger: Path, finding: Finding) -> None:
        super().__init__(
            f"{FaultError(finding)} Nothing was changed: a writer does not go on from here. "
            f"`rounds check {ledger}` lists all that is wrong, `rounds repair` copies what is sound"
        )
        self.finding = finding
        """What is broken, and where."""
        if finding.code == "version-ahead":  # not broken, for all that this release can tell
            self.code = ErrorCode.E_LOG_VERSION_UNSUPPORTED


class DraftError(WriteError):
    """A draft is nothing that a ledger holds: nothing of its group was written. Spec: ledger.md 1, 4, 6."""

    code = ErrorCode.E_INVALID_ARGS

    def __init__(self, index: int, where: str, expected: str, found: str) -> None:
        super().__init__(
            f"draft {index}: {where}: expected {expected}, found {found}; nothing of the group was written"
        )
        self.index = index
        """Which of the drafts, from 0."""
        self.where = where
        """The field, or the place in the payload, as `data.args.x` or `data.content[2]`."""
        self.expected = expected
        """What should have been there."""
        self.found = found
        """What was."""


class AppendError(WriteError):
    """The group could not be stored: no line of it counts, and the writer can go on. Spec: ledger.md 7."""

    code = ErrorCode.E_STORAGE_FATAL


class WriterUnusableError(WriteError):
    """The writer writes no more: it is closed, or another process's, or cannot vouch for what is on the disk."""

    code = ErrorCode.E_STORAGE_FATAL
