"""Notes: what each kind of record leaves in a turn, readable or not."""

from __future__ import annotations

from collections.abc import Sequence

from .build import (
    ERROR,
    LOC,
    OID,
    OID2,
    OTHER,
    U64,
    Case,
    Json,
    Line,
    Obj,
    called,
    case,
    checkpoint,
    consumed,
    error,
    line,
    model,
    of,
    replied,
    requested,
    ver,
    when,
    without,
    x_arrived,
    x_awaiting,
    x_refused,
    x_unreadable,
    x_waiting,
)


def _notes(id: str, about: str, kind: str, pairs: Sequence[tuple[Obj, Json]]) -> Case:
    """One record of a kind for each payload, and its note; None: it earns none and is passed."""
    lines = [model(), *[Line(kind, payload) for payload, _ in pairs]]
    missing = sum(note is None for _, note in pairs)
    expect: dict[str, Json] = {
        "turn.notes": [note for _, note in pairs if note is not None],
        "outside": {},
        "passed": {kind: missing} if missing else {},
    }
    return case(id, "rounds.md 2 note", about, lines, expect)


def _bad(id: str, about: str, kind: str, camel: str, *payloads: Obj) -> Case:
    """Payloads of a kind that leave an unreadable note each."""
    return _notes(id, about, kind, [(data, x_unreadable(camel, i + 1)) for i, data in enumerate(payloads)])


def _back_off(until: int, code: str, subject: str) -> Obj:
    """The error that a back-off becomes."""
    return {
        "code": code,
        "action": "call the provider",
        "subject": subject,
        "nearby": [],
        "recovery": f"the next call goes out no earlier than {until} ms",
        "retry": "no",
    }


BACK_OFF: Obj = {"action": "back_off", "until_ms": 5, "code": "E_PROVIDER", "subject": "m-1"}
FALLBACK: Obj = {"component": "vault", "fallback": "file", "persistence": "none", "reason": "locked"}
STEER: Obj = {"source": "user", "text": "stop"}

