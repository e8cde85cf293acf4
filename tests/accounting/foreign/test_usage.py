"""Usage: each request once whatever it was copied into, and known, estimated and unknown apart."""

from datetime import UTC
from decimal import Decimal
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import json, structs

from accounting.foreign import Session, Source, read, sources
from accounting.foreign.fidelity import Standing
from accounting.foreign.importing import import_sessions
from accounting.foreign.metering import Meter
from accounting.foreign.prices import Price, Prices
from accounting.foreign.usage import By, Usage, UsageRow, summed, usage
from accounting.ledger import Ledger
from tests.accounting.cli.help import chained
from tests.accounting.foreign.claude_lines import DAY, Lines, session_id, small, text
from tests.compare import Plain
from tests.lines import write

SAMPLES = Path(__file__).resolve().parents[4] / "shared" / "data" / "samples"
SOME = settings().max_examples // 10
"""Examples are files here: fewer than elsewhere."""


def found(*paths: Path) -> list[Source]:
    return [source for path in paths for source in sources(path)]


def of(*paths: Path, by: By = By.run) -> Usage:
    return usage(found(*paths), by)


def figures(row: UsageRow) -> tuple[int | None, ...]:
    return row.requests, row.input, row.cached, row.cache_write, row.output


def test_a_session(tmp_path: Path) -> None:
    total = of(small().write(tmp_path)).total
    # Two requests of 10 + 3 + 2 tokens; the first one's output grew from 1 to 7.
    assert figures(total) == (2, 30, 6, 4, 16)
    assert (total.spent, total.priced, total.unpriced, total.estimated) == (None, 0, 2, None)
    assert (total.unmetered, total.cached_unknown, total.cache_write_unknown) == (0, 0, 0)
    assert total.standing is Standing.deduplicated
    assert (total.wall_ms, total.active_ms) == (5000, 5000)


def test_a_fork_counts_for_the_one_that_asked(tmp_path: Path) -> None:
    first = small(1)
    fork = Lines(2)
    fork.lines = [line.replace(first.id.encode(), fork.id.encode()) for line in first.lines]
    fork.reply("own", text("Five."), out=100)
    for paths in ((first.write(tmp_path), fork.write(tmp_path)), (fork.write(tmp_path), first.write(tmp_path))):
        both = of(*paths)
        assert figures(both.total) == (3, 45, 9, 6, 116)
        assert both.total.copies == 2
        assert {row.key: row.requests for row in both.rows} == {first.id: 2, fork.id: 1}


def test_a_longer_copy_has_the_larger_counts(tmp_path: Path) -> None:
    lines = small()
    part, whole = lines.write(tmp_path, 2, "a.jsonl"), lines.write(tmp_path, None, "b.jsonl")
    assert figures(of(part, whole).total) == figures(of(whole, part).total) == figures(of(whole).total)


def test_gaps_of_five_minutes_are_not_active(tmp_path: Path) -> None:
    lines = small()
    lines._began += 299  # pyright: ignore[reportPrivateUsage]
    lines.said("Again.")
    lines._began += 299  # pyright: ignore[reportPrivateUsage]
    lines.reply("c", text("x"))
    total = of(lines.write(tmp_path)).total
    assert (total.wall_ms, total.active_ms) == (5000 + 300_000 + 300_000, 5000)


def test_days_are_of_the_zone(tmp_path: Path) -> None:
    path = small(1).write(tmp_path)  # 06:13 UTC
    assert [row.key for row in of(path, by=By.day).rows] == ["2026-02-25"]
    meter = Meter()
    for source in found(path):
        meter.source(source)
    assert [row.key for row in summed(meter, By.day, ZoneInfo("America/Los_Angeles")).rows] == ["2026-02-24"]


def test_models_and_agents(tmp_path: Path) -> None:
    lines = small().reply("z", text("x"), model="other", out=1000)
    by_model = of(lines.write(tmp_path), by=By.model)
    assert {row.key: row.output for row in by_model.rows} == {"claude-x": 16, "other": 1000}
    assert [(row.key, row.agents) for row in of(lines.write(tmp_path), by=By.agent).rows] == [
        ("claude_code", ("claude_code",))
    ]


