"""The published cases suit any language: a reader in JavaScript, sharing no code with ours, agrees with every one."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from wire.export import schema_dir

ASKS = schema_dir() / "conformance" / "asks"
READER = Path(__file__).with_name("reader.mjs")


def test_another_reader_agrees_with_every_case() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node to run the other reader with")
    ran = subprocess.run([node, str(READER), str(ASKS)], capture_output=True, check=True, timeout=60)
    expected = {path.parent.name: json.loads(path.read_bytes()) for path in ASKS.glob("*/turns.json")}
    for turns in expected.values():
        turns.pop("max_turns", None)
    assert json.loads(ran.stdout) == expected
