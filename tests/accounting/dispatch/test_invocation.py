"""How an agent would be started: pure, and then done. Spec: dispatch.md 2.0, 2.2."""

import sys
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from accounting.dispatch.bundled import BUNDLED, CLAUDE_CODE, WORKBUDDY
from accounting.dispatch.cancel import cancel
from accounting.dispatch.discover import Discovery, NotInstalledError
from accounting.dispatch.dispatching import dispatch
from accounting.dispatch.errors import RequestError
from accounting.dispatch.invocation import InvocationPlan, build_invocation
from accounting.dispatch.permissions import PermissionWideningError
from accounting.dispatch.profile import Profile, TaskBy
from accounting.dispatch.profiles import ProfileError
from accounting.dispatch.start import StartRequest
from accounting.dispatch.store import RunStore
from accounting.dispatch.wait import wait
from tests.accounting.dispatch.runs import FAKE_AGENT, is_replay, until
from tests.accounting.dispatch.worlds import World
from wire.dispatch import DispatchJournal, DispatchKind, DispatchState
from wire.scalars import AbsolutePath

HERE = cast("AbsolutePath", "/work/harbour")
EVENTS = ("-p", "--output-format", "stream-json", "--verbose")


def found(**changes: object) -> Discovery:
    there = Discovery(
        program=cast("AbsolutePath", "/bin/agent"),
        interpreter=None,
        installation=None,
        configuration=cast("AbsolutePath", "/home/.agent"),
        model=None,
        ready=True,
        problems=(),
    )
    return replace(there, **changes)


def test_claude_code_may_edit() -> None:
    assert build_invocation(CLAUDE_CODE, found(), DispatchKind.run, HERE, ["PATH", "HOME"]) == InvocationPlan(
        argv=("/bin/agent", *EVENTS, "--permission-mode", "acceptEdits"),
        env_keys=("HOME", "PATH"),
        cwd=HERE,
        task_on_stdin=True,
        configuration=cast("AbsolutePath", "/home/.agent"),
    )


def test_claude_code_may_only_read() -> None:
    plan = build_invocation(CLAUDE_CODE, found(), DispatchKind.review, HERE, ())
    assert plan.argv == (
        *("/bin/agent", *EVENTS, "--permission-mode", "default", "--strict-mcp-config"),
        *("--allowedTools", "Read(./**)"),
        *("--disallowedTools", "Bash,Edit,EnterWorktree,Monitor,MultiEdit,NotebookEdit,PowerShell,Write"),
    )


@pytest.mark.parametrize("profile", BUNDLED, ids=lambda profile: profile.name)
def test_a_review_allows_nothing_that_edits_or_runs(profile: Profile) -> None:
    words = profile.review or ()
    allowed = set(words[words.index("--allowedTools") + 1].split(","))
    denied = set(words[words.index("--disallowedTools") + 1].split(","))
    assert allowed <= {"Read(./**)", "Read", "Grep", "Glob"}
    assert {"Edit", "Write", "MultiEdit", "NotebookEdit", "Bash"} <= denied
    assert not allowed & denied
    assert words[words.index("--permission-mode") + 1] == "default"


def test_workbuddy_is_run_by_node_and_told_its_model() -> None:
    there = found(interpreter=cast("AbsolutePath", "/bin/node"), model="m1")
    plan = build_invocation(WORKBUDDY, there, DispatchKind.run, HERE, ())
    assert plan.argv == ("/bin/node", "/bin/agent", *EVENTS, "--permission-mode", "acceptEdits", "--model", "m1")


@pytest.mark.parametrize("model", ["--dangerously-skip-permissions", "m --yolo"])
def test_not_even_a_model_widens_permissions(model: str) -> None:
    with pytest.raises(PermissionWideningError, match=r"profile 'workbuddy': model\[1\]: `--"):
        build_invocation(WORKBUDDY, found(model=model), DispatchKind.run, HERE, ())


def test_a_kind_of_work_that_a_profile_is_not_for() -> None:
    only_run = Profile(name="x", programs=("agent",), run=())
    with pytest.raises(ProfileError) as told:
        build_invocation(only_run, found(), DispatchKind.review, HERE, ())
    assert str(told.value) == (
        "profile 'x' has no `review` arguments, so that it can only run;"
        " add them to [profiles.x], or choose another profile"
    )
    with pytest.raises(ProfileError, match="no `run` arguments, so that it can only review"):
        build_invocation(replace(only_run, run=None, review=()), found(), DispatchKind.run, HERE, ())


