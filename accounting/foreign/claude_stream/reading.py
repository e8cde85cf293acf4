"""The sessions of a stream: events told to their conversations, and the runs of each. Spec: foreign.md 3.2."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import structs

from accounting.foreign.claude_code.chain import Chain
from accounting.foreign.claude_stream.conversation import Conversation, in_order
from accounting.foreign.claude_stream.rows import ASIDE, SPOKEN, Event, is_row
from accounting.foreign.fidelity import Fidelity
from accounting.foreign.outline import Child, Fact, Outline, TurnStanding
from accounting.foreign.rows import document, rows
from accounting.foreign.sample import WINDOW, is_document
from accounting.foreign.session import Session, run_of
from accounting.ledger.problem import Place
from wire.scalars import RunId

AGENT: Final = "claude_stream"
"""The reader's name."""


class Stream:
    """A stream under way. It may hold several sessions: one after the other in a log, or side by side."""

    def __init__(self, path: Path) -> None:
        self.fidelity: Final = Fidelity(AGENT, str(path))
        self.conversations: Final[list[Conversation]] = [Conversation(self.fidelity)]
        self._path = path
        self._current = self.conversations[0]
        self._floats = 0

    def read(self) -> None:
        """Read the whole stream. Raises `OSError`."""
        counted = 0
        for event, place in self._events():
            kind = event.type
            if kind in SPOKEN or kind == "system" or kind == "result":
                self._of(event).event(event, place)
            elif kind in ASIDE:
                why = "told again whole" if kind == "stream_event" else "our records have no field for it"
                self.fidelity.dropped(place, str(kind), None, why)
            else:
                self.fidelity.unknown(place, kind or "(no type)")
            if self._floats != counted:
                counted = self._floats
                self.fidelity.derived(place, "assistant/tool_use", "input", "a float as its decimal text")

    def _events(self) -> Iterator[tuple[Event, Place]]:
        with self._path.open("rb") as file:
            head = file.read(WINDOW)
        if is_document(head) and head.lstrip(b"\xef\xbb\xbf \t\r\n\0").startswith(b"{"):
            only = document(self._path, Event, self.fidelity)
            return iter(() if only is None else (only,))
        return rows(self._path, Event, self.fidelity, is_row=is_row, floats=self._float)

    def _float(self, spelled: str) -> str:
        self._floats += 1
        return spelled

    def _of(self, event: Event) -> Conversation:
        """The conversation that an event is of: the one it names, else the latest."""
        own = event.session_id
        if own is None or own == self._current.id:
            return self._current
        known = next((one for one in self.conversations if one.id == own), None)
        if known is None and self._current.id is None:
            known = self._current
        if known is None:
            known = Conversation(Fidelity(AGENT, str(self._path)))
            self.conversations.append(known)
        known.id = own
        self._current = known
        return known


def read_sessions(path: Path) -> Iterator[Session]:
    """Each session and then its sub-agents, each after the one that started it. Raises `OSError`."""
    stream = Stream(path)
    stream.read()
    told = [one for one in stream.conversations if one.main.began is not None or one.sides]
    for conversation in told or stream.conversations[:1]:
        conversation.close()
        own = conversation.id or path.stem
        run = run_of(AGENT, own)
        yield _main(conversation, own, run)
        for chain in in_order(conversation):
            spawn = conversation.spawn(chain.key)
            above = None if spawn is None or spawn[0] is conversation.main else spawn[0].key
            parent = run if above is None else _side_run(own, above)
            outline = Outline(turns=_standings(chain), stops=tuple(chain.stops))
            yield _session(chain, f"{own}/{chain.key}", _side_run(own, chain.key), parent, chain.key, outline)


def _side_run(own: str, call: str) -> RunId:
    return run_of(AGENT, f"{own}/{call}")


def _main(conversation: Conversation, own: str, run: RunId) -> Session:
    chain = conversation.main
    outline = Outline(
        turns=_standings(chain),
        compactions=tuple(conversation.compactions),
        failed_requests=tuple(conversation.failures),
        stops=tuple(chain.stops),
        children=tuple(_children(conversation, own)),
        facts=tuple(Fact(name=name, value=conversation.facts[name]) for name in sorted(conversation.facts)),
    )
    session = _session(chain, own, run, None, None, outline)
    if conversation.spent is None:
        return session
    whole = structs.replace(session.report.totals, spent=conversation.spent)
    return structs.replace(session, report=structs.replace(session.report, totals=whole))


def _children(conversation: Conversation, own: str) -> Iterator[Child]:
    for call in conversation.sides:
        spawn = conversation.spawn(call)
        if spawn is None or spawn[0] is conversation.main:
            yield Child(run=_side_run(own, call), call=call, turn=None if spawn is None else spawn[1].turn)


def _session(chain: Chain, own: str, run: RunId, parent: RunId | None, call: str | None, outline: Outline) -> Session:
    chain.draft.run = run
    if chain.began is not None:
        chain.draft.start(*chain.began, task=chain.task, parent=parent)
    return chain.draft.session(
        AGENT,
        own,
        outline,
        parent=parent,
        started_by=call,
        stream=True,
    )


def _standings(chain: Chain) -> tuple[TurnStanding, ...]:
    return chain.standings([None] * len(chain.groups))
