"""`rounds dispatch archive`: an agent's session, copied."""

from pathlib import Path

import click

from accounting.cli import options as common
from accounting.cli.dispatch.options import dispatching
from accounting.cli.out import put
from accounting.cli.trouble import Trouble


@click.command(
    epilog="""\b
Examples:
  rounds dispatch archive wb-2124 --project harbour
  rounds dispatch archive --session 4f0c1a52-7a5e-4f3e-9d0b-2b1c6f1d8a11 --project harbour""",
)
@click.argument("named", metavar="[RUN]", required=False)
@click.option("--session", metavar="ID", help="A session by the whole of its own id, in place of a run.")
@click.option("--project", required=True, metavar="NAME", help="What it is archived under: one name, no path.")
@common.as_json
def archive(named: str | None, session: str | None, project: str, *, as_json: bool) -> None:
    """Copy the session of a run into the archive of its agent's own directory, with checksums and a manifest.

    The session file stays where it is, and no other file there is changed. A session that was archived today already,
    and is the same, is not copied again. Where the copy is, is told: its whole path, or `dir` in the manifest.
    """
    if (named is None) == (session is None):
        raise Trouble("give a run, or a session's whole id with --session, one of them")
    with dispatching():
        from accounting.cli.dispatch.which import own_store, run_meant
        from accounting.dispatch.archived import archive_run, archive_session

        if named is None:
            manifest = archive_session(session or "", project)
        else:
            store = own_store()
            manifest = archive_run(store, run_meant(store, named), project)
    if as_json:
        from wire import encode

        put(encode(manifest), b"\n")
        return
    from accounting.cli.units import several
    from accounting.cli.visible import visible

    grew = "; it has grown since" if manifest.source_grew else ""
    path = visible(str(Path(manifest.dir, manifest.copy.path)))
    size = several(manifest.copy.size, "byte")
    put(f"{path}: {size}, sha256 {manifest.copy.sha256}{grew}\n".encode(errors="replace"))
