"""Dispatching as a whole on a made-up machine: any deeds in any order, any of them killed at any point.

Starting, launching, looking, waiting, listing and cancelling are the real code on real files; processes, clock and disk
are those of `fake_world`.
"""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from msgspec import UNSET

from accounting.dispatch.cancel import cancel
from accounting.dispatch.children import Exit
from accounting.dispatch.errors import RunBusyError
from accounting.dispatch.ids import run_id_of
from accounting.dispatch.launch import launch
from accounting.dispatch.listing import list_runs
from accounting.dispatch.observe import Observing, observe
from accounting.dispatch.start import StartRequest, start
from accounting.dispatch.wait import wait
from tests.accounting.dispatch.fake_world import Agent, Event, Process, Turned, World, nothing
from tests.accounting.dispatch.journals import path
from wire import decode
from wire.dispatch import TERMINAL, DispatchJournal, DispatchKind, DispatchState, StateSource, TranscriptState
from wire.scalars import DispatchId

_SUCCESS = b'{"type": "result", "subtype": "success", "is_error": false, "result": "Mended."}\n'
_BROKEN = b'{"type": "result", "subtype": "success", "is_error": true}\n'
_ERROR = b'{"type": "result", "subtype": "error_max_turns", "is_error": true}\n'
_PRINTED = st.sampled_from(
    [
        b"INIT",
        b'{"type": "system", "subtype": "init", "session_id": "another"}\n',
        b"Warning: foo\n",
        b"half a line",
        b'{"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t1"}]}}\n',
        _SUCCESS,
        _SUCCESS[:-1],
        _SUCCESS[:30],
        _BROKEN,
        _ERROR,
    ]
)
_WHICH = st.sampled_from([0, 0, 0, 0, 1, 2, 5])
_MANNERS = st.sampled_from(["obeys", "obeys", "deaf", "lingers", "stuck"])
_LAST_WORDS = st.sampled_from([b"", _SUCCESS, _ERROR])
_TELLING = st.sampled_from([TranscriptState.completed, TranscriptState.failed, TranscriptState.open])


def _agent(world: World, which: int) -> Agent | None:
    return world.agents[-1 - which % len(world.agents)] if world.agents else None


def _prints(which: int, text: bytes) -> Event:
    def happen(world: World) -> None:
        if (agent := _agent(world, which)) is not None:
            init = b'{"type": "system", "subtype": "init", "session_id": "%s"}\n' % agent.session.encode()
            agent.prints(init if text == b"INIT" else text)

    return happen


def _ends(which: int, code: int) -> Event:
    def happen(world: World) -> None:
        if (agent := _agent(world, which)) is not None:
            agent.process.end(Exit(exit_code=code))

    return happen


def _ends_with(which: int, text: bytes) -> Event:
    def happen(world: World) -> None:
        _prints(which, text)(world)
        _ends(which, 0)(world)

    return happen


def _ends_and_is_followed(which: int) -> Event:
    def happen(world: World) -> None:
        if (agent := _agent(world, which)) is not None:
            agent.process.end(Exit(exit_code=0))
            world.take_number(agent.process.pid)

    return happen


def _goes_on(which: int, state: TranscriptState) -> Event:
    def happen(world: World) -> None:
        if (agent := _agent(world, which)) is not None:
            world.write_session(agent, state)

    return happen


def _is_silenced(which: int, state: TranscriptState) -> Event:
    """It ends without a result, and its session file says how far it came."""

    def happen(world: World) -> None:
        _goes_on(which, state)(world)
        _ends(which, 1)(world)

    return happen


def _another_looks(which: int) -> Event:
    """Another process is quicker, unless the run is just being changed."""

    def happen(world: World) -> None:
        run = _free(world, which)
        if run is not None:
            with world.acting(world.process(), {}):
                observe(world.store, run, world)
            world.on_deed()

    return happen


def _another_cancels(which: int) -> Event:
    def happen(world: World) -> None:
        run = _free(world, which)
        if run is not None:
            with world.acting(world.process(), {}):
                cancel(world.store, run, grace_ms=0, processes=world)
            world.on_deed()

    return happen


def _free(world: World, which: int) -> DispatchId | None:
    """One of the runs, if nobody is changing it."""
    runs = [agent.run for agent in world.agents[::-1]]
    if not runs or runs[which % len(runs)] not in world.store.ids():
        return None
    run = runs[which % len(runs)]
    try:
        with world.store.locked(run, 0.0):
            return run
    except RunBusyError:
        return None


def _clock(ms: int) -> Event:
    return lambda world: world.turn_clock(ms)


