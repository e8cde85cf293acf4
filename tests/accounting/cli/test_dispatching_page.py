"""docs/dispatching.md does what it says: its commands and its Python run, its tables hold all there is."""

import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from accounting.cli.dispatch import dispatch
from accounting.dispatch.bundled import BUNDLED
from accounting.dispatch.profiles import KEYS, profiles
from tests.accounting.cli.help import ROUNDS, environment
from wire.dispatch import SOURCES

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "dispatching.md").read_text()
FILES: dict[str, str] = dict(re.findall(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE))
STEPS: list[tuple[str, str]] = re.findall(
    r"^\$ (.*?)\n(.*?)(?=^\$ |\Z)",
    "".join(re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)),
    re.DOTALL | re.MULTILINE,
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with the files of the page, which is all there is."""
    for name in ("ROUNDS_STATE_DIR", "ROUNDS_DISPATCH_CONFIG", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    (tmp_path / "bin/harbour").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_commands_print_what_stands_there(home: Path) -> None:
    assert len(STEPS) == 4
    for command, expected in STEPS:
        assert command.startswith("rounds ")
        line = f"{' '.join(ROUNDS)} {command.removeprefix('rounds ')}"
        done = subprocess.run(
            ["bash", "-c", line], cwd=home, capture_output=True, text=True, check=False, env=environment(), timeout=60
        )
        assert (done.returncode, done.stderr) == (0, "")
        pattern = re.escape(expected.strip()).replace(re.escape("..."), "(.|\n)*?")
        assert re.fullmatch(rf"{pattern}\s*", done.stdout), done.stdout


@pytest.mark.parametrize("task", ['Say "boats", \\ and %s.', "One.\n\nTwo: `three`\t$(four)", "\u2028 “five”"])
def test_the_agent_takes_any_task(home: Path, task: str) -> None:
    words = ("start", "--profile", "harbour", "--workspace", ".", "--wait", "60", "--json")
    done = subprocess.run(
        [*ROUNDS, "dispatch", *words, task], cwd=home, capture_output=True, check=False, env=environment(), timeout=60
    )
    assert (done.returncode, done.stderr) == (0, b"")
    told: Any = json.decode(done.stdout)
    assert (told["state"], told["task"], told["ignoredLines"]) == ("succeeded", task, 0)
    assert re.fullmatch(r"Done: I was given \d words\.", told["resultText"])


def test_the_python_runs(home: Path) -> None:
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(compile(block, "docs/dispatching.md", "exec"), {})


def test_every_command_is_told() -> None:
    table = PAGE.partition("| command |")[2].partition("\n\n")[0]
    assert set(re.findall(r"^\| `(\w+)", table, re.MULTILINE)) == set(dispatch.commands)


def test_every_state_is_told_with_how_it_is_known() -> None:
    table = PAGE.partition("| state |")[2].partition("\n\n")[0]
    told: dict[str, list[str]] = {}
    for state, source in re.findall(r"^\| (?:`(\w+)`)? ?\| (?:`([\w-]+)`)?", table, re.MULTILINE):
        name = state or next(reversed(told))
        told.setdefault(name, []).extend([source] if source else [])
    assert told == {str(state): [str(one) for one in sources] for state, sources in SOURCES.items()}


def test_the_keys_of_a_profile_are_all_there_are(home: Path) -> None:
    blocks = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    mine = next(block for block in blocks if "profiles.mine" in block)
    (home / ".config/rounds/dispatch.toml").write_text(mine)
    read: Any = tomllib.loads(mine)
    assert set(read["profiles"]["mine"]) == set(KEYS)
    assert profiles({"HOME": str(home)})["mine"].review == ("-p", "--read-only")


def test_what_is_bundled_is_told() -> None:
    for profile in BUNDLED:
        assert f"`{profile.name}`" in PAGE
        for name in profile.environment:
            assert f"`{name}`" in PAGE
        for program in profile.programs:
            assert f"`{program}`" in PAGE
        for variable in profile.configuration.variables if profile.configuration else ():
            assert f"`{variable}`" in PAGE
