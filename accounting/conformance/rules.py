"""The rules that a fold may break, by where its answer shows it: the one table that `blame` goes by.

The words are those under which the published cases stand.
"""

from typing import Final, TypeAlias

from msgspec import Struct


class Broken(Struct, frozen=True, kw_only=True):
    """A rule that an answer does not keep."""

    rule: str
    """Where it stands, in the words of the published cases: `rounds.md 3.3`."""
    says: str
    """What it says, in one sentence."""


Entry: TypeAlias = tuple[str, str, str]
"""Where (indexes left out, `*` for anything), the rule, and what it says."""

# What is there at all comes first: one record too few moves every field behind it. Within a part the first that fits.
STRUCTURE: Final[tuple[Entry, ...]] = (
    ("", "rounds.md 1", "an answer is one object of the shape RoundsAnswer"),
    ("run", "rounds.md 1", "`run` is the run that was asked for"),
    ("turns", "rounds.md 1", "`turns` is a list, however short"),
    ("turns[]", "rounds.md 3.1", "each `model_called` of the run opens a turn, and nothing else does"),
    ("turns[].opened", "rounds.md 3.1", "each `model_called` of the run opens a turn, and nothing else does"),
    ("turns[].calls", "rounds.md 1 Turn", "`calls` is a list, however short"),
    ("turns[].calls[]", "rounds.md 3.2", "each `tool_called` appends one call to the last turn"),
    ("turns[].calls[].at", "rounds.md 3.2", "each `tool_called` appends one call to the last turn"),
    ("turns[].notes", "rounds.md 1 Turn", "`notes` is a list, however short"),
    ("turns[].notes[]", "rounds.md 3.5", "a kind that earns a note appends one to the last turn, any other none"),
    ("turns[].notes[].*.at", "rounds.md 3.5", "notes stand in ledger order in the last turn, each with its own line"),
)
PAIRING: Final[tuple[Entry, ...]] = (
    ("turns[].calls[].outcome", "rounds.md 3.3", "a result answers the earliest call still awaiting its id, once"),
    ("turns[].calls[].answered", "rounds.md 3.3", "a result answers the earliest call still awaiting its id, once"),
)
FIELDS: Final[tuple[Entry, ...]] = (
    ("turns[].number", "rounds.md 3.1", "turns are numbered from 1 in the order they opened"),
    ("turns[].t", "rounds.md 3.1", "a turn's `t` is that of its `model_called`"),
    ("turns[].timing", "rounds.md 3 timing", "a turn is measured exactly when its line has a moment (ledger.md 2)"),
    ("turns[].model", "rounds.md 3.1", "`model` is the text of the `model_called`, absent when it is none"),
    ("turns[].said", "rounds.md 2 said", "said is the text blocks of `message.content`, joined by one newline"),
    ("turns[].thought", "rounds.md 2 thought", "thought is the thinking blocks of `content`, joined by one newline"),
    ("turns[].used.first_us", "rounds.md 3.4", "`used` takes `first_us` only when `first_at` reads"),
    ("turns[].used.took_us", "rounds.md 3.4", "`used` takes the reply's `took_us`"),
    (
        "turns[].used*",
        "ledger.md 6 usage",
        "counts are absolute, absent is not zero, and they read together or not at all",
    ),
    (
        "turns[].returned",
        "rounds.md 3.4",
        "`returned` is the moment of the reply line, which a line of version 1 lacks",
    ),
    ("turns[].spent", "rounds.md 3.4", "`spent` is the reply's `billed_usd_micros` when that is a u64, else absent"),
    ("turns[].stopped", "rounds.md 3.4", "`stopped` is the reply's `stop` when that is text, else absent"),
    ("turns[].first_at", "rounds.md 3.4", "`first_at` is the reply's own when that is a u64, else absent"),
    ("turns[].calls[].tool", "rounds.md 1 Call", "`tool` is the recorded name, `tool` when there is none"),
    ("turns[].calls[].subject", "rounds.md 1 Call", "`subject` is what the record states, never chosen by a reader"),
    ("turns[].calls[].arguments.cut", "rounds.md 2 bounded", "`cut` counts the lines after the twelfth"),
    ("turns[].calls[].arguments*", "rounds.md 2 arguments", "arguments are pretty JSON with sorted keys, bounded"),
    (
        "turns[].calls[].output.pinned",
        "rounds.md 2 pinned",
        "the first entry of `sieve`, else of `offload`, pins a result",
    ),
    (
        "turns[].calls[].output.cut",
        "rounds.md 2 bounded",
        "lines end at a newline only; `cut` counts those after twelve",
    ),
    ("turns[].calls[].called", "rounds.md 3.2", "`called` is the `t` of the `tool_called`"),
    ("turns[].calls[].timing", "rounds.md 3 timing", "a call is measured when both its lines have a moment"),
    (
        "turns[].calls[].effect*",
        "rounds.md 2 effect",
        "an effect is a known word or an object of exactly one known key",
    ),
    ("turns[].calls[].render*", "rounds.md 2 render", "a render is a known word or an object of exactly one known key"),
    (
        "turns[].calls[].exit_code",
        "rounds.md 2 exit_code",
        "an exit code is the result's own when that is an object, an i64",
    ),
    ("turns[].calls[].took_us", "rounds.md 3.3", "`took_us` is the result line's when that is a u64, else absent"),
    (
        "turns[].calls[].landing",
        "rounds.md 3 landings",
        "a letter takes the earliest open call to its room; the last known word stands",
    ),
    (
        "turns[].notes[].waiting.answered",
        "rounds.md 3 waits",
        "the first later `approval_resolved` of the nil run with that id answers",
    ),
    (
        "turns[].notes[].awaiting_reply.ended*",
        "rounds.md 3 reply waits",
        "the first later `signal_wait_ended` of the run with a known end ends a wait",
    ),
    (
        "turns[].notes[].refused.error*",
        "ledger.md 5",
        "an error needs its six required parts; each other part stands alone",
    ),
    ("turns[].notes[]*", "rounds.md 2 note", "a note reads only the fields its kind names, else it is `unreadable`"),
    ("turns[]*", "rounds.md 1 Turn", "a turn has the fields of its shape and no others"),
    ("opened_at", "rounds.md 3 opened_at", "the tree at the start is the run's first readable commit checkpoint"),
    ("opening.policy*", "rounds.md 3 opening", "a policy needs all four known words"),
    (
        "opening*",
        "rounds.md 3 opening",
        "the opening is the first `run_started`, and stands however little of it reads",
    ),
    (
        "closing*",
        "rounds.md 3 closing",
        "the closing is the first `run_frozen`, null when its `completion` is not text",
    ),
    ("worktree", "rounds.md 3 worktree", "the worktree is the name in the first `worktree_opened`"),
    ("*", "rounds.md 1", "an answer has the fields of its shape and no others"),
)

