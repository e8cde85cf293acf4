"""Telling a reader that a thread grew. Spec: asks.md 1.2, 1.8.

Readers of ours watch the file and need no telling. A program that cannot watch names an address: the path of a Unix
datagram socket. It is no secret and may stand on a command line.
"""

import socket
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TypeAlias

Notify: TypeAlias = Callable[[], None]
"""Tells a reader, after what it is told of was written. It never raises and never waits."""


def silent() -> None:
    """Tell nobody."""


def notifier(address: str | None) -> Notify:
    """Send an empty datagram to the socket at a path each time; to nobody for `None`, or where nobody listens."""
    return silent if address is None or not hasattr(socket, "AF_UNIX") else partial(_poke, address)


def _poke(address: str) -> None:
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as one:
        one.settimeout(0)
        one.sendto(b"", address)
