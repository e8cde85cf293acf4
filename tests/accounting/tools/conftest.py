"""A world of its own for each test."""

from pathlib import Path

import pytest

from tests.accounting.tools.world import World


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """The world, and this process in it."""
    made = World(tmp_path)
    for name, value in made.environ.items():
        monkeypatch.setenv(name, value)
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "DWB_CONFIG_DIR", "DWB_CLI_DIR",
                 "WORKBUDDY_CONFIG_DIR", "CODEBUDDY_CONFIG_DIR"):  # fmt: skip
        monkeypatch.delenv(name, raising=False)
    return made
