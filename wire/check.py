"""What checking a ledger says: each finding, and the whole in figures. Spec: ledger.md 8."""

from enum import StrEnum

from msgspec import Struct

from wire.scalars import U64, B3Hash, RunId, Seq


class Severity(StrEnum):
    """What a finding means for the ledger."""

    fault = "fault"
    """The format forbids it: a strict reader and a writer stop here."""
    warning = "warning"
    """The line is a line, but does not say what its kind says, or not in a place where it can be said."""
    note = "note"
    """Odd, and allowed."""


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that checking a ledger found."""

    code: str
    """The id of the rule that was broken; docs/rules.md lists them. A newer checker may know more."""
    severity: Severity
    """What it means for the ledger."""
    segment: str
    """The file, as it was opened."""
    line: U64
    """The line's number in the file, from 1."""
    offset: U64
    """Byte offset of the line's first byte in the file, from 0."""
    seq: Seq | None = None
    """The line's `seq`; null when it does not read."""
    run: RunId | None = None
    """Whose line it is; null when that does not read."""
    expected: str
    """What should have been there."""
    found: str
    """What was."""
    advice: str
    """What to do, in one sentence."""


class RuleCount(Struct, frozen=True, kw_only=True):
    """How often one rule was broken."""

    code: str
    """The rule's id."""
    severity: Severity
    """Its severity."""
    count: U64
    """How many findings."""


class CheckSummary(Struct, frozen=True, kw_only=True):
    """A check in figures."""

    segments: U64
    """Files read."""
    lines: U64
    """Lines checked; those before the first that was asked for are not."""
    bytes: U64
    """Bytes read."""
    sound: U64
    """Lines before the first fault: these hang together. What follows rests on what was found there."""
    first_seq: Seq | None = None
    """`seq` of the first line checked; null when there is none, or it does not read."""
    last_seq: Seq | None = None
    """`seq` of the last line; null when there is none, or it does not read."""
    last_hash: B3Hash | None = None
    """BLAKE3 of the last line: what pins the end of the ledger; null when there is no line."""
    faults: U64
    """Findings of severity `fault`."""
    warnings: U64
    """Findings of severity `warning`."""
    notes: U64
    """Findings of severity `note`."""
    counts: tuple[RuleCount, ...]
    """How often each rule was broken, in the order of docs/rules.md; rules that held are left out."""


class CheckReport(Struct, frozen=True, kw_only=True):
    """One check of one ledger."""

    path: str
    """What was checked, as it was asked for."""
    conforms: bool
    """Whether it passes: no fault, and when `strict` no warning either."""
    strict: bool
    """Whether warnings count against it."""
    summary: CheckSummary
    """The whole in figures."""
    findings: tuple[Finding, ...]
    """What was found, in ledger order; where there is more than was asked for, the gravest."""
    unlisted: U64
    """Findings past the most that were asked for: they are in the figures only."""
