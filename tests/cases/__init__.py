"""Cases of one session's fold that plain files cannot hold: windows, names that a caller looks up, what stands beside
an answer. Everything else about an answer is a published case, under schema/conformance/cases.

Each `Case` has records (as JSON dicts, in file order), the run asked for, a window and a lookup of names,
and exact values at dotted paths of {"answer": RoundsAnswer, "outside": {kind: count}, "passed": {kind:
count}, "problems": [code]}. Of an actual `cause` only the text up to and with its first colon is compared;
of the problems only the code `closing-unreadable`.
"""

from __future__ import annotations

from . import beside, names, windows
from .build import NIL, OTHER, ROOTS, RUN, Case, Json, steps

__all__ = ["CASES", "NIL", "OTHER", "RUN", "Case", "Json", "steps"]

CASES: tuple[Case, ...] = (*windows.CASES, *names.CASES, *beside.CASES)

assert all(steps(path)[0] in ROOTS for one in CASES for path in one.expect), "a path into nowhere"
