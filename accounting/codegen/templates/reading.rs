use serde::de::{self, DeserializeOwned, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Reads one JSON text; what the types do not allow is an error.
pub fn read<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text)
}

/// Writes one JSON text.
pub fn write<T: Serialize>(value: &T) -> serde_json::Result<String> {
    serde_json::to_string(value)
}

/// Any JSON but floats, which the format does not have: an integer past 64 bits would become one, and is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Json(pub Value);

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(from)?;
        if exact(&value) {
            Ok(Json(value))
        } else {
            Err(de::Error::custom("a float, or an integer past 64 bits"))
        }
    }
}

/// A JSON object of any shape, without floats like `Json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JsonObject(pub Map<String, Value>);

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match Json::deserialize(from)?.0 {
            Value::Object(fields) => Ok(JsonObject(fields)),
            other => Err(de::Error::custom(format!(
                "an object was expected, not {other}"
            ))),
        }
    }
}

fn exact(value: &Value) -> bool {
    match value {
        Value::Number(number) => !number.is_f64(),
        Value::Array(items) => items.iter().all(exact),
        Value::Object(fields) => fields.values().all(exact),
        _ => true,
    }
}

/// A form under a key that these types do not know, kept as it was spelled.
#[derive(Clone, Debug)]
pub struct Newer {
    /// The one key.
    pub key: String,
    /// What stands under it.
    pub content: Box<RawValue>,
}

impl PartialEq for Newer {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.content.get() == other.content.get()
    }
}

impl Eq for Newer {}

impl Newer {
    pub(crate) fn read<'de, A: MapAccess<'de>>(
        key: String,
        fields: &mut A,
    ) -> Result<Self, A::Error> {
        if key
            .chars()
            .any(|one| one == '"' || one == '\\' || one < ' ')
        {
            return Err(de::Error::custom(
                "no key of a form is spelled with an escape",
            ));
        }
        let content = fields.next_value()?;
        Ok(Newer { key, content })
    }
}

/// A field that is always there and may be null: without this, serde takes a missing one for null.
pub(crate) fn nullable<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    Option::deserialize(from)
}

/// A field that may be left out and is never null.
pub(crate) fn optional<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// A field that may be left out and may be null, which are two things.
pub(crate) fn maybe<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    from: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(from).map(Some)
}

pub(crate) fn one_key<S: Serializer, T: Serialize + ?Sized>(
    out: S,
    key: &str,
    content: &T,
) -> Result<S::Ok, S::Error> {
    let mut fields = out.serialize_map(Some(1))?;
    fields.serialize_entry(key, content)?;
    fields.end()
}

/// Reads objects as objects only: what serde derives would take an array of the fields, too.
pub(crate) struct Objects<D>(pub D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Objects<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

// How the types in `mod.rs` are written. The paths in these macros are those of the module that uses them.

/// An object, or a union told by a tag: read as an object only, and checked when it has something to check.
macro_rules! object {
    ($name:ident $(, $check:ident)?) => {
        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let found = Self::deserialize(reading::Objects(from))?;
                $(Self::$check(&found).map_err(serde::de::Error::custom)?;)?
                Ok(found)
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                Self::serialize(self, out)
            }
        }
    };
}

/// An enum of words: read from a text only, where what serde derives would take an object, too.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($member:ident = $word:literal),+ $(,)? }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $(#[doc = concat!("`", $word, "`")] $member),+ }

        impl $name {
            /// The word as it travels.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$member => $word),+ }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
                out.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                match String::deserialize(from)?.as_str() {
                    $($word => Ok(Self::$member),)+
                    other => Err(serde::de::Error::unknown_variant(other, &[$($word),+])),
                }
            }
        }
    };
}

/// A string with a grammar or a limit.
macro_rules! grammar {
    ($(#[$about:meta])* $name:ident, $pattern:literal, $least:literal, $most:expr) => {
        $(#[$about])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(String);

        impl $name {
            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                static GRAMMAR: std::sync::OnceLock<regex::Regex> = std::sync::OnceLock::new();
                let grammar = GRAMMAR.get_or_init(|| regex::Regex::new($pattern).expect("the schema's own pattern"));
                let (length, most): (usize, Option<usize>) = (text.chars().count(), $most);
                if length >= $least && most.map_or(true, |most| length <= most) && grammar.is_match(&text) {
                    Ok(Self(text))
                } else {
                    Err(format!("{text:?} is no {}", stringify!($name)))
                }
            }
        }

        impl From<$name> for String {
            fn from(text: $name) -> String {
                text.0
            }
        }
    };
}

/// An integer between two limits that no Rust type has.
macro_rules! whole {
    ($(#[$about:meta])* $name:ident: $base:ident, $least:literal, $most:literal) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[serde(try_from = "u64", into = "u64")]
        pub struct $name($base);

        impl $name {
            /// The number.
            pub fn get(self) -> $base {
                self.0
            }
        }

        impl TryFrom<u64> for $name {
            type Error = String;

            fn try_from(number: u64) -> Result<Self, String> {
                let (least, most): ($base, $base) = ($least, $most);
                match $base::try_from(number) {
                    Ok(fits) if least <= fits && fits <= most => Ok(Self(fits)),
                    _ => Err(format!("{number} is no {}: {least} to {most}", stringify!($name))),
                }
            }
        }

        impl From<$name> for u64 {
            fn from(number: $name) -> u64 {
                number.0.into()
            }
        }
    };
}

pub(crate) use {grammar, object, whole, words};
