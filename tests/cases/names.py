"""Names of an opening: what a lookup that the caller supplies gives, and when it is not asked."""

from __future__ import annotations

from .build import HASH, OTHER, Case, Line, Obj, case, line

POLICY: Obj = {"mode": "work", "write": "full", "admit": "standing", "landing": "ordinary"}
STARTED: Obj = {
    "task": "fix",
    "goal": "green",
    "dispatched_by": "mayor/anna",
    "policy": POLICY,
    "effort": "high",
    "naming": HASH,
    "parent": OTHER,
}
NAMES = {HASH: {"mayor": "Anna"}}
OPENING: Obj = {
    "task": "fix",
    "goal": "green",
    "at": 1000,
    "dispatched_by": "mayor/anna",
    "policy": POLICY,
    "effort": "high",
    "names": {"mayor": "Anna"},
    "parent": OTHER,
}
EMPTY: Obj = {
    "task": "",
    "goal": "",
    "at": 1000,
    "dispatched_by": None,
    "policy": None,
    "effort": None,
    "names": None,
    "parent": None,
}


CASES: tuple[Case, ...] = (
    case(
        "opening",
        "rounds.md 3 opening",
        "Every field of an opening.",
        [Line("run_started", STARTED)],
        {"answer.opening": OPENING},
        names=NAMES,
    ),
    case(
        "opening-bad-naming",
        "rounds.md 3 opening",
        "A naming in another spelling is looked up nowhere.",
        [Line("run_started", STARTED | {"naming": HASH.upper()})],
        {"answer.opening": OPENING | {"names": None}},
        names=NAMES,
    ),
    case(
        "opening-first-only",
        "rounds.md 3 opening",
        "The first stands, even without a naming: a second start's names are not its own.",
        [line("run_started"), Line("run_started", STARTED)],
        {"answer.opening": EMPTY, "outside": {"run_started": 1}, "passed": {}},
        names=NAMES,
    ),
    case(
        "names-not-found",
        "rounds.md 3 opening",
        "A lookup that does not know the hash gives none, never another's.",
        [line("run_started", naming="cd" * 32)],
        {"answer.opening": EMPTY},
        names=NAMES,
    ),
    case(
        "names-naming-unreadable",
        "rounds.md 3 opening",
        "A naming that is no hash is looked up nowhere, even where the lookup would know it.",
        [line("run_started", naming="abc")],
        {"answer.opening": EMPTY},
        names={"abc": {"mayor": "Anna"}},
    ),
    case(
        "names-mayor-null",
        "rounds.md 1 Opening",
        "Names found without a mayor are names.",
        [line("run_started", naming=HASH)],
        {"answer.opening": EMPTY | {"names": {"mayor": None}}},
        names={HASH: {"mayor": None}},
    ),
    case(
        "names-no-naming",
        "rounds.md 3 opening",
        "A record without naming has no names, though the caller has some.",
        [line("run_started", task="fix", names={"mayor": "x"})],
        {"answer.opening": EMPTY | {"task": "fix"}},
        names=NAMES,
    ),
)
