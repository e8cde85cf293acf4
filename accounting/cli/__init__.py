"""The command line `rounds`: sessions drawn, folded and listed, the schema written and checked.

`main` is the click group. It needs the extra `cli`; without it `main` says so in one line and exits 2.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from accounting.cli.group import main
else:
    try:
        import rich  # noqa: F401 - drawing needs it later; here it only has to be there

        from accounting.cli.group import main
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("click", "rich"):
            raise
        from accounting.cli.bare import main

__all__ = ["main"]
