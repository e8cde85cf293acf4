"""Ready-made tests for a fold or a ledger written in Python: subclass one, say how yours is called, run pytest.

    from accounting.conformance.suite import FoldSuite

    class TestMyFold(FoldSuite):
        def fold(self, ledger, run):
            return my_fold(ledger, run)

It needs pytest and hypothesis, which nothing else here imports together: `pip install 'rounds[conformance]' pytest`.
How many ledgers are generated is the hypothesis profile's to say; most laws take a fifth of its examples.
Page: docs/strategies.md.
"""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct, convert

from accounting.conformance.blame import blame
from accounting.conformance.cases import CheckCase, FoldCase, check_cases, fold_cases
from accounting.conformance.comparing import Difference, differences
from accounting.conformance.exact import exact_json
from accounting.conformance.reference import reference_answer
from accounting.conformance.strategies import (
    CorruptedLedger,
    SealedLedger,
    asked_ledgers,
    corrupted_ledgers,
    ledgers,
)
from accounting.ledger import check
from accounting.ledger.canonical import GENESIS
from accounting.ledger.checking.payloads import misfit
from accounting.ledger.line import DeepLine
from accounting.ledger.pick import CROSSING
from accounting.ledger.segments import segment_name, segments
from wire import RoundsAnswer, decode, encode
from wire.record.envelope import NEWEST_VERSION
from wire.record.kinds import TIMED, Kind
from wire.scalars import NIL_RUN, Json, JsonObject, RunId

