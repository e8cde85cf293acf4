"""`rounds check`: a ledger held to the format, for who writes ledgers."""

from typing import TYPE_CHECKING, Any, Final

import click

from accounting.cli import options
from accounting.cli.out import put
from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from wire import B3Hash, CheckReport, Seq

REFUSED: Final = 1
"""Exit code when the ledger does not conform."""
LISTED: Final = 100
"""How many findings are listed for people, unless told otherwise."""
LISTED_FOR_PROGRAMS: Final = 1000
"""How many are listed in the other formats."""
_LARGEST: Final = 2**64 - 1


def _end(ctx: click.Context, param: click.Parameter, value: str | None) -> "B3Hash | Seq | None":
    """The hash or the `seq` that was given."""
    from wire.scalars import b3_hash

    hashed = b3_hash(value)
    if value is None or hashed is not None:
        return hashed
    # No number of 64 bits has more than twenty digits.
    if value.isascii() and value.isdecimal() and len(value) <= 20 and int(value) <= _LARGEST:
        return int(value)
    raise click.BadParameter(f"{value!r} is neither 64 lower-case hex digits nor a number of 0..2^64-1", ctx, param)


def _print_rules(ctx: click.Context, _: click.Parameter, asked: bool) -> None:  # noqa: FBT001 - as click calls it
    if not asked or ctx.resilient_parsing:
        return
    from accounting.cli.findings.page import rules_page

    put(rules_page().encode())
    ctx.exit()


@click.command(
    epilog="""\b
Examples:
  rounds check city/ledger
  rounds check city/ledger --strict --expect-last "$(cat last.hash)"
  rounds check session.jsonl --json | jq -r .summary.last_hash
  rounds check city/ledger --format sarif > ledger.sarif
  rounds check --rules | less""",
)
@options.path
@click.option(
    "--format",
    "form",
    metavar="FORMAT",
    type=click.Choice(["human", "json", "junit", "sarif"]),
    help="human (the default), json, junit (XML) or sarif (2.1.0).",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json: one CheckReport, on one line.")
@click.option("--strict", is_flag=True, help="Let warnings count as faults do.")
@click.option(
    "--max-findings",
    metavar="N",
    type=click.IntRange(min=0),
    help=f"List at most N findings; all are counted. {LISTED} if not given, {LISTED_FOR_PROGRAMS:,} in other formats.",
)
@click.option(
    "--from-seq",
    metavar="N",
    type=click.IntRange(min=0),
    help="Begin at the line with this seq, and believe what is before it.",
)
@click.option(
    "--expect-last",
    metavar="HASH|SEQ",
    callback=_end,
    help="What the last line has to be: its hash (64 hex digits) or its seq.",
)
@click.option(
    "--rules",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_rules,
    help="Print what a ledger is held to, as Markdown, and exit.",
)
@click.pass_context
def check(
    ctx: click.Context,
    path: str,
    form: str | None,
    max_findings: int | None,
    from_seq: int | None,
    expect_last: "B3Hash | Seq | None",
    *,
    as_json: bool,
    strict: bool,
) -> None:
    """Hold a ledger to the format: what is wrong, where, and what to do.

    PATH is a ledger's directory, one file of its lines, or - for standard input.

    The exit code is 0 when there is no fault (with --strict no warning either), else 1; 2 is wrong usage, or a path
    that cannot be read.
    """
    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json and --format {form} ask for two formats", ctx)
    form = "json" if as_json else form or "human"
    if max_findings is None:
        max_findings = LISTED if form == "human" else LISTED_FOR_PROGRAMS
    report = _checked(path, strict=strict, max_findings=max_findings, from_seq=from_seq, expect_last=expect_last)
    if form == "human":
        _show(report, expect_last)
    else:
        put(_written(report, form, expect_last))
    ctx.exit(0 if report.conforms else REFUSED)


def _checked(path: str, **asked: Any) -> "CheckReport":
    from msgspec.structs import replace

    from accounting.cli.source import opened, reading

    try:
        from accounting.ledger import check as check_ledger

        with opened(path) as ledger, reading(ledger, "checking"):
            # What came in by a pipe lies in a file of another name.
            return replace(check_ledger(ledger, **asked), path=path)
    except ModuleNotFoundError as error:
        raise Trouble(str(error)) from None


def _show(report: "CheckReport", expect_last: "B3Hash | Seq | None") -> None:
    from rich.text import Text

    from accounting.cli.findings.human import report_lines
    from accounting.cli.screen import screen, show_lines

    show_lines(screen(), (Text.assemble(*line) for line in report_lines(report, expect_last)))


def _written(report: "CheckReport", form: str, expect_last: "B3Hash | Seq | None") -> bytes:
    if form == "junit":
        from accounting.cli.findings.junit import junit

        return junit(report, expect_last)
    if form == "sarif":
        from accounting.cli.findings.sarif import sarif

        return sarif(report)
    from accounting.cli.findings.data import report_json

    return report_json(report)
