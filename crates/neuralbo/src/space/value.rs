//! One value of one parameter.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use super::text;

/// One value of one parameter; in files a plain scalar.
///
/// Equality and hashes follow the bits of a float, with one zero and one NaN, so that values can be keys.
/// `Display` prints the shortest digits that read back as the same number (a float always with a point or an exponent), and
/// text as it is; `FromStr` reads scalars as the text form of a [`Parameter`](crate::space::Parameter) does.
///
/// ```
/// use neuralbo::space::Value;
///
/// assert_eq!(Value::from(1.0).to_string(), "1.0");
/// assert_eq!("1e-3".parse(), Ok(Value::Float(0.001)));
/// assert_eq!("42".parse(), Ok(Value::Int(42)));
/// assert_eq!("\"42\"".parse(), Ok(Value::Text("42".into())));
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
}

impl Value {
    /// The number, when it is one.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Float(x) => Some(*x),
            Self::Int(k) => Some(*k as f64),
            Self::Bool(_) | Self::Text(_) => None,
        }
    }

    /// The whole number, when it is one; `3.0` counts, because some writers of JSON know only floats.
    pub(super) fn as_whole(&self) -> Option<i64> {
        /// 2^63, the first float past the range of `i64`.
        const PAST_INT: f64 = 9_223_372_036_854_775_808.0;
        match self {
            Self::Int(k) => Some(*k),
            Self::Float(x) if x.fract() == 0.0 && (-PAST_INT..PAST_INT).contains(x) => Some(*x as i64),
            _ => None,
        }
    }

    /// Whether both mean the same: equal, or the same number once as float and once as int.
    pub(super) fn means(&self, other: &Value) -> bool {
        match (self, other) {
            (Self::Int(k), Self::Float(_)) => other.as_whole() == Some(*k),
            (Self::Float(_), Self::Int(k)) => self.as_whole() == Some(*k),
            _ => self == other,
        }
    }
}

/// The bits of a float with one zero and one NaN.
fn key_bits(x: f64) -> u64 {
    if x == 0.0 {
        0
    } else if x.is_nan() {
        f64::NAN.to_bits()
    } else {
        x.to_bits()
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Float(a), Self::Float(b)) => key_bits(*a) == key_bits(*b),
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            _ => false,
        }
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
        }
    }
}

impl FromStr for Value {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        text::scalar(s.trim())
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

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Float(x) => serializer.serialize_f64(*x),
            Self::Int(k) => serializer.serialize_i64(*k),
            Self::Bool(b) => serializer.serialize_bool(*b),
            Self::Text(s) => serializer.serialize_str(s),
        }
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ScalarVisitor)
    }
}

/// Reads a scalar of any type; written out so that an int past 64 bits is an error, not a rounded float.
struct ScalarVisitor;

impl Visitor<'_> for ScalarVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number that fits in 64 bits, true, false or text")
    }

    fn visit_bool<E: de::Error>(self, b: bool) -> Result<Value, E> {
        Ok(Value::Bool(b))
    }

    fn visit_i64<E: de::Error>(self, k: i64) -> Result<Value, E> {
        Ok(Value::Int(k))
    }

    fn visit_u64<E: de::Error>(self, k: u64) -> Result<Value, E> {
        i64::try_from(k).map(Value::Int).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(k), &self))
    }

    fn visit_f64<E: de::Error>(self, x: f64) -> Result<Value, E> {
        Ok(Value::Float(x))
    }

    fn visit_str<E: de::Error>(self, s: &str) -> Result<Value, E> {
        Ok(s.into())
    }
}