REFUSALS: tuple[Case, ...] = (
    _notes("note-gate-denied", "A denial is a refusal.", "gate_denied", [(ERROR, x_refused(1, ERROR))]),
    _bad(
        "note-gate-denied-bad",
        "Without the shape it is unreadable.",
        "gate_denied",
        "GateDenied",
        {},
        {"code": 1},
    ),
    _notes(
        "note-budget-limit",
        "So is a limit reached.",
        "budget_limit",
        [
            (
                error(code="E_BUDGET_EXHAUSTED", retry="unknown"),
                x_refused(1, error(code="E_BUDGET_EXHAUSTED", retry="unknown")),
            )
        ],
    ),
    _bad(
        "note-budget-limit-bad",
        "Without the shape it is unreadable.",
        "budget_limit",
        "BudgetLimit",
        {},
        without(ERROR, "retry"),
    ),
    _notes(
        "note-provider-degraded",
        "A provider that refused is a refusal; a component that fell back is none.",
        "provider_degraded",
        [
            (error(code="E_PROVIDER"), x_refused(1, error(code="E_PROVIDER"))),
            (FALLBACK, None),
            ({"component": ""}, None),
            (without(ERROR, "recovery") | {"component": "vault"}, None),
            (ERROR | FALLBACK, x_refused(5, ERROR)),
        ],
    ),
    _bad(
        "note-provider-degraded-bad",
        "Neither the shape nor a component that is a string.",
        "provider_degraded",
        "ProviderDegraded",
        {},
        without(FALLBACK, "component"),
        FALLBACK | {"component": 5},
        FALLBACK | {"component": None},
        without(ERROR, "nearby"),
    ),
    _notes(
        "note-back-off",
        "A back-off becomes a refusal in set words; it needs no other field.",
        "watchdog_fired",
        [
            (BACK_OFF, x_refused(1, _back_off(5, "E_PROVIDER", "m-1"))),
            (BACK_OFF | {"until_ms": 0, "subject": ""}, x_refused(2, _back_off(0, "E_PROVIDER", ""))),
            (
                BACK_OFF | {"until_ms": U64, "code": "E_TIMEOUT", "corrections": 1, "provider_failures": "x"},
                x_refused(3, _back_off(U64, "E_TIMEOUT", "m-1")),
            ),
            (
                BACK_OFF | {"retry_after_ms": 7, "retry": "yes", "recovery": "x", "nearby": ["x"]},
                x_refused(4, _back_off(5, "E_PROVIDER", "m-1")),
            ),
        ],
    ),
    _bad(
        "note-back-off-bad",
        "A back-off of which a field does not read.",
        "watchdog_fired",
        "WatchdogFired",
        without(BACK_OFF, "until_ms"),
        without(BACK_OFF, "code"),
        without(BACK_OFF, "subject"),
        BACK_OFF | {"until_ms": -1},
        BACK_OFF | {"until_ms": "5"},
        BACK_OFF | {"until_ms": True},
        BACK_OFF | {"until_ms": 5.0},
        BACK_OFF | {"until_ms": U64 + 1},
        BACK_OFF | {"code": "E_UNHEARD_OF"},
        BACK_OFF | {"code": 5},
        BACK_OFF | {"subject": None},
        BACK_OFF | {"subject": 5},
    ),
    _notes(
        "note-watchdog-none",
        "Steering, switching and freezing earn no note, whatever else they say.",
        "watchdog_fired",
        [
            ({"action": "steer", "text": "x"}, None),
            ({"action": "steer"}, None),
            ({"action": "switch", "to": "m-2", "code": "E_PROVIDER", "subject": "m-1"}, None),
            ({"action": "switch", "code": 5}, None),
            ({"action": "freeze", "reason": "x"}, None),
            ({"action": "freeze", "reason": None}, None),
        ],
    ),
    _bad(
        "note-watchdog-bad",
        "Any other action.",
        "watchdog_fired",
        "WatchdogFired",
        {},
        {"action": "restart"},
        {"action": "Steer", "text": "x"},
        {"action": ""},
        {"action": 5},
        {"action": None},
        {"action": {"steer": {"text": "x"}}},
        without(BACK_OFF, "action"),
    ),
)

