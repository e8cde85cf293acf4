"""Values that a writer of a schema writes: the keys and the words that it names, and keys that nobody names."""

from collections.abc import Iterator
from random import Random
from typing import Final

from accounting.evolution.value import as_list, as_object

from .grammar import KEYS, Json, jsonschema

TEXTS: Final = ("", "a", "b", "c", "ab", "abcd")
NUMBERS: Final = (-4, -1, 0, 1, 2, 3, 4, 6, 0.5)
ANY: Final[tuple[Json, ...]] = (
    *(None, True, 0, 1, 0.5, "a", "ab", [], [1], ["a", None]),
    *({}, {"p": 1}, {"p": "a", "zz": 2}),
)


class Writer:
    """Writes values of one document at random; not all of them are valid."""

    def __init__(self, whole: Json, random: Random) -> None:
        self.whole = whole
        self.random = random
        self.validator = jsonschema.Draft202012Validator(whole)

    def values(self, count: int) -> Iterator[Json]:
        for _ in range(count):
            try:
                value = self.value(self.whole, 4)
                valid = self.validator.is_valid(value)
            except RecursionError:
                # A schema that denies itself, or is its own condition, has no values that could be told.
                return
            if valid:
                yield value

    def value(self, schema: Json, depth: int) -> Json:
        random = self.random
        if depth < 0 or not isinstance(schema, dict):
            return random.choice(ANY)
        every = self.parts(schema)
        for part in every:
            if "const" in part or "enum" in part:
                return part["const"] if "const" in part else random.choice(part["enum"])
        kinds: list[str] = []
        for part in every:
            if "type" in part:
                kinds = [part["type"]] if isinstance(part["type"], str) else part["type"]
        if not kinds and not any(part.keys() & {"properties", "required", "additionalProperties"} for part in every):
            if any(part.keys() & {"items", "prefixItems"} for part in every):
                kinds = ["array"]
            elif any(part.keys() - {"$defs", "description"} for part in every):
                kinds = [random.choice(["string", "number", "object", "array", "null"])]
            else:
                return random.choice(ANY)
        kind = random.choice(kinds or ["object", "object", "string"])
        match kind:
            case "null":
                return None
            case "boolean":
                return random.choice((True, False))
            case "string":
                return random.choice(TEXTS)
            case "integer":
                return random.choice([one for one in NUMBERS if isinstance(one, int)])
            case "number":
                return random.choice(NUMBERS)
            case "array":
                return self.array(every, depth)
            case _:
                return self.object(every, depth)

    def parts(self, part: Json) -> list[Json]:
        """What has to hold together: of alternatives, one is chosen."""
        schema = as_object(part)
        if schema is None:
            return []
        found: list[Json] = [schema]
        if "$ref" in schema:
            target = self.whole
            for key in str(schema["$ref"]).split("/")[1:]:
                target = target[key]
            found += self.parts(target)
        for one in as_list(schema.get("allOf")) or []:
            found += self.parts(one)
        for key in ("anyOf", "oneOf"):
            if key in schema:
                found += self.parts(self.random.choice(schema[key]))
        return found

    def array(self, every: list[Json], depth: int) -> Json:
        firsts = [one for part in every for one in part.get("prefixItems", ())]
        rest = [part["items"] for part in every if "items" in part]
        length = self.random.randint(0, 3)
        schemas: list[Json] = [*firsts, *[self.random.choice(rest) if rest else {} for _ in range(3)]]
        return [self.value(schemas[index], depth - 1) for index in range(length)]

    def object(self, every: list[Json], depth: int) -> Json:
        random = self.random
        named: dict[str, Json] = {}
        for part in every:
            needs: list[str] = part.get("required", [])
            named = {**{name: {} for name in needs}, **named, **part.get("properties", {})}
            for case in (part,) if "if" in part else ():
                word = tested(case["if"])
                if word is not None and random.random() < 0.7:
                    named["k"] = {"const": word}
                    named |= (as_object(case.get("then")) or {}).get("properties", {})
        needed = {name for part in every for name in part.get("required", ())}
        written = [name for name in named if name in needed or random.random() < 0.6]
        value = {name: self.value(named[name], depth - 1) for name in written}
        more = [part["additionalProperties"] for part in every if "additionalProperties" in part]
        mapped = [one for one in more if not isinstance(one, bool) and one]
        data = not any("properties" in part for part in every)
        newer = any("propertyNames" in part for part in every)
        if newer:
            return {"newer": random.choice(ANY)}
        for name in KEYS if data or mapped else ():
            if name not in named and random.random() < 0.5:
                value[name] = self.value(mapped[0] if mapped else {}, depth - 1)
        if random.random() < 0.3:
            value["zz"] = self.value(mapped[0] if mapped else {}, depth - 1)
        return value


def tested(test: Json) -> str | None:
    """The word that a condition of the usual form compares `k` with."""
    held = as_object(test) or {}
    kind = as_object((as_object(held.get("properties")) or {}).get("k")) or {}
    return kind.get("const") if held.get("required") == ["k"] else None
