"""A few trivial questions before the cases, which tell a subject that is wired up wrong from one that folds wrong.

A mistake in the wiring (an exit code, an encoding, an argument) fails every case in the same way and says nothing of
the fold. Each probe here is about one such mistake, and says what to mend.
"""

import json
from collections.abc import Iterator
from enum import StrEnum
from typing import Final, Literal, assert_never, cast

from msgspec import DecodeError, Struct

from accounting.conformance.comparing import differences
from accounting.conformance.runner import faults, shown, whole
from accounting.conformance.sealing import sealed
from accounting.conformance.subject import Answered, Crashed, LongLived, OncePerCase, Rejected, Reply, TimedOut
from wire.answer.rounds import RoundsAnswer
from wire.codec import decode
from wire.scalars import Json, JsonObject, RunId, run_id

_UTF8: Final = "Grüße, 漢字, \U0001f600"
_PAST_2_53: Final = 2**53 + 1
_FIRST: Final = cast("RunId", "0aaaaaaa-0000-4000-8000-00000000000a")
_SECOND: Final = cast("RunId", "0bbbbbbb-0000-4000-8000-00000000000b")


class ProbeOutcome(StrEnum):
    """What a probe shows."""

    right = "right"
    """The answer is as expected."""
    wrong = "wrong"
    """The subject is wired up well, and answers wrongly."""
    miswired = "miswired"
    """What came back says nothing of the fold or checker itself."""


class Probe(Struct, frozen=True, kw_only=True):
    """One trivial question."""

    id: str
    """Its name."""
    ledger: bytes
    """The ledger."""
    run: RunId | None
    """The run to fold; `None` where the ledger is to be checked."""
    expected: JsonObject
    """The answer, or an object with `faults`; nulls left out."""
    hint: str
    """What to look at when the answer is another one."""


class ProbeReport(Struct, frozen=True, kw_only=True):
    """What came of one probe."""

    id: str
    """The probe's name."""
    outcome: ProbeOutcome
    """What it shows."""
    found: str | None
    """What came back instead of the answer; null when it is right."""
    hint: str | None
    """What to do; null when it is right."""


class SmokeReport(Struct, frozen=True, kw_only=True):
    """The probes of one subject, in order. After one that shows a mistake in the wiring no more are asked."""

    subject: tuple[str, ...]
    """The program and its arguments."""
    of: Literal["fold", "checker"]
    """What it was held to be."""
    protocol: Literal["once", "lines"]
    """Whether it is run once for each ledger, or stays and speaks JSON lines."""
    wired: bool
    """Whether the cases can say something of it."""
    ok: bool
    """Whether every answer is right too."""
    probes: tuple[ProbeReport, ...]
    """What came of each."""


def smoke(subject: OncePerCase | LongLived, of: Literal["fold", "checker"]) -> Iterator[ProbeReport]:
    """Ask the probes; the last one of a program that stays is whether it leaves. Raises `NoSubjectError`."""
    lines = isinstance(subject, LongLived)
    for probe in fold_probes() if of == "fold" else check_probes():
        reply = subject.check(probe.ledger) if probe.run is None else subject.fold(probe.ledger, probe.run)
        report = _judged(probe, reply, lines=lines)
        yield report
        if report.outcome is ProbeOutcome.miswired:
            return
    if isinstance(subject, LongLived):
        yield _left(subject.stop())


def fold_probes() -> Iterator[Probe]:
    """The probes of a fold."""
    yield Probe(
        id="empty ledger",
        ledger=b"",
        run=_FIRST,
        expected=_answer(_FIRST),
        hint="of a run without lines `turns` is empty and all else is null",
    )
    yield Probe(
        id="opening",
        ledger=sealed((_record(_FIRST, "run_started", {"task": "a", "goal": "b"}),)),
        run=_FIRST,
        expected={**_answer(_FIRST), "opening": {"task": "a", "goal": "b", "at": 1000}},
        hint="the only line is a `run_started`: it gives the `opening` (rounds.md 3)",
    )
    yield Probe(
        id="run asked for",
        ledger=sealed(_record(run, "model_called", {"segments": [], "model": run}) for run in (_FIRST, _SECOND)),
        run=_SECOND,
        expected=_answer(_SECOND, {"opened": 1, "model": _SECOND}),
        hint="the ledger has two runs: fold the one whose id was given, not the first",
    )
    said: JsonObject = {"message": {"role": "assistant", "content": [{"kind": "text", "text": _UTF8}]}, "calls": 0}
    records = (_record(_FIRST, "model_called", {"segments": [], "model": "m"}), _record(_FIRST, "model_returned", said))
    yield Probe(
        id="UTF-8",
        ledger=sealed(records),
        run=_FIRST,
        expected=_answer(_FIRST, {"opened": 0, "model": "m", "said": _UTF8, "returned": 1000}),
        hint="read and write UTF-8 whatever the locale says, and leave the text as it is",
    )
    yield Probe(
        id="big integers",
        ledger=sealed(({**_record(_FIRST, "model_called", {"segments": [], "model": "m"}), "t": _PAST_2_53},)),
        run=_FIRST,
        expected=_answer(_FIRST, {"opened": 0, "model": "m", "t": _PAST_2_53}),
        hint="the line's `t` is 2^53 + 1: use a JSON parser and writer that keep 64-bit integers whole",
    )


