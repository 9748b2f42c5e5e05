//! One point of a space.

use super::Value;

/// One point of a [`Space`](crate::space::Space): a value for each of its active parameters, in the order of all.
///
/// Points compare and hash by their values, so a set of them finds duplicates. A point from
/// [`Space::decode`](crate::space::Space::decode), [`Space::point`](crate::space::Space::point) or
/// [`Space::point_from_named`](crate::space::Space::point_from_named) holds floats for float parameters and ints for int
/// parameters, and nothing for parameters whose condition does not hold; one built by hand holds what it was given.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Point(Vec<Option<Value>>);

impl Point {
    /// A point of these values, all parameters active, unchecked; [`Space::point`](crate::space::Space::point) checks them.
    pub fn new(values: Vec<Value>) -> Self {
        Self(values.into_iter().map(Some).collect())
    }

    /// The values in the order of the space's parameters; `None` where a parameter is inactive.
    pub fn values(&self) -> &[Option<Value>] {
        &self.0
    }

    /// The value of the parameter at a position; `None` where it is inactive.
    pub fn get(&self, position: usize) -> Option<&Value> {
        self.0.get(position)?.as_ref()
    }
}

impl From<Vec<Value>> for Point {
    fn from(values: Vec<Value>) -> Self {
        Self::new(values)
    }
}

impl FromIterator<Option<Value>> for Point {
    fn from_iter<I: IntoIterator<Item = Option<Value>>>(values: I) -> Self {
        Self(values.into_iter().collect())
    }
}
