"""The sessions of a source: the main transcript and its sub-agents', linked to one another. Spec: dispatch.md 2.4."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from accounting.foreign.outline import Child, Fact, Outline
from accounting.foreign.session import Session, Source, run_of
from accounting.foreign.workbuddy.transcript import AGENT, Transcript
from accounting.foreign.workbuddy.tree import rewinds
from wire.scalars import RunId, run_id

_PREFIX: Final = "agent-"


class _Sub:
    """A sub-agent, and what is known of where it comes from."""

    def __init__(self, transcript: Transcript, main: str) -> None:
        self.transcript = transcript
        self.file = transcript.path.stem
        self.id = sub_id(transcript.path, transcript.session_id, main)
        self.run = run_of(AGENT, self.id)
        self.call: str | None = None
        self.above: _Sub | None = None
        self.turn: int | None = None
        self.depth = 1


def is_sub(path: Path) -> bool:
    """Whether a file lies where sub-agents' do."""
    return path.parent.name == "subagents" and path.name.startswith(_PREFIX)


def main_of(path: Path) -> str:
    """The session that a sub-agent's file lies under."""
    return path.parent.parent.name


def sub_id(path: Path, stated: str | None, main: str) -> str:
    """What a sub-agent is called: the session that its rows name when that is its own, else its file's name."""
    if stated is not None and stated != main and run_id(stated.lower()) is not None:
        return stated
    return f"{main}/{path.stem}"


def own_id(path: Path, stated: str | None) -> str:
    """What a main session is called: its file is named after it, else its rows name it."""
    return path.stem if run_id(path.stem.lower()) is not None else stated or path.stem


def read_sessions(source: Source) -> Iterator[Session]:
    """The main session, then its sub-agents, each after the one that started it. Raises `OSError`."""
    transcript = _read(source.path)
    if is_sub(source.path):
        main = main_of(source.path)
        sub = _Sub(transcript, main)
        yield _session(transcript, sub.id, sub.run, run_of(AGENT, main), None, ())
        return
    own = own_id(source.path, transcript.session_id)
    subs: list[_Sub] = []
    for path in source.beside:
        try:
            subs.append(_Sub(_read(path), own))
        except OSError:
            transcript.fidelity.files.append(f"{path} (not readable)")
    _link(transcript, subs)
    run = run_of(AGENT, own)
    yield _session(transcript, own, run, None, None, _children(subs, None))
    for sub in sorted(subs, key=lambda sub: sub.depth):
        parent = run if sub.above is None else sub.above.run
        yield _session(sub.transcript, sub.id, sub.run, parent, sub.call, _children(subs, sub))


def _read(path: Path) -> Transcript:
    transcript = Transcript(path)
    transcript.read()
    return transcript


def _link(main: Transcript, subs: list[_Sub]) -> None:
    """Find the call that started each sub-agent: its answer names the sub-agent's file, or its session."""
    owners: list[tuple[Transcript, _Sub | None]] = [(main, None), *((sub.transcript, sub) for sub in subs)]
    for sub in subs:
        names = (sub.file, sub.file.removeprefix(_PREFIX), sub.transcript.session_id or "")
        for transcript, owner in owners:
            call = next((transcript.answered_by[name] for name in names if name in transcript.answered_by), None)
            if call is not None and owner is not sub:
                sub.call, sub.above, sub.turn = call, owner, transcript.requests.turn_of_call.get(call)
                break
    for sub in subs:
        above, passed = sub.above, {id(sub)}
        while above is not None and id(above) not in passed:
            sub.depth += 1
            passed.add(id(above))
            above = above.above


def _children(subs: list[_Sub], above: _Sub | None) -> tuple[Child, ...]:
    return tuple(Child(run=sub.run, call=sub.call, turn=sub.turn) for sub in subs if sub.above is above)


def _session(
    transcript: Transcript,
    own: str,
    run: RunId,
    parent: RunId | None,
    call: str | None,
    children: tuple[Child, ...],
) -> Session:
    requests = transcript.requests
    requests.close()
    if (credit := requests.credit()) is not None:
        transcript.facts["credit"] = credit
    draft = transcript.draft
    draft.run = run
    if transcript.began is not None:
        draft.start(*transcript.began, task=transcript.task, parent=parent)
    live = transcript.tree.live(len(requests.groups))
    outline = Outline(
        turns=requests.standings(live),
        compactions=tuple(transcript.compactions),
        rewinds=rewinds(requests.begun(), live, transcript.compactions),
        failed_requests=tuple(transcript.failures),
        stops=tuple(transcript.stops),
        children=children,
        facts=tuple(Fact(name=name, value=transcript.facts[name]) for name in sorted(transcript.facts)),
    )
    return draft.session(
        AGENT,
        own,
        outline,
        parent=parent,
        started_by=call,
    )
