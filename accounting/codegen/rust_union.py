"""Unions in Rust: enums, by serde's derives where they can say it."""

from collections.abc import Mapping

from accounting.codegen.model import Definition, Shape, Type, Union, member
from accounting.codegen.rust_spelling import DERIVES, told, type_of


def union(one: Union, found: Mapping[str, Definition]) -> str:
    """A union, as what tells its form has it."""
    match one.told_by:
        case "tag":
            members = "".join(
                f'    #[serde(rename = "{word}")]\n    {member(word)}({type_of(form)}),\n'
                for word, form in one.forms.items()
            )
            how = f'#[serde(tag = "{one.tag}", remote = "Self")]\n'
            return f"{told(one.text)}{DERIVES}{how}pub enum {one.name} {{\n{members}}}\n\nobject!({one.name});\n"
        case "key":
            held = {key: _content(found[type_of(form)]) for key, form in one.forms.items()}
            if one.newer:
                return _open_union(one, held)
            members = "".join(
                f'    #[serde(rename = "{key}")]\n    {member(key)}({form}),\n' for key, form in held.items()
            )
            return f"{told(one.text)}{DERIVES}pub enum {one.name} {{\n{members}}}\n"
        case "type" | "reading":
            members = "".join(f"    {_called(form)}({type_of(form)}),\n" for form in one.forms.values())
            return f"{told(one.text)}{DERIVES}#[serde(untagged)]\npub enum {one.name} {{\n{members}}}\n"


def _open_union(one: Union, held: Mapping[str, str]) -> str:
    """A union whose unknown forms are kept, which no derive can say."""
    members = "".join(f"    {member(key)}({form}),\n" for key, form in held.items())
    writes = "".join(
        f'            Self::{member(key)}(content) => reading::one_key(out, "{key}", content),\n' for key in held
    )
    reads = "".join(f'            "{key}" => {one.name}::{member(key)}(fields.next_value()?),\n' for key in held)
    return f"""\
{told(one.text)}#[derive(Clone, Debug, PartialEq, Eq)]
pub enum {one.name} {{
{members}    /// A form that these types do not know.
    Newer(Newer),
}}

impl Serialize for {one.name} {{
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {{
        match self {{
{writes}            Self::Newer(newer) => reading::one_key(out, &newer.key, &newer.content),
        }}
    }}
}}

impl<'de> Deserialize<'de> for {one.name} {{
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {{
        from.deserialize_map({one.name}Reader)
    }}
}}

struct {one.name}Reader;

impl<'de> serde::de::Visitor<'de> for {one.name}Reader {{
    type Value = {one.name};

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {{
        out.write_str("an object of one key")
    }}

    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut fields: A) -> Result<{one.name}, A::Error> {{
        let none = || serde::de::Error::invalid_length(0, &"an object of one key");
        let key: String = fields.next_key()?.ok_or_else(none)?;
        let one = match key.as_str() {{
{reads}            _ => {one.name}::Newer(Newer::read(key, &mut fields)?),
        }};
        match fields.next_key::<String>()? {{
            None => Ok(one),
            Some(other) => Err(serde::de::Error::custom(format!("one key was expected, and here is {{other:?}} too"))),
        }}
    }}
}}
"""


def _content(wrapper: Definition) -> str:
    assert isinstance(wrapper, Shape)
    return type_of(wrapper.fields[0].type)


def _called(form: Type) -> str:
    return "Text" if form == "string" else type_of(form)
