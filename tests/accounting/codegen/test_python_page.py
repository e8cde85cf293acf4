"""docs/clients/python.md does what it says: its commands run, its Python runs and passes a strict type checker."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.accounting.cli.help import ROUNDS, environment

ROOT: Final = Path(__file__).parents[3]
PAGE: Final = (ROOT / "docs/clients/python.md").read_text("utf-8")
COMMANDS: Final = [
    (command, printed)
    for block in re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
    for command, printed in re.findall(r"^\$ (.*?)\n(.*?)(?=^\$ |\Z)", block, re.DOTALL | re.MULTILINE)
]
PROGRAMS: Final = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
ANSWER: Final = "019a1f7d-e902-7b66-b0c5-94e1d37a8c02: 2 turns\n"

pytest.importorskip("datamodel_code_generator")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which the page's commands have run, one after the other."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copytree(ROOT / "accounting" / "sample", folder / "accounting" / "sample")
    rounds = f'rounds() {{ {" ".join(ROUNDS)} "$@"; }}'
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    for command, printed in COMMANDS:
        done = subprocess.run(
            ["bash", "-c", f"{rounds}; {command}"],
            cwd=folder, capture_output=True, text=True, timeout=60, check=False, env=environment(PATH=path),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        first, _, left_out = printed.partition("...\n")
        assert done.stdout == first or (left_out == "" and first and done.stdout.startswith(first)), command
    for number, program in enumerate(PROGRAMS):
        (folder / f"program_{number}.py").write_text(program, "utf-8")
    return folder


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_a_program_reads_the_answer(place: Path, number: int) -> None:
    command = [sys.executable, "-W", "error", f"program_{number}.py"]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ANSWER or "read_file\n" in done.stdout


def test_what_is_generated_and_the_programs_are_strictly_typed(place: Path) -> None:
    pytest.importorskip("mypy")
    command = [
        *(sys.executable, "-m", "mypy", "--strict", "--config-file=", "--python-version=3.11", "--cache-dir=cache"),
        *("--explicit-package-bases", "client", *(f"program_{number}.py" for number in range(len(PROGRAMS)))),
    ]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_slip_is_seen_in_each_flavour(place: Path) -> None:
    pytest.importorskip("mypy")
    slips = {
        "pydantic_models": "reveal_type(answer.turns[0].calls[0].exit_code); answer.turn",
        "dataclass_models": "reveal_type(answer.turns[0].calls[0].exit_code); answer.turn",
        "typed_dicts": "reveal_type(answer['turns'][0]['calls'][0]['tool']); answer['turn']",
        "msgspec_structs": "reveal_type(answer.turns[0].calls[0].exit_code); answer.turn",
    }
    for module, slip in slips.items():
        program = f"from client.{module} import RoundsAnswer\ndef f(answer: RoundsAnswer) -> None:\n    {slip}\n"
        (place / f"slip_{module}.py").write_text(program)
    command = [
        *(sys.executable, "-m", "mypy", "--strict", "--config-file=", "--python-version=3.11", "--cache-dir=cache"),
        *("--explicit-package-bases", *(f"slip_{module}.py" for module in slips)),
    ]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=300, check=False)
    assert done.stdout.count("error: ") == len(slips), done.stdout
    assert done.stdout.count('"int') + done.stdout.count('"str"') >= len(slips), done.stdout
