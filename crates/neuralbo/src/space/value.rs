//! One value of one parameter.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::text;
use super::view::{View, canonical, key_bits};

/// One value of one parameter; in files the plain JSON value.
///
/// Equality and hashes follow the bits of a float, with one zero and one NaN, so that values can be keys; lists and objects
/// compare by their compact JSON with sorted keys. `Display` prints the shortest digits that read back as the same number (a float
/// always with a point or an exponent), text as it is, and lists and objects as compact JSON; `FromStr` reads values as the
/// text form of a [`Parameter`](crate::space::Parameter) does.
///
/// ```
/// use neuralbo::space::Value;
///
/// assert_eq!(Value::from(1.0).to_string(), "1.0");
/// assert_eq!("1e-3".parse(), Ok(Value::Float(0.001)));
/// assert_eq!("42".parse(), Ok(Value::Int(42)));
/// assert_eq!("\"42\"".parse(), Ok(Value::Text("42".into())));
/// assert_eq!("null".parse(), Ok(Value::Null));
/// assert_eq!("[64, 32]".parse::<Value>().map(|value| value.to_string()), Ok("[64,32]".into()));
/// ```
#[derive(Clone, Debug)]
pub enum Value {
    /// A real number.
    Float(f64),
    /// A whole number.
    Int(i64),
    /// True or false.
    Bool(bool),
    /// A word or any other text.
    Text(String),
    /// No value, as a value: `null`.
    Null,
    /// A list or an object; scalars always are one of the other variants. Boxed, because it is rare and large.
    Json(Box<serde_json::Value>),
}

impl Value {
    /// The number, when it is one.
    pub fn as_f64(&self) -> Option<f64> {
        View::from(self).as_f64()
    }

    /// The whole number, when it is one; `3.0` counts, because some writers of JSON know only floats.
    pub fn as_i64(&self) -> Option<i64> {
        View::from(self).as_whole()
    }

    /// The text, when it is one.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Text(s) => Some(s),
            _ => None,
        }
    }

    /// True or false, when it is one of them.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The value as JSON; a float that is not finite is null, which is all JSON has for it.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Float(x) => (*x).into(),
            Self::Int(k) => (*k).into(),
            Self::Bool(b) => (*b).into(),
            Self::Text(s) => s.as_str().into(),
            Self::Null => serde_json::Value::Null,
            Self::Json(json) => json.as_ref().clone(),
        }
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        View::from(self).equals(other.into())
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Float(x) => key_bits(*x).hash(state),
            Self::Int(k) => k.hash(state),
            Self::Bool(b) => b.hash(state),
            Self::Text(s) => s.hash(state),
            Self::Null => {}
            Self::Json(json) => canonical(json).hash(state),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Float(x) => write!(f, "{x:?}"),
            Self::Int(k) => write!(f, "{k}"),
            Self::Bool(b) => write!(f, "{b}"),
            Self::Text(s) => f.write_str(s),
            Self::Null => f.write_str("null"),
            Self::Json(json) => write!(f, "{json}"),
        }
    }
}

impl FromStr for Value {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        text::value(s.trim())
    }
}

impl From<f64> for Value {
    fn from(x: f64) -> Self {
        Self::Float(x)
    }
}

impl From<i64> for Value {
    fn from(k: i64) -> Self {
        Self::Int(k)
    }
}

impl From<i32> for Value {
    fn from(k: i32) -> Self {
        Self::Int(k.into())
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Self::Bool(b)
    }
}

impl From<&str> for Value {
    fn from(s: &str) -> Self {
        Self::Text(s.to_owned())
    }
}

impl From<String> for Value {
    fn from(s: String) -> Self {
        Self::Text(s)
    }
}

/// Scalars become the scalar variants; an error for an int past 64 bits.
impl TryFrom<serde_json::Value> for Value {
    type Error = serde_json::Error;

    fn try_from(json: serde_json::Value) -> Result<Self, serde_json::Error> {
        Self::deserialize(json)
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Float(x) => serializer.serialize_f64(*x),
            Self::Int(k) => serializer.serialize_i64(*k),
            Self::Bool(b) => serializer.serialize_bool(*b),
            Self::Text(s) => serializer.serialize_str(s),
            Self::Null => serializer.serialize_unit(),
            Self::Json(json) => json.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

/// Reads a value of any type; written out so that an int past 64 bits is an error, not a rounded float.
struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number that fits in 64 bits, true, false, text, null, a list or an object")
    }

    fn visit_bool<E: de::Error>(self, b: bool) -> Result<Value, E> {
        Ok(Value::Bool(b))
    }

    fn visit_i64<E: de::Error>(self, k: i64) -> Result<Value, E> {
        Ok(Value::Int(k))
    }

    fn visit_u64<E: de::Error>(self, k: u64) -> Result<Value, E> {
        i64::try_from(k)
            .map(Value::Int)
            .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(k), &self))
    }

    fn visit_f64<E: de::Error>(self, x: f64) -> Result<Value, E> {
        Ok(Value::Float(x))
    }

    fn visit_str<E: de::Error>(self, s: &str) -> Result<Value, E> {
        Ok(s.into())
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Value, A::Error> {
        serde_json::Value::deserialize(SeqAccessDeserializer::new(seq))
            .map(|json| Value::Json(Box::new(json)))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Value, A::Error> {
        serde_json::Value::deserialize(MapAccessDeserializer::new(map))
            .map(|json| Value::Json(Box::new(json)))
    }
}
