//! The values of a trial by name.

use std::collections::{BTreeMap, btree_map};
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Value;
use super::view::canonical;

/// The values of a trial by name; in files a plain JSON object.
///
/// A value belongs to a name, not to a position: parameters may be reordered, added or removed, and the values of earlier trials
/// keep their meaning. [`Space::check`](crate::space::Space::check) says whether values fit a space.
///
/// ```
/// use neuralbo::space::{Params, Value};
///
/// let mut params: Params = [("x", Value::from(1.0)), ("opt", "adam".into())].into_iter().collect();
/// params.insert("layers", 3);
/// assert_eq!(params.float("x"), Some(1.0));
/// assert_eq!(params.int("layers"), Some(3));
/// assert_eq!(params.text("opt"), Some("adam"));
/// assert_eq!(params.get("dropout"), None);
/// assert_eq!(params.to_string(), "layers = 3, opt = adam, x = 1.0");
/// assert_eq!(params.to_json(), r#"{"layers":3,"opt":"adam","x":1.0}"#);
/// assert_eq!(serde_json::from_str::<Params>(&params.to_json())?, params);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// A clone shares the values until one of the two is changed: the log, the store and whoever evaluates a trial all have its values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "BTreeMap<String, Value>", into = "BTreeMap<String, Value>")]
pub struct Params(Arc<BTreeMap<String, Value>>);

impl From<BTreeMap<String, Value>> for Params {
    fn from(values: BTreeMap<String, Value>) -> Self {
        Self(Arc::new(values))
    }
}

impl From<Params> for BTreeMap<String, Value> {
    fn from(params: Params) -> Self {
        Arc::unwrap_or_clone(params.0)
    }
}

impl Params {
    /// No values.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The name as stored with its value.
    pub(super) fn entry(&self, name: &str) -> Option<(&str, &Value)> {
        self.0.get_key_value(name).map(|(name, value)| (name.as_str(), value))
    }

    /// The number of this name; an int counts.
    pub fn float(&self, name: &str) -> Option<f64> {
        self.get(name)?.as_f64()
    }

    /// The whole number of this name; a float such as `3.0` counts.
    pub fn int(&self, name: &str) -> Option<i64> {
        self.get(name)?.as_i64()
    }

    /// The text of this name.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// True or false of this name.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.get(name)?.as_bool()
    }

    /// Sets a value and returns the one it replaces.
    pub fn insert(&mut self, name: impl Into<String>, value: impl Into<Value>) -> Option<Value> {
        Arc::make_mut(&mut self.0).insert(name.into(), value.into())
    }

    /// Removes a value and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        Arc::make_mut(&mut self.0).remove(name)
    }

    /// How many values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Names and values in the alphabetical order of the names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Compact JSON in canonical form: names (and the keys of objects) in alphabetical order, floats with the shortest digits that
    /// read back as the same number.
    pub fn to_json(&self) -> String {
        let field = |(name, value): (&str, &Value)| format!("{}:{}", serde_json::Value::from(name), canonical(&value.to_json()));
        format!("{{{}}}", self.iter().map(field).collect::<Vec<_>>().join(","))
    }
}

impl fmt::Display for Params {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.iter().enumerate() {
            write!(f, "{}{name} = {value}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

impl<N: Into<String>, V: Into<Value>> FromIterator<(N, V)> for Params {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(named: I) -> Self {
        Self(Arc::new(named.into_iter().map(|(name, value)| (name.into(), value.into())).collect()))
    }
}

impl IntoIterator for Params {
    type Item = (String, Value);
    type IntoIter = btree_map::IntoIter<String, Value>;

    fn into_iter(self) -> Self::IntoIter {
        Arc::unwrap_or_clone(self.0).into_iter()
    }
}

impl<'a> IntoIterator for &'a Params {
    type Item = (&'a String, &'a Value);
    type IntoIter = btree_map::Iter<'a, String, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
