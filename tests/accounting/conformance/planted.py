# pyright: basic
"""Folds with one mistake each: the plain fold of tests/naive_fold.py with one of its functions replaced."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import Any
from unittest.mock import patch

from accounting.conformance.subject import Answered, Crashed, Reply
from tests import naive_fold
from tests.naive_fold import Record, naive
from wire.scalars import RunId

Json = Any
NAIVE: dict[str, Any] = dict(vars(naive_fold))
"""The functions as they are."""


def lines_of(ledger: bytes) -> list[bytes]:
    return ledger.split(b"\n")[:-1]


def loaded(line: bytes) -> Json:
    return json.loads(line)


def usable(record: Json) -> bool:
    """rounds.md 0: a record, for a view."""
    if not isinstance(record, dict):
        return False
    found: Record = record  # pyright: ignore[reportUnknownVariableType]
    numbers = (
        naive_fold.is_int(found.get("v"), 1, 10**400) and naive_fold.is_int(found.get("seq"), 0, naive_fold.U64)
    ) and naive_fold.is_int(found.get("t"), 0, naive_fold.U64)
    words = naive_fold.matches(naive_fold.RUN_ID, found.get("run")) and isinstance(found.get("kind"), str)
    return numbers and words and isinstance(found.get("data"), dict)


def whole(value: Json) -> Json:
    """Halves of surrogate pairs replaced."""
    text = json.dumps(value, ensure_ascii=False)
    return json.loads(re.sub("[\ud800-\udfff]", "\ufffd", text)) if re.search("[\ud800-\udfff]", text) else value


def records_of(ledger: bytes) -> list[Record]:
    found: list[Record] = []
    for line in lines_of(ledger):
        try:
            record = whole(loaded(line))
        except ValueError:
            continue
        if usable(record):
            found.append(record)
    return found


def folded(ledger: bytes, run: str) -> Json:
    answer: Json = naive(records_of(ledger), run)["answer"]
    return answer


class Planted:
    """A subject that is a function."""

    def __init__(self, fold: Callable[[bytes, str], Json] = folded) -> None:
        self._fold = fold

    def fold(self, ledger: bytes, run: RunId) -> Reply:
        begun = perf_counter()
        try:
            answer = self._fold(ledger, run)
        except Exception as error:  # noqa: BLE001 - it is the subject that died
            return Crashed(how=repr(error), stderr="")
        return Answered(answer=answer, took_us=int((perf_counter() - begun) * 1e6))

    def check(self, ledger: bytes) -> Reply:
        raise NotImplementedError

    def close(self) -> None:
        pass


@contextmanager
def planted(name: str) -> Iterator[None]:
    """The fold with one mistake, while this is open."""
    of, change, _, _ = BUGS[name]
    module = (
        "tests.accounting.conformance.planted"
        if of in ("lines_of", "loaded", "usable", "whole", "folded", "records_of")
        else "tests.naive_fold"
    )
    with patch(f"{module}.{of}", change):
        yield


def by_position(given: list[Record], run: str) -> dict[int, int]:
    """Results by their place among the results."""
    calls, results = naive_fold.calls_of(given, run), naive_fold.of_kind(given, run, "tool_result")
    return {call: result for call, result in zip(calls, results, strict=False) if call < result}


def answers(
    given: list[Record],
    run: str,
    *,
    last: bool = False,
    overwrite: bool = False,
    nameless: bool = False,
    early: bool = False,
    within_turn: bool = False,
    first_only: bool = False,
) -> dict[int, int]:
    """Rule 3 with a mistake."""
    found: dict[int, int] = {}
    for result in naive_fold.of_kind(given, run, "tool_result"):
        awaited = given[result]["data"].get("tool_use_id")
        calls = naive_fold.calls_of(given, run)
        if first_only:
            calls = calls[:1]
        for call in reversed(calls) if last else calls:
            named = given[call]["data"].get("id")
            same = named == awaited and isinstance(named, str) and (not nameless or named != "")
            same = same and (
                not within_turn or naive_fold.turn_at(given, run, call) == naive_fold.turn_at(given, run, result)
            )
            if (early or call < result) and same and (overwrite or call not in found):
                found[call] = result
                break
    return found


def changed(name: str, fix: Callable[[Json], Json]) -> Callable[..., Json]:
    """The function with something done to what it returns."""
    return lambda *args, **rest: fix(NAIVE[name](*args, **rest))


def given_less(name: str, at: int, fix: Callable[[Json], Json]) -> Callable[..., Json]:
    """The function with something done to an argument."""

    def call(*args: Json, **rest: Json) -> Json:
        given = list(args)
        if at < len(given):
            given[at] = fix(given[at])
        return NAIVE[name](*given, **rest)

    return call


def bounded_by(split: Callable[[str], list[str]], blank: Callable[[str], bool]) -> Callable[..., Json]:
    def bounded(text: str, pin: str | None = None) -> Json:
        if blank(text):
            return None
        lines = split(text)
        return {"head": "\n".join(lines[:12]), "cut": len(lines[12:]), "pinned": pin}

    return bounded


def rightly(text: str) -> list[str]:
    *ended, last = text.split("\n")
    return [line.removesuffix("\r") for line in ended] + ([last] if last else [])


def white(text: str) -> bool:
    return all(char in naive_fold.WHITE_SPACE for char in text)


def zeros(used: Json) -> Json:
    return used and {key: value or 0 for key, value in used.items()}


def first_reply(given: list[Record], run: str, turn: int) -> int | None:
    replies = [
        at for at in naive_fold.of_kind(given, run, "model_returned") if naive_fold.turn_at(given, run, at) == turn
    ]
    return replies[0] if replies else None


def next_reply(given: list[Record], run: str, turn: int) -> int | None:
    """The reply by count: the n-th reply to the n-th turn."""
    at = naive_fold.of_kind(given, run, "model_called").index(turn)
    replies = naive_fold.of_kind(given, run, "model_returned")
    return replies[at] if at < len(replies) else None


def null_error_succeeds(given: list[Record], at: int, answer: int | None, landing: str | None) -> Record:
    if answer is not None and given[answer]["data"].get("error", 0) is None:
        data = {key: value for key, value in given[answer]["data"].items() if key != "error"}
        given = [*given]
        given[answer] = given[answer] | {"data": data}
    shape: Record = NAIVE["call_shape"](given, at, answer, landing)
    return shape


def exit_fails(given: list[Record], at: int, answer: int | None, landing: str | None) -> Record:
    shape: Record = NAIVE["call_shape"](given, at, answer, landing)
    return shape | ({"outcome": "failed"} if shape["exit_code"] else {})


def restart_measured(given: list[Record], at: int, answer: int | None, landing: str | None) -> Record:
    shape: Record = NAIVE["call_shape"](given, at, answer, landing)
    measured = all(naive_fold.moment(given[one]) is not None for one in (at, answer) if one is not None)
    return shape | {"timing": "measured" if measured else "unmeasured"}


def letter(given: list[Record], at: int, *, reach: int = 4096, newest: bool = True) -> Record | None:
    for earlier in reversed(given[:at]) if newest else given[:at]:
        if earlier["kind"] == "signal_enqueued" and earlier["data"].get("id") == given[at]["data"]["id"]:
            return earlier if given[at]["seq"] - earlier["seq"] <= reach else None
    return None


def any_run_approves(given: list[Record], at: int) -> int | None:
    asked = given[at]["data"].get("id")
    for later in given[at + 1 :]:
        if (
            later["kind"] == "approval_resolved"
            and isinstance(asked, str)
            and asked
            and later["data"].get("id") == asked
        ):
            return int(later["t"])
    return None


def by_time(ledger: bytes) -> list[Record]:
    return sorted(NAIVE_RECORDS(ledger), key=lambda record: record["t"])


NAIVE_RECORDS, NAIVE_USABLE = records_of, usable


def first_landing(given: list[Record], run: str, letters: Mapping[int, int], call: int) -> str | None:
    for at, taken in letters.items():
        for landed in naive_fold.of_kind(given, run, "signal_landed"):
            where = naive_fold.word(given[landed]["data"].get("landing"), "delivered knocked queued")
            if (
                taken == call
                and at < landed
                and given[landed]["data"].get("signal") == given[at]["data"]["id"]
                and where
            ):
                return where
    return None


def last_opening(given: list[Record], run: str, names: Json) -> Json:
    starts = naive_fold.of_kind(given, run, "run_started")
    return NAIVE["opening_shape"](given[starts[-1] :] if starts else given, run, names)


def last_closing(given: list[Record], run: str) -> Json:
    ends = naive_fold.of_kind(given, run, "run_frozen")
    return NAIVE["closing_shape"](given[ends[-1] :] if ends else given, run)


def note_of_everything(record: Record) -> Json:
    found = NAIVE["note"](record)
    steers = record["kind"] == "watchdog_fired" and record["data"].get("action") in ("steer", "switch", "freeze")
    return {"unreadable": {"cause": "WatchdogFired: ", "at": record["seq"]}} if steers and found is None else found


def no_unreadable(record: Record) -> Json:
    found = NAIVE["note"](record)
    return None if found is not None and "unreadable" in found else found


def summed_used(usage: Json) -> Json:
    found = NAIVE["used"](usage)
    if found and usage.get("v") == 1:
        found["input"] += (found["cached"] or 0) + (found["cache_write"] or 0)
    return found


def older_as_written(usage: Json) -> Json:
    return NAIVE["used"](usage | {"v": 1} if isinstance(usage, dict) and usage.get("v") is None else usage)


def each_count_alone(usage: Json) -> Json:
    if not isinstance(usage, dict):
        return None
    read: Record = {
        key: value for key, value in usage.items() if "cache" not in key or naive_fold.u64(value) is not None
    }  # pyright: ignore
    return NAIVE["used"](read)


def spoken_with(joint: str) -> Callable[..., Json]:
    def spoken(message: Json, kind: str) -> str | None:
        blocks = [
            block
            for block in naive_fold.a_list(naive_fold.inside(message, "content")) or []
            if naive_fold.inside(block, "kind") == kind
        ]
        parts = [part for block in blocks if (part := naive_fold.text(naive_fold.inside(block, kind))) is not None]
        return joint.join(parts) if parts else None

    return spoken


def by_utf16(value: Json, newline: str, step: str, colon: str) -> str:
    if isinstance(value, dict):
        found: Record = value  # pyright: ignore[reportUnknownVariableType]
        deeper = newline + step
        keys = sorted(found, key=lambda key: key.encode("utf-16-be"))
        parts = [deeper + naive_fold.quoted(key) + colon + by_utf16(found[key], deeper, step, colon) for key in keys]
        return "{" + ",".join(parts) + newline + "}" if parts else "{}"
    return str(NAIVE["json_text"](value, newline, step, colon))


def as_written(value: Json, newline: str, step: str, colon: str) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2 if step else None, separators=(",", colon))


def ascii_only(text: str) -> str:
    return json.dumps(text)


def number_as_text(value: Json) -> str | None:
    return value if isinstance(value, str) else str(value) if type(value) is int else None


def own_exit_code_first(data: Record) -> int | None:
    own = data.get("exit_code")
    code: int | None = own if naive_fold.is_int(own, -(2**63), 2**63 - 1) else NAIVE["exit_code"](data)
    return code


def any_pin(result: Json) -> Json:
    entries = naive_fold.a_list(naive_fold.inside(result, "sieve")) or []
    found = [pin for entry in entries if naive_fold.is_locator(pin := naive_fold.inside(entry, "original"))]
    return NAIVE["pinned"](result) or (found[0] if found else None)


def offload_first(result: Json) -> Json:
    sieve, offload = (naive_fold.inside(result, key) for key in ("sieve", "offload"))
    return NAIVE["pinned"]({"sieve": offload, "offload": sieve})


def without_retriable(data: Record) -> Record:
    return {key: value for key, value in data.items() if key != "retriable"}


def without_gate(shape: Json) -> Json:
    return None if shape and "gate" in shape else shape


def any_commit(record: Record) -> Json:
    oid = record["data"].get("oid")
    fits = record["kind"] == "checkpoint_committed" and naive_fold.matches("[0-9a-f]{40}", oid)
    return oid if fits else None


def first_readable_worktree(given: list[Record], run: str) -> str | None:
    names = [naive_fold.text(given[at]["data"].get("name")) for at in naive_fold.of_kind(given, run, "worktree_opened")]
    return next((name for name in names if name is not None), None)


def or_the_first_turn(given: list[Record], run: str, at: int) -> Json:
    turn = NAIVE["turn_at"](given, run, at)
    return next(iter(naive_fold.of_kind(given, run, "model_called")), None) if turn is None else turn


def first_key(value: Json) -> Json:
    return NAIVE["effect"](dict(list(value.items())[:1]) if isinstance(value, dict) else value)


def also_version_0(record: Json) -> bool:
    return NAIVE_USABLE(record | ({"v": 1} if record.get("v") == 0 else {})) if isinstance(record, dict) else False


def up_to_a_blank_line(ledger: bytes) -> list[bytes]:
    first, blank, _ = ledger.partition(b"\n\n")
    return first.split(b"\n") if blank else first.split(b"\n")[:-1]


def by_splitlines(ledger: bytes) -> list[bytes]:
    return [line.encode() for line in ledger.decode(errors="replace").splitlines()]


def run_in_lower_case(line: bytes) -> Json:
    return json.loads(line.replace(line[14:50], line[14:50].lower(), 1))


Bug = tuple[str, Callable[..., Any], tuple[str, ...], int]
"""Which function, what instead, the rules that may be named, and how many lines the smallest ledger may have."""

BUGS: dict[str, Bug] = {
    "pairs results by position": ("answers_of", by_position, ("rounds.md 3.3",), 4),
    "the latest awaiting call is answered": (
        "answers_of",
        lambda g, r: answers(g, r, last=True),
        ("rounds.md 3.3",),
        5,
    ),
    "a second answer overwrites": ("answers_of", lambda g, r: answers(g, r, overwrite=True), ("rounds.md 3.3",), 5),
    "an empty id is none": ("answers_of", lambda g, r: answers(g, r, nameless=True), ("rounds.md 3.3",), 4),
    "a result may come before its call": ("answers_of", lambda g, r: answers(g, r, early=True), ("rounds.md 3.3",), 4),
    "a result answers within its turn only": (
        "answers_of",
        lambda g, r: answers(g, r, within_turn=True),
        ("rounds.md 3.3",),
        5,
    ),
    "only the first call is ever answered": (
        "answers_of",
        lambda g, r: answers(g, r, first_only=True),
        ("rounds.md 3.3",),
        6,
    ),
    "a null error is a success": ("call_shape", null_error_succeeds, ("rounds.md 3.3",), 4),
    "an exit code other than 0 is a failure": ("call_shape", exit_fails, ("rounds.md 3.3",), 4),
    "an answer after a restart is measured": ("call_shape", restart_measured, ("rounds.md 3 timing",), 4),
    "lines of output split on splitlines": (
        "bounded",
        bounded_by(str.splitlines, white),
        ("rounds.md 2 bounded", "rounds.md 2 output", "rounds.md 2 arguments"),
        4,
    ),
    "blank by str.strip": ("bounded", bounded_by(rightly, lambda text: not text.strip()), ("rounds.md 2 bounded",), 4),
    "a carriage return stays": (
        "bounded",
        bounded_by(lambda text: text.removesuffix("\n").split("\n"), white),
        ("rounds.md 2 bounded",),
        4,
    ),
    "every carriage return at an end goes": (
        "bounded",
        bounded_by(lambda text: [line.rstrip("\r") for line in rightly(text)], white),
        ("rounds.md 2 bounded",),
        4,
    ),
    "a final newline opens a line": (
        "bounded",
        bounded_by(lambda text: [line.removesuffix("\r") for line in text.split("\n")], white),
        ("rounds.md 2 bounded",),
        4,
    ),
    "ten lines are kept": ("OUTPUT_LINES", 10, ("rounds.md 2 bounded", "rounds.md 2 arguments"), 3),  # type: ignore[dict-item]
    "empty text is output": ("bounded", bounded_by(rightly, lambda _: False), ("rounds.md 2 bounded",), 4),
    "zero for what is absent": ("used", changed("used", zeros), ("ledger.md 6 usage",), 3),
    "caches summed onto a whole prompt": ("used", summed_used, ("ledger.md 6 usage",), 3),
    "older usage taken as written": ("used", older_as_written, ("ledger.md 6 usage",), 3),
    "each count reads alone": ("used", each_count_alone, ("ledger.md 6 usage",), 3),
    "records in order of time": ("records_of", by_time, ("ledger.md 1 t",), 4),
    "the first reply stands": ("reply_of", first_reply, ("rounds.md 3.4",), 4),
    "replies by count": ("reply_of", next_reply, ("rounds.md 3.4",), 4),
    "numbers that are text": ("text", number_as_text, (), 4),
    "true is a number": ("is_int", lambda value, low, high: isinstance(value, int) and low <= value <= high, (), 4),
    "numbers past 2^53 are lost": (
        "u64",
        changed("u64", lambda value: value and (value if value < 2**53 else None)),
        (),
        4,
    ),
    "integers of 64 bits signed": (
        "u64",
        changed("u64", lambda value: value if value is None or value < 2**63 else None),
        (),
        4,
    ),
    "version 1 lines are measured": (
        "moment",
        lambda record: record["t"] if record["kind"] in naive_fold.MOMENTS else None,
        ("rounds.md 3 timing", "rounds.md 3.4"),
        3,
    ),
    "every kind is measured": (
        "moment",
        lambda record: record["t"] if record["v"] > 2 else None,
        ("rounds.md 3 timing", "rounds.md 3.4"),
        3,
    ),
    "text blocks joined by nothing": ("spoken", spoken_with(""), ("rounds.md 2 said", "rounds.md 2 thought"), 3),
    "text blocks joined by a blank line": (
        "spoken",
        spoken_with("\n\n"),
        ("rounds.md 2 said", "rounds.md 2 thought"),
        3,
    ),
    "thinking is speech": (
        "spoken",
        lambda message, kind: NAIVE["spoken"](message, "text"),
        ("rounds.md 2 thought",),
        3,
    ),
    "keys sorted by UTF-16": ("json_text", by_utf16, ("rounds.md 2 arguments", "rounds.md 2 output"), 4),
    "keys as written": ("json_text", as_written, ("rounds.md 2 arguments", "rounds.md 2 output"), 4),
    "JSON text escaped to ASCII": ("quoted", ascii_only, ("rounds.md 2 arguments", "rounds.md 2 output"), 4),
    "arguments always shown": (
        "arguments",
        lambda value: naive_fold.bounded(naive_fold.json_text(value, "\n", "  ", ": ")),
        ("rounds.md 2 arguments",),
        3,
    ),
    "the payload's own exit code first": ("exit_code", own_exit_code_first, ("rounds.md 2 exit_code",), 4),
    "pins from any entry": ("pinned", any_pin, ("rounds.md 2 pinned",), 4),
    "offload before sieve": ("pinned", offload_first, ("rounds.md 2 pinned",), 4),
    "any locator will do": (
        "is_locator",
        lambda value: isinstance(value, str) and value.startswith(("cas:", "file:")),
        (),
        4,
    ),
    "any text is an address": ("is_address", lambda value: isinstance(value, str) and value != "", (), 4),
    "any code will do": ("word", lambda value, words: value if isinstance(value, str) else None, (), 5),
    "a gate spoils an error": (
        "error_shape",
        changed("error_shape", without_gate),
        ("ledger.md 5", "rounds.md 3.5", "rounds.md 2 note"),
        3,
    ),
    "retriable is not known": (
        "error_shape",
        given_less("error_shape", 0, without_retriable),
        ("ledger.md 5", "rounds.md 2 note", "rounds.md 3.5"),
        3,
    ),
    "notes that do not read are dropped": ("note", no_unreadable, ("rounds.md 3.5", "rounds.md 2 note"), 3),
    "every watchdog line is a note": ("note", note_of_everything, ("rounds.md 3.5",), 3),
    "any run approves": ("approved", any_run_approves, ("rounds.md 3 waits",), 4),
    "the oldest letter of an id": (
        "letter_of",
        lambda given, at: letter(given, at, newest=False),
        ("rounds.md 3 arrivals",),
        5,
    ),
    "letters from any distance": (
        "letter_of",
        lambda given, at: letter(given, at, reach=10**20),
        ("rounds.md 3 arrivals",),
        10,
    ),
    "letters from 4095 at most": (
        "letter_of",
        lambda given, at: letter(given, at, reach=4095),
        ("rounds.md 3 arrivals",),
        4,
    ),
    "the first landing stands": ("landing_of", first_landing, ("rounds.md 3 landings",), 6),
    "no landings": ("landing_of", lambda *_: None, ("rounds.md 3 landings",), 5),
    "the last run_started opens": ("opening_shape", last_opening, ("rounds.md 3 opening",), 3),
    "the last run_frozen closes": ("closing_shape", last_closing, ("rounds.md 3 closing",), 3),
    "a job is a commit": ("commit", any_commit, (), 3),
    "the first worktree that reads": ("worktree_name", first_readable_worktree, ("rounds.md 3 worktree",), 3),
    "calls before the first turn are kept": ("turn_at", or_the_first_turn, (), 4),
    "lines of the file by splitlines": ("lines_of", by_splitlines, ("ledger.md 1",), 4),
    "the torn tail is read": ("lines_of", lambda ledger: ledger.split(b"\n"), ("rounds.md 0",), 2),
    "runs in capitals are runs": ("loaded", run_in_lower_case, ("rounds.md 0",), 2),
    "version 0 is a version": ("usable", also_version_0, (), 2),
    "a blank line ends the file": ("lines_of", up_to_a_blank_line, (), 4),
    "effects with more keys": ("effect", first_key, ("rounds.md 2 effect",), 3),
}
