"""Go: structs, words and unions that read and write JSON as the schema has it; the standard library is all they need.

Generators from JSON Schema flatten its unions into structs of pointers, and `encoding/json` alone takes null for zero,
a missing field for zero and a key in other capitals for the field. So the types are written here, each with its own
`UnmarshalJSON` and `MarshalJSON`, over a file of helpers that is the same for every schema (`templates/reading.go`).
"""

import re
from collections.abc import Iterator
from pathlib import Path

from accounting.codegen.files import header, write
from accounting.codegen.go_spelling import quoted, told, type_of
from accounting.codegen.go_union import forms_of, newer, union
from accounting.codegen.model import (
    AnyObject,
    Definition,
    Field,
    Same,
    Shape,
    Text,
    Union,
    Whole,
    Words,
    definitions,
    member,
)
from accounting.codegen.rule import All, Any, Has, Holds, Not, Null, One, Rule
from accounting.codegen.templates import commented, template
from wire import SCHEMA_HASH, SCHEMA_VERSION
from wire.export.keywords import camel


def generate(out: Path) -> tuple[Path, ...]:
    """Writes the package `rounds`, two files, into a folder, which is made when it is not there; returns their paths.

    Raises `CodegenError` when another file is in the way, `OSError` when it cannot write.
    """
    # Go's own tools know generated code by the last of these lines.
    head = f"{header('go', '//')}//\n// Code generated from it. DO NOT EDIT.\n\n"
    return write(out, "go", {"rounds.go": head + _types(), "reading.go": head + template("reading.go")})


def _types() -> str:
    found = definitions()
    blocks = [block for one in found.values() for block in _definition(one)]
    unions = [one for one in found.values() if isinstance(one, Union)]
    memberships = {f"func ({form}) is{one.name}() {{}}" for one in unions for form in forms_of(one)}
    return "\n".join(
        [
            "// Package rounds has the types of what travels.",
            "package rounds\n",
            'import (\n\t"encoding/json"\n\t"errors"\n\t"regexp"\n)\n',
            "// SchemaVersion and SchemaHash are what to compare when two sides meet.",
            f'const (\n\tSchemaVersion = "{SCHEMA_VERSION}"\n\tSchemaHash    = "{SCHEMA_HASH}"\n)\n',
            *blocks,
            "\n\n".join(sorted(memberships)),
            "",
        ]
    )


def _definition(one: Definition) -> Iterator[str]:
    match one:
        case Words():
            yield _words(one)
        case Text():
            yield _text(one)
        case Whole():
            yield _whole(one)
        case Shape():
            yield _struct(one)
            yield _reading(one)
            yield _writing(one)
            if one.payloads:
                yield _payload(one)
        case Union():
            yield union(one)
        case Same():
            yield f"{told(one)}type {one.name} = {one.of}\n"
        case AnyObject(refused=None):
            pass  # Written by hand: templates/reading.go.
        case AnyObject():
            yield newer(one)


def _words(one: Words) -> str:
    names = [one.name + member(word) for word in one.words]
    width = max(map(len, names))
    lines = "".join(f'\t{name:<{width}} {one.name} = "{word}"\n' for name, word in zip(names, one.words, strict=True))
    listed = ", ".join(f'"{word}"' for word in one.words)
    return f"{told(one)}type {one.name} string\n\n// The words of {one.name}.\nconst (\n{lines})\n\n" + _method(
        one.name, f'word, err := readWord("{one.name}", text, {listed})', "word"
    )


def _text(one: Text) -> str:
    grammar, declared = "nil", ""
    if one.pattern is not None:
        grammar = f"grammar{one.name}"
        # Go's expressions spell a code point otherwise.
        pattern = re.sub(r"\\u([0-9a-f]{4})", r"\\x{\1}", one.pattern)
        declared = f"var {grammar} = regexp.MustCompile({quoted(pattern)})\n\n"
    most = -1 if one.most is None else one.most
    call = f'found, err := readText("{one.name}", text, {grammar}, {one.least}, {most})'
    return f"{told(one)}type {one.name} string\n\n{declared}{_method(one.name, call, 'found')}"


def _whole(one: Whole) -> str:
    base = "int64" if one.least < 0 else "uint32" if one.most < 2**32 else "uint64"
    call = f'found, err := readWhole[{base}]("{one.name}", text, {one.least}, {one.most})'
    return f"{told(one)}type {one.name} {base}\n\n{_method(one.name, call, 'found')}"


