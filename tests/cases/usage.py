"""Token usage: one wrong count and the whole is absent."""

from __future__ import annotations

from .build import U64, Case, Json, case, line, model, replied, text, x_used


def _used(id: str, about: str, usage: Json, expected: Json) -> Case:
    """One reply with this usage."""
    return case(id, "ledger.md 6 usage", about, [model(), replied(usage=usage)], {"turn.used": expected})


def _row(input: Json, output: Json = 5, **more: Json) -> dict[str, Json]:
    """A usage row."""
    return {"input_tokens": input, "output_tokens": output} | more


def _none(id: str, about: str, *rows: Json) -> Case:
    """One turn for each row; none of them reads."""
    lines = [one for row in rows for one in (model(), replied(text("said"), usage=row))]
    expect: dict[str, Json] = {}
    for i in range(len(rows)):
        expect[f"answer.turns.{i}.used"] = None
        expect[f"answer.turns.{i}.said"] = "said"
    return case(id, "rounds.md 2 used", about, lines, expect)


CASES: tuple[Case, ...] = (
    _used(
        "used-v1",
        "With v 1 the input is the whole prompt.",
        _row(100, v=1, cache_read_tokens=60, cache_write_tokens=20),
        x_used(100, 5, cached=60, cache_write=20),
    ),
    _used(
        "used-v1-as-written",
        "With v 1 nothing is added, even where the parts exceed the whole.",
        _row(10, v=1, cache_read_tokens=60, cache_write_tokens=20),
        x_used(10, 5, cached=60, cache_write=20),
    ),
    _used(
        "used-old-stands",
        "Without v, parts that fit into the input leave it as it is.",
        _row(100, cache_read_tokens=60, cache_write_tokens=20),
        x_used(100, 5, cached=60, cache_write=20),
    ),
    _used(
        "used-old-equal",
        "Parts that sum to the input exactly still fit.",
        _row(80, cache_read_tokens=60, cache_write_tokens=20),
        x_used(80, 5, cached=60, cache_write=20),
    ),
    _used(
        "used-old-one-more",
        "One token more than fits: the row counted only the uncached part.",
        _row(79, cache_read_tokens=60, cache_write_tokens=20),
        x_used(159, 5, cached=60, cache_write=20),
    ),
    _used(
        "used-old-sum",
        "Each part alone fits, together they do not: all three are summed.",
        _row(70, cache_read_tokens=60, cache_write_tokens=20),
        x_used(150, 5, cached=60, cache_write=20),
    ),
    _used(
        "used-v-null",
        "A null v is an absent one.",
        _row(10, v=None, cache_read_tokens=60, cache_write_tokens=20),
        x_used(90, 5, cached=60, cache_write=20),
    ),
    _used(
        "used-old-read-alone",
        "A part the provider did not report adds nothing and stays null.",
        _row(10, cache_read_tokens=20),
        x_used(30, 5, cached=20),
    ),
    _used(
        "used-old-write-alone",
        "So for the other part; null is absent.",
        _row(10, cache_read_tokens=None, cache_write_tokens=11),
        x_used(21, 5, cache_write=11),
    ),
    _used(
        "used-old-zero-input",
        "An input of 0 is a count.",
        _row(0, cache_read_tokens=7),
        x_used(7, 5, cached=7),
    ),
    _used(
        "used-cache-zero",
        "Zero was reported as zero: not null.",
        _row(10, v=1, cache_read_tokens=0, cache_write_tokens=0),
        x_used(10, 5, cached=0, cache_write=0),
    ),
    _used(
        "used-cache-null",
        "Null and absent cache parts are null, not 0.",
        _row(10, v=1, cache_read_tokens=None),
        x_used(10, 5),
    ),
    _used("used-all-zero", "Zeros are usage, not absence of it.", _row(0, 0), x_used(0, 0)),
    _used(
        "used-large",
        "Counts are exact up to the end of u64.",
        _row(U64, 2**53 + 1, v=1, cache_read_tokens=2**53 + 1, cache_write_tokens=U64),
        x_used(U64, 2**53 + 1, cached=2**53 + 1, cache_write=U64),
    ),
    _used(
        "used-sum-at-limit",
        "A sum that is the largest u64 still reads.",
        _row(1, cache_read_tokens=U64 - 2, cache_write_tokens=1),
        x_used(U64, 5, cached=U64 - 2, cache_write=1),
    ),
    _none(
        "used-sum-overflow",
        "A sum past u64 does not read, wherever it overflows.",
        _row(1, cache_read_tokens=U64),
        _row(1, cache_read_tokens=U64 - 1, cache_write_tokens=1),
        _row(0, cache_read_tokens=U64, cache_write_tokens=1),
        _row(U64, cache_read_tokens=U64, cache_write_tokens=U64),
    ),
    _used(
        "used-dialect",
        "The dialect plays no part, readable or not; unknown keys are ignored.",
        _row(10, v=1, dialect=7, reasoning_tokens=-4, total=None),
        x_used(10, 5),
    ),
    _used(
        "used-dialect-no-sum",
        "A known dialect does not change how an older row is summed.",
        _row(10, dialect="anthropic", cache_read_tokens=4),
        x_used(10, 5, cached=4),
    ),
    _none(
        "used-v-other",
        "Any other v does not read: 2, 0, a string, a boolean, a fraction.",
        _row(10, v=2),
        _row(10, v=0),
        _row(10, v="1"),
        _row(10, v=True),
        _row(10, v=False),
        _row(10, v=1.0),
        _row(10, v=[1]),
    ),
    _none(
        "used-count-missing",
        "Input and output are required; null is absent.",
        {"output_tokens": 5},
        {"input_tokens": 5},
        _row(None),
        _row(5, None),
        {},
    ),
    _none(
        "used-input-bad",
        "An input that is no u64 costs the whole usage and nothing else.",
        _row(-1),
        _row(True),
        _row("10"),
        _row(U64 + 1),
        _row(10.0),
        _row([10]),
    ),
    _none(
        "used-output-bad",
        "So does an output.",
        _row(10, -1),
        _row(10, False),
        _row(10, "5"),
        _row(10, U64 + 1, v=1),
        _row(10, 5.0),
    ),
    _none(
        "used-cached-bad",
        "So does a cache part that is there but no u64.",
        _row(10, cache_read_tokens=-1),
        _row(10, v=1, cache_read_tokens=True),
        _row(10, v=1, cache_read_tokens="3"),
        _row(10, v=1, cache_read_tokens=U64 + 1),
    ),
    _none(
        "used-cache-write-bad",
        "And the other part.",
        _row(10, cache_write_tokens=-1),
        _row(10, v=1, cache_write_tokens=False),
        _row(10, v=1, cache_write_tokens={}),
        _row(10, v=1, cache_write_tokens=U64 + 1),
    ),
    _none("used-no-object", "Usage that is no object does not read.", None, [], "10", 10, True),
    case(
        "used-missing",
        "rounds.md 2 used",
        "A reply without usage has none; the turn before lends nothing.",
        [
            model(),
            replied(usage=_row(10)),
            model(),
            replied(),
            model(),
            line("model_returned", input_tokens=1),
        ],
        {"turn.used": x_used(10, 5), "answer.turns.1.used": None, "answer.turns.2.used": None},
    ),
)
