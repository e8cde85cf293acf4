"""The error shape: one flat object wherever a failure is recorded. Spec: ledger.md 5."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import UNSET, Struct, UnsetType

from wire.scalars import U32, U64


class ErrorCode(StrEnum):
    """The closed set of failure codes. A code outside it does not read."""

    E_PATH_NOT_FOUND = "E_PATH_NOT_FOUND"
    E_TOOL_UNKNOWN = "E_TOOL_UNKNOWN"
    E_TOOL_UNAVAILABLE = "E_TOOL_UNAVAILABLE"
    E_INVALID_ARGS = "E_INVALID_ARGS"
    E_OUTSIDE_WRITE_DOMAIN = "E_OUTSIDE_WRITE_DOMAIN"
    E_VERSION_CONFLICT = "E_VERSION_CONFLICT"
    E_GATE_DENIED = "E_GATE_DENIED"
    E_BUDGET_EXHAUSTED = "E_BUDGET_EXHAUSTED"
    E_TIMEOUT = "E_TIMEOUT"
    E_PROVIDER = "E_PROVIDER"
    E_PROVIDER_ACCOUNTS_EXHAUSTED = "E_PROVIDER_ACCOUNTS_EXHAUSTED"
    E_EVIDENCE_MISSING = "E_EVIDENCE_MISSING"
    E_LOOP_SUSPECTED = "E_LOOP_SUSPECTED"
    E_LOCATOR_INVALID = "E_LOCATOR_INVALID"
    E_SANDBOX_DENIED = "E_SANDBOX_DENIED"
    E_BUSY = "E_BUSY"
    E_DRAFT_STALE = "E_DRAFT_STALE"
    E_GOAL_CONFLICT = "E_GOAL_CONFLICT"
    E_TAINTED_ACTION = "E_TAINTED_ACTION"
    E_REPAIR_BUSY = "E_REPAIR_BUSY"
    E_DELEGATION_DEPTH = "E_DELEGATION_DEPTH"
    E_APPROVAL_PENDING = "E_APPROVAL_PENDING"
    E_APPROVAL_DENIED = "E_APPROVAL_DENIED"
    E_CROSS_BUILDING_DENIED = "E_CROSS_BUILDING_DENIED"
    E_DIGEST_SUSPECT = "E_DIGEST_SUSPECT"
    E_CREDENTIAL_MISSING = "E_CREDENTIAL_MISSING"
    E_MODEL_UNCHOSEN = "E_MODEL_UNCHOSEN"
    E_CONFIG_INVALID = "E_CONFIG_INVALID"
    E_CAS_CORRUPT = "E_CAS_CORRUPT"
    E_STORAGE_FATAL = "E_STORAGE_FATAL"
    E_WORKTREE_BUSY = "E_WORKTREE_BUSY"
    E_BROWSER_UNAVAILABLE = "E_BROWSER_UNAVAILABLE"
    E_ENDPOINT_DIALECT_UNSUPPORTED = "E_ENDPOINT_DIALECT_UNSUPPORTED"
    E_WIRE_MISMATCH = "E_WIRE_MISMATCH"
    E_LOG_VERSION_UNSUPPORTED = "E_LOG_VERSION_UNSUPPORTED"
    E_LEDGER_HELD = "E_LEDGER_HELD"
    E_HISTORY_UNPROVEN = "E_HISTORY_UNPROVEN"
    E_SECRET_EGRESS = "E_SECRET_EGRESS"
    E_DISCARD_IRREVERSIBLE = "E_DISCARD_IRREVERSIBLE"
    E_BACKPRESSURE_SHED = "E_BACKPRESSURE_SHED"
    E_TOOL_OUTCOME_UNKNOWN = "E_TOOL_OUTCOME_UNKNOWN"
    E_PLAN_MISSING = "E_PLAN_MISSING"


class Retry(StrEnum):
    """Whether trying the same again can help."""

    yes = "yes"
    no = "no"
    unknown = "unknown"


class Gate(Struct, frozen=True, kw_only=True):
    """The gate that said no."""

    rule: str
    """The rule that was applied."""
    violation: str
    """How the action broke it."""
    alternative: str
    """What is allowed instead."""


class Exchange(Struct, frozen=True, kw_only=True, tag_field="kind", tag="exchange"):
    """The provider broke the protocol of the exchange."""


class Cut(Struct, frozen=True, kw_only=True, tag_field="kind", tag="cut"):
    """The provider's reply was cut off."""


class Silence(Struct, frozen=True, kw_only=True, tag_field="kind", tag="silence"):
    """The provider stopped answering."""


class UnreadableReply(Struct, frozen=True, kw_only=True, tag_field="kind", tag="unreadable"):
    """The provider's reply could not be read."""


class Reported(Struct, frozen=True, kw_only=True, tag_field="kind", tag="reported"):
    """The provider reported an error of its own."""


class Unbuilt(Struct, frozen=True, kw_only=True, tag_field="kind", tag="unbuilt"):
    """The request could not be built."""


class RefusedByProvider(Struct, frozen=True, kw_only=True, tag_field="kind", tag="refused"):
    """The provider refused the request."""

    status: U32
    """The HTTP status."""


class Overflow(Struct, frozen=True, kw_only=True, tag_field="kind", tag="overflow"):
    """The request was larger than the provider takes."""

    status: U32
    """The HTTP status."""


Provider: TypeAlias = Exchange | Cut | Silence | UnreadableReply | Reported | Unbuilt | RefusedByProvider | Overflow
"""What went wrong at the model's provider, tagged by `kind`."""


class ErrorShape(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A failure, flat. Its optional parts are omitted when absent, never null. Spec: ledger.md 5."""

    code: ErrorCode
    """What failed, one of the closed set."""
    action: str
    """What was attempted."""
    subject: str
    """What it was attempted on."""
    nearby: tuple[str, ...]
    """Names close to the subject that do exist."""
    recovery: str
    """What to do about it."""
    retry: Retry
    """Whether trying the same again can help."""
    retry_after_ms: U64 | UnsetType = UNSET
    """Milliseconds to wait before the next try; absent when nobody said."""
    gate: Gate | UnsetType = UNSET
    """The gate that denied the action; absent when none did."""
    provider: Provider | UnsetType = UNSET
    """What went wrong at the provider; absent when none was involved."""
