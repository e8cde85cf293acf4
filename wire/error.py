"""The error shape: one flat object wherever a failure is recorded. Spec: ledger.md 5."""

from enum import StrEnum
from typing import TypeAlias

from msgspec import UNSET, Struct, UnsetType

from wire.scalars import U32, U64


class ErrorCode(StrEnum):
    """The closed set of failure codes."""

    E_PATH_NOT_FOUND = "E_PATH_NOT_FOUND"
    """There is nothing at the path."""
    E_TOOL_UNKNOWN = "E_TOOL_UNKNOWN"
    """No tool has that name."""
    E_TOOL_UNAVAILABLE = "E_TOOL_UNAVAILABLE"
    """The tool exists and cannot be used now."""
    E_INVALID_ARGS = "E_INVALID_ARGS"
    """The arguments do not fit."""
    E_OUTSIDE_WRITE_DOMAIN = "E_OUTSIDE_WRITE_DOMAIN"
    """It would write outside the place where writing is allowed."""
    E_VERSION_CONFLICT = "E_VERSION_CONFLICT"
    """What was to be changed has changed in the meantime."""
    E_GATE_DENIED = "E_GATE_DENIED"
    """A gate denied the action; `gate` says which rule, and what is allowed instead."""
    E_BUDGET_EXHAUSTED = "E_BUDGET_EXHAUSTED"
    """The budget is spent."""
    E_TIMEOUT = "E_TIMEOUT"
    """It took too long."""
    E_PROVIDER = "E_PROVIDER"
    """The model's provider failed; `provider` says how, where that is known."""
    E_PROVIDER_ACCOUNTS_EXHAUSTED = "E_PROVIDER_ACCOUNTS_EXHAUSTED"
    """Every account with the provider is used up."""
    E_EVIDENCE_MISSING = "E_EVIDENCE_MISSING"
    """What was claimed is not shown."""
    E_LOOP_SUSPECTED = "E_LOOP_SUSPECTED"
    """The session seems to go in circles."""
    E_LOCATOR_INVALID = "E_LOCATOR_INVALID"
    """A Locator does not read, or leads nowhere."""
    E_SANDBOX_DENIED = "E_SANDBOX_DENIED"
    """The sandbox denied it."""
    E_BUSY = "E_BUSY"
    """Something else is using it."""
    E_DRAFT_STALE = "E_DRAFT_STALE"
    """The draft rests on something that has changed."""
    E_GOAL_CONFLICT = "E_GOAL_CONFLICT"
    """Two goals conflict."""
    E_TAINTED_ACTION = "E_TAINTED_ACTION"
    """Untrusted content led to the action."""
    E_REPAIR_BUSY = "E_REPAIR_BUSY"
    """A repair is under way."""
    E_DELEGATION_DEPTH = "E_DELEGATION_DEPTH"
    """Work was handed on too many times."""
    E_APPROVAL_PENDING = "E_APPROVAL_PENDING"
    """A person has not answered yet."""
    E_APPROVAL_DENIED = "E_APPROVAL_DENIED"
    """A person said no."""
    E_CROSS_BUILDING_DENIED = "E_CROSS_BUILDING_DENIED"
    """It may not pass from one building to another."""
    E_DIGEST_SUSPECT = "E_DIGEST_SUSPECT"
    """A digest is not to be trusted."""
    E_CREDENTIAL_MISSING = "E_CREDENTIAL_MISSING"
    """A credential is missing."""
    E_MODEL_UNCHOSEN = "E_MODEL_UNCHOSEN"
    """No model was chosen."""
    E_CONFIG_INVALID = "E_CONFIG_INVALID"
    """The configuration does not read."""
    E_CAS_CORRUPT = "E_CAS_CORRUPT"
    """Stored content does not match its hash."""
    E_STORAGE_FATAL = "E_STORAGE_FATAL"
    """The storage failed for good."""
    E_WORKTREE_BUSY = "E_WORKTREE_BUSY"
    """The working tree is in use."""
    E_BROWSER_UNAVAILABLE = "E_BROWSER_UNAVAILABLE"
    """There is no browser to use."""
    E_ENDPOINT_DIALECT_UNSUPPORTED = "E_ENDPOINT_DIALECT_UNSUPPORTED"
    """The endpoint speaks a protocol that is not supported."""
    E_WIRE_MISMATCH = "E_WIRE_MISMATCH"
    """The two sides have different major versions of what travels."""
    E_LOG_VERSION_UNSUPPORTED = "E_LOG_VERSION_UNSUPPORTED"
    """A line was written by a newer version of the format than is known."""
    E_LEDGER_HELD = "E_LEDGER_HELD"
    """Another writer holds the ledger's lock."""
    E_HISTORY_UNPROVEN = "E_HISTORY_UNPROVEN"
    """The history could not be verified."""
    E_SECRET_EGRESS = "E_SECRET_EGRESS"
    """A secret would have left."""
    E_DISCARD_IRREVERSIBLE = "E_DISCARD_IRREVERSIBLE"
    """What would be thrown away could not be brought back."""
    E_BACKPRESSURE_SHED = "E_BACKPRESSURE_SHED"
    """It was turned away because there was too much."""
    E_TOOL_OUTCOME_UNKNOWN = "E_TOOL_OUTCOME_UNKNOWN"
    """Whether the tool did its work is not known: the answer was supplied after a restart, and is not timed."""
    E_PLAN_MISSING = "E_PLAN_MISSING"
    """There is no plan."""


class Retry(StrEnum):
    """Whether trying the same again can help."""

    yes = "yes"
    """The same again may succeed."""
    no = "no"
    """The same again fails again."""
    unknown = "unknown"
    """Nobody can say."""


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
