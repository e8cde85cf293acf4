"""Comparing answers as JSON: exact types, and the words of an `unreadable` cause only up to the colon."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from accounting.views.rounds import Rounds, rounds
from wire import FrozenNames, Record, encode
from wire.scalars import RunId, b3_hash, run_id

Plain = dict[str, Any]


def asked(run: str) -> RunId:
    """The id of a run that a test made up."""
    known = run_id(run)
    assert known is not None
    return known


def record(plain: Mapping[str, Any]) -> Record:
    """The record that a plain dict describes."""
    run = asked(plain["run"])
    return Record(v=plain["v"], run=run, seq=plain["seq"], t=plain["t"], kind=plain["kind"], data=plain["data"])


def fold(
    records: Iterable[Mapping[str, Any]],
    run: str,
    window: int | None = None,
    names: Mapping[str, str | None] | None = None,
) -> Rounds:
    """What the library makes of plain records; `names` maps a hash to the mayor's name."""
    table = {b3_hash(key): FrozenNames(mayor=mayor) for key, mayor in (names or {}).items()}
    return rounds([record(plain) for plain in records], asked(run), window, table.get)


def plain(value: object) -> Any:
    """A shape as the JSON it travels as, causes cut after their colon."""
    return normal(msgspec.json.decode(encode(value)))


def normal(value: Any) -> Any:
    """JSON with every `cause` cut after its first colon."""
    if isinstance(value, Mapping):
        return {
            key: item[: item.index(":") + 1] if key == "cause" else normal(item)  # pyright: ignore
            for key, item in value.items()  # pyright: ignore
        }
    if isinstance(value, list | tuple):
        return [normal(item) for item in value]  # pyright: ignore
    return value


def same(left: Any, right: Any) -> bool:
    """Equality that tells True from 1 and 1 from 1.0."""
    if type(left) is not type(right):
        return False
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)  # pyright: ignore
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))  # pyright: ignore
    return bool(left == right)
