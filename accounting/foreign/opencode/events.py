"""OpenCode's events as lines, bare or in a wrapper, and what `opencode run --format json` prints. Spec: foreign.md 3.5.

Each event carries the whole object, so that the last one of an id stands.
"""

from pathlib import Path
from typing import Final

from accounting.foreign.fidelity import Fidelity
from accounting.foreign.opencode.kept import KeptSession
from accounting.foreign.opencode.rows import Event, Part, Properties, Row
from accounting.foreign.opencode.sniffing import is_row
from accounting.foreign.rows import rows
from accounting.foreign.times import time_ms
from accounting.ledger.problem import Place
from wire.scalars import TimeMs

_PASSED: Final = frozenset(("server", "permission", "file", "lsp", "todo", "command", "tui", "installation", "ide"))
_PASSED_KINDS: Final = frozenset(("session.status", "session.idle", "session.diff", "session.compacted"))
_NO_STORY: Final = "a state of the moment, no part of what was said and done"
_NO_ID: Final = "it does not say whose it is"


def read_events(path: Path, fidelity: Fidelity) -> dict[str, KeptSession]:
    """The sessions of a stream, in the order in which they first occur. Raises `OSError`, and nothing else."""
    stream = Stream(fidelity)
    for row, place in rows(path, Row, fidelity, is_row=is_row):
        stream.take(row, place)
    return stream.sessions


class Stream:
    """The sessions as they are after the events so far."""

    def __init__(self, fidelity: Fidelity) -> None:
        self.sessions: Final[dict[str, KeptSession]] = {}
        self._fidelity = fidelity
        self._homes: dict[str, str] = {}

    def take(self, row: Row, place: Place) -> None:
        """The next event."""
        event: Event = row.event or row.payload or row
        seen = time_ms(row.timestamp)
        if event.properties is not None:
            self._event(event.type or "", event.properties, place, seen)
        elif row.part is not None:
            self._part(row.type or "", row.part, row.session_id, place, seen)
        elif row.error is not None and row.session_id:
            self._fidelity.beside(place, "error")
            self._session(row.session_id).errors.append((row.error, place, seen))
        else:
            self._fidelity.unknown(place, event.type or "(no type)")

    def _event(self, kind: str, about: Properties, place: Place, seen: TimeMs | None) -> None:
        seen = time_ms(about.time) if seen is None else seen
        match kind:
            case "session.created" | "session.updated" | "session.deleted":
                self._info(kind, about, place)
            case "message.updated":
                self._message(kind, about, place, seen)
            case "message.part.updated":
                self._part(kind, about.part or Part(), about.session_id, place, seen)
            case "message.part.delta":
                self._delta(kind, about, place)
            case "message.removed" | "message.part.removed":
                self._removed(kind, about, place, seen)
            case "session.error" if about.error is not None:
                self._fidelity.beside(place, kind)
                if about.session_id:
                    self._session(about.session_id).errors.append((about.error, place, seen))
            case "session.status" if about.status is not None and about.status.type == "retry" and about.session_id:
                self._fidelity.beside(place, kind)
                self._session(about.session_id).retry(about.status, place, seen)
            case _ if kind in _PASSED_KINDS or kind.partition(".")[0] in _PASSED:
                self._fidelity.dropped(place, kind, None, _NO_STORY)
            case _:
                self._fidelity.unknown(place, kind or "(no type)")

    def _info(self, kind: str, about: Properties, place: Place) -> None:
        own = None if about.info is None else about.info.id or about.session_id
        if about.info is None or not own:
            self._fidelity.dropped(place, kind, None, _NO_ID)
            return
        self._fidelity.mapped(place, kind)
        self._session(own).put(about.info, place)

    def _message(self, kind: str, about: Properties, place: Place, seen: TimeMs | None) -> None:
        info = about.info
        own = None if info is None else info.id
        home = about.session_id if info is None else info.session_id or about.session_id or self._homes.get(own or "")
        if info is None or not own or not home:
            self._fidelity.dropped(place, kind, None, _NO_ID)
            return
        self._fidelity.mapped(place, kind)
        self._homes[own] = home
        self._session(home).put_message(own, info, place, seen)

    def _part(self, kind: str, part: Part, session: str | None, place: Place, seen: TimeMs | None) -> None:
        message = part.message_id
        home = part.session_id or session or self._homes.get(message or "")
        if not message or not home or part.type is None:
            self._fidelity.dropped(place, kind, None, _NO_ID)
            return
        self._fidelity.mapped(place, kind)
        self._homes.setdefault(message, home)
        own = part.id or f"line {place.line}"
        self._session(home).put_part(message, own, part, place, seen)

    def _delta(self, kind: str, about: Properties, place: Place) -> None:
        message = about.message_id or ""
        session = self.sessions.get(about.session_id or self._homes.get(message, ""))
        if session is None or not session.grow(message, about.part_id or "", about.field, about.delta or ""):
            self._fidelity.dropped(place, kind, None, "of a part or a field that is not known")
        else:
            self._fidelity.derived(place, kind, None, "added to the part, until the whole part comes")

    def _removed(self, kind: str, about: Properties, place: Place, seen: TimeMs | None) -> None:
        message = about.message_id or ""
        session = self.sessions.get(about.session_id or self._homes.get(message, ""))
        part = (about.part_id or "") if kind == "message.part.removed" else None
        if session is None or not session.remove(message, part, place, seen):
            self._fidelity.dropped(place, kind, None, "of a message or part that is not known")
        else:
            self._fidelity.beside(place, kind)

    def _session(self, own: str) -> KeptSession:
        session = self.sessions.get(own)
        if session is None:
            session = self.sessions[own] = KeptSession(own)
        return session
