"""Rounds: one session as the turns a person reads. Spec: rounds.md."""

from accounting.views.rounds.fold import Changed, RoundsFold
from accounting.views.rounds.opening import NamesLookup
from accounting.views.rounds.pairings import Letters
from accounting.views.rounds.session import Rounds, every_run, read_rounds, result, rounds

__all__ = ["Changed", "Letters", "NamesLookup", "Rounds", "RoundsFold", "every_run", "read_rounds", "result", "rounds"]
