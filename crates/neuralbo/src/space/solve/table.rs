//! Expressions over few discrete points, as tables: a space with hundreds of forbidden combinations of choices looks them up.

use super::demand::{At, distance};
use crate::space::Space;
use crate::space::expression::{Predicate, Truth};

/// Most points of a table.
const MOST_POINTS: usize = 1024;

/// An expression, with its table where it has one.
#[derive(Clone, Copy)]
pub(super) struct Check<'a> {
    pub(super) predicate: &'a Predicate,
    pub(super) table: Option<&'a Table>,
}

impl Check<'_> {
    pub(super) fn holds(&self, at: &At<'_>) -> bool {
        let value = |position: usize| at.view(position);
        match self.table {
            Some(table) => table.at(at).holds,
            None => self.predicate.evaluate(&value) != Some(false),
        }
    }

    /// About how far a row is from satisfying it.
    pub(super) fn distance(&self, at: &At<'_>) -> f64 {
        match self.table {
            Some(table) => table.at(at).distance,
            None => distance(self.predicate.truth(), true, at),
        }
    }
}

/// An expression at one point.
#[derive(Clone, Copy, Debug)]
struct Entry {
    holds: bool,
    distance: f64,
}

/// An expression at all points of the parameters that it reads; a parameter that is absent is one more value.
#[derive(Debug)]
pub(in crate::space) struct Table {
    /// Positions with the number of their values and one.
    parameters: Vec<(usize, usize)>,
    entries: Vec<Entry>,
}

impl Table {
    /// `None` for expressions with numbers, whose distance is more than a count, and for those with many points.
    pub(in crate::space) fn of(space: &Space, predicate: &Predicate) -> Option<Self> {
        if has_numbers(predicate.truth()) {
            return None;
        }
        let mut points = 1_usize;
        let mut parameters = Vec::new();
        for &position in predicate.positions() {
            let count = space.parameters()[position].domain().count()?;
            let states = usize::try_from(count).ok()?.checked_add(1)?;
            points = points.checked_mul(states).filter(|n| *n <= MOST_POINTS)?;
            parameters.push((position, states));
        }
        let entries = (0..points).map(|point| entry(space, predicate, &parameters, point));
        Some(Self {
            entries: entries.collect(),
            parameters,
        })
    }

    fn at(&self, at: &At<'_>) -> Entry {
        let mut point = 0;
        for &(position, states) in &self.parameters {
            let state = at.level(position).map_or(0, |level| level as usize + 1);
            point = point * states + state.min(states - 1);
        }
        self.entries[point]
    }
}

fn entry(
    space: &Space,
    predicate: &Predicate,
    parameters: &[(usize, usize)],
    mut point: usize,
) -> Entry {
    let mut levels = vec![None; space.parameters().len()];
    for &(position, states) in parameters.iter().rev() {
        levels[position] = (point % states).checked_sub(1).map(|level| level as f64);
        point /= states;
    }
    let at = At::of_levels(space, &[], levels);
    let whole = Check {
        predicate,
        table: None,
    };
    Entry {
        holds: whole.holds(&at),
        distance: whole.distance(&at),
    }
}

fn has_numbers(truth: &Truth) -> bool {
    let mut found = false;
    truth.visit(&mut |part| found |= matches!(part, Truth::Compare(..)));
    found
}
