"""What stands beside the answer of another agent's session: how sure its figures are, branches, sub-agents.

Spec: foreign.md 3, the truth rules. Nothing of it is in the answer, so it comes from the session's outline.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from rich.text import Text

from accounting.cli.draw.lines import DIM, cropped, flow, single
from accounting.cli.units import dollars, several, took
from accounting.foreign.fidelity import Standing
from accounting.foreign.outline import Child, Compaction, Rewind, Stop, TurnStanding
from wire.reading import text
from wire.record.kinds import Kind
from wire.scalars import JsonObject, RunId, Seq

if TYPE_CHECKING:
    from accounting.foreign import Session
    from wire.answer.rounds import Turn

FACTS: Final = {"title": "title", "cwd": "in", "git_branch": "branch", "version": "version"}
"""The facts of a session that are shown where they are recorded, and their labels."""


class Beside:
    """What is beside the answer, by the place in it where it is drawn."""

    def __init__(self, session: "Session") -> None:
        self.session: Final = session
        self._standings: dict[Seq, TurnStanding] = {}
        self._started: dict[Seq, RunId] = {}
        self._events: dict[int, list[str]] = {}
        self._called: dict[str, str] = {}
        outline = session.outline
        children = {child.call: child.run for child in outline.children if child.call is not None}
        standings = iter(outline.turns)
        for record in session.records:
            if record.kind == Kind.model_called and (standing := next(standings, None)) is not None:
                self._standings[record.seq] = standing
            elif record.kind == Kind.tool_called:
                named = str(record.data.get("id"))
                self._called[named] = _called(record.data)
                if (run := children.get(named)) is not None:
                    self._started[record.seq] = run
        for compaction in outline.compactions:
            self._event(compaction.after, _compacted(compaction))
        for rewind in outline.rewinds:
            self._event(max(rewind.turns, default=0), _rewound(rewind))
        for stop in outline.stops:
            self._event(stop.turn, _stopped(stop, self._called.get(stop.call or "", "a call")))

    def started(self, at: Seq) -> RunId | None:
        """The sub-agent that a call started."""
        return self._started.get(at)

    def marks(self, turn: "Turn") -> Iterator[str]:
        """What is to be known of a turn's figures, and of the turn itself."""
        standing = self._standings.get(turn.opened)
        if standing is None:
            return
        if standing.live is False:
            yield "off the live branch"
        if standing.copied_from is not None:
            yield f"copied from {standing.copied_from}"
        if standing.figures is Standing.deduplicated:
            rows = f" of {standing.rows:,} rows" if standing.rows > 1 else ""
            yield f"counted once{rows}"
        elif standing.figures is Standing.estimated:
            yield "tokens estimated"
        elif standing.figures is Standing.unknown and turn.used is not None:
            yield "tokens in part unknown"

    def events(self, turn: "Turn | None", width: int) -> Iterator[Text]:
        """What happened after a turn, or before the first one."""
        number = 0 if turn is None else self._number(turn)
        yield from (cropped(event, width, "cyan") for event in self._events.get(number, ()))

    def head(self) -> Iterator[tuple[str, str]]:
        """Labels and values for the head of the session."""
        session = self.session
        yield "agent", session.agent
        if session.started_by is not None:
            yield "by call", session.started_by
        facts = {fact.name: fact.value for fact in session.outline.facts}
        yield from ((label, single(facts[name])) for name, label in FACTS.items() if facts.get(name))

    def foot(self, width: int) -> Iterator[Text]:
        """How the sums were obtained, and the sub-agents whose call is not known."""
        told = [f"tokens {_STANDINGS[self.session.report.totals.standing]}"]
        totals = self.session.report.totals
        if totals.spent is not None and not totals.priced:
            told.append(f"{dollars(totals.spent)}, stated for the session as a whole")
        off = sum(standing.live is False for standing in self.session.outline.turns)
        if off:
            told.append(f"{several(off, 'turn')} off the live branch, counted all the same")
        children = self.session.outline.children
        if children:
            told.append(several(len(children), "sub-agent"))
        yield from flow((Text(item, DIM) for item in told), width)
        for child in children:
            if child.run not in self._started.values():
                yield cropped(f"sub-agent {_child(child)}", width, DIM)

    def _number(self, turn: "Turn") -> int:
        # In a window the answer counts from where it begins, the outline from the session's beginning.
        standing = self._standings.get(turn.opened)
        return -1 if standing is None else standing.number

    def _event(self, after: int, words: str) -> None:
        self._events.setdefault(after, []).append(words)


_STANDINGS: Final = {
    Standing.exact: "exact",
    Standing.deduplicated: "de-duplicated: each request counted once",
    Standing.estimated: "in part estimated",
    Standing.unknown: "in part unknown",
}


def _compacted(compaction: Compaction) -> str:
    tokens = [
        f"{count:,} tokens {when}"
        for count, when in ((compaction.tokens_before, "before"), (compaction.tokens_after, "after"))
        if count is not None
    ]
    details = [*([] if compaction.trigger is None else [single(compaction.trigger)]), *tokens]
    if compaction.took_us is not None:
        details.append(took(compaction.took_us))
    return f"◇ history compacted{': ' if details else ''}{', '.join(details)}"


def _rewound(rewind: Rewind) -> str:
    left = f", leaving {_turns(rewind.turns)} behind" if rewind.turns else ""
    return f"↶ the person went back{left}"


def _turns(numbers: tuple[int, ...]) -> str:
    first, last = min(numbers), max(numbers)
    if first == last:
        return f"turn {first}"
    return f"turns {first} to {last}" if last - first + 1 == len(numbers) else f"{len(numbers):,} turns up to {last}"


def _called(data: JsonObject) -> str:
    """A call in few words: the tool and what it acts on."""
    words = (text(data.get("name")), text(data.get("subject")))
    return single("  ".join(word for word in words if word)) or "a call"


def _stopped(stop: Stop, call: str) -> str:
    if stop.denied:
        return f"■ the person denied {call}"
    return f"■ the person interrupted {call}" if stop.call is not None else "■ the person interrupted"


def _child(child: Child) -> str:
    return child.run if child.turn is None else f"{child.run}, started in turn {child.turn}"
