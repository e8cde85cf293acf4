"""Reading notes: what a record that is neither speech nor a tool call leaves in its turn. Spec: rounds.md 2."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from wire.answer.note import (
    Arrived,
    AwaitingReply,
    Checkpointed,
    Discarded,
    Note,
    Refused,
    Speaker,
    Unreadable,
    Waiting,
)
from wire.error import ErrorCode, ErrorShape, Retry
from wire.reading.errors import explain_error, strings
from wire.reading.words import word
from wire.record.envelope import Record
from wire.record.kinds import Kind
from wire.scalars import address, git_oid, locator, signal_id, u64


def note(record: Record) -> Note | None:
    """The note that a record earns, `None` for a kind or a payload that earns none.

    A letter that arrived, an approval asked for and a reply awaited come unpaired: what answers them stands in
    other records (rounds.md 3).
    """
    read = NOTES.get(record.kind)
    return None if read is None else read(record)


def _unreadable(record: Record, why: str) -> Note:
    name = "".join(part.capitalize() for part in record.kind.split("_"))
    return Note(unreadable=Unreadable(cause=f"{name}: {why}", at=record.seq))


def _error(record: Record) -> Note:
    error = explain_error(record.data)
    if isinstance(error, ErrorShape):
        return Note(refused=Refused(error=error, at=record.seq))
    return _unreadable(record, error)


def _provider_degraded(record: Record) -> Note | None:
    refused = _error(record)
    if isinstance(refused.variant, Unreadable) and isinstance(record.data.get("component"), str):
        return None  # the vault fell back: no refusal of a turn
    return refused


def _watchdog_fired(record: Record) -> Note | None:
    match record.data.get("action"):
        case "steer" | "switch" | "freeze":
            return None
        case "back_off":
            return _back_off(record)
        case _:
            return _unreadable(record, "no action that this build knows")


def _back_off(record: Record) -> Note:
    until = u64(record.data.get("until_ms"))
    code = word(record.data.get("code"), ErrorCode)
    subject = record.data.get("subject")
    if until is None or code is None or not isinstance(subject, str):
        return _unreadable(record, "a back_off without until_ms, code or subject")
    error = ErrorShape(
        code=code,
        action="call the provider",
        subject=subject,
        nearby=(),
        recovery=f"the next call goes out no earlier than {until} ms",
        retry=Retry.no,
    )
    return Note(refused=Refused(error=error, at=record.seq))


def _approval_requested(record: Record) -> Note:
    return Note(waiting=Waiting(at=record.seq, t=record.t))


def _checkpoint_committed(record: Record) -> Note | None:
    if locator(record.data.get("job")) is not None:
        return None  # a dispatch pins its job: there is no commit
    oid = git_oid(record.data.get("oid"))
    if oid is None:
        return _unreadable(record, "no job and no oid")
    return Note(checkpointed=Checkpointed(oid=oid, at=record.seq))


def _steer_received(record: Record) -> Note:
    source, said = record.data.get("source"), record.data.get("text")
    if not isinstance(source, str) or not isinstance(said, str):
        return _unreadable(record, "no source or no text")
    by = Speaker.user if source == "user" else Speaker.city if source == "city" else Speaker.resident
    return Note(arrived=Arrived(from_=source, said=said, by=by, t=record.t, at=record.seq))


def _signal_consumed(record: Record) -> Note:
    if signal_id(record.data.get("id")) is None:
        return _unreadable(record, "no id")
    return Note(arrived=Arrived(by=Speaker.resident, t=record.t, at=record.seq))


def _signal_wait_started(record: Record) -> Note:
    on, until = address(record.data.get("on")), u64(record.data.get("deadline_ms"))
    if on is None or until is None:
        return _unreadable(record, "no address to wait on or no deadline")
    return Note(awaiting_reply=AwaitingReply(on=on, until=until, t=record.t, at=record.seq))


def _file_discarded(record: Record) -> Note:
    paths = strings(record.data.get("paths"))
    if paths is None:
        return _unreadable(record, "no list of paths")
    return Note(discarded=Discarded(count=len(paths), at=record.seq))


NOTES: Final[Mapping[str, Callable[[Record], Note | None]]] = MappingProxyType(
    {
        Kind.gate_denied: _error,
        Kind.budget_limit: _error,
        Kind.provider_degraded: _provider_degraded,
        Kind.watchdog_fired: _watchdog_fired,
        Kind.approval_requested: _approval_requested,
        Kind.checkpoint_committed: _checkpoint_committed,
        Kind.steer_received: _steer_received,
        Kind.signal_consumed: _signal_consumed,
        Kind.signal_wait_started: _signal_wait_started,
        Kind.file_discarded: _file_discarded,
    }
)
"""The kinds that can earn a note, and how each is read."""
