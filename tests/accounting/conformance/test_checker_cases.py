"""The published checker cases: our checker and the strict reader of naive.py keep them, and readers that err do not."""

import json
import sys
from collections import Counter
from inspect import getsource
from types import ModuleType
from typing import Any, Final

import pytest
from blake3 import blake3

from accounting.conformance.cases import CheckCase, check_cases
from accounting.ledger import verify
from accounting.ledger.checking import RULES
from tests.accounting.ledger.checking import naive
from wire import Severity

CASES: Final = check_cases()
OF_MORE_THAN_A_FILE: Final = {"unended-segment", "other-end"}
"""The faults that take several segments, or to be told what to expect."""
FAULTS: Final = {rule.code for rule in RULES if rule.severity is Severity.fault} - OF_MORE_THAN_A_FILE


@pytest.mark.invariant("C6")
@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_our_checker_finds_what_is_published(case: CheckCase) -> None:
    found = [(one.code, one.line) for one in verify(case.folder / "ledger.jsonl") if one.severity is Severity.fault]
    assert found == [(fault.code, fault.line) for fault in case.faults]


@pytest.mark.invariant("C6")
def test_a_strict_reader_stops_at_the_first_fault() -> None:
    assert _missed_by(naive) == []


def _missed_by(reader: ModuleType) -> list[str]:
    """The cases of which a reader in the manner of naive.py gives another first fault, or none."""
    return [case.id for case in CASES if _first(reader, case) != _published(case)]


def _published(case: CheckCase) -> tuple[str, int] | None:
    return (naive.step_of(case.faults[0].code), case.faults[0].line) if case.faults else None


def _first(reader: ModuleType, case: CheckCase) -> tuple[str, int] | None:
    found = reader.read([case.ledger])
    return (found.step, found.line) if hasattr(found, "step") else None


_AS_TEXT: Final = 'data.decode(errors="surrogateescape").splitlines()'
_SEQ_FIRST: Final = 'if record["seq"] != seq:\n        return "seq-gap"\n    if record["prev"] != prev:'
ERRING: Final = {
    "hashes the newline too": ("blake3(line)", 'blake3(line + b"\\n")'),
    "begins with another hash": ('prev, seq, lines, size, torn = "0" * 64', 'prev, seq, lines, size, torn = "f" * 64'),
    "takes the tail for a line": ("data.split(", '(data.removesuffix(b"\\n") + b"\\n").split('),
    "splits on every line end": (
        '*whole, tail = data.split(b"\\n")',
        f'*whole, tail = [*(one.encode(errors="surrogateescape") for one in {_AS_TEXT}), b""]',
    ),
    "takes off carriage returns": ("step(line, prev, seq)", 'step(line.rstrip(b"\\r"), prev, seq)'),
    "passes over empty lines": ("enumerate(whole, 1)", "enumerate(filter(None, whole), 1)"),
    "takes a byte order mark": ('errors="replace"', '"utf-8-sig", "replace"'),
    "mends what is not UTF-8": ("_spell(record) == line", '_spell(record) == line.decode(errors="replace").encode()'),
    "takes half a surrogate pair": (
        "    except UnicodeEncodeError:  # half of a surrogate pair\n        return False",
        "    except UnicodeEncodeError:\n        return True",
    ),
    "takes NaN": ("    raise ValueError(word)", "    return None"),
    "takes `true` for 1": ("isinstance(value, int) and not isinstance(value, bool)", "isinstance(value, int)"),
    "takes version 0": ('record["v"] < 1', 'record["v"] < 0'),
    "takes newer versions": ('record["v"] > 2', 'record["v"] > 2**32 - 1'),
    "takes no older version": ('record["v"] < 1', 'record["v"] < 2'),
    "compares hashes without case": ('record["prev"] != prev', 'record["prev"].lower() != prev'),
    "follows no chain": ('record["prev"] != prev', "False"),
    "does not count": ('record["seq"] != seq', "False"),
    "allows gaps": ('record["seq"] != seq', 'record["seq"] < seq'),
    "counts from 1": ('"0" * 64, 0, 0, 0, 0', '"0" * 64, 1, 0, 0, 0'),
    "counts before it follows the chain": ('if record["prev"] != prev:', _SEQ_FIRST),
    "takes any kind": ('record["kind"] not in Kind.__members__', "False"),
    "takes kinds without case": ('record["kind"] not in', 'record["kind"].lower() not in'),
    "misses a kind": ("not in Kind.__members__", 'not in Kind.__members__.keys() - {"skill_audited"}'),
    "skips where `ig` is anything": ('record.get("ig") is True', 'record.get("ig")'),
    "skips no line": ('None if record.get("ig") is True else "unknown-kind"', '"unknown-kind"'),
    "skips lines of known kinds": (
        'if record["kind"] not in Kind.__members__',
        'if record.get("ig") is True or record["kind"] not in Kind.__members__',
    ),
    "looks into what it skips": ('if record.get("ig") is True', 'if record.get("ig") and _canonical(line, record)'),
    "leaves the envelope open": (
        "_spell(record) == line",
        "_spell(record) == line or bool(set(record) - set(ENVELOPE))",
        "set(record) <= set(ENVELOPE)",
        "True",
    ),
    "takes capitals in a run": ('"[0-9a-f]{8}(-', '"(?i)[0-9a-f]{8}(-'),
    "takes a run without hyphens": ("{8}(-[0-9a-f]{4}){3}-", "{8}(-?[0-9a-f]{4}){3}-?"),
    "takes any address": ('is_address(record["addr"])', "True"),
    "takes a null address": ('"addr" not in record', 'record.get("addr") is None'),
    "takes control characters in an address": ('unicodedata.category(one) == "Cc"', "False"),
    "knows the control characters of ASCII only": ('unicodedata.category(one) == "Cc"', 'one < " " or one == "\\x7f"'),
    "knows the white space of ASCII only": ("part[-1].isspace()", 'part[-1] == " "'),
    "takes a segment that ends in a dot": ('not part.endswith(".")', 'part not in (".", "..")'),
    "takes a payload that is a list": ('isinstance(record["data"], dict)', 'isinstance(record["data"], dict | list)'),
    "takes `ig` when false": ('or record["ig"] is True', 'or isinstance(record["ig"], bool)'),
    "takes floats": (
        "not isinstance(value, Float | float)",
        "True",
        "    return Float()",
        "    return float(spelled)",
    ),
    "stops at i64": ("2**64 - 1\n", "2**63 - 1\n"),
    "counts in doubles": ("int(spelled[:30])", "int(float(spelled[:30]))"),
    "takes integers of any size": ("MINUS <= value <= TOP", "True"),
    "counts 127 containers": ("depth <= 126", "depth <= 127"),
    "counts 125 containers": ("depth <= 126", "depth <= 125"),
    "takes keys in any order": ("sort_keys=True", "sort_keys=False"),
    "escapes what is not ASCII": ("ensure_ascii=False", "ensure_ascii=True"),
    "takes any spelling": ("_spell(record) == line", "True"),
    "sorts the envelope": ("for key in ENVELOPE\n", "for key in sorted(ENVELOPE)\n"),
}  # fmt: skip
"""How a reader may err, and the pieces of naive.py that then read otherwise: each with what takes its place."""


