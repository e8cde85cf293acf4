"""`rounds conform fold` and `rounds conform checker`: the options they share, and what each combination asks for."""

from collections.abc import Callable
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

import click

if TYPE_CHECKING:
    from accounting.cli.conform.asked import Asked

F = TypeVar("F", bound=Callable[..., Any])
Protocol: TypeAlias = Literal["once", "lines"]
_ENDINGS: Final = """\b
Exit codes: 0 everything as expected; 1 something is not; 2 wrong usage, or the command cannot be started."""


def _a_number(ctx: click.Context, param: click.Parameter, value: float) -> float:
    """Refuses `nan`, which is in no range and outside of none."""
    if isnan(value):
        raise click.BadParameter("nan is no number of seconds", ctx, param)
    return value


def _shared(function: F) -> F:
    options = (
        click.argument("command", metavar="-- CMD...", nargs=-1, required=True, type=click.UNPROCESSED),
        click.option(
            "--protocol",
            type=click.Choice(["once", "lines"]),
            help="once (the default): CMD is run for each ledger. lines: it stays and speaks JSON lines.",
        ),
        click.option(
            "--cases",
            "folder",
            metavar="DIR",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            help="Cases of another folder than the published ones.",
        ),
        click.option(
            "--case", "chosen", metavar="ID", multiple=True, help="Only this case; may be given again, with *."
        ),
        click.option(
            "--timeout",
            metavar="SECONDS",
            type=click.FloatRange(min=0, min_open=True, max=86_400),
            callback=_a_number,
            default=10.0,
            show_default=True,
            help="How long CMD may take for one ledger.",
        ),
        click.option(
            "--expected-failures",
            "baseline",
            metavar="FILE",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="Cases that are known to fail: an id and a reason on each line. One that passes is an error.",
        ),
        click.option("--smoke", is_flag=True, help="Ask a few trivial questions only, to find mistakes in the wiring."),
        click.option(
            "--format",
            "form",
            metavar="FORMAT",
            type=click.Choice(["human", "json", "junit"]),
            help="human (the default), json or junit (XML).",
        ),
        click.option("--json", "as_json", is_flag=True, help="The same as --format json: one report, on one line."),
    )

    for option in reversed(options):
        function = option(function)
    return function


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog=f"""\b
Examples:
  rounds conform fold --smoke -- node fold.mjs
  rounds conform fold -- ./my-fold --run {{run}}
  rounds conform fold --protocol lines -- node fold.mjs --serve
  rounds conform fold --case 'result-*' --json -- ./my-fold
  rounds conform fold --expected-failures known.txt --format junit -- ./my-fold > fold.xml
  rounds conform fold --fuzz 2000 --seed 7 --save found -- ./my-fold --serve

{_ENDINGS}""",
)
@_shared
@click.option(
    "--fuzz",
    "examples",
    metavar="N",
    type=click.IntRange(min=1),
    help="In place of the cases, ask N generated ledgers, and print the smallest on which CMD is wrong."
    " CMD speaks JSON lines unless --protocol says otherwise.",
)
@click.option("--seed", metavar="S", type=click.IntRange(min=0), help="What the generated ledgers follow from.")
@click.option(
    "--save",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the smallest ledger that --fuzz finds into DIR, as a case.",
)
@click.pass_context
def fold(
    ctx: click.Context, /, *, examples: int | None, seed: int | None, save: Path | None, smoke: bool, **shared: Any
) -> None:
    """Hold a fold to the cases: what is wrong, where, and which rule that breaks.

    CMD gets the ledger on standard input and the run's id as its last argument, or where {run} stands in it. It prints
    the RoundsAnswer and exits with 0; with any other code it refuses the ledger. With --protocol lines it stays and
    answers one request on each line. docs/conformance.md leads through it.
    """
    from accounting.cli.conform.asked import held, smoked

    if examples is None and (seed is not None or save is not None):
        raise click.UsageError("--seed and --save belong to --fuzz", ctx)
    asked = _asked(ctx, "fold", smoke=smoke, fuzz=examples is not None, **shared)
    if examples is not None:
        from accounting.cli.conform.fuzzed import fuzzed

        ctx.exit(fuzzed(asked, examples, seed, save))
    ctx.exit(smoked(asked) if smoke else held(asked))


@click.command(
    context_settings={"allow_interspersed_args": False},
    epilog=f"""\b
Examples:
  rounds conform checker --smoke -- ./my-checker
  rounds conform checker -- ./my-checker
  rounds conform checker --protocol lines --case 'check-chain-*' -- ./my-checker --serve

{_ENDINGS}""",
)
@_shared
@click.pass_context
def checker(ctx: click.Context, /, *, smoke: bool, **shared: Any) -> None:
    """Hold a checker of ledgers to the cases: which faults it misses, and which it makes up.

    CMD gets the ledger on standard input, prints {"findings": [{"code": ..., "line": ...}]} and exits with 0, whether
    it found something or not; with any other code it says that it cannot check this. Only faults are compared. With
    --protocol lines it stays and answers one request on each line. docs/conformance.md leads through it.
    """
    from accounting.cli.conform.asked import held, smoked

    asked = _asked(ctx, "checker", smoke=smoke, fuzz=False, **shared)
    ctx.exit(smoked(asked) if smoke else held(asked))


def _asked(
    ctx: click.Context,
    of: Literal["fold", "checker"],
    *,
    command: tuple[str, ...],
    protocol: Protocol | None,
    folder: Path | None,
    chosen: tuple[str, ...],
    timeout: float,
    baseline: Path | None,
    form: Literal["human", "json", "junit"] | None,
    as_json: bool,
    smoke: bool,
    fuzz: bool,
) -> "Asked":
    from accounting.cli.conform.asked import Asked

    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json and --format {form} ask for two formats", ctx)
    if smoke and fuzz:
        raise click.UsageError("--smoke and --fuzz ask for two things; one after the other", ctx)
    if smoke or fuzz:
        what = "--smoke" if smoke else "--fuzz"
        if folder is not None or chosen or baseline is not None:
            raise click.UsageError(f"{what} asks none of the cases: leave --cases, --case and --expected-failures", ctx)
        if form == "junit":
            raise click.UsageError(f"{what} has no JUnit report; --json has all there is", ctx)
    return Asked(
        command=command,
        of=of,
        protocol=protocol or ("lines" if fuzz else "once"),
        timeout_ms=max(1, round(timeout * 1000)),
        folder=folder,
        chosen=chosen,
        baseline=baseline,
        form="json" if as_json else form or "human",
    )
