"""`rounds schema`: the exported JSON Schema, printed, written or compared."""

from pathlib import Path
from typing import Any

import click

from accounting.cli.out import put
from accounting.cli.schema_diff import diff
from accounting.cli.trouble import Trouble

STALE = 1
"""Exit code when a committed schema file is not what would be exported."""


class _WithDiff(click.Command):
    """A command whose first word may be `diff`, which is a command of its own."""

    def make_context(self, info_name: str | None, args: list[str], *rest: Any, **extra: Any) -> click.Context:
        if args[:1] == ["diff"]:
            return diff.make_context(f"{info_name} diff", args[1:], *rest, **extra)
        return super().make_context(info_name, args, *rest, **extra)


@click.command(
    cls=_WithDiff,
    epilog="""\b
Examples:
  rounds schema
  rounds schema RoundsAnswer
  rounds schema --out schema
  rounds schema --check
  rounds schema diff OLD NEW      (rounds schema diff --help)""",
)
@click.argument("name", required=False)
@click.option(
    "--out", metavar="DIR", type=click.Path(file_okay=False, path_type=Path), help="Write the documents here."
)
@click.option("--check", is_flag=True, help="Compare the documents with those in DIR, else with those that came along.")
@click.pass_context
def schema(ctx: click.Context, name: str | None, out: Path | None, *, check: bool) -> None:
    """Print, write or compare the JSON Schema of what travels.

    Without options the document NAME is printed (a shape or a file: RoundsAnswer, rounds-answer), or, without NAME,
    what documents there are. With --check nothing is written; documents that differ or are missing are named and the
    exit code is 1. The folder that came along goes with a module of the package, `wire/schema_version.py`, and the
    schema of the conformance protocol: they are written, and compared, together. What was released of the schema, in
    the folder's own folder `released`, must not change without a new version, nor break without a new major one.
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
        for path, text in _files(documents, out).items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
            click.echo(path)
    else:
        click.echo("\n".join(documents))


def _document(documents: dict[str, bytes], name: str) -> bytes:
    """By the name of the file, with or without its end, or of the shape."""
    from wire.export import BUNDLE, ROOTS

    shapes = {root.shape: root.name for root in ROOTS} | {BUNDLE.capitalize(): BUNDLE}
    text = documents.get(name) or documents.get(f"{shapes.get(name, name)}.schema.json")
    if text is None:
        raise Trouble(f"no schema document {name!r}; there are:", tuple(documents))
    return text


def _files(documents: dict[str, bytes], folder: Path) -> dict[Path, bytes]:
    """What belongs in the folder; with the folder that came along, also what goes with it elsewhere."""
    from accounting.conformance.protocol_schema import FILE, protocol_schema
    from wire.export import schema_dir, version_file

    files = {folder / file: text for file, text in documents.items()}
    if folder.resolve() != schema_dir().resolve():
        return files
    module, source = version_file()
    return {**files, folder / FILE: protocol_schema(), module: source}


def _compare(documents: dict[str, bytes], out: Path | None) -> int:
    from wire.export import schema_dir

    folder = schema_dir() if out is None else out
    stale = [
        f"{path}: {'not what would be exported' if path.is_file() else 'missing'};"
        f" `rounds schema --out {folder}` writes it"
        for path, text in _files(documents, folder).items()
        if not path.is_file() or path.read_bytes() != text
    ]
    stale += [
        f"{file}: no longer exported; remove it"
        for file in sorted(folder.glob("*.schema.json"))
        if file.name not in documents
    ]
    stale += _breaks(folder, documents)
    for line in stale:
        click.echo(f"rounds: {line}", err=True)
    return STALE if stale else 0


def _breaks(folder: Path, documents: dict[str, bytes]) -> tuple[str, ...]:
    """What has changed of the released documents without a new version, where there are any."""
    released, changes = folder / "released", folder / "CHANGELOG.md"
    if not released.is_dir():
        return ()
    from accounting.evolution import SchemaError
    from accounting.evolution.gate import unannounced

    try:
        return unannounced(released, documents, changes.read_text("utf-8") if changes.is_file() else "")
    except SchemaError as error:
        raise Trouble(f"{released}: {error}") from None
