"""Keeping the secrets of an environment out of what is written down or shown. Spec: asks.md 1.0, dispatch.md 2.0."""

import os
import re
from collections.abc import Mapping
from typing import Final

_SHORTEST_SECRET: Final = 8

_between_words = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
# `PWD` and `OLDPWD` are where one is; with more before it, it is a password.
_is_named_secret = re.compile(
    r"(?i)(?:^|_)(?:keys?|tokens?|secrets?|credentials?|creds?|auth|authorization|dsn)(?:_|$)"
    r"|_(?:pat|pwd)(?:_|$)|apikey|passw(?:or)?d|passphrase|(?:database|db)_ur[il]|connection_string"
).search
_has_password = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://[^/?#\s:]*:[^/?#\s]*@").match
"""Whether a text is an address with a password in it."""


def redacted(text: str, environ: Mapping[str, str]) -> str:
    """A text without the values of variables that hold secrets, by their names (`..._KEY`, `..._TOKEN`).

    An address with a password in it is one under any name. Each is replaced by its variable's name, `$NAME`. Values
    shorter than 8 characters stay: they may be any word.
    """
    for value, name in _secrets(environ):
        text = text.replace(value, f"${name}")
    return text


def without_cut_secret(end: bytes, environ: Mapping[str, str]) -> bytes:
    """The end of a text that was cut off before it, without what is left of a secret that the cut went through.

    Of that, `redacted` would know nothing.
    """
    return end[max((_overhang(end, os.fsencode(value)) for value, _ in _secrets(environ)), default=0) :]


def _overhang(end: bytes, secret: bytes) -> int:
    """How long a piece of the end of a secret a text begins with."""
    return next((size for size in range(min(len(secret) - 1, len(end)), 0, -1) if end.startswith(secret[-size:])), 0)


def _secrets(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    """The values that are secret, each with its variable's name; the longest first, for one may hold another."""
    found = [(value, name) for name, value in environ.items() if len(value) >= _SHORTEST_SECRET and _is(name, value)]
    return sorted(found, key=lambda one: (-len(one[0]), one))


def names_secret(name: str) -> bool:
    """Whether what is called so is a secret: `API_KEY`, `accessToken`."""
    return _is_named_secret(_between_words.sub("_", name)) is not None


def _is(name: str, value: str) -> bool:
    return names_secret(name) or _has_password(value) is not None
