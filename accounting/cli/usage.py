"""`rounds usage`: what sessions come to, over many files."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from accounting.cli import options
from accounting.cli.out import put
from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from datetime import tzinfo

    from accounting.foreign.metering import Meter
    from accounting.foreign.prices import Prices
    from accounting.ledger import Problems


@click.command(
    epilog="""\b
Examples:
  rounds usage ~/.claude ~/.codex/sessions
  rounds usage ~/.claude --by day --tz Europe/Berlin
  rounds usage ~/.claude history --by model --prices prices.toml
  rounds usage ~/.codex --by run --json | jq '.total.output'""",
)
@options.paths
@click.option(
    "--by",
    type=click.Choice(["run", "day", "model", "agent"]),
    default="day",
    show_default=True,
    help="What a line is for.",
)
@click.option("--tz", metavar="ZONE", default="UTC", show_default=True, help="The days' time zone: Europe/Berlin, say.")
@click.option(
    "--prices",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="A price table, to estimate the cost of requests that do not state it.",
)
@options.agent
@options.as_json
@click.pass_context
def usage(
    ctx: click.Context,
    paths: tuple[str, ...],
    by: str,
    tz: str,
    prices: Path | None,
    agent: str | None,
    *,
    as_json: bool,
) -> None:
    """Add up tokens, cost and time of the sessions at all the paths, each request once.

    PATH is a ledger's directory, one file of its lines, sessions of another agent (a file, a directory, a database), or
    - for standard input. What was copied from one session into another counts for the one that asked.

    + marks a sum that lacks something nobody recorded, ~ one that is estimated. In JSON what nobody recorded is null,
    and beside each sum stands how many requests it lacks.
    """
    from accounting.cli.problems import tell, tell_damage, tell_unread
    from accounting.foreign.metering import Meter
    from accounting.foreign.usage import By, summed
    from accounting.ledger import Problems

    zone, table = _zone(tz), _prices(prices)
    meter, problems = Meter(), Problems()
    unread = _take(meter, paths, agent, problems)
    found = summed(meter, By(by), zone, table)
    if as_json:
        from wire import encode

        put(encode(found), b"\n")
    else:
        from accounting.cli.screen import screen, show_lines
        from accounting.cli.usage_table import usage_table

        console = screen()
        show_lines(console, usage_table(found, console.width))
    ctx.exit(max(tell(problems.listed, problems.counts), tell_damage(meter.damaged), tell_unread(unread)))


def _take(meter: "Meter", paths: tuple[str, ...], agent: str | None, problems: "Problems") -> list[tuple[str, str]]:
    """Take in all that is at the paths; what could not be read comes back, and why."""
    from accounting.cli.problems import tell_passed_over
    from accounting.cli.source import located, reading
    from accounting.ledger import Ledger

    unread: list[tuple[str, str]] = []
    seen: set[tuple[Path, str | None]] = set()
    with ExitStack() as stack:
        for path in paths:
            found = stack.enter_context(located(path, agent))
            if isinstance(found, Ledger):
                if (found.path.resolve(), None) not in seen:
                    seen.add((found.path.resolve(), None))
                    with reading(found, "reading"):
                        meter.ledger(found, problems.add)
                continue
            with found.read_each() as sources:
                tell_passed_over(found.shown, found.passed_over)
                for source in sources:
                    if (source.path.resolve(), source.within) in seen:
                        continue
                    seen.add((source.path.resolve(), source.within))
                    try:
                        meter.source(source)
                    except OSError as error:
                        why = f"cannot be read: {error.strerror or error}"
                        unread.append((str(error.filename or source.path), why))
    return unread


def _zone(name: str) -> "tzinfo":
    from datetime import UTC
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    if name == "UTC":  # known without a time zone database, which not every system has
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Trouble(f"--tz: there is no time zone {name!r}; it is a name as Europe/Berlin or UTC") from None


def _prices(path: Path | None) -> "Prices | None":
    if path is None:
        return None
    from accounting.foreign.prices import PriceError, read_prices

    try:
        return read_prices(path)
    except PriceError as error:
        raise Trouble(str(error)) from None
    except OSError as error:
        raise Trouble(f"{path}: cannot be read: {error.strerror or error}") from None
