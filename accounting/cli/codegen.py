"""`rounds codegen`: types for a client in another language or library, written from the schema."""

from pathlib import Path

import click

from accounting.cli.trouble import Trouble

STALE = 1
"""Exit code when files are not what would be written."""


@click.command(
    epilog="""\b
Examples:
  rounds codegen
  rounds codegen pydantic --out src/client
  rounds codegen pydantic --out src/client --check""",
)
@click.argument("language", metavar="[LANG]", required=False)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the files here; made if missing.",
)
@click.option("--check", is_flag=True, help="Write nothing: compare the files in DIR with what would be written.")
@click.pass_context
def codegen(ctx: click.Context, language: str | None, out: Path | None, *, check: bool) -> None:
    """Write the types of what travels for LANG into DIR.

    Without LANG the languages are listed. A file that another tool or a person wrote is left alone, and the command
    ends before it writes anything. With --check files that differ, are missing, are in the way or are no longer written
    are named and the exit code is 1.
    """
    from accounting.codegen import LANGUAGES, CodegenError
    from accounting.codegen.files import Stale, stale

    if language is None:
        if out is not None or check:
            raise click.UsageError("--out and --check are about one LANG", ctx)
        for one in LANGUAGES.values():
            click.echo(f"{one.name}\n  writes {one.writes}\n  needs  {one.needs}")
        return
    if language not in LANGUAGES:
        raise Trouble(f"no language {language!r}; there are:", tuple(LANGUAGES))
    if out is None:
        raise click.UsageError(f"where to? `{ctx.command_path} {language} --out DIR`", ctx)
    try:
        if check:
            found = stale(LANGUAGES[language], out)
            again = f"`rounds codegen {language} --out {out}` writes it"
            told = {
                Stale.missing: f"missing; {again}",
                Stale.differs: f"not what would be written; {again}",
                Stale.in_the_way: f"in the way, and not written by `rounds codegen {language}`; move it",
                Stale.left_over: "no longer written; remove it",
            }
            for path, state in found.items():
                click.echo(f"rounds: {path}: {told[state]}", err=True)
            ctx.exit(STALE if found else 0)
        for path in LANGUAGES[language].generate(out):
            click.echo(path)
    except CodegenError as error:
        raise Trouble(str(error)) from None
