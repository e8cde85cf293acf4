"""Rust: types with serde's derives, unions as enums, u64 where the schema counts so far.

Where a derive would let pass what the schema refuses (an array for an object, an object for a word, a missing field for
null), a macro of `templates/reading.rs` stands before it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from accounting.codegen.files import header, write
from accounting.codegen.model import (
    AnyObject,
    Definition,
    Field,
    Named,
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
from accounting.codegen.rust_spelling import DERIVES, field_name, told, type_of
from accounting.codegen.rust_union import union
from accounting.codegen.templates import template
from wire import SCHEMA_HASH, SCHEMA_VERSION

_BASES: Final[Mapping[tuple[int, int], str]] = {
    (0, 2**32 - 1): "u32",
    (0, 2**64 - 1): "u64",
    (-(2**63), 2**63 - 1): "i64",
}

_FIXED: Final = f"""\
//! The types of what travels.
#![allow(dead_code, unused_imports, clippy::all)] // Nobody uses them all, and nobody edits them.
#![cfg_attr(rustfmt, rustfmt_skip)]

mod reading;

use serde::{{Deserialize, Serialize}};

pub use reading::{{read, write, Json, JsonObject, Newer}};
use reading::{{grammar, object, whole, words}};

/// What to compare when two sides meet.
pub const SCHEMA_VERSION: &str = "{SCHEMA_VERSION}";
pub const SCHEMA_HASH: &str = "{SCHEMA_HASH}";
"""


def generate(out: Path) -> tuple[Path, ...]:
    """Writes the module, two files, into a folder, which is made when it is not there; returns their paths.

    Raises `CodegenError` when another file is in the way, `OSError` when it cannot write.
    """
    head = f"{header('rust', '//')}// @generated\n\n"
    return write(out, "rust", {"mod.rs": head + _types(), "reading.rs": head + template("reading.rs")})


def _types() -> str:
    found = definitions()
    tags = {
        form.name: one.tag
        for one in found.values()
        if isinstance(one, Union) and one.told_by == "tag"
        for form in one.forms.values()
        if isinstance(form, Named)
    }
    # The object around the one key is the enum itself.
    wrappers = {
        type_of(form)
        for one in found.values()
        if isinstance(one, Union) and one.told_by == "key"
        for form in one.forms.values()
    }
    blocks = [
        block
        for one in found.values()
        if one.name not in wrappers
        for block in _definition(one, found, tags.get(one.name))
    ]
    return "\n".join([_FIXED, *blocks, _payloads(found)])


def _definition(one: Definition, found: Mapping[str, Definition], tag: str | None) -> Iterator[str]:
    match one:
        case Words(words=words):
            yield _words(one.name, one.text, words)
        case Text(pattern=pattern):
            most = "None" if one.most is None else f"Some({one.most})"
            body = f'{one.name}, r#"{pattern or ""}"#, {one.least}, {most}'
            yield f"grammar! {{\n{told(one.text, '    ')}    {body}\n}}\n"
        case Whole(least=least, most=most) if (least, most) in _BASES:
            yield f"{told(one.text)}pub type {one.name} = {_BASES[least, most]};\n"
        case Whole(least=least, most=most):
            base = "u32" if most < 2**32 else "u64"
            yield f"whole! {{\n{told(one.text, '    ')}    {one.name}: {base}, {least}, {most}\n}}\n"
        case Shape():
            yield from _struct(one, tag)
            if one.payloads:
                yield _payload(one)
            elif one.rule is not None:
                yield _check(one, one.rule)
        case Union():
            yield union(one, found)
        case Same(of=of):
            yield f"{told(one.text)}pub type {one.name} = {of};\n"
        case AnyObject():
            pass  # Written by hand: `JsonObject` and `Newer` of templates/reading.rs.


def _words(name: str, text: str, words: tuple[str, ...]) -> str:
    members = "".join(f'        {member(word)} = "{word}",\n' for word in words)
    return f"words! {{\n{told(text, '    ')}    {name} {{\n{members}    }}\n}}\n"


def _struct(one: Shape, tag: str | None) -> Iterator[str]:
    fields = [field for field in one.fields if field.key != tag]
    for field in fields:
        if field.const is not None:
            yield _words(_const(one, field), field.text, (field.const,))
    closed = ", deny_unknown_fields" if one.closed else ""
    body = "".join(_field(one, field) for field in fields)
    checked = ", check" if one.rule is not None or one.payloads else ""
    note = f"\n\nA form without its tag `{tag}`, which the union has." if tag else ""
    yield (
        f'{told(one.text + note)}{DERIVES}#[serde(remote = "Self"{closed})]\n'
        f"pub struct {one.name} {{{f'{chr(10)}{body}' if body else ''}}}\n\nobject!({one.name}{checked});\n"
    )


def _field(owner: Shape, field: Field) -> str:
    held = _const(owner, field) if field.const is not None else type_of(field.type)
    name = field_name(field)
    serde = [f'rename = "{field.key}"'] if name != field.key else []
    null = field.nullable and field.type != "json"
    if null or not field.required:
        way = "nullable" if field.required else "maybe" if null else "optional"
        serde.append(f'deserialize_with = "reading::{way}"')
        held = f"Option<Option<{held}>>" if way == "maybe" else f"Option<{held}>"
    if not field.required:
        serde += ["default", 'skip_serializing_if = "Option::is_none"']
    attribute = f"    #[serde({', '.join(serde)})]\n" if serde else ""
    return f"{told(field.text, '    ')}{attribute}    pub {name}: {held},\n"


def _const(owner: Shape, field: Field) -> str:
    return owner.name + member(field.key)


def _payload(one: Shape) -> str:
    kinds: dict[str, list[str]] = {}
    for word, shape in one.payloads.items():
        kinds.setdefault(shape, []).append(f'"{word}"')
    cases = "".join(
        f"            {' | '.join(words)} => Payload::{shape}(serde_json::from_value(data)?),\n"
        for shape, words in kinds.items()
    )
    return (
        f"impl {one.name} {{\n"
        "    /// `data` as the kind's own shape; `None` for a kind that has none, an error when it is no such shape.\n"
        "    pub fn payload(&self) -> serde_json::Result<Option<Payload>> {\n"
        "        let data = serde_json::Value::Object(self.data.0.clone());\n"
        "        Ok(Some(match self.kind.as_str() {\n"
        f"{cases}            _ => return Ok(None),\n        }}))\n    }}\n\n"
        "    fn check(&self) -> Result<(), String> {\n"
        '        self.payload().map(drop).map_err(|error| format!("data: {error}"))\n    }\n}\n'
    )


def _payloads(found: Mapping[str, Definition]) -> str:
    """One enum for whatever has payloads."""
    every = {shape for one in found.values() if isinstance(one, Shape) for shape in one.payloads.values()}
    members = "".join(f"    {shape}({shape}),\n" for shape in sorted(every))
    derives = "#[derive(Clone, Debug, PartialEq, Eq)]\n"
    return f"/// The payload of a kind that has a shape.\n{derives}pub enum Payload {{\n{members}}}\n"


def _check(one: Shape, rule: Rule) -> str:
    fields = {field.key: field for field in one.fields}
    return (
        f"impl {one.name} {{\n    fn check(&self) -> Result<(), String> {{\n"
        f"        if {_rule(rule, fields)} {{\n            Ok(())\n        }} else {{\n"
        '            Err("its fields do not go together".into())\n        }\n    }\n}\n'
    )


def _rule(rule: Rule, fields: Mapping[str, Field]) -> str:
    match rule:
        case Has(key):
            return "true" if fields[key].required else f"self.{field_name(fields[key])}.is_some()"
        case Null(key):
            if not fields[key].nullable:
                return "false"
            return f"matches!(self.{field_name(fields[key])}, {'None' if fields[key].required else 'Some(None)'})"
        case Holds(key, words):
            held = " | ".join(f"{type_of(fields[key].type)}::{member(word)}" for word in words)
            around = (not fields[key].required) + fields[key].nullable
            return f"matches!(self.{field_name(fields[key])}, {'Some(' * around}{held}{')' * around})"
        case Not(inner):
            return f"!{_part(inner, fields)}"
        case All(rules):
            return " && ".join(_part(one, fields) for one in rules)
        case Any(rules):
            return " || ".join(_part(one, fields) for one in rules)
        case One(rules):
            return f"[{', '.join(_rule(one, fields) for one in rules)}].iter().filter(|one| **one).count() == 1"


def _part(rule: Rule, fields: Mapping[str, Field]) -> str:
    return f"({_rule(rule, fields)})" if isinstance(rule, All | Any | One) else _rule(rule, fields)
