"""Lines no wider than they may be: text cropped with a count of what is hidden, wrapped, or flowed."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.text import Span, Text

from accounting.cli.draw.columns import bound, columns, fitting
from accounting.cli.units import several
from accounting.cli.visible import visible

DIM: Final = "dim"
MARGIN: Final = 2
"""How far a text stands from the left."""
_SEPARATOR: Final = " · "
_TAB: Final = 8
_NARROW: Final = 48
_ITEM_ROWS: Final = 3


def safe(text: str) -> str:
    """One line of text as it may go to a terminal: tabs as spaces, everything else that acts or hides as its escape."""
    if "\t" not in text:
        return visible(text)
    return "\t".join(map(visible, text.split("\t"))).expandtabs(_TAB)


def single(text: str) -> str:
    """Text of several lines on one, safe, the line ends shown."""
    return safe(text.strip("\n").replace("\r\n", "\n").replace("\n", " ↵ "))


def width_of(line: Text) -> int:
    """How many columns a line takes."""
    return columns(line.plain)


def cropped(text: str, width: int, style: str = "") -> Text:
    """One line of safe text in at most so many columns, with a count of what is left out: `… 812 more columns`.

    Where that takes too much of a narrow line it is `… 812 more`.
    """
    taken = columns(text)
    if taken <= width and len(text) <= bound(width):
        return Text(text, style)
    # The count is at its longest while nothing is shown.
    brief = width < _NARROW
    end = fitting(text, 0, width - len(_more(taken, len(text), brief=brief)))
    drawn = columns(text[:end])
    shown = Text()
    shown.append(text[:end], style)
    shown.append(_more(taken - drawn, len(text) - end, brief=brief)[: max(width - drawn, 0)], DIM)
    return shown


def prose(text: str, width: int, rows: int) -> Iterator[str]:
    """Text of many lines as safe rows of at most so many columns, broken between words.

    After `rows` of them the rest is counted: `… 1,204 more characters`.
    """
    lines = text.split("\n")
    for index, line in enumerate(lines):
        whole = _ended(line)
        start = 0
        for end in _breaks(whole, width):
            if rows == 0:
                later = sum(1 + len(_ended(other)) for other in lines[index + 1 :])
                yield left_out(len(whole) - start + later, "character", width)
                return
            yield whole[start:end].rstrip(" ")
            start = end
            rows -= 1


def draw_text(text: str, width: int | None, style: str = "") -> Iterator[Text]:
    """A text of many lines, behind the margin; wrapped where a width is given."""
    if width is None:
        rows: Iterator[str] = (_ended(line) for line in text.split("\n"))
    else:
        rows = prose(text, max(width - MARGIN, 1), sys.maxsize)
    return (indented(Text(row, style), MARGIN) for row in rows)


def _ended(line: str) -> str:
    return safe(line.removesuffix("\r"))


def left_out(count: int, noun: str, width: int) -> str:
    """What stands where so much is left out: `… 3 more lines`."""
    told = f"… {several(count, f'more {noun}')}"
    return told if len(told) <= width else f"… {count:,} more"[:width]


def flow(items: Iterable[Text], width: int) -> Iterator[Text]:
    """Items on lines of at most so many columns, broken between them; a wider one takes lines of its own."""
    line = Text()
    for item in items:
        if line and width_of(line) + len(_SEPARATOR) + width_of(item) <= width:
            line.append(_SEPARATOR, DIM)
            line.append_text(item)
            continue
        if line:
            yield line
        line = Text()
        if width_of(item) > width:
            yield from (Text(row, item.style) for row in prose(item.plain, width, _ITEM_ROWS))
        else:
            line.append_text(item)
    if line:
        yield line


def spread(left: Text, right: Sequence[Text], width: int, indent: int) -> Iterator[Text]:
    """What goes left and what goes right on one line, or below each other where they are too wide."""
    last = Text()
    for item in right:
        last.append(_SEPARATOR if last else "", DIM)
        last.append_text(item)
    gap = width - width_of(left) - width_of(last)
    if gap >= 2 or not right:
        line = Text()
        line.append_text(left)
        line.append(" " * gap if right else "")
        line.append_text(last)
        yield line
    else:
        yield left
        yield from (indented(line, indent) for line in flow(right, width - indent))


def indented(line: Text, margin: int, mark: str = "") -> Text:
    """The line behind so many columns, with a dim mark at their beginning; an empty line stays empty."""
    if not line and not mark:
        return line
    plain = line.plain
    spans = [Span(0, len(mark), DIM)] if mark else []
    if line.style:
        spans.append(Span(margin, margin + len(plain), line.style))
    spans += [span.move(margin) for span in line.spans]
    return Text(mark.ljust(margin) + plain, spans=spans)


def rule(left: Text, right: Text, width: int, stroke: str) -> Text:
    """A line across: strokes, what stands left, strokes, what stands right if there is room for it."""
    line = Text()
    line.append(f"{stroke * 2} ", DIM)
    line.append_text(left)
    gap = width - width_of(line) - width_of(right) - 2
    if gap < 1 or not right:
        gap, right = width - width_of(line) - 1, Text()
    if gap > 0:
        line.append(f" {stroke * gap}", DIM)
    if right:
        line.append(" ")
        line.append_text(right)
    return line


def _more(hidden: int, characters: int, *, brief: bool) -> str:
    if brief:
        return f" … {hidden or characters:,} more"
    if hidden:
        return f" … {hidden:,} more {'column' if hidden == 1 else 'columns'}"
    return f" … {characters:,} more {'character' if characters == 1 else 'characters'}"


def _breaks(text: str, width: int) -> Iterator[int]:
    """Where each row of a wrapped line ends; one end for an empty line."""
    start = 0
    while True:
        end = fitting(text, start, width)
        if end >= len(text):
            yield len(text)
            return
        space = text.rfind(" ", start, end + 1)
        # Not at the spaces a line is indented by.
        if space > start and text[start:space].strip(" "):
            end = space + 1
        yield end
        start = end
