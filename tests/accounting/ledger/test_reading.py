"""Reading a ledger: every spelling read alike, every damage contained and told with its place."""

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accounting.conformance.strategies import RUNS
from accounting.conformance.strategies.history import histories
from accounting.ledger import Ledger, NotALedgerError, Place, Problem, ProblemCode
from accounting.ledger import segments as segments_module
from accounting.ledger.record import LineReader
from accounting.views.rounds import read_rounds
from tests.compare import Plain, asked, fold, plain, record, same
from tests.lines import another_spelling, canonical, damage, read, write
from wire import Record
from wire.scalars import NIL_RUN as NIL

RUN = RUNS[0]
LINE: Plain = {"v": 2, "run": RUN, "seq": 0, "t": 5, "kind": "model_called", "data": {"model": "m"}}
HERE = Place(segment="x", line=1, offset=0)


def line(text: str | bytes) -> tuple[Record | None, list[Problem]]:
    """One line read by itself."""
    problems: list[Problem] = []
    data = text if isinstance(text, bytes) else text.encode()
    return LineReader(problems.append).read(data, HERE), problems


def with_data(data: str) -> str:
    return canonical(LINE | {"data": {}}).decode().replace('"data":{}', f'"data":{data}')


def codes(problems: list[Problem]) -> list[str]:
    return [problem.code.value for problem in problems]


def known(v: int) -> int:
    return min(v, 2)


@given(histories(), st.integers(0, 10**6), st.booleans())
def test_every_spelling_reads_alike(records: list[Plain], seed: int, spelled: bool) -> None:
    random = Random(seed)
    reader = LineReader(lambda problem: None)
    for plain_record in records:
        text = another_spelling(plain_record, random) if spelled else canonical(plain_record)
        found = reader.read(text, HERE)
        assert found is not None
        assert found == record(plain_record | {"v": known(plain_record["v"])})


@given(histories(max_size=12), st.integers(0, 10**6))
def test_the_quick_road_and_the_slow_one_agree(records: list[Plain], seed: int) -> None:
    random = Random(seed)
    for plain_record in records:
        text = canonical(plain_record) if random.random() < 0.5 else another_spelling(plain_record, random)
        text = damage(text, random) if random.random() < 0.7 else text
        quick: list[Problem] = []
        slow: list[Problem] = []
        by_quick = LineReader(quick.append).read(text, HERE)
        by_slow = LineReader(slow.append)._read_odd(text, HERE)  # pyright: ignore[reportPrivateUsage]
        assert quick == slow
        assert by_quick == by_slow or plain(by_quick) == plain(by_slow)


@given(histories(), st.integers(0, 10**6), st.sampled_from(RUNS))
def test_picking_one_run_changes_no_answer(tmp_path_factory: Any, records: list[Plain], seed: int, run: str) -> None:
    random = Random(seed)
    lines = [another_spelling(one, random) if random.random() < 0.3 else canonical(one) for one in records]
    path = write(tmp_path_factory.mktemp("ledger") / "file.jsonl", lines)
    picked = read_rounds(path, asked(run))
    expected = fold([one | {"v": known(one["v"])} for one in records], run)
    assert same(plain(picked.answer), plain(expected.answer))
    assert (picked.used, picked.outside, picked.passed) == (expected.used, expected.outside, expected.passed)
    everything = [(found, place) for found, place in read(path)[0] if found.run == run]
    assert [item for item in read(path, asked(run))[0] if item[0].run == run] == everything


@given(histories(), st.integers(0, 10**6), st.sampled_from(RUNS))
def test_damage_never_raises_and_never_hides_a_record(
    tmp_path_factory: Any, records: list[Plain], seed: int, run: str
) -> None:
    random = Random(seed)
    path = tmp_path_factory.mktemp("ledger") / "file.jsonl"
    path.write_bytes(damage(b"".join(canonical(one) + b"\n" for one in records), random))
    everything, problems = read(path)
    picked, _ = read(path, asked(run))
    assert [item for item in picked if item[0].run == run] == [item for item in everything if item[0].run == run]
    whole = path.read_bytes().split(b"\n")[:-1]
    assert len(everything) + sum(problem.seq is None for problem in problems) == len(whole)
    for _, place in everything:
        assert path.read_bytes()[place.offset :].startswith(whole[place.line - 1] + b"\n")


PIECES = st.sampled_from([b"x", b"yy", b"\n", b"\0", b"\0" * 9, b"\0" * 40])


