//! One point of a space.

use serde::{Deserialize, Serialize};

use super::Value;

/// One point of a [`Space`](crate::space::Space): a value for each of its parameters, in their order.
///
/// Points compare and hash by their values, so a set of them finds duplicates. A point from
/// [`Space::decode`](crate::space::Space::decode), [`Space::point`](crate::space::Space::point) or
/// [`Space::point_from_named`](crate::space::Space::point_from_named) holds floats for float parameters and ints for int
/// parameters; one built by hand holds what it was given.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Point(Vec<Value>);

impl Point {
    /// A point of these values, unchecked; [`Space::point`](crate::space::Space::point) checks them.
    pub fn new(values: Vec<Value>) -> Self {
        Self(values)
    }

    /// The values in the order of the space's parameters.
    pub fn values(&self) -> &[Value] {
        &self.0
    }

    /// The values, to keep.
    pub fn into_values(self) -> Vec<Value> {
        self.0
    }
}

impl From<Vec<Value>> for Point {
    fn from(values: Vec<Value>) -> Self {
        Self(values)
    }
}
