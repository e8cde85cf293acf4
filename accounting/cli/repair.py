"""`rounds repair`: what is sound of a damaged ledger, copied out."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from accounting.cli import options
from accounting.cli.out import put
from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from accounting.ledger.repair import RepairReport

DAMAGED: Final = 1
"""Exit code when the prefix is not the whole ledger."""


@click.command(
    epilog="""\b
Examples:
  rounds repair city/ledger --into city/rescued
  rounds check city/rescued/ledger
  rounds runs city/rescued/salvaged.jsonl""",
)
@options.path
@click.option(
    "--into",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path),
    help="The folder to write: one that does not exist yet, or is empty.",
)
@options.as_json
@click.pass_context
def repair(ctx: click.Context, path: str, into: Path, *, as_json: bool) -> None:
    r"""Copy what is sound of a ledger, and all that can still be read of the rest. The ledger itself is only read.

    PATH is a ledger's directory, one file of its lines, or - for standard input.

    \b
    DIR/ledger          the longest prefix that verifies, byte for byte: a ledger to go on with
    DIR/salvaged.jsonl  the records behind it, as they were found, also those glued to a broken line
    DIR/left-over.bin   the bytes that are no record
    DIR/report.json     where each part stood

    The exit code is 0 when the prefix is the whole ledger, 1 when something lies behind it; 2 is wrong usage, or
    something that cannot be read or written.
    """
    report = _repaired(path, into)
    if as_json:
        from wire import encode

        put(encode(report), b"\n")
    else:
        put("".join(f"{line}\n" for line in _lines(report)).encode())
    ctx.exit(DAMAGED if report.records or report.left else 0)


def _repaired(path: str, into: Path) -> "RepairReport":
    from accounting.cli.source import opened, reading
    from accounting.ledger.repair import RepairError
    from accounting.ledger.repair import repair as repair_ledger

    try:
        with opened(path) as ledger, reading(ledger, "copying"):
            return repair_ledger(ledger, into)
    except (RepairError, ModuleNotFoundError) as error:
        raise Trouble(str(error)) from None


def _lines(report: "RepairReport") -> list[str]:
    from accounting.cli.findings.told import told
    from accounting.cli.units import several
    from accounting.cli.visible import visible
    from accounting.ledger.repair import LEDGER, LEFT_OVER, REPORT, SALVAGED

    source, into = visible(report.source), visible(report.into)
    prefix = several(report.lines, "line")
    if not report.records and not report.left:
        return [f"{source}: sound; all of it, {prefix}, is in {into}/{LEDGER}"]
    last = "" if report.last_seq is None else f", up to seq {report.last_seq}, hash {report.last_hash}"
    fault = [] if report.fault is None else [f"first fault: {told(report.fault)}"]
    return [
        f"{source}: {'unfinished at its end' if report.fault is None else 'damaged'}; copied into {into}",
        *fault,
        f"  {LEDGER:<15} {prefix} that verify{last}",
        f"  {SALVAGED:<15} {several(report.records, 'record')} from behind",
        f"  {LEFT_OVER:<15} {several(report.left, 'byte')} that are no record",
        f"  {REPORT:<15} where each part stood",
    ]
