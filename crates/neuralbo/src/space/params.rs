//! The values of a trial by name.

use std::fmt;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, Serializer};

use super::Value;
use super::value::canonical;

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
/// The trials of a space share the texts of its names, and a clone shares the values until one of the two is changed: the log, the
/// store and the evaluator of a trial all hold its values.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Params(Arc<Vec<(Arc<str>, Value)>>);

impl Params {
    /// No values.
    pub fn new() -> Self {
        Self::default()
    }

    /// The value of this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.entry(name).map(|(_, value)| value)
    }

    /// The name as stored with its value.
    pub(super) fn entry(&self, name: &str) -> Option<(&str, &Value)> {
        self.place(name).ok().map(|p| (&*self.0[p].0, &self.0[p].1))
    }

    /// Where a name is, or where it would be.
    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(known, _)| (**known).cmp(name))
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
    pub fn insert(&mut self, name: impl Into<Arc<str>>, value: impl Into<Value>) -> Option<Value> {
        let (name, value) = (name.into(), value.into());
        let place = self.place(&name);
        let values = Arc::make_mut(&mut self.0);
        match place {
            Ok(place) => Some(std::mem::replace(&mut values[place].1, value)),
            Err(place) => {
                values.insert(place, (name, value));
                None
            }
        }
    }

    /// Removes a value and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Value> {
        let place = self.place(name).ok()?;
        Some(Arc::make_mut(&mut self.0).remove(place).1)
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
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Compact JSON in canonical form: names (and the keys of objects) in alphabetical order, floats with the shortest digits that
    /// read back as the same number.
    pub fn to_json(&self) -> String {
        let field = |(name, value): (&str, &Value)| {
            let (name, value) = (serde_json::Value::from(name), canonical(&value.to_json()));
            format!("{name}:{value}")
        };
        let fields: Vec<String> = self.iter().map(field).collect();
        format!("{{{}}}", fields.join(","))
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

/// Of values of the same name the last one counts.
impl<N: Into<Arc<str>>, V: Into<Value>> FromIterator<(N, V)> for Params {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(named: I) -> Self {
        let named = named
            .into_iter()
            .map(|(name, value)| (name.into(), value.into()));
        let mut values: Vec<(Arc<str>, Value)> = named.collect();
        values.sort_by(|a, b| a.0.cmp(&b.0));
        values.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                std::mem::swap(later, earlier);
            }
            same
        });
        values.shrink_to_fit();
        Self(Arc::new(values))
    }
}

impl IntoIterator for Params {
    type Item = (Arc<str>, Value);
    type IntoIter = std::vec::IntoIter<(Arc<str>, Value)>;

    fn into_iter(self) -> Self::IntoIter {
        Arc::unwrap_or_clone(self.0).into_iter()
    }
}

impl Serialize for Params {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de> Deserialize<'de> for Params {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ParamsVisitor)
    }
}

struct ParamsVisitor;

impl<'de> Visitor<'de> for ParamsVisitor {
    type Value = Params;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object from names to values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Params, A::Error> {
        let mut values: Vec<(String, Value)> = Vec::new();
        while let Some(entry) = map.next_entry()? {
            values.push(entry);
        }
        Ok(values.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_value_of_a_name_counts_and_names_are_in_order() {
        let params = Params::from_iter([("b", 1), ("a", 2), ("b", 3), ("c", 4), ("b", 5)]);
        assert_eq!(params.to_json(), r#"{"a":2,"b":5,"c":4}"#);
    }

    #[test]
    fn values_are_set_replaced_and_removed() {
        let mut params = Params::new();
        let replaced = [("b", 1), ("a", 2), ("b", 3)].map(|(name, k)| params.insert(name, k));
        assert_eq!(replaced, [None, None, Some(1.into())]);
        let removed = ["b", "b"].map(|name| params.remove(name));
        assert_eq!((removed, params.len()), ([Some(3.into()), None], 1));
    }
}
