"""Secrets that stand in a profile's arguments, as far as names tell. Spec: dispatch.md 2.0, 2.2.

Arguments are in journals, and in the list of processes; of an environment, names alone are written down.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from accounting.secrets import names_secret

_SHORTEST: Final = 8
_is_option = re.compile(r"--?([A-Za-z][\w-]*)(?:=(.*))?", re.DOTALL).fullmatch
_is_header = re.compile(r"([A-Za-z][\w-]*):\s*(\S.*)", re.DOTALL).fullmatch
_is_elsewhere = re.compile(r"(?i)[_-](?:file|path|name|env|id|command|cmd|helper)$").search


def disclosed(arguments: Sequence[str]) -> Iterator[int]:
    """Where the arguments seem to hold a secret: `--api-key VALUE`, `--token=VALUE`, `Authorization: VALUE`."""
    option = ""
    for index, argument in enumerate(arguments):
        match = _is_option(argument)
        header = _is_header(argument)
        if match is not None:
            option = match[1]
            if _is_secret(option, match[2] or ""):
                yield index
                option = ""
        else:
            if _is_secret(option, argument) or (header is not None and _is_secret(header[1], header[2])):
                yield index
            option = ""


def _is_secret(name: str, value: str) -> bool:
    if len(value) < _SHORTEST or value.isdecimal() or value.startswith("$") or _is_elsewhere(name):
        return False
    return names_secret(name.replace("-", "_"))
