"""How the command is installed, and what it loads."""

import sys
from pathlib import Path

import pytest

from accounting.sample import PATH
from tests.accounting.cli.help import process, rounds
from tests.build_sample import KEEPER

SAMPLE_RUN = ("--run", KEEPER)
FOLDED = rounds("fold", PATH, *SAMPLE_RUN).stdout_bytes


WITHOUT = """
import sys
from importlib.abc import MetaPathFinder

class Blocker(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == {name!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
        return None

sys.meta_path.insert(0, Blocker())
from accounting.cli import main
sys.argv = ["rounds", "--help"]
main()
"""


@pytest.mark.parametrize("missing", ["click", "rich", "msgspec"])
def test_a_core_install_says_what_to_install(missing: str) -> None:
    given = process(command=(sys.executable, "-c", WITHOUT.format(name=missing)))
    if missing == "msgspec":  # not a part of the extra: help does not need it
        assert given.returncode == 0
    else:
        assert (given.returncode, given.stdout) == (2, b"")
        assert given.stderr == b"rounds: the command line needs click and rich: pip install 'rounds[cli]'\n"


def test_the_installed_command() -> None:
    script = Path(sys.executable).with_name("rounds")
    if not script.exists():
        pytest.skip("not installed")
    given = process("fold", PATH, *SAMPLE_RUN, command=(str(script),))
    assert (given.returncode, given.stdout) == (0, FOLDED)


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        ("['--help']", ("rich.console", "msgspec", "wire")),
        (f"['fold', {str(PATH)!r}, '--run', {KEEPER!r}]", ("rich.console", "rich.text", "wire.export")),
        (f"['runs', {str(PATH)!r}, '--json']", ("rich.console", "rich.text", "wire.export")),
    ],
)
def test_what_is_not_needed_is_not_loaded(arguments: str, unneeded: tuple[str, ...]) -> None:
    code = f"""
import sys
from accounting.cli import main
try:
    main({arguments})
except SystemExit as end:
    assert end.code == 0
print([name for name in {unneeded!r} if name in sys.modules], file=sys.stderr)
"""
    assert process(command=(sys.executable, "-c", code)).stderr == b"[]\n"
