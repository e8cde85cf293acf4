"""The scalar grammars, as far as a reading sees them: one spelling for each value, all else absent."""

from __future__ import annotations

from collections.abc import Sequence

from .build import (
    HASH,
    LOC,
    NIL,
    OID,
    OTHER,
    U64,
    Case,
    Json,
    Line,
    called,
    case,
    checkpoint,
    consumed,
    line,
    model,
    result,
    x_arrived,
    x_unreadable,
)

# Inside a path: spaces, dots in front, signs, letters, an invisible character, a line separator.
GOOD_ADDRESSES = (
    "a",
    "a/b/c",
    ".git/x",
    "..a",
    "a..b",
    " a/b c",
    "a@b",
    "a#L1-2",
    "a*?<>|\"'~$",
    "\u00e9\u4e2d/\U0001f600",
    "a\u200b",
    "a\u2028b",
    "a\u00a0b",
    "e\u0301",
    "-",
    "city",
)
BAD_ADDRESSES = (
    "",
    "/a",
    "/",
    "a\\b",
    "a:b",
    "a\x00b",
    "a\nb",
    "a\n",
    "a\x1fb",
    "a\x7fb",
    "a\x80b",
    "a\x85b",
    "a\x9fb",
    "a//b",
    "a/",
    ".",
    "..",
    "./a",
    "a/./b",
    "a/../b",
    "a/..",
    "a.",
    "a./b",
    "...",
    "a ",
    "a /b",
    " ",
    "a/ /b",
    "a\u00a0",
    "a\u1680",
    "a\u2028/b",
    "a\u3000",
)


def _locators(id: str, about: str, good: Sequence[str], bad: Sequence[Json]) -> Case:
    """One result for each locator; a good one is the pinned value as it stands, a bad one none."""
    lines: list[Line] = [model()]
    expect: dict[str, Json] = {}
    for i, locator in enumerate((*good, *bad)):
        lines += [called(f"c{i}"), result(f"c{i}", result={"sieve": [{"original": locator}]})]
        expect[f"turn.calls.{i}.output.pinned"] = locator if i < len(good) else None
    return case(id, "ledger.md 4 Locator", about, lines, expect)


def _started(id: str, rule: str, about: str, field: str, value: Json, wanted: Json) -> Case:
    """A run whose opening has this one field."""
    expect = {f"answer.opening.{field}": wanted, "answer.opening.task": "t"}
    return case(id, rule, about, [line("run_started", task="t", **{field: value})], expect)


def _who(name: str, about: str, value: Json, wanted: Json) -> Case:
    return _started(f"who-{name}", "ledger.md 4 Who", about, "dispatched_by", value, wanted)


def _run_id(name: str, about: str, value: Json, wanted: Json) -> Case:
    return _started(f"run-id-{name}", "ledger.md 4 RunId", about, "parent", value, wanted)


