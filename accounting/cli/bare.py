"""What `rounds` is where the extra `cli` is not installed."""

import sys
from typing import NoReturn


def main(**_: object) -> NoReturn:
    """Say what is missing and exit 2."""
    sys.stderr.write("rounds: the command line needs click and rich: pip install 'rounds[cli]'\n")
    raise SystemExit(2)
