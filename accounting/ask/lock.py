"""What a lock file says, and whether the one who wrote it still counts. Spec: asks.md 1.6.

Pure: the file's bytes, the clock and the question whether a process lives are all handed in.
"""

from collections.abc import Callable
from typing import Final

from accounting.ask.moment import moment
from accounting.ledger.parse import NotJsonError
from accounting.ledger.parse import parse as parse_json
from wire.ask import AskLock

LOCK_STALE_MS: Final = 600_000
"""How old a lock may grow: twice what an answer may take."""
STARTING_MS: Final = 2000
"""How long a lock without a worker is left to whoever took it."""


def read_lock(data: bytes) -> AskLock | None:
    """The lock that the bytes of its file spell; `None`, which is not held, when they spell none.

    A `pid` that is missing or no integer reads as 0. Takes any bytes and never raises.
    """
    try:
        value, _ = parse_json(data.decode(errors="replace"))
    except NotJsonError:
        return None
    if not isinstance(value, dict) or not isinstance(started_at := value.get("startedAt"), str):
        return None
    pid = value.get("pid")
    return AskLock(pid=pid if type(pid) is int else 0, started_at=started_at)


def is_stale(lock: AskLock, now: int, alive: Callable[[int], bool], stale_ms: int = LOCK_STALE_MS) -> bool:
    """Whether a lock may be taken over at `now` (UTC milliseconds).

    It may when its time is no time, when it is older than `stale_ms`, or when its process is gone. `alive` says whether
    a process runs, whoever owns it. It is asked about any number above 0, however large, and no other: a lock without a
    worker yet has only its age.
    Age counts even for a process that runs, for the system may have given its number to another.
    """
    started = moment(lock.started_at)
    if started is None or now - started > stale_ms:
        return True
    return lock.pid > 0 and not alive(lock.pid)


def is_unclaimed(lock: AskLock, now: int) -> bool:
    """Whether a lock should have a worker by now (UTC milliseconds) and names none: nobody may be answering.

    It holds all the same, until it is stale: only who cancels takes it away before.
    """
    started = moment(lock.started_at)
    return lock.pid <= 0 and (started is None or now - started >= STARTING_MS)
