"""A source's sessions whose report also tells of the fields that their reader does not read."""

from collections.abc import Iterable, Iterator

from msgspec import structs

from accounting.foreign.fidelity import Tally
from accounting.foreign.session import Session


def audited(sessions: Iterable[Session], unread: tuple[Tally, ...]) -> Iterator[Session]:
    """The sessions, the first one's tallies with the unread fields of the source among them, in the same order."""
    for number, session in enumerate(sessions):
        if number or not unread:
            yield session
            continue
        tallies = sorted((*session.report.tallies, *unread), key=lambda one: (one.kind, one.field or "", one.fate))
        yield structs.replace(session, report=structs.replace(session.report, tallies=tuple(tallies)))
