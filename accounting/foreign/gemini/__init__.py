"""Gemini CLI sessions, `chats/session-*.json` and `.jsonl`, and the events it prints. Spec: foreign.md 3.4."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from accounting.foreign.gemini import events, stream
from accounting.foreign.gemini.conversation import AGENT
from accounting.foreign.gemini.files import read_sessions, source_of
from accounting.foreign.gemini.rows import sureness
from accounting.foreign.objects import objects_in
from accounting.foreign.sample import Sample, take_sample
from accounting.foreign.session import Reader, Session, Source
from wire.scalars import JsonObject

__all__ = ["READER", "Gemini"]

_ENOUGH: Final = 0.3


class Gemini:
    """The reader of Gemini CLI's own files, and of its output as `stream-json`."""

    @property
    def name(self) -> str:
        """`gemini`."""
        return AGENT

    def recognise(self, sample: Sample) -> float:
        """The mean of how surely each row is of such a file."""
        rows = _rows(sample)
        saved = _mean([sureness(row) for row in rows])
        printed = _printed(rows)
        sure = max(saved, printed)
        return sure if sure >= _ENOUGH else 0.0

    def find(self, path: Path, sample: Sample | None) -> Iterator[Source]:
        """The session that the file is of."""
        if sample is None:
            return
        yield stream.source_of(path, sample) if _is_stream(sample) else source_of(path, sample)

    def read(self, source: Source) -> Iterator[Session]:
        """The session, then its sub-agents."""
        if _is_stream(take_sample(source.path)):
            yield stream.read_stream(source)
        else:
            yield from read_sessions(source)


def _is_stream(sample: Sample) -> bool:
    rows = _rows(sample)
    return _printed(rows) > _mean([sureness(row) for row in rows])


def _rows(sample: Sample) -> tuple[JsonObject, ...]:
    """The rows of the sample; of a document on one line that is longer than it the messages that it holds whole."""
    if sample.rows or not sample.head.lstrip(b"\xef\xbb\xbf \t\r\n\0").startswith((b"{", b"[")):
        return sample.rows
    return tuple(found.value for found in objects_in(sample.head.decode(errors="replace"), most=24))


def _printed(rows: tuple[JsonObject, ...]) -> float:
    """How surely they are printed events: those that are nobody else's vouch for messages without a time."""
    sure = [events.sureness(row) for row in rows]
    if 1.0 in sure:
        sure = [max(one, 0.5) if one else one for one in sure]
    return _mean(sure)


def _mean(sure: list[float]) -> float:
    return sum(sure) / len(sure) if sure else 0.0


READER: Final[Reader] = Gemini()
