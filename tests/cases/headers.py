"""What stands beside the turns: opening, closing, the commit found, the worktree."""

from __future__ import annotations

from .build import (
    HASH,
    LOC,
    NIL,
    OID,
    OID2,
    OTHER,
    RUN,
    Case,
    Json,
    Line,
    Obj,
    case,
    checkpoint,
    line,
    model,
    of,
    ver,
    when,
    without,
    x_unreadable,
)

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


def _opening(id: str, about: str, started: Obj, opening: Obj) -> Case:
    """A run_started with this payload."""
    expect: Obj = {"answer.opening": opening, "outside": {}, "passed": {}, "problems": []}
    return case(id, "rounds.md 3 opening", about, [Line("run_started", started)], expect, names=NAMES)


def _alone(field: str, value: Json, about: str) -> Case:
    """All of an opening reads but this one field."""
    shown = "names" if field == "naming" else field
    return _opening(f"opening-bad-{field}", about, STARTED | {field: value}, OPENING | {shown: EMPTY[shown]})


def _policy(name: str, about: str, policy: Json, wanted: Json) -> Case:
    return _opening(f"policy-{name}", about, {"policy": policy}, EMPTY | {"policy": wanted})


def _unclosed(name: str, about: str, frozen: Obj) -> Case:
    """A run_frozen whose completion does not read."""
    expect: Obj = {
        "answer.closing": None,
        "turn.notes": [],
        "outside": {"run_frozen": 1},
        "passed": {},
        "problems": ["closing-unreadable"],
    }
    return case(f"closing-{name}", "rounds.md 3 closing", about, [model(), Line("run_frozen", frozen)], expect)


