"""One rollout file, read from its first row to its last. Spec: foreign.md 3.3."""

from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import Struct, json

from accounting.foreign.codex.compressed import Opened
from accounting.foreign.codex.entries import Entry, entry_of
from accounting.foreign.codex.files import AGENT, head_id, own_id
from accounting.foreign.codex.rows import Item, Line, is_bare, is_enveloped
from accounting.foreign.codex.survey import Survey
from accounting.foreign.codex.thread import Thread
from accounting.foreign.drafting import RunDraft
from accounting.foreign.fidelity import DamageCode, Fidelity
from accounting.foreign.rows import Rows
from accounting.foreign.session import run_of
from accounting.ledger.problem import Place
from wire.scalars import JsonObject


class Rollout(Struct, eq=False):
    """A file that was read."""

    id: str
    """The session's own id."""
    head: Item | None
    """Its `session_meta`; `None` when the file lacks it."""
    replayed: str | None
    """The id in a further `session_meta`: of a session whose rows were copied."""
    survey: Survey
    thread: Thread
    draft: RunDraft
    fidelity: Fidelity


def read_rollout(path: Path) -> Rollout:
    """Read a file. Raises `OSError`."""
    fidelity = Fidelity(AGENT, str(path))
    entries = deque(_once(_lines(path, fidelity), fidelity))
    survey = Survey(entries)
    own = own_id(path, survey.heads[0] if survey.heads else None)
    # The name of the file may tell that its own head is lost, and the first one there is that of a copied thread.
    head = next((head for head in survey.heads if head_id(head) in (own, None)), None)
    replayed = next((id_ for head in survey.heads if (id_ := head_id(head)) not in (own, None)), None)
    draft = RunDraft(run_of(AGENT, own), fidelity)
    thread = Thread(draft, fidelity, survey, head)
    while entries:
        thread.read(entries.popleft())
    thread.turns.finish()
    return Rollout(own, head, replayed, survey, thread, draft, fidelity)


def _lines(path: Path, fidelity: Fidelity) -> Iterator[tuple[Line, Place]]:
    bare = True

    def is_row(value: JsonObject) -> bool:
        return is_enveloped(value) or (bare and is_bare(value))

    place = Place(segment=str(path), line=1, offset=0)
    with Opened(path) as opened:
        for line, place in Rows(str(path), Line, fidelity, is_row).lines(opened.text):
            bare = bare and line.payload is None
            yield line, place
        if opened.is_broken:
            fidelity.damaged(place, DamageCode.torn_tail, "compressed data")


def _once(lines: Iterable[tuple[Line, Place]], fidelity: Fidelity) -> Iterator[Entry]:
    """Without the rows that stand in the file a second time, with their time; rows without a time may be alike."""
    seen: set[int] = set()
    for line, place in lines:
        entry = entry_of(line, place)
        if entry.t is not None:
            mark = _mark(line)
            if mark in seen:
                fidelity.damaged(place, DamageCode.repeated_row)
                continue
            seen.add(mark)
        yield entry


def _mark(line: Line) -> int:
    try:
        return hash(json.encode(line))
    except (RecursionError, ValueError, TypeError, OverflowError):
        return id(line)