REST: tuple[Case, ...] = (
    case(
        "note-approval-requested",
        "rounds.md 2 note",
        "A request waits, whatever its payload.",
        [model(), requested("a1"), line("approval_requested"), requested(5), when(7, requested("a2"))],
        {
            "turn.notes": [
                x_waiting(1),
                x_waiting(2),
                x_waiting(3),
                {"waiting": {"at": 4, "t": 7, "answered": None}},
            ],
            "passed": {},
        },
    ),
    _notes(
        "note-checkpoint",
        "A commit is noted, whatever else is wrong; a job that reads is not.",
        "checkpoint_committed",
        [
            ({"oid": OID, "scope": [], "files": []}, {"checkpointed": {"oid": OID, "at": 1}}),
            (
                {"oid": OID2, "scope": 5, "files": [None], "effort": 1},
                {"checkpointed": {"oid": OID2, "at": 2}},
            ),
            ({"job": LOC}, None),
            ({"job": LOC, "oid": OID}, None),
            ({"job": LOC, "oid": 5}, None),
            ({"job": None, "oid": OID}, {"checkpointed": {"oid": OID, "at": 6}}),
            ({"job": "secret:x", "oid": OID}, {"checkpointed": {"oid": OID, "at": 7}}),
            ({"job": 5, "oid": OID}, {"checkpointed": {"oid": OID, "at": 8}}),
        ],
    ),
    _bad(
        "note-checkpoint-bad",
        "Neither a job nor a commit that reads.",
        "checkpoint_committed",
        "CheckpointCommitted",
        {},
        {"job": "secret:x"},
        {"job": None},
        {"oid": "HEAD"},
        {"job": OID, "oid": LOC},
    ),
    _notes(
        "note-steer",
        "Who spoke: the person, the city, or any other.",
        "steer_received",
        [
            (STEER, x_arrived(1, by="user", sender="user", said="stop")),
            ({"source": "city", "text": "go"}, x_arrived(2, by="city", sender="city", said="go")),
            ({"source": "@anna", "text": ""}, x_arrived(3, sender="@anna", said="")),
            ({"source": "User", "text": "a\nb"}, x_arrived(4, sender="User", said="a\nb")),
            ({"source": "", "text": "x", "id": "s1"}, x_arrived(5, sender="", said="x")),
            ({"source": "person", "text": "x"}, x_arrived(6, sender="person", said="x")),
            (
                STEER | {"kind": "steer", "session": OTHER},
                x_arrived(7, by="user", sender="user", said="stop"),
            ),
        ],
    ),
    _bad(
        "note-steer-bad",
        "Both must be strings.",
        "steer_received",
        "SteerReceived",
        {},
        {"source": "user"},
        {"text": "x"},
        {"source": "user", "text": None},
        {"source": None, "text": "x"},
        {"source": "user", "text": 5},
        {"source": 5, "text": "x"},
        {"source": "user", "text": ["x"]},
    ),
    _notes(
        "note-consumed",
        "A signal taken: a resident's until more is known, whoever took it.",
        "signal_consumed",
        [
            ({"id": "s1", "by": "bert"}, x_arrived(1)),
            ({"id": "s1"}, x_arrived(2)),
            ({"id": "s2", "by": 5, "from": "x", "text": "x", "kind": "mention"}, x_arrived(3)),
        ],
    ),
    _notes(
        "note-wait-started",
        "A wait for a reply; the signal is not needed for the note.",
        "signal_wait_started",
        [
            ({"on": "hall", "signal": "s1", "deadline_ms": 9000}, x_awaiting(1)),
            ({"on": "hall", "deadline_ms": 9000}, x_awaiting(2)),
            ({"on": "hall", "signal": "", "deadline_ms": 9000}, x_awaiting(3)),
            (
                {"on": "a/b", "signal": 5, "deadline_ms": 0},
                {"awaiting_reply": {"on": "a/b", "until": 0, "t": 1040, "ended": None, "at": 4}},
            ),
            (
                {"on": "a/b", "signal": "s", "deadline_ms": U64},
                {"awaiting_reply": {"on": "a/b", "until": U64, "t": 1050, "ended": None, "at": 5}},
            ),
        ],
    ),
    _bad(
        "note-wait-started-bad",
        "An address and a u64, both.",
        "signal_wait_started",
        "SignalWaitStarted",
        {},
        {"on": "hall", "signal": "s1"},
        {"signal": "s1", "deadline_ms": 9000},
        {"on": "/hall", "signal": "s1", "deadline_ms": 9000},
        {"on": 5, "signal": "s1", "deadline_ms": 9000},
        {"on": "hall", "signal": "s1", "deadline_ms": -1},
        {"on": "hall", "signal": "s1", "deadline_ms": U64 + 1},
        {"on": "hall", "signal": "s1", "deadline_ms": "9000"},
        {"on": "hall", "signal": "s1", "deadline_ms": True},
        {"on": "hall", "signal": "s1", "deadline_ms": None},
    ),
    _notes(
        "note-discarded",
        "The count of paths, whatever they are and whatever may bring them back.",
        "file_discarded",
        [
            ({"paths": []}, {"discarded": {"count": 0, "at": 1}}),
            ({"paths": ["a", "b", "a"]}, {"discarded": {"count": 3, "at": 2}}),
            ({"paths": ["/x", ""], "restoration": 5}, {"discarded": {"count": 2, "at": 3}}),
            ({"paths": ["p"] * 20, "restoration": {"oid": None}}, {"discarded": {"count": 20, "at": 4}}),
        ],
    ),
    _bad(
        "note-discarded-bad",
        "A list of strings, all of them.",
        "file_discarded",
        "FileDiscarded",
        {},
        {"paths": None},
        {"paths": "a"},
        {"paths": ["a", 5]},
        {"paths": [None]},
        {"paths": {"0": "a"}},
        {"paths": 3},
    ),
)

