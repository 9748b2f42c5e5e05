//! Which running trials have a point.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use neuralbo::space::Point;

/// The running trials by their points, the first asked first.
///
/// Hardly ever do two have the same point, so the usual tell looks into one table once.
#[derive(Default)]
pub struct Open {
    first: HashMap<Point, u64>,
    later: HashMap<Point, VecDeque<u64>>,
}

impl Open {
    /// Adds a trial behind the others with its point.
    pub fn push(&mut self, point: Point, number: u64) {
        match self.first.entry(point) {
            Entry::Occupied(first) => self.later.entry(first.key().clone()).or_default().push_back(number),
            Entry::Vacant(free) => {
                free.insert(number);
            }
        }
    }

    /// Takes the first trial with this point.
    pub fn take(&mut self, point: &Point) -> Option<u64> {
        let number = self.first.remove(point)?;
        if let Some(later) = self.later.get_mut(point) {
            match later.pop_front() {
                Some(next) => self.first.insert(point.clone(), next).map_or((), drop),
                None => self.later.remove(point).map_or((), drop),
            }
        }
        Some(number)
    }

    /// Undoes a take; the last one taken must be put back first.
    pub fn put_back(&mut self, point: &Point, number: u64) {
        if let Some(next) = self.first.insert(point.clone(), number) {
            self.later.entry(point.clone()).or_default().push_front(next);
        }
    }
}
