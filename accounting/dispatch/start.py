"""A run started: written down first, then launched, once for each idempotency key. Spec: dispatch.md 2.0, 2.2.

Whatever is killed whenever, another process can tell: a `queued` journal names its owner, and an agent is only ever
started by a launcher that has written its own number into the journal.
"""

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final

from msgspec import UNSET, Struct, ValidationError, structs

from accounting.clock import system_clock
from accounting.dispatch import steps
from accounting.dispatch.children import look_after
from accounting.dispatch.errors import (
    DispatchTroubleError,
    KeyCollisionError,
    RequestError,
    RunBusyError,
    UnknownRunError,
)
from accounting.dispatch.events import SpawnFailed
from accounting.dispatch.ids import key_hash, new_run_id, run_id_of
from accounting.dispatch.invocation import InvocationPlan
from accounting.dispatch.launching import start_launcher
from accounting.dispatch.machine import step
from accounting.dispatch.observe import Observing
from accounting.dispatch.store import RunStore
from accounting.dispatch.wait import wait_until
from accounting.processes import PROCESSES, Processes
from wire import decode, encode
from wire.dispatch import TERMINAL, DispatchJournal, DispatchKind, DispatchState, Invocation
from wire.scalars import AbsolutePath

WAIT_MS: Final = 8000
"""How long a session id is waited for."""
_PATIENCE_MS: Final = 1000
"""How long the run is waited for that another process is changing, however short the wait is."""
LAUNCH_MS: Final = 8000
"""How long a launcher is waited for, however short the wait is."""


class StartRequest(Struct, frozen=True, kw_only=True):
    """What is to be done, and by which agent."""

    profile: str
    """The profile of the agent."""
    kind: DispatchKind
    """What it may do."""
    workspace: AbsolutePath
    """The directory it works in."""
    task: str
    """What it is asked to do."""
    key: str | None = None
    """The idempotency key: one run for each. Empty and `None` are no key."""


def start(
    store: RunStore,
    request: StartRequest,
    plan: InvocationPlan,
    environ: Mapping[str, str],
    *,
    wait_ms: int = WAIT_MS,
    processes: Processes = PROCESSES,
) -> DispatchJournal:
    """Start a run, and answer with it as soon as its session is known, at the latest after `wait_ms` milliseconds.

    Its launcher is waited for in any case, which is a moment: whose dispatcher ends before is not started any more.
    `environ` is the agent's environment, as far as the plan names it. With a key that names a run which was not
    cancelled, that run is the answer, `idempotent_replay` is true, and nothing is started; while another process is
    changing it, that is how it is written. An agent that cannot be started is a failed run, and no error.
    Raises `RequestError` for a request that cannot be written down or has no workspace, `KeyCollisionError`,
    `CorruptJournalError`, `RunBusyError`, and `OSError` when nothing can be written.
    """
    began = time.monotonic()
    queued = _queued(request, plan, processes)
    if not request.key:  # before there is so much as a lock; with a key the run may be there
        _check_workspace(plan)
    try:
        there = _launched(store, request, plan, environ, queued, processes, max(wait_ms, _PATIENCE_MS) / 1000)
    except RunBusyError:
        there = _as_it_stands(store, request, queued)
        if there is None:
            raise
    if there is not None:
        return there
    observing = Observing(store, queued.run_id, processes)
    wait_until(observing, lambda journal: journal.state is not DispatchState.queued, LAUNCH_MS)
    waited_ms = int((time.monotonic() - began) * 1000)
    return wait_until(observing, is_under_way, max(0, wait_ms - waited_ms))