_SHOWN: Final = 5
# A test that several classes inherit is one test to hypothesis, run by several executors: what one class failed, which
# a database keeps, would be asked of the others too.
_inherited: Final = settings(
    database=None, deadline=None, suppress_health_check=[HealthCheck.differing_executors, HealthCheck.too_slow]
)
# Beside the comparison with the reference, which sees nearly everything, a few examples do.
_few: Final = settings(_inherited, max_examples=max(1, settings().max_examples // 5))


class FoldSuite:
    """Tests of a fold: every published case, and properties over generated ledgers. Spec: rounds.md 2-4."""

    def fold(self, ledger: bytes, run: RunId) -> object:
        """The answer to one run of a ledger by the fold under test: JSON as a value or text, or a `RoundsAnswer`."""
        raise NotImplementedError(f"{type(self).__name__} has to define fold(ledger, run)")

    @pytest.mark.parametrize("case", fold_cases(), ids=lambda case: case.id)
    def test_published_case(self, case: FoldCase) -> None:
        """The answer to a published case is the one that stands beside it."""
        found = differences(case.expected, as_json(self.fold(case.ledger, case.run)))
        if found:
            raise AssertionError(_told(f"case {case.id}", case.about.rule, case.about.summary, found))

    @_inherited
    @given(asked_ledgers(sound=False))
    def test_answers_as_the_reference(self, asked: tuple[SealedLedger, RunId]) -> None:
        """Generated ledgers come to what the reference fold makes of them."""
        ledger, run = asked
        self._right(ledger.content, run)

    @_few
    @given(asked_ledgers(max_size=10))
    def test_prefix_law(self, asked: tuple[SealedLedger, RunId]) -> None:
        """I9: a ledger that grows line by line is answered rightly at every step."""
        ledger, run = asked
        content = b""
        for line in ledger.lines:
            content += line + b"\n"
            self._right(content, run)

    @_few
    @given(asked_ledgers(sound=False))
    def test_pure(self, asked: tuple[SealedLedger, RunId]) -> None:
        """I8: asked twice, and after something else, the answer is the same."""
        ledger, run = asked
        first = as_json(self.fold(ledger.content, run))
        self.fold(ledger.content, NIL_RUN)
        assert not differences(first, as_json(self.fold(ledger.content, run))), "I8: asked again, another answer"

    @_few
    @given(asked_ledgers())
    def test_other_runs(self, asked: tuple[SealedLedger, RunId]) -> None:
        """I8: lines of other runs change nothing, but for what waits and arrivals take from them."""
        ledger, run = asked
        records = zip(ledger.lines, ledger.records, strict=True)
        kept = b"".join(line + b"\n" for line, of in records if of["run"] == run or of["kind"] in CROSSING)
        found = differences(as_json(self.fold(kept, run)), as_json(self.fold(ledger.content, run)))
        assert not found, _told("lines of other runs were added", "I8", "they change nothing", found)

    @_few
    @given(asked_ledgers())
    def test_round_trip(self, asked: tuple[SealedLedger, RunId]) -> None:
        """I11: an answer is one on the wire, and reading and writing it again changes nothing."""
        answer = as_json(self.fold(asked[0].content, asked[1]))
        again = encode(decode(json.dumps(answer).encode(), RoundsAnswer))
        found = differences(answer, json.loads(again))
        assert not found, _told("the answer was read and written again", "I11", "nothing of it changes", found)

    def _right(self, ledger: bytes, run: RunId) -> None:
        found = differences(reference_answer(ledger, run), as_json(self.fold(ledger, run)))
        if found:
            broken = blame(found, ledger, run)
            raise AssertionError(
                _told(f"run {run} of\n{ledger.decode(errors='replace')}", broken.rule, broken.says, found)
            )


class LedgerSuite:
    """Tests of a ledger implementation: what it writes, what it reads, what its checker finds. Spec: ledger.md 1-8."""

    def append(self, ledger: Path, records: Sequence[JsonObject]) -> None:
        """Open the ledger at this path (a directory, which may not be there yet), append the records, and close it.

        A record has `v run t who kind data`, and `ig` where a reader may skip it; `seq` and `prev` are the writer's.
        """
        raise NotImplementedError(f"{type(self).__name__} has to define append(ledger, records)")

    def read(self, ledger: Path) -> Sequence[JsonObject]:
        """Every record of the ledger in file order, each with at least `v run seq t kind data`."""
        raise NotImplementedError(f"{type(self).__name__} has to define read(ledger)")

    def check(self, ledger: Path) -> Sequence[tuple[str, int]]:
        """The faults of the ledger at this path, a file or a directory: rule (docs/rules.md) and line, in order."""
        raise NotImplementedError(f"{type(self).__name__} has to define check(ledger)")

    @_few
    @given(ledgers(max_size=8), st.integers(0, 8))
    def test_what_is_appended_is_read(self, drawn: SealedLedger, first: int) -> None:
        """Records appended in two goes conform, and are read as they were, numbered from 0."""
        with tempfile.TemporaryDirectory() as folder:
            ledger = Path(folder) / "ledger"
            drafts = _drafts(drawn.records)
            for group in (drafts[:first], drafts[first:]):
                self.append(ledger, group)
            numbered = [draft | {"seq": seq} for seq, draft in enumerate(drafts)]
            assert _essence(self.read(ledger)) == _essence(numbered)
            if drawn.records:
                report = check(ledger)
                assert report.conforms, report.findings
                assert list(self.check(ledger)) == []

    @_few
    @given(ledgers(max_size=4).filter(lambda drawn: bool(drawn.records)), st.integers(1, 60))
    def test_a_torn_tail_is_cut_and_told(self, drawn: SealedLedger, torn: int) -> None:
        """ledger.md 7: the next writer cuts a torn tail and says so in a `log_truncated` line; a reader skips it."""
        records = _drafts(drawn.records)
        with tempfile.TemporaryDirectory() as folder:
            ledger = Path(folder) / "ledger"
            self.append(ledger, records)
            with segments(ledger)[-1].path.open("ab") as newest:
                newest.write(drawn.lines[0][:torn])
            assert len(self.read(ledger)) == len(records), "a torn tail is no record"
            self.append(ledger, records[:1])
            found = self.read(ledger)
            assert [record["kind"] for record in found[len(records) :]] == ["log_truncated", records[0]["kind"]]
            assert found[len(records)]["data"] == {"dropped_bytes": min(torn, len(drawn.lines[0]))}
            assert check(ledger).conforms

    @pytest.mark.parametrize("case", check_cases(), ids=lambda case: case.id)
    def test_published_case(self, case: CheckCase, tmp_path: Path) -> None:
        """The checker finds in a published case what stands beside it."""
        path = tmp_path / segment_name(0)
        path.write_bytes(case.ledger)
        expected = [(fault.code, fault.line) for fault in case.faults]
        found = list(self.check(path))
        assert found == expected, f"case {case.id} ({case.about.rule}): {case.about.summary}"

    @_inherited
    @given(corrupted_ledgers())
    def test_damage_is_found(self, damaged: CorruptedLedger) -> None:
        """One piece of damage is found where it was done; before it there was nothing to find."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / segment_name(0)
            path.write_bytes(damaged.sound)
            assert list(self.check(path)) == [], "a sound ledger"
            path.write_bytes(damaged.content)
            assert next(iter(self.check(path)), None) == (damaged.code, damaged.line), damaged.damage


def as_json(answer: object) -> Json:
    """An answer as a JSON value: text is read as a program's is, a Struct is what it travels as.

    Raises `ValueError` for text that is no JSON.
    """
    if isinstance(answer, str | bytes):
        return exact_json(answer.encode() if isinstance(answer, str) else answer)
    return cast("Json", json.loads(encode(answer)) if isinstance(answer, Struct) else answer)


def _told(where: str, rule: str, says: str, found: Sequence[Difference]) -> str:
    lines = [where, f"{rule}: {says}"]
    lines += [
        f"  {one.path or 'the answer'}: expected {json.dumps(one.expected)}, found {json.dumps(one.actual)}"
        for one in found[:_SHOWN]
    ]
    lines += [f"  and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
    return "\n".join(lines)


def _drafts(records: Sequence[JsonObject]) -> list[JsonObject]:
    """The records as a writer takes them: what does not read as its kind goes under a word that nobody knows."""
    drafts: list[JsonObject] = []
    for record in records:
        line = convert(record | {"prev": GENESIS, "who": "city"}, DeepLine)
        v = line.v if line.kind in TIMED else NEWEST_VERSION
        draft: JsonObject = {
            "v": v,
            "run": line.run,
            "t": line.t,
            "who": line.who,
            "kind": line.kind,
            "data": line.data,
        }
        known = line.kind in _KINDS and misfit(line) is None
        drafts.append(draft if known else draft | {"v": NEWEST_VERSION, "kind": "brand_new", "ig": True})
    return drafts


_KINDS: Final = frozenset(kind.value for kind in Kind)


def _essence(records: Sequence[JsonObject]) -> list[JsonObject]:
    return [{key: record[key] for key in ("v", "run", "seq", "t", "kind", "data")} for record in records]