LOCATORS: tuple[Case, ...] = (
    _locators(
        "locator-cas",
        "The stored form: `cas:b3-` and exactly 64 lower-case hex digits.",
        [LOC, "cas:b3-" + "0" * 64],
        [
            "cas:b3-" + "0" * 63,
            "cas:b3-" + "0" * 65,
            "cas:b3-" + HASH.upper(),
            "cas:b3-" + "g" * 64,
            "cas:b3-" + "\uff11" * 64,
            "cas:" + HASH,
            "cas:B3-" + HASH,
            "CAS:b3-" + HASH,
            "b3-" + HASH,
            HASH,
            LOC + "\n",
            " " + LOC,
            LOC + " ",
            "cas:b3-",
            "",
        ],
    ),
    _locators(
        "locator-file",
        "The file form: an address and, after the last `@`, a commit.",
        [
            f"file:a/b.txt@{OID}",
            f"file:a@b@{OID}",
            f"file:a#L1-2@{OID}",
            f"file:@@{OID}",
            f"file:{OID}@{OID}",
        ],
        [
            f"file:@{OID}",
            f"file:/a@{OID}",
            f"file:a/../b@{OID}",
            f"file:a:b@{OID}",
            f"file:a @{OID}",
            f"file:a.@{OID}",
            f"file:a@{OID[1:]}",
            f"file:a@{OID}0",
            f"file:a@{OID.upper()}",
            f"file:a@{OID}\n",
            f"file:a@{OID}@b",
            "file:a",
            "file:a@",
            f"a@{OID}",
            f"File:a@{OID}",
            f"file: a@{OID} ",
        ],
    ),
    _locators(
        "locator-lines",
        "A range of lines counts from 1 and is closed.",
        [f"{LOC}#L1-1", f"{LOC}#L9-10", f"file:a@{OID}#L1-{U64}", f"file:a#L3-2@{OID}#L2-3"],
        [
            f"{LOC}#L0-1",
            f"{LOC}#L0-0",
            f"{LOC}#L2-1",
            f"{LOC}#L10-9",
            f"{LOC}#L1-{U64 + 1}",
            f"{LOC}#L{U64 + 1}-{U64 + 1}",
            f"{LOC}#L1",
            f"{LOC}#L1-",
            f"{LOC}#L-1",
            f"{LOC}#L1-2-3",
        ],
    ),
    _locators(
        "locator-bytes",
        "A range of bytes counts from 0 and is closed.",
        [f"{LOC}#B0-0", f"{LOC}#B0-{U64}", f"{LOC}#B{U64}-{U64}", f"file:a@{OID}#B5-70"],
        [f"{LOC}#B1-0", f"{LOC}#B0-{U64 + 1}", f"{LOC}#B0", f"{LOC}#B-1-2", f"{LOC}#B-"],
    ),
    _locators(
        "locator-one-spelling",
        "Decimal without leading zeros or sign, one range, letters as given.",
        [f"{LOC}#B0-10"],
        [
            f"{LOC}#L01-2",
            f"{LOC}#L1-02",
            f"{LOC}#B00-1",
            f"{LOC}#B0-00",
            f"{LOC}#L+1-2",
            f"{LOC}#L1-+2",
            f"{LOC}#L 1-2",
            f"{LOC}#L1-2 ",
            f"{LOC}#L1-2\n",
            f"{LOC}#L1_0-20",
            f"{LOC}#L\u0661-2",
            f"{LOC}#l1-2",
            f"{LOC}#b1-2",
            f"{LOC}#1-2",
            f"{LOC}#C1-2",
            f"{LOC}#",
            f"{LOC}#L",
            f"{LOC}#L1-2#L1-2",
            f"{LOC}L1-2",
            f"file:a@{OID}#L1-2@{OID[1:]}",
        ],
    ),
    _locators(
        "locator-refused",
        "Secrets and other schemes are always refused; so is what is no string.",
        [],
        ["secret:key", f"secret:b3-{HASH}", "http://x/", "file:", "cas:", 5, None, [LOC], {"cas": HASH}],
    ),
)

ADDRESSES: tuple[Case, ...] = (
    case(
        "address-good",
        "ledger.md 4 Address",
        "Relative paths are taken as they are, nothing is normalised.",
        [
            model(),
            *[called(f"c{i}", effect={"write": {"domain": a}}) for i, a in enumerate(GOOD_ADDRESSES)],
        ],
        {f"turn.calls.{i}.effect": {"write": {"domain": a}} for i, a in enumerate(GOOD_ADDRESSES)},
    ),
    case(
        "address-bad",
        "ledger.md 4 Address",
        "Whatever is not canonical is refused, not repaired.",
        [
            model(),
            *[called(f"c{i}", effect={"write": {"domain": a}}) for i, a in enumerate(BAD_ADDRESSES)],
        ],
        {f"turn.calls.{i}.effect": None for i in range(len(BAD_ADDRESSES))},
    ),
    case(
        "address-good-in-note",
        "ledger.md 4 Address",
        "The same grammar in a note.",
        [model(), *[line("signal_wait_started", on=a, deadline_ms=1) for a in GOOD_ADDRESSES]],
        {f"turn.notes.{i}.awaiting_reply.on": a for i, a in enumerate(GOOD_ADDRESSES)},
    ),
    case(
        "address-bad-in-note",
        "ledger.md 4 Address",
        "And there a bad one costs the note.",
        [model(), *[line("signal_wait_started", on=a, deadline_ms=1) for a in (*BAD_ADDRESSES, 5, None)]],
        {"turn.notes": [x_unreadable("SignalWaitStarted", i + 1) for i in range(len(BAD_ADDRESSES) + 2)]},
    ),
)