def test_estimates_stand_apart(tmp_path: Path) -> None:
    lines = small().reply("z", text("x"), model="other")
    one, two, tenth, more = map(Decimal, ("1", "2", "0.1", "1.25"))
    prices = Prices([Price(model="claude-*", input=one, output=two, cached=tenth, cache_write=more)])
    total = usage(found(lines.write(tmp_path)), By.run, UTC, prices).total
    assert (total.spent, total.priced, total.estimated_requests, total.unpriced) == (None, 0, 2, 1)
    # Twice 10 fresh, 3 cached, 2 written, and 16 out: 20 + 0.6 + 5 + 32.
    assert total.estimated == 58


def ledger(tmp_path: Path, *replies: dict[str, Any]) -> Ledger:
    records: list[Plain] = []
    for number, reply in enumerate(replies):
        records.append({"t": DAY + number, "kind": "model_called", "data": {"model": "m", "segments": []}})
        records.append({"t": DAY + number, "kind": "model_returned", "data": {"message": {}, "calls": 0, **reply}})
    return Ledger(write(tmp_path / "own.jsonl", chained(*records)))


def test_a_ledger_counts_too_and_what_is_not_stated_is_null(tmp_path: Path) -> None:
    counts = {"v": 1, "input_tokens": 5, "output_tokens": 2}
    total = usage(
        [ledger(tmp_path, {"usage": counts, "billed_usd_micros": 7}, {"usage": counts | {"cache_read_tokens": 1}}, {})]
    ).total
    assert figures(total) == (3, 10, 1, None, 4)
    assert (total.cached_unknown, total.cache_write_unknown, total.unmetered) == (1, 2, 1)
    assert (total.spent, total.priced, total.unpriced) == (7, 1, 2)
    assert total.agents == ("ledger",)
    nothing = usage([ledger(tmp_path, {})]).total
    assert figures(nothing) == (1, None, None, None, None)
    assert nothing.standing is Standing.unknown


def test_no_requests() -> None:
    assert figures(usage([]).total) == (0, None, None, None, None)


@settings(max_examples=SOME)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 6)), min_size=1, max_size=5), st.data())
def test_neither_order_nor_copies_nor_importing_change_the_sums(
    files: list[tuple[int, int]], data: st.DataObject
) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name).resolve()
        paths = [
            small(number, 10 * number).write(folder, count, f"{index}.jsonl")
            for index, (number, count) in enumerate(files)
        ]
        shuffled = data.draw(st.permutations(paths))
        known = [source for path in paths if path.stat().st_size for source in sources(path)]
        again = [source for path in shuffled if path.stat().st_size for source in sources(path)]
        for by in By:
            assert _sums(usage(known, by)) == _sums(usage([*again, *again], by))
        import_sessions(known, folder / "ledger")
        imported = folder / "ledger"
        every: list[list[Source | Path]] = [[imported], [imported, *again], [*known, imported]]
        for inputs in every:
            assert [figures(row) for row in usage(inputs, By.day).rows] == [
                figures(row) for row in usage(known, By.day).rows
            ]


def _sums(found: Usage) -> list[UsageRow]:
    """Rows without what twice the files has twice."""
    return [structs.replace(row, copies=0, standing=Standing.exact) for row in (*found.rows, found.total)]


@pytest.mark.parametrize("order", [1, -1])
def test_the_fork_of_the_samples(order: int) -> None:
    if not SAMPLES.is_dir():
        pytest.skip(f"no samples at {SAMPLES}")
    paths = [SAMPLES / f"codex_fork_{which}.jsonl" for which in ("parent", "child")][::order]
    both = of(*paths)
    assert (both.total.input, both.total.output) == (15_253_283, 55_895)
    parent, child = (read(path).run for path in sorted(paths, reverse=True))
    rows = {row.key: (row.requests, row.input, row.output) for row in both.rows}
    assert rows == {parent: (133, 13_359_699, 38_414), child: (22, 1_893_584, 17_481)}


