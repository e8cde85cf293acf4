"""A piece of work given to an agent: found, told what it may do, and started. Spec: dispatch.md 2.0, 2.2.

    workspace = absolute_path("/work/harbour")
    request = StartRequest(profile="claude_code", kind=DispatchKind.review, workspace=workspace, task="What leaks?")
    journal = dispatch(request)

The command line and the tools both come here.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from accounting.dispatch.discover import discover
from accounting.dispatch.environment import chosen_environment
from accounting.dispatch.errors import DispatchTroubleError, RequestError
from accounting.dispatch.homes import why_no_directory
from accounting.dispatch.invocation import InvocationPlan, build_invocation, check_text
from accounting.dispatch.permissions import refuse_widening_task
from accounting.dispatch.places import state_directory
from accounting.dispatch.profile import TASK
from accounting.dispatch.profiles import profile_named
from accounting.dispatch.start import WAIT_MS, StartRequest, replayed, start
from accounting.dispatch.store import RunStore
from wire.dispatch import DispatchJournal


def dispatch(
    request: StartRequest,
    environ: Mapping[str, str] | None = None,
    *,
    store: RunStore | None = None,
    wait_ms: int = WAIT_MS,
) -> DispatchJournal:
    """Start a run by its profile, and answer as `start` does. `None` is this environment, and its state directory.

    A key that names a run is answered with that run, also where its agent or its workspace is gone. Raises
    `RequestError` for a blank task, one that an agent would take for an option, what is no text, and a workspace that
    is no directory; `ProfileError`, `NotInstalledError`, `PermissionWideningError`, `PlaceError`; and as `start` does.
    """
    environ = os.environ if environ is None else environ
    store = RunStore(state_directory(environ)) if store is None else store
    if not request.task.strip():
        raise RequestError("the task is blank; say what is to be done")
    try:
        plan, given = _planned(request, environ)
    except DispatchTroubleError:
        there = replayed(store, request)
        if there is None:
            raise
        return there
    return start(store, request, plan, given, wait_ms=wait_ms)


def _planned(request: StartRequest, environ: Mapping[str, str]) -> tuple[InvocationPlan, dict[str, str]]:
    """How the agent is to be started, and its environment."""
    profile = profile_named(request.profile, environ)
    given = chosen_environment(profile, environ)
    plan = build_invocation(profile, discover(profile, environ), request.kind, request.workspace, given)
    check_text({"the workspace": [request.workspace], "the key": [request.key or ""], "the task": [request.task]})
    if not plan.task_on_stdin:
        _check_argument(request.task, profile.name, at_beginning=TASK in plan.argv)
    why = why_no_directory(Path(request.workspace))
    if why is not None:
        raise RequestError(f"{request.workspace}: {why}; nothing was started: name a directory to work in")
    return plan, given


def _check_argument(task: str, profile: str, *, at_beginning: bool) -> None:
    """Raise for a task that would be more than one as an argument."""
    if at_beginning and task.startswith("-"):
        raise RequestError(
            f"a task that begins with `-` would be an option to the agent of profile {profile!r}, which takes it"
            " as an argument; begin it with a word"
        )
    if "\0" in task:
        raise RequestError(f"the task holds a NUL, and the agent of profile {profile!r} takes it as an argument")
    refuse_widening_task(task)
