"""What the strategies promise: sound ledgers conform, damage is found where it was done, answers round-trip."""

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings

from accounting.conformance.strategies import (
    RUNS,
    CorruptedLedger,
    PlainRecord,
    SealedLedger,
    answers,
    corrupted_ledgers,
    ledgers,
    records,
    runs,
)
from accounting.ledger import verify
from wire import RoundsAnswer, Severity, decode, encode

EACH = settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def faults(folder: Path, content: bytes) -> list[tuple[str, int]]:
    """The faults of a file: rule and line."""
    path = folder / "ledger.jsonl"
    path.write_bytes(content)
    found = [finding for finding in verify(path) if finding.severity is Severity.fault]
    return [(finding.code, finding.line) for finding in found]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("strategies")


@pytest.mark.invariant("K7")
@EACH
@given(ledgers())
def test_a_sound_ledger_conforms(folder: Path, ledger: SealedLedger) -> None:
    assert faults(folder, ledger.content) == []
    assert [json.loads(line)["data"] for line in ledger.lines] == [record["data"] for record in ledger.records]


@pytest.mark.invariant("K7")
@EACH
@given(corrupted_ledgers())
def test_damage_is_found_where_it_was_done(folder: Path, ledger: CorruptedLedger) -> None:
    assert faults(folder, ledger.sound) == []
    assert faults(folder, ledger.content)[0] == (ledger.code, ledger.line), ledger.damage


@pytest.mark.soak
@pytest.mark.parametrize("damage", ["a line taken out", "keys that are not sorted"])
def test_damage_shrinks_to_two_lines(damage: str) -> None:
    found = smallest(corrupted_ledgers(), lambda ledger: ledger.damage == damage)
    assert found.sound.count(b"\n") == 2


@EACH
@given(answers())
def test_an_answer_is_one_on_the_wire(answer: RoundsAnswer) -> None:
    assert decode(encode(answer), RoundsAnswer) == answer


@EACH
@given(runs())
def test_a_run_is_one_run(drawn: list[PlainRecord]) -> None:
    assert all(record["run"] == RUNS[0] for record in drawn)
    seqs: list[Any] = [record["seq"] for record in drawn]
    assert seqs == sorted(set(seqs))


@EACH
@given(records(kinds=("tool_called", "tool_result")))
def test_a_record_is_of_the_kinds_asked_for(drawn: PlainRecord) -> None:
    assert drawn["kind"] in ("tool_called", "tool_result")
    assert list(drawn) == ["v", "run", "seq", "t", "kind", "data"]


def smallest(strategy: Any, condition: Callable[[Any], bool]) -> Any:
    """The smallest value that meets a condition."""
    quiet = settings(max_examples=4000, database=None, deadline=None)
    return find(strategy, condition, settings=quiet, random=Random(5))
