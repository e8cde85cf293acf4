"""What a ledger holds of a run already, record by record, so that an import adds only what is new.

A record is known by a name that does not depend on where it stands: a request by its time, a reply by its request, a
call by its request and id, a result by the id, anything else by its content. Names and contents are kept as hashes:
memory goes with the number of records, not with their size.
"""

from hashlib import blake2b
from typing import Final

from msgspec import Struct

from accounting.ledger.canonical import encode_sorted
from wire.record.envelope import Record
from wire.record.kinds import Kind
from wire.scalars import JsonObject, Seq, TimeMs, u64

_ONCE: Final = frozenset((Kind.run_started, Kind.run_frozen))


class Named(Struct, frozen=True, gc=False):
    """A record's name within its run."""

    name: bytes
    """A hash that tells it from the run's other records."""
    content: bytes
    """A hash of all that it says; empty when that is nothing that a ledger could hold."""
    request: bytes | None
    """Name of the request that it stands after, its own when it is one; `None` before the first."""
    weight: tuple[int, ...]
    """Of a reply, what does not shrink while it grows: blocks, bytes, tokens. Empty for the others."""

    def has_outgrown(self, there: "HeldLine") -> bool:
        """Whether this is the reply of a line that is there, and more of it.

        Of two replies at most one has outgrown the other, so that two copies of a session never take turns.
        """
        return self.weight != there.weight and all(
            new >= old for new, old in zip(self.weight, there.weight, strict=True)
        )


class Names:
    """Gives the records of one run their names, in the order in which they stand."""

    def __init__(self) -> None:
        self._request: bytes | None = None
        self._counts: dict[bytes, int] = {}

    def name(self, record: Record) -> Named:
        """The next record's name."""
        data = record.data
        weight: tuple[int, ...] = ()
        try:
            spelled = encode_sorted(data)
            content = _hash(record.kind.encode(), b"%d %d" % (record.v, record.t), spelled)
            match record.kind:
                case Kind.model_called:
                    name = self._nth(b"request", b"%d" % record.t)
                    self._request = name
                case Kind.model_returned:
                    name = _hash(b"reply", self._request or b"")
                    weight = _weight(data, spelled)
                case Kind.tool_called:
                    name = self._nth(b"call", self._request or b"", encode_sorted(data.get("id")))
                case Kind.tool_result:
                    name = self._nth(b"result", encode_sorted(data.get("tool_use_id")))
                case kind if kind in _ONCE:
                    name = self._nth(kind.encode())
                case _:
                    name = self._nth(b"note", content)
        except (ValueError, TypeError, RecursionError):
            if record.kind == Kind.model_called:  # what follows is not the request's before it
                self._request = self._nth(b"lost")
            return Named(b"", b"", self._request, ())
        return Named(name, content, self._request, weight)

    def _nth(self, *parts: bytes) -> bytes:
        """A name for what may stand there several times: the first so called, the second, and so on."""
        common = _hash(*parts)
        count = self._counts[common] = self._counts.get(common, 0) + 1
        return common if count == 1 else _hash(common, b"%d" % count)


class HeldLine(Struct, gc=False):
    """A line of the ledger."""

    seq: Seq | None
    """Its number; `None` once nothing more needs to be known of where it came from."""
    content: bytes
    request: bytes | None
    weight: tuple[int, ...]


class HeldRun:
    """What a ledger holds of one run."""

    def __init__(self) -> None:
        self.lines: Final[dict[bytes, HeldLine]] = {}
        """The lines by name; of replies to one request the latest, which is the one that counts."""
        self.latest: bytes | None = None
        """The request that was told last: the only one that anything can still be added to."""
        self.t: TimeMs = 0
        """The time of the latest line."""
        self._names = Names()

    def take(self, record: Record) -> None:
        """The next line of the run, as it stands in the ledger."""
        self.add(self._names.name(record), record.seq, record.t)

    def add(self, named: Named, seq: Seq | None, t: TimeMs) -> None:
        """A line of that name is in the ledger."""
        self.t = t
        self.lines[named.name] = HeldLine(seq, named.content, named.request, named.weight)
        if named.name == named.request:
            self.latest = named.name


def _weight(data: JsonObject, spelled: bytes) -> tuple[int, ...]:
    message, usage = data.get("message"), data.get("usage")
    blocks = message.get("content") if isinstance(message, dict) else None
    counts = usage if isinstance(usage, dict) else {}
    tokens = (u64(counts.get(name)) or 0 for name in ("input_tokens", "output_tokens"))
    return (len(blocks) if isinstance(blocks, list) else 0, len(spelled), *tokens)


def _hash(*parts: bytes) -> bytes:
    whole = blake2b(digest_size=16)
    for part in parts:
        whole.update(b"%d:" % len(part))
        whole.update(part)
    return whole.digest()


FROZEN: Final = _hash(Kind.run_frozen.encode())
"""The name of a run's ending."""
