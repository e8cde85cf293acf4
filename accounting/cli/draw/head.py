"""How a session began and how it ended. Spec: rounds.md 1 (Opening, Closing), 5."""

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from accounting.cli.draw.lines import DIM, cropped, indented, prose, rule, single
from accounting.cli.draw.turn import INDENT
from accounting.cli.units import date
from wire.answer.rounds import Closing, FrozenNames, Opening, RoundsAnswer

MAYOR: Final = "the mayor"
"""What a mayor without a name of its own is called."""
_LABEL: Final = 10
_ROWS: Final = 6


def draw_head(answer: RoundsAnswer, width: int, *, empty: bool = False) -> Iterator[Text]:
    """The session's id, its task, and the terms it works under; what is not recorded is left out.

    `empty`: the file is whole, and there is nothing in it.
    """
    yield rule(cropped(answer.run, width - 3, "bold"), Text(), width, "━")
    opening = answer.opening
    if opening is None:
        told = "nothing is recorded in it" if empty else "its beginning is not at hand"
        yield indented(cropped(told, width - INDENT, DIM), INDENT)
    else:
        yield from labelled("task", opening.task, width, style="bold")
        yield from labelled("goal", opening.goal, width)
        yield from labelled("sent by", _sender(opening), width)
        yield from labelled("terms", _terms(opening), width)
        yield from labelled("parent", opening.parent, width)
    yield from labelled("worktree", answer.worktree, width)
    yield from labelled("opened at", None if answer.opened_at is None else answer.opened_at[:12], width)
    if opening is not None and opening.at:
        yield from labelled("began", date(opening.at), width)


def draw_end(closing: Closing | None, width: int, *, unreadable: bool, window: int | None) -> Text:
    """How the session ended, as far as that is known."""
    if closing is not None:
        at = date(closing.at) if closing.at else ""
        room = max(width - len(at) - 8, 12)
        return rule(cropped(single(closing.completion), room, "bold"), Text(at, DIM), width, "━")
    if unreadable:
        return rule(cropped("ended; how cannot be read", width - 4, "bold"), Text(), width, "━")
    where = "" if window is None else f" in the newest {window:,} records"
    return rule(cropped(f"no ending{where}", width - 4, "cyan"), Text(), width, "━")


def labelled(label: str, value: str | None, width: int, style: str = "") -> Iterator[Text]:
    """A label and what it stands for, on as many lines as that takes; none when there is nothing."""
    if not value:
        return
    head = Text(label.ljust(_LABEL), DIM)
    for row in prose(value, width - INDENT - _LABEL, _ROWS):
        line = head.copy()
        line.append(row, style)
        yield indented(line, INDENT)
        head = Text(" " * _LABEL)


def _sender(opening: Opening) -> str:
    sender = "" if opening.dispatched_by is None else opening.dispatched_by
    return f"{sender}, under {_mayor(opening.names)}".removeprefix(", ") if opening.names is not None else sender


def _mayor(names: FrozenNames) -> str:
    return MAYOR if names.mayor is None else names.mayor


def _terms(opening: Opening) -> str:
    policy, terms = opening.policy, list[str]()
    if policy is not None:
        terms += [f"mode {policy.mode}", f"write {policy.write}", f"admit {policy.admit}", f"landing {policy.landing}"]
    if opening.effort is not None:
        terms.append(f"effort {opening.effort}")
    return " · ".join(terms)
