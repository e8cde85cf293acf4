"""Questions and answers as lines for a terminal. Spec: asks.md 1.5, the display fold.

On a terminal, lines are wrapped; elsewhere they are as the thread has them. Nothing in them acts on a terminal.
"""

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from accounting.ask.draw import body, waited_s
from accounting.cli.ask.presence import Presence
from accounting.cli.draw.lines import DIM, draw_text, safe
from wire.ask import AskShown, AskState

SPEAKER: Final = "answer"
"""What stands above an answer."""
LEFT: Final = "(nobody is answering)"
"""What stands for the answer of a question in flight that no worker is at."""
UNCLAIMED: Final = "no worker yet"
"""What stands there while the lock is held and no worker has come, as one should have."""


def draw_thread(shown: tuple[AskShown, ...], now: int, width: int | None, at_it: Presence) -> Iterator[Text]:
    """The questions with what stands where their answers stand, at `now` (UTC milliseconds).

    `at_it` says whether somebody is answering the last of them; nobody answers the others.
    """
    for index, one in enumerate(shown):
        if index:
            yield Text()
        yield from draw_question(one, width)
        yield from _standing(one, now, width, at_it if index == len(shown) - 1 else Presence.nobody)


def draw_question(shown: AskShown, width: int | None) -> Iterator[Text]:
    """A question, down to who speaks next."""
    head = Text("you", "bold")
    if shown.re is not None:
        head.append(f" · re: {safe(shown.re)}", DIM)
    yield head
    yield from draw_text(shown.question, width)
    yield Text()
    yield Text(SPEAKER, "bold")


def thinking(at: str, now: int, *, unclaimed: bool = False) -> str:
    """What stands for an answer that has not begun, at `now` (UTC milliseconds)."""
    return f"{UNCLAIMED if unclaimed else 'thinking'}… {waited_s(at, now)}s"


def _standing(shown: AskShown, now: int, width: int | None, at_it: Presence) -> Iterator[Text]:
    in_flight = shown.state in (AskState.waiting, AskState.answering)
    if shown.state is AskState.waiting and at_it is Presence.worker:
        yield from draw_text(thinking(shown.at, now), width, "cyan")
    elif shown.state is not AskState.waiting:
        yield from draw_text(body(shown, now), width)
    if in_flight and at_it is not Presence.worker:
        yield from draw_text(LEFT if at_it is Presence.nobody else f"({UNCLAIMED})", width, DIM)