def check_probes() -> Iterator[Probe]:
    """The probes of a checker."""
    yield Probe(
        id="sound ledger",
        ledger=sealed((_record(_FIRST, "run_started", {"task": _UTF8}),)),
        run=None,
        expected={"faults": []},
        hint="the ledger is one sound line, UTF-8: nothing is found, `findings` is empty",
    )
    yield Probe(
        id="not a line",
        ledger=b"x\n",
        run=None,
        expected={"faults": [{"code": "not-a-line", "line": 1}]},
        hint="line 1 is no JSON: one finding, by its code in docs/rules.md, and the exit code is still 0",
    )


def _record(run: RunId, kind: str, data: JsonObject) -> JsonObject:
    return {"v": 2, "run": run, "t": 1000, "kind": kind, "data": data}


def _answer(run: RunId, *turns: JsonObject) -> JsonObject:
    """An answer without its nulls."""
    plain: JsonObject = {"number": 1, "t": 1000, "timing": "measured", "calls": [], "notes": []}
    return {"run": run, "turns": [plain | turn for turn in turns]}


def _judged(probe: Probe, reply: Reply, *, lines: bool) -> ProbeReport:
    match reply:
        case Answered(answer=answer):
            return _of_fold(probe, answer) if probe.run is not None else _of_checker(probe, answer)
        case Rejected(message=message):
            hint = (
                "`rejected` is for a ledger that cannot be folded at all: this one can"
                if lines
                else "exit with 0 after an answer; any other code says that the ledger is refused"
                " (126 and 127 are a shell's: the command was not found, or is no program)"
            )
            return _miswired(probe.id, f"refused: {message}", hint)
        case Crashed(how=how, stderr=stderr):
            hint = (
                "every reply is one line of JSON on standard output with the id of its request, flushed at once, and"
                " nothing else goes there; a program that is run once for each ledger needs --protocol once"
                if lines
                else "print the answer as one JSON object and nothing else on standard output (what else there is to"
                " say goes to standard error), then exit with 0"
            )
            return _miswired(probe.id, how + (f"\n{stderr.strip()}" if stderr.strip() else ""), hint)
        case TimedOut(after_ms=after_ms):
            hint = (
                "flush after each reply, and do not wait for the end of standard input; a program that is run once for"
                " each ledger needs --protocol once"
                if lines
                else "exit when standard input has ended and the answer is printed; a program that speaks JSON lines"
                " needs --protocol lines; --timeout gives it more time"
            )
            return _miswired(probe.id, f"no whole answer within {after_ms:,} ms", hint)
    assert_never(reply)


def _of_fold(probe: Probe, answer: Json) -> ProbeReport:
    if not isinstance(answer, dict):
        return _miswired(probe.id, f"answered {shown(answer)}", "the answer is one JSON object, a RoundsAnswer")
    run = answer.get("run")
    if run != probe.run and run_id(run) is not None:
        hint = "the run's id is the last argument, or where {run} stands in the command; with --protocol lines, `run`"
        return _miswired(probe.id, f"answered for run {run} when asked for {probe.run}", hint)
    try:
        decode(json.dumps(answer), RoundsAnswer)
    except (DecodeError, UnicodeEncodeError) as error:
        hint = "the shape is rounds-answer.schema.json: `turns` and the lists in it are never absent"
        return _miswired(probe.id, f"the answer is no RoundsAnswer: {error}", hint)
    return _compared(probe, answer)


def _of_checker(probe: Probe, answer: Json) -> ProbeReport:
    try:
        found = faults(answer)
    except ValueError as error:
        return _miswired(probe.id, str(error), 'the answer is {"findings": [{"code": …, "line": …}, …]}')
    return _compared(probe, {"faults": found})


def _compared(probe: Probe, answer: Json) -> ProbeReport:
    found = differences(probe.expected, answer)
    if not found:
        return ProbeReport(id=probe.id, outcome=ProbeOutcome.right, found=None, hint=None)
    first = found[0]
    what = f"{first.path}: expected {shown(first.expected)}, found {shown(first.actual)}"
    return ProbeReport(id=probe.id, outcome=ProbeOutcome.wrong, found=whole(what), hint=probe.hint)


def _left(problem: Crashed | TimedOut | None) -> ProbeReport:
    name = "leaving"
    if problem is None:
        return ProbeReport(id=name, outcome=ProbeOutcome.right, found=None, hint=None)
    return _miswired(name, leaving_words(problem), "exit with 0 at `stop`, and at the end of standard input")


def leaving_words(problem: Crashed | TimedOut) -> str:
    """How a program that stays did not leave."""
    return problem.how if isinstance(problem, Crashed) else f"still there {problem.after_ms:,} ms after `stop`"


def _miswired(probe: str, found: str, hint: str) -> ProbeReport:
    return ProbeReport(id=probe, outcome=ProbeOutcome.miswired, found=whole(found), hint=hint)
