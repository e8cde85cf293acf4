"""A disk that remembers what has been made durable, and what the power going out may leave of the rest.

Of a file: what was there at its last barrier, and then the first of what was done to it since, the last of that perhaps
in part. Of a directory: the names at its last sync, and any of the names made or removed since.
"""

import os
from io import FileIO
from pathlib import Path
from random import Random
from typing import Any

from tests.accounting.ledger.writing.systems import Step, Watched


class PowerOut(BaseException):
    """The machine is off."""


class Content:
    """One file."""

    def __init__(self) -> None:
        self.durable = b""
        self.since: list[bytes | int] = []
        """Bytes appended, or the size cut to."""

    def after(self, random: Random) -> bytes:
        content = self.durable
        kept = random.randint(0, len(self.since))
        for index, change in enumerate(self.since[:kept]):
            if isinstance(change, int):
                content = content[:change]
            else:
                whole = index < kept - 1
                content += change if whole else change[: random.randint(0, len(change))]
        return content


class Names:
    """One directory."""

    def __init__(self) -> None:
        self.durable: dict[str, Content | None] = {}
        self.since: list[tuple[str, Content | None]] = []
        """Names made, or with `None` removed."""

    def after(self, random: Random) -> dict[str, Content | None]:
        names = dict(self.durable)
        names.update(change for change in self.since if random.random() < 0.5)
        return names


class Disk:
    """The parent directory, the ledger's, and the files in it, across writers that come and go."""

    def __init__(self) -> None:
        self.directories: dict[Path, Names] = {}
        self.files: dict[int, Content] = {}

    def names(self, directory: Path) -> Names:
        return self.directories.setdefault(directory, Names())

    def content(self, file: FileIO) -> Content:
        return self.files.setdefault(os.fstat(file.fileno()).st_ino, Content())

    def after_power_out(self, directory: Path, into: Path, random: Random) -> None:
        """Build what the power going out now may leave of a ledger."""
        if directory.name not in self.names(directory.parent).after(random):
            return
        into.mkdir()
        for name, content in self.names(directory).after(random).items():
            if content is not None:
                (into / name).write_bytes(content.after(random))


class Machine(Watched):
    """Writes to a disk until an operation at which its process is killed, or which fails, by number."""

    def __init__(self, disk: Disk, *, ends_at: int = 10**6, fails_at: int = -1) -> None:
        super().__init__()
        self.disk = disk
        self.ends_at = ends_at
        self.fails_at = fails_at

    def step(self, name: str, do: Step) -> Any:
        at = len(self.steps)
        self.steps.append(name)
        if at >= self.ends_at:
            raise PowerOut
        if at == self.fails_at:
            raise OSError(5, "Input/output error")
        return do()

    def make_directory(self, path: Path) -> None:
        super().make_directory(path)
        self.disk.names(path.parent).since.append((path.name, Content()))

    def create(self, path: Path) -> FileIO:
        file = super().create(path)
        # A number may be that of a file that is gone.
        content = self.disk.files[os.fstat(file.fileno()).st_ino] = Content()
        self.disk.names(path.parent).since.append((path.name, content))
        return file

    def write(self, file: FileIO, data: memoryview) -> int:
        taken = super().write(file, data)
        self.disk.content(file).since.append(bytes(data[:taken]))
        return taken

    def truncate(self, file: FileIO, size: int) -> None:
        super().truncate(file, size)
        self.disk.content(file).since.append(size)

    def remove(self, path: Path) -> None:
        super().remove(path)
        self.disk.names(path.parent).since.append((path.name, None))

    def barrier(self, file: FileIO) -> None:
        super().barrier(file)
        content = self.disk.content(file)
        content.durable, content.since = Path(str(file.name)).read_bytes(), []

    def sync_directory(self, path: Path) -> None:
        super().sync_directory(path)
        names = self.disk.names(path)
        names.durable, names.since = names.durable | dict(names.since), []
