"""Machines as the tests of profiles need them: a home, a PATH, and nothing of this one."""

import os
from pathlib import Path
from typing import Final


class World:
    """A home of its own, with a directory for programs that is all of PATH."""

    def __init__(self, root: Path) -> None:
        self.root: Final = root
        self.home: Final = root / "home"
        self.bin: Final = root / "bin"
        self.home.mkdir()
        self.bin.mkdir()
        self.environ: Final = {"HOME": str(self.home), "PATH": str(self.bin)}

    def program(self, name: str, content: str = "#!/bin/sh\n", mode: int = 0o755) -> Path:
        """A program on PATH, or one at that path below the root."""
        path = self.root / name if os.sep in name else self.bin / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        path.chmod(mode)
        return path

    def configure(self, content: str) -> Path:
        """The configuration file of dispatching."""
        path = self.home / ".config" / "rounds" / "dispatch.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        return path

    def listing(self) -> list[tuple[str, int, int, bytes]]:
        """Everything that is there, with times and content."""
        found = sorted(self.root.rglob("*"))
        return [
            (str(path), path.stat().st_mtime_ns, path.stat().st_mode, path.read_bytes() if path.is_file() else b"")
            for path in found
        ]
