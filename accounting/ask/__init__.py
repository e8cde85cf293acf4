"""Ask threads: questions and answers whose file is their turn list. Spec: asks.md.

    from accounting.ask import completed_turns, parse

    turns = completed_turns(parse(path.read_bytes()).events)

What is here is pure: the bytes, the clock and the processes are handed in.
"""

from accounting.ask.draw import body, waited_s
from accounting.ask.fold import REPLAYED_TURNS, AskFold, completed_turns, in_flight, next_seq, shown
from accounting.ask.lock import LOCK_STALE_MS, is_stale, read_lock
from accounting.ask.moment import moment
from accounting.ask.parse import DROPPING, Parsed, ThreadProblem, ThreadProblemCode, parse
from accounting.ask.refresh import HEARTBEAT_MS, REFRESH_INTERVAL_MS, should_refresh
from accounting.ask.replay import replay
from accounting.ask.trim import TRIMMED, trim

__all__ = [
    "DROPPING",
    "HEARTBEAT_MS",
    "LOCK_STALE_MS",
    "REFRESH_INTERVAL_MS",
    "REPLAYED_TURNS",
    "TRIMMED",
    "AskFold",
    "Parsed",
    "ThreadProblem",
    "ThreadProblemCode",
    "body",
    "completed_turns",
    "in_flight",
    "is_stale",
    "moment",
    "next_seq",
    "parse",
    "read_lock",
    "replay",
    "should_refresh",
    "shown",
    "trim",
    "waited_s",
]
