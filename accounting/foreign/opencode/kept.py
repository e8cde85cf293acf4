"""A session as OpenCode keeps it, whichever way it was read: messages by id, their parts by id, the last one wins.

What was removed stays and is marked: it was billed all the same. Spec: foreign.md 3.5.
"""

from collections.abc import Iterable
from typing import Final, TypeVar

from msgspec import Struct, structs

from accounting.foreign.opencode.rows import Failure, Info, Part, Status, is_native
from accounting.ledger.problem import Place
from wire.scalars import TimeMs


class KeptPart(Struct, kw_only=True):
    """A part in its latest state."""

    id: str
    part: Part
    place: Place
    """Where it first stood."""
    seen: TimeMs | None = None
    """When it first came, by whoever wrote it down; `None` when nobody did."""
    said: int = 1
    """How often its counts were stated."""
    removed: bool = False
    pieces: list[str]
    """Text that came in since the part was last told as a whole."""

    def settle(self) -> None:
        """Add the pieces to the part."""
        if self.pieces:
            self.part = structs.replace(self.part, text="".join((self.part.text or "", *self.pieces)))
            self.pieces = []

    @property
    def is_aside(self) -> bool:
        """Whether it is a text that neither the person nor the model wrote, or that was left out of the talk."""
        return bool(self.part.synthetic or self.part.ignored)


class KeptMessage(Struct, kw_only=True):
    """A message in its latest state, with its parts."""

    id: str
    info: Info
    place: Place
    seen: TimeMs | None = None
    parts: dict[str, KeptPart]
    retries: list[tuple[Status, Place, TimeMs | None]]
    removed: bool = False
    told: bool = False
    """Whether the message itself was met, and not only its parts."""

    @property
    def created(self) -> TimeMs | None:
        """When it was made."""
        return self.info.created if self.info.created is not None else self.seen

    def in_order(self) -> list[KeptPart]:
        """The parts in the order in which they came to be."""
        for kept in self.parts.values():
            kept.settle()
        return by_age(self.parts.values())

    @property
    def is_reply(self) -> bool:
        """Whether the model wrote it. Of a message of which only parts are left, what they are tells."""
        if self.info.role is not None:
            return self.info.role == "assistant"
        return any(kept.part.type in ("step-start", "step-finish", "tool", "reasoning") for kept in self.parts.values())


class Removed(Struct, kw_only=True):
    """Messages and parts that were taken away together."""

    place: Place
    t: TimeMs | None
    messages: list[str]
    parts: list[str]


class KeptSession:
    """One session."""

    def __init__(self, own: str) -> None:
        self.id: Final = own
        self.info = Info()
        self.place: Place | None = None
        """Where its info stands; `None` when only its messages were met."""
        self.messages: Final[dict[str, KeptMessage]] = {}
        self.removals: Final[list[Removed]] = []
        self.errors: Final[list[tuple[Failure, Place, TimeMs | None]]] = []
        """Errors that were told of the session, not of a message."""
        self._removing = False

    def put(self, info: Info, place: Place) -> None:
        """What the session says of itself, from now on."""
        self.info = info
        self.place = self.place or place

    def put_message(self, own: str, info: Info, place: Place, seen: TimeMs | None = None) -> None:
        """A message as it is from now on."""
        message = self._message(own, place, seen)
        message.info = info
        if not message.told:
            message.told, message.place = True, place
        self._removing = False

    def put_part(self, message_id: str, own: str, part: Part, place: Place, seen: TimeMs | None = None) -> None:
        """A part as it is from now on."""
        parts = self._message(message_id, place, seen).parts
        known = parts.get(own)
        if known is None:
            parts[own] = KeptPart(id=own, part=part, place=place, seen=seen, pieces=[])
        else:
            known.said += part.tokens is not None and part.tokens != known.part.tokens
            known.part, known.pieces = part, []
        self._removing = False

    def grow(self, message_id: str, part_id: str, field: str | None, delta: str) -> bool:
        """A piece of a part's text came in; whether there is such a part and field."""
        message = self.messages.get(message_id)
        kept = None if message is None else message.parts.get(part_id)
        if kept is None or field != "text":
            return False
        kept.pieces.append(delta)
        return True

    def remove(self, message_id: str, part_id: str | None, place: Place, t: TimeMs | None) -> bool:
        """A message or a part was taken away; whether it was there."""
        message = self.messages.get(message_id)
        kept = None if message is None or part_id is None else message.parts.get(part_id)
        if message is None or (part_id is not None and kept is None):
            return False
        if not self._removing:
            self.removals.append(Removed(place=place, t=t, messages=[], parts=[]))
            self._removing = True
        if kept is None:
            message.removed = True
            self.removals[-1].messages.append(message_id)
        else:
            kept.removed = True
            self.removals[-1].parts.append(kept.id)
        return True

    def retry(self, status: Status, place: Place, seen: TimeMs | None) -> None:
        """The latest request is tried again."""
        message = next(reversed(self.messages.values()), None)
        if message is not None and all(told.attempt != status.attempt for told, _, _ in message.retries):
            message.retries.append((status, place, seen))

    def in_order(self) -> list[KeptMessage]:
        """The messages in the order in which they came to be.

        That is by id, where all are of OpenCode's making; otherwise by time, one without a time where it was found.
        """
        messages = list(self.messages.values())
        if all(is_native(message.id) for message in messages):
            return sorted(messages, key=lambda message: message.id)
        latest, aged = 0, list[tuple[int, int]]()
        for number, message in enumerate(messages):
            latest = message.created if message.created is not None else latest
            aged.append((latest, number))
        return [messages[number] for _, number in sorted(aged)]

    def _message(self, own: str, place: Place, seen: TimeMs | None) -> KeptMessage:
        message = self.messages.get(own)
        if message is None:
            message = KeptMessage(id=own, info=Info(), place=place, seen=seen, parts={}, retries=[])
            self.messages[own] = message
        return message


T = TypeVar("T", KeptPart, KeptMessage)


def by_age(kept: Iterable[T]) -> list[T]:
    """In the order in which they came to be: by id where all are of OpenCode's making, else as they were found."""
    found = list(kept)
    return sorted(found, key=lambda one: one.id) if all(is_native(one.id) for one in found) else found