@pytest.mark.parametrize("name", ERRING)
def test_a_reader_that_errs_is_caught(name: str) -> None:
    assert _missed_by(_erring(*ERRING[name]))


def _erring(*pieces: str) -> ModuleType:
    source = getsource(naive)
    for old, new in zip(pieces[::2], pieces[1::2], strict=True):
        assert old in source, old
        source = source.replace(old, new)
    module = ModuleType("erring")
    sys.modules["erring"] = module  # its named tuples ask for it
    exec(compile(source, "erring", "exec"), module.__dict__)
    return module


def test_the_page_of_faults_says_enough_to_go_on() -> None:
    assert [case.id for case in CASES if _told(case.ledger) != _faults(case)] == []


def test_what_only_that_page_says_is_told_as_a_choice() -> None:
    by_the_letter = {case.id for case in CASES if _told(case.ledger, exceptions=False) == _faults(case)}
    chosen = {
        case.id for case in CASES if "A choice: " in case.about.text and "*Going on after a fault*" in case.about.text
    }
    assert chosen == {case.id for case in CASES} - by_the_letter
    assert {case.id for case in CASES if case.id.startswith("check-going-on-")} <= chosen


def _faults(case: CheckCase) -> list[tuple[str, int]]:
    return [(naive.step_of(fault.code), fault.line) for fault in case.faults]


def _told(ledger: bytes, *, exceptions: bool = True) -> list[tuple[str, int]]:
    """All faults: what naive.py says of each line, going on as faults.md says, with its three exceptions or without."""
    found: list[tuple[str, int]] = []
    before, fails = "0" * 64, None
    """The line before as found, and what it fails."""
    due: int | None = 0
    """The number after its own."""
    numbers: set[int] | None = {0}
    """Those that the next line may have; any number when there are none."""
    left: dict[str, int | None] = {}
    """Lines that no line in order has gone on from: the hash, and the number after theirs."""
    for number, line in enumerate(ledger.split(b"\n")[:-1], 1):
        prev, seq = _claims(line)
        wanted, allowed = before, numbers
        if exceptions and prev in left:
            wanted, allowed = str(prev), _one(left[str(prev)])
        elif exceptions and fails and prev is not None:
            wanted = prev
        step = naive.step(
            line, wanted, seq if seq is not None and (not allowed or seq in allowed) else min(allowed or {0})
        )
        if step and not step == fails == "not-a-line":
            found.append((step, number))
        if step or prev != before:
            left[before] = due
        if not step:
            left.pop(str(prev), None)
        after = None if seq is None else seq + 1
        numbers = _one(after)
        if numbers and step and exceptions and due is not None:
            numbers |= {due, due + 1}
        before, due, fails = blake3(line).hexdigest(), after, step
    return found


def _one(number: int | None) -> set[int] | None:
    return None if number is None else {number}


def _claims(line: bytes) -> tuple[str | None, int | None]:
    """What a line has for `prev` and `seq`, where they read."""
    try:
        record: Any = json.loads(line.decode(errors="replace"))
    except ValueError:
        return None, None
    match record:
        case {"prev": str(prev), "seq": seq}:
            return prev, seq if type(seq) is int else None
        case {"seq": int(seq)}:
            return None, seq
        case _:
            return None, None


def test_every_fault_of_a_single_file_is_published() -> None:
    assert {fault.code for case in CASES for fault in case.faults} == FAULTS


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_a_case_is_what_its_name_says_and_small(case: CheckCase) -> None:
    sort = case.id.removeprefix("check-")
    codes = Counter(fault.code for fault in case.faults)
    if sort.startswith("accepted-"):
        assert case.conforms
    elif sort.startswith("two-faults-"):
        assert codes.total() == 2
    elif sort.startswith("going-on-"):
        assert codes.total() == 1
    else:
        [code] = codes.elements()
        assert sort.startswith(f"{code}-")
    assert case.conforms is not bool(case.faults)
    lines = case.ledger.count(b"\n")
    assert lines <= 5 or case.about.generated
    assert all(1 <= fault.line <= lines for fault in case.faults)
    assert case.about.rule.startswith("ledger.md ")