def _few_zeros(data: bytes) -> bytes:
    return re.sub(b"\0+", b"\0", data)


@given(st.integers(1, 20), st.lists(PIECES, max_size=30))
def test_blocks_of_any_size_give_the_same_lines(size: int, pieces: list[bytes]) -> None:
    data = b"".join(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(segments_module, "BLOCK", size)
        blocks = list(segments_module.blocks(io.BytesIO(data)))
    found: list[tuple[int, bytes]] = []
    for block in blocks:
        assert block.whole == block.content.endswith(b"\n")
        stretch = data[block.offset : block.offset + block.size]
        assert _few_zeros(stretch) == _few_zeros(block.content)
        at = block.offset
        for one in block.content.split(b"\n")[: -1 if block.whole else None]:
            found.append((at, one))
            at += len(one) + 1
    *whole, tail = data.split(b"\n")
    expected: list[tuple[int, bytes]] = []
    at = 0
    for one in [*whole, *([tail.rstrip(b"\0")] if tail.rstrip(b"\0") else [])]:
        expected.append((at, one))
        at += len(one) + 1
    assert [at for at, _ in found] == [at for at, _ in expected]
    # Of zeros that fill a whole block one is kept: a line with a zero is no line anyway.
    assert [re.sub(b"\0+", b"\0", one) for _, one in found] == [re.sub(b"\0+", b"\0", one) for _, one in expected]
    assert [block.whole for block in blocks if not block.whole] in ([], [False])


needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="peak memory is read from /proc")


@needs_proc
def test_a_hole_of_zeros_costs_its_line_and_no_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        file.write(canonical(LINE) + b"\n" + b"torn")
        file.seek(300_000_000, 1)
        file.write(canonical(LINE | {"seq": 1}) + b"\n" + canonical(LINE | {"seq": 2}) + b"\n")
    done = subprocess.run([sys.executable, "-c", PEAK, str(path), RUN], check=True, capture_output=True, text=True)
    assert int(done.stdout) < 80
    found, problems = read(path)
    assert [(one.seq, place.line) for one, place in found] == [(0, 1), (2, 3)]
    last = canonical(LINE | {"seq": 2}) + b"\n"
    assert found[1][1].offset == path.stat().st_size - len(last)
    assert [(problem.code, problem.place and problem.place.line) for problem in problems] == [(ProblemCode.not_json, 2)]


# One line, one oddity each.

ODD = [
    ('{"a":1.5}', "float", "1.5 at data.a"),
    ('{"a":1.0}', "float", "1.0 at data.a"),
    ('{"a":[0,{"b":1e3}]}', "float", "1e3 at data.a[1].b"),
    ('{"a":1e400}', "float", "1e400 at data.a"),
    ('{"a":18446744073709551616}', "integer-range", "18446744073709551616 at data.a"),
    ('{"a":-9223372036854775809}', "integer-range", "-9223372036854775809 at data.a"),
    ('{"a":1,"b":2,"a":3}', "repeated-key", "a at data.a"),
    ('{"a":"x\\udcb2"}', "lone-surrogate", '"x\\udcb2" at data.a'),
    ('{"a":"\\ud83dA"}', "lone-surrogate", '"\\ud83dA" at data.a'),
    ('{"a":' + "[" * 126 + "]" * 126 + "}", "too-deep", None),
]


@pytest.mark.parametrize(("data", "code", "found"), ODD, ids=[row[0][:30] for row in ODD])
def test_an_oddity_is_read_and_reported(data: str, code: str, found: str | None) -> None:
    read_, problems = line(with_data(data))
    assert read_ is not None
    assert codes(problems) == [code]
    assert problems[0].seq == 0
    assert problems[0].place == HERE
    if found is not None:
        assert problems[0].found == found


@pytest.mark.parametrize(
    ("data", "value"),
    [
        ('{"a":"x\\udcb2y"}', {"a": "x\ufffdy"}),
        ('{"a":"\\ud83d\\ude00"}', {"a": "\U0001f600"}),
        ('{"a":1,"a":2}', {"a": 2}),
        ('{"a":18446744073709551615,"b":-9223372036854775808}', {"a": 2**64 - 1, "b": -(2**63)}),
        ('{"a":' + "[" * 125 + "]" * 125 + "}", None),
    ],
)
def test_what_an_oddity_reads_as(data: str, value: Plain | None) -> None:
    found, problems = line(with_data(data))
    assert found is not None
    if value is None:
        assert problems == []
    else:
        assert found.data == value


