"""Bytes out, all of them: an unbuffered write may take fewer than it is given."""

import sys
from io import FileIO
from typing import BinaryIO


def put(*parts: bytes) -> None:
    """Write the bytes to standard output, one part after the other."""
    if sys.stdout is None:  # pyright: ignore[reportUnnecessaryComparison] - it is when closed at the start
        return
    sys.stdout.flush()
    for part in parts:
        write_all(sys.stdout.buffer, part)
    sys.stdout.buffer.flush()


def write_all(file: BinaryIO | FileIO, data: bytes) -> None:
    """Write the bytes to a file, asking again for those it did not take."""
    left = memoryview(data)
    while left:
        left = left[file.write(left) :]
