"""The fields of a file's rows that its reader does not read: the part of a report that takes a pass of its own.

Reading decodes only what is used, so whatever else a row holds goes unseen, at no cost. Who wants to know of every
field asks here: each line is decoded whole, and what no field of the reader's Struct takes is tallied.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias, get_args

from msgspec import DecodeError, Struct, json, structs

from accounting.foreign.fidelity import Fate, Fidelity, Tally, Totals
from accounting.foreign.salvage import arms, is_struct
from accounting.ledger.problem import Place
from wire.scalars import Json, JsonObject

_Known: TypeAlias = dict[str, "_Known | None"]
"""The keys that a Struct takes: below each those of the Struct inside, or none where anything is taken whole."""


def unread_fields(path: Path, shape: type[Struct], kind: Callable[[JsonObject], str]) -> tuple[Tally, ...]:
    """What stands in the lines of a file and no field of `shape` takes, by kind and dotted path, as dropped tallies.

    `kind` names the kind of a row. Damaged lines are passed over: the session's own report tells of them. Raises
    `OSError`, and nothing else.
    """
    fidelity = Fidelity("", str(path))
    known = _known(shape)
    offset = 0
    with path.open("rb", buffering=1 << 20) as file:
        for number, line in enumerate(file, 1):
            place = Place(segment=str(path), line=number, offset=offset)
            offset += len(line)
            try:
                row: Json = json.decode(line)
            except (DecodeError, RecursionError):
                continue
            if isinstance(row, dict):
                word = kind(row)
                for field in _unread(row, known, ""):
                    fidelity.entry(word, field, Fate.dropped, "not read").add(place)
    return fidelity.report(Totals()).tallies


def _unread(value: Json, known: _Known, at: str) -> Iterator[str]:
    if isinstance(value, list):
        for element in value:
            yield from _unread(element, known, f"{at.removesuffix('.')}[].")
    elif isinstance(value, dict):
        for key, inner in value.items():
            if key not in known:
                yield f"{at}{key}"
            elif (below := known[key]) is not None:
                yield from _unread(inner, below, f"{at}{key}.")


def _known(shape: type[Struct]) -> _Known:
    return {field.encode_name: _below(field.type) for field in structs.fields(shape)}


def _below(shape: Any) -> _Known | None:
    """The keys known inside a field: those of every Struct it may hold, alone or in a list."""
    keys: _Known = {}
    found = False
    for arm in arms(shape):
        inner = [arm, *(part for argument in get_args(arm) for part in arms(argument))]
        for one in inner:
            if is_struct(one):
                found = True
                keys |= _known(one)
    return keys if found else None
