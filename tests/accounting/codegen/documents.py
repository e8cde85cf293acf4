"""Documents for a client in another language to read.

A document is an example, an example with one part put in another's place, or a text that a careless reader alters.
"""

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any, Final, NamedTuple

from tests.wire.shapes import Json, judge
from wire.export import BUNDLE, schema_dir

SHAPES: Final = tuple(sorted(path.name for path in (schema_dir() / "examples").iterdir()))
"""The shapes that have examples."""
EDGES: Final[tuple[Json, ...]] = (None, True, "no-such-word", -1, 2**53 + 1, 2**64 - 1, 2**64, 1.5, {}, [None])
"""What takes the place of each part of each example: above all integers that a double does not hold."""


class Document(NamedTuple):
    """A text to read as a shape."""

    name: str
    shape: str
    text: str


def _used(number: int | str) -> str:
    return f'{{"input":{number},"output":0}}'


def _call(code: int) -> str:
    times = '"at":0,"output":null,"called":0,"answered":null,"timing":"measured","effect":null,"render":null'
    return f'{{"tool":"","subject":null,"arguments":null,"outcome":"waiting",{times},"exit_code":{code}}}'


def signal_with(number: int | str) -> str:
    """A signal with a number in its free JSON."""
    where = '"from":"","room":"a","room_version":0'
    return f'{{"id":"a","kind":"steer",{where},"payload":{{"n":{number}}},"at":0}}'


def _gate(more: str) -> str:
    return f'{{"rule":"r","violation":"","alternative":""{more}}}'


class Careful(NamedTuple):
    """A document, and how it is written again; `None` when it is refused."""

    document: Document
    written: str | None


def _careful(name: str, shape: str, text: str, written: str | None) -> Careful:
    return Careful(Document(name, shape, text), written)


def turn_with(notes: str) -> str:
    """A turn in which nothing else happened."""
    noted = '"number":1,"opened":0,"t":0,"timing":"measured","first_at":null,"model":null,"said":null,"thought":null'
    return f'{{{noted},"spent":null,"used":null,"stopped":null,"calls":[],"notes":[{notes}]}}'


def _note(name: str, note: str) -> Careful:
    """A newer note, which is written again as it was spelled."""
    return _careful(name, "Turn", turn_with(note), turn_with(note))


CAREFUL: Final = (
    _careful("2^53-1", "Used", _used(2**53 - 1), _used(2**53 - 1)),
    _careful("2^53+1", "Used", _used(2**53 + 1), _used(2**53 + 1)),
    _careful("2^64-1", "Used", _used(2**64 - 1), _used(2**64 - 1)),
    _careful("2^64", "Used", _used(2**64), None),
    _careful("1.0", "Used", _used("1.0"), None),
    _careful("1e3", "Used", _used("1e3"), None),
    _careful("-0", "Used", _used("-0"), _used(0)),
    _careful("-2^63", "Call", _call(-(2**63)), _call(-(2**63))),
    _careful("-2^63-1", "Call", _call(-(2**63) - 1), None),
    _careful("2^53 past what JavaScript counts", "AskEvent", '{"t":"chunk","seq":9007199254740992,"text":""}', None),
    _careful("2^64-1 in free JSON", "SignalEnqueued", signal_with(2**64 - 1), signal_with(2**64 - 1)),
    _careful("1e400 in free JSON", "SignalEnqueued", signal_with("1e400"), None),
    _careful("an unknown key of an open object", "Gate", _gate(',"newer":1'), _gate("")),
    _careful("a key in other capitals", "Gate", _gate("").replace("rule", "Rule"), None),
    _careful("a repeated key", "Gate", _gate(',"rule":"r"'), _gate("")),
    _note("a newer note", '{"sung":{"times":18446744073709551616}}'),
    _note("a newer note named U+007F", '{"\u007f":0}'),
    _note("a newer note named U+200B", '{"\u200b":0}'),
    _note("a newer note named U+E0001", '{"\U000e0001":0}'),
    _note("1e400 in a newer note", '{"sung":1e400}'),
    _note("-0 in a newer note", '{"sung":-0}'),
    _careful("a word as an object", "Call", _call(0).replace('"waiting"', '{"waiting":null}'), None),
    _careful("an object as an array", "Gate", '["","",""]', None),
    _careful("two values", "Gate", _gate("") + _gate(""), None),
    _careful("half a value", "Gate", _gate("")[:-1], None),
)
"""Texts that common readers alter in silence, or take though the schema does not."""


def examples(*, valid: bool) -> list[Document]:
    """The examples in `schema/examples`, those that are valid or those that are not."""
    return [
        Document(f"{path.parent.name}/{path.stem}", path.parent.name, path.read_text(encoding="utf-8"))
        for path in sorted((schema_dir() / "examples").glob("*/*.json"))
        if path.stem.startswith("invalid-") is not valid
    ]


def published(*, valid: bool) -> list[Document]:
    """The single records and answers in `schema/conformance` of that verdict, and the answers of its valid cases."""
    folder = schema_dir() / "conformance"
    ending = "valid" if valid else "invalid"
    found = {
        "EventRecord": folder.glob(f"records/*/*.{ending}.json"),
        "RoundsAnswer": [
            *folder.glob(f"answers/*.{ending}.json"),
            *(folder.glob("cases/*/rounds.json") if valid else ()),
        ],
    }
    return [
        Document(str(path.relative_to(folder).with_suffix("")), shape, path.read_text(encoding="utf-8"))
        for shape, paths in found.items()
        for path in sorted(paths)
    ]


@cache
def damaged() -> tuple[tuple[Document, bool], ...]:
    """Each valid example with one part taken out or put in another's place, and whether the schema allows that."""
    seen: dict[tuple[str, str], tuple[Document, bool]] = {}
    for example in examples(valid=True):
        for change, value in _changes(json.loads(example.text)):
            text = json.dumps(value)
            if (example.shape, text) not in seen:
                verdict = bool(_judge(example.shape).is_valid(value))
                seen[example.shape, text] = (Document(f"{example.name}{change}", example.shape, text), verdict)
    return tuple(seen.values())


def _judge(shape: str) -> Any:
    return judge(BUNDLE, shape).rust


def _changes(value: Json) -> Iterator[tuple[str, Json]]:
    for path in _paths(value):
        for edge in EDGES:
            yield f" {_told(path)}={edge!r:.20}", _put(value, path, edge)
        if path and isinstance(path[-1], str):
            yield f" without {_told(path)}", _put(value, path, None, leave_out=True)


def _paths(value: Json, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield path
    inner: list[tuple[str | int, Json]] = []
    if isinstance(value, dict):
        inner = list(value.items())  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    elif isinstance(value, list):
        inner = list(enumerate(value))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    for key, one in inner:
        yield from _paths(one, (*path, key))


def _put(value: Json, path: tuple[str | int, ...], edge: Json, *, leave_out: bool = False) -> Json:
    if not path:
        return edge
    changed = deepcopy(value)
    place = changed
    for key in path[:-1]:
        place = place[key]
    if leave_out:
        del place[path[-1]]
    else:
        place[path[-1]] = edge
    return changed


def _told(path: tuple[str | int, ...]) -> str:
    return "/".join(map(str, path)) or "itself"
