"""What a subject has for one ledger, unless it is told otherwise."""

from typing import Final

TIMEOUT_MS: Final = 10_000
"""Milliseconds."""
ANSWER_LIMIT: Final = 16 << 20
"""The most bytes of an answer; the answers to the cases are far smaller."""
