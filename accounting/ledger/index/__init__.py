"""An index beside a ledger: where each run's lines stand, so that one run of a large history costs that run.

It never changes an answer, and holds nothing that is not in the ledger: whenever it cannot be believed the ledger is
scanned, and it may be removed at any time. What is believed when: `docs/index.md`. Needs the extra `ledger`.
"""

from accounting.ledger.index.index import Index, index_file

__all__ = ["Index", "index_file"]
