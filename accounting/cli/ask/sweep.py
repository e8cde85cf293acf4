"""`rounds ask sweep`: temporary threads whose process is gone, removed."""

import click

from accounting.cli import options as common
from accounting.cli.out import put


@click.command(
    epilog="""\b
Examples:
  rounds ask sweep
  rounds ask sweep --json""",
)
@common.as_json
def sweep(*, as_json: bool) -> None:
    """Remove the temporary threads whose process is gone. Kept threads stay, and so do those of other programs."""
    from accounting.ask.sweep import sweep as remove

    removed = tuple(str(path) for path in remove())
    if as_json:
        from accounting.cli.ask.data import Swept
        from wire import encode

        put(encode(Swept(removed=removed)), b"\n")
        return
    from accounting.cli.units import several
    from accounting.cli.visible import visible

    lines = (*map(visible, removed), f"{several(len(removed), 'thread')} removed")
    put("".join(f"{line}\n" for line in lines).encode(errors="replace"))
