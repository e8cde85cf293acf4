"""Hypothesis profiles: a quick one for every run, a long one for `make soak`."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_SPARED = [HealthCheck.too_slow, HealthCheck.data_too_large]  # slow machines, and ledgers that are long by nature
settings.register_profile("quick", deadline=None, max_examples=150, suppress_health_check=_SPARED)
settings.register_profile("soak", deadline=None, max_examples=20_000, suppress_health_check=_SPARED)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

_SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def golden() -> Path:
    """The folder of real ledgers that stands beside the repository, where there is one."""
    folder = _SHARED / "golden"
    if not folder.is_dir():
        pytest.skip(f"no real ledgers at {folder}")
    return folder
