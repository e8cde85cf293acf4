"""What is there of an agent on this machine: read only, nothing is started. Spec: dispatch.md 2.0, 2.1."""

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import cast

from msgspec import Struct

from accounting.dispatch.environment import configuration_directory
from accounting.dispatch.errors import DispatchTroubleError
from accounting.dispatch.homes import expanded, from_root, why_no_directory, why_no_file
from accounting.dispatch.interpreters import interpreter_of, needs_interpreter
from accounting.dispatch.models import ModelError, model_of
from accounting.dispatch.profile import Profile
from wire.scalars import AbsolutePath


class NotInstalledError(DispatchTroubleError):
    """The agent of a profile is not there, or cannot be started as it is."""

    def __init__(self, profile: str, problems: Iterable[str]) -> None:
        super().__init__(f"profile {profile!r} cannot be started: {'; '.join(problems)}")
        self.profile = profile
        """The profile."""


class Discovery(Struct, frozen=True, kw_only=True):
    """What was found of an agent."""

    program: AbsolutePath | None
    """What would be started; `None` when it was not found."""
    interpreter: AbsolutePath | None
    """What runs the program; `None` when it needs none, or none was found."""
    installation: AbsolutePath | None
    """Where the agent's command line is installed, when its profile looks for that and it is used; `None` otherwise."""
    configuration: AbsolutePath | None
    """The agent's own directory, there or not; `None` when it has none."""
    model: str | None
    """The model to be told; `None` when it is the agent's to choose."""
    ready: bool
    """Whether it can be started."""
    problems: tuple[str, ...]
    """What stands in the way or is odd, each with what to do."""

    @property
    def command(self) -> tuple[str, ...]:
        """The program, with what runs it."""
        return tuple(part for part in (self.interpreter, self.program) if part is not None)


def discover(profile: Profile, environ: Mapping[str, str] | None = None) -> Discovery:
    """Look for a profile's agent. `None` is this environment. Nothing is started, and nothing written.

    Raises `PlaceError` (`accounting.dispatch.homes`) when the home or the working directory cannot be told.
    """
    environ = os.environ if environ is None else environ
    problems: list[str] = []
    configuration = configuration_directory(profile, environ)
    installation, program = _program(profile, environ, problems)
    interpreter = None
    ready = program is not None
    if program is not None and needs_interpreter(program, profile.interpreter):
        if profile.interpreter is None:
            ready = False
            problems.append(f"{program} is not executable; make it so, or name its `interpreter` in the profile")
        else:
            interpreter = interpreter_of(profile.interpreter, configuration, environ, problems)
            ready = interpreter is not None
    if ready and configuration is not None:
        why = why_no_directory(Path(configuration))
        if why is not None:
            what = "start the agent once by hand, so that it makes it" if why.startswith("no such") else "see to it"
            problems.append(f"{configuration}: {why}; {what}")
    model = None
    if profile.model is not None:
        try:
            model = model_of(profile.model, configuration, environ, problems)
        except ModelError as error:
            ready = False
            problems.append(str(error))
    return Discovery(
        program=None if program is None else _absolute(program),
        interpreter=None if interpreter is None else _absolute(interpreter),
        installation=None if installation is None else _absolute(installation),
        configuration=cast("AbsolutePath | None", configuration),
        model=model,
        ready=ready,
        problems=tuple(problems),
    )


def _program(profile: Profile, environ: Mapping[str, str], problems: list[str]) -> tuple[Path | None, Path | None]:
    """The directory of the installation, and the program."""
    wanted = profile.installation
    if wanted is not None:
        named = environ.get(wanted.variable, "").strip()
        for place in (named,) if named else wanted.places:
            directory = expanded(place, environ)
            if directory is None or why_no_directory(directory) is not None:
                continue
            found = [directory / below for below in wanted.programs if why_no_file(directory / below) is None]
            if found:
                return directory, found[0]
        if named:
            why = _why_no_installation(named, wanted.programs, environ)
            problems.append(f"{why}; correct {wanted.variable}, or unset it")
            return None, None
    missing: list[str] = []
    for name in profile.programs:
        path = _found(name, environ)
        if isinstance(path, Path):
            return None, path
        missing.append(path)
    what = "install the agent" if profile.source == "bundled" else f"correct `program` in {profile.source}"
    hint = "" if wanted is None else f", or have {wanted.variable} name its directory"
    problems.append(f"there is {', '.join(missing)}; {what}{hint}")
    return None, None


def _why_no_installation(named: str, programs: Iterable[str], environ: Mapping[str, str]) -> str:
    directory = expanded(named, environ)
    if directory is None:
        return f"{named} is no whole path"
    why = why_no_directory(directory)
    return f"{named}: {why}" if why is not None else f"{named} has no {' nor '.join(programs)}"


def _found(program: str, environ: Mapping[str, str]) -> Path | str:
    """A program by its name on PATH, or by its path, executable or not; else what there is not."""
    path = expanded(program, environ)
    if path is None:
        found = shutil.which(program, path=environ.get("PATH", ""))
        return f"no `{program}` on PATH" if found is None else Path(found)
    why = why_no_file(path)
    if why is None:
        return path
    return f"no {program}" if why.startswith("no such") else f"no program at {program} ({why})"


def _absolute(path: Path) -> AbsolutePath:
    return cast("AbsolutePath", str(from_root(path)))
