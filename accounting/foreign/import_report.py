"""What an import did, as data: what was added of each session, and what the ledger has otherwise than the session."""

from enum import StrEnum

from msgspec import Struct

from accounting.foreign.fidelity import FidelityReport
from accounting.ledger.problem import Place
from wire.scalars import RunId


class WhyNot(StrEnum):
    """Why a record of a session is not in the ledger as the session has it."""

    closed_turn = "closed-turn"
    """It is new, but belongs to a request that later ones follow; it is not written."""
    changed = "changed"
    """It says something else than the line that is there; the line stands."""
    elsewhere = "elsewhere"
    """It is there, but in another turn, or after later requests."""
    filled = "filled"
    """A line has to have a model's name or a call's id, and none was recorded: it is written with an empty one."""
    refused = "refused"
    """No ledger line can say this; it is not written."""


class NotTold(Struct, frozen=True, kw_only=True):
    """A record that the ledger does not have as the session has it."""

    why: WhyNot
    """What keeps it out."""
    kind: str
    """The record's kind."""
    place: Place
    """Where the session has it."""


class SessionImport(Struct, frozen=True, kw_only=True):
    """What became of one session."""

    run: RunId
    """Its run."""
    agent: str
    """Name of the reader."""
    id: str
    """The agent's own id of the session."""
    parent: RunId | None
    """The run that started it; null when none did, or it is not known."""
    started_by: str | None
    """Id of the call in the parent that started it; null where it is not known."""
    records: int
    """Records that the session has now."""
    added: int
    """Lines that were added."""
    again: int
    """Of them, replies that had grown and were told again."""
    not_told: tuple[NotTold, ...]
    """What the ledger does not have as the session has it: the first twenty."""
    not_told_count: int
    """All of them."""
    fidelity: FidelityReport
    """How faithfully the session was read."""


class Unread(Struct, frozen=True, kw_only=True):
    """A file that could not be read."""

    path: str
    """The file."""
    why: str
    """What the system said."""


class ImportReport(Struct, frozen=True, kw_only=True):
    """What an import did."""

    ledger: str
    """The ledger's directory."""
    sessions: tuple[SessionImport, ...]
    """The sessions, in the order in which they were written."""
    unread: tuple[Unread, ...]
    """Files that could not be read: nothing of them was imported."""
