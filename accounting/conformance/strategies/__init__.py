"""Hypothesis strategies for folds and ledgers: what is drawn is adversarial and shrinks well. Page: docs/strategies.md.

They need hypothesis: `pip install 'rounds[conformance]'`.
"""

from accounting.conformance.strategies.answers import answers
from accounting.conformance.strategies.damage import CorruptedLedger, corrupted_ledgers
from accounting.conformance.strategies.history import PlainRecord
from accounting.conformance.strategies.ledgers import SealedLedger, asked_ledgers, ledgers, records, runs
from accounting.conformance.strategies.pools import RUNS

__all__ = [
    "RUNS",
    "CorruptedLedger",
    "PlainRecord",
    "SealedLedger",
    "answers",
    "asked_ledgers",
    "corrupted_ledgers",
    "ledgers",
    "records",
    "runs",
]
