"""Following a ledger that is being written: what is there, then what comes. Spec: ledger.md 7.

`follower` is the iterator; `tail` reads what is there now; `trail`, for one segment, and `trails` know how much of what
was read still stands; `watch` and `observing` say when to look again, and `bell` wakes whoever waits.
"""

from accounting.ledger.following.follower import Follower

__all__ = ["Follower"]