def test_an_agent_that_is_not_there() -> None:
    gone = found(program=None, ready=False, problems=("there is no `agent` on PATH; install it", "and more"))
    with pytest.raises(NotInstalledError) as told:
        build_invocation(CLAUDE_CODE, gone, DispatchKind.run, HERE, ())
    assert str(told.value) == (
        "profile 'claude_code' cannot be started: there is no `agent` on PATH; install it; and more"
    )


def is_text(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def test_what_no_journal_can_hold_is_named() -> None:
    own = cast("AbsolutePath", "/h\udcff")
    with pytest.raises(RequestError, match=r"the agent's own directory is no text in UTF-8: '/h\\udcff'"):
        build_invocation(CLAUDE_CODE, found(configuration=own), DispatchKind.run, HERE, ())
    with pytest.raises(RequestError, match="the command is no text"):
        build_invocation(CLAUDE_CODE, found(program=own), DispatchKind.run, HERE, ())
    with pytest.raises(RequestError, match="a variable's name is no text"):
        build_invocation(CLAUDE_CODE, found(), DispatchKind.run, HERE, ["LC_\udcff"])


def test_a_path_that_would_be_taken_for_the_task() -> None:
    spoken = Profile(name="x", programs=(), run=("{task}",), task=TaskBy.argument)
    there = found(program=cast("AbsolutePath", "/x{task}/a.js"), interpreter=cast("AbsolutePath", "/bin/sh"))
    with pytest.raises(ProfileError, match=r"/x\{task\}/a.js: `\{task\}` in a path would be taken for the task"):
        build_invocation(spoken, there, DispatchKind.run, HERE, ())
    plain = replace(spoken, run=(), task=TaskBy.stdin)
    assert build_invocation(plain, there, DispatchKind.run, HERE, ()).argv == ("/bin/sh", "/x{task}/a.js")


@given(
    st.sampled_from(DispatchKind),
    st.lists(st.text()),
    st.one_of(st.none(), st.text(min_size=1)),
    st.sampled_from(BUNDLED),
)
def test_the_same_is_always_planned_alike(
    kind: DispatchKind, names: list[str], model: str | None, profile: Profile
) -> None:
    there = found(model=model)
    try:
        plan = build_invocation(profile, there, kind, HERE, names)
    except PermissionWideningError:
        return
    except RequestError:
        assert any(not is_text(text) for text in (*names, model or ""))
        return
    assert all(map(is_text, plan.argv))
    assert plan == build_invocation(profile, there, kind, HERE, reversed(names))
    assert plan.env_keys == tuple(sorted(names))
    words = profile.review if kind is DispatchKind.review else profile.run
    assert plan.argv[: 1 + len(words or ())] == ("/bin/agent", *(words or ()))


# Started so.


@pytest.fixture
def world(tmp_path: Path) -> World:
    world = World(tmp_path)
    (tmp_path / "workspace").mkdir()
    return world


def configured(world: World, extra: str = "") -> None:
    arguments = f'["-S", "-E", "{FAKE_AGENT}", "--to", "{world.root}/started"'
    world.configure(
        f'[profiles.fake]\nprogram = "{sys.executable}"\nrun = {arguments}]\nconfiguration = "~/.fake"\n{extra}'
        f'[profiles.spoken]\nprogram = "{sys.executable}"\ntask = "argument"\nreview = {arguments}, "{{task}}"]\n'
    )


def request(world: World, task: str, key: str | None = None, profile: str = "fake", kind: str = "run") -> StartRequest:
    workspace = cast("AbsolutePath", str(world.root / "workspace"))
    return StartRequest(profile=profile, kind=DispatchKind(kind), workspace=workspace, task=task, key=key)


def ended(world: World, journal: DispatchJournal) -> DispatchJournal:
    return wait(RunStore(world.home / ".local/state/rounds"), journal.run_id, 20_000)


def test_an_agent_is_started_as_planned(world: World) -> None:
    configured(world, 'environment = ["HARBOUR_*"]\n')
    environ = world.environ | {"HARBOUR_PORT": "7", "OPENAI_API_KEY": "k"}
    journal = ended(world, dispatch(request(world, "init cwd env:HARBOUR_PORT env:OPENAI_API_KEY ok:well"), environ))
    assert (journal.state, journal.result_text) == (DispatchState.succeeded, "well")
    assert journal.invocation.argv[0] == sys.executable
    assert journal.invocation.env_keys == ("HARBOUR_PORT", "HOME", "PATH")
    assert journal.configuration == str(world.home / ".fake")
    printed = (world.home / f".local/state/rounds/runs/{journal.run_id}.stream.jsonl").read_text().splitlines()
    assert printed[1:4] == [str(world.root / "workspace"), "HARBOUR_PORT: there", "OPENAI_API_KEY: absent"]


def test_a_task_as_an_argument(world: World) -> None:
    configured(world)
    journal = ended(world, dispatch(request(world, "init ok:heard", profile="spoken", kind="review"), world.environ))
    assert (journal.state, journal.result_text) == (DispatchState.succeeded, "heard")
    assert journal.invocation.argv[-1] == "{task}"
    for task in ("-y", "--dangerously-skip-permissions"):
        with pytest.raises(RequestError, match="would be an option to the agent of profile 'spoken'"):
            dispatch(request(world, task, profile="spoken", kind="review"), world.environ)
    for task in ("bypassPermissions", ' {"permissions": {"defaultMode": "bypass\\u0050ermissions"}}'):
        with pytest.raises(PermissionWideningError, match="the task: `bypassPermissions` widens"):
            dispatch(request(world, task, profile="spoken", kind="review"), world.environ)
    with pytest.raises(RequestError, match="the task holds a NUL"):
        dispatch(request(world, "init\0", profile="spoken", kind="review"), world.environ)


def test_what_cannot_be_written_down_is_named_and_nothing_is_made(world: World) -> None:
    configured(world)
    whole = request(world, "init ok")
    gone = cast("AbsolutePath", str(world.root / "none"))
    odd = cast("AbsolutePath", f"/{'a' * 300}")
    for wrong, told in (
        (replace(whole, task="\ud800"), "the task is no text in UTF-8"),
        (replace(whole, key="\udcff"), "the key is no text in UTF-8"),
        (replace(whole, workspace=cast("AbsolutePath", "/w\udcff")), "the workspace is no text in UTF-8"),
        (replace(whole, workspace=gone), f"{gone}: no such directory; nothing was started: name a directory"),
        (replace(whole, workspace=odd), "File name too long; nothing was started"),
    ):
        with pytest.raises(RequestError, match=told):
            dispatch(wrong, world.environ)
    assert not (world.home / ".local").exists()


@pytest.mark.parametrize("task", ["", " \n\t"])
def test_a_blank_task(world: World, task: str) -> None:
    configured(world)
    with pytest.raises(RequestError, match="the task is blank; say what is to be done"):
        dispatch(request(world, task, key="k"), world.environ)
    assert not (world.home / ".local").exists()


def test_a_key_is_answered_also_where_the_agent_is_gone(world: World) -> None:
    configured(world)
    first = ended(world, dispatch(request(world, "init ok", key="k"), world.environ))
    world.configure('[profiles.fake]\nprogram = "/none"\nrun = []\n')
    again = dispatch(request(world, "init ok", key="k"), world.environ)
    assert is_replay(again)
    assert replace(again, idempotent_replay=UNSET) == first
    differs = dispatch(request(world, "init", key="k", profile="gone"), world.environ)
    assert differs.replay_differs == ("profile", "task")
    for other in (request(world, "init ok", key="l"), request(world, "init ok"), request(world, "x", key="\ud800")):
        with pytest.raises(NotInstalledError):
            dispatch(other, world.environ)


def test_a_key_is_answered_also_where_the_workspace_is_gone(world: World) -> None:
    configured(world)
    first = ended(world, dispatch(request(world, "init ok", key="k"), world.environ))
    (world.root / "workspace").rmdir()
    assert replace(dispatch(request(world, "init ok", key="k"), world.environ), idempotent_replay=UNSET) == first


def test_a_key_that_was_cancelled_names_nothing_where_the_agent_is_gone(world: World) -> None:
    configured(world)
    store = RunStore(world.home / ".local/state/rounds")
    journal = dispatch(request(world, "init sleep:60", key="k"), world.environ)
    assert cancel(store, journal.run_id).cancelled
    world.configure('[profiles.fake]\nprogram = "/none"\nrun = []\n')
    with pytest.raises(NotInstalledError):
        dispatch(request(world, "init ok", key="k"), world.environ)
    configured(world)
    again = dispatch(request(world, "init ok", key="k"), world.environ)
    until(lambda: len((world.root / "started").read_text().split()) == 2, "a second start")
    assert not is_replay(again)
    assert ended(world, again).state is DispatchState.succeeded
