"""The sessions of a source: the main file and its sub-agents' files, linked to one another. Spec: foreign.md 3.1."""

from collections.abc import Iterator
from pathlib import Path

from accounting.foreign.claude_code.branches import live_turns, rewinds
from accounting.foreign.claude_code.chain import Chain
from accounting.foreign.claude_code.files import AGENT, Meta, agent_of, is_agent_file, meta_of
from accounting.foreign.claude_code.files import session_of as named_session
from accounting.foreign.claude_code.group import Spawn
from accounting.foreign.claude_code.transcript import Transcript
from accounting.foreign.fidelity import Fidelity
from accounting.foreign.outline import Child, Fact, Outline
from accounting.foreign.session import Session, Source, run_of
from wire.scalars import RunId


class _Sub:
    """A sub-agent: its chain, and what is known of where it comes from."""

    def __init__(self, chain: Chain, transcript: Transcript, agent_id: str, meta: Meta) -> None:
        self.chain = chain
        self.transcript = transcript
        self.agent_id = agent_id
        self.meta = meta
        self.spawn: Spawn | None = None
        self.parent: _Sub | None = None
        self.depth = 1


def read_sessions(source: Source) -> Iterator[Session]:
    """The main session, then its sub-agents, each after the one that started it. Raises `OSError`."""
    transcript = _read(source.path, side=is_agent_file(source.path))
    session = named_session(source.path) or transcript.session_id or source.path.stem
    subs = [_Sub(chain, transcript, chain.key, Meta()) for chain in transcript.sides.values()]
    if is_agent_file(source.path):
        own = transcript.agent_id or agent_of(source.path)
        alone = _Sub(transcript.main, transcript, own, meta_of(source.path))
        yield _side(alone, transcript.session_id or source.path.parent.name)
        return
    for path in source.beside:
        try:
            beside = _read(path, side=True)
        except OSError:
            transcript.fidelity.files.append(f"{path} (not readable)")
            continue
        subs.append(_Sub(beside.main, beside, beside.agent_id or agent_of(path), meta_of(path)))
    _link(transcript.main, subs)
    main = transcript.main
    if main.began is not None or not subs:
        yield _main(transcript, session, subs)
    for sub in sorted(subs, key=lambda sub: sub.depth):
        yield _side(sub, session)


def _read(path: Path, *, side: bool) -> Transcript:
    transcript = Transcript(path, Fidelity(AGENT, str(path)), side=side)
    transcript.read()
    return transcript


def _link(main: Chain, subs: list[_Sub]) -> None:
    """Find the call that started each sub-agent: named beside its file, in the call's answer, or by the same prompt."""
    by_id = {sub.agent_id: sub for sub in subs}
    calls: list[tuple[Spawn, _Sub | None]] = [(spawn, None) for spawn in main.spawns.values()]
    calls += [(spawn, sub) for sub in subs for spawn in sub.chain.spawns.values()]
    for told in (_named, _answered, _prompted):
        for sub in subs:
            if sub.spawn is not None:
                continue
            for spawn, owner in calls:
                if not spawn.taken and owner is not sub and told(sub, spawn):
                    sub.spawn, sub.parent, spawn.taken = spawn, owner, True
                    break
    for sub in subs:
        if sub.spawn is None and sub.meta.parent_agent_id is not None:
            owner = by_id.get(sub.meta.parent_agent_id)
            sub.parent = owner if owner is not sub else None
    for sub in subs:
        above, passed = sub.parent, {id(sub)}
        while above is not None and id(above) not in passed:
            sub.depth += 1
            passed.add(id(above))
            above = above.parent


def _named(sub: _Sub, spawn: Spawn) -> bool:
    return sub.meta.tool_use_id == spawn.call


def _answered(sub: _Sub, spawn: Spawn) -> bool:
    return spawn.agent_id == sub.agent_id


def _prompted(sub: _Sub, spawn: Spawn) -> bool:
    return sub.chain.task is not None and spawn.agent_id is None and spawn.prompt == sub.chain.task


def _run(session: str, sub: _Sub) -> RunId:
    return run_of(AGENT, _id(session, sub))


def _id(session: str, sub: _Sub) -> str:
    return session if _is_own(session, sub) else f"{session}/{sub.agent_id}"


def _is_own(session: str, sub: _Sub) -> bool:
    """Whether the session that the lines name is the sub-agent itself, which then tells nothing of its parent."""
    return session in (sub.agent_id, f"agent-{sub.agent_id}")


def _main(transcript: Transcript, session: str, subs: list[_Sub]) -> Session:
    chain = transcript.main
    children = tuple(_child(session, sub) for sub in subs if sub.parent is None)
    return _session(chain, transcript, session, run_of(AGENT, session), None, None, children)


def _side(sub: _Sub, session: str) -> Session:
    parent = None if _is_own(session, sub) else run_of(AGENT, session)
    if sub.parent is not None:
        parent = _run(session, sub.parent)
    call = sub.spawn.call if sub.spawn is not None else sub.meta.tool_use_id
    return _session(sub.chain, sub.transcript, _id(session, sub), _run(session, sub), parent, call, ())


def _child(session: str, sub: _Sub) -> Child:
    spawn = sub.spawn
    return Child(
        run=_run(session, sub),
        call=sub.meta.tool_use_id if spawn is None else spawn.call,
        turn=None if spawn is None else spawn.turn,
    )


def _session(
    chain: Chain,
    transcript: Transcript,
    own: str,
    run: RunId,
    parent: RunId | None,
    call: str | None,
    children: tuple[Child, ...],
) -> Session:
    chain.close()
    chain.draft.run = run
    if chain.began is not None:
        chain.draft.start(*chain.began, task=chain.task, parent=parent)
    live = live_turns(chain)
    is_main = chain is transcript.main
    compactions = tuple(transcript.compactions) if is_main else ()
    outline = Outline(
        turns=chain.standings(live),
        compactions=compactions,
        rewinds=rewinds(chain.groups, live, compactions),
        failed_requests=tuple(transcript.failures) if is_main else (),
        stops=tuple(chain.stops),
        children=children,
        facts=_facts(transcript) if is_main else (),
    )
    return chain.draft.session(
        AGENT,
        own,
        outline,
        parent=parent,
        started_by=call,
    )


def _facts(transcript: Transcript) -> tuple[Fact, ...]:
    line = transcript.latest
    facts = dict(transcript.titles)
    if line is not None:
        stated = {"cwd": line.cwd, "version": line.version, "git_branch": line.git_branch}
        facts |= {name: value for name, value in stated.items() if value}
    if transcript.summaries:
        lines = set(transcript.main.lines)
        own = [text for leaf, text in transcript.summaries.items() if leaf in lines]
        if own:
            facts["summary"] = own[-1]
    return tuple(Fact(name=name, value=facts[name]) for name in sorted(facts))