def depth(value: Any) -> int:
    count = 0
    while isinstance(value, list | dict):
        count += 1
        inner: Any = list(value.values()) if isinstance(value, dict) else value  # pyright: ignore
        value = inner[0] if inner else None
    return count


@pytest.mark.parametrize("written", [126, 127, 900, 901, 902, 100_000])
@pytest.mark.parametrize("brackets", ["[]", "{}"])
def test_nesting_reads_as_empty_past_900(written: int, brackets: str) -> None:
    inner = "[" * (written - 1) + "]" * (written - 1)
    if brackets == "{}":
        inner = '{"x":' * (written - 2) + "{}" + "}" * (written - 2)
    found, problems = line(with_data(f'{{"deep":{inner},"id":"c"}}'))
    assert found is not None
    assert found.data["id"] == "c"
    # A container past the 900th is there, and empty.
    assert depth(found.data) == min(written, 901)
    assert codes(problems) == ([] if written <= 126 else ["too-deep"])
    shown = plain(fold([LINE, LINE | {"seq": 1, "kind": "tool_called", "data": {"args": found.data}}], RUN).answer)
    opened, nested = ("[", "[") if brackets == "[]" else ("{", '"x": {')
    head = ["{", f'  "deep": {opened}', *("  " * level + nested for level in range(2, 12))]
    assert shown["turns"][0]["calls"][0]["arguments"]["head"] == "\n".join(head)


def test_bad_utf8_costs_only_the_bytes_concerned() -> None:
    text = with_data('{"a":"x@y"}').encode()
    found, problems = line(text.replace(b"@", b"\xff"))
    assert found is not None
    assert found.data == {"a": "x\ufffdy"}
    assert codes(problems) == ["bad-utf8"]
    assert problems[0].found == f"byte 0xff, {text.index(b'@')} bytes into the line"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "junk",
        "{",
        "[1]",
        "null",
        '"x"',
        with_data("{}")[:-1],
        with_data("{}") + "x",
        with_data("{}") + with_data("{}"),
        with_data('{"a":01}'),
        with_data('{"a":NaN}'),
        with_data('{"a":"\t"}'),
        with_data('{"a":"\\x"}'),
        with_data('{"a":1,}'),
        with_data('{"a":[1,]}'),
        with_data('{"a" 1}'),
        "\ufeff" + with_data("{}"),
        "\0" + with_data("{}"),
    ],
)
def test_no_json_object_is_no_record(text: str) -> None:
    found, problems = line(text)
    assert found is None
    assert len(problems) == 1
    assert problems[0].code in (ProblemCode.not_json, ProblemCode.not_a_record)
    assert problems[0].seq is None


UNUSABLE: list[tuple[str, list[Any]]] = [
    ("v", [0, -1, True, "2", None, 1.0, [2], {}]),
    ("run", [None, "", RUN.upper(), RUN + "\n", RUN.replace("-", ""), 7]),
    ("seq", [None, -1, 2**64, True, "0", 0.0]),
    ("t", [None, -1, 2**64, False, "0", 1.5]),
    ("kind", [None, 1, ["model_called"], True]),
    ("data", [None, [], "x", 1]),
]


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in UNUSABLE for value in values])
def test_a_field_that_is_not_usable_makes_no_record(key: str, value: Any) -> None:
    for text in (json.dumps(LINE | {key: value}), json.dumps({name: LINE[name] for name in LINE if name != key})):
        found, problems = line(text)
        assert found is None
        assert codes(problems) == ["not-a-record"]
        assert f"`{key}`" in problems[0].expected


@pytest.mark.parametrize("value", ["3", "4294967296", str(2**70), "1" * 5000])
def test_a_version_ahead_is_read_as_the_newest_known(value: str) -> None:
    found, problems = line(with_data("{}").replace('"v":2', f'"v":{value}'))
    assert found is not None
    assert found.v == 2
    assert "version-ahead" in codes(problems)


def test_what_a_view_does_not_need_may_be_missing_or_odd() -> None:
    assert line(json.dumps(LINE))[1] == []
    found, problems = line(json.dumps(LINE | {"prev": 1, "who": None, "addr": [], "ig": "yes"}))
    assert found is not None
    assert problems == []


def test_an_unknown_envelope_key_is_ignored_and_reported() -> None:
    found, problems = line(json.dumps(LINE | {"epoch": "future"}))
    assert found is not None
    assert codes(problems) == ["unknown-key"]


