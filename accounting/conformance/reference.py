"""What a ledger comes to by our own fold, from its bytes on: what a generated ledger's answers are held against.

`python -m accounting.conformance.reference` is that fold, and our checker, as a program under test: see `serving`.
"""

import io
import json
import sys
from functools import partial
from pathlib import Path
from typing import Final, cast

from accounting.ledger.pick import CROSSING, pick
from accounting.ledger.problem import Problem
from accounting.ledger.record import LineReader
from accounting.ledger.scan import scan
from accounting.ledger.segments import Segment
from accounting.views.rounds import rounds
from wire import RoundsAnswer, encode
from wire.record.envelope import Record
from wire.scalars import JsonObject, RunId

_IN_MEMORY: Final = Segment(path=Path("ledger.jsonl"), name="ledger.jsonl", newest=True)


def reference_fold(ledger: bytes, run: RunId) -> RoundsAnswer:
    """The answer of one run of a ledger, by the road that a file takes."""
    return rounds(_records(ledger, run), run).answer


def reference_answer(ledger: bytes, run: RunId) -> JsonObject:
    """The same as the JSON that it travels as."""
    return cast("JsonObject", json.loads(encode(reference_fold(ledger, run))))


def _records(ledger: bytes, run: RunId) -> list[Record]:
    reader = LineReader(_ignore)
    found: list[Record] = []
    for line, place in scan(io.BytesIO(ledger), _IN_MEMORY, partial(pick, run=run), _ignore):
        record = reader.read(line, place)
        if record is not None and (record.run == run or record.kind in CROSSING):
            found.append(record)
    return found


def _ignore(_: Problem) -> None:
    """Problems stand beside an answer, and are not compared."""


if __name__ == "__main__":
    from accounting.conformance.serving import main

    raise SystemExit(main(sys.argv[1:]))
