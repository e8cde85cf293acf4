"""Rollouts that newer versions compress, `.jsonl.zst`: several frames one after another, the last of which may be torn.

Needs the package zstandard; without it such a file cannot be read, which is an `OSError`.
"""

import errno
import io
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Self

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_CAN_READ: Final = find_spec("zstandard") is not None
if TYPE_CHECKING or _CAN_READ:
    import zstandard

MAGIC: Final = b"\x28\xb5\x2f\xfd"
"""How a compressed file begins."""
_WINDOW: Final = 1 << 31
_STEP: Final = 1 << 13


def is_compressed(head: bytes) -> bool:
    """Whether a file that begins so is compressed."""
    return head.startswith(MAGIC)


def decompressed_head(head: bytes, most: int) -> bytes:
    """What the beginning of a compressed file holds; empty when that cannot be told."""
    if not _CAN_READ:
        return b""
    stream = _Decompressed(io.BytesIO(head))
    return stream.read(most) or b""


class _Decompressed(io.RawIOBase):
    """Ends where the data does or no longer reads, and tells which."""

    def __init__(self, file: BinaryIO) -> None:
        self.broken = False
        self._file = file
        self._frame = _begin()
        self._fed = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        view = memoryview(buffer).cast("B")
        while not self._ready and self._feed():
            pass
        given = self._ready[: len(view)]
        view[: len(given)] = given
        self._ready = self._ready[len(given) :]
        return len(given)

    def _feed(self) -> bool:
        """Decompress a little more: in small steps, for a step that fails gives nothing. Whether there was any."""
        part = self._fed or self._file.read(_STEP)
        if self.broken or not part:
            return False
        try:
            self._ready = memoryview(self._frame.decompress(part))
        except zstandard.ZstdError:
            self.broken = True
            return False
        self._fed = b""
        if self._frame.eof:
            self._fed = self._frame.unused_data
            self._frame = _begin()
        return True

    def close(self) -> None:
        self._file.close()
        super().close()


def _begin() -> "zstandard.ZstdDecompressionObj":
    return zstandard.ZstdDecompressor(max_window_size=_WINDOW).decompressobj()


class Opened:
    """A rollout open for reading its text, compressed or not; places in it are places in the text."""

    def __init__(self, path: Path) -> None:
        """Open it. Raises `OSError`, also for a compressed file without the package that reads it."""
        file = io.BufferedReader(io.FileIO(path), 1 << 20)
        self._raw: _Decompressed | None = None
        self.text: BinaryIO = file
        """The text."""
        if not is_compressed(file.peek(len(MAGIC))):
            return
        if not _CAN_READ:
            file.close()
            raise OSError(errno.ENOTSUP, "compressed: reading it needs the package zstandard", str(path))
        self._raw = _Decompressed(file)
        self.text = io.BufferedReader(self._raw, 1 << 20)

    @property
    def is_broken(self) -> bool:
        """Whether reading came to an end because the compressed data did not read."""
        return self._raw is not None and self._raw.broken

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.text.close()
