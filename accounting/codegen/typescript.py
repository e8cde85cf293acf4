"""TypeScript: types, and a reader that holds values to the schema and alters no integer.

json-schema-to-typescript has no type for integers but `number`, numbers the definitions that it writes twice, and ties
the payload of a ledger line to nothing. So the types are written here. Types alone refuse nothing: the reader
(`templates/reading.ts`) parses with lossless-json and validates with ajv.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from accounting.codegen.files import header, write
from accounting.codegen.model import (
    AnyObject,
    Definition,
    Field,
    Listed,
    Named,
    Same,
    Shape,
    Text,
    Type,
    Union,
    Whole,
    Words,
    definitions,
)
from accounting.codegen.templates import template
from wire import SCHEMA_HASH, SCHEMA_VERSION
from wire.export import bundle
from wire.export.keywords import Schema

_PLAIN: Final[Mapping[str, str]] = {"string": "string", "boolean": "boolean", "json": "Json"}
_WORDING: Final = ("title", "description", "$comment", "format")
_BY_NAME: Final = ("properties", "$defs")

_FIXED: Final = f"""\
/** What to compare when two sides meet. */
export const SCHEMA_VERSION = "{SCHEMA_VERSION}";
export const SCHEMA_HASH = "{SCHEMA_HASH}";

