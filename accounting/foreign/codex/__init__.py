"""Codex rollouts, `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`, also compressed and bare. Spec: foreign.md 3.3."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import DecodeError, json

from accounting.foreign.auditing import unread_fields
from accounting.foreign.codex.compressed import decompressed_head, is_compressed
from accounting.foreign.codex.entries import kind_of
from accounting.foreign.codex.files import AGENT, named_id
from accounting.foreign.codex.lineage import ancestry, standings_of, started_by
from accounting.foreign.codex.reading import read_rollout
from accounting.foreign.codex.rows import Line, sureness
from accounting.foreign.fidelity import Standing, Tally
from accounting.foreign.outline import Fact, Outline
from accounting.foreign.sample import LONGEST, WINDOW, Sample
from accounting.foreign.session import Reader, Session, Source, run_of
from wire.scalars import Json, JsonObject

__all__ = ["READER", "Codex"]

_ROWS: Final = 24
_BY_NAME: Final = 0.5
"""How sure the name alone makes of a compressed file that cannot be looked into."""


class Codex:
    """The reader of Codex's own files."""

    @property
    def name(self) -> str:
        """`codex`."""
        return AGENT

    def recognise(self, sample: Sample) -> float:
        """The mean of how surely each row is a line of such a file."""
        if is_compressed(sample.head):
            rows = _rows(decompressed_head(sample.head, WINDOW)) or _rows(decompressed_head(sample.head, LONGEST))
            if not rows and named_id(sample.path) is not None:
                return _BY_NAME
        else:
            rows = [] if sample.document else list(sample.rows)
        return sum(map(sureness, rows)) / len(rows) if rows else 0.0

    def find(self, path: Path, sample: Sample | None) -> Iterator[Source]:
        """The session that the file is of."""
        if sample is not None:
            own = named_id(path)
            yield Source(agent=AGENT, path=path, run=None if own is None else run_of(AGENT, own))

    def unread(self, source: Source) -> tuple[Tally, ...]:
        """The fields of its rows that are not read; of a compressed file none are told."""
        return unread_fields(source.path, Line, _kind)

    def read(self, source: Source) -> Iterator[Session]:
        """The session. A sub-agent has a file, and so a source, of its own."""
        rollout = read_rollout(source.path)
        thread, draft, fidelity = rollout.thread, rollout.draft, rollout.fidelity
        above = ancestry(source.path, rollout)
        standings = standings_of(rollout, above)
        for standing in standings:
            if standing.figures is not Standing.exact:
                fidelity.lower(standing.figures)
        starter = started_by(rollout.head)
        parent = None if starter is None or starter == rollout.id else run_of(AGENT, starter)
        if thread.began is not None:
            draft.start(*thread.began, task=thread.task, parent=parent)
        yield draft.session(
            AGENT,
            rollout.id,
            Outline(
                turns=standings,
                compactions=tuple(thread.marks.compactions),
                rewinds=tuple(thread.marks.rewinds),
                failed_requests=tuple(thread.marks.failures),
                stops=tuple(sorted((*thread.calls.stops, *thread.marks.stops), key=lambda stop: stop.place.offset)),
                children=tuple(thread.marks.children.values()),
                facts=tuple(Fact(name=name, value=thread.marks.facts[name]) for name in sorted(thread.marks.facts)),
            ),
            parent=parent,
            started_by=None if above is None or parent is None else above.spawns.get(rollout.id),
        )


def _kind(row: JsonObject) -> str:
    envelope, payload = row.get("type"), row.get("payload")
    word = payload.get("type") if isinstance(payload, dict) else None
    return kind_of(envelope if isinstance(envelope, str) else "?", word if isinstance(word, str) else None)


def _rows(text: bytes) -> list[JsonObject]:
    found: list[JsonObject] = []
    for line in text.split(b"\n")[:_ROWS]:
        try:
            value: Json = json.decode(line)
        except (DecodeError, RecursionError):
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


READER: Final[Reader] = Codex()
