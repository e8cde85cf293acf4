"""Plain drafts, and what has to stand in the files for any, built without the writer."""

from collections.abc import Iterable, Sequence
from typing import Any

from blake3 import blake3

from accounting.ledger.writing import Draft
from tests.lines import canonical
from wire import EventRecord, Kind, encode
from wire.scalars import NIL_RUN

WHEN = 1_700_000_000_000
"""What the clock of these tests says."""


def noted(text: str, size: int = 0) -> Draft:
    """A plain draft, told from others by its text; padded by so many bytes."""
    return Draft(run=NIL_RUN, who="city", kind=Kind.session_named, data={"pad": "x" * size, "text": text})


def clock() -> int:
    """The clock of these tests."""
    return WHEN


def notice(dropped: int) -> Draft:
    """What a writer says of a torn line that it cut."""
    return Draft(run=NIL_RUN, who="city", kind=Kind.log_truncated, data={"dropped_bytes": dropped})


def lines(written: Iterable[Draft], now: int = WHEN) -> list[bytes]:
    """The lines of drafts that begin a ledger, each with its newline."""
    spelled: list[bytes] = []
    prev = "0" * 64
    for seq, draft in enumerate(written):
        record: dict[str, Any] = {
            "v": draft.v,
            "run": draft.run,
            "seq": seq,
            "prev": prev,
            "t": now if draft.t is None else draft.t,
            "who": draft.who,
            "kind": str(draft.kind),
            "data": draft.data,
        }
        record |= ({} if draft.addr is None else {"addr": draft.addr}) | ({"ig": True} if draft.ig else {})
        line = canonical(record)
        prev = blake3(line).hexdigest()
        spelled.append(line + b"\n")
    return spelled


def in_segments(spelled: Sequence[bytes], limit: int) -> dict[str, bytes]:
    """What the files of a ledger hold, by their names."""
    files: dict[str, bytes] = {"ledger-00000000000000000000.jsonl": b""}
    for seq, line in enumerate(spelled):
        name = list(files)[-1]
        if files[name] and len(files[name]) + len(line) > limit:
            name = f"ledger-{seq:020}.jsonl"
            files[name] = b""
        files[name] += line
    return files


def encoded(records: Iterable[EventRecord]) -> list[bytes]:
    """Records as the lines that they are."""
    return [encode(record) + b"\n" for record in records]
