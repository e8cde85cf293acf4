"""Canonical bytes, and the hash that chains them: the one home of how a line is spelled. Spec: ledger.md 1."""

from collections.abc import Callable
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, cast

from msgspec import json

from wire.scalars import B3Hash

GENESIS: Final = cast("B3Hash", "0" * 64)
"""`prev` of line 0."""

encode_sorted: Final[Callable[[object], bytes]] = json.Encoder(order="sorted").encode
"""The canonical bytes of a payload: keys sorted bytewise at every depth, no white space, the short escapes."""

if TYPE_CHECKING or find_spec("blake3") is not None:
    from blake3 import blake3

    def line_hash(line: bytes) -> B3Hash:
        """BLAKE3 of a line without its newline, in lower-case hex: the next line's `prev`.

        Raises `ModuleNotFoundError` without the extra `ledger`.
        """
        return cast("B3Hash", blake3(line).hexdigest())

else:

    def line_hash(_: bytes) -> B3Hash:
        """Say what is missing."""
        raise ModuleNotFoundError("checking and writing ledgers needs blake3: pip install 'rounds[ledger]'")
