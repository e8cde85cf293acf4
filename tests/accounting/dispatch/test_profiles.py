"""Profiles: the bundled, and those of `dispatch.toml`. Spec: dispatch.md 2.0."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from accounting.dispatch.bundled import BUNDLED, CLAUDE_CODE, WORKBUDDY
from accounting.dispatch.environment import BASE, chosen_environment, configuration_directory
from accounting.dispatch.homes import PlaceError, home
from accounting.dispatch.permissions import PermissionWideningError
from accounting.dispatch.places import state_directory
from accounting.dispatch.profile import Configuration, Interpreter, Profile, TaskBy
from accounting.dispatch.profiles import ProfileError, config_path, profile_named, profiles
from tests.accounting.dispatch.worlds import World


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


WHOLE = """
[profiles.harbour]
program = "~/bin/harbour"
interpreter = "python3"
review = ["--read-only"]
run = ["--edit", "--task={task}"]
task = "argument"
environment = ["HARBOUR_*", "PORT"]
configuration = "~/.harbour"
"""

X = "[profiles.x]\nprogram = 'a'\n"


def test_without_a_file_there_are_the_bundled(world: World) -> None:
    assert profiles(world.environ) == {one.name: one for one in BUNDLED} == {
        "claude_code": CLAUDE_CODE,
        "workbuddy": WORKBUDDY,
    }  # fmt: skip


def test_a_profile_of_ones_own(world: World) -> None:
    path = world.configure(WHOLE.replace('review = ["--read-only"]\n', ""))
    assert list(profiles(world.environ)) == ["claude_code", "harbour", "workbuddy"]
    assert profile_named("harbour", world.environ) == Profile(
        name="harbour",
        programs=("~/bin/harbour",),
        interpreter=Interpreter(name="python3"),
        review=None,
        run=("--edit", "--task={task}"),
        task=TaskBy.argument,
        environment=("HARBOUR_*", "PORT"),
        configuration=Configuration(places=("~/.harbour",), from_file=True),
        source=str(path),
    )


def test_a_bundled_profile_is_changed_key_by_key(world: World) -> None:
    world.configure(
        '[profiles.workbuddy]\nprogram = "mine"\nconfiguration = "/wb"\nenvironment = ["PORT", "WORKBUDDY_*"]\n'
        '[profiles.claude_code]\nrun = ["-p", "--model", "m"]\n'
    )
    mine = profile_named("workbuddy", world.environ)
    assert (mine.programs, mine.installation) == (("mine",), None)
    assert mine.environment == (*WORKBUDDY.environment, "PORT")
    assert mine.configuration is not None
    assert mine.configuration.places == ("/wb",)
    assert mine.configuration.variables == WORKBUDDY.configuration.variables if WORKBUDDY.configuration else False
    assert (mine.run, mine.review, mine.interpreter, mine.model) == (
        WORKBUDDY.run,
        WORKBUDDY.review,
        WORKBUDDY.interpreter,
        WORKBUDDY.model,
    )
    claude = profile_named("claude_code", world.environ)
    assert (claude.run, claude.review) == (("-p", "--model", "m"), CLAUDE_CODE.review)


def test_where_the_file_is(world: World) -> None:
    environ = world.environ
    assert config_path(environ) == world.home / ".config/rounds/dispatch.toml"
    assert config_path(environ | {"XDG_CONFIG_HOME": "/c"}) == Path("/c/rounds/dispatch.toml")
    for unset in ("", " ", "relative"):
        assert config_path(environ | {"XDG_CONFIG_HOME": unset}) == config_path(environ)
    assert config_path(environ | {"ROUNDS_DISPATCH_CONFIG": "/x/y.toml"}) == Path("/x/y.toml")
    assert config_path(environ | {"ROUNDS_DISPATCH_CONFIG": "y.toml"}) == Path.cwd() / "y.toml"
    assert config_path(environ | {"ROUNDS_DISPATCH_CONFIG": " "}) == config_path(environ)
    with pytest.raises(ProfileError, match="no such file, but ROUNDS_DISPATCH_CONFIG names it"):
        profiles(environ | {"ROUNDS_DISPATCH_CONFIG": str(world.root / "none")})


def test_a_profile_that_is_not_there(world: World) -> None:
    with pytest.raises(ProfileError) as told:
        profile_named("harbor", world.environ)
    assert str(told.value) == (
        f"there is no profile 'harbor'; there are: claude_code, workbuddy; {config_path(world.environ)} may hold more"
    )


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("profiles = 3", ": `profiles` is no table; write a profile as `[profiles.NAME]`"),
        ("[profile.x]", ": there is no setting 'profile'; profiles are tables `[profiles.NAME]`"),
        ("= 3", ": no TOML: "),
        ("[profiles]\nx = 3", "x]: expected `object`, got `int`; its keys are `program`, `interpreter`, `review`"),
        ('[profiles."a b"]', ": [profiles.a b]: a name is up to 64 letters, digits, `_` or `-`"),
        ("[profiles.x]\nrun = []", "x]: `program` is missing: a name on PATH, or a path"),
        ("[profiles.x]\nprogram = ' '\nrun = []", "x]: `program`: it is blank"),
        ("[profiles.x]\nprogram = './a'\nrun = []", "x]: `program`: './a' is no whole path; begin it at the root"),
        (f"{X}run = []\ninterpreter = 'b/c'", "x]: `interpreter`: 'b/c' is no whole path"),
        (f"{X}run = []\nconfiguration = 'b'", "x]: `configuration`: 'b' is no whole path"),
        (X, "x]: it can do nothing; give `run`, `review` or both"),
        (f"{X}run = 'b'", "x]: expected `array`, got `str` at `run`; its keys are"),
        (f"{X}run = [1]", "x]: expected `str`, got `int` at `run[0]`"),
        (f"{X}runn = []", "x]: object contains unknown field `runn`; its keys are"),
        (f"{X}run = []\ntask = 'argv'", "x]: invalid enum value 'argv' at `task`"),
        (f"{X}run = []\nenvironment = ['*']", "x]: `environment`: '*' names no variable; give `NAME`, or `NAME_*`"),
        (f"{X}run = []\nenvironment = ['A=1']", "x]: `environment`: 'A=1' names no variable"),
        (f"{X}run = ['{{task}}']", 'x]: `run` has `{task}`, which is for `task = "argument"`'),
        (f"{X}run = ['b']\ntask = 'argument'", "x]: `run` does not place the task"),
        (f"{X}run = ['-c', 'b {{task}}']\ntask = 'argument'", "x]: `run` does not place the task"),
        (f"{X}run = ['{{task}}', '{{task}}']\ntask = 'argument'", "x]: `run` does not place the task"),
        (f"{X}run = ['--permission-mode={{task}}']\ntask = 'argument'", "x]: `run`: `--permission-mode` says what the"),
        (f"{X}review = ['-p', '--settings', '{{task}}']\ntask = 'argument'", "x]: `review`: `--settings` says what"),
        (f'{X}run = ["a\\u0000"]', "x]: `run` holds a NUL, which no argument can"),
        ('[profiles.x]\nprogram = "a\\u0000b"\nrun = []', "x]: `program`: it is blank, or holds a NUL"),
        (f"x = {'[' * 5000}", ": no profiles: it is nested too deep to be read"),
        ("[profiles.claude_code]\ntask = 'argument'", ": [profiles.claude_code]: `review` does not place the task"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_as_it_should_be(world: World, content: str, told: str) -> None:
    path = world.configure(content)
    with pytest.raises(ProfileError) as error:
        profiles(world.environ)
    assert str(error.value).startswith(f"{path}: ")
    assert told in str(error.value)


def test_a_table_that_does_not_read_stops_its_own_profile_alone(world: World) -> None:
    good = '[profiles.harbour]\nprogram = "a"\nrun = []\n'
    path = world.configure(f"[profiles.x]\nprogram = 3\n[profiles.workbuddy]\nrun = ['-y']\n{good}")
    assert profile_named("harbour", world.environ).programs == ("a",)
    assert profile_named("claude_code", world.environ) == CLAUDE_CODE
    with pytest.raises(ProfileError, match=r"\[profiles.x\]: expected `str`"):
        profile_named("x", world.environ)
    with pytest.raises(PermissionWideningError, match=r"\[profiles.workbuddy\]"):
        profile_named("workbuddy", world.environ)
    with pytest.raises(ProfileError, match=f"there are: claude_code, harbour; {path} may hold more"):
        profile_named("y", world.environ)


@pytest.mark.parametrize("content", ["= 3", "profiles = 3", "[profile.x]"])
@pytest.mark.parametrize("name", ["claude_code", "x"])
def test_a_file_that_does_not_read_as_a_whole_stops_every_profile(world: World, content: str, name: str) -> None:
    path = world.configure(f"{content}\n")
    with pytest.raises(ProfileError) as told:
        profile_named(name, world.environ)
    assert str(told.value).startswith(f"{path}: ")


def test_no_utf_8_and_a_directory(world: World) -> None:
    path = world.configure("")
    path.write_bytes(b'x = "\xff"')
    with pytest.raises(ProfileError, match="no TOML"):
        profiles(world.environ)
    path.unlink()
    path.mkdir()
    with pytest.raises(ProfileError, match="cannot be read: Is a directory"):
        profiles(world.environ)


@pytest.mark.parametrize("key", ["review", "run"])
@pytest.mark.parametrize("name", ["mine", "claude_code"])
def test_a_file_widens_no_permissions(world: World, name: str, key: str) -> None:
    path = world.configure(
        f"[profiles.{name}]\nprogram = 'claude'\n{key} = ['-p', '--permission-mode=bypassPermissions']\n"
    )
    with pytest.raises(PermissionWideningError) as told:
        profiles(world.environ)
    assert str(told.value).startswith(
        f"{path}: [profiles.{name}]: {key}[1]: `bypassPermissions` widens the agent's permissions"
    )


# The environment.


def test_an_agent_is_given_what_is_listed(world: World) -> None:
    world.configure('[profiles.x]\nprogram = "a"\nrun = []\nenvironment = ["PORT", "HARBOUR_*"]')
    profile = profile_named("x", world.environ)
    given = {
        **world.environ,
        "LC_ALL": "C",
        "XDG_DATA_HOME": "/d",
        "no_proxy": "x",
        "PORT": "1",
        "HARBOUR_": "2",
        "HARBOUR_KEY": "3",
    }
    kept_back = {
        "PORTS": "4",
        "APORT": "5",
        "OPENAI_API_KEY": "6",
        "LC": "7",
        "AWS_SECRET_ACCESS_KEY": "8",
        "path": "9",
    }
    chosen = chosen_environment(profile, given | kept_back)
    assert chosen == given
    assert list(chosen) == sorted(given)


def test_every_agent_is_given_the_same_base() -> None:
    assert {"PATH", "HOME", "LANG", "LC_*", "XDG_*", "https_proxy", "SSH_AUTH_SOCK", "SYSTEMROOT"} <= set(BASE)
    assert not [name for name in BASE if "KEY" in name or "TOKEN" in name or name == "*"]


def test_claude_code_is_told_its_directory_only_as_the_person_did(world: World) -> None:
    assert "CLAUDE_CONFIG_DIR" not in chosen_environment(CLAUDE_CODE, world.environ)
    environ = world.environ | {"CLAUDE_CONFIG_DIR": "/c", "ANTHROPIC_API_KEY": "k", "CLAUDECODE": "1"}
    chosen = chosen_environment(CLAUDE_CODE, environ)
    assert (chosen["CLAUDE_CONFIG_DIR"], chosen["ANTHROPIC_API_KEY"]) == ("/c", "k")
    assert "CLAUDECODE" not in chosen


def test_workbuddy_is_told_the_directory_that_is_used(world: World) -> None:
    assert chosen_environment(WORKBUDDY, world.environ)["CODEBUDDY_CONFIG_DIR"] == str(world.home / ".workbuddy")
    environ = world.environ | {"DWB_CONFIG_DIR": "/wb", "WORKBUDDY_CONFIG_DIR": "/cb", "DWB_STATE_DIR": "/s"}
    chosen = chosen_environment(WORKBUDDY, environ)
    assert chosen == world.environ | dict.fromkeys(
        ("CODEBUDDY_CONFIG_DIR", "DWB_CONFIG_DIR", "WORKBUDDY_CONFIG_DIR"), "/wb"
    )


@pytest.mark.parametrize("name", ["claude_code", "workbuddy", "mine"])
def test_what_is_looked_at_is_what_the_agent_is_told(world: World, name: str) -> None:
    """Whatever the variables say, relative and blank ones among them; and so with a place in the file."""
    world.configure('[profiles.mine]\nprogram = "a"\nrun = []\nconfiguration = "~/.mine"\n')
    variables = ("CLAUDE_CONFIG_DIR", "DWB_CONFIG_DIR", "WORKBUDDY_CONFIG_DIR", "CODEBUDDY_CONFIG_DIR")
    for said in ("", " ", "relative", "~/x", "/c"):
        for variable in variables:
            environ = world.environ | {variable: said, "ANTHROPIC_API_KEY": "k"}
            for content in ("", f'[profiles.{name}]\nprogram = "a"\nrun = []\nconfiguration = "~/file"\n'):
                world.configure(content or '[profiles.mine]\nprogram = "a"\nrun = []\nconfiguration = "~/.mine"\n')
                profile = profile_named(name, environ)
                where = configuration_directory(profile, environ)
                assert where is not None
                chosen = chosen_environment(profile, environ)
                told = {chosen[one] for one in variables if one in chosen}
                assert told <= {where}, (said, variable, content)
                if content:
                    assert where == str(world.home / "file")
                    assert told == ({where} if name != "mine" else set())


def test_a_variable_of_the_environment_gives_way_to_the_file(world: World) -> None:
    world.configure('[profiles.claude_code]\nconfiguration = "/file"\nenvironment = ["PORT"]\n')
    environ = world.environ | {"CLAUDE_CONFIG_DIR": "/env", "PORT": "1", "ANTHROPIC_API_KEY": "k"}
    chosen = chosen_environment(profile_named("claude_code", environ), environ)
    assert chosen == environ | {"CLAUDE_CONFIG_DIR": "/file"}
    assert chosen_environment(profile_named("claude_code", environ), world.environ)["CLAUDE_CONFIG_DIR"] == "/file"


def test_a_relative_home_is_the_same_for_the_agent(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(world.root)
    environ = world.environ | {"HOME": "home"}
    assert configuration_directory(CLAUDE_CODE, environ) == str(world.home / ".claude")
    assert chosen_environment(CLAUDE_CODE, environ)["HOME"] == str(world.home)


def test_a_working_directory_that_is_gone(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = world.root / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    told = "the working directory cannot be told \\(No such file or directory\\); change to one that is there"
    looks: dict[str, Callable[[Mapping[str, str]], Path]] = {
        "HOME": home,
        "ROUNDS_STATE_DIR": state_directory,
        "ROUNDS_DISPATCH_CONFIG": config_path,
    }
    for variable, look in looks.items():
        with pytest.raises(PlaceError, match=told):
            look(world.environ | {variable: "x"})
        assert look(world.environ).is_absolute()


def test_the_directory_of_an_agent(world: World) -> None:
    home = world.home
    assert configuration_directory(CLAUDE_CODE, world.environ) == str(home / ".claude")
    assert configuration_directory(Profile(name="x", programs=()), world.environ) is None
    assert configuration_directory(WORKBUDDY, world.environ) == str(home / ".workbuddy")
    (home / ".codebuddy").mkdir()
    assert configuration_directory(WORKBUDDY, world.environ) == str(home / ".codebuddy")
    (home / ".workbuddy").mkdir()
    assert configuration_directory(WORKBUDDY, world.environ) == str(home / ".workbuddy")
    environ = world.environ
    for name in ("CODEBUDDY_CONFIG_DIR", "WORKBUDDY_CONFIG_DIR", "DWB_CONFIG_DIR"):
        environ = environ | {name: f"/{name}"}
        assert configuration_directory(WORKBUDDY, environ) == f"/{name}"
    assert configuration_directory(WORKBUDDY, world.environ | {"DWB_CONFIG_DIR": "relative"}) == str(
        home / ".workbuddy"
    )
    assert configuration_directory(WORKBUDDY, world.environ | {"DWB_CONFIG_DIR": "~/x"}) == str(home / "x")
