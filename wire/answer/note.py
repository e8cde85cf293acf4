"""Notes: what happened in a turn that is neither speech nor a tool call. Spec: rounds.md 1, 2.

A `Note` is externally tagged: an object with exactly one key. Match on the field that is set,

    match note:
        case Note(refused=Refused(error=error)): ...
        case Note(arrived=Arrived(said=said)): ...

or on `note.variant`, a plain union that a type checker proves exhaustive.
"""

import re
from collections.abc import Callable
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final, TypeAlias

from msgspec import UNSET, Raw, Struct, UnsetType, defstruct, json

from wire.error import ErrorShape
from wire.record.signal import SignalKind
from wire.scalars import U64, Address, GitOid, RunId, Seq, TimeMs


class Speaker(StrEnum):
    """Whose word arrived."""

    user = "user"
    """The person's."""
    city = "city"
    """The city's."""
    resident = "resident"
    """Another resident's."""


class ReplyEnd(StrEnum):
    """What ended a wait for a reply."""

    reply = "reply"
    """The reply came."""
    timeout = "timeout"
    """The deadline passed."""
    left = "left"
    """The other one left."""


class Refused(Struct, frozen=True, kw_only=True):
    """Something was refused: by a gate, a budget, a provider or the watchdog."""

    error: ErrorShape
    """Why, and what to do."""
    at: Seq
    """`seq` of the line that this note was read from."""


class Checkpointed(Struct, frozen=True, kw_only=True):
    """The work so far was committed."""

    oid: GitOid
    """The commit."""
    at: Seq
    """`seq` of the line that this note was read from."""


class Waiting(Struct, frozen=True, kw_only=True):
    """The session asked a person for an approval."""

    at: Seq
    """`seq` of the line that this note was read from."""
    t: TimeMs
    """When it asked, UTC milliseconds."""
    answered: TimeMs | None = None
    """When the person answered, UTC milliseconds; null while nobody has."""


class Finished(Struct, frozen=True, kw_only=True):
    """A child session finished its work."""

    verified_by: str
    """What the work was checked with."""


class Stopped(Struct, frozen=True, kw_only=True):
    """A child session stopped before its work was done."""

    because: str
    """Why."""


