"""What the kit and a long-lived subject say to each other, a JSON object a line: schema/conformance/protocol.md.

The subject reads requests on standard input and writes one reply to each on standard output, in the same order.
"""

from typing import Annotated, Final, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

from wire.scalars import U64, JsonObject, RunId

PROTOCOL: Final = 1
"""The version of this protocol."""
Version: TypeAlias = Annotated[int, Meta(ge=PROTOCOL, le=PROTOCOL)]
"""The version of this protocol: 1."""
SPEC: Final = "1.0"
"""The version of the specification that the cases are about."""


class Start(Struct, frozen=True, kw_only=True, tag_field="cmd", tag="start"):
    """The first request: which protocol this is."""

    protocol: Version
    """The version of the protocol."""
    spec: str
    """The version of the specification that the cases are about."""


class Fold(Struct, frozen=True, kw_only=True, tag_field="cmd", tag="fold"):
    """Fold one run of a ledger. The ledger comes as one of `ledger` and `ledger_base64`, never both."""

    id: U64
    """The request's number, to be said again in the reply."""
    run: RunId
    """The run to fold. The ledger need not have a line of it."""
    ledger: str | UnsetType = UNSET
    """The whole ledger, its newlines included."""
    ledger_base64: str | UnsetType = UNSET
    """The whole ledger's bytes in base64 (RFC 4648, with padding), where they are not UTF-8."""


class Check(Struct, frozen=True, kw_only=True, tag_field="cmd", tag="check"):
    """Check a ledger. It comes as one of `ledger` and `ledger_base64`, never both."""

    id: U64
    """The request's number, to be said again in the reply."""
    ledger: str | UnsetType = UNSET
    """The whole ledger, its newlines included."""
    ledger_base64: str | UnsetType = UNSET
    """The whole ledger's bytes in base64 (RFC 4648, with padding), where they are not UTF-8."""


class Stop(Struct, frozen=True, kw_only=True, tag_field="cmd", tag="stop"):
    """The last request: the subject exits with 0 and says nothing more."""


class Started(Struct, frozen=True, kw_only=True, tag_field="re", tag="start"):
    """The subject is ready."""

    protocol: Version
    """The version of the protocol that the subject speaks."""
    name: str
    """What the subject calls itself."""
    version: str
    """Its version."""


class Folded(Struct, frozen=True, kw_only=True, tag_field="re", tag="fold"):
    """What became of a ledger that was to be folded: one of `answer` and `rejected`, never both."""

    id: U64
    """The number of the request."""
    answer: JsonObject | UnsetType = UNSET
    """A RoundsAnswer: rounds-answer.schema.json."""
    rejected: str | UnsetType = UNSET
    """Why the subject will not fold this ledger."""


class Found(Struct, frozen=True, kw_only=True):
    """One thing that a checker found."""

    code: str
    """The id of the rule that is broken: docs/rules.md."""
    line: U64
    """The line's number in the ledger, from 1."""


class Checked(Struct, frozen=True, kw_only=True, tag_field="re", tag="check"):
    """What became of a ledger that was to be checked: one of `findings` and `rejected`, never both."""

    id: U64
    """The number of the request."""
    findings: tuple[Found, ...] | UnsetType = UNSET
    """Everything found; empty for a ledger in order."""
    rejected: str | UnsetType = UNSET
    """Why the subject cannot check this ledger at all."""


class Findings(Struct, frozen=True, kw_only=True):
    """What a checker prints that is run once for each ledger."""

    findings: tuple[Found, ...]
    """Everything found; empty for a ledger in order."""


Request: TypeAlias = Start | Fold | Check | Stop
"""What the kit sends."""
ProtocolReply: TypeAlias = Started | Folded | Checked
"""What the subject sends back."""
