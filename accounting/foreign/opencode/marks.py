"""What stands beside the records of a session: branches, compactions, failures, stops. Spec: foreign.md 3.5."""

from typing import Final

from msgspec import structs

from accounting.foreign.fidelity import Fidelity
from accounting.foreign.opencode.kept import KeptMessage, KeptPart, KeptSession, Removed
from accounting.foreign.opencode.rows import Failure, is_native
from accounting.foreign.opencode.steps import Step
from accounting.foreign.outline import Child, Compaction, Fact, FailedRequest, Outline, Rewind, Stop, TurnStanding
from accounting.ledger.problem import Place
from wire.scalars import TimeMs


class Marks:
    """The outline, in the making."""

    def __init__(self, kept: KeptSession, fidelity: Fidelity) -> None:
        self._kept: Final = kept
        self._fidelity: Final = fidelity
        self._standings: Final[list[TurnStanding]] = []
        self._of_message: Final[dict[str, list[int]]] = {}
        self._of_part: Final[dict[str, int]] = {}
        self._compactions: Final[list[tuple[str, Compaction]]] = []
        self._failed: Final[list[FailedRequest]] = []
        self._stops: Final[list[Stop]] = []

    def stood(self, standing: TurnStanding, message: KeptMessage, step: Step) -> None:
        """The next turn: a step of a message."""
        gone = message.removed or any(part.removed for part in step.all_parts)
        self._standings.append(structs.replace(standing, live=not gone))
        self._of_message.setdefault(message.id, []).append(standing.number)
        self._of_part.update({part.id: standing.number for part in step.all_parts})

    def compacted(self, kept: KeptPart, message: KeptMessage, turns: int) -> None:
        """History was asked to be replaced by a summary."""
        auto = kept.part.auto
        trigger = None if auto is None else "auto" if auto else "manual"
        self._compactions.append(
            (message.id, Compaction(after=turns, place=kept.place, t=message.created, trigger=trigger))
        )

    def summarised(self, message: KeptMessage, summary: str, turns: int) -> None:
        """A reply is a summary: of the compaction that it answers, or of one that nothing else tells of."""
        asked, latest = self._compactions[-1] if self._compactions else ("", None)
        if latest is not None and latest.summary is None and message.info.parent_id in (asked, None):
            self._compactions[-1] = asked, structs.replace(latest, summary=summary or None)
        else:
            told = Compaction(after=turns, place=message.place, t=message.created, summary=summary or None)
            self._compactions.append((message.id, told))

    def failed(self, error: Failure, place: Place, t: TimeMs | None, turns: int, *, retried: bool) -> None:
        """A request came to nothing."""
        status = None if error.data is None else error.data.status_code
        self._failed.append(
            FailedRequest(
                after=turns, place=place, t=t, text=error.text, status=status, code=error.name, retried=retried
            )
        )

    def stopped(
        self, turn: int, place: Place, t: TimeMs | None, call: str | None = None, *, denied: bool = False
    ) -> None:
        """A person broke in."""
        self._stops.append(Stop(turn=turn, place=place, t=t, call=call, denied=denied))

    def outline(self, children: tuple[Child, ...]) -> Outline:
        """The outline."""
        rewinds = [self._rewind(removed) for removed in self._kept.removals]
        reverted = self._reverted()
        if reverted is not None:
            rewinds.append(reverted)
            left = set(reverted.turns)
            self._standings[:] = [
                structs.replace(one, live=False) if one.number in left else one for one in self._standings
            ]
        return Outline(
            turns=tuple(self._standings),
            compactions=tuple(compaction for _, compaction in self._compactions),
            rewinds=tuple(rewinds),
            failed_requests=tuple(self._failed),
            stops=tuple(self._stops),
            children=children,
            facts=self._facts(),
        )

    def _rewind(self, removed: Removed) -> Rewind:
        turns = {turn for own in removed.messages for turn in self._of_message.get(own, ())}
        turns |= {self._of_part[own] for own in removed.parts if own in self._of_part}
        return Rewind(place=removed.place, t=removed.t, turns=tuple(sorted(turns)))

    def _reverted(self) -> Rewind | None:
        """What the session was taken back behind: from a message on, or from a part within it."""
        revert, place = self._kept.info.revert, self._kept.place
        if revert is None or revert.message_id is None or place is None:
            return None
        self._fidelity.beside(place, "session", "revert")
        own = revert.message_id
        messages = self._kept.in_order()
        at = next((number for number, message in enumerate(messages) if message.id == own), None)
        if at is None and is_native(own):  # that message is gone; those behind it are known by their ids
            at = next((number for number, message in enumerate(messages) if message.id > own), len(messages))
        if at is None:
            return Rewind(place=place)
        turns = [turn for message in messages[at:] for turn in self._of_message.get(message.id, ())]
        if revert.part_id is not None and revert.part_id in self._of_part:
            turns = [turn for turn in turns if turn >= self._of_part[revert.part_id]]
        return Rewind(place=place, turns=tuple(turns))

    def _facts(self) -> tuple[Fact, ...]:
        info = self._kept.info
        stated = {"cwd": info.directory, "project": info.project_id, "title": info.title, "version": info.version}
        return tuple(Fact(name=name, value=value) for name, value in stated.items() if value)
