"""What stands where an answer stands, from what the fold shows and the time of drawing. Spec: asks.md 1.5.

It holds what the file holds: whoever puts it on a terminal wraps it and makes control characters visible.
"""

from typing import assert_never

from accounting.ask.moment import moment
from wire.ask import AskShown, AskState

_SECOND_MS = 1000


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
