"""What a session comes to, from the figures that were reported. Spec: rounds.md 5."""

from collections.abc import Iterator, Sequence

from accounting.cli.draw.turn import replied
from accounting.cli.units import UNKNOWN, dollars, several
from wire.answer.rounds import Outcome, Turn


def totals(turns: Sequence[Turn]) -> Iterator[str]:
    """The session's figures; a sum that lacks terms is marked with `+`, and the last item says what that means."""
    calls = [call for turn in turns for call in turn.calls]
    yield several(len(turns), "turn")
    outcomes = [(Outcome.failed, "failed"), (Outcome.waiting, "waiting")]
    counted = [(sum(call.outcome is outcome for call in calls), word) for outcome, word in outcomes]
    of_them = ", ".join(f"{count:,} {word}" for count, word in counted if count)
    yield several(len(calls), "call") + (f" ({of_them})" if of_them else "")
    answered = [turn for turn in turns if replied(turn)]
    if not answered:
        return
    used = [turn.used for turn in answered if turn.used is not None]
    cached = [counts.cached for counts in used if counts.cached is not None]
    spent = [turn.spent for turn in answered if turn.spent is not None]
    sums = [f"cached {UNKNOWN}", f"cost {UNKNOWN}"]
    if cached:
        sums[0] = f"{sum(cached):,}{_lacks(cached, answered)} cached"
    if spent:
        sums[1] = f"{dollars(sum(spent))}{_lacks(spent, answered)}"
    if used:
        lacks = _lacks(used, answered)
        sums.insert(0, f"{sum(counts.output for counts in used):,}{lacks} out")
        sums.insert(0, f"{sum(counts.input for counts in used):,}{lacks} in")
    else:
        sums.insert(0, f"tokens {UNKNOWN}")
    yield from sums
    if any("+" in figure for figure in sums):
        yield "+ at least: not every reply reports it"


def _lacks(terms: Sequence[object], replies: Sequence[Turn]) -> str:
    return "+" if len(terms) < len(replies) else ""