@pytest.mark.parametrize(
    ("name", "requests", "expected"),
    [
        ("claude_real_medium", 20, (372_135, 3_629, 324_259, 47_747)),
        ("claude_real_small", 7, (116_010, 953, 103_219, 12_698)),
        ("claude_real_subagent", 3, (40_152, 258, 25_337, 13_980)),
        ("claude_task_sidechain", 5, (106_224, 1_163, 78_093, 28_106)),
        ("claude_dup_small", 2, (32_244, 11, 13_594, 18_642)),
        ("claude_interrupt", 1, (16_173, 5, 10_491, 5_678)),
    ],
)
def test_the_samples_come_to_what_is_known_of_them(name: str, requests: int, expected: tuple[int, ...]) -> None:
    if not SAMPLES.is_dir():
        pytest.skip(f"no samples at {SAMPLES}")
    total = of(SAMPLES / f"{name}.jsonl").total
    assert total.requests == requests
    assert (total.input, total.output, total.cached, total.cache_write) == expected


def stream(path: Path, sid: str, models: list[str], cost: str) -> Path:
    """What `claude -p --output-format stream-json` prints: a reply of each model, and what all of it cost."""
    rows: list[Plain] = [
        {"type": "system", "subtype": "init", "session_id": sid, "model": models[0], "tools": [], "cwd": "/"}
    ]
    for number, model in enumerate(models):
        usage = {"input_tokens": 4, "output_tokens": 2}
        message = {"id": f"{sid}{number}", "role": "assistant", "model": model, "content": [text("x")], "usage": usage}
        rows.append({"type": "assistant", "message": message, "parent_tool_use_id": None, "session_id": sid})
    written = [json.encode(row) for row in rows]
    written.append(
        f'{{"type":"result","subtype":"success","is_error":false,"session_id":"{sid}","total_cost_usd":{cost}}}'.encode()
    )
    path.write_bytes(b"\n".join(written) + b"\n")
    return path


def test_a_cost_stated_for_the_whole_session_is_known_and_not_split(tmp_path: Path) -> None:
    one = stream(tmp_path / "one.jsonl", session_id(1), ["a", "a"], "0.25")
    two = stream(tmp_path / "two.jsonl", session_id(2), ["a", "b"], "0.5")
    prices = Prices([Price(model="*", input=Decimal(1), output=Decimal(1))])
    found_in = found(one, two, two)
    import_sessions(found_in, tmp_path / "ledger")
    inputs: list[list[Source | Path]] = [[*found_in], [tmp_path / "ledger"], [tmp_path / "ledger", *found_in]]
    for every in inputs:
        by_model = usage(every, By.model, UTC, prices)
        total = by_model.total
        assert (total.spent, total.priced, total.unpriced, total.estimated) == (750_000, 4, 0, None)
        assert {row.key: (row.requests, row.spent) for row in by_model.rows} == {
            "a": (3, 250_000),
            "b": (1, None),
            "unknown": (0, 500_000),
        }
        assert {row.key: row.spent for row in usage(every, By.run).rows} == {
            session_id(1): 250_000,
            session_id(2): 500_000,
        }


def replied_for(session: Session, micros: int | None) -> Session:
    """The session, with what each reply cost."""
    records = tuple(
        structs.replace(record, data=record.data | ({} if micros is None else {"billed_usd_micros": micros}))
        if record.kind == "model_returned"
        else record
        for record in session.records
    )
    return structs.replace(session, records=records)


@pytest.mark.parametrize("order", [1, -1])
def test_a_copy_that_says_so_is_none_of_its_own_whatever_its_times(tmp_path: Path, order: int) -> None:
    asked = read(small(1, 900).write(tmp_path))
    copy = read(small(2, 100).write(tmp_path))
    turns = tuple(
        structs.replace(theirs, key=own.key, copied_from=asked.run)
        for own, theirs in zip(asked.outline.turns, copy.outline.turns, strict=True)
    )
    copy = structs.replace(copy, outline=structs.replace(copy.outline, turns=turns))
    meter = Meter()
    for session in [replied_for(asked, None), replied_for(copy, 40)][::order]:
        meter.session(session)
    (row,) = summed(meter, By.run).rows
    assert (row.key, row.requests, row.copies) == (asked.run, 2, 2)
    # What only the copy states is known of the request all the same.
    assert (row.spent, row.priced) == (80, 2)