def _method(name: str, call: str, found: str) -> str:
    return (
        f"// UnmarshalJSON refuses what is no {name}.\n"
        f"func (v *{name}) UnmarshalJSON(text []byte) error {{\n\t{call}\n\t*v = {name}({found})\n\treturn err\n}}\n"
    )


def _struct(one: Shape) -> str:
    lines = [
        commented(f"{camel(field.key)}: {field.text}", "\t// ") + f"\t{camel(field.key)} {_spelled(field)}\n"
        for field in one.fields
        if field.const is None
    ]
    body = "{\n" + "".join(lines) + "}" if lines else "{}"
    return f"{told(one)}type {one.name} struct{' ' if lines else ''}{body}\n"


def _reading(one: Shape) -> str:
    lines = [f'in := open("{one.name}", text)']
    if one.closed:
        lines.append(f"in.closed({', '.join(quoted(field.key) for field in one.fields)})")
    for field in one.fields:
        place = f'in, "{field.key}", &v.{camel(field.key)}'
        if field.const is not None:
            lines.append(f'constant(in, "{field.key}", "{field.const}")')
        elif field.required:
            lines.append(f"{'nullable' if _pointed(field) else 'required'}({place})")
        else:
            lines.append(f"maybe({place})" if field.nullable else f"optional({place}, false)")
    if one.rule is not None:
        lines.append(f'in.holds({_rule(one.rule)}, "its fields do not go together")')
    if one.payloads:
        lines += ["if in.err == nil {", "\t_, in.err = v.Payload()", "}"]
    body = "".join(f"\t{line}\n" for line in [*lines, "return in.err"])
    return (
        f"// UnmarshalJSON refuses what the schema does not allow{'' if one.closed else '; other keys are ignored'}.\n"
        f"func (v *{one.name}) UnmarshalJSON(text []byte) error {{\n{body}}}\n"
    )


def _writing(one: Shape) -> str:
    lines = ["var out writer"]
    for field in one.fields:
        key, own = field.key, f"v.{camel(field.key)}"
        if field.const is not None:
            lines.append(f'out.field("{key}", "{field.const}")')
        elif field.required:
            lines.append(f'out.field("{key}", {own})')
        else:
            lines.append(f'{"perhaps" if field.nullable else "present"}(&out, "{key}", {own})')
    body = "".join(f"\t{line}\n" for line in [*lines, "return out.done()"])
    head = f"func (v {one.name}) MarshalJSON() ([]byte, error)"
    return f"// MarshalJSON writes the fields in their order.\n{head} {{\n{body}}}\n"


def _payload(one: Shape) -> str:
    kinds: dict[str, list[str]] = {}
    for word, shape in one.payloads.items():
        kinds.setdefault(shape, []).append(word)
    cases = "".join(
        f"\tcase {', '.join(quoted(word) for word in words)}:\n\t\treturn readForm[{shape}](text)\n"
        for shape, words in kinds.items()
    )
    return (
        "// Payload is Data as the kind's own shape (RunStarted, ToolResult ...); nil for a kind that has none.\n"
        f"func (v {one.name}) Payload() (any, error) {{\n"
        "\ttext, err := json.Marshal(v.Data)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n"
        f"\tswitch string(v.Kind) {{\n{cases}\t}}\n\treturn nil, nil\n}}\n"
    )


def _spelled(field: Field) -> str:
    if _pointed(field):
        return f"*{type_of(field.type)}" if field.required or not field.nullable else f"Maybe[{type_of(field.type)}]"
    return type_of(field.type)


def _pointed(field: Field) -> bool:
    """Whether it may be without a value; any JSON holds null itself."""
    return not field.required or (field.nullable and field.type != "json")


def _rule(rule: Rule) -> str:
    match rule:
        case Has(key):
            return f'in.has("{key}")'
        case Null(key):
            return f'in.null("{key}")'
        case Holds(key, words):
            return f'in.word("{key}", {", ".join(map(quoted, words))})'
        case Not(inner):
            return f"!{_part(inner)}"
        case All(rules):
            return " && ".join(map(_part, rules))
        case Any(rules):
            return " || ".join(map(_part, rules))
        case One(rules):
            return f"one({', '.join(map(_rule, rules))})"


def _part(rule: Rule) -> str:
    return f"({_rule(rule)})" if isinstance(rule, All | Any) else _rule(rule)
