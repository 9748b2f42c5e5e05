//! A value that is only looked at: what a stored value and one just read from JSON have in common.

use super::Value;

/// A borrowed [`Value`].
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

    /// Whether both mean the same: equal, or the same number once as float and once as int.
    pub(super) fn means(self, other: View<'_>) -> bool {
        match (self, other) {
            (Self::Int(k), View::Float(_)) => other.as_whole() == Some(k),
            (Self::Float(_), View::Int(k)) => self.as_whole() == Some(k),
            _ => self.equals(other),
        }
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
