"""An answer as it comes: the records of one question out of a thread that grows, and whether anybody is at it."""

import time
from collections.abc import Iterator
from typing import Final, TypeAlias

from accounting.ask.thread import AskThread
from accounting.ask.trim import TRIMMED
from accounting.cli.ask.presence import Presence, presence
from wire.ask import AskAborted, AskChunk, AskEnd, AskError, AskEvent, AskMeta, AskSeq

LEFT_S: Final = 2.0
"""How long a question may be in flight with nobody at it: whoever cancels it is there for moments."""
_TICK_S: Final = 0.25

Settle: TypeAlias = AskEnd | AskAborted | AskError
"""A record that settles a question."""


class Again:
    """The thread begins anew: what was read of the question before is to be forgotten."""


class Left:
    """Nobody answers the question, and nobody has for a while."""


class Tick:
    """Nothing came, and some time went by."""


class Unclaimed:
    """As `Tick`, and no worker has taken the question up, as one should have by now."""


Sign: TypeAlias = type[Again | Left | Tick | Unclaimed]
"""What is to be known beside the records."""


def answering(thread: AskThread, start: int, seq: AskSeq) -> Iterator[AskEvent | Sign]:
    """The records of question `seq` from the byte `start` on, as they come. Ends with a record that settles it.

    The records that are there come first. `Left` is the last that comes where nobody answers. Raises `OSError` when the
    thread cannot be read.
    """
    with thread.follow(start) as follower:
        left_at: float | None = None
        while True:
            at_it = presence(thread)
            look = follower.wait(_TICK_S)
            if look.again:
                yield Again
            settled = False
            for event in look.events:
                if not isinstance(event, AskMeta) and event.seq == seq:
                    settled = settled or isinstance(event, Settle)
                    yield event
            if settled:
                return
            if at_it is not Presence.nobody:
                left_at = None
            elif left_at is None:
                left_at = time.monotonic()
            elif time.monotonic() - left_at > LEFT_S:
                yield Left
                return
            yield Unclaimed if at_it is Presence.no_worker else Tick


class Pieces:
    """An answer put together as it comes, trimmed at both ends: what can be shown of each piece already."""

    def __init__(self) -> None:
        self.begun = False
        """Whether there is anything but white space."""
        self._held = ""

    def take(self, event: AskChunk) -> str:
        """The next piece: what there is to show now. White space is held back until something follows it."""
        text = self._held + event.text
        if not self.begun:
            text = text.lstrip(TRIMMED)
        shown = text.rstrip(TRIMMED)
        self._held = text[len(shown) :]
        self.begun = self.begun or bool(shown)
        return shown
