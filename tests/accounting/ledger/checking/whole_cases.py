"""Ledgers that break one rule each, of those that more than the spelling of a line decides."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from accounting.ledger.canonical import line_hash
from accounting.ledger.segments import segment_name
from tests.accounting.ledger.checking.build import BARE, OTHER, RUN, lines_of
from tests.compare import Plain

NO_OPTIONS: Final[Mapping[str, Any]] = MappingProxyType({})


class Whole(NamedTuple):
    """A ledger in which one rule is broken once, by the line `at` of the file `file`."""

    rule: str
    severity: str
    files: tuple[tuple[int, list[bytes]], ...]
    """The files by the number that each is named after; what ends without a newline is a tail."""
    expected: str
    found: str
    file: int = 0
    at: int = 0
    seq: int | None = None
    run: str | None = None
    options: Mapping[str, Any] = NO_OPTIONS


def _story(rule: str, severity: str, records: list[Plain], expected: str, found: str, run: str = RUN) -> Whole:
    """The last of these records breaks the rule."""
    at = len(records) - 1
    return Whole(rule, severity, ((0, ended(*records)),), expected, found, 0, at, at, run)


def ended(*records: Plain) -> list[bytes]:
    """Chained lines with their newlines."""
    return [line + b"\n" for line in lines_of(*records)]


def _called(id: str = "c", name: str = "dig", run: str = RUN) -> Plain:
    return {"run": run, "kind": "tool_called", "data": {"id": id, "name": name, "args": {}}}


def _returned(**data: Any) -> Plain:
    return {"kind": "model_returned", "data": {"message": {}, "calls": 0} | data}


STARTED: Plain = {"kind": "run_started"}
ASKED: Plain = {"kind": "model_called", "data": {"model": "m", "segments": []}}
ANSWERED: Plain = {"kind": "tool_result", "data": {"tool_use_id": "c", "name": "dig", "result": {}}}
FROZEN: Plain = {"kind": "run_frozen", "data": {"completion": "done"}}
SIX: Final = ended(*[BARE] * 6)
ENDS = [line_hash(line[:-1]) for line in SIX]
UNENDED = "a newline at the end of a segment that is not the newest"
CACHED = {"v": 1, "input_tokens": 9, "output_tokens": 0, "cache_read_tokens": 4, "cache_write_tokens": 6}

WHOLE = (
    Whole(
        "unended-segment", "fault", ((0, [*SIX[:2], SIX[2][:30]]), (3, SIX[3:])),
        UNENDED, "30 bytes after the last newline", 0, 2,
    ),
    Whole(
        "unended-segment", "fault", ((0, [*SIX[:2], SIX[2][:-1] + b"\0\0"]), (3, SIX[3:])),
        UNENDED, f"{len(SIX[2]) - 1} bytes after the last newline", 0, 2,
    ),
    Whole("other-end", "fault", ((0, SIX),), f"a last line of hash {ENDS[4]}", f"hash {ENDS[5]}", 0, 5,
        options={"expect_last": ENDS[4]}),
    Whole("other-end", "fault", ((0, SIX),), "a last line of seq 6", "seq 5", 0, 5, options={"expect_last": 6}),
    Whole("other-end", "fault", ((0, []),), "a last line of seq 0", "no line", options={"expect_last": 0}),
    Whole("other-end", "fault", ((0, []),), f"a last line of hash {ENDS[0]}", "no line",
        options={"expect_last": ENDS[0]}),
    Whole("seq-gap", "fault", ((0, SIX[:2]), (2, SIX[2:4])), "seq 4", "the ledger's end", 1, 2,
        options={"from_seq": 4}),
    _story("payload-shape", "warning", [STARTED, {"kind": "worktree_opened", "data": {"name": "x"}}],
        "a payload of worktree_opened", "Object missing required field `disk_bytes`"),
    _story("result-for-no-call", "warning", [_called(run=OTHER), ANSWERED],
        "the id of a call that the run made", "c"),
    _story("second-result", "warning", [_called(), ANSWERED, ANSWERED], "one result for the call", "another for c"),
    _story("call-reused", "warning", [_called(), _called("d"), _called()], "an id that awaits no answer", "c"),
    _story("returned-without-attempt", "warning", [STARTED, ASKED | {"run": OTHER}, _returned()],
        "a `model_called` of the run before it", "none"),
    _story("first-after-returned", "warning", [ASKED, _returned(first_at=1002)],
        "`first_at` up to the reply's own t, 1001", "1002"),
    _story("cache-above-input", "warning", [ASKED, _returned(usage=CACHED)],
        "cache parts of up to 9 tokens", "4 read and 6 written"),
    _story("turn-after-freeze", "warning", [FROZEN | {"run": OTHER}, FROZEN, ASKED],
        "no turn after the run's `run_frozen`", "model_called"),
    _story("second-freeze", "warning", [FROZEN, FROZEN | {"run": OTHER}, FROZEN], "one `run_frozen`", "another"),
    Whole("segment-name", "warning", ((0, SIX[:2]), (3, SIX[2:])), segment_name(2), segment_name(3), 1, 0, 2, RUN),
    Whole("segment-name", "warning", ((1, SIX),), segment_name(0), segment_name(1), 0, 0, 0, RUN),
    _story("time-backwards", "note", [{"t": 9}, {"t": 9, "run": OTHER}, {"t": 8}], "t from 9", "t 8"),
    _story("tool-name", "note", [_called(name="Dig it")], "[a-z0-9_]+", "Dig it"),
    _story("kind-skipped", "note", [STARTED, {"kind": "dug", "ig": True}], "a kind that is known", "dug"),
    Whole("torn-tail", "note", ((0, SIX[:2]), (2, [*SIX[2:4], SIX[4][:7] + b"\0"])), "a newline at the end",
        "7 bytes after the last newline", 1, 2),
    Whole("torn-tail", "note", ((0, [SIX[0][:-1]]),), "a newline at the end",
        f"{len(SIX[0]) - 1} bytes after the last newline"),
)  # fmt: skip
