"""Which Struct a payload reads as, for every kind that has one. Spec: ledger.md 6."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias, Union

from msgspec import ValidationError

from wire.codec import decode
from wire.record.envelope import EventRecord
from wire.record.kinds import Kind
from wire.record.model import ModelCalled, ModelReturned
from wire.record.refusal import (
    ApprovalRequested,
    ApprovalResolved,
    RecordedError,
    VaultFellBack,
    WatchdogBackOff,
    WatchdogFreeze,
    WatchdogSteer,
    WatchdogSwitch,
)
from wire.record.session import (
    CommitCheckpoint,
    FileDiscarded,
    JobPinned,
    LogTruncated,
    RunFrozen,
    RunStarted,
    WorktreeOpened,
)
from wire.record.signal import (
    SignalConsumed,
    SignalEnqueued,
    SignalLanded,
    SignalWaitEnded,
    SignalWaitStarted,
    SteerReceived,
)
from wire.record.tool import ToolCalled, ToolResult
from wire.scalars import JsonObject

Payload: TypeAlias = (
    RunStarted
    | RunFrozen
    | WorktreeOpened
    | ModelCalled
    | ModelReturned
    | ToolCalled
    | ToolResult
    | JobPinned
    | CommitCheckpoint
    | RecordedError
    | VaultFellBack
    | WatchdogSteer
    | WatchdogBackOff
    | WatchdogSwitch
    | WatchdogFreeze
    | ApprovalRequested
    | ApprovalResolved
    | SteerReceived
    | SignalEnqueued
    | SignalConsumed
    | SignalLanded
    | SignalWaitStarted
    | SignalWaitEnded
    | FileDiscarded
    | LogTruncated
)
"""Every payload that has a Struct."""

PAYLOADS: Final[Mapping[Kind, tuple[type[Payload], ...]]] = MappingProxyType(
    {
        Kind.run_started: (RunStarted,),
        Kind.run_frozen: (RunFrozen,),
        Kind.worktree_opened: (WorktreeOpened,),
        Kind.model_called: (ModelCalled,),
        Kind.model_returned: (ModelReturned,),
        Kind.tool_called: (ToolCalled,),
        Kind.tool_result: (ToolResult,),
        Kind.checkpoint_committed: (JobPinned, CommitCheckpoint),
        Kind.gate_denied: (RecordedError,),
        Kind.budget_limit: (RecordedError,),
        Kind.provider_degraded: (RecordedError, VaultFellBack),
        Kind.watchdog_fired: (WatchdogSteer, WatchdogBackOff, WatchdogSwitch, WatchdogFreeze),
        Kind.approval_requested: (ApprovalRequested,),
        Kind.approval_resolved: (ApprovalResolved,),
        Kind.steer_received: (SteerReceived,),
        Kind.signal_enqueued: (SignalEnqueued,),
        Kind.signal_consumed: (SignalConsumed,),
        Kind.signal_landed: (SignalLanded,),
        Kind.signal_wait_started: (SignalWaitStarted,),
        Kind.signal_wait_ended: (SignalWaitEnded,),
        Kind.file_discarded: (FileDiscarded,),
        Kind.log_truncated: (LogTruncated,),
    }
)
"""The Structs of a kind, in the order to try them. A kind that is not here carries any JSON object."""


def payload(record: EventRecord) -> Payload | JsonObject:
    """The record's payload as its kind's Struct, or as the JSON object it is for a kind that has none.

    Raises `msgspec.ValidationError` when the payload does not read as its kind (of a kind with several forms, the
    message says why for each), `msgspec.DecodeError` when it is no JSON. A view reads single fields instead
    (`wire.reading`): this is for who must know the whole.
    """
    forms = PAYLOADS.get(record.kind)
    if forms is None:
        return decode(bytes(record.data), JsonObject)
    if forms[0].__struct_config__.tag is not None:
        # Read as a union: a tagged Struct by itself would do without its tag.
        return _read(record, Union[forms])  # noqa: UP007 - the forms are a tuple
    refusals: list[str] = []
    for form in forms:
        try:
            return _read(record, form)
        except ValidationError as error:
            refusals.append(str(error) if len(forms) == 1 else f"as {form.__name__}: {error}")
    raise ValidationError("; ".join(refusals))


def _read(record: EventRecord, form: Any) -> Payload:
    value: Payload = decode(bytes(record.data), form)
    return value
