"""Where dispatched runs are written down. Spec: dispatch.md 2.0, 2.2."""

import os
from collections.abc import Mapping
from pathlib import Path

from accounting.dispatch.homes import based, from_root


def state_directory(environ: Mapping[str, str] | None = None) -> Path:
    """The state directory, from the root: `$ROUNDS_STATE_DIR`, else `$XDG_STATE_HOME/rounds`, else below `~`.

    `None` is this environment. A blank variable counts as not set, and so does an `XDG_STATE_HOME` that is no absolute
    path; a relative `ROUNDS_STATE_DIR` is below the working directory. Nothing is made. Raises `PlaceError`
    (`accounting.dispatch.homes`) when that is gone, or nobody knows a home.
    """
    environ = os.environ if environ is None else environ
    own = environ.get("ROUNDS_STATE_DIR", "")
    if own.strip():
        return from_root(Path(own))
    return based("XDG_STATE_HOME", ".local/state", environ) / "rounds"
