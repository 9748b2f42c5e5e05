//! The running trials by their points.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use neuralbo::space::Point;
use neuralbo::store::Lease;

/// The running trials by their points, in the order of asking.
///
/// Two rarely have the same point, so a tell usually needs one lookup.
#[derive(Default)]
pub struct RunningPoints {
    first: HashMap<Point, Lease>,
    later: HashMap<Point, VecDeque<Lease>>,
}

impl RunningPoints {
    /// Adds a trial behind the others with its point.
    pub fn push(&mut self, point: Point, trial: Lease) {
        match self.first.entry(point) {
            Entry::Occupied(first) => self
                .later
                .entry(first.key().clone())
                .or_default()
                .push_back(trial),
            Entry::Vacant(free) => {
                free.insert(trial);
            }
        }
    }

    /// Takes the first trial of each point. The error is the index of a point without one; then
    /// none is taken.
    pub fn take_all(&mut self, points: &[Point]) -> Result<Vec<Lease>, usize> {
        let mut taken = Vec::with_capacity(points.len());
        for (index, point) in points.iter().enumerate() {
            match self.take(point) {
                Some(trial) => taken.push(trial),
                None => {
                    points
                        .iter()
                        .zip(taken)
                        .rev()
                        .for_each(|(point, trial)| self.put_back(point, trial));
                    return Err(index);
                }
            }
        }
        Ok(taken)
    }

    /// Forgets a trial, told or not.
    pub fn remove(&mut self, point: &Point, trial: Lease) {
        let mut kept = VecDeque::new();
        while let Some(found) = self.take(point) {
            if found != trial {
                kept.push_back(found);
            }
        }
        kept.into_iter()
            .for_each(|other| self.push(point.clone(), other));
    }

    fn take(&mut self, point: &Point) -> Option<Lease> {
        let trial = self.first.remove(point)?;
        if let Some(later) = self.later.get_mut(point) {
            match later.pop_front() {
                Some(next) => self.first.insert(point.clone(), next).map_or((), drop),
                None => self.later.remove(point).map_or((), drop),
            }
        }
        Some(trial)
    }

    /// Undoes a take; the last one taken must be put back first.
    fn put_back(&mut self, point: &Point, trial: Lease) {
        if let Some(next) = self.first.insert(point.clone(), trial) {
            self.later
                .entry(point.clone())
                .or_default()
                .push_front(next);
        }
    }
}
