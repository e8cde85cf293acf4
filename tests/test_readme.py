"""The README does what it says: its Python runs, its commands print what stands there."""

import contextlib
import io
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text()
COMMANDS = [
    (command, expected)
    for block in re.findall(r"```console\n(.*?)```", README, re.DOTALL)
    for command, expected in re.findall(r"^\$ (.*?)\n(.*?)(?=^\$ |\Z)", block, re.DOTALL | re.MULTILINE)
]


def test_python_runs_as_it_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    shared: dict[str, Any] = {}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL):
            exec(compile(block, "README.md", "exec"), shared)
    assert "edit_file failed" in printed.getvalue()
    assert "0 problems" in printed.getvalue()


@pytest.mark.parametrize(("command", "expected"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_a_command_prints_what_stands_there(command: str, expected: str) -> None:
    program, *arguments = command.split()
    assert program == "rounds"
    done = subprocess.run(
        [sys.executable, "-m", "accounting.cli", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    )
    # `...` stands for whatever is left out, at a line's end too.
    pattern = re.escape(expected.strip()).replace(re.escape("..."), "(.|\n)*?")
    assert re.fullmatch(rf"(.|\n)*?{pattern}\s*", done.stdout), done.stdout
