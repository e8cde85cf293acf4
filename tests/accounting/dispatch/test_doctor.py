"""Whether runs can be dispatched from here: nothing is started, nothing written. Spec: dispatch.md 2.0."""

import os
from pathlib import Path

import pytest

from accounting.dispatch.doctor import doctor
from accounting.dispatch.homes import PlaceError
from tests.accounting.dispatch.worlds import World
from wire import decode, encode
from wire.dispatch import DispatchKind, DoctorReport


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def test_every_profile_with_how_it_would_be_started(world: World) -> None:
    world.configure('[profiles.harbour]\nprogram = "harbour"\nreview = ["-r"]\nenvironment = ["PORT"]\n')
    world.program("harbour", "#!/bin/sh\ntouch started\n")
    before = world.listing()
    report = doctor(world.environ | {"PORT": "sk-secret-1", "OTHER": "x"})
    assert world.listing() == before
    assert decode(encode(report), DoctorReport) == report
    assert report.problems == ()
    assert report.state_directory == str(world.home / ".local/state/rounds")
    claude, harbour, workbuddy = report.profiles
    assert (claude.profile, claude.ready, claude.planned) == ("claude_code", False, ())
    assert workbuddy.problems
    assert (harbour.ready, harbour.program, harbour.problems) == (True, str(world.bin / "harbour"), ())
    (planned,) = harbour.planned
    assert (planned.kind, planned.task_on_stdin) == (DispatchKind.review, True)
    assert planned.invocation.argv == (str(world.bin / "harbour"), "-r")
    assert planned.invocation.env_keys == ("HOME", "PATH", "PORT")
    assert b"secret" not in encode(report)


def test_a_profile_that_does_not_read_is_left_out_and_the_others_go_on(world: World) -> None:
    for name in ("a", "claude", "codebuddy"):
        world.program(name)
    (world.home / ".claude").mkdir()
    path = world.configure(
        '[profiles.x]\nprogram = 3\n[profiles.workbuddy]\nprogram = 4\n[profiles.harbour]\nprogram = "a"\nrun = []\n'
    )
    report = doctor(world.environ)
    assert [(one.profile, one.ready) for one in report.profiles] == [
        ("claude_code", True),
        ("harbour", True),
        ("workbuddy", False),
    ]
    why = f"{path}: [profiles.workbuddy]: expected `str`, got `int` at `program`"
    assert report.profiles[2].problems[0].startswith(why)
    assert [problem.split(": ")[1] for problem in report.problems] == ["[profiles.x]", "[profiles.workbuddy]"]


def test_no_bundled_profile_is_ready_where_the_file_may_change_it(world: World) -> None:
    world.program("claude")
    path = world.configure("= 3")
    report = doctor(world.environ)
    assert [(one.profile, one.ready, one.planned) for one in report.profiles] == [
        ("claude_code", False, ()),
        ("workbuddy", False, ()),
    ]
    assert report.profiles[0].problems == report.problems
    assert report.problems[0].startswith(f"{path}: no TOML: ")


def test_a_configuration_that_does_not_read_leaves_the_bundled(world: World) -> None:
    path = world.configure("[profiles.x]\nprogram = 3")
    report = doctor(world.environ)
    assert [one.profile for one in report.profiles] == ["claude_code", "workbuddy"]
    assert report.problems[0].startswith(f"{path}: [profiles.x]: expected `str`, got `int` at `program`")


def test_a_model_that_would_widen_permissions_is_told(world: World) -> None:
    world.program("codebuddy")
    (world.home / ".workbuddy").mkdir()
    workbuddy = doctor(world.environ | {"DWB_DEFAULT_MODEL": "m --yolo"}).profiles[-1]
    assert (workbuddy.ready, workbuddy.planned) == (False, ())
    (problem,) = workbuddy.problems
    assert problem.startswith("profile 'workbuddy': model[1]: `--yolo` widens the agent's permissions")


