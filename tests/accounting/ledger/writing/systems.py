"""Systems that break: one operation fails, or the power goes; and one that does not wait for the disk."""

from collections.abc import Callable
from io import FileIO
from pathlib import Path
from typing import Any

from accounting.ledger.writing.posix import Posix


class Quick(Posix):
    """Durability is taken for granted: most tests are about something else."""

    def barrier(self, file: FileIO) -> None:
        assert not file.closed

    def sync_directory(self, path: Path) -> None:
        assert path.is_dir()


QUICK = Quick()
Step = Callable[[], Any]


class Watched(Quick):
    """Every operation that touches the ledger passes through `step`, which may do it, or break it."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: list[str] = []

    def step(self, name: str, do: Step) -> Any:
        """Do an operation."""
        self.steps.append(name)
        return do()

    def make_directory(self, path: Path) -> None:
        self.step("make_directory", lambda: super(Watched, self).make_directory(path))

    def create(self, path: Path) -> FileIO:
        made: FileIO = self.step("create", lambda: super(Watched, self).create(path))
        return made

    def open(self, path: Path) -> FileIO:
        opened: FileIO = self.step("open", lambda: super(Watched, self).open(path))
        return opened

    def write(self, file: FileIO, data: memoryview) -> int:
        taken: int = self.step("write", lambda: super(Watched, self).write(file, data))
        return taken

    def truncate(self, file: FileIO, size: int) -> None:
        self.step("truncate", lambda: super(Watched, self).truncate(file, size))

    def remove(self, path: Path) -> None:
        self.step("remove", lambda: super(Watched, self).remove(path))

    def barrier(self, file: FileIO) -> None:
        self.step("barrier", lambda: super(Watched, self).barrier(file))

    def sync_directory(self, path: Path) -> None:
        self.step("sync_directory", lambda: super(Watched, self).sync_directory(path))
