"""What `rounds conform` does: the cases found, the subject asked, the report written."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from signal import SIG_IGN, SIGHUP, SIGTERM, getsignal, signal
from time import perf_counter
from typing import Final, Literal, NoReturn, TypeVar

from msgspec import Struct

from accounting.cli.conform.progress import counted
from accounting.cli.out import put
from accounting.cli.trouble import Trouble
from accounting.conformance.baseline import BaselineError, read_baseline
from accounting.conformance.cases import (
    EXPECTED,
    CheckCase,
    FoldCase,
    conformance_dir,
    read_check_case,
    read_fold_case,
)
from accounting.conformance.protocol import SPEC
from accounting.conformance.report import CaseReport, ConformReport, totals
from accounting.conformance.runner import run_cases, run_check_cases, whole
from accounting.conformance.smoke import ProbeOutcome, SmokeReport, leaving_words, smoke
from accounting.conformance.subject import LongLived, NoSubjectError, OncePerCase
from wire import encode

Case = TypeVar("Case", FoldCase, CheckCase)
FAILED: Final = 1
"""Exit code when something is not as expected."""


class Asked(Struct, frozen=True, kw_only=True):
    """What the command line asks for."""

    command: tuple[str, ...]
    of: Literal["fold", "checker"]
    protocol: Literal["once", "lines"]
    timeout_ms: int
    folder: Path | None
    chosen: tuple[str, ...]
    baseline: Path | None
    form: Literal["human", "json", "junit"]


def held(asked: Asked) -> int:
    """Hold the subject to the cases; the exit code."""
    if asked.of == "fold":
        return _held(asked, _cases(asked, read_fold_case), run_cases)
    return _held(asked, _cases(asked, read_check_case), run_check_cases)


def _held(
    asked: Asked,
    every: Sequence[Case],
    run: Callable[[OncePerCase | LongLived, Sequence[Case], Mapping[str, str]], Iterator[CaseReport]],
) -> int:
    cases = _chosen(every, asked.chosen)
    expected_failures = _expected_failures(asked.baseline, [case.id for case in every])
    begun = perf_counter()
    started = left = None
    with subject_of(asked) as subject:
        found = tuple(counted(run(subject, cases, expected_failures), len(cases), lambda case: case.id))
        if isinstance(subject, LongLived):
            started, left = subject.started, subject.stop()
    report = ConformReport(
        subject=shown_command(asked),
        name=None if started is None else whole(started.name),
        version=None if started is None else whole(started.version),
        of=asked.of,
        protocol=asked.protocol,
        spec=SPEC,
        ok=left is None and all(case.ok for case in found),
        took_us=int((perf_counter() - begun) * 1_000_000),
        totals=totals(found),
        leaving=None if left is None else whole(leaving_words(left)),
        cases=found,
    )
    _write(report, asked.form)
    return 0 if report.ok else FAILED


def smoked(asked: Asked) -> int:
    """Ask the probes; the exit code."""
    with subject_of(asked) as subject:
        probes = tuple(smoke(subject, asked.of))
    report = SmokeReport(
        subject=shown_command(asked),
        of=asked.of,
        protocol=asked.protocol,
        wired=all(probe.outcome is not ProbeOutcome.miswired for probe in probes),
        ok=all(probe.outcome is ProbeOutcome.right for probe in probes),
        probes=probes,
    )
    if asked.form == "json":
        put(encode(report), b"\n")
    else:
        from accounting.cli.conform.human import show, smoke_lines

        show(smoke_lines(report))
    return 0 if report.ok else FAILED


def _write(report: ConformReport, form: Literal["human", "json", "junit"]) -> None:
    if form == "json":
        put(encode(report), b"\n")
    elif form == "junit":
        from accounting.cli.conform.junit import junit

        put(junit(report))
    else:
        from accounting.cli.conform.human import report_lines, show

        show(report_lines(report))


@contextmanager
def subject_of(asked: Asked) -> Generator[OncePerCase | LongLived]:
    """The program, ended when the block ends, also by a signal. Raises `Trouble` when it cannot be started."""
    form = LongLived if asked.protocol == "lines" else OncePerCase
    subject = form(asked.command, timeout_ms=asked.timeout_ms)
    # What is ignored, as under nohup, stays so.
    before = {number: getsignal(number) for number in (SIGTERM, SIGHUP)}
    for number, handler in before.items():
        if handler is not SIG_IGN:
            signal(number, _leave)
    try:
        try:
            yield subject
        finally:
            subject.close()
    except NoSubjectError as error:
        raise Trouble(str(error)) from None
    except _Told as told:
        raise SystemExit(128 + told.number) from None
    finally:
        for number, handler in before.items():
            signal(number, handler)


def shown_command(asked: Asked) -> tuple[str, ...]:
    """The program and its arguments as a report has them."""
    return tuple(map(whole, asked.command))


class _Told(BaseException):
    """A signal to leave. Hypothesis takes `SystemExit` for a failure of the subject."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def _leave(number: int, _: object) -> NoReturn:
    raise _Told(number)


def _cases(asked: Asked, read: Callable[[Path], Case]) -> Sequence[Case]:
    """Every case of a folder like the published one, of a folder of cases, or of one case alone."""
    file = EXPECTED[asked.of]
    try:
        folder = asked.folder or conformance_dir()
        files = sorted((folder / "cases").glob(f"*/{file}")) or sorted(folder.glob(f"*/{file}"))
        found = [read(one.parent.resolve()) for one in files or folder.glob(file)]
    except FileNotFoundError as error:
        missing = "" if error.filename is None else f"{error.filename}: "
        raise Trouble(f"{missing}{error.strerror or error}") from None
    except ValueError as error:
        raise Trouble(str(error)) from None
    if not found:
        raise Trouble(
            f"{folder}: no case of a {asked.of} in it: a case is a folder with ledger.jsonl, {file}, about.md"
        )
    return found


def _chosen(cases: Sequence[Case], globs: Sequence[str]) -> Sequence[Case]:
    for glob in globs:
        if not any(fnmatchcase(case.id, glob) for case in cases):
            where = cases[0].folder.parent
            raise Trouble(f"--case {glob}: no case is called so; their ids are the names of the folders in {where}")
    return [case for case in cases if not globs or any(fnmatchcase(case.id, glob) for glob in globs)]


def _expected_failures(file: Path | None, known: Sequence[str]) -> Mapping[str, str]:
    try:
        return {} if file is None else read_baseline(file, frozenset(known))
    except BaselineError as error:
        raise Trouble(str(error)) from None
