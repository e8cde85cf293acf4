"""The error shape: six parts that must read, three that may be absent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .build import (
    ERROR,
    U32,
    U64,
    Case,
    Json,
    Line,
    Obj,
    case,
    error,
    line,
    model,
    without,
    x_refused,
    x_unreadable,
)

CODES = (
    "E_PATH_NOT_FOUND E_TOOL_UNKNOWN E_TOOL_UNAVAILABLE E_INVALID_ARGS E_OUTSIDE_WRITE_DOMAIN "
    "E_VERSION_CONFLICT E_GATE_DENIED E_BUDGET_EXHAUSTED E_TIMEOUT E_PROVIDER "
    "E_PROVIDER_ACCOUNTS_EXHAUSTED E_EVIDENCE_MISSING E_LOOP_SUSPECTED E_LOCATOR_INVALID "
    "E_SANDBOX_DENIED E_BUSY E_DRAFT_STALE E_GOAL_CONFLICT E_TAINTED_ACTION E_REPAIR_BUSY "
    "E_DELEGATION_DEPTH E_APPROVAL_PENDING E_APPROVAL_DENIED E_CROSS_BUILDING_DENIED E_DIGEST_SUSPECT "
    "E_CREDENTIAL_MISSING E_MODEL_UNCHOSEN E_CONFIG_INVALID E_CAS_CORRUPT E_STORAGE_FATAL "
    "E_WORKTREE_BUSY E_BROWSER_UNAVAILABLE E_ENDPOINT_DIALECT_UNSUPPORTED E_WIRE_MISMATCH "
    "E_LOG_VERSION_UNSUPPORTED E_LEDGER_HELD E_HISTORY_UNPROVEN E_SECRET_EGRESS E_DISCARD_IRREVERSIBLE "
    "E_BACKPRESSURE_SHED E_TOOL_OUTCOME_UNKNOWN E_PLAN_MISSING"
).split()
assert len(CODES) == 42

GATE: Obj = {"rule": "r", "violation": "v", "alternative": "a"}


def _denied(shape: Mapping[str, Json]) -> Line:
    return Line("gate_denied", dict(shape))


def _reads(id: str, about: str, pairs: Sequence[tuple[Mapping[str, Json], Mapping[str, Json] | None]]) -> Case:
    """One denial for each payload, and the error of its note (None: it does not read)."""
    lines = [model(), *[_denied(payload) for payload, _ in pairs]]
    notes = [
        x_unreadable("GateDenied", i + 1) if wanted is None else x_refused(i + 1, wanted)
        for i, (_, wanted) in enumerate(pairs)
    ]
    return case(id, "ledger.md 5", about, lines, {"turn.notes": notes, "outside": {}, "passed": {}})


def _old(**retriable: Json) -> Obj:
    """The error without `retry`."""
    return without(ERROR, "retry") | retriable


CASES: tuple[Case, ...] = (
    _reads("error-shape", "The six parts, and no other key.", [(ERROR, ERROR)]),
    _reads(
        "error-shape-full",
        "All nine parts.",
        [
            (
                error(retry_after_ms=250, gate=GATE, provider={"kind": "refused", "status": 429}),
                error(retry_after_ms=250, gate=GATE, provider={"kind": "refused", "status": 429}),
            )
        ],
    ),
    _reads(
        "error-unknown-keys",
        "Unknown keys are dropped at every depth.",
        [
            (
                error(
                    more=1,
                    trace={"id": 1},
                    gate=GATE | {"more": 1},
                    provider={"kind": "overflow", "status": 400, "more": 1},
                ),
                error(gate=GATE, provider={"kind": "overflow", "status": 400}),
            )
        ],
    ),
    _reads("error-codes", "Each of the 42 codes reads.", [(error(code=code), error(code=code)) for code in CODES]),
    _reads(
        "error-code-bad",
        "A code outside the set does not read.",
        [
            (error(code="E_UNHEARD_OF"), None),
            (error(code="e_gate_denied"), None),
            (error(code="E_GATE_DENIED "), None),
            (error(code="GateDenied"), None),
            (error(code=""), None),
            (error(code=5), None),
            (error(code=None), None),
        ],
    ),
    _reads("error-part-missing", "Each of the six is required.", [(without(ERROR, part), None) for part in ERROR]),
    _reads("error-part-null", "Null is absent.", [(ERROR | {part: None}, None) for part in ERROR]),
    _reads("error-part-number", "A number is none of them.", [(ERROR | {part: 5}, None) for part in ERROR]),
    _reads(
        "error-strings",
        "Strings may be empty or long; they are not bounded.",
        [
            (
                error(action="", subject="", recovery="l\n" * 20),
                error(action="", subject="", recovery="l\n" * 20),
            )
        ],
    ),
    _reads(
        "error-nearby",
        "A list of strings, empty or in its own order; anything else does not read.",
        [
            (error(nearby=[]), error(nearby=[])),
            (error(nearby=["b", "a", ""]), error(nearby=["b", "a", ""])),
            (error(nearby=["a", 5]), None),
            (error(nearby=[None]), None),
            (error(nearby="a"), None),
            (error(nearby={}), None),
        ],
    ),
    _reads(
        "error-retry",
        "Three words.",
        [
            (error(retry="yes"), error(retry="yes")),
            (error(retry="no"), error(retry="no")),
            (error(retry="unknown"), error(retry="unknown")),
            (error(retry="Yes"), None),
            (error(retry="maybe"), None),
            (error(retry=""), None),
            (error(retry=True), None),
            (error(retry=False), None),
        ],
    ),
    _reads(
        "error-retriable",
        "The older boolean is written as the word.",
        [(_old(retriable=True), error(retry="yes")), (_old(retriable=False), error(retry="no"))],
    ),
    _reads(
        "error-retriable-bad",
        "Only a boolean is one.",
        [
            (_old(retriable="true"), None),
            (_old(retriable="yes"), None),
            (_old(retriable=1), None),
            (_old(retriable=0), None),
            (_old(retriable=None), None),
        ],
    ),
    _reads(
        "error-retry-over-retriable",
        "A known word goes before the boolean, which stands in for any other.",
        [
            (error(retry="unknown", retriable=True), error(retry="unknown")),
            (error(retry="no", retriable="x"), error(retry="no")),
            (error(retry="maybe", retriable=True), error(retry="yes")),
            (error(retry=5, retriable=False), error(retry="no")),
            (error(retry=None, retriable=True), error(retry="yes")),
            (error(retry="maybe", retriable="true"), None),
        ],
    ),
    _reads(
        "error-retry-after",
        "A u64; what does not read is absent, and the rest stands.",
        [
            (error(retry_after_ms=0), error(retry_after_ms=0)),
            (error(retry_after_ms=U64), error(retry_after_ms=U64)),
            (error(retry_after_ms=U64 + 1), ERROR),
            (error(retry_after_ms=-1), ERROR),
            (error(retry_after_ms=True), ERROR),
            (error(retry_after_ms="5"), ERROR),
            (error(retry_after_ms=1.5), ERROR),
            (error(retry_after_ms=None), ERROR),
        ],
    ),
    _reads(
        "error-gate",
        "Three strings; what does not read is absent, and the rest stands.",
        [
            (error(gate={"rule": "", "violation": "", "alternative": ""}), error(gate=dict.fromkeys(GATE, ""))),
            (error(gate=without(GATE, "rule"), retry_after_ms=5), error(retry_after_ms=5)),
            (error(gate=without(GATE, "violation")), ERROR),
            (error(gate=without(GATE, "alternative")), ERROR),
            (error(gate=GATE | {"rule": 5}), ERROR),
            (error(gate=GATE | {"alternative": None}), ERROR),
            (error(gate={}), ERROR),
            (error(gate="r"), ERROR),
            (error(gate=["r", "v", "a"]), ERROR),
            (error(gate=None), ERROR),
        ],
    ),
    _reads(
        "error-provider-kinds",
        "Six kinds of one word; keys beside it are dropped.",
        [
            (error(provider={"kind": kind, "status": 5}), error(provider={"kind": kind}))
            for kind in ("exchange", "cut", "silence", "unreadable", "reported", "unbuilt")
        ],
    ),
    _reads(
        "error-provider-status",
        "Two kinds with a status that fits u32.",
        [
            (
                error(provider={"kind": kind, "status": status}),
                error(provider={"kind": kind, "status": status}),
            )
            for kind in ("refused", "overflow")
            for status in (0, 503, U32)
        ],
    ),
    _reads(
        "error-provider-bad",
        "A provider that does not read is absent, and the rest stands.",
        [
            (error(provider={"kind": "refused"}, gate=GATE), error(gate=GATE)),
            (error(provider={"kind": "overflow"}), ERROR),
            (error(provider={"kind": "refused", "status": U32 + 1}), ERROR),
            (error(provider={"kind": "refused", "status": -1}), ERROR),
            (error(provider={"kind": "refused", "status": True}), ERROR),
            (error(provider={"kind": "refused", "status": "429"}), ERROR),
            (error(provider={"kind": "refused", "status": None}), ERROR),
            (error(provider={"kind": "overflow", "status": 429.0}), ERROR),
            (error(provider={"kind": "melted"}), ERROR),
            (error(provider={"kind": "Exchange"}), ERROR),
            (error(provider={"kind": 5}), ERROR),
            (error(provider={"status": 429}), ERROR),
            (error(provider={"exchange": {}}), ERROR),
            (error(provider={}), ERROR),
            (error(provider="exchange"), ERROR),
            (error(provider=None), ERROR),
        ],
    ),
    case(
        "error-not-nested",
        "ledger.md 5",
        "The shape lies flat in the payload: under a key it does not read.",
        [model(), line("gate_denied", error=ERROR), line("budget_limit", error=ERROR)],
        {"turn.notes": [x_unreadable("GateDenied", 1), x_unreadable("BudgetLimit", 2)]},
    ),
)