IDS: tuple[Case, ...] = (
    case(
        "oid-good",
        "ledger.md 4 GitOid",
        "Exactly 40 lower-case hex digits.",
        [model(), checkpoint(OID), checkpoint("0" * 40)],
        {
            "turn.notes": [
                {"checkpointed": {"oid": OID, "at": 1}},
                {"checkpointed": {"oid": "0" * 40, "at": 2}},
            ]
        },
    ),
    case(
        "oid-bad",
        "ledger.md 4 GitOid",
        "Nothing shorter, longer, in capitals, of other digits or with a newline behind.",
        [
            model(),
            checkpoint("a" * 39),
            checkpoint("a" * 41),
            checkpoint("A" * 40),
            checkpoint("g" * 40),
            checkpoint("a" * 40 + "\n"),
            checkpoint("\uff11" * 40),
            checkpoint(""),
            checkpoint(int("1" * 40)),
            checkpoint(None),
            checkpoint([OID]),
        ],
        {
            "turn.notes": [x_unreadable("CheckpointCommitted", at) for at in range(1, 11)],
            "answer.opened_at": None,
        },
    ),
    case(
        "signal-id-good",
        "ledger.md 4 SignalId",
        "Any text without white space; separators 1c-1f and U+200B are none.",
        [
            model(),
            consumed("s"),
            consumed("a/b:c"),
            consumed("a\x1fb"),
            consumed("\u200b"),
            consumed("\u00e9"),
        ],
        {"turn.notes": [x_arrived(at) for at in range(1, 6)]},
    ),
    case(
        "signal-id-bad",
        "ledger.md 4 SignalId",
        "Empty, with white space of any kind, or no string.",
        [
            model(),
            consumed(""),
            consumed("a b"),
            consumed("a\n"),
            consumed("\ta"),
            consumed("a\u00a0b"),
            consumed("a\u0085"),
            consumed("a\u2028b"),
            consumed("\u3000"),
            consumed(5),
            consumed(None),
            line("signal_consumed", by="bert"),
        ],
        {"turn.notes": [x_unreadable("SignalConsumed", at) for at in range(1, 12)]},
    ),
    _who("city", "The city.", "city", "city"),
    _who("person", "The person.", "person", "person"),
    _who("address", "A resident's address.", "mayor/anna", "mayor/anna"),
    _who("capital", "City is an address like others.", "City", "City"),
    _who("empty", "Nobody.", "", None),
    _who("absolute", "No address.", "/anna", None),
    _who("colon", "No address either.", "city:anna", None),
    _who("space", "The words have one spelling.", "city ", None),
    _who("number", "No string.", 5, None),
    _who("null", "Null is absent.", None, None),
    _run_id("good", "A hyphenated lower-case uuid.", OTHER, OTHER),
    _run_id("nil", "The nil id is a run id.", NIL, NIL),
    _run_id("capitals", "One spelling only.", "ABCDEF00-1111-4111-8111-111111111111", None),
    _run_id("no-hyphens", "Hyphens stand where they stand.", "2" * 32, None),
    _run_id("hyphens-moved", "And nowhere else.", "222222222-222-4222-8222-222222222222", None),
    _run_id("newline", "Nothing may follow.", OTHER + "\n", None),
    _run_id("braces", "Nothing may surround.", "{" + OTHER + "}", None),
    _run_id("urn", "No prefix.", "urn:uuid:" + OTHER, None),
    _run_id("letters", "Hex digits only.", "g" + OTHER[1:], None),
    _run_id("number", "No string.", 5, None),
)

CASES: tuple[Case, ...] = LOCATORS + ADDRESSES + IDS
