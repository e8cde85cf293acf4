"""A thread as rows of text, from what the fold shows and the time of drawing. Spec: asks.md 1.5.

Rows hold what the file holds: whoever puts them on a terminal wraps them and makes control characters visible.
"""

from collections.abc import Iterator, Sequence
from typing import assert_never

from accounting.ask.moment import moment
from accounting.ask.trim import trim
from wire.ask import AskShown, AskState

_INDENT = "  "
_SECOND_MS = 1000


def drawn(shown: Sequence[AskShown], now: int, *, speaker: str = "gmux", last: int | None = None) -> tuple[str, ...]:
    """The rows of a thread as it stands at `now` (UTC milliseconds): its last `last` rows, all for `None`.

    Each question is a heading `you` and its text, a blank row, the speaker and the answer; a blank row stands between.
    Questions above those rows cost nothing.
    """
    blocks: list[list[str]] = []
    count = 0
    for one in reversed(shown):
        if last is not None and count >= last:
            break
        blocks.append(["", *_block(one, now, speaker)])
        count += len(blocks[-1])
    rows = [row for block in reversed(blocks) for row in block]
    if len(blocks) == len(shown):
        rows = rows[1:]  # nothing stands above the first question
    return tuple(rows if last is None else rows[max(0, len(rows) - last) :])


def _block(one: AskShown, now: int, speaker: str) -> Iterator[str]:
    yield "you" if one.re is None else f"you · re: {one.re}"
    yield from _indented(one.question)
    yield ""
    yield speaker
    yield from _indented(body(one, now))


def body(shown: AskShown, now: int) -> str:
    """What stands where the answer stands, at `now` (UTC milliseconds)."""
    match shown.state:
        case AskState.waiting:
            return f"thinking… {waited_s(shown.at, now)}s   (esc to cancel)"
        case AskState.answering | AskState.answered:
            return shown.text
        case AskState.cancelled:
            return f"{shown.text}\n(cancelled)" if shown.text else "(cancelled)"
        case AskState.failed:
            return shown.message if shown.message is not None else "the answer failed"
        case _:
            assert_never(shown.state)


def waited_s(at: str, now: int) -> int:
    """Whole seconds from a record's time to `now` (UTC milliseconds); 0 when that is no time, or is still to come."""
    asked = moment(at)
    return 0 if asked is None else max(0, (now - asked) // _SECOND_MS)


def _indented(text: str) -> Iterator[str]:
    for row in text.split("\n"):
        yield _INDENT + row if trim(row) else ""
