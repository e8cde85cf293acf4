"""What one record of a session says about another: answers, letters, landings, waits. Spec: rounds.md 3.

Each pairing is a look-up by id. The fold tells a pairing what it made; the pairing answers with what a later record
concerns.
"""

from collections import OrderedDict, deque
from typing import Final

from msgspec import UNSET, Struct, structs

from wire.answer.note import Arrived, Note, ReplyEnded
from wire.reading import text, word
from wire.record.envelope import Record
from wire.record.signal import SignalKind
from wire.scalars import Address, Json, JsonObject, RunId, Seq, SignalId, address, signal_id

REACH: Final = 4096
"""How far back in `seq` the sending of a letter is looked for."""


class Spot(Struct, gc=False):
    """Where a call or a note stands: the turn's index, and its own within the turn."""

    turn: int
    index: int
    sends: bool = False
    """Whether it is a sending call whose letter has not been seen and that has not been answered."""


class AwaitedAnswers:
    """Calls by the id they await an answer under; of several under one id the earliest is answered first."""

    def __init__(self) -> None:
        # Ids are seldom shared: the call itself, and a queue only where a second one awaits under the same id.
        self._awaiting: dict[str, Spot | deque[Spot]] = {}

    def called(self, id: Json, spot: Spot) -> None:  # noqa: A002 - the record's own word
        """A call was made."""
        if not isinstance(id, str):
            return
        earlier = self._awaiting.get(id)
        if earlier is None:
            self._awaiting[id] = spot
        elif isinstance(earlier, Spot):
            self._awaiting[id] = deque((earlier, spot))
        else:
            earlier.append(spot)

    def answered(self, id: Json) -> Spot | None:  # noqa: A002
        """The call that an answer under this id belongs to."""
        if not isinstance(id, str) or (found := self._awaiting.get(id)) is None:
            return None
        spot = found if isinstance(found, Spot) else found.popleft()
        if spot is found or not found:
            del self._awaiting[id]
        return spot


class Letter(Struct, frozen=True, gc=False):
    """What the sending of a letter tells whoever takes it in."""

    seq: Seq
    sender: str | None
    said: str | None
    kind: SignalKind | None
    session: RunId


class Letters:
    """The newest letters sent, of every run; several folds may share one."""

    def __init__(self) -> None:
        self._sent: OrderedDict[SignalId, Letter] = OrderedDict()

    def sent(self, record: Record) -> None:
        """A `signal_enqueued`, of whatever run."""
        id = signal_id(record.data.get("id"))  # noqa: A001
        if id is None:
            return
        payload = record.data.get("payload")
        self._sent[id] = Letter(
            record.seq,
            text(record.data.get("from")),
            text(payload.get("text")) if isinstance(payload, dict) else None,
            word(record.data.get("kind"), SignalKind),
            record.run,
        )
        self._sent.move_to_end(id)
        # In rising seq no more than this many can still be in reach.
        if len(self._sent) > REACH:
            self._sent.popitem(last=False)

    def taken(self, record: Record, arrived: Arrived) -> Arrived:
        """The arrival that a `signal_consumed` made, with what its letter tells."""
        id = signal_id(record.data.get("id"))  # noqa: A001
        letter = None if id is None else self._sent.get(id)
        if letter is None or record.seq - letter.seq > REACH:
            return arrived
        return Arrived(
            from_=letter.sender,
            said=letter.said,
            by=arrived.by,
            t=arrived.t,
            kind=letter.kind,
            session=letter.session,
            at=arrived.at,
        )


class Landings:
    """Which call sent which letter. Calls are open to a letter to their room until answered or taken."""

    def __init__(self) -> None:
        self._open: dict[Address, deque[Spot]] = {}
        self._calls: dict[SignalId, Spot] = {}

    def called(self, args: Json, spot: Spot) -> None:
        """A call that is drawn as a letter."""
        to = address(args.get("to")) if isinstance(args, dict) else None
        if to is not None:
            spot.sends = True
            self._open.setdefault(to, deque()).append(spot)

    def sent(self, data: JsonObject) -> None:
        """A `signal_enqueued` of this run: it takes the earliest call open to its room, once."""
        id = signal_id(data.get("id"))  # noqa: A001
        room = data.get("room")
        if id is None or id in self._calls or not isinstance(room, str):
            return
        queue = self._open.get(room)  # type: ignore[call-overload]
        while queue:
            spot: Spot = queue.popleft()
            if spot.sends:
                spot.sends = False
                self._calls[id] = spot
                return

    def landed(self, data: JsonObject) -> Spot | None:
        """The call whose letter a `signal_landed` speaks of."""
        id = signal_id(data.get("signal"))  # noqa: A001
        return None if id is None else self._calls.get(id)


class Waits:
    """Notes that wait for a later record that names their id; it ends them all."""

    def __init__(self) -> None:
        self._waiting: dict[str, list[Spot]] = {}

    def began(self, id: str | None, spot: Spot) -> None:  # noqa: A002
        """A note waits; without an id nothing will ever end it."""
        if id:
            self._waiting.setdefault(id, []).append(spot)

    def ended(self, id: str | None) -> list[Spot]:  # noqa: A002
        """The notes that waited under the id, which no longer do."""
        return self._waiting.pop(id, []) if id else []


def approved(note: Note, resolved: Record) -> Note:
    """The note of an approval, answered by an `approval_resolved`."""
    if note.waiting is UNSET:
        return note
    return Note(waiting=structs.replace(note.waiting, answered=resolved.t))


def replied(note: Note, ended: ReplyEnded) -> Note:
    """The note of an awaited reply, its wait ended."""
    if note.awaiting_reply is UNSET:
        return note
    return Note(awaiting_reply=structs.replace(note.awaiting_reply, ended=ended))
