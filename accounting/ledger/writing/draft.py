"""What a caller hands in for one line; the writer adds the number, the chain and, unless it is given, the time."""

from typing import Literal

from msgspec import Struct

from wire.scalars import Address, JsonObject, RunId, TimeMs


class Draft(Struct, frozen=True, kw_only=True):
    """One line to be. Its fields are checked when it is appended. Spec: ledger.md 1, 2."""

    run: RunId
    """Whose line it is; `wire.scalars.NIL_RUN` is the city itself."""
    who: str
    """The author: `city`, `person`, or a resident's Address."""
    kind: str
    """What the line records: a `wire.Kind`, or with `ig` another snake_case word."""
    data: JsonObject
    """The payload, which has to read as its kind. It is not kept, and not changed."""
    addr: Address | None = None
    """Where; `None` when the line has no place."""
    t: TimeMs | None = None
    """UTC milliseconds; `None` takes the clock when the group is appended."""
    v: Literal[1, 2] = 2
    """Version of the line; 1 when `t` is not the moment of the event, for the four kinds where it would be."""
    ig: bool = False
    """That a reader which does not know the kind may skip the line; true for every kind that is not in the set."""
