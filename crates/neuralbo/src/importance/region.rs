//! The part of a space over which a statement is made: every parameter on its own, so that they are independent of each other.

use crate::linalg::Points;
use crate::space::{Parameter, Space};

/// A range of every number and a set of values of every choice.
///
/// ```
/// use neuralbo::importance::ImportanceRegion;
/// use neuralbo::linalg::Points;
/// use neuralbo::space::Space;
///
/// let space = Space::new(vec!["x=float(0,10)".parse()?, "c=choice(a,b,c)".parse()?])?;
/// // The rows of x = 2, c = a and of x = 4, c = b.
/// let rows = Points::from_rows(4, [[-0.6, 1.0, -1.0, -1.0], [-0.2, -1.0, 1.0, -1.0]]);
/// let region = ImportanceRegion::around(&space, &rows);
/// assert!(region.range("x").is_some_and(|(low, high)| (low - 0.2).abs() < 1e-9 && (high - 0.4).abs() < 1e-9));
/// # Ok::<(), neuralbo::space::SpaceError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ImportanceRegion {
    names: Vec<String>,
    sides: Vec<Side>,
}

/// What one parameter may be, in fractions of its domain.
#[derive(Clone, Debug, PartialEq)]
enum Side {
    Range(f64, f64),
    /// The middles of the cells of some of its values.
    Values(Vec<f64>),
}

impl ImportanceRegion {
    /// The whole space.
    pub fn whole(space: &Space) -> Self {
        Self::new(space, |_, parameter| whole(parameter))
    }

    /// The smallest region that holds these rows; a parameter that none of them has may be anything.
    pub fn around(space: &Space, rows: &Points) -> Self {
        let fractions: Vec<Vec<Option<f64>>> =
            rows.rows().map(|row| space.fractions(row)).collect();
        Self::new(space, |position, parameter| {
            let mut seen: Vec<f64> = fractions
                .iter()
                .filter_map(|row| row[position])
                .map(|u| u.clamp(0.0, 1.0))
                .collect();
            seen.sort_by(f64::total_cmp);
            seen.dedup();
            let domain = parameter.domain();
            match (seen.first(), seen.last()) {
                (Some(_), _) if domain.is_unordered() => Side::Values(seen),
                (Some(low), Some(high)) => {
                    let half = domain.count().map_or(0.0, |count| 0.5 / count as f64);
                    Side::Range((low - half).max(0.0), (high + half).min(1.0))
                }
                _ => whole(parameter),
            }
        })
    }

    fn new(space: &Space, side: impl Fn(usize, &Parameter) -> Side) -> Self {
        let sides = space
            .parameters()
            .iter()
            .enumerate()
            .map(|(position, parameter)| side(position, parameter))
            .collect();
        Self {
            names: space
                .parameters()
                .iter()
                .map(|parameter| parameter.name().to_owned())
                .collect(),
            sides,
        }
    }

    /// The range of a number in fractions of its domain; `None` of a choice.
    pub fn range(&self, name: &str) -> Option<(f64, f64)> {
        let position = self.names.iter().position(|known| known == name)?;
        match self.sides[position] {
            Side::Range(low, high) => Some((low, high)),
            Side::Values(_) => None,
        }
    }

    /// The fraction of the domain at the fraction `u` of what the parameter at a position may be.
    pub(super) fn fraction(&self, position: usize, u: f64) -> f64 {
        match &self.sides[position] {
            Side::Range(low, high) => low + u * (high - low),
            Side::Values(values) => {
                values[((u * values.len() as f64) as usize).min(values.len() - 1)]
            }
        }
    }

    /// Fractions of the domain at which the parameter at a position is looked at: all of its few values, or `count` ones over
    /// its range.
    pub(super) fn grid(&self, position: usize, parameter: &Parameter, count: usize) -> Vec<f64> {
        match (&self.sides[position], parameter.domain().count()) {
            (Side::Values(values), _) => values.clone(),
            (Side::Range(low, high), Some(levels)) if levels <= count as u64 => {
                let middle = |level: u64| (level as f64 + 0.5) / levels as f64;
                (0..levels)
                    .map(middle)
                    .filter(|u| (low..=high).contains(&u))
                    .collect()
            }
            (Side::Range(low, high), _) => {
                let step = (high - low) / (count.max(2) - 1) as f64;
                (0..count.max(2)).map(|i| low + i as f64 * step).collect()
            }
        }
    }
}

fn whole(parameter: &Parameter) -> Side {
    let domain = parameter.domain();
    match domain.count().filter(|_| domain.is_unordered()) {
        Some(count) => {
            let middle = |level: u64| (level as f64 + 0.5) / count as f64;
            Side::Values((0..count).map(middle).collect())
        }
        None => Side::Range(0.0, 1.0),
    }
}