def keyed(session: Session, figures: Standing, *, copy_of: Session | None = None) -> Session:
    """The session with counts of that standing, and where it is a copy with the names of its requests."""
    own = (session if copy_of is None else copy_of).outline.turns
    turns = tuple(
        structs.replace(turn, key=named.key, figures=figures)
        for turn, named in zip(session.outline.turns, own, strict=True)
    )
    return structs.replace(session, outline=structs.replace(session.outline, turns=turns))


def test_a_doubtful_copy_leaves_what_the_original_says_as_it_is(tmp_path: Path) -> None:
    first = read(small(1).write(tmp_path))
    every = [
        keyed(first, Standing.exact),
        keyed(read(small(2, 50).write(tmp_path)), Standing.unknown, copy_of=first),
        keyed(read(small(3, 90).write(tmp_path)), Standing.estimated, copy_of=first),
    ]
    for order in permutations(every):
        meter = Meter()
        for session in order:
            meter.session(session)
        (row,) = summed(meter, By.run).rows
        assert (row.key, row.standing, row.copies) == (first.run, Standing.deduplicated, 4)


def test_counts_that_only_a_copy_states_have_the_standing_of_that_copy(tmp_path: Path) -> None:
    first = read(small(1).write(tmp_path))
    silent = tuple(
        structs.replace(record, data={key: value for key, value in record.data.items() if key != "usage"})
        for record in first.records
    )
    every = [
        structs.replace(keyed(first, Standing.exact), records=silent),
        keyed(read(small(2, 50).write(tmp_path)), Standing.estimated, copy_of=first),
        keyed(read(small(3, 90).write(tmp_path)), Standing.unknown, copy_of=first),
    ]
    for order in permutations(every):
        meter = Meter()
        for session in order:
            meter.session(session)
        (row,) = summed(meter, By.run).rows
        assert (row.key, row.standing, row.input) == (first.run, Standing.estimated, 30)


def test_a_sub_agent_is_paid_for_whenever_what_started_it_comes(tmp_path: Path) -> None:
    whole = read(stream(tmp_path / "one.jsonl", session_id(1), ["a"], "0.25"))
    child = structs.replace(read(small(2).write(tmp_path)), parent=whole.run)
    grandchild = structs.replace(read(small(3).write(tmp_path)), parent=child.run)
    circle = structs.replace(read(small(4).write(tmp_path)), parent=session_id(4))
    told: set[bytes] = set()
    for order in permutations([whole, child, grandchild, circle]):
        meter = Meter()
        for session in order:
            meter.session(session)
        told.add(json.encode(summed(meter, By.model)))
        total = summed(meter, By.run).total
        assert (total.requests, total.priced, total.unpriced, total.spent) == (7, 5, 2, 250_000)
    assert len(told) == 1


def test_a_request_without_a_time_is_a_copy_of_one_that_has_one(tmp_path: Path) -> None:
    session = read(small(1).write(tmp_path))
    timeless = structs.replace(
        keyed(read(small(2).write(tmp_path)), Standing.exact, copy_of=session),
        records=tuple(structs.replace(record, t=0) for record in session.records),
    )
    for order in permutations([session, timeless]):
        meter = Meter()
        for one in order:
            meter.session(one)
        assert [(row.key, row.requests) for row in summed(meter, By.day).rows] == [("2026-02-25", 2)]


def test_an_empty_model_is_an_unknown_one(tmp_path: Path) -> None:
    own = Ledger(write(tmp_path / "own.jsonl", chained({"t": DAY, "kind": "model_called",
                                                        "data": {"model": "", "segments": []}})))  # fmt: skip
    assert [row.key for row in usage([own], By.model).rows] == ["unknown"]
