"""The documents that every judge reads: examples, damaged examples, near misses of each grammar, other spellings."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import wire
from tests.accounting.codegen.documents import CAREFUL, Document, damaged, examples, published
from tests.wire import shapes
from tests.wire.shapes import DOCUMENTS, TEXTS, Json, compact, inside, with_unknown_keys
from wire.export import BUNDLE, ROOTS, Root

DEFINITIONS: Final[dict[str, Json]] = DOCUMENTS[BUNDLE]["$defs"]
_SLOW: Final = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)
_MARK: Final = "\u0001here\u0001"
_NUMBERS: Final = ("1.0", "1e3", "-0", "-0.0", "1E-1", "01", str(2**63), str(2**64), "1" + "0" * 400, "NaN", "true")
"""Spellings of numbers, and what Python takes for one, to take the place of each number of an example."""
_BLOB: Final = "cas:b3-" + "0" * 64
_MORE_TEXTS: Final = {"Locator": (f"{_BLOB}#L2-1", f"{_BLOB}#B0-{2**64}", f"{_BLOB}#B{'9' * 30}-{'9' * 31}")}
"""What fits a pattern and yet not the grammar."""
_TOOL: Final = '{"id":"","name":"","args":{"here":%s}}'
_GATE: Final = '{"rule":%s,"violation":"","alternative":""}'


def _deep(levels: int) -> str:
    return "[" * levels + "]" * levels


_FREE: Final = {
    "a float": "0.5",
    "a float past doubles": "1e400",
    "1.0": "1.0",
    "2^64": str(2**64),
    "-2^63-1": str(-(2**63) - 1),
    "a thousand digits": "1" * 1000,
    "five thousand digits": "1" * 5000,
    "NaN": "NaN",
    "Infinity": "-Infinity",
    "100 levels": _deep(100),
    "300 levels": _deep(300),
}
"""What may come where any JSON may stand."""
_STRINGS: Final = {
    "half a surrogate pair": r'"\ud800"',
    "a whole pair": r'"\ud83d\ude00"',
    "a zero character": r'"\u0000"',
    "a raw tab": '"\t"',
    "a raw line end": '"\n"',
    "single quotes": "''",
    "a wrong escape": r'"\x41"',
}
_WHOLE: Final = {
    "a byte order mark": "\ufeff%s",
    "white space around": " \r\n\t%s\n",
    "a no-break space around": "\u00a0%s",
    "a comma at the end": "%s,",
    "a comment": "/**/%s",
    "nothing": "%.0s",
}


def documents(*, drawn: int, every: int = 1) -> tuple[Document, ...]:
    """All documents: `drawn` random values of each root with what they turn into, and each `every`-th damaged one."""
    found = [
        *examples(valid=True),
        *examples(valid=False),
        *published(valid=True),
        *published(valid=False),
        *(one.document for one in CAREFUL),
        *(one for one, _ in damaged()[::every]),
        *_near_misses(),
        *_without_a_tag(),
        *_numbers(),
        *_texts(),
        *_drawn(drawn),
    ]
    return tuple({(one.shape, one.text): one for one in found}.values())


def _near_misses() -> Iterator[Document]:
    """Each text that has a grammar, in each example, as each good text and each near miss of that grammar."""
    for one in examples(valid=True):
        value = json.loads(one.text)
        for key, schema in DEFINITIONS[one.shape].get("properties", {}).items():
            for grammar in re.findall(r"#/\$defs/(\w+)", json.dumps(schema)):
                if key in value:
                    for text in (*TEXTS.get(grammar, ()), *_MORE_TEXTS.get(grammar, ())):
                        yield Document(f"{one.name} {key}={text!r}", one.shape, json.dumps(value | {key: text}))


def _without_a_tag() -> Iterator[Document]:
    """Each example of a form of a tagged union by itself, its tag left out: too few to leave it to the sample."""
    for one in examples(valid=True):
        value = json.loads(one.text)
        for key, schema in DEFINITIONS[one.shape].get("properties", {}).items():
            if "const" in schema:
                left = {name: held for name, held in value.items() if name != key}
                yield Document(f"{one.name} without {key}", one.shape, json.dumps(left))


def _numbers() -> Iterator[Document]:
    """Each number of the first examples in other spellings."""
    first = {one.shape: one for one in reversed(examples(valid=True))}
    for one in first.values():
        for text in _marked(json.loads(one.text)):
            for number in _NUMBERS:
                spelled = text.replace(json.dumps(_MARK), number)
                yield Document(f"{one.name} with {number:.20}", one.shape, spelled)


def _marked(value: Json) -> Iterator[str]:
    for path, _ in _integers(value):
        changed = json.loads(json.dumps(value))
        place = changed
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = _MARK
        yield json.dumps(changed)


def _integers(value: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], int]]:
    for key, one in inside(value):
        if type(one) is int:
            yield (*path, key), one
        yield from _integers(one, (*path, key))


def _texts() -> Iterator[Document]:
    """What is odd in the text itself."""
    for name, text in _FREE.items():
        yield Document(f"{name} in free JSON", "ToolCalled", _TOOL % text)
        yield Document(f"{name} in a newer note", "Note", f'{{"sung":{text}}}')
        yield Document(f"{name} under a key to be ignored", "Gate", (_GATE % '""')[:-1] + f',"newer":{text}}}')
    for name, text in _STRINGS.items():
        yield Document(f"{name} in a string", "Gate", _GATE % text)
    for name, frame in _WHOLE.items():
        yield Document(name, "Gate", frame % (_GATE % '""'))


def _drawn(each: int) -> list[Document]:
    """Random values of each root, with unknown keys, and damaged; the same ones in every run."""
    return [one for root in ROOTS for one in _drawn_of(root, each)]


def _drawn_of(root: Root, each: int) -> list[Document]:
    found: list[Document] = []

    @settings(
        max_examples=each,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=_SLOW,
    )
    @given(st.data())
    def draw(data: st.DataObject) -> None:
        value = data.draw(shapes.values(root.type))
        spelled = json.loads(wire.encode(value))
        broken = [data.draw(shapes.damaged(spelled)) for _ in range(2)] if spelled else []
        for one in (spelled, with_unknown_keys(value, spelled), *broken):
            found.append(Document(f"drawn {root.name} {len(found)}", root.shape, compact(one).decode()))

    draw()
    return found
