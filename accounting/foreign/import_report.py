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
    """A line has to have a model's name or a call's id and name, and none was recorded: it is written with an empty
    one."""
    refused = "refused"
    """No ledger line can say this; it is not written."""
    same_session = "same-session"
    """A stream of a session that is there already: only its ending is written. It stands for all of the stream."""
    streamed = "streamed"
    """The session of a run that is there as its stream was printed: it is not written, or each request would stand
    there twice. It stands for all of the session."""

    @property
    def loses(self) -> bool:
        """Whether the ledger then lacks something, or has it otherwise than the session."""
        return self not in (WhyNot.elsewhere, WhyNot.filled, WhyNot.same_session)


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
    """What the ledger does not have as the session has it: the first twenty, what is lost before the rest."""
    not_told_count: int
    """All of them."""
    lost: int
    """Of them, what the ledger lacks or has otherwise: all but `elsewhere`, `filled` and `same-session`."""
    held_back: bool
    """Whether nothing is written yet because nothing is asked in it yet."""
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
