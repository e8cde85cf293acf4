"""What a call gave or was called with, bounded in rows and columns. Spec: rounds.md 1 (Output), 5."""

from collections.abc import Iterator
from typing import Final, TypeAlias, TypeVar

from msgspec import DecodeError, Raw, json
from rich.text import Text

from accounting.cli.draw.columns import fitting
from accounting.cli.draw.lines import DIM, cropped, left_out, safe
from accounting.cli.draw.note import failure
from wire.answer.rounds import Call, Outcome, Output
from wire.reading import error_shape
from wire.scalars import JsonObject

_Fields: TypeAlias = dict[str, Raw]
T = TypeVar("T")

ROWS: Final = 8
"""How many rows of an output are drawn."""
DIFF_ROWS: Final = 12
"""How many rows of a diff are drawn: all that a view keeps."""


def draw_output(call: Call, width: int, *, diff: bool) -> Iterator[Text]:
    """What the call gave; a diff with its colours."""
    if call.output is None:
        return
    if call.outcome is Outcome.failed and (error := error_shape(_read(call.output, JsonObject))) is not None:
        yield from (cropped(line, width) for line in failure(error))
        return
    fields = _read(call.output, _Fields)
    if fields is not None:
        # These two stand elsewhere: beside the tool's name, and below.
        if call.exit_code is not None and fields.get("exit_code") == Raw(b"%d" % call.exit_code):
            del fields["exit_code"]
        if call.output.pinned is not None:
            fields.pop("sieve", None)
            fields.pop("offload", None)
    yield from _drawn(call.output, fields, width, DIFF_ROWS if diff else ROWS, diff=diff)
    if call.output.pinned is not None:
        yield from _whole(f"whole output: {call.output.pinned}", width)


def draw_arguments(arguments: Output, width: int) -> Iterator[Text]:
    """What the call was made with."""
    yield from _drawn(arguments, _read(arguments, _Fields), width, ROWS, diff=False)


def _drawn(output: Output, fields: _Fields | None, width: int, rows: int, *, diff: bool) -> Iterator[Text]:
    lines = output.head.split("\n") if fields is None else list(_lines(fields))
    hidden = max(len(lines) - rows, 0) + output.cut
    for line in lines[:rows]:
        yield cropped(safe(line), width, _diff_style(line) if diff else "")
    if hidden:
        yield Text(left_out(hidden, "line", width), DIM)


def _read(output: Output, form: type[T]) -> T | None:
    """The object that the text spells, when it is all there, is one, and nests no deeper than can be read here."""
    if output.cut or not output.head.startswith("{"):
        return None
    try:
        return json.decode(output.head, type=form)
    except (DecodeError, RecursionError):
        return None


def _lines(fields: _Fields) -> Iterator[str]:
    """An object key by key, its texts as the lines they are; a text that is all there is goes without its key."""
    for key, spelled in fields.items():
        raw = bytes(spelled)
        if not raw.startswith(b'"'):
            yield f"{key}: {_on_one_line(raw)}"
            continue
        value = json.decode(raw, type=str)
        lines = value.removesuffix("\n").split("\n")
        if len(fields) == 1:
            yield from lines
        elif len(lines) == 1:
            yield f"{key}: {value}"
        else:
            yield f"{key}:"
            yield from (f"  {line}" for line in lines)


def _on_one_line(raw: bytes) -> str:
    try:
        return json.format(raw, indent=-1).decode()
    except RecursionError:
        return " ".join(raw.decode().split())


def _diff_style(line: str) -> str:
    if line.startswith(("+++", "---")):
        return "bold"
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")


def _whole(text: str, width: int) -> Iterator[Text]:
    """All of a text that is of use only whole, broken wherever the line ends."""
    whole = safe(text)
    start = 0
    while start < len(whole):
        end = fitting(whole, start, width)
        yield Text(whole[start:end], DIM)
        start = end
