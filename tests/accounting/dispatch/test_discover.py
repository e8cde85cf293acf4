"""What is there of an agent: read only. Spec: dispatch.md 2.0, 2.1."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accounting.dispatch.bundled import BUNDLED, CLAUDE_CODE, WORKBUDDY
from accounting.dispatch.discover import Discovery, discover
from accounting.dispatch.profiles import profile_named
from tests.accounting.dispatch.worlds import World

NODE_SCRIPT = "#!/usr/bin/env node\nthrow new Error('never started')\n"
HEADER = "#define NODE_MAJOR_VERSION {}\n#define NODE_MINOR_VERSION {}\n#define NODE_PATCH_VERSION {}\n"


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def node(world: World, where: str, version: str | None) -> Path:
    """A node below the root, with the header that its builds have beside it."""
    path = world.program(f"{where}/bin/node")
    if version is not None:
        header = world.root / where / "include/node/node_version.h"
        header.parent.mkdir(parents=True)
        header.write_text(HEADER.format(*version.split(".")))
    return path


def on_path(world: World, *directories: Path) -> dict[str, str]:
    return world.environ | {"PATH": os.pathsep.join(map(str, (*directories, world.bin)))}


def test_nothing_is_there(world: World) -> None:
    found = discover(CLAUDE_CODE, world.environ)
    assert found == Discovery(
        program=None,
        interpreter=None,
        installation=None,
        configuration=found.configuration,
        model=None,
        ready=False,
        problems=(
            "there is no `claude` on PATH, no ~/.local/bin/claude, no ~/.claude/local/claude; install the agent",
        ),
    )
    assert found.configuration == str(world.home / ".claude")
    told = discover(WORKBUDDY, world.environ).problems
    assert told == (
        "there is no `codebuddy` on PATH, no `cbc` on PATH; install the agent, or have DWB_CLI_DIR name its directory",
    )


def test_claude_code_on_path_then_where_it_installs_itself(world: World) -> None:
    (world.home / ".claude").mkdir()
    late = world.program("home/.local/bin/claude")
    assert discover(CLAUDE_CODE, world.environ).program == str(late)
    first = world.program("claude")
    found = discover(CLAUDE_CODE, world.environ)
    assert (found.program, found.interpreter, found.ready, found.problems) == (str(first), None, True, ())
    assert found.command == (str(first),)


def test_a_directory_that_is_missing_is_told_and_hinders_nothing(world: World) -> None:
    world.program("claude")
    found = discover(CLAUDE_CODE, world.environ)
    assert found.ready
    assert found.problems == (
        f"{world.home / '.claude'}: no such directory; start the agent once by hand, so that it makes it",
    )


def test_a_program_that_is_not_executable(world: World) -> None:
    path = world.program("home/.local/bin/claude", mode=0o644)
    found = discover(CLAUDE_CODE, world.environ)
    assert (found.program, found.ready) == (str(path), False)
    assert found.problems == (f"{path} is not executable; make it so, or name its `interpreter` in the profile",)


def test_a_directory_is_no_program(world: World) -> None:
    (world.home / ".local/bin/claude").mkdir(parents=True)
    (world.bin / "claude").mkdir()
    assert discover(CLAUDE_CODE, world.environ).program is None


# WorkBuddy.


def installed(world: World, where: str = "cli", entry: str = "bin/codebuddy", mode: int = 0o644) -> Path:
    (world.home / ".workbuddy").mkdir(exist_ok=True)
    return world.program(f"{where}/{entry}", NODE_SCRIPT, mode)


@pytest.mark.parametrize("entry", ["bin/codebuddy", "dist/codebuddy.js"])
@pytest.mark.parametrize("mode", [0o644, 0o755])
def test_the_command_line_of_an_installation_is_run_by_node(world: World, entry: str, mode: int) -> None:
    program = installed(world, entry=entry, mode=mode)
    interpreter = node(world, "node", "22.19.0")
    environ = on_path(world, interpreter.parent) | {"DWB_CLI_DIR": str(world.root / "cli")}
    found = discover(WORKBUDDY, environ)
    assert (found.installation, found.ready, found.problems) == (str(world.root / "cli"), True, ())
    assert found.command == (str(interpreter), str(program))


def test_where_it_usually_is(world: World) -> None:
    installed(world, "local/Programs/WorkBuddy/resources/app.asar.unpacked/cli")
    node(world, "home/.workbuddy/binaries/node/versions/22.22.2", None)
    world.program("codebuddy", NODE_SCRIPT)
    found = discover(WORKBUDDY, world.environ | {"LOCALAPPDATA": str(world.root / "local")})
    assert found.installation == str(world.root / "local/Programs/WorkBuddy/resources/app.asar.unpacked/cli")


def test_an_installation_that_is_named_and_not_there_is_no_other(world: World) -> None:
    world.program("codebuddy", NODE_SCRIPT)
    for named, why in (
        (str(world.root / "gone"), f"{world.root / 'gone'}: no such directory"),
        (str(world.bin), f"{world.bin} has no bin/codebuddy nor dist/codebuddy.js"),
        (f"/{'a' * 300}", f"/{'a' * 300}: File name too long"),
        ("relative", "relative is no whole path"),
    ):
        found = discover(WORKBUDDY, world.environ | {"DWB_CLI_DIR": named})
        assert not found.ready
        assert found.problems == (f"{why}; correct DWB_CLI_DIR, or unset it",)


@pytest.mark.parametrize("name", ["codebuddy", "cbc"])
def test_codebuddy_on_path(world: World, name: str) -> None:
    program = world.program(name, NODE_SCRIPT)
    interpreter = node(world, "v22.20.1", None)
    found = discover(WORKBUDDY, on_path(world, interpreter.parent))
    assert found.command == (str(interpreter), str(program))
    assert found.installation is None


def test_what_runs_by_itself_needs_no_node(world: World) -> None:
    for content in ("#!/bin/sh\nexec node ...\n", "\x7fELF"):
        program = world.program("codebuddy", content)
        assert discover(WORKBUDDY, world.environ).command == (str(program),)


def test_no_node(world: World) -> None:
    installed(world)
    found = discover(WORKBUDDY, world.environ | {"DWB_CLI_DIR": str(world.root / "cli")})
    assert (found.interpreter, found.ready) == (None, False)
    assert found.problems == ("node is not on PATH, and the program is a script for it; install it 22.19 or newer",)


def test_a_node_that_is_too_old_gives_way_to_one_that_is_not(world: World) -> None:
    installed(world)
    old = node(world, "old", "22.18.9")
    environ = on_path(world, old.parent) | {"DWB_CLI_DIR": str(world.root / "cli")}
    found = discover(WORKBUDDY, environ)
    assert (found.interpreter, found.ready) == (None, False)
    assert found.problems == (f"node is too old: {old} is 22.18.9; install 22.19 or newer",)
    node(world, "home/.workbuddy/binaries/node/versions/20.1.0", None)
    node(world, "home/.workbuddy/binaries/node/versions/22.22.2", None)
    newest = node(world, "home/.workbuddy/binaries/node/versions/100.0.0", None)
    found = discover(WORKBUDDY, environ)
    assert (found.interpreter, found.ready, found.problems) == (str(newest), True, ())


def test_every_node_on_path_is_considered(world: World) -> None:
    installed(world)
    old, new = node(world, "old", "18.1.0"), node(world, "new", "22.19.0")
    environ = on_path(world, old.parent, world.root / "none", new.parent) | {"DWB_CLI_DIR": str(world.root / "cli")}
    found = discover(WORKBUDDY, environ)
    assert (found.interpreter, found.ready, found.problems) == (str(new), True, ())


def test_a_node_of_unknown_version_is_taken_and_told(world: World) -> None:
    installed(world)
    path = world.program("node")
    found = discover(WORKBUDDY, world.environ | {"DWB_CLI_DIR": str(world.root / "cli")})
    assert (found.interpreter, found.ready) == (str(path), True)
    assert found.problems == (f"{path}: its version cannot be read without starting it; it has to be 22.19 or newer",)


def test_the_version_is_that_of_what_a_link_leads_to(world: World) -> None:
    installed(world)
    real = node(world, "versions/node/v24.1.0", None)
    (world.bin / "node").symlink_to(real)
    found = discover(WORKBUDDY, world.environ | {"DWB_CLI_DIR": str(world.root / "cli")})
    assert (found.interpreter, found.problems) == (str(world.bin / "node"), ())


# Models.


@pytest.mark.parametrize(
    ("content", "model"),
    [
        ('[{"id": "m1", "name": "One"}, {"id": "m2"}]', "m1"),
        ('[{"name": "One"}]', "One"),
        ('[{"url": "x"}, {"id": "", "name": null}, {"id": "m3"}]', "m3"),
        ('{"models": [{"id": "m1"}], "availableModels": ["m2"]}', "m1"),
        ('{"models": null}', None),
        ("[]", None),
    ],
)
def test_the_model_is_the_first_that_is_named(world: World, content: str, model: str | None) -> None:
    (world.home / ".workbuddy").mkdir()
    (world.home / ".workbuddy/models.json").write_text(content)
    assert discover(WORKBUDDY, world.environ).model == model
    assert discover(WORKBUDDY, world.environ | {"DWB_DEFAULT_MODEL": "mine"}).model == "mine"


@pytest.mark.parametrize(
    ("content", "told"),
    [
        *((content, "no list of models") for content in ("", "[", "3", '{"sk-secret-1": ', "\udc80", "[" * 100_000)),
        ('["m1"]', "no entry names a model"),
        ('[{"id": {"apiKey": "sk-secret-1"}}, {"id": "-y"}, {"id": "\\u001b[2J"}]', "no entry names a model"),
        (" " * (4 << 20) + "[]", "cannot be read: it is larger than 4 MiB"),
    ],
    ids=lambda text: text[:40],
)
def test_models_that_do_not_read_are_told_without_what_is_in_them(world: World, content: str, told: str) -> None:
    (world.home / ".workbuddy").mkdir()
    path = world.home / ".workbuddy/models.json"
    path.write_bytes(content.encode(errors="surrogateescape"))
    installed(world, mode=0o755)
    node(world, "home/.workbuddy/binaries/node/versions/22.22.2", None)
    found = discover(WORKBUDDY, world.environ | {"DWB_CLI_DIR": str(world.root / "cli")})
    assert (found.model, found.ready) == (None, True)
    assert found.problems == (f"{path}: {told}; the agent chooses its model, unless DWB_DEFAULT_MODEL names one",)


def test_one_bad_model_costs_only_itself(world: World) -> None:
    (world.home / ".workbuddy").mkdir()
    path = world.home / ".workbuddy/models.json"
    path.write_text('[{"id": {"apiKey": "sk-secret-1"}}, 3, {"id": 7, "name": "Two"}, {"id": "m3"}]')
    found = discover(WORKBUDDY, world.environ)
    assert found.model == "Two"
    assert f"{path}: passed over 2 before the first entry that names a model" in found.problems


def test_models_that_are_no_file_keep_nobody_waiting(world: World) -> None:
    (world.home / ".workbuddy").mkdir()
    path = world.home / ".workbuddy/models.json"
    os.mkfifo(path)
    told = f"{path}: cannot be read: it is no regular file; the agent chooses its model, unless DWB_DEFAULT_MODEL"
    assert any(problem.startswith(told) for problem in discover(WORKBUDDY, world.environ).problems)


@pytest.mark.parametrize("named", ["--yolo", "-m", "m\x1b[2J", "m\n2"])
def test_a_model_that_is_named_and_can_be_none_hinders(world: World, named: str) -> None:
    world.program("codebuddy")
    (world.home / ".workbuddy").mkdir()
    found = discover(WORKBUDDY, world.environ | {"DWB_DEFAULT_MODEL": named})
    assert (found.model, found.ready) == (None, False)
    assert found.problems == (f"DWB_DEFAULT_MODEL: {named!r} can be no model; correct or unset it",)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.binary(max_size=80))
def test_any_models_read_or_do_not(world: World, content: bytes) -> None:
    (world.home / ".workbuddy").mkdir(exist_ok=True)
    (world.home / ".workbuddy/models.json").write_bytes(content)
    found = discover(WORKBUDDY, world.environ)
    assert found.model is None or found.model


def test_nothing_of_a_credential_is_kept(world: World) -> None:
    (world.home / ".workbuddy").mkdir()
    (world.home / ".workbuddy/models.json").write_text(
        '[{"apiKey": "sk-secret-1", "id": "m1", "url": "https://u:sk-secret-1@h", "headers": {"x": "sk-secret-1"}}]'
    )
    assert "secret" not in repr(discover(WORKBUDDY, world.environ))


# A profile of one's own.


def test_a_script_with_the_interpreter_that_is_named(world: World) -> None:
    program = world.program("home/agent.py", "print()", 0o644)
    python = world.program("python9")
    world.configure('[profiles.x]\nprogram = "~/agent.py"\ninterpreter = "python9"\nrun = []')
    found = discover(profile_named("x", world.environ), world.environ)
    assert found.command == (str(python), str(program))
    assert (found.ready, found.configuration, found.problems) == (True, None, ())
    python.unlink()
    found = discover(profile_named("x", world.environ), world.environ)
    assert found.problems == ("python9 is not on PATH, and the program is a script for it; install it",)


def test_a_program_that_is_not_there_is_told_with_its_file(world: World) -> None:
    path = world.configure('[profiles.x]\nprogram = "/none/agent"\nrun = []')
    found = discover(profile_named("x", world.environ), world.environ)
    assert found.problems == (f"there is no /none/agent; correct `program` in {path}",)


@pytest.mark.parametrize("odd", ["/" + "a" * 300, "/dev/null/x", "{root}/circle", "{root}/circle/x"])
@pytest.mark.parametrize("key", ["program", "interpreter", "configuration"])
def test_odd_paths_are_told(world: World, key: str, odd: str) -> None:
    (world.root / "circle").symlink_to(world.root / "circle")
    odd = odd.format(root=world.root)
    keys = {"program": str(world.program("agent", mode=0o644)), "interpreter": "agent"} | {key: odd}
    world.configure("[profiles.x]\nrun = []\n" + "".join(f"{name} = '{value}'\n" for name, value in keys.items()))
    world.program("agent", mode=0o755)
    found = discover(profile_named("x", world.environ), world.environ)
    assert found.ready == (key != "program")
    assert not [problem for problem in found.problems if odd not in problem]
    assert found.problems or key == "interpreter"


def test_a_locked_directory_is_told(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """As whoever is not the owner has it: what lies below cannot even be looked for."""
    locked = world.root / "locked"
    whole = os.stat

    def closed(path: Any, *words: Any, **options: Any) -> os.stat_result:
        if str(path).startswith(f"{locked}/"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return whole(path, *words, **options)

    monkeypatch.setattr(os, "stat", closed)
    world.program("claude")
    found = discover(CLAUDE_CODE, world.environ | {"CLAUDE_CONFIG_DIR": f"{locked}/c"})
    assert (found.ready, found.problems) == (True, (f"{locked}/c: Permission denied; see to it",))
    world.configure(f'[profiles.x]\nprogram = "{locked}/agent"\nrun = []')
    found = discover(profile_named("x", world.environ), world.environ)
    assert found.problems[0].startswith(f"there is no program at {locked}/agent (Permission denied); correct")
    assert not discover(WORKBUDDY, world.environ | {"DWB_CLI_DIR": f"{locked}/cli"}).ready


def test_a_directory_where_the_program_should_be(world: World) -> None:
    path = world.configure(f'[profiles.x]\nprogram = "{world.bin}"\nrun = []')
    found = discover(profile_named("x", world.environ), world.environ)
    assert found.problems == (f"there is no program at {world.bin} (no file); correct `program` in {path}",)


def test_looking_changes_nothing(world: World) -> None:
    installed(world)
    world.program("claude")
    node(world, "node", "22.19.0")
    (world.home / ".workbuddy/models.json").write_text("[{}]")
    before = world.listing()
    for profile in BUNDLED:
        discover(profile, world.environ | {"DWB_CLI_DIR": str(world.root / "cli")})
    assert world.listing() == before
