//! Whether conditions can be true at all.
//!
//! Conditions mostly compare a parameter with constants: between two of those they say the same about every value. So a few values of
//! each parameter stand for all, and all their combinations are tried where they are not too many. What is computed from several
//! numbers is left to the one who wrote it.

use std::collections::BTreeSet;

use super::condition::{Conditions, Levels, bad};
use super::expression::{Number, Truth};
use super::{Parameter, SpaceError};

/// Most combinations of values that are tried.
const MOST_TRIED: usize = 1 << 14;
/// Up to so many values of a parameter are all tried.
const FEW: u64 = 256;

/// An error for the first parameter whose condition is false for all values of the parameters it depends on.
pub(super) fn check(parameters: &[Parameter], conditions: &Conditions) -> Result<(), SpaceError> {
    for index in 0..conditions.all().len() {
        let Some(position) = conditions.having(index).next() else {
            continue;
        };
        if Trial::new(parameters, conditions, position).is_some_and(|trial| !trial.is_reachable()) {
            let parameter = &parameters[position];
            return Err(bad(
                parameter,
                format!(
                    "it never holds; {}",
                    parents(parameters, conditions, position)
                ),
            ));
        }
    }
    Ok(())
}

/// What the parents of a parameter may be, in words.
fn parents(parameters: &[Parameter], conditions: &Conditions, position: usize) -> String {
    let positions = conditions
        .of(position)
        .map(|condition| condition.predicate.positions().clone())
        .unwrap_or_default();
    let words = positions.into_iter().map(|parent| {
        let parameter = &parameters[parent];
        let condition = parameter
            .condition()
            .map_or_else(String::new, |condition| format!(" if {condition}"));
        format!(
            "`{}` is {}{condition}",
            parameter.name(),
            parameter.domain().allowed()
        )
    });
    words.collect::<Vec<_>>().join(", ")
}

/// The combinations of values of all parameters that one depends on.
struct Trial<'a> {
    parameters: &'a [Parameter],
    conditions: &'a Conditions,
    position: usize,
    /// The parameters it depends on, parents first, with the levels that stand for all.
    ancestors: Vec<(usize, Vec<f64>)>,
}

impl<'a> Trial<'a> {
    /// `None` where the values cannot be told apart by a few, or there are too many combinations.
    fn new(
        parameters: &'a [Parameter],
        conditions: &'a Conditions,
        position: usize,
    ) -> Option<Self> {
        let mut wanted: BTreeSet<usize> = conditions.of(position)?.predicate.positions().clone();
        let mut constants = Constants::default();
        let mut open: Vec<usize> = vec![position];
        while let Some(next) = open.pop() {
            let Some(condition) = conditions.of(next) else {
                continue;
            };
            constants.collect(condition.predicate.truth());
            for &parent in condition.predicate.positions() {
                if wanted.insert(parent) || next == position {
                    open.push(parent);
                }
            }
        }
        let mut ancestors = Vec::new();
        let mut combinations = 1_usize;
        for &ancestor in conditions
            .order()
            .iter()
            .filter(|ancestor| wanted.contains(ancestor))
        {
            let levels = constants.levels(ancestor, &parameters[ancestor])?;
            combinations = combinations
                .checked_mul(levels.len())
                .filter(|count| *count <= MOST_TRIED)?;
            ancestors.push((ancestor, levels));
        }
        Some(Self {
            parameters,
            conditions,
            position,
            ancestors,
        })
    }

    fn is_reachable(&self) -> bool {
        self.holds_from(0, &mut vec![None; self.parameters.len()])
    }

    fn holds_from(&self, next: usize, levels: &mut Levels) -> bool {
        let Some((ancestor, tried)) = self.ancestors.get(next) else {
            return self
                .conditions
                .is_active(self.position, levels, self.parameters);
        };
        if !self
            .conditions
            .is_active(*ancestor, levels, self.parameters)
        {
            return self.holds_from(next + 1, levels);
        }
        let found = tried.iter().any(|&level| {
            levels[*ancestor] = Some(level);
            self.holds_from(next + 1, levels)
        });
        levels[*ancestor] = None;
        found
    }
}

/// The constants that parameters are compared with.
#[derive(Default)]
struct Constants {
    of: Vec<(usize, f64)>,
    /// Parameters that something else is done with.
    computed: BTreeSet<usize>,
}

impl Constants {
    fn collect(&mut self, truth: &Truth) {
        match truth {
            Truth::Compare(Number::Parameter(position), _, Number::Constant(x))
            | Truth::Compare(Number::Constant(x), _, Number::Parameter(position)) => {
                self.of.push((*position, *x))
            }
            Truth::Compare(left, _, right) => {
                for number in [left, right] {
                    number.visit(&mut |position| _ = self.computed.insert(position));
                }
            }
            Truth::Member(..) | Truth::Same(..) => {}
            Truth::Agree(left, right) => {
                self.collect(left);
                self.collect(right);
            }
            Truth::Not(part) => self.collect(part),
            Truth::And(parts) | Truth::Or(parts) => {
                parts.iter().for_each(|part| self.collect(part))
            }
        }
    }

    /// Levels that stand for all of a parameter's; `None` where there are none such.
    fn levels(&self, position: usize, parameter: &Parameter) -> Option<Vec<f64>> {
        let domain = parameter.domain();
        if let Some(count) = domain.count().filter(|count| *count <= FEW) {
            return Some((0..count).map(|level| level as f64).collect());
        }
        if self.computed.contains(&position) || domain.listed().is_some() {
            return None;
        }
        let constants = self
            .of
            .iter()
            .filter(|(of, _)| *of == position)
            .map(|(_, x)| *x);
        let (first, last) = domain.first_and_last_level();
        let mut levels: Vec<f64> = match domain.count() {
            Some(_) => constants
                .filter_map(|x| domain.nearest_level(x))
                .flat_map(|level| [level - 1.0, level, level + 1.0])
                .collect(),
            None => constants.collect(),
        };
        levels.extend([first, last]);
        levels.retain(|level| (first..=last).contains(level));
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        if domain.count().is_none() {
            let between: Vec<f64> = levels
                .windows(2)
                .map(|pair| pair[0] / 2.0 + pair[1] / 2.0)
                .collect();
            levels.extend(between);
        }
        Some(levels)
    }
}
