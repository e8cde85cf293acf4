"""A small ledger to look at: an invented harbour whose tide table prints an hour twice.

    from accounting.sample import PATH

    rounds show "$(python -c 'from accounting.sample import PATH; print(PATH)')" --run 019a1f7c

`rounds runs` lists both of its sessions.
"""

from pathlib import Path
from typing import Final

PATH: Final[Path] = Path(__file__).parent
"""The ledger's directory."""
