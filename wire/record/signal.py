"""Payloads of letters between sessions and words from outside. Spec: ledger.md 6."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct

from wire.scalars import U64, Address, JsonObject, SignalId, TimeMs


class SignalKind(StrEnum):
    """What sort of letter it is."""

    mention = "mention"
    """Names the receiver."""
    thread = "thread"
    """Belongs to a thread that the receiver takes part in."""
    broadcast = "broadcast"
    """Goes to everybody in the room."""
    steer = "steer"
    """Steers the receiver's work."""


class Landing(StrEnum):
    """Where a letter went."""

    delivered = "delivered"
    """It was handed to its receiver."""
    knocked = "knocked"
    """Its receiver was called on."""
    queued = "queued"
    """It waits in line."""


class Lane(StrEnum):
    """How soon a letter wants to be read."""

    urgent = "urgent"
    """Before the others."""
    ordinary = "ordinary"
    """In its turn."""


class SteerReceived(Struct, frozen=True, kw_only=True):
    """Somebody spoke to the session while it worked."""

    source: str
    """`user` for the person, `city` for the city, otherwise `@` and a resident."""
    text: str
    """What was said."""


class SignalEnqueued(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """A letter was sent; the line stands under the sender's run."""

    id: SignalId
    """The letter's id."""
    kind: SignalKind
    """What sort of letter."""
    from_: str
    """Who sent it."""
    room: Address
    """Where it was sent."""
    room_version: U64
    """The room's version when it was sent."""
    payload: JsonObject
    """What it carries; the text stands in `text`."""
    at: TimeMs
    """When it was sent, UTC milliseconds."""
    lane: Lane | None = None
    """How soon it wants to be read; null when not recorded."""


class SignalConsumed(Struct, frozen=True, kw_only=True):
    """A letter was taken in; the line stands under the receiver's run."""

    id: SignalId
    """The letter's id."""
    by: str
    """Who took it."""


class SignalLanded(Struct, frozen=True, kw_only=True):
    """What became of a letter that was sent; the line stands under the sender's run."""

    signal: SignalId
    """The letter's id."""
    landing: Landing
    """Where it went."""


class SignalWaitStarted(Struct, frozen=True, kw_only=True):
    """The session began to wait for a reply."""

    on: Address
    """Whose reply."""
    signal: SignalId
    """The letter that wants one."""
    deadline_ms: U64
    """When it gives up, UTC milliseconds."""


class EndedByReply(Struct, frozen=True, kw_only=True, tag_field="end", tag="reply"):
    """The reply came."""

    reply: SignalId
    """The reply's id."""


class EndedByTimeout(Struct, frozen=True, kw_only=True, tag_field="end", tag="timeout"):
    """The deadline passed."""


class EndedByLeaving(Struct, frozen=True, kw_only=True, tag_field="end", tag="left"):
    """The other one left."""


WaitEnd: TypeAlias = EndedByReply | EndedByTimeout | EndedByLeaving
"""What ended a wait, tagged by `end`."""


class SignalWaitEnded(Struct, frozen=True, kw_only=True):
    """The session stopped waiting for a reply."""

    signal: SignalId
    """The letter that wanted one."""
    by: WaitEnd
    """What ended the wait."""
