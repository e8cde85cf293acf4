"""The messages of a session file after all its changes: replaced by id, rewound, set anew. Spec: foreign.md 3.4.

A message that was taken away is kept and marked: its request was billed all the same.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct

from accounting.foreign.fidelity import DamageCode, Fidelity
from accounting.foreign.gemini.document import Document, is_document, read_document
from accounting.foreign.gemini.rows import SAID, Meta, Row, is_row
from accounting.foreign.gemini.tools import WAITING
from accounting.foreign.rows import rows
from accounting.foreign.sample import Sample
from accounting.ledger.problem import Place


class Message:
    """A message, and what became of it."""

    def __init__(self, row: Row, place: Place) -> None:
        self.row = row
        """As it stands last."""
        self.place: Final = place
        """Its first row."""
        self.rows = 1
        self.live = True
        self.tokens = row.tokens
        """The token counts that were stated last."""
        self.metered = int(row.tokens is not None)
        """How often they were stated."""
        self.answered: Final[dict[int, Place]] = {}
        """Where each call first had its outcome, by its number in the message."""
        self._answers(row, place)

    def replace(self, row: Row, place: Place) -> None:
        """A later row of the same message stands in its place; token counts it does not repeat still hold."""
        self.row = row
        self.rows += 1
        if row.tokens is not None:
            self.tokens = row.tokens
            self.metered += 1
        self._answers(row, place)

    def _answers(self, row: Row, place: Place) -> None:
        for number, call in enumerate(row.tool_calls or ()):
            if call.status not in WAITING:
                self.answered.setdefault(number, place)


class Removal(Struct, frozen=True, kw_only=True):
    """Messages were taken away."""

    place: Place
    removed: tuple[Message, ...]
    after: int
    """How many messages there had been in the file."""
    rewound: bool
    """Whether they were the end of the conversation; false when its history was set anew without them."""


class Replay:
    """A session file, read to its end."""

    def __init__(self, path: Path, fidelity: Fidelity) -> None:
        self.path: Final = path
        self.fidelity: Final = fidelity
        self.messages: Final[list[Message]] = []
        """Every message there ever was, in the order of their first rows."""
        self.removals: Final[list[Removal]] = []
        self.began: tuple[Row, Place] | None = None
        """The first row."""
        self.session_id: str | None = None
        self.start_time: str | int | None = None
        self.project_hash: str | None = None
        self.kind: str | None = None
        self.summary: str | None = None
        self._live: list[Message] = []
        self._by_id: dict[str, Message] = {}

    def read(self, sample: Sample) -> None:
        """Read the whole file. Raises `OSError`."""
        if is_document(sample):
            self._document(read_document(self.path, self.fidelity))
            return
        for row, place in rows(self.path, Row, self.fidelity, is_row=is_row):
            self._row(row, place)

    def _document(self, found: Document) -> None:
        if found.own is not None:
            place = Place(segment=str(self.path), line=1, offset=0)
            self.fidelity.mapped(place, "session")
            self._began(found.own, place)
            self._meta(found.own)
        messages: list[tuple[Row, Place]] = []
        for row, place in found.rows:
            if found.whole or row.word in SAID:
                messages.append((row, place))
            else:  # of a damaged document: all of it in one row, or something else altogether
                self._row(row, place)
        if messages:
            self._set(messages)

    def _began(self, row: Row, place: Place) -> None:
        if self.began is None:
            self.began = row, place

    def _row(self, row: Row, place: Place) -> None:
        self._began(row, place)
        if row.rewind_to is not None:
            self._rewind(row.rewind_to if isinstance(row.rewind_to, str) else "", place)
        elif row.changed is not None:
            self.fidelity.derived(place, "$set", None, "applied to what it changes")
            self._meta(row.changed)
            if row.changed.messages is not None:
                self._set([(message, place) for message in row.changed.messages])
        elif row.word in SAID:
            self._put(row, place)
        elif row.word is None and (row.session_id or row.start_time or row.messages is not None):
            self.fidelity.mapped(place, "session")
            self._meta(row)
            if row.messages is not None:
                self._set([(message, place) for message in row.messages])
        else:
            self.fidelity.unknown(place, row.word or "(no type)")

    def _meta(self, meta: Meta) -> None:
        self.session_id = self.session_id or meta.session_id
        self.start_time = self.start_time if self.start_time is not None else meta.start_time
        self.project_hash = meta.project_hash or self.project_hash
        self.kind = meta.kind or self.kind
        self.summary = meta.summary or self.summary

    def _put(self, row: Row, place: Place) -> Message:
        known = self._by_id.get(row.id) if row.id else None
        if known is None or known.row.word != row.word:
            return self._add(row, place)
        if known.row == row:
            if known.live:
                self.fidelity.damaged(place, DamageCode.repeated_row)
        else:
            known.replace(row, place)
        if not known.live:
            known.live = True
            self._live.append(known)
        return known

    def _add(self, row: Row, place: Place) -> Message:
        message = Message(row, place)
        self.messages.append(message)
        self._live.append(message)
        if row.id:
            self._by_id[row.id] = message
        return message

    def _rewind(self, to: str, place: Place) -> None:
        """Take away a message and all after it; when there is none of that id, all of them."""
        self.fidelity.beside(place, "$rewindTo")
        target = self._by_id.get(to)
        at = self._live.index(target) if target is not None and target.live else 0
        self._remove(self._live[at:], place, rewound=True)
        del self._live[at:]

    def _set(self, listed: list[tuple[Row, Place]]) -> None:
        """The list of messages as it is from here on. Two with one id in a list are two, unless they are the same."""
        before, self._live = self._live, []
        seen: dict[str | None, list[Message]] = {}
        for row, place in listed:
            twins = seen.setdefault(row.id, []) if row.id else []
            if row.word not in SAID:
                self.fidelity.unknown(place, row.word or "(no type)")
            elif any(twin.row == row for twin in twins):
                self.fidelity.damaged(place, DamageCode.repeated_row)
            else:
                twins.append(self._add(row, place) if twins else self._listed(row, place))
        kept = set(map(id, self._live))
        gone = [message for message in before if id(message) not in kept]
        if gone:
            place = listed[0][1] if listed else gone[0].place
            self._remove(gone, place, rewound=before[-len(gone) :] == gone)

    def _listed(self, row: Row, place: Place) -> Message:
        """A message of a list: one that is known already is the same one."""
        known = self._by_id.get(row.id) if row.id else None
        if known is None or known.row.word != row.word:
            return self._add(row, place)
        if known.row != row:
            known.replace(row, place)
        known.live = True
        self._live.append(known)
        return known

    def _remove(self, gone: Iterable[Message], place: Place, *, rewound: bool) -> None:
        removed = tuple(gone)
        for message in removed:
            message.live = False
        self.removals.append(Removal(place=place, removed=removed, after=len(self.messages), rewound=rewound))
