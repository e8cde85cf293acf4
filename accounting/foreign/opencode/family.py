"""Sessions in the order in which they started one another, and which call started which. Spec: foreign.md 3."""

from collections.abc import Iterator

from accounting.foreign.opencode.conversation import Conversation
from accounting.foreign.opencode.rows import AGENT
from accounting.foreign.outline import Child
from accounting.foreign.session import Session, run_of


def in_families(found: list[Conversation]) -> Iterator[Session]:
    """The sessions, each before those that it started.

    The session itself names its parent; where it does not, the call that started it does.
    """
    by_id = {one.kept.id: one for one in found}
    started = {child: one.kept.id for one in found for child in one.started}
    parents = {own: one.kept.info.parent_id or started.get(own) for own, one in by_id.items()}
    given: set[str] = set()
    roots = [own for own, parent in parents.items() if parent not in by_id or parent == own]
    for own in (*roots, *by_id):  # those that name one another are left for the end
        yield from _family(own, by_id, parents, given)


def _family(
    root: str, by_id: dict[str, Conversation], parents: dict[str, str | None], given: set[str]
) -> Iterator[Session]:
    waiting = [root]
    while waiting:
        own = waiting.pop()
        if own in given:
            continue
        given.add(own)
        one = by_id[own]
        parent = parents[own] if parents[own] != own else None
        above = by_id.get(parent or "")
        call = None if above is None else above.started.get(own)
        below = [child for child, named in parents.items() if named == own and child != own]
        links = {
            child: Child(run=run_of(AGENT, child), call=call, turn=turn) for child, (call, turn) in one.started.items()
        }
        for child in below:
            links.setdefault(child, Child(run=run_of(AGENT, child)))
        yield one.session(
            None if parent is None else run_of(AGENT, parent), None if call is None else call[0], tuple(links.values())
        )
        waiting += reversed([*(child for child in one.started if child in below), *_others(below, one)])


def _others(below: list[str], one: Conversation) -> list[str]:
    return [child for child in below if child not in one.started]
