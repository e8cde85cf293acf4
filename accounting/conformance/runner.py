"""A subject held to the cases, one after the other."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from accounting.conformance.cases import CheckCase, FoldCase
from accounting.conformance.comparing import Difference, What, differences
from accounting.conformance.long_lived import STARTS
from accounting.conformance.report import CaseReport, Outcome, ShownDifference
from accounting.conformance.subject import (
    Answered,
    CheckerSubject,
    Crashed,
    LongLived,
    Rejected,
    Reply,
    Subject,
    TimedOut,
)
from accounting.ledger.checking.rules import RULES
from wire.check import Severity
from wire.scalars import Json, u64

LISTED: Final = 50
"""The most differences of one case that a report lists."""
SHOWN: Final = 1000
"""The most characters of one value that a report shows."""
GIVE_UP: Final = 5
"""After so many cases in a row without an answer in time no more are asked: a subject that hangs hangs again."""
_ADVICE_ONLY: Final = frozenset(rule.code for rule in RULES if rule.severity is not Severity.fault)


def run_cases(
    subject: Subject, cases: Iterable[FoldCase], expected_failures: Mapping[str, str]
) -> Iterator[CaseReport]:
    """Ask a fold each case in turn. The caller closes the subject. Raises `NoSubjectError`."""
    asked = ((case, partial(subject.fold, case.ledger, case.run)) for case in cases)
    return _run(subject, asked, expected_failures)


def run_check_cases(
    subject: CheckerSubject, cases: Iterable[CheckCase], expected_failures: Mapping[str, str]
) -> Iterator[CaseReport]:
    """The same of a checker."""
    return _run(subject, ((case, partial(subject.check, case.ledger)) for case in cases), expected_failures)


def _run(
    subject: Subject | CheckerSubject,
    cases: Iterable[tuple[FoldCase | CheckCase, Callable[[], Reply]]],
    expected_failures: Mapping[str, str],
) -> Iterator[CaseReport]:
    late = 0
    for case, ask in cases:
        message = _why_not(subject, late)
        if message is not None:
            yield _report(case, Outcome.not_run, expected_failures, message=message)
            continue
        reply = ask()
        late = late + 1 if isinstance(reply, TimedOut) and case.id not in expected_failures else 0
        yield judged(case, reply, expected_failures)


def _why_not(subject: Subject | CheckerSubject, late: int) -> str | None:
    """Why no more cases are asked, after so many in a row without an answer in time; `None` to go on."""
    if isinstance(subject, LongLived) and subject.given_up:
        return f"not asked: no start went well, of {STARTS} in a row"
    if late >= GIVE_UP:
        return f"not asked: the {GIVE_UP} cases before had no answer in time; --case asks for one by its id"
    return None


def judged(case: FoldCase | CheckCase, reply: Reply, expected_failures: Mapping[str, str]) -> CaseReport:
    """What a reply comes to."""
    match reply:
        case Answered(answer=answer, took_us=took_us):
            found, malformed = _differences(case, answer)
            if malformed is not None:
                return _report(case, Outcome.crashed, expected_failures, message=malformed)
            outcome = Outcome.wrong if found else Outcome.passed
            return _report(case, outcome, expected_failures, took_us=took_us, found=found)
        case Rejected(message=message):
            return _report(case, Outcome.rejected, expected_failures, message=message)
        case Crashed(how=how, stderr=stderr):
            return _report(case, Outcome.crashed, expected_failures, message=how, stderr=stderr or None)
        case TimedOut(after_ms=after_ms):
            message = f"no whole answer within {after_ms:,} ms"
            return _report(case, Outcome.timed_out, expected_failures, message=message)


def json_text(value: Json) -> str:
    """A value as JSON text; half surrogate pairs, which no file holds, as their escapes."""
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode()


def shown(value: Json) -> str:
    """A value as JSON text, cut where it is long."""
    text = json_text(value)
    left = len(text) - SHOWN
    return f"{text[:SHOWN]}… and {left:,} more characters" if left > 0 else text


def shown_differences(found: Sequence[Difference]) -> tuple[tuple[ShownDifference, ...], int]:
    """The first differences as a report has them, and how many there are besides."""
    return tuple(_shown_difference(one) for one in found[:LISTED]), max(0, len(found) - LISTED)


def _differences(case: FoldCase | CheckCase, answer: Json) -> tuple[tuple[Difference, ...], str | None]:
    """Where the answer differs; or what is wrong with its form, where findings do not read."""
    if isinstance(case, FoldCase):
        return differences(case.expected, answer), None
    try:
        found = faults(answer)
    except ValueError as error:
        return (), f"what it printed is no list of findings: {error}"
    expected: list[Json] = [{"code": fault.code, "line": fault.line} for fault in case.faults]
    return differences({"faults": expected}, {"faults": found}), None


def faults(answer: Json) -> list[Json]:
    """The faults of a checker's answer in ledger order. Its warnings and notes are its own affair.

    Raises `ValueError` for what is no list of findings.
    """
    findings = answer.get("findings") if isinstance(answer, dict) else None
    if not isinstance(findings, list):
        raise ValueError(f'expected {{"findings": [...]}}, found {shown(answer)[:200]}')
    found: list[tuple[int, str]] = []
    for finding in findings:
        match finding:
            case {"code": str(code), "line": int(line)} if u64(line) is not None:
                if code not in _ADVICE_ONLY:
                    found.append((line, code))
            case _:
                raise ValueError(
                    f"a finding has a `code`, text, and a `line`, a whole number; found {shown(finding)[:200]}"
                )
    # Of one line the order is the checker's own.
    return [{"code": code, "line": line} for line, code in sorted(found, key=lambda one: one[0])]


def _report(
    case: FoldCase | CheckCase,
    outcome: Outcome,
    expected_failures: Mapping[str, str],
    *,
    took_us: int | None = None,
    found: tuple[Difference, ...] = (),
    message: str | None = None,
    stderr: str | None = None,
) -> CaseReport:
    listed, unlisted = shown_differences(found)
    return CaseReport(
        id=case.id,
        rule=case.about.rule,
        about=case.about.summary,
        run=case.run if isinstance(case, FoldCase) else None,
        outcome=outcome,
        expected_failure=expected_failures.get(case.id),
        took_us=took_us,
        differences=listed,
        unlisted=unlisted,
        message=None if message is None else whole(message),
        stderr=None if stderr is None else whole(stderr),
    )


def _shown_difference(one: Difference) -> ShownDifference:
    return ShownDifference(
        path=whole(one.path),
        what=one.what,
        expected=None if one.what is What.unexpected else shown(one.expected),
        actual=None if one.what is What.missing else shown(one.actual),
    )


def whole(text: str) -> str:
    """The text with half surrogate pairs, which no file holds, spelled out."""
    return text.encode("utf-8", "backslashreplace").decode()
