"""Where ledgers of these tests stand, and what is in them."""

import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

FIRST = "ledger-00000000000000000000.jsonl"
"""The first segment of every ledger."""


@contextmanager
def place() -> Generator[Path]:
    """A path for one ledger, in a folder that goes away again."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder).resolve() / "ledger"


def stored(directory: Path) -> dict[str, bytes]:
    """What the files of a ledger do hold."""
    return {path.name: path.read_bytes() for path in sorted(directory.iterdir())}


def whole(directory: Path) -> bytes:
    """A ledger's bytes across its files."""
    return b"".join(stored(directory).values())


def marks(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Every file below a folder, with what shows that it was written, or that its directory was."""
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_ino, path.read_bytes() if path.is_file() else b"")
        for path in [folder, *sorted(folder.rglob("*"))]
    }
