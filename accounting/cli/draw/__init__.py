"""A session drawn for a terminal, as lines of rich text. Spec: rounds.md 5.

    for line in draw(folded, 100):
        console.print(line)

A line is at most as wide as asked, and holds nothing that acts on a terminal.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from accounting.cli.draw.head import draw_end, draw_head, labelled
from accounting.cli.draw.lines import DIM, flow, indented
from accounting.cli.draw.totals import totals
from accounting.cli.draw.turn import INDENT, Setting, draw_turn
from accounting.ledger import ProblemCode
from accounting.views.rounds import Rounds

if TYPE_CHECKING:
    from accounting.foreign import Session

__all__ = ["NARROWEST", "draw"]

NARROWEST = 24
"""The least width that is drawn for, in columns; on less, a terminal has to break lines itself."""


def draw(folded: Rounds, width: int, window: int | None = None, session: "Session | None" = None) -> Iterator[Text]:
    """The session, line by line, none wider than `width` columns.

    `window`: how many of the newest records were folded, `None` for all. `session`: the session of another agent that
    was folded, of which is told what the answer has no field for.
    """
    width = max(width, NARROWEST)
    answer = folded.answer
    beside = None
    if session is not None:
        from accounting.cli.draw.beside import Beside

        beside = Beside(session)
    unreadable = ProblemCode.closing_unreadable in folded.problem_counts
    yield from draw_head(answer, width, empty=session is not None and not session.records)
    if beside is not None:
        for label, value in beside.head():
            yield from labelled(label, value, width)
        if not folded.cut:
            yield from (indented(line, INDENT) for line in beside.events(None, width - INDENT))
    if answer.turns:
        started = answer.turns[0].t if answer.opening is None else answer.opening.at
        ended = answer.closing is not None or unreadable
        setting = Setting(day=started, last=len(answer.turns), ended=ended, beside=beside)
        for turn in answer.turns:
            yield Text()
            yield from draw_turn(turn, setting, width)
    yield Text()
    yield draw_end(answer.closing, width, unreadable=unreadable, window=window)
    figures = (Text(figure, DIM) for figure in totals(answer.turns))
    yield from (indented(line, INDENT) for line in flow(figures, width - INDENT))
    if beside is not None:
        yield from (indented(line, INDENT) for line in beside.foot(width - INDENT))