# Files: tails, padding, segments.


@pytest.mark.parametrize("tail", [b"", b"\0" * 5000, b'{"v":2', b'{"v":2\0\0\0', canonical(LINE | {"seq": 1})])
def test_the_tail_of_the_newest_segment_is_passed_over_in_silence(tmp_path: Path, tail: bytes) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(canonical(LINE) + b"\n" + tail)
    found, problems = read(path)
    assert [place.line for _, place in found] == [1]
    assert problems == []


def segment(folder: Path, first: int, content: bytes) -> None:
    (folder / f"ledger-{first:020d}.jsonl").write_bytes(content)


def test_segments_are_read_in_order_and_a_tear_in_an_older_one_is_told(tmp_path: Path) -> None:
    segment(tmp_path, 2, canonical(LINE | {"seq": 2}) + b"\n" + b"\0" * 9)
    segment(tmp_path, 0, canonical(LINE) + b"\n" + canonical(LINE | {"seq": 1})[:50])
    segment(tmp_path, 10, canonical(LINE | {"seq": 10}) + b"\ntorn")
    (tmp_path / "notes.txt").write_text("not a segment")
    found, problems = read(tmp_path)
    assert [one.seq for one, _ in found] == [0, 2, 10]
    assert codes(problems) == ["torn-tail"]
    place = problems[0].place
    assert place is not None
    assert (Path(place.segment).name, place.line, place.offset) == (
        "ledger-00000000000000000000.jsonl",
        2,
        len(canonical(LINE)) + 1,
    )


def test_a_problem_names_file_line_and_byte_offset(tmp_path: Path) -> None:
    lines = [canonical(LINE), b"junk", "é".encode(), canonical(LINE | {"seq": 1})]
    path = write(tmp_path / "a.jsonl", lines)
    _, problems = read(path)
    first = len(lines[0]) + 1
    assert [problem.place for problem in problems] == [
        Place(segment=str(path), line=2, offset=first),
        Place(segment=str(path), line=3, offset=first + 5),
    ]


@pytest.mark.parametrize("run", [None, RUN])
def test_lines_are_numbered_across_blocks(tmp_path: Path, run: str | None) -> None:
    others = [canonical(LINE | {"run": RUNS[1], "data": {"model": "x" * 900}})] * 700
    lines = [*others, canonical(LINE), b"junk", *others, canonical(LINE | {"seq": 1}), b"more junk"]
    path = write(tmp_path / "a.jsonl", lines)
    assert path.stat().st_size > 10 * segments_module.BLOCK
    found, problems = read(path, None if run is None else asked(run))
    assert [place.line for one, place in found if one.run == RUN] == [701, 1403]
    assert [problem.place and problem.place.line for problem in problems] == [702, 1404]
    counted: list[Problem] = []
    assert Ledger(path).run_ids(counted.append) == {RUNS[1]: 1400, RUN: 2}
    assert counted == problems


def test_lines_may_end_in_carriage_return_and_newline(tmp_path: Path) -> None:
    found, problems = read(write(tmp_path / "a.jsonl", [canonical(LINE)], end=b"\r\n"))
    assert len(found) == 1
    assert problems == []


def test_no_ledger_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(NotALedgerError, match="no ledger-"):
        Ledger(tmp_path)
    with pytest.raises(FileNotFoundError):
        Ledger(tmp_path / "missing")


def test_a_record_hidden_behind_another_runs_torn_line_is_told(tmp_path: Path) -> None:
    torn = canonical(LINE | {"run": RUNS[1], "data": {"text": "half"}})[:-4]
    path = write(tmp_path / "a.jsonl", [torn + canonical(LINE), canonical(LINE | {"seq": 1})])
    found, problems = read(path, asked(RUN))
    assert [one.seq for one, _ in found] == [1]
    assert codes(problems) == ["not-json"]


@pytest.mark.parametrize("later", [f'"run":"{RUN}"', f'"run":"{RUN}","x":{{}}', f'"r\\u0075n":"{RUN}"'])
def test_a_run_named_twice_in_a_line_is_the_last_one(tmp_path: Path, later: str) -> None:
    text = canonical(LINE | {"run": RUNS[1]})[:-1] + b"," + later.encode() + b"}"
    found, problems = read(write(tmp_path / "a.jsonl", [text]), asked(RUN))
    assert [one.run for one, _ in found] == [RUN]
    assert "repeated-key" in codes(problems)