/** Any JSON, as the reader gives it: integers are bigints. */
export type Json = string | number | bigint | boolean | null | readonly Json[] | {{ readonly [key: string]: Json }};
"""


def generate(out: Path) -> tuple[Path, ...]:
    """Writes types, schema and reader into a folder, which is made when it is not there; returns the three paths.

    Raises `CodegenError` when another file is in the way, `OSError` when it cannot write.
    """
    head = f"{header('typescript', '//')}\n"
    texts = {"rounds.ts": _types(), "schema.ts": _schema(), "reading.ts": template("reading.ts")}
    return write(out, "typescript", {name: head + text for name, text in texts.items()})


def _types() -> str:
    schema = bundle()["$defs"]
    found = definitions()
    others = dict(_keys_of_others(found))
    blocks = [_told(one.text) + _definition(one, others.get(one.name, ())) for one in found.values()]
    names = "".join(f"  readonly {name}: {name};\n" for name in schema)
    shapes = f"/** Every definition of the schema by its name. */\nexport interface Shapes {{\n{names}}}\n"
    return "\n".join([_FIXED, *blocks, shapes])


def _keys_of_others(found: Mapping[str, Definition]) -> Iterator[tuple[str, Sequence[str]]]:
    """For each form of a union that is told by its one key: the keys of the other forms, which it never has."""
    for one in found.values():
        if isinstance(one, Union) and one.told_by == "key":
            for key, form in one.forms.items():
                yield _type(form), [other for other in one.forms if other != key]


def _definition(one: Definition, never: Sequence[str]) -> str:
    match one:
        case Words(name, _, words):
            return f"export type {name} ={''.join(f'{chr(10)}  | {json.dumps(word)}' for word in words)};\n"
        case Text(name):
            return f"export type {name} = string;\n"
        case Whole(name):
            return f"export type {name} = bigint;\n"
        case Same(name, _, of):
            return f"export type {name} = {of};\n"
        case Union(name, _, forms, newer=newer):
            listed = [_type(form) for form in forms.values()] + ([newer] if newer else [])
            return f"export type {name} = {' | '.join(listed)};\n"
        case AnyObject(name, _, refused):
            return f"export type {name} = {{ readonly [key: string]: Json }}{_without(refused or ())};\n"
        case Shape() if one.payloads:
            return _event(one)
        case Shape(name, _, fields):
            return _object(name, [*map(_field, fields), *(f"{key}?: never" for key in never)])


def _without(keys: Sequence[str]) -> str:
    """What to put behind a type of any keys, to keep it from having these.

    They stand apart, since beside an index signature each would have to be what that says, which undefined is not.
    """
    never = "".join(f"  readonly {key}?: never;\n" for key in keys)
    return never and f" & {{\n{never}}}"


def _object(name: str, lines: Sequence[str]) -> str:
    body = "".join(f"{before}  readonly {line};\n" for before, line in map(_split, lines))
    return f"export interface {name} {{\n{body}}}\n"


def _split(line: str) -> tuple[str, str]:
    """The comment before a field, and the field."""
    comment, mark, rest = line.rpartition("*/\n")
    return comment + mark, rest


def _field(field: Field) -> str:
    spelled = _type(field.type) if field.const is None else json.dumps(field.const)
    null = " | null" if field.nullable and field.type != "json" else ""
    return f"{_told(field.text, '  ')}{field.key}{'' if field.required else '?'}: {spelled}{null}"


def _event(one: Shape) -> str:
    """A ledger line: of the closed set of kinds, `kind` decides what `data` is; of any, `data` is an object."""
    envelope = [field for field in one.fields if field.key not in ("kind", "data")]
    kind, data = (next(field for field in one.fields if field.key == key) for key in ("kind", "data"))
    closed = kind.type == Named("Kind")
    if not closed:
        return _object(one.name, [*map(_field, envelope), _field(kind), _field(data)])
    payloads = _object(f"{one.name}Payloads", [f"{word}: {shape}" for word, shape in one.payloads.items()])
    held = f"Of extends keyof {one.name}Payloads ? {one.name}Payloads[Of] : {_type(data.type)}"
    return (
        f"export type {one.name} = {{ [Of in Kind]: {one.name}Of<Of> }}[Kind];\n\n"
        f"/** A ledger line of one kind. */\n"
        + _object(f"{one.name}Of<Of extends Kind>", [
            *map(_field, envelope),
            f"{_told(kind.text, '  ')}kind: Of",
            f"{_told(data.text, '  ')}data: {held}",
        ])
        + f"\n/** The payload of each kind that has a shape. */\n{payloads}"
    )  # fmt: skip


def _type(one: Type) -> str:
    match one:
        case Named(name):
            return name
        case Listed(item):
            return f"readonly {_type(item)}[]"
        case _:
            return _PLAIN[one]


def _told(text: str, indent: str = "") -> str:
    lines = text.replace("*/", "* /").split("\n")
    if len(lines) == 1:
        return f"{indent}/** {text} */\n"
    return f"{indent}/**\n" + "".join(f"{f'{indent} * {line}'.rstrip()}\n" for line in lines) + f"{indent} */\n"


def _schema() -> str:
    prepared = json.dumps({"$defs": _prepared(bundle())["$defs"]}, indent=2, ensure_ascii=False)
    about = "/** The schema; its integers are told by the keyword `whole` of `reading.ts`. */"
    return f"{about}\nexport const schema: {{ readonly $defs: Readonly<Record<string, object>> }} = {prepared};\n"


def _prepared(schema: Any) -> Any:
    """The bundle for ajv: without wording, which nobody reads there, and without integers as numbers."""
    several: list[Any] = schema
    keywords: Schema = schema
    if isinstance(schema, list):
        return [_prepared(one) for one in several]
    if not isinstance(schema, dict):
        return schema
    match keywords:
        case {"type": "integer", "minimum": least, "maximum": most}:
            return {"whole": [str(least), str(most)]}
        case {"type": ["integer", "null"], "enum": [int() as only, None]}:
            return {"anyOf": [{"whole": [str(only), str(only)]}, {"type": "null"}]}
        case {"type": "integer" | ["integer", *_]}:
            raise TypeError(f"no `whole` for {keywords}")
        case _:
            # By `discriminator` ajv looks at objects only, and lets everything else pass.
            tagged = {"type": "object"} if "discriminator" in keywords else {}
            return tagged | {key: _under(key, value) for key, value in keywords.items() if key not in _WORDING}


def _under(key: str, value: Any) -> Any:
    if key in ("enum", "const", "required"):
        return value
    return {name: _prepared(one) for name, one in value.items()} if key in _BY_NAME else _prepared(value)
