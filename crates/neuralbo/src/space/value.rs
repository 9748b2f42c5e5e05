//! One value of one parameter, owned or borrowed.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::text;

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

macro_rules! value_from {
    ($($type:ty => $value:expr),*) => {$(
        impl From<$type> for Value {
            fn from(from: $type) -> Self {
                $value(from)
            }
        }
    )*};
}

value_from!(
    f64 => Self::Float,
    i64 => Self::Int,
    i32 => |k: i32| Self::Int(k.into()),
    bool => Self::Bool,
    &str => |text: &str| Self::Text(text.to_owned()),
    String => Self::Text
);

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

/// A borrowed [`Value`]: what a stored value and one just read from JSON have in common.
#[derive(Clone, Copy, Debug)]
pub(super) enum View<'a> {
    Null,
    Float(f64),
    Int(i64),
    Bool(bool),
    Text(&'a str),
    Json(&'a serde_json::Value),
}

impl<'a> From<&'a Value> for View<'a> {
    fn from(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Float(x) => Self::Float(*x),
            Value::Int(k) => Self::Int(*k),
            Value::Bool(b) => Self::Bool(*b),
            Value::Text(s) => Self::Text(s),
            Value::Json(json) => Self::Json(json),
        }
    }
}

impl View<'_> {
    /// The number, when it is one.
    pub(super) fn as_f64(self) -> Option<f64> {
        match self {
            Self::Float(x) => Some(x),
            Self::Int(k) => Some(k as f64),
            Self::Null | Self::Bool(_) | Self::Text(_) | Self::Json(_) => None,
        }
    }

    /// The whole number, when it is one; `3.0` counts, because some writers of JSON know only floats.
    pub(super) fn as_whole(self) -> Option<i64> {
        /// 2^63, the first float past the range of `i64`.
        const PAST_INT: f64 = 9_223_372_036_854_775_808.0;
        match self {
            Self::Int(k) => Some(k),
            Self::Float(x) if x.fract() == 0.0 && (-PAST_INT..PAST_INT).contains(&x) => {
                Some(x as i64)
            }
            _ => None,
        }
    }

    /// The value itself.
    pub(super) fn to_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Float(x) => Value::Float(x),
            Self::Int(k) => Value::Int(k),
            Self::Bool(b) => Value::Bool(b),
            Self::Text(s) => Value::Text(s.to_owned()),
            Self::Json(json) => Value::Json(Box::new(json.clone())),
        }
    }

    /// Whether both mean the same: equal, or the same number once as float and once as int.
    pub(super) fn means(self, other: View<'_>) -> bool {
        match (self, other) {
            (Self::Int(k), View::Float(_)) => other.as_whole() == Some(k),
            (Self::Float(_), View::Int(k)) => self.as_whole() == Some(k),
            _ => self.equals(other),
        }
    }

    /// Whether it means the same as one of these.
    pub(super) fn is_one_of(self, values: &[Value]) -> bool {
        values.iter().any(|value| View::from(value).means(self))
    }

    /// Equality of values: floats by their bits with one zero and one NaN, JSON by its canonical text.
    pub(super) fn equals(self, other: View<'_>) -> bool {
        match (self, other) {
            (Self::Null, View::Null) => true,
            (Self::Float(a), View::Float(b)) => key_bits(a) == key_bits(b),
            (Self::Int(a), View::Int(b)) => a == b,
            (Self::Bool(a), View::Bool(b)) => a == b,
            (Self::Text(a), View::Text(b)) => a == b,
            (Self::Json(a), View::Json(b)) => canonical(a) == canonical(b),
            _ => false,
        }
    }
}

/// The bits of a float with one zero and one NaN.
pub(super) fn key_bits(x: f64) -> u64 {
    if x == 0.0 {
        0
    } else if x.is_nan() {
        f64::NAN.to_bits()
    } else {
        x.to_bits()
    }
}

/// Compact JSON with the keys of every object in alphabetical order.
pub(super) fn canonical(json: &serde_json::Value) -> String {
    let mut sorted = json.clone();
    sorted.sort_all_objects();
    sorted.to_string()
}
