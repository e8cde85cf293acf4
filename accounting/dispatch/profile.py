"""What a profile says of an agent: where it is, how it is started, what it may be told. Spec: dispatch.md 2.0.

A path in it may begin with `~` or with a variable, `$NAME`: see `accounting.dispatch.homes.expanded`.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from wire.dispatch import DispatchKind

TASK: Final = "{task}"
"""What stands for the task in an argument."""


class TaskBy(StrEnum):
    """How an agent is handed its task."""

    stdin = "stdin"
    """On standard input."""
    argument = "argument"
    """As an argument, where `{task}` stands; whoever lists processes can read it then."""


class Installation(Struct, frozen=True, kw_only=True):
    """An application that brings the agent's command line along, in a directory of its own."""

    variable: str
    """The environment variable that names that directory; set, it alone counts."""
    places: tuple[str, ...]
    """Where it usually is, the first choice first."""
    programs: tuple[str, ...]
    """The command line below that directory."""


class Interpreter(Struct, frozen=True, kw_only=True):
    """What runs a program that is a script."""

    name: str
    """A name on PATH, or a path."""
    places: tuple[str, ...] = ()
    """Patterns of where else it may be, below the agent's own directory."""
    at_least: tuple[int, ...] = ()
    """The oldest version that will do; empty where any does."""


class Configuration(Struct, frozen=True, kw_only=True):
    """Where an agent keeps its own files, its sessions among them: `projects/<directory>/<session>.jsonl`."""

    variables: tuple[str, ...] = ()
    """The environment variables that name it, the first choice first."""
    places: tuple[str, ...]
    """Where it is otherwise: the first that is there, else the first."""
    told_as: str | None = None
    """The variable by which the agent is told; `None` when it finds the same place by itself."""
    from_file: bool = False
    """Whether `places` is what the configuration file says: the variables do not count then, and the agent is told."""


class Model(Struct, frozen=True, kw_only=True):
    """How a model is chosen where the agent is not left to choose."""

    variable: str
    """The environment variable that names it."""
    file: str
    """A JSON file of models below the agent's own directory: otherwise it is the first of them."""
    option: str
    """The option that tells the agent."""


class Profile(Struct, frozen=True, kw_only=True):
    """An agent, and how it is started."""

    name: str
    """What it is called."""
    programs: tuple[str, ...]
    """The program: names on PATH, or paths, the first choice first."""
    installation: Installation | None = None
    """An application that may bring it along: looked for before `programs`."""
    interpreter: Interpreter | None = None
    """What runs the program where that is a script; `None` when it has to run by itself."""
    review: tuple[str, ...] | None = None
    """Its arguments for work that may read and must not edit; `None` when it cannot be told so."""
    run: tuple[str, ...] | None = None
    """Its arguments for work that may edit within the workspace; `None` when it cannot be told so."""
    task: TaskBy = TaskBy.stdin
    """How it is handed the task."""
    environment: tuple[str, ...] = ()
    """Variables that it is given beside those that every agent is; `NAME_*` is all whose names begin so."""
    configuration: Configuration | None = None
    """Its own directory; `None` when its sessions are not kept as `Configuration` says."""
    model: Model | None = None
    """How its model is chosen; `None` when it chooses itself."""
    source: str = "bundled"
    """Where it is from: `bundled`, or the file that adds or changes it."""

    def arguments(self, kind: DispatchKind) -> tuple[str, ...] | None:
        """The agent's arguments for a kind of work; `None` when it cannot be told so."""
        return self.review if kind is DispatchKind.review else self.run
