"""How an agent would be started for a piece of work: pure. Spec: dispatch.md 2.0."""

from collections.abc import Iterable, Mapping

from msgspec import Struct

from accounting.dispatch.discover import Discovery, NotInstalledError
from accounting.dispatch.errors import RequestError
from accounting.dispatch.permissions import refuse_widening
from accounting.dispatch.profile import TASK, Profile, TaskBy
from accounting.dispatch.profiles import ProfileError
from wire.dispatch import DispatchKind
from wire.scalars import AbsolutePath


class InvocationPlan(Struct, frozen=True, kw_only=True):
    """How an agent is to be started. What it is to do is not in it."""

    argv: tuple[str, ...]
    """The command and its arguments; `{task}` stands for the task where that is one."""
    env_keys: tuple[str, ...]
    """The names of what its environment is given, in order."""
    cwd: AbsolutePath
    """Where it works."""
    task_on_stdin: bool
    """Whether the task is handed over on standard input."""
    configuration: AbsolutePath | None
    """The agent's own directory, where it keeps its sessions; `None` when it keeps none that are known here."""


def build_invocation(
    profile: Profile, discovery: Discovery, kind: DispatchKind, workspace: AbsolutePath, environment: Iterable[str]
) -> InvocationPlan:
    """How a profile's agent, as `discover` found it, is started for a kind of work in a workspace.

    `environment` is the names of what it is given (`chosen_environment`). Raises `ProfileError` when the profile does
    not say how the agent is told that kind of work, `NotInstalledError` when it cannot be started, `RequestError` when
    no journal could hold the command, and `PermissionWideningError`.
    """
    words = profile.arguments(kind)
    if words is None:
        other = DispatchKind.run if kind is DispatchKind.review else DispatchKind.review
        raise ProfileError(
            f"profile {profile.name!r} has no `{kind}` arguments, so that it can only {other}; add them to"
            f" [profiles.{profile.name}], or choose another profile"
        )
    if not discovery.ready:
        raise NotInstalledError(profile.name, discovery.problems)
    model = profile.model
    chosen = () if model is None or discovery.model is None else (model.option, discovery.model)
    refuse_widening(words, f"profile {profile.name!r}: {kind}")
    refuse_widening(chosen, f"profile {profile.name!r}: model")
    odd = next((part for part in discovery.command if TASK in part), None)
    if profile.task is TaskBy.argument and odd is not None:
        raise ProfileError(f"{odd}: `{TASK}` in a path would be taken for the task; move the program elsewhere")
    argv, env_keys = (*discovery.command, *words, *chosen), tuple(sorted(environment))
    own = discovery.configuration
    check_text({"the command": argv, "the agent's own directory": [own or ""], "a variable's name": env_keys})
    return InvocationPlan(
        argv=argv,
        env_keys=env_keys,
        cwd=workspace,
        task_on_stdin=profile.task is TaskBy.stdin,
        configuration=own,
    )


def check_text(named: Mapping[str, Iterable[str]]) -> None:
    """Raise `RequestError` for the first text that is none in UTF-8, by the name of what it is."""
    for name, texts in named.items():
        for text in texts:
            try:
                text.encode()
            except UnicodeEncodeError:
                raise RequestError(f"{name} is no text in UTF-8: {text!a}; nothing was started") from None
