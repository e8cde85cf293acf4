"""`rounds schema`: the exported JSON Schema, printed, written or compared."""

from pathlib import Path

import click

from accounting.cli.out import put
from accounting.cli.trouble import Trouble

STALE = 1
"""Exit code when a committed schema file is not what would be exported."""


@click.command(
    epilog="""\b
Examples:
  rounds schema
  rounds schema rounds-answer
  rounds schema --out schema
  rounds schema --check""",
)
@click.argument("name", required=False)
@click.option(
    "--out", metavar="DIR", type=click.Path(file_okay=False, path_type=Path), help="Write the documents here."
)
@click.option("--check", is_flag=True, help="Compare the documents with those in DIR, else with those that came along.")
@click.pass_context
def schema(ctx: click.Context, name: str | None, out: Path | None, *, check: bool) -> None:
    """Print, write or compare the JSON Schema of what travels.

    Without options the document NAME is printed, or, without NAME, what documents there are. With --check nothing is
    written; documents that differ or are missing are named and the exit code is 1.
    """
    from wire.export import schemas

    documents = schemas()
    if name is not None:
        if out is not None or check:
            raise click.UsageError("a NAME is printed; --out and --check are about all documents", ctx)
        put(_document(documents, name))
    elif check:
        ctx.exit(_compare(documents, out))
    elif out is not None:
        out.mkdir(parents=True, exist_ok=True)
        for file, text in documents.items():
            (out / file).write_bytes(text)
            click.echo(out / file)
    else:
        click.echo("\n".join(documents))


def _document(documents: dict[str, bytes], name: str) -> bytes:
    text = documents.get(name) or documents.get(f"{name}.schema.json")
    if text is None:
        raise Trouble(f"no schema document {name!r}; there are:", tuple(documents))
    return text


def _compare(documents: dict[str, bytes], out: Path | None) -> int:
    from wire.export import schema_dir

    folder = schema_dir() if out is None else out
    stale = [
        f"{folder / file}: {'not what would be exported' if (folder / file).is_file() else 'missing'};"
        f" `rounds schema --out {folder}` writes it"
        for file, text in documents.items()
        if not (folder / file).is_file() or (folder / file).read_bytes() != text
    ]
    stale += [
        f"{file}: no longer exported; remove it"
        for file in sorted(folder.glob("*.schema.json"))
        if file.name not in documents
    ]
    for line in stale:
        click.echo(f"rounds: {line}", err=True)
    return STALE if stale else 0
