"""Completed turns as the next prompt repeats them. Spec: asks.md 1.5."""

from collections.abc import Iterable

from wire.ask import AskTurn


def replay(turns: Iterable[AskTurn]) -> str:
    """The turns one after another, each a `Developer:` line, a `You:` line and a blank one."""
    return "".join(f"Developer: {turn.question}\nYou: {turn.answer}\n\n" for turn in turns)
