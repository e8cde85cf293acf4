"""Where a process runs: the machine, its boot, and the namespace its number belongs to. Spec: dispatch.md 2.2.

A number says nothing elsewhere: state directories are shared between machines, and between containers. So the start
time of a process carries its origin: `machine/boot/namespace/start`.
"""

import re
from enum import StrEnum
from hashlib import sha256
from typing import Final

from msgspec import Struct

_DIGITS: Final = 16
UNKNOWN: Final = "-"
"""In place of a boot or a namespace where the system has none to tell."""
_spelt = re.compile(r"([0-9a-f]{16})/([^/]+)/([^/]+)/.+", re.DOTALL).fullmatch


class Where(StrEnum):
    """Where a process was when its start was written down, as seen from here."""

    here = "here"
    """Here: its number is one of ours. Also when the text does not say."""
    before = "before"
    """On this machine, before it was started anew: nothing of it is left."""
    elsewhere = "elsewhere"
    """On another machine, or in another container: nobody here can tell."""


class Origin(Struct, frozen=True, kw_only=True):
    """Where a process runs."""

    machine: str
    """The machine, by a digest: its own id is not for everybody."""
    boot: str
    """The boot of it."""
    namespace: str
    """The namespace that its numbers belong to."""

    def spell(self, start: str) -> str:
        """When a process of here started, as it is written down."""
        return f"{self.machine}/{self.boot}/{self.namespace}/{start}"

    def sees(self, recorded: str) -> Where:
        """Where the process was whose start was written down so, seen from this origin."""
        match = _spelt(recorded)
        if match is None:
            return Where.here
        machine, boot, namespace = match.groups()
        if UNKNOWN != boot == self.boot:  # one system, whatever its containers call the machine
            return Where.here if namespace == self.namespace else Where.elsewhere
        if machine != self.machine:
            return Where.elsewhere
        return Where.here if UNKNOWN in (boot, self.boot) else Where.before


def machine_of(text: str) -> str:
    """A machine by what it is known by: its id, or its name."""
    return sha256(text.encode(errors="replace")).hexdigest()[:_DIGITS]
