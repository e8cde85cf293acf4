"""The tool that holds a ledger to its format. Spec: dispatch.md 2.7, ledger.md 8."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta, Struct

from accounting.ledger import Ledger, NotALedgerError, check
from accounting.tools.reading import naming, readable
from accounting.tools.tool import Tool, ToolError, tool
from wire import CheckReport
from wire.scalars import AbsolutePath

_HEAD: Final = 1 << 16
_KEYS: Final = (b'"run"', b'"seq"', b'"kind"')
"""What stands in every line of a ledger."""


class CheckLedger(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What `check_ledger` takes."""

    path: AbsolutePath
    """The ledger, a whole path from the root: a directory of segments, or one file of lines."""
    strict: bool = False
    """Whether warnings count as faults do."""
    findings: Annotated[int, Meta(ge=0, le=1000)] = 20
    """How many findings to list at most, 0 to 1000; all are counted."""


def ledgers() -> tuple[Tool, ...]:
    """The entry of the table."""
    return (
        tool(
            "check_ledger",
            "Hold a ledger to its format: whether it conforms, what is wrong, where, and what to do. Reads only.",
            CheckLedger,
            CheckReport,
            _check,
            _text,
        ),
    )


def _check(asked: CheckLedger) -> CheckReport:
    path = readable(asked.path)
    try:
        with naming(path):
            # What is found is shown, and a file that is something else is nobody's to show pieces of.
            if path.is_file() and not _could_be(path):
                raise ToolError(f"{path}: no ledger: none of its first lines is one of a ledger, sound or damaged")
            return check(Ledger(path), strict=asked.strict, max_findings=asked.findings)
    except NotALedgerError as error:
        raise ToolError(str(error)) from error
    except ModuleNotFoundError as error:
        raise ToolError(f"a ledger cannot be checked here: {error}") from error


def _could_be(path: Path) -> bool:
    """Whether a file looks like a ledger's, however damaged; an empty one does."""
    with path.open("rb") as file:
        lines = file.read(_HEAD).split(b"\n")
    return lines == [b""] or any(all(key in line for key in _KEYS) for line in lines)


def _text(report: CheckReport) -> str:
    return "\n".join(_lines(report))


def _lines(report: CheckReport) -> Iterator[str]:
    figures = report.summary
    yield f"{report.path}: {'conforms' if report.conforms else 'does not conform'}"
    yield f"{figures.lines:,} lines: {figures.faults:,} faults, {figures.warnings:,} warnings, {figures.notes:,} notes"
    for one in report.findings:
        yield f"{one.severity} {one.code} in {one.segment} line {one.line}: expected {one.expected}, found {one.found}"
        yield f"  {one.advice}"
    if report.unlisted:
        yield f"and {report.unlisted:,} more"