def test_a_secret_in_the_arguments_is_told(world: World) -> None:
    world.program("agent")
    world.configure(
        '[profiles.x]\nprogram = "agent"\nrun = ["--api-key", "sk-secret-1", "--token=sk-secret-2", "-H",'
        ' "Authorization: Bearer x"]\n'
        'review = ["--max-tokens", "10000000", "--token-file", "/run/token-of-mine", "--api-key", "$API_KEY"]\n'
    )
    report = doctor(world.environ).profiles[-1]
    assert report.ready
    told = "looks like a secret, and arguments are written into journals; put it into the environment"
    assert report.problems == tuple(f"run[{index}] {told}, and its variable into `environment`" for index in (1, 2, 4))


def test_names_that_are_no_utf_8_are_spelled_out(world: World) -> None:
    world.program("claude")
    home = world.root / "h\udcff"
    home.mkdir()
    report = doctor(world.environ | {"HOME": str(home), "ROUNDS_STATE_DIR": f"{world.root}/s\udcfe"})
    assert decode(encode(report), DoctorReport) == report
    assert report.state_directory == f"{world.root}/s\\udcfe"
    assert report.profiles[0].configuration == f"{world.root}/h\\udcff/.claude"
    assert not report.profiles[0].ready
    assert any("the agent's own directory is no text in UTF-8" in problem for problem in report.profiles[0].problems)


def test_no_home_is_known(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "home", unknown)
    environ = {"PATH": str(world.bin), "XDG_CONFIG_HOME": str(world.root), "ROUNDS_STATE_DIR": str(world.root / "s")}
    report = doctor(environ)
    told = "HOME is not set, and the system knows no home of this user; set HOME"
    assert [one.problems for one in report.profiles] == [(told,), (told,)]
    with pytest.raises(PlaceError, match="HOME is not set"):
        doctor({"PATH": str(world.bin)})


def state(world: World, mode: int = 0o700) -> Path:
    runs = world.root / "state" / "runs"
    runs.mkdir(parents=True)
    runs.chmod(mode)
    return runs


def told(world: World) -> tuple[str, ...]:
    return doctor(world.environ | {"ROUNDS_STATE_DIR": str(world.root / "state")}).problems


def test_the_state_directory_is_well_or_still_to_be_made(world: World) -> None:
    assert told(world) == ()
    state(world)
    assert told(world) == ()


def test_a_state_directory_that_others_read(world: World) -> None:
    runs = state(world, 0o755)
    assert told(world) == (f"{runs}: others may look into it; `chmod 700` keeps tasks and answers yours",)


def test_a_file_where_the_state_directory_should_be(world: World) -> None:
    (world.root / "state").touch()
    path = world.root / "state"
    assert told(world) == (f"{path}: no directory; move it away, or name another place in ROUNDS_STATE_DIR",)
    path.unlink()
    path.mkdir()
    (path / "runs").touch()
    assert told(world) == (f"{path / 'runs'}: no directory; move it away, or name another place in ROUNDS_STATE_DIR",)


def test_below_a_file_nothing_can_be_made(world: World) -> None:
    (world.root / "a").touch()
    problems = doctor(world.environ | {"ROUNDS_STATE_DIR": str(world.root / "a/b/c")}).problems
    assert len(problems) == 1
    assert problems[0].startswith(f"{world.root / 'a/b/c'}: Not a directory; name another place")
    problems = doctor(world.environ | {"ROUNDS_STATE_DIR": f"/{'a' * 300}/b"}).problems
    assert problems == (f"/{'a' * 300}/b: File name too long; name another place in ROUNDS_STATE_DIR",)


def test_a_place_that_is_not_ours(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = world.root

    def may(path: Path, mode: int) -> bool:
        return path != closed

    monkeypatch.setattr(os, "access", may)
    where = f"{world.root / 'state'}: cannot be made in {world.root}"
    assert told(world) == (f"{where}; make it, or name another place in ROUNDS_STATE_DIR",)
    closed = runs = state(world)
    assert told(world) == (f"{runs}: not yours to write to; name another place in ROUNDS_STATE_DIR",)