class Handback(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """A child session gave its work back: an object with exactly one key, which says how."""

    finished: Finished | UnsetType = UNSET
    """It finished."""
    stopped: Stopped | UnsetType = UNSET
    """It stopped before it was done."""

    def __post_init__(self) -> None:
        if (self.finished is UNSET) == (self.stopped is UNSET):
            raise ValueError("a handback has exactly one of the keys finished, stopped")

    @property
    def variant(self) -> Finished | Stopped:
        """The one that is set."""
        if self.finished is not UNSET:
            return self.finished
        assert self.stopped is not UNSET  # __post_init__ saw to it
        return self.stopped


class Arrived(Struct, frozen=True, kw_only=True, rename={"from_": "from"}):
    """A word reached the session: a person's or the city's steer, or another resident's letter."""

    from_: str | None = None
    """Who sent it; null for a letter whose sending is not at hand."""
    said: str | None = None
    """What was said; null for a letter whose sending is not at hand or carries no text."""
    by: Speaker
    """Whose word it is."""
    t: TimeMs
    """When it was taken in, UTC milliseconds."""
    handback: Handback | None = None
    """Work given back with the letter; null when none is, or none is readable."""
    kind: SignalKind | None = None
    """What sort of letter; null for a steer, and when the sending is not at hand."""
    session: RunId | None = None
    """The session that sent the letter; null for a steer, and when the sending is not at hand."""
    at: Seq
    """`seq` of the line that this note was read from."""


class ReplyEnded(Struct, frozen=True, kw_only=True):
    """How a wait for a reply ended."""

    by: ReplyEnd
    """What ended it."""
    t: TimeMs
    """The time of the line that ended the wait, UTC milliseconds."""


class AwaitingReply(Struct, frozen=True, kw_only=True):
    """The session waits for the reply to a letter."""

    on: Address
    """Whose reply."""
    until: TimeMs
    """When it gives up, UTC milliseconds."""
    t: TimeMs
    """When it began to wait, UTC milliseconds."""
    ended: ReplyEnded | None = None
    """How the wait ended; null while it goes on."""
    at: Seq
    """`seq` of the line that this note was read from."""


class Discarded(Struct, frozen=True, kw_only=True):
    """Files were thrown away."""

    count: U64
    """How many files."""
    at: Seq
    """`seq` of the line that this note was read from."""


class Unreadable(Struct, frozen=True, kw_only=True):
    """A line that earns a note could not be read."""

    cause: str
    """The kind in CamelCase, a colon, then free words: `GateDenied: no code`. Compare it up to the colon."""
    at: Seq
    """`seq` of the line that this note was read from."""


class Note(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """One note: an object with exactly one key, which says what it is. A `NewerNote` has a key that is not here."""

    refused: Refused | UnsetType = UNSET
    """Something was refused."""
    checkpointed: Checkpointed | UnsetType = UNSET
    """The work so far was committed."""
    waiting: Waiting | UnsetType = UNSET
    """The session asked a person for an approval."""
    arrived: Arrived | UnsetType = UNSET
    """A word reached the session."""
    awaiting_reply: AwaitingReply | UnsetType = UNSET
    """The session waits for the reply to a letter."""
    discarded: Discarded | UnsetType = UNSET
    """Files were thrown away."""
    unreadable: Unreadable | UnsetType = UNSET
    """A line that earns a note could not be read."""

    def __post_init__(self) -> None:
        if len(self._set()) != 1:
            raise ValueError("a note is an object with exactly one key")

    def _set(self) -> "list[KnownNote]":
        known = (
            self.refused,
            self.checkpointed,
            self.waiting,
            self.arrived,
            self.awaiting_reply,
            self.discarded,
            self.unreadable,
        )
        return [variant for variant in known if variant is not UNSET]

    @property
    def variant(self) -> "KnownNote | NewerNote":
        """The one that is set, or the note itself when it is newer than this build."""
        return self._set()[0]


KnownNote: TypeAlias = Refused | Checkpointed | Waiting | Arrived | AwaitingReply | Discarded | Unreadable


NEWER_KEY_REFUSED: Final = r'["\\\u0000-\u001f]'
"""What the key of a newer note does not hold: a pattern that Python and ECMAScript read alike."""


class NewerNote(Note, frozen=True, kw_only=True, omit_defaults=True):
    """A note whose one key is not among those known here, kept whole: it encodes to that JSON without white space."""

    def __post_init__(self) -> None:
        if self._set() or _CONTENT not in self.__struct_fields__:
            raise ValueError("a newer note has one key, and this build does not know it: `newer_note` makes one")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NewerNote) and (self.key, bytes(self.content)) == (other.key, bytes(other.content))

    def __hash__(self) -> int:
        return hash((self.key, bytes(self.content)))

    def __repr__(self) -> str:
        return f"newer_note({self.key!r}, Raw({bytes(self.content)!r}))"

    def __reduce__(self) -> tuple[Any, ...]:
        return newer_note, (self.key, bytes(self.content))

    @property
    def variant(self) -> "NewerNote":
        """The note itself."""
        return self

    @property
    def key(self) -> str:
        """The key that this build does not know."""
        return self.__struct_encode_fields__[-1]

    @property
    def content(self) -> Raw:
        """What stands under the key, as JSON."""
        content: Raw = getattr(self, _CONTENT)
        return content


_CONTENT = "content_"
_escaped = re.compile(NEWER_KEY_REFUSED).search


def newer_note(key: str, content: Raw | bytes) -> NewerNote:
    """A note under a key that `Note` has no field for; `content` is the JSON under it.

    Raises `ValueError` for a key that it has a field for, for one that JSON would have to escape (no note is named so),
    and for content that is not UTF-8; `msgspec.DecodeError` for content that is no JSON.
    """
    if key in Note.__struct_fields__:
        raise ValueError(f"`{key}` is a note that this build knows")
    if _escaped(key):
        raise ValueError("the key of a note holds no quote, no backslash and no control character")
    text = bytes(content)
    text.decode()
    # Without white space, as everything that is encoded.
    return _newer_type(key)(**{_CONTENT: Raw(json.format(text, indent=-1))})


@lru_cache(maxsize=256)
def _newer_type(key: str) -> Callable[..., NewerNote]:
    # The key has to be a field's wire name for the note to encode natively, so each key gets a type of its own.
    newer: type[NewerNote] = defstruct(  # type: ignore[assignment]
        "NewerNote",
        [(_CONTENT, Raw)],
        bases=(NewerNote,),
        rename={_CONTENT: key},
        frozen=True,
        kw_only=True,
        omit_defaults=True,
        module=__name__,
    )
    return newer
