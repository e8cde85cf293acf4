"""Whether runs can be dispatched from here: read only, nothing is started or written. Spec: dispatch.md 2.0."""

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, cast, overload

from accounting.dispatch.disclosed import disclosed
from accounting.dispatch.discover import discover
from accounting.dispatch.environment import chosen_environment
from accounting.dispatch.errors import DispatchTroubleError
from accounting.dispatch.homes import why_no_directory
from accounting.dispatch.invocation import build_invocation
from accounting.dispatch.places import state_directory
from accounting.dispatch.profile import Profile
from accounting.dispatch.profiles import profile_named, profiles_that_read
from wire.dispatch import DispatchKind, DoctorReport, Invocation, PlannedInvocation, ProfileReport
from wire.scalars import AbsolutePath

_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def doctor(environ: Mapping[str, str] | None = None) -> DoctorReport:
    """What there is of every profile's agent, how it would be started, and what stands in the way.

    `None` is this environment. What is wrong with the configuration is told. A profile that does not read is left out,
    or, where it changes a bundled one, is not ready, and the others go on; a file that does not read as a whole leaves
    the bundled ones, none of them ready, since it may change them.
    Raises `PlaceError` (`accounting.dispatch.homes`) when no state directory can be told.
    """
    environ = os.environ if environ is None else environ
    state = state_directory(environ)
    every, unread = profiles_that_read(environ)
    return DoctorReport(
        state_directory=_spelled(state),
        profiles=tuple(_report(one, environ) for one in every.values()),
        problems=tuple(map(_text, (*_state_problems(state), *unread))),
    )


def _report(profile: Profile, environ: Mapping[str, str]) -> ProfileReport:
    try:
        profile_named(profile.name, environ)  # raises for a bundled one that the file changes wrongly
        found = discover(profile, environ)
        given = chosen_environment(profile, environ)
    except DispatchTroubleError as error:
        return ProfileReport(profile=profile.name, ready=False, planned=(), problems=(_text(str(error)),))
    problems = list(found.problems)
    planned: list[PlannedInvocation] = []
    for kind in DispatchKind:
        words = profile.arguments(kind)
        if words is None or not found.ready:
            continue  # a profile may be for one kind of work only
        problems += _disclosures(kind, words)
        try:
            # Where it would work is of no account here: any place does.
            plan = build_invocation(profile, found, kind, cast("AbsolutePath", "/"), given)
        except DispatchTroubleError as error:
            problems.append(str(error))
            continue
        invocation = Invocation(argv=plan.argv, env_keys=plan.env_keys)
        planned.append(PlannedInvocation(kind=kind, invocation=invocation, task_on_stdin=plan.task_on_stdin))
    return ProfileReport(
        profile=profile.name,
        ready=bool(planned),
        program=_spelled(found.program),
        interpreter=_spelled(found.interpreter),
        installation=_spelled(found.installation),
        configuration=_spelled(found.configuration),
        planned=tuple(planned),
        problems=tuple(dict.fromkeys(map(_text, problems))),
    )


def _disclosures(kind: DispatchKind, words: Sequence[str]) -> list[str]:
    what = "looks like a secret, and arguments are written into journals; put it into the environment"
    return [f"{kind}[{index}] {what}, and its variable into `environment`" for index in disclosed(words)]


def _text(text: str) -> str:
    r"""A text as JSON can hold it: what is no UTF-8 in a name is spelled out, `\udcff`."""
    return text.encode(errors="backslashreplace").decode()


@overload
def _spelled(path: str | Path) -> AbsolutePath: ...
@overload
def _spelled(path: str | None) -> AbsolutePath | None: ...
def _spelled(path: str | Path | None) -> AbsolutePath | None:
    """A path, likewise."""
    return None if path is None else cast("AbsolutePath", _text(str(path)))


def _state_problems(state: Path) -> list[str]:
    """What is wrong with the state directory; one that is not there is made by the first run."""
    for path in (state, state / "runs"):
        why = why_no_directory(path)
        if why is not None and why.startswith("no such"):
            return _making_problems(path)
        if why is not None:
            move = " move it away, or" if why.startswith("no ") else ""
            return [f"{path}: {why};{move} name another place in ROUNDS_STATE_DIR"]
        if not os.access(path, os.R_OK | os.W_OK | os.X_OK):
            return [f"{path}: not yours to write to; name another place in ROUNDS_STATE_DIR"]
    if os.name == "posix" and stat.S_IMODE((state / "runs").stat().st_mode) & _OTHERS:
        return [f"{state / 'runs'}: others may look into it; `chmod 700` keeps tasks and answers yours"]
    return []


def _making_problems(path: Path) -> list[str]:
    """What keeps a directory from being made: the nearest that is there above it has to take it."""
    above = next((one for one in path.parents if os.path.lexists(one)), path.parent)
    if why_no_directory(above) is None and os.access(above, os.W_OK | os.X_OK):
        return []
    return [f"{path}: cannot be made in {above}; make it, or name another place in ROUNDS_STATE_DIR"]
