"""A transcript in a few words, of which only the beginning and the end are read. Spec: dispatch.md 2.4.

A file of at most `head` and `tail` bytes together is read whole. Of a longer one the middle is left out: the first
prompt, the directory and the session come from its beginning, the last text, the last time and the state from its
end, and every count is at least that. A last row longer than the end that is read leaves the state unknown.
"""

import errno
import os
import stat
from pathlib import Path
from typing import Final

from accounting.dispatch.transcripts.digest import Digest
from accounting.dispatch.transcripts.rows import read_lines
from wire.dispatch import TranscriptSummary
from wire.scalars import AbsolutePath, absolute_path

HEAD: Final = 256 << 10
"""Bytes of the beginning that are read of a long file."""
TAIL: Final = 1 << 20
"""Bytes of the end that are read of a long file."""


def summarise(path: Path, *, head: int = HEAD, tail: int = TAIL) -> TranscriptSummary:
    """The summary of a session file as it was when it was opened. Raises `OSError`, and nothing else.

    It may be written to meanwhile: what comes after it was opened is not read. What is no regular file raises too: a
    pipe would never end.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise OSError(errno.EINVAL, "is no regular file", str(path))
    digest = Digest(path.stem)
    # Unbuffered: not a byte more is read than is told of.
    with path.open("rb", buffering=0) as file:
        status = os.fstat(file.fileno())
        truncated = status.st_size > head + tail
        begin = _read(file.fileno(), 0, head if truncated else status.st_size)
        end = _read(file.fileno(), status.st_size - tail, tail) if truncated else b""
    _take(digest, begin[: begin.rfind(b"\n") + 1] if truncated else begin, 0)
    if truncated:
        digest.leave_out()
        whole = end.partition(b"\n")[2]
        _take(digest, whole, status.st_size - tail + len(end) - len(whole))
    ending, first = digest.ending, digest.first
    return TranscriptSummary(
        path=_spelled(path),
        size=status.st_size,
        bytes_read=len(begin) + len(end),
        truncated=truncated,
        modified_at=max(status.st_mtime_ns // 1_000_000, 0),
        session_id=first.session_id,
        cwd=first.cwd,
        title=digest.title,
        first_prompt=first.prompt,
        last_text=digest.last_text,
        began_at=first.t,
        ended_at=digest.ended_at,
        state=ending.state(),
        state_at=ending.decided_at(),
        state_offset=ending.decided_by(),
        reason=ending.failure(),
        rows=digest.rows,
        unreadable=digest.unreadable,
        user_messages=digest.user_messages.count,
        assistant_messages=digest.assistant_messages.count,
        tool_calls=digest.calls.count,
        tool_errors=digest.errors.count,
        waiting_calls=ending.waiting,
    )


def _take(digest: Digest, data: bytes, offset: int) -> None:
    for line in read_lines(data, offset):
        digest.take(line)


def _read(file: int, at: int, count: int) -> bytes:
    """So many bytes from a position; fewer when the file was cut short meanwhile. Raises `OSError`."""
    parts: list[bytes] = []
    os.lseek(file, at, os.SEEK_SET)
    while count and (part := os.read(file, count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _spelled(path: Path) -> AbsolutePath:
    """The path as text; bytes in it that are no UTF-8 read as U+FFFD."""
    spelled = absolute_path(str(path.absolute()).encode(errors="replace").decode())
    assert spelled is not None
    return spelled
