//! Which running trials have a point.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use neuralbo::space::Point;

/// A claimed trial: its number and the attempt that may tell it.
pub type Claimed = (u64, u64);

/// The running trials by their points, the first asked first.
///
/// Hardly ever do two have the same point, so the usual tell looks into one table once.
#[derive(Default)]
pub struct Open {
    first: HashMap<Point, Claimed>,
    later: HashMap<Point, VecDeque<Claimed>>,
}

impl Open {
    /// Adds a trial behind the others with its point.
    pub fn push(&mut self, point: Point, trial: Claimed) {
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

    /// Takes the first trial with each of these points. The error is the index of a point that has none; then all stay.
    pub fn take_all(&mut self, points: &[Point]) -> Result<Vec<Claimed>, usize> {
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
    pub fn remove(&mut self, point: &Point, trial: Claimed) {
        let mut kept = VecDeque::new();
        while let Some(found) = self.take(point) {
            if found != trial {
                kept.push_back(found);
            }
        }
        kept.into_iter()
            .for_each(|other| self.push(point.clone(), other));
    }

    fn take(&mut self, point: &Point) -> Option<Claimed> {
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
    fn put_back(&mut self, point: &Point, trial: Claimed) {
        if let Some(next) = self.first.insert(point.clone(), trial) {
            self.later
                .entry(point.clone())
                .or_default()
                .push_front(next);
        }
    }
}
