"""Every rule of rounds.md 2 and 3 on a session small enough to check by eye; values worked out by hand."""

from typing import Any

import pytest

from tests.cases import CASES, Case, steps
from tests.compare import fold, normal, plain, same


def _outcome(case: Case) -> dict[str, Any]:
    names = {key: value["mayor"] for key, value in case.names.items()} if case.names is not None else None
    given = fold(case.records, case.run, case.window, names)
    return {
        "answer": plain(given.answer),
        "outside": dict(given.outside),
        "passed": dict(given.passed),
        "problems": [problem.code.value for problem in given.problems if problem.code == "closing-unreadable"],
    }


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_case(case: Case) -> None:
    outcome = _outcome(case)
    for path, expected in case.expect.items():
        found: Any = outcome
        for step in steps(path):
            found = found[step]
        assert same(found, normal(expected)), f"{case.rule}: {case.about}\n{path}\n  is {found!r}\n not {expected!r}"