def _launched(
    store: RunStore,
    request: StartRequest,
    plan: InvocationPlan,
    environ: Mapping[str, str],
    queued: DispatchJournal,
    processes: Processes,
    patience_s: float,
) -> DispatchJournal | None:
    """Write a run down and start its launcher; the answer when there is none to wait for, else `None`."""
    with store.locked(queued.run_id, patience_s) as held:
        steps.reached("run locked")
        before = held.read()
        if before is not None:
            _check_key(before, queued)
            before = Observing(store, queued.run_id, processes).catch_up(held)
            if before.state is not DispatchState.cancelled:
                return _replay(before, request)
        _check_workspace(plan)
        if before is None:
            held.create(queued)
        else:
            held.keep_attempt()
            held.write(queued)
        try:
            process = start_launcher(store, queued.run_id, task_on_stdin=plan.task_on_stdin, environ=environ)
        except (OSError, ValueError) as error:  # the latter for a NUL in the environment
            failed = SpawnFailed(at=system_clock(), message=f"its launcher does not start: {error}")
            held.write(step(queued, failed))
            return step(queued, failed)
        settle = partial(_settle, Observing(store, queued.run_id, processes))
        look_after(store.journal_path(queued.run_id), process, settle)
        steps.reached("launcher started")
    steps.reached("run given up")
    return None


def _as_it_stands(store: RunStore, request: StartRequest, queued: DispatchJournal) -> DispatchJournal | None:
    """The run of the request's key as it is written, which is the answer; `None` when there may be one to start."""
    try:
        before = store.read(queued.run_id)
    except UnknownRunError:
        return None
    _check_key(before, queued)
    return None if before.state is DispatchState.cancelled else _replay(before, request)


def _check_key(before: DispatchJournal, queued: DispatchJournal) -> None:
    if before.idempotency_key_sha256 != queued.idempotency_key_sha256:
        raise KeyCollisionError(queued.run_id)


def _check_workspace(plan: InvocationPlan) -> None:
    if not Path(plan.cwd).is_dir():
        raise RequestError(f"{plan.cwd}: no directory to work in; nothing was started")


def is_under_way(journal: DispatchJournal) -> bool:
    """Whether a run's session is known, or it has ended: what is waited for after a start."""
    return journal.session_id is not None or journal.state in TERMINAL


def _settle(observing: Observing) -> None:
    """Write down how a child of ours ended. What fails here is found out by whoever looks next."""
    with suppress(DispatchTroubleError, OSError):
        observing.look()


def replayed(store: RunStore, request: StartRequest) -> DispatchJournal | None:
    """The run that a request is answered with in place of a start; `None` when one is to be started. Raises as `start`.

    For whoever cannot start it any more: `start` looks by itself.
    """
    if not request.key:
        return None
    try:
        run = run_id_of(request.key)
        before = Observing(store, run).look()
    except (UnicodeEncodeError, UnknownRunError):
        return None
    if before.idempotency_key_sha256 != key_hash(request.key):
        raise KeyCollisionError(run)
    return None if before.state is DispatchState.cancelled else _replay(before, request)


def _replay(before: DispatchJournal, asked: StartRequest) -> DispatchJournal:
    names = ("profile", "kind", "workspace", "task")
    differs = tuple(name for name in names if getattr(before, name) != getattr(asked, name))
    return structs.replace(before, idempotent_replay=True, replay_differs=differs or UNSET)


def _queued(request: StartRequest, plan: InvocationPlan, processes: Processes) -> DispatchJournal:
    """The first journal of a run. Raises `RequestError` when the request holds what no journal can."""
    now = system_clock()
    try:
        journal = DispatchJournal(
            run_id=run_id_of(request.key) if request.key else new_run_id(),
            idempotency_key_sha256=key_hash(request.key) if request.key else None,
            profile=request.profile,
            kind=request.kind,
            state=DispatchState.queued,
            workspace=plan.cwd,
            task=request.task,
            invocation=Invocation(argv=plan.argv, env_keys=plan.env_keys),
            configuration=plan.configuration,
            owner_pid=os.getpid(),
            owner_pid_started_at=processes.started_at(os.getpid()) or "",
            created_at=now,
            updated_at=now,
            tool_calls=0,
            other_sessions=0,
            ignored_lines=0,
        )
        return decode(encode(journal), DispatchJournal)
    except UnicodeEncodeError:
        raise RequestError("the request holds a character that is no text (half a surrogate pair)") from None
    except ValidationError as error:
        raise RequestError(f"the request cannot be written down: {error}") from None
