"""A session whose file stood under a passing name (what came in by a pipe, say), told by the name that it had."""

from collections.abc import Iterable

from msgspec import structs

from accounting.foreign.fidelity import FidelityReport
from accounting.foreign.outline import Outline
from accounting.foreign.session import Session
from accounting.ledger.problem import Place


def renamed(session: Session, passing: str, name: str) -> Session:
    """The session, with `name` wherever it names the file `passing`."""

    def place(one: Place) -> Place:
        return structs.replace(one, segment=name) if one.segment == passing else one

    def places(all_of_them: Iterable[Place]) -> tuple[Place, ...]:
        return tuple(map(place, all_of_them))

    def report(one: FidelityReport) -> FidelityReport:
        return structs.replace(
            one,
            files=tuple(name if file == passing else file for file in one.files),
            tallies=tuple(structs.replace(tally, places=places(tally.places)) for tally in one.tallies),
            damage=tuple(structs.replace(damage, places=places(damage.places)) for damage in one.damage),
        )

    def outline(one: Outline) -> Outline:
        return structs.replace(
            one,
            compactions=tuple(structs.replace(event, place=place(event.place)) for event in one.compactions),
            rewinds=tuple(structs.replace(event, place=place(event.place)) for event in one.rewinds),
            failed_requests=tuple(structs.replace(event, place=place(event.place)) for event in one.failed_requests),
            stops=tuple(structs.replace(event, place=place(event.place)) for event in one.stops),
        )

    return structs.replace(
        session, places=places(session.places), report=report(session.report), outline=outline(session.outline)
    )
