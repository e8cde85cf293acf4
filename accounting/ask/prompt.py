"""What a provider is given to read: the turns so far, and the question. Spec: asks.md 1.5, 1.9."""

from collections.abc import Iterable

from accounting.ask.replay import replay
from wire.ask import AskQuestion, AskTurn


def prompt(turns: Iterable[AskTurn], question: AskQuestion) -> str:
    """The prompt of a question after the completed turns before it; the question alone when there are none.

    What the person was looking at stands on a line of its own above the question.
    """
    before = replay(turns)
    focus = f"(The developer is looking at session {question.focus}.)\n\n" if question.focus else ""
    if not before:
        return f"{focus}{question.text}\n"
    return (
        "You answer a developer's questions. What was said so far:\n\n"
        f"{before}"
        f"Now answer this one. Your answer is shown as you write it.\n\n{focus}Developer: {question.text}\n"
    )
