"""What a dispatched run is called. Spec: dispatch.md 2.2."""

import secrets
from hashlib import sha256
from typing import Final, cast

from wire.scalars import DispatchId, Sha256

_DIGITS: Final = 16


def key_hash(key: str) -> Sha256:
    """SHA-256 of an idempotency key's UTF-8: what is stored in place of the key.

    Raises `UnicodeEncodeError` for half of a surrogate pair.
    """
    return cast("Sha256", sha256(key.encode()).hexdigest())


def run_id_of(key: str) -> DispatchId:
    """The run that an idempotency key names: `wb-` and the first 16 digits of its SHA-256.

    An empty key is no key, which is for the caller to see to. Raises `UnicodeEncodeError` for half of a surrogate pair.
    """
    return cast("DispatchId", f"wb-{key_hash(key)[:_DIGITS]}")


def new_run_id() -> DispatchId:
    """The id of a run without a key. No two are alike, but by chance."""
    return cast("DispatchId", f"wb-{secrets.token_hex(_DIGITS // 2)}")