EVENTS: st.SearchStrategy[Event] = st.one_of(
    st.builds(_prints, _WHICH, _PRINTED),
    st.builds(_ends, _WHICH, st.integers(0, 1)),
    st.builds(_ends_with, _WHICH, st.sampled_from([_SUCCESS, _SUCCESS[:-1], _BROKEN, _ERROR])),
    st.builds(_ends_and_is_followed, _WHICH),
    st.builds(_ends_and_is_followed, _WHICH),
    st.builds(_goes_on, _WHICH, _TELLING),
    st.builds(_is_silenced, _WHICH, _TELLING),
    st.builds(_clock, st.sampled_from([-5_000, 1, 5_000])),
)
_MEANWHILE: st.SearchStrategy[dict[int, Event]] = st.just(dict[int, Event]()) | st.dictionaries(
    st.integers(1, 16),
    st.one_of(
        EVENTS,
        st.sampled_from([World.crash, World.crash, World.fill_disk]),
        st.builds(_another_looks, _WHICH),
        st.builds(_another_cancels, _WHICH),
    ),
    min_size=1,
    max_size=2,
)


class Dispatching(RuleBasedStateMachine):
    """Deeds, and what must hold after each of them."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.world.on_turning = self._turned
        self.world.on_signal = self._signalled
        self.world.on_deed = self.every_journal_is_whole_and_says_what_the_world_shows
        self.dispatchers: list[Process] = [self.world.me]
        self.lookers: dict[tuple[int, DispatchId], Observing] = {}
        self.seen: dict[DispatchId, DispatchJournal] = {}
        """Each run as it was written when it was last looked at."""

    # Deeds.

    @initialize(manners=_MANNERS, last_words=_LAST_WORDS)
    def starts_one(self, manners: str, last_words: bytes) -> None:
        """Nothing can be done before there is a run."""
        self.starts(0, "a", {}, fails=False, manners=manners, last_words=last_words, goes_on=True)

    @rule(
        who=_WHICH,
        key=st.sampled_from(["a", "a", "a", "b", "", None]),
        meanwhile=_MEANWHILE,
        fails=st.sampled_from([False] * 7 + [True]),
        manners=_MANNERS,
        last_words=_LAST_WORDS,
        goes_on=st.sampled_from([True, True, False]),
    )
    def starts(
        self,
        who: int,
        key: str | None,
        meanwhile: Mapping[int, Event],
        *,
        fails: bool,
        manners: str,
        last_words: bytes,
        goes_on: bool,
    ) -> None:
        world = self.world
        before = self._written(run_id_of(key)) if key else None
        is_free = before is None or before.state is DispatchState.cancelled
        world.spawning_fails, world.next_manners = fails, (manners, last_words)
        started, known = len(world.agents), set(self.seen)
        workspace = path(str(world.workspace))
        request = StartRequest(profile="p", kind=DispatchKind.run, workspace=workspace, task="mend it", key=key)
        world.while_waiting = partial(self._comes_up, started) if goes_on else nothing
        with world.acting(self._dispatcher(who), meanwhile):
            try:
                answer = start(world.store, request, world.plan(), {}, wait_ms=0, processes=world)
            except OSError:
                return
            is_new = answer.idempotent_replay is UNSET
            if before is not None and before.pid is not None:  # found gone after somebody set about cancelling it
                is_free |= before.pid in {one.pid for one in self._put_aside(before.run_id)}
            assert meanwhile or is_new == is_free
            assert len(world.agents) <= started + is_new
            assert answer.run_id == run_id_of(key) if key else answer.run_id not in known
        assert len(world.agents) <= started + 1

    def _comes_up(self, started: int) -> None:
        """The agent of a start is there in no time."""
        if len(self.world.agents) > started:
            self.launches(which=-1, meanwhile={}, fails=False)
            _prints(0, b"INIT")(self.world)

    @rule(which=_WHICH, meanwhile=_MEANWHILE, fails=st.sampled_from([False] * 7 + [True]))
    def launches(self, which: int, meanwhile: Mapping[int, Event], *, fails: bool) -> None:
        """A launcher comes to run, late or early."""
        world = self.world
        waiting = [one for one in world.agents if one.process.is_alive and not one.is_agent]
        if waiting:
            agent = waiting[which % len(waiting)]
            world.turning_fails = fails
            with world.acting(agent.process, meanwhile):
                try:
                    launch(world.store, agent.run, task_on_stdin=True, turning=world.turning)
                except Turned:
                    return
                except OSError:
                    pass
                agent.process.end(Exit(exit_code=1))

    @rule(who=_WHICH, which=_WHICH, how=st.sampled_from(["again", "observe", "wait", "list"]), meanwhile=_MEANWHILE)
    def looks(self, who: int, which: int, how: str, meanwhile: Mapping[int, Event]) -> None:
        world, run, looker = self.world, self._run(which), self._dispatcher(who)
        if run is None:
            return
        with world.acting(looker, meanwhile):
            try:
                match how:
                    case "observe":
                        observe(world.store, run, world)
                    case "wait":
                        wait(world.store, run, 0, processes=world)
                    case "list":
                        listed = list_runs(world.store, processes=world)
                        assert not listed.unreadable
                    case _:
                        self.lookers.setdefault((looker.pid, run), world.observing(world.store, run)).look()
            except OSError:
                return
        if not meanwhile:
            self._is_up_to_date(run)

    @rule(who=_WHICH, which=_WHICH, meanwhile=_MEANWHILE)
    def cancels(self, who: int, which: int, meanwhile: Mapping[int, Event]) -> None:
        world, run = self.world, self._run(which)
        if run is None:
            return
        before = self._written(run)
        agent = None if before is None else self._agent(before)
        is_silent = agent is not None and agent.process.is_alive and not agent.results()
        with world.acting(self._dispatcher(who), meanwhile):
            try:
                answer = cancel(world.store, run, grace_ms=0, processes=world)
            except OSError:
                return
            assert answer.cancelled == (answer.run.state is DispatchState.cancelled)
            assert answer.cancelled or answer.why is not None
            if before is not None and before.state in TERMINAL and before.state is not DispatchState.unknown:
                assert answer.run == before
            if agent is not None and agent.process.is_alive:
                assert agent.manners == "stuck"
                assert answer.why is not None
                assert "goes on" in answer.why
            if is_silent and not meanwhile:
                assert answer.run.state is not DispatchState.failed  # an error then is its answer to our signal

    @rule(event=EVENTS)
    def happens(self, event: Event) -> None:
        event(self.world)

    @rule(who=_WHICH)
    def dispatcher_ends(self, who: int) -> None:
        self._dispatcher(who).end(Exit(signal="SIGKILL"))

    # What must hold.

    @invariant()
    def every_journal_is_whole_and_says_what_the_world_shows(self) -> None:
        for run in self.world.store.ids():
            journal = self._written(run)
            assert journal is not None
            self._follows(run, journal)
            self.seen[run] = journal
            for one in (journal, *self._put_aside(run)):
                self._is_shown(one)
        for agent in self.world.agents:
            if agent.is_agent and agent.process.is_alive:
                states = [one.state for one in self._attempts(agent.run) if one.pid == agent.process.pid]
                assert len(states) == 1, f"{agent.run} does not name process {agent.process.pid} once"
                assert states[0] not in (DispatchState.queued, DispatchState.cancelled, DispatchState.unknown)

    @invariant()
    def no_run_is_lost(self) -> None:
        assert set(self.seen) <= set(self.world.store.ids())

    def teardown(self) -> None:
        """The machine comes to rest; then every run has ended, and whoever asks is told how."""
        world = self.world
        try:
            for process in world.processes.values():
                process.end(Exit(signal="SIGKILL"))
            with world.acting(world.process(), {}):
                list_runs(world.store, processes=world)
                self.every_journal_is_whole_and_says_what_the_world_shows()
                self.no_run_is_lost()
                listed = list_runs(world.store, processes=world).runs
                assert {journal.run_id for journal in listed} == set(world.store.ids())
                assert all(journal.state in TERMINAL for journal in listed)
        finally:
            world.close()

    def _is_up_to_date(self, run: DispatchId) -> None:
        """A run that was looked at waits for nobody who is gone."""
        journal = self._written(run)
        assert journal is not None
        there = {process.started for process in self.world.processes.values() if process.is_alive}
        if journal.state is DispatchState.queued:
            assert journal.owner_pid_started_at in there
        if journal.state is DispatchState.running:
            assert journal.pid_started_at in there
        agent = self._agent(journal)
        if journal.state is DispatchState.unknown and agent is not None and journal.session_id == agent.session:
            state, t = agent.told[0] if len(agent.told) == 1 else (TranscriptState.open, 0)
            is_in_time = journal.created_at <= t <= (journal.finished_at or 0)
            assert state is not TranscriptState.completed or not is_in_time

    def _follows(self, run: DispatchId, now: DispatchJournal) -> None:
        before = self.seen.get(run)
        if before is None:
            return
        # It may have been cancelled and started again since.
        now = next((one for one in self._put_aside(run) if before.pid is not None and one.pid == before.pid), now)
        if before == now:
            return
        assert before.state is not DispatchState.cancelled
        if before.state is DispatchState.unknown:
            assert now.state in (DispatchState.succeeded, DispatchState.failed)
            assert now.state_source is StateSource.transcript
        elif before.state is DispatchState.running and now.stop_reason == "spawn_error":
            # The launcher says so under its lock, from the journal before; whoever looked meanwhile saw it running.
            assert not any(one.is_agent and one.process.pid == before.pid for one in self.world.agents)
        else:
            assert before.state not in TERMINAL
            assert now.state is not DispatchState.queued
            assert now.created_at == before.created_at
            assert before.cancel_asked_at in (None, now.cancel_asked_at)
            assert before.pid in (None, now.pid)
            assert before.session_id in (None, now.session_id)

    def _is_shown(self, journal: DispatchJournal) -> None:
        """What a final journal says is what its agent printed, wrote, or left unsaid."""
        agent = self._agent(journal)
        results = [] if agent is None else agent.results()
        match journal.state, journal.state_source:
            case DispatchState.succeeded, StateSource.observation:
                assert results[0] == "success"
            case DispatchState.failed, StateSource.observation:
                assert results[:1] == ["error"] or journal.stop_reason == "spawn_error"
                assert journal.stop_reason != "spawn_error" or agent is None
            case (DispatchState.succeeded | DispatchState.failed) as state, StateSource.transcript:
                assert agent is not None
                assert not results
                assert journal.session_id == agent.session
                shown = TranscriptState.completed if state is DispatchState.succeeded else TranscriptState.failed
                assert any(one is shown and t >= journal.created_at for one, t in agent.told)
            case DispatchState.cancelled, _:
                assert journal.cancel_asked_at is not None
                assert results[:1] != ["success"]
                assert agent is None or not agent.process.is_alive
            case DispatchState.unknown, _:
                assert not results
                assert journal.cancel_asked_at is None
                assert agent is None or not agent.process.is_alive
            case _:
                pass

    def _turned(self, agent: Agent) -> None:
        """One agent for each attempt, and one attempt for each key unless the one before was cancelled."""
        earlier = [one for one in self.world.agents if one.is_agent and one.run == agent.run and one is not agent]
        cancelled = {one.pid for one in self._put_aside(agent.run) if one.state is DispatchState.cancelled}
        assert {one.process.pid for one in earlier} <= cancelled, f"{agent.run} has a second agent"
        journal = self._written(agent.run)
        assert journal is not None
        assert (journal.state, journal.pid) == (DispatchState.running, agent.process.pid)

    def _signalled(self, agent: Agent) -> None:
        """That it is to be ended is written down, unless its run has ended without it."""
        journals = [one for one in self._attempts(agent.run) if one.pid == agent.process.pid]
        assert all(one.cancel_asked_at is not None or one.state in TERMINAL for one in journals)

    # Looking at it.

    def _agent(self, journal: DispatchJournal) -> Agent | None:
        return next((one for one in self.world.agents if one.is_agent and one.process.pid == journal.pid), None)

    def _dispatcher(self, which: int) -> Process:
        """One of those there are, or a new one."""
        there = [one for one in self.dispatchers if one.is_alive]
        if which < len(there):
            return there[which]
        self.dispatchers.append(self.world.process())
        return self.dispatchers[-1]

    def _run(self, which: int) -> DispatchId | None:
        """One of those there are, the newest first."""
        runs = list(self.seen)
        return runs[-1 - which % len(runs)] if runs else None

    def _written(self, run: DispatchId) -> DispatchJournal | None:
        return _journal(self.world.store.journal_path(run))

    def _put_aside(self, run: DispatchId) -> list[DispatchJournal]:
        found = sorted(self.world.store.runs.glob(f"{run}.*.json"))
        return [journal for journal in map(_journal, found) if journal is not None]

    def _attempts(self, run: DispatchId) -> list[DispatchJournal]:
        now = self._written(run)
        return [*self._put_aside(run), *(() if now is None else (now,))]


def _journal(file: Path) -> DispatchJournal | None:
    return decode(file.read_bytes(), DispatchJournal) if file.exists() else None


Dispatching.TestCase.settings = settings(max_examples=settings().max_examples // 2, stateful_step_count=30)


@pytest.mark.invariant("D1")
@pytest.mark.invariant("D2")
@pytest.mark.invariant("D4")
@pytest.mark.invariant("D5")
@pytest.mark.invariant("D6")
@pytest.mark.invariant("D8")
def test_dispatching() -> None:
    Dispatching.TestCase().runTest()