TOTAL: Final = Broken(rule="I8", says="a fold is total: it answers whatever the records of a ledger hold")
"""What a fold breaks that rejects a ledger, dies of it or never comes back."""
LINES_END: Final = Broken(
    rule="ledger.md 1", says="a line ends at a newline only, not at U+2028, U+0085 or other breaks"
)
FILE_ORDER: Final = Broken(
    rule="ledger.md 1 t", says="records are taken in file order; times are data and never reorder them"
)
RECORDS: Final = Broken(
    rule="rounds.md 0", says="a line with a usable v, run, seq, t, kind and data is a record, any other is skipped"
)
ARRIVALS: Final = Broken(
    rule="rounds.md 3 arrivals", says="a letter is the nearest earlier `signal_enqueued` of its id, at most 4096 before"
)
ERROR: Final = Broken(
    rule="rounds.md 3.3", says="a result with the key `error`, even null, has failed, and its output reads `error`"
)
LATEST: Final = Broken(
    rule="rounds.md 3.4",
    says="a reply belongs to the latest `model_called` before it, and sets all seven fields from its line",
)
BOUNDED: Final = Broken(
    rule="rounds.md 2 bounded",
    says="lines end at a newline only, Unicode White_Space alone is nothing, twelve lines are kept",
)
OUTPUT: Final = Broken(
    rule="rounds.md 2 output",
    says="a string is itself, anything else its compact JSON with sorted keys; a present null is `null`",
)

RULES: Final[frozenset[str]] = frozenset(
    (
        *(rule for _, rule, _ in (*STRUCTURE, *PAIRING, *FIELDS)),
        *(one.rule for one in (TOTAL, LINES_END, FILE_ORDER, RECORDS, ARRIVALS, ERROR, LATEST, BOUNDED, OUTPUT)),
    )
)
"""Every rule that may be named."""
