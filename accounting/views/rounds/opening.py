"""How a session began, as its `run_started` says. Spec: rounds.md 1, 3."""

from collections.abc import Callable
from typing import TypeAlias

from wire.answer.rounds import FrozenNames, Opening
from wire.reading import text, word
from wire.record.envelope import Record
from wire.record.session import Admission, Effort, Mode, RunPolicy, WorkLanding, Writing
from wire.scalars import B3Hash, Json, b3_hash, run_id, who

NamesLookup: TypeAlias = Callable[[B3Hash], FrozenNames | None]
"""The names that were in force under a hash, or `None` where they are not known."""


def opening(started: Record, names: NamesLookup | None) -> Opening:
    """The opening that a `run_started` gives; each field that does not read is absent."""
    data = started.data
    naming = b3_hash(data.get("naming"))
    return Opening(
        task=text(data.get("task")) or "",
        goal=text(data.get("goal")) or "",
        at=started.t,
        dispatched_by=who(data.get("dispatched_by")),
        policy=_policy(data.get("policy")),
        effort=word(data.get("effort"), Effort),
        names=None if names is None or naming is None else names(naming),
        parent=run_id(data.get("parent")),
    )


def _policy(value: Json) -> RunPolicy | None:
    if not isinstance(value, dict):
        return None
    mode, write = word(value.get("mode"), Mode), word(value.get("write"), Writing)
    admit, landing = word(value.get("admit"), Admission), word(value.get("landing"), WorkLanding)
    if mode is None or write is None or admit is None or landing is None:
        return None
    return RunPolicy(mode=mode, write=write, admit=admit, landing=landing)
