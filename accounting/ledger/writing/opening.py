"""A ledger made ready to write to: found or begun, proven, its torn end cut. Spec: ledger.md 7."""

import errno
import os
from pathlib import Path

from accounting.ledger.canonical import GENESIS
from accounting.ledger.checking import RULE, End, FaultError, proven_end
from accounting.ledger.segments import NotALedgerError, segment_name, segments
from accounting.ledger.writing.errors import UnprovenLedgerError
from accounting.ledger.writing.storing import Tip
from accounting.ledger.writing.system import System
from wire.check import Finding


def open_tip(directory: Path, system: System) -> tuple[Tip, int]:
    """Where the ledger goes on, and how many bytes of a torn line were cut there.

    Raises `UnprovenLedgerError`, with nothing changed, when the ledger breaks a rule; `OSError` when it cannot be read
    or made ready.
    """
    if not directory.is_dir():
        if directory.exists():
            raise NotADirectoryError(
                errno.ENOTDIR, "A ledger is written as a directory, and this is none", str(directory)
            )
        system.make_directory(directory)
    try:
        newest = segments(directory)[-1].path
    except NotALedgerError:
        newest = directory / segment_name(0)
        end = End(next_seq=0, prev=GENESIS, size=0, torn=0)
        file = system.create(newest)
    else:
        end = _proven(directory, newest)
        file = system.open(newest)
    try:
        # A bare cut: zeros past the last line are room set aside, and a torn line was never acknowledged.
        if os.fstat(file.fileno()).st_size > end.size:
            system.truncate(file, end.size)
        # Whoever wrote this may have died before it was durable; nothing is built on it before it is.
        system.barrier(file)
        system.sync_directory(directory)
        system.sync_directory(directory.parent)
    except BaseException as error:
        file.close()
        if isinstance(error, OSError):
            error.filename = error.filename or str(newest)  # not every call says where
        raise
    return Tip(path=newest, file=file, size=end.size, next_seq=end.next_seq, prev=end.prev), end.torn


def _end(directory: Path) -> End | Finding:
    try:
        return proven_end(directory)
    except FaultError as error:
        return error.finding  # and let go of what was being read


def _proven(directory: Path, newest: Path) -> End:
    end = _end(directory)
    if isinstance(end, Finding):
        raise UnprovenLedgerError(directory, end)
    # A segment's wrong name is a warning elsewhere. Here it would put the next line, or the next segment, out of order.
    named, rule = segment_name(end.next_seq), RULE["segment-name"]
    expected = named if end.size == 0 else f"a name before {named}, which the next segment may have"
    if newest.name > named or (end.size == 0) != (newest.name == named):
        finding = Finding(
            code=rule.code,
            severity=rule.severity,
            segment=str(newest),
            line=1,
            offset=0,
            expected=expected,
            found=newest.name,
            advice=rule.advice,
        )
        raise UnprovenLedgerError(directory, finding)
    return end
