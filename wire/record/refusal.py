"""Payloads of refusals, the watchdog and approvals. Spec: ledger.md 6."""

from typing import Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from wire.error import ErrorCode, ErrorShape, Gate, Provider, Retry
from wire.scalars import U32, U64, Locator, TimeMs, check_range


class RecordedError(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The error shape as a line may spell it: older lines say `retriable` in place of `retry`."""

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
    retry: Retry | UnsetType | None = UNSET
    """Whether trying the same again can help; absent or null only on older lines, which say `retriable`."""
    retriable: bool | UnsetType | None = UNSET
    """The older spelling of `retry`: true is yes, false is no; absent or null on newer lines."""
    retry_after_ms: U64 | UnsetType | None = UNSET
    """Milliseconds to wait before the next try; null or absent when nobody said."""
    gate: Gate | UnsetType | None = UNSET
    """The gate that denied the action; null or absent when none did."""
    provider: Provider | UnsetType | None = UNSET
    """What went wrong at the provider; null or absent when none was involved."""

    def __post_init__(self) -> None:
        if self.retry in (UNSET, None) and self.retriable in (UNSET, None):
            raise ValueError("an error shape has `retry` (or, on older lines, `retriable`)")

    @property
    def error(self) -> ErrorShape:
        """The error shape that it spells."""
        retry = self.retry if isinstance(self.retry, Retry) else Retry.yes if self.retriable is True else Retry.no
        return ErrorShape(
            code=self.code,
            action=self.action,
            subject=self.subject,
            nearby=self.nearby,
            recovery=self.recovery,
            retry=retry,
            retry_after_ms=UNSET if self.retry_after_ms is None else self.retry_after_ms,
            gate=UNSET if self.gate is None else self.gate,
            provider=UNSET if self.provider is None else self.provider,
        )


class VaultFellBack(Struct, frozen=True, kw_only=True):
    """The vault fell back to another store: not a refusal of a turn."""

    component: str
    """What fell back."""
    fallback: str
    """To what."""
    persistence: str
    """How long what is kept there lasts."""
    reason: str
    """Why."""


ProviderDegraded: TypeAlias = RecordedError | VaultFellBack
"""A provider refused, or the vault fell back to another store: what fits as an error is one."""


class WatchdogSteer(Struct, frozen=True, kw_only=True, tag_field="action", tag="steer"):
    """The watchdog told the session something."""

    text: str
    """What it said."""
    corrections: U32
    """Corrections so far."""
    provider_failures: U32
    """Provider failures so far."""


class WatchdogBackOff(Struct, frozen=True, kw_only=True, tag_field="action", tag="back_off"):
    """The watchdog holds the next call back."""

    until_ms: TimeMs
    """When the next call may go out, UTC milliseconds."""
    code: ErrorCode
    """Why."""
    subject: str
    """What failed."""
    corrections: U32
    """Corrections so far."""
    provider_failures: U32
    """Provider failures so far."""


class WatchdogSwitch(Struct, frozen=True, kw_only=True, tag_field="action", tag="switch"):
    """The watchdog moved the session to another model."""

    to: str
    """To which."""
    code: ErrorCode
    """Why."""
    subject: str
    """What failed."""
    corrections: U32
    """Corrections so far."""
    provider_failures: U32
    """Provider failures so far."""


class WatchdogFreeze(Struct, frozen=True, kw_only=True, tag_field="action", tag="freeze"):
    """The watchdog stopped the session."""

    reason: str
    """Why."""
    corrections: U32
    """Corrections so far."""
    provider_failures: U32
    """Provider failures so far."""


WatchdogFired: TypeAlias = WatchdogSteer | WatchdogBackOff | WatchdogSwitch | WatchdogFreeze
"""What the watchdog did, tagged by `action`."""


class QuestionCluster(Struct, frozen=True, kw_only=True, rename={"class_": "class"}):
    """What kind of question an approval is."""

    class_: Literal["question"]
    """Always `question` in a request."""
    detail: str
    """The question's own words."""


class ApprovalRequested(Struct, frozen=True, kw_only=True):
    """The session waits for a person's word."""

    id: str
    """The request's id; its resolution names it."""
    actor: str
    """Who asks."""
    action_desc: str
    """What it wants to do."""
    artifact: Locator
    """What to look at."""
    cluster_key: QuestionCluster
    """What kind of question it is."""
    created: TimeMs
    """When it was asked, UTC milliseconds."""
    tainted: bool
    """Whether untrusted content led to it."""

    def __post_init__(self) -> None:
        check_range(self.artifact)


class Cluster(Struct, frozen=True, kw_only=True, rename={"class_": "class"}):
    """The kind of approval that was resolved."""

    class_: str
    """The kind."""
    detail: str
    """Its own words."""


class ApprovalResolved(Struct, frozen=True, kw_only=True):
    """A person answered an approval; written under the nil run."""

    id: str
    """The request's id."""
    verdict: Literal["allow", "deny"]
    """The person's word: `allow` lets it be done, `deny` does not."""
    cluster: Cluster
    """The kind of approval."""