OPENINGS: tuple[Case, ...] = (
    _opening("opening", "Every field of an opening.", STARTED, OPENING),
    _opening("opening-empty", "An empty payload is an opening.", {}, EMPTY),
    _opening(
        "opening-nothing-reads",
        "So is one of which nothing reads.",
        {
            "task": 5,
            "goal": ["x"],
            "dispatched_by": "/x",
            "policy": "work",
            "effort": 3,
            "naming": 5,
            "parent": "x",
        },
        EMPTY,
    ),
    _opening("opening-nulls", "Null is absent.", dict.fromkeys(STARTED), EMPTY),
    _opening(
        "opening-other-fields",
        "Fields that the opening does not show need not read.",
        STARTED | {"job": 5, "predecessor": "x", "skills": "none", "opening": "sideways", "more": 1},
        OPENING,
    ),
    _alone("task", 5, "A task that is no string is empty."),
    _alone("goal", None, "A goal that is null is empty."),
    _alone("dispatched_by", "a:b", "Who is no address is absent."),
    _alone("policy", without(POLICY, "mode"), "A policy without a part is absent."),
    _alone("effort", "extreme", "An effort of another word is absent."),
    _alone("parent", OTHER.replace("-", ""), "A parent in another spelling is absent."),
    _alone("naming", HASH.upper(), "A naming in another spelling is looked up nowhere."),
    case(
        "opening-time",
        "rounds.md 1 Opening",
        "`at` is the record's time, in any version.",
        [when(77, ver(1, line("run_started", at=5)))],
        {"answer.opening": EMPTY | {"at": 77}},
    ),
    *[
        _opening(f"effort-{word}", f"The effort {word}.", {"effort": word}, EMPTY | {"effort": word})
        for word in ("none", "low", "medium", "high", "xhigh", "max")
    ],
    _opening("effort-capital", "The words have one spelling.", {"effort": "None"}, EMPTY),
    _policy(
        "other-words",
        "The other word of each part.",
        {"mode": "chat", "write": "create", "admit": "double_validated", "landing": "experiment"},
        {"mode": "chat", "write": "create", "admit": "double_validated", "landing": "experiment"},
    ),
    _policy("tested", "A third admission.", POLICY | {"admit": "tested"}, POLICY | {"admit": "tested"}),
    _policy(
        "contract-kept",
        "A fourth admission.",
        POLICY | {"admit": "contract_kept"},
        POLICY | {"admit": "contract_kept"},
    ),
    _policy("unknown-key", "A key this build does not know is dropped.", POLICY | {"more": 1}, POLICY),
    _policy("word-unknown", "One word that is not known costs the policy.", POLICY | {"write": "none"}, None),
    _policy("word-of-other-part", "A word of another part is not known here.", POLICY | {"mode": "full"}, None),
    _policy("part-null", "All four are required.", POLICY | {"landing": None}, None),
    _policy("empty", "None of the four.", {}, None),
    _policy("list", "No object.", ["work", "full", "standing", "ordinary"], None),
    case(
        "opening-first-only",
        "rounds.md 3 opening",
        "The first stands, even empty; a second falls outside.",
        [line("run_started"), Line("run_started", STARTED), Line("run_started", STARTED)],
        {"answer.opening": EMPTY, "outside": {"run_started": 2}, "passed": {}},
        names=NAMES,
    ),
    case(
        "opening-inside-turn",
        "rounds.md 3 opening",
        "An opening after the first model call stands, and is no note.",
        [model(), line("run_started", task="late")],
        {
            "answer.opening": EMPTY | {"task": "late", "at": 1010},
            "turn.notes": [],
            "outside": {},
            "passed": {},
        },
    ),
    case(
        "opening-none",
        "rounds.md 3 opening",
        "A run that never started has no opening; another run's is not its own.",
        [of(OTHER, Line("run_started", STARTED)), of(NIL, line("run_started")), model()],
        {"answer.opening": None, "outside": {}, "passed": {}},
    ),
    case(
        "names-none-given",
        "rounds.md 3 opening",
        "Without a lookup there are no names.",
        [line("run_started", naming=HASH)],
        {"answer.opening": EMPTY},
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

CLOSINGS: tuple[Case, ...] = (
    case(
        "closing",
        "rounds.md 3 closing",
        "The first freeze closes; nothing else of it is read.",
        [model(), when(5, line("run_frozen", completion="done", evidence=5, cause="x"))],
        {
            "answer.closing": {"completion": "done", "at": 5},
            "turn.notes": [],
            "outside": {},
            "passed": {},
            "problems": [],
        },
    ),
    *[
        case(
            f"closing-{name}",
            "rounds.md 1 Closing",
            about,
            [line("run_frozen", completion=word)],
            {"answer.closing": {"completion": word, "at": 1000}, "problems": []},
        )
        for name, word, about in (
            ("limit", "limit", "A limit."),
            ("cancelled", "cancelled", "A cancelling."),
            ("newer-word", "Evaporated!", "A word of tomorrow is carried."),
            ("empty-word", "", "An empty string is a string."),
        )
    ],
    _unclosed("number", "A completion that is no string: an ending that cannot be read.", {"completion": 5}),
    _unclosed("null", "Nor is null one.", {"completion": None, "cause": "process_died"}),
    _unclosed("missing", "Nor a missing one.", {"evidence": []}),
    _unclosed("object", "Nor an object.", {"completion": {"done": True}}),
    case(
        "closing-second",
        "rounds.md 3 closing",
        "The first stands; a second falls outside and is no problem, readable or not.",
        [
            line("run_frozen", completion="limit"),
            line("run_frozen", completion="done"),
            line("run_frozen", completion=5),
        ],
        {
            "answer.closing": {"completion": "limit", "at": 1000},
            "outside": {"run_frozen": 2},
            "problems": [],
        },
    ),
    case(
        "closing-not-repaired",
        "rounds.md 3 closing",
        "A later readable freeze does not stand in for a first that cannot be read.",
        [line("run_frozen"), line("run_frozen", completion="done"), line("run_frozen")],
        {"answer.closing": None, "outside": {"run_frozen": 3}, "problems": ["closing-unreadable"]},
    ),
    case(
        "closing-other-run",
        "rounds.md 3 closing",
        "Another run's ending is neither ours nor our problem.",
        [model(), of(OTHER, line("run_frozen")), of(NIL, line("run_frozen", completion="done"))],
        {"answer.closing": None, "outside": {}, "problems": []},
    ),
    case(
        "closing-turn-after",
        "rounds.md 3 closing",
        "A turn may open after the freeze.",
        [model(), line("run_frozen", completion="done"), model()],
        {"answer.turns.1.opened": 2, "answer.closing.at": 1010},
    ),
)

OPENED_AT: tuple[Case, ...] = (
    case(
        "opened-at-before-turn",
        "rounds.md 3 opened_at",
        "A commit before the first turn is the tree as found: used, though no note.",
        [checkpoint(), model()],
        {"answer.opened_at": OID, "turn.notes": [], "outside": {}, "passed": {}},
    ),
    case(
        "opened-at-no-turn",
        "rounds.md 3 opened_at",
        "Also where no turn follows.",
        [checkpoint()],
        {"answer.opened_at": OID, "answer.turns": [], "outside": {}, "passed": {}},
    ),
    case(
        "opened-at-inside-turn",
        "rounds.md 3 opened_at",
        "Inside a turn it is both that and a note.",
        [model(), checkpoint()],
        {
            "answer.opened_at": OID,
            "turn.notes": [{"checkpointed": {"oid": OID, "at": 1}}],
            "outside": {},
            "passed": {},
        },
    ),
    case(
        "opened-at-first",
        "rounds.md 3 opened_at",
        "The first stands; a later one is a note like others.",
        [checkpoint(OID2), model(), checkpoint(OID)],
        {
            "answer.opened_at": OID2,
            "turn.notes": [{"checkpointed": {"oid": OID, "at": 2}}],
            "outside": {},
        },
    ),
    case(
        "opened-at-second-before-turn",
        "rounds.md 3 opened_at",
        "A second before the first turn has no place, even of the same commit.",
        [checkpoint(OID), checkpoint(OID2), checkpoint(OID), model()],
        {"answer.opened_at": OID, "turn.notes": [], "outside": {"checkpoint_committed": 2}, "passed": {}},
    ),
    case(
        "opened-at-job-skipped",
        "rounds.md 3 opened_at",
        "A pinned job is no commit, not even with an oid beside it.",
        [
            line("checkpoint_committed", job=LOC),
            line("checkpoint_committed", job=LOC, oid=OID2),
            checkpoint(),
        ],
        {"answer.opened_at": OID, "outside": {}, "passed": {"checkpoint_committed": 2}},
    ),
    case(
        "opened-at-job-only",
        "rounds.md 3 opened_at",
        "A run that only pinned a job has none.",
        [line("checkpoint_committed", job=LOC), model(), line("checkpoint_committed", job=LOC, oid=OID)],
        {"answer.opened_at": None, "turn.notes": [], "passed": {"checkpoint_committed": 2}},
    ),
    case(
        "opened-at-unreadable-skipped",
        "rounds.md 3 opened_at",
        "One that does not read falls outside before a turn; the first that reads stands.",
        [checkpoint("HEAD"), checkpoint(OID), model(), checkpoint("HEAD")],
        {
            "answer.opened_at": OID,
            "turn.notes": [x_unreadable("CheckpointCommitted", 3)],
            "outside": {"checkpoint_committed": 1},
            "passed": {},
        },
    ),
    case(
        "opened-at-bad-job",
        "rounds.md 2 note",
        "A job that does not read leaves the commit beside it.",
        [line("checkpoint_committed", job="secret:x", oid=OID)],
        {"answer.opened_at": OID, "outside": {}},
    ),
    case(
        "opened-at-other-run",
        "rounds.md 3 opened_at",
        "Another run's commit is not where this one began.",
        [of(OTHER, checkpoint(OID2)), model(), checkpoint(OID)],
        {"answer.opened_at": OID},
    ),
)

WORKTREE: tuple[Case, ...] = (
    case(
        "worktree",
        "rounds.md 3 worktree",
        "The name of the first, whatever its size.",
        [line("worktree_opened", name="w-1", disk_bytes="big"), model()],
        {"answer.worktree": "w-1", "outside": {}, "passed": {}},
    ),
    case(
        "worktree-inside-turn",
        "rounds.md 3 worktree",
        "Before or inside a turn; it is no note. An empty name is a name.",
        [model(), line("worktree_opened", name="", disk_bytes=5)],
        {"answer.worktree": "", "turn.notes": [], "outside": {}, "passed": {}},
    ),
    case(
        "worktree-second",
        "rounds.md 3 worktree",
        "A second falls outside.",
        [line("worktree_opened", name="w-1"), model(), line("worktree_opened", name="w-2")],
        {"answer.worktree": "w-1", "outside": {"worktree_opened": 1}, "passed": {}},
    ),
    case(
        "worktree-not-repaired",
        "rounds.md 3 worktree",
        "A first whose name is no string leaves null: a later one does not stand in.",
        [line("worktree_opened", name=5), line("worktree_opened", name="w-2")],
        {"answer.worktree": None, "outside": {"worktree_opened": 2}, "problems": []},
    ),
    case(
        "worktree-nameless",
        "rounds.md 3 worktree",
        "So does a missing name.",
        [line("worktree_opened", disk_bytes=5)],
        {"answer.worktree": None, "outside": {"worktree_opened": 1}},
    ),
    case(
        "worktree-other-run",
        "rounds.md 3 worktree",
        "Another run's worktree is its own.",
        [of(OTHER, line("worktree_opened", name="w-9")), of(RUN, model())],
        {"answer.worktree": None, "outside": {}},
    ),
)

CASES: tuple[Case, ...] = OPENINGS + CLOSINGS + OPENED_AT + WORKTREE