def test_a_run_spelled_in_escapes_after_the_payload_is_read(tmp_path: Path) -> None:
    escaped = "".join(f"\\u{ord(character):04x}" for character in RUN)
    text = canonical(LINE | {"run": RUNS[1]})[:-1] + f',"run":"{escaped}"}}'.encode()
    found, problems = read(write(tmp_path / "a.jsonl", [text]), asked(RUN))
    assert [one.run for one, _ in found] == [RUN]
    assert codes(problems) == ["repeated-key"]


def test_another_runs_line_that_does_not_end_as_a_line_is_told(tmp_path: Path) -> None:
    cut = canonical(LINE | {"run": RUNS[1], "data": {"model": "m", "segments": []}})[:-3]
    _, problems = read(write(tmp_path / "a.jsonl", [cut, canonical(LINE)]), asked(RUN))
    assert codes(problems) == ["not-json"]


def test_one_problem_for_each_code_in_a_line() -> None:
    _, problems = line(with_data('{"a":1.5,"b":[2.5,3.5],"c":18446744073709551616}'))
    assert [(problem.code.value, problem.found) for problem in problems] == [
        ("float", "1.5 at data.a, and 2 more"),
        ("integer-range", "18446744073709551616 at data.c"),
    ]


def test_lines_that_cross_runs_are_picked_with_the_run(tmp_path: Path) -> None:
    letter = LINE | {"run": RUNS[1], "seq": 1, "kind": "signal_enqueued", "data": {"id": "s1"}}
    approval = LINE | {"run": NIL, "seq": 2, "kind": "approval_resolved", "data": {"id": "a"}}
    other = LINE | {"run": RUNS[1], "seq": 3}
    path = write(tmp_path / "a.jsonl", [canonical(one) for one in (LINE, letter, approval, other)])
    assert [one.seq for one, _ in read(path, asked(RUN))[0]] == [0, 1, 2]


PEAK = """
import sys
from accounting.views.rounds import read_rounds
rounds = read_rounds(sys.argv[1], sys.argv[2])
assert len(rounds.answer.turns) == 2, rounds
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(int(peak) // 1024)
"""


@needs_proc
def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    other = canonical(LINE | {"run": RUNS[1], "data": {"model": "x" * 4000}}) + b"\n"
    with path.open("wb") as file:
        file.write(canonical(LINE) + b"\n")
        for _ in range(100):
            file.write(other * 250)
        file.write(canonical(LINE | {"seq": 1}) + b"\n")
        file.truncate(file.tell() + (64 << 20))
    assert path.stat().st_size > 160_000_000
    done = subprocess.run([sys.executable, "-c", PEAK, str(path), RUN], check=True, capture_output=True, text=True)
    assert int(done.stdout) < 80


def test_a_line_of_fifty_megabytes_is_one_line(tmp_path: Path) -> None:
    long = LINE | {
        "seq": 1,
        "kind": "model_returned",
        "data": {"message": {"content": [{"kind": "text", "text": "y" * 50_000_000}]}},
    }
    path = write(tmp_path / "a.jsonl", [canonical(LINE), canonical(long), canonical(LINE | {"seq": 2})])
    turns = read_rounds(path, asked(RUN)).answer.turns
    assert len(turns) == 2
    assert turns[0].said is not None
    assert len(turns[0].said) == 50_000_000


@needs_proc
def test_a_very_odd_line_costs_no_memory_out_of_proportion(tmp_path: Path) -> None:
    odd = with_data('{"' + "k" * 200_000 + '":[' + ",".join(["0.5"] * 10_000) + "]}").encode()
    path = write(tmp_path / "a.jsonl", [canonical(LINE), odd.replace(b'"seq":0', b'"seq":1')])
    done = subprocess.run([sys.executable, "-c", PEAK, str(path), RUN], check=True, capture_output=True, text=True)
    assert int(done.stdout) < 80
    [problem] = read(path)[1]
    assert len(problem.found) < 300
    assert problem.found.endswith(", and 9999 more")


def test_a_value_that_is_no_record_is_told_briefly_however_deep() -> None:
    def called_from(frames: int, text: str) -> list[Problem]:
        return line(text)[1] if frames == 0 else called_from(frames - 1, text)

    deep = "[" * 900 + "]" * 900
    for text in (deep, with_data("{}").replace('"v":2', f'"v":{deep}')):
        [problem] = called_from(200, text)
        assert (problem.code, problem.found) == (ProblemCode.not_a_record, "a list")
