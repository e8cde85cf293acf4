"""The command group: what is common to all commands of `rounds`."""

import io
import sys
from typing import Any

import click

from accounting.cli.ask import ask
from accounting.cli.check import check
from accounting.cli.codegen import codegen
from accounting.cli.conform import conform
from accounting.cli.dispatch import dispatch
from accounting.cli.fold import fold
from accounting.cli.import_ import import_
from accounting.cli.repair import repair
from accounting.cli.runs import runs
from accounting.cli.schema import schema
from accounting.cli.show import show
from accounting.cli.tools import tools
from accounting.cli.trouble import endings
from accounting.cli.usage import usage


class Rounds(click.Group):
    """A group whose commands end in a word or an exit code, never in a traceback."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run the command line. Output is UTF-8 whatever the locale."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(encoding="utf-8", errors="replace")
        return super().main(*args, **extra)

    def make_context(self, *args: Any, **extra: Any) -> click.Context:
        """Parse the group's own options."""
        with endings():
            return super().make_context(*args, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with endings():
            return super().invoke(ctx)


@click.group(
    "rounds",
    cls=Rounds,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: 0 all well; 1 something in the ledger could not be used as written; 2 wrong usage, or a path"
    " that cannot be read.",
)
@click.version_option(package_name="rounds", message="rounds %(version)s")
def main() -> None:
    """Read the sessions of AI agents out of append-only ledgers, or out of the files that the agents keep themselves.

    PATH is a ledger's directory, one file of its lines, or - for standard input; show, fold, runs, usage and import
    also take a file, a directory or a database of another agent's sessions.
    """


for command in (show, fold, runs, usage, import_, ask, dispatch, check, repair, schema, codegen, conform, tools):
    main.add_command(command)