PLACES: tuple[Case, ...] = (
    case(
        "note-order",
        "rounds.md 3.5",
        "Notes stand in ledger order, of whatever kind, between calls and reply.",
        [
            model(),
            consumed("s1"),
            called("c1"),
            line("gate_denied"),
            replied(),
            checkpoint(),
            requested("a1"),
            line("prompt_assembled"),
            line("file_discarded", paths=[]),
        ],
        {
            "turn.notes": [
                x_arrived(1),
                x_unreadable("GateDenied", 3),
                {"checkpointed": {"oid": OID, "at": 5}},
                x_waiting(6),
                {"discarded": {"count": 0, "at": 8}},
            ],
            "passed": {"prompt_assembled": 1},
        },
    ),
    case(
        "note-last-turn",
        "rounds.md 3.5",
        "A note belongs to the last turn opened, also when that has no reply.",
        [model(), replied(), model(), line("file_discarded", paths=["a"])],
        {"turn.notes": [], "answer.turns.1.notes": [{"discarded": {"count": 1, "at": 3}}]},
    ),
    case(
        "note-after-freeze",
        "rounds.md 3.5",
        "Turns never close: a note and a call after the freeze belong to the last turn.",
        [model(), line("run_frozen", completion="done"), line("file_discarded", paths=["a"]), called("c1")],
        {"turn.notes": [{"discarded": {"count": 1, "at": 2}}], "turn.calls.0.at": 3, "outside": {}},
    ),
    case(
        "note-old-version",
        "rounds.md 3.5",
        "A note carries its record's time in any version: it is no measurement.",
        [model(), ver(1, requested("a1")), ver(3, consumed("s1"))],
        {"turn.notes": [x_waiting(1), x_arrived(2)]},
    ),
    case(
        "note-other-run",
        "rounds.md 3",
        "Notes of other runs are theirs.",
        [model(), of(OTHER, requested("a1")), of(OTHER, consumed("s1")), of(OTHER, checkpoint())],
        {"turn.notes": [], "answer.opened_at": None, "outside": {}, "passed": {}},
    ),
    case(
        "note-before-turn",
        "rounds.md 3.5",
        "With no turn open every note falls outside, the unreadable ones too.",
        [
            line("gate_denied", **ERROR),
            line("gate_denied"),
            line("budget_limit"),
            Line("provider_degraded", {}),
            Line("watchdog_fired", BACK_OFF),
            Line("watchdog_fired", {}),
            requested("a1"),
            line("checkpoint_committed"),
            Line("steer_received", STEER),
            consumed("s1"),
            line("signal_wait_started", on="hall", deadline_ms=1),
            line("file_discarded", paths=[]),
            model(),
        ],
        {
            "turn.notes": [],
            "outside": {
                "gate_denied": 2,
                "budget_limit": 1,
                "provider_degraded": 1,
                "watchdog_fired": 2,
                "approval_requested": 1,
                "checkpoint_committed": 1,
                "steer_received": 1,
                "signal_consumed": 1,
                "signal_wait_started": 1,
                "file_discarded": 1,
            },
            "passed": {},
        },
    ),
    case(
        "note-none-before-turn",
        "rounds.md 3.5",
        "A record that earns no note is passed with or without a turn.",
        [
            Line("provider_degraded", FALLBACK),
            line("watchdog_fired", action="steer"),
            line("checkpoint_committed", job=LOC),
            model(),
            Line("provider_degraded", FALLBACK),
            line("watchdog_fired", action="freeze"),
            line("checkpoint_committed", job=LOC),
        ],
        {
            "turn.notes": [],
            "outside": {},
            "passed": {"provider_degraded": 2, "watchdog_fired": 2, "checkpoint_committed": 2},
        },
    ),
)

CASES: tuple[Case, ...] = REFUSALS + REST + PLACES
