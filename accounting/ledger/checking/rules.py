"""The rules a ledger is held to, as data: id, severity, what is wrong, what to do. Spec: ledger.md 1, 4, 6, 7, 8.

This table is their one home: the checker names rules from it, docs/rules.md is written from it.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from wire.check import Severity


class Rule(Struct, frozen=True, kw_only=True):
    """One thing that can be wrong."""

    code: str
    """Its id, which never changes its meaning."""
    severity: Severity
    """What a finding means for the ledger."""
    says: str
    """What is wrong where it is broken."""
    advice: str
    """What to do, in one sentence."""
    spec: str
    """Where the specification says so."""


def _fault(code: str, says: str, advice: str, spec: str) -> Rule:
    return Rule(code=code, severity=Severity.fault, says=says, advice=advice, spec=spec)


def _warning(code: str, says: str, advice: str, spec: str) -> Rule:
    return Rule(code=code, severity=Severity.warning, says=says, advice=advice, spec=spec)


def _note(code: str, says: str, advice: str, spec: str) -> Rule:
    return Rule(code=code, severity=Severity.note, says=says, advice=advice, spec=spec)


RULES: Final = (
    # Faults, in the order in which a line is held to them; of one line only the first is told.
    _fault(
        "not-a-line",
        "The bytes are no JSON object, or one without an envelope. Such lines in a row are one finding.",
        "Look for a write that broke off or two writers at once; `rounds repair` copies out what can be read.",
        "ledger.md 8",
    ),
    _fault(
        "version-ahead",
        "`v` is larger than any known version of the format.",
        "Check the ledger with a release of rounds that knows this version.",
        "ledger.md 8",
    ),
    _fault("not-a-version", "`v` is 0 or no integer.", "Write 2, or 1 where `t` is no measurement.", "ledger.md 8"),
    _fault(
        "chain-break",
        "`prev` is not the hash of the line before: that line was changed, lines are missing or added, or two wrote at"
        " once.",
        "Compare this line and the one before with a copy of the ledger, and keep to one writer at a time.",
        "ledger.md 8",
    ),
    _fault(
        "seq-gap",
        "`seq` is not one more than that of the line before.",
        "Number the lines 0, 1, 2 ... across runs and segments without a gap.",
        "ledger.md 8",
    ),
    _fault(
        "unknown-kind",
        'The kind is outside the closed set, and no `"ig":true` lets a reader skip the line.',
        "Spell a kind of ledger.md 3, or mark the line `ig` if a reader may skip it.",
        "ledger.md 3",
    ),
    _fault("bad-utf8", "The line is not UTF-8.", "Encode the line as UTF-8 before it is hashed.", "ledger.md 1"),
    _fault(
        "lone-surrogate",
        "A string holds the escape of half a surrogate pair.",
        "Replace it, by U+FFFD say, before the line is written.",
        "ledger.md 1",
    ),
    _fault("repeated-key", "A key stands twice in one object.", "Write each key once.", "ledger.md 1"),
    _fault(
        "unknown-key",
        "The envelope has a key that the format does not have.",
        "Move what it says into `data`; the envelope is closed.",
        "ledger.md 1",
    ),
    _fault(
        "envelope-field",
        "A field of the envelope does not fit its grammar.",
        "Write the field as the table of ledger.md 1 has it.",
        "ledger.md 1, 4",
    ),
    _fault(
        "float",
        "The line holds a number with a fraction or an exponent, be it `1.0`.",
        "Write an integer of a smaller unit, or a string.",
        "ledger.md 1",
    ),
    _fault(
        "integer-range", "An integer fits neither i64 nor u64.", "Write it as a string, or leave it out.", "ledger.md 1"
    ),
    _fault(
        "too-deep",
        "The payload nests more than 126 containers.",
        "Store what nests so deep apart, and write its Locator.",
        "ledger.md 1",
    ),
    _fault(
        "unsorted-keys",
        "Keys of an object in the payload are not sorted bytewise.",
        "Sort the keys of every object in `data` by their UTF-8 bytes.",
        "ledger.md 1",
    ),
    _fault(
        "not-canonical",
        "The line is spelled otherwise than its canonical bytes: white space, an escape, the order of the envelope.",
        "Write lines with one encoder that gives canonical bytes, and hash just those.",
        "ledger.md 1",
    ),
    _fault(
        "unended-segment",
        "A segment that is not the newest ends in bytes without a newline.",
        "End a segment's last line before the next segment is begun.",
        "ledger.md 7",
    ),
    _fault(
        "other-end",
        "The ledger does not end where it was expected to.",
        "Look for lines that were cut off, added or changed at the end.",
        "ledger.md 8",
    ),
    # Warnings: a view still answers, but what it answers is not what happened.
    _warning(
        "payload-shape",
        "The payload does not read as its kind.",
        "Write the payload as the table of ledger.md 6 has it.",
        "ledger.md 6",
    ),
    _warning(
        "result-for-no-call",
        "A `tool_result` names a call that its run never made.",
        "Write `tool_called` before its result, under the same run and id.",
        "rounds.md 3",
    ),
    _warning(
        "second-result",
        "A `tool_result` names a call that is answered already.",
        "Write one result for each call.",
        "rounds.md 3",
    ),
    _warning(
        "call-reused",
        "A `tool_called` takes an id under which the run still awaits an answer.",
        "Give each call an id of its own.",
        "rounds.md 3",
    ),
    _warning(
        "returned-without-attempt",
        "A `model_returned` has no `model_called` of its run before it.",
        "Write `model_called` when the request goes out.",
        "rounds.md 3",
    ),
    _warning(
        "first-after-returned",
        "`first_at` is later than the measured moment of its own reply.",
        "Take `first_at` and `t` from one clock.",
        "ledger.md 2, 6",
    ),
    _warning(
        "cache-above-input",
        "The cache parts of a `usage` with `v` 1 are more than its `input_tokens`, of which they are parts.",
        "Count the whole prompt in `input_tokens`, cache parts included.",
        "ledger.md 6, rounds.md 4",
    ),
    _warning(
        "turn-after-freeze",
        "A `model_called` follows the `run_frozen` of its run.",
        "Open a new run, or freeze the run when it is over.",
        "rounds.md 3",
    ),
    _warning("second-freeze", "A run is frozen twice.", "Write one `run_frozen` for each run.", "rounds.md 3"),
    _warning(
        "segment-name",
        "A segment is not named after the `seq` of its first line.",
        "Name it ledger-<20 digits of that seq>.jsonl, so that segments are read in order.",
        "ledger.md 7",
    ),
    # Notes: odd, and allowed.
    _note(
        "time-backwards",
        "`t` is smaller than that of the line before.",
        "Nothing need be done: order is `seq`, never `t`.",
        "ledger.md 1",
    ),
    _note(
        "tool-name",
        "A tool's name is outside `[a-z0-9_]+`, as other agents' names are. Told once for each name.",
        "Keep to `[a-z0-9_]+` for a city's own tools.",
        "ledger.md 4",
    ),
    _note(
        "kind-skipped",
        "The kind is outside the closed set, and `ig` lets a reader skip the line: it was not looked at.",
        "Check the ledger with a newer release of rounds to have such lines looked at.",
        "ledger.md 3",
    ),
    _note(
        "torn-tail",
        "The newest segment ends in bytes without a newline: a line being written, or left by a writer that died.",
        "Leave it: the next writer cuts it and says so.",
        "ledger.md 7",
    ),
    _note(
        "long-segment",
        "A segment of several lines is larger than 64 MiB.",
        "Begin a new segment before the line that goes past 64 MiB.",
        "ledger.md 7",
    ),
)
"""Every rule: faults in the order in which a line is held to them, then warnings, then notes."""

RULE: Final[Mapping[str, Rule]] = MappingProxyType({rule.code: rule for rule in RULES})
"""Each rule by its code."""
