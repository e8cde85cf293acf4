"""A JSON text read with every oddity named: the slow road, for lines that are not in canonical spelling.

The grammar is JSON's own, no wider. Within it, what a view reads all the same but reports (rounds.md 0) comes back
as oddities: floats, integers past 64 bits, repeated keys, halves of surrogate pairs, deep nesting. Nothing here
recurses, so that nesting costs neither the interpreter's stack nor an exception.
"""

import math
import re
from decimal import Decimal, InvalidOperation
from json import JSONDecodeError, JSONDecoder
from typing import Final, TypeAlias, cast

from msgspec import Struct

from accounting.ledger.problem import ProblemCode
from wire.scalars import I64_MIN, U64_MAX, Json, JsonObject

DEEPEST_WRITTEN: Final = 126
"""How deep a payload may nest (ledger.md 1)."""
DEEPEST_READ: Final = 900
"""How deep a view still reads; containers below that read as empty (rounds.md 0)."""

_space = re.compile(r"[ \t\n\r]*").match
_number = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?").match
_scan_string = JSONDecoder().raw_decode
_surrogate = re.compile("[\ud800-\udfff]")
_LITERALS: Final[dict[str, tuple[str, Json]]] = {"t": ("true", True), "f": ("false", False), "n": ("null", None)}


class Oddity(Struct, kw_only=True):
    """Something a view reads but reports: the first of its sort in a text, and how many there are."""

    where: str
    """Path to the first, as `data.args.x` or `data.content[2]`, shortened."""
    found: str
    """How it is spelled, shortened."""
    count: int = 1
    """How many of the sort there are."""


Oddities: TypeAlias = dict[ProblemCode, Oddity]
"""What is odd about a text, by sort: bounded however odd it is."""


class NotJsonError(ValueError):
    """The text is no JSON."""

    def __init__(self, position: int, expected: str) -> None:
        super().__init__(f"expected {expected} at character {position}")
        self.position = position
        self.expected = expected


class _Level(Struct):
    """A container being read; `key` is the key or index of the element at hand."""

    container: JsonObject | list[Json]
    key: str | int


def parse(text: str) -> tuple[Json, Oddities]:
    """The value that the text spells, and its oddities. Raises `NotJsonError`."""
    return _Parser(text).run()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.oddities: Oddities = {}
        self.levels: list[_Level] = []
        self.root: Json = None

    def run(self) -> tuple[Json, Oddities]:
        at = self._value(self._skip(0))
        while self.levels:
            at = self._next(at)
        if at != len(self.text):
            raise NotJsonError(at, "the end of the line")
        return self.root, self.oddities

    def _skip(self, at: int) -> int:
        match = _space(self.text, at)
        assert match is not None  # it matches the empty string
        return match.end()

    def _next(self, at: int) -> int:
        """One step inside the innermost container: its end, or its next element."""
        level = self.levels[-1]
        container = level.container
        character = self.text[at : at + 1]
        if character == ("}" if isinstance(container, dict) else "]"):
            self.levels.pop()
            return self._skip(at + 1)
        if level.key not in ("", -1):
            if character != ",":
                raise NotJsonError(at, "a comma or the end of the object or list")
            at = self._skip(at + 1)
        if isinstance(container, dict):
            return self._value(self._key(level, container, at))
        level.key = len(container)
        return self._value(at)

    def _key(self, level: _Level, container: JsonObject, at: int) -> int:
        if self.text[at : at + 1] != '"':
            raise NotJsonError(at, "a key in quotes")
        key, at = self._string(at)
        level.key = f".{key}"
        if key in container:
            self._odd(ProblemCode.repeated_key, key)
        at = self._skip(at)
        if self.text[at : at + 1] != ":":
            raise NotJsonError(at, "a colon after the key")
        return self._skip(at + 1)

    def _value(self, at: int) -> int:
        character = self.text[at : at + 1]
        if character == '"':
            value, at = self._string(at)
            self._put(value)
        elif character in ("{", "["):
            self._open({} if character == "{" else [])
            at += 1
        elif character in _LITERALS and self.text.startswith(_LITERALS[character][0], at):
            word, literal = _LITERALS[character]
            self._put(literal)
            at += len(word)
        elif (match := _number(self.text, at)) is not None:
            self._put(self._numeral(match[0], integer=match[1] is None and match[2] is None))
            at = match.end()
        else:
            raise NotJsonError(at, "a JSON value")
        return self._skip(at)

    def _open(self, container: JsonObject | list[Json]) -> None:
        # Depth is the payload's: the envelope around it does not count.
        depth = len(self.levels)
        if depth == DEEPEST_WRITTEN + 1:
            self._odd(ProblemCode.too_deep, f"more than {DEEPEST_WRITTEN} containers")
        if depth == DEEPEST_READ + 1:
            self._put({} if isinstance(container, dict) else [])  # what follows fills a container nobody sees
        elif depth <= DEEPEST_READ:
            self._put(container)
        self.levels.append(_Level(container=container, key="" if isinstance(container, dict) else -1))

    def _put(self, value: Json) -> None:
        if not self.levels:
            self.root = value
            return
        level = self.levels[-1]
        if isinstance(level.container, dict):
            level.container[str(level.key)[1:]] = value
        else:
            level.container.append(value)

    def _string(self, at: int) -> tuple[str, int]:
        try:
            scanned, end = _scan_string(self.text, at)
        except JSONDecodeError as error:
            raise NotJsonError(error.pos, "a string's end, or a character that may stand in it") from None
        value = cast("str", scanned)
        if _surrogate.search(value):
            self._odd(ProblemCode.lone_surrogate, self.text[at:end])
            value = _surrogate.sub("\ufffd", value)
        return value, end

    def _numeral(self, spelled: str, *, integer: bool) -> Json:
        if integer:
            if len(spelled) <= 20 and I64_MIN <= (value := int(spelled)) <= U64_MAX:
                return value
            self._odd(ProblemCode.integer_range, spelled)
        else:
            self._odd(ProblemCode.float_in_payload, spelled)
            if math.isfinite(number := float(spelled)):
                return number
        try:
            # No count to any reading, yet written out digit by digit.
            return cast("Json", Decimal(spelled))
        except InvalidOperation:
            return math.inf

    def _odd(self, code: ProblemCode, found: str) -> None:
        if (known := self.oddities.get(code)) is not None:
            known.count += 1
            return
        path = "".join(
            f"[{level.key}]" if isinstance(level.key, int) else shortened(level.key) for level in self.levels[:20]
        )
        self.oddities[code] = Oddity(where=path.removeprefix("."), found=shortened(found))


def shortened(text: str, most: int = 60) -> str:
    """The text, or its beginning when it is long."""
    return text if len(text) <= most else f"{text[:most]}…"
