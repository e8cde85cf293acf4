"""From where two answers differ, and the ledger, to the rule that is broken."""

import json
from typing import Any

import pytest

from accounting.conformance.blame import RULES, blame
from accounting.conformance.cases import fold_cases
from accounting.conformance.comparing import differences
from accounting.conformance.reference import reference_answer
from accounting.conformance.sealing import sealed
from tests.compare import asked
from wire.scalars import JsonObject

RUN = asked("0aaaaaaa-0000-4000-8000-00000000000a")
CALL: JsonObject = {"at": 1, "outcome": "answered", "answered": 5, "output": {"head": "x", "cut": 0}}
TURN: JsonObject = {"opened": 0, "number": 1, "said": "hi", "calls": [CALL], "notes": []}
ANSWER: JsonObject = {"run": RUN, "turns": [TURN], "worktree": "wt"}


def ledger(*kinds: str, times: tuple[int, ...] = (), data: Any = None) -> bytes:
    of = zip(kinds, times or range(len(kinds)), strict=True)
    return sealed({"v": 2, "run": RUN, "t": t, "kind": kind, "data": data or {}} for kind, t in of)


def changed(path: str, value: Any) -> JsonObject:
    """The answer with one value changed; `None` takes it out."""
    answer: Any = json.loads(json.dumps(ANSWER))
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    place = answer
    for step in way:
        place = place[step]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return answer  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("path", "value", "rule"),
    [
        ("turns.0", None, "rounds.md 3.1"),
        ("turns.0.opened", 3, "rounds.md 3.1"),
        ("turns.0.calls.0", None, "rounds.md 3.2"),
        ("turns.0.notes", [{"waiting": {"at": 4}}], "rounds.md 3.5"),
        ("turns.0.calls.0.outcome", "waiting", "rounds.md 3.3"),
        ("turns.0.calls.0.outcome", "failed", "rounds.md 3.3"),
        ("turns.0.calls.0.answered", 6, "rounds.md 3.3"),
        ("turns.0.calls.0.output.cut", 1, "rounds.md 2 bounded"),
        ("turns.0.calls.0.output.pinned", "x", "rounds.md 2 pinned"),
        ("turns.0.calls.0.landing", "queued", "rounds.md 3 landings"),
        ("turns.0.calls.0.newer", 1, "rounds.md 1 Turn"),
        ("turns.0.said", "ho", "rounds.md 2 said"),
        ("turns.0.used", {"input": 0}, "ledger.md 6 usage"),
        ("worktree", None, "rounds.md 3 worktree"),
        ("newer", 1, "rounds.md 1"),
        ("run", "", "rounds.md 1"),
    ],
)
def test_by_place(path: str, value: Any, rule: str) -> None:
    found = differences(ANSWER, changed(path, value))
    assert blame(found, ledger("model_called", "tool_called"), RUN).rule == rule


def test_what_is_not_there_comes_before_what_is_in_it() -> None:
    """A turn too few shifts the fields of all after it."""
    second: JsonObject = {**TURN, "opened": 4, "said": "ho"}
    found = differences({**ANSWER, "turns": [TURN, second]}, {**ANSWER, "turns": [second]})
    assert [one.path for one in found] == ["turns[0].opened", "turns[0].said", "turns[1]"]
    assert blame(found, ledger("model_called"), RUN).rule == "rounds.md 3.1"


def test_what_comes_of_the_order_of_times() -> None:
    """Times decide only where the differences are those that an order by time makes."""
    asked_model: JsonObject = {"v": 2, "run": RUN, "t": 9, "kind": "model_called", "data": {"model": "m"}}
    asked_tool: JsonObject = {"v": 2, "run": RUN, "t": 3, "kind": "tool_called", "data": {"id": "c", "name": "x"}}
    text = sealed((asked_model, asked_tool))
    right = reference_answer(text, RUN)
    without: Any = json.loads(json.dumps(right))
    without["turns"][0]["calls"] = []  # sorted, the call comes before any turn
    assert blame(differences(right, without), text, RUN).rule == "ledger.md 1 t"
    renamed: Any = json.loads(json.dumps(right).replace('"x"', '"y"'))
    assert blame(differences(right, renamed), text, RUN).rule != "ledger.md 1 t"


def test_other_line_breaks_are_there_for_a_reason() -> None:
    found = differences(ANSWER, changed("turns.0", None))
    assert blame(found, ledger("model_called", data={"model": "a\u2028b"}), RUN).rule == "ledger.md 1"


def test_lines_that_are_not_sealed_are_there_for_a_reason() -> None:
    found = differences(ANSWER, changed("turns.0", None))
    assert blame(found, ledger("model_called") + b"null\n", RUN).rule == "rounds.md 0"
    assert blame(found, ledger("model_called")[:-1], RUN).rule == "rounds.md 0"


def test_output_of_text_and_of_other_values() -> None:
    found = differences(ANSWER, changed("turns.0.calls.0.output.head", "y"))
    assert blame(found, ledger("tool_result", data={"result": "x\r"}), RUN).rule == "rounds.md 2 bounded"
    assert blame(found, ledger("tool_result", data={"result": {"a": 1}}), RUN).rule == "rounds.md 2 output"


def test_two_replies() -> None:
    found = differences(ANSWER, changed("turns.0.said", "ho"))
    assert blame(found, ledger("model_called", "model_returned", "model_returned"), RUN).rule == "rounds.md 3.4"


def test_an_answer_that_is_no_object() -> None:
    assert blame(differences(ANSWER, [1]), b"", RUN).rule == "rounds.md 1"


def test_answers_that_do_not_differ() -> None:
    with pytest.raises(ValueError, match="do not differ"):
        blame((), b"", RUN)


@pytest.mark.invariant("K6")
def test_the_rules_are_those_of_the_cases() -> None:
    """A report names a rule by the words under which the published cases stand."""
    assert {case.about.rule for case in fold_cases()} >= RULES


def test_a_rule_for_every_place_of_every_case() -> None:
    """Whatever of an expected answer is left out, some rule is named for it."""
    for case in fold_cases():
        for one in differences(case.expected, {"run": case.run, "turns": []}):
            assert blame((one,), case.ledger, case.run).rule in RULES
