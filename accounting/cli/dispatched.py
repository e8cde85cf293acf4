"""A dispatched run by its id where other commands take a PATH: `rounds show wb-21247a57b8ae3af2`."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from accounting.cli.trouble import Trouble

if TYPE_CHECKING:
    from accounting.dispatch.transcripts.of_run import RunFile

_is_begun = re.compile(r"wb-[0-9a-f]{1,16}").fullmatch


def dispatched(text: str) -> "RunFile | None":
    """The file to read of the run that `text` names by its id or a beginning of it that no other shares.

    `None` where the text has not the shape of a run's id, or is a path. Raises `Trouble` when no run or several are
    called so, the journal does not read, or nothing was written yet.
    """
    if _is_begun(text) is None or Path(text).exists():
        return None
    from accounting.cli.dispatch.which import own_store, run_meant
    from accounting.dispatch.errors import DispatchTroubleError
    from accounting.dispatch.transcripts.of_run import run_file

    try:
        store = own_store()
        return run_file(store, store.read(run_meant(store, text)))
    except DispatchTroubleError as error:
        raise Trouble(str(error)) from None
