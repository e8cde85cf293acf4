"""Golden cases of one session's fold, worked out by hand from the specification.

Each `Case` has records (as JSON dicts, in file order), the run asked for, a window and a lookup of names,
and exact values at dotted paths of {"answer": RoundsAnswer, "outside": {kind: count}, "passed": {kind:
count}, "problems": [code]}. Of an actual `cause` only the text up to and with its first colon is compared;
of the problems only the code `closing-unreadable`.
"""

from __future__ import annotations

from . import calls, counts, errors, grammars, headers, landings, notes, outputs, pairings, turns, usage
from .build import NIL, OTHER, ROOTS, RUN, Case, Json, steps

__all__ = ["CASES", "NIL", "OTHER", "RUN", "Case", "Json", "steps"]

CASES: tuple[Case, ...] = (
    *turns.CASES,
    *usage.CASES,
    *outputs.CASES,
    *calls.CASES,
    *grammars.CASES,
    *errors.CASES,
    *notes.CASES,
    *pairings.CASES,
    *landings.CASES,
    *headers.CASES,
    *counts.CASES,
)

assert len({one.id for one in CASES}) == len(CASES), "two cases of one id"
assert all(steps(path)[0] in ROOTS for one in CASES for path in one.expect), "a path into nowhere"
