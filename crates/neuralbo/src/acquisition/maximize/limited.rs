//! Maximizing a function under constraints that are functions themselves.
//!
//! From a few starts the maximum of an augmented Lagrangian is followed while its multipliers settle. Of what is found the row with
//! the largest objective among those within the constraints counts, or, where there is none, the one that violates them least.

use std::cmp::Ordering;

use super::scoring::{Scored, ordered};
use super::{Maximizer, Maximum, SearchRegion};
use crate::acquisition::lagrangian::{Augmented, Limited, LimitedValues};
use crate::linalg::{Points, Rng};
use crate::surrogate::Function;

/// Rounds of maximizing and learning multipliers.
const ROUNDS: usize = 8;
/// First stiffness, by how much it grows, and the part of the violation that a round must leave for it to stay.
const FIRST_STIFFNESS: f64 = 10.0;
const STIFFER: f64 = 5.0;
const ENOUGH: f64 = 0.25;
/// Violation that counts as none, in units of a slack's spread in the region.
const TOLERANCE: f64 = 1e-4;
/// Smallest margin, in the same units: more than the tolerance, so that what counts as feasible is.
const LEAST_MARGIN: f64 = 2e-4;
/// Maxima of the first Lagrangian that are followed.
const FOLLOWED: usize = 2;
/// Rows of a list, the best first, whose margins are looked at: a margin costs a prediction of every slack.
const MOST_WEIGHED: usize = 64;

/// The margins that slacks must keep at a row.
pub type Margins<'a> = dyn Fn(&[f64]) -> Vec<f64> + Sync + 'a;

/// A row with what it was found for.
struct Found {
    row: Vec<f64>,
    violation: f64,
    objective: f64,
}

impl Found {
    /// The row at `i` of `rows`, whose values are given, with the margins it must keep.
    fn at(i: usize, rows: &Points, values: &LimitedValues, margins: &[f64], units: &Units) -> Self {
        Self {
            row: rows.row(i).to_vec(),
            violation: values.violation(i, margins, &units.slacks),
            objective: ordered(values.objective[i]),
        }
    }

    /// Which comes first: within the tolerance the objective counts, beyond it the violation.
    fn ranked(&self, other: &Self) -> Ordering {
        let missed = |violation: f64| match violation <= TOLERANCE {
            true => 0.0,
            false => violation,
        };
        missed(self.violation)
            .total_cmp(&missed(other.violation))
            .then(other.objective.total_cmp(&self.objective))
    }

    /// The first of the best.
    fn best(all: impl Iterator<Item = Self>) -> Option<Self> {
        all.min_by(Self::ranked)
    }

    fn into_maximum(self) -> Maximum {
        Maximum {
            row: self.row,
            value: self.objective,
        }
    }
}

/// What one unit of the objective and of each slack is.
struct Units {
    objective: f64,
    slacks: Vec<f64>,
}

impl Maximizer {
    /// The best row found that has not been seen and keeps the margins; the one that misses them least where there is none. Its
    /// value is the objective's. `None` only when a finite space has none left.
    pub fn maximize_within(
        &self,
        goal: &Limited<'_>,
        margins: &Margins<'_>,
        region: &SearchRegion<'_>,
        rng: &mut Rng,
    ) -> Option<Maximum> {
        if let Some(rows) = region.space.listed_rows() {
            return best_listed(goal, margins, &rows, region);
        }
        let probes = self.probe(region, rng);
        let values = goal.values(&probes);
        let units = Units::of(&values);
        let mut starts = Points::new(probes.dim());
        starts.extend(&region.incumbents.slice(0..region.incumbents.len().min(1)));
        let none = vec![0.0; goal.slacks.len()];
        let all = (0..probes.len()).map(|i| Found::at(i, &probes, &values, &none, &units));
        let best = Found::best(all);
        best.iter().for_each(|best| starts.push(&best.row));
        let first = units.augmented(goal, none);
        let maxima = self.best(&first, region, FOLLOWED, rng);
        maxima.iter().for_each(|maximum| starts.push(&maximum.row));
        let follow = |start| self.follow(goal, &units, start, margins, region, rng);
        let found: Vec<Found> = starts.rows().map(follow).collect();
        let unseen = found.into_iter().chain(best);
        let unseen = unseen.filter(|found| !region.seen.contains(&found.row));
        let chosen = Found::best(unseen).map(Found::into_maximum);
        chosen.or_else(|| self.any_left(goal.objective, region, rng).pop())
    }

    /// Follows the maximum of the Lagrangian from one row while the multipliers settle.
    fn follow(
        &self,
        goal: &Limited<'_>,
        units: &Units,
        start: &[f64],
        margins: &Margins<'_>,
        region: &SearchRegion<'_>,
        rng: &mut Rng,
    ) -> Found {
        let mut at = Points::from_rows(start.len(), [start]);
        let mut augmented = units.augmented(goal, vec![0.0; goal.slacks.len()]);
        let mut missed = f64::INFINITY;
        for _ in 0..ROUNDS {
            augmented.margins = units.raised(margins(at.row(0)));
            let refined = self.refine(&augmented, region, Scored::new(&augmented, at), rng);
            at = refined.rows.slice(0..1);
            let slack = |slack: &&dyn Function| slack.value(&at)[0];
            let left = augmented.learn(&goal.slacks.iter().map(slack).collect::<Vec<_>>());
            if left <= 0.5 * TOLERANCE {
                break;
            }
            if left > ENOUGH * missed {
                augmented.stiffness *= STIFFER;
            }
            missed = left;
        }
        Found::at(0, &at, &goal.values(&at), &augmented.margins, units)
    }
}

impl Units {
    /// Spreads over a few rows of the region.
    fn of(values: &LimitedValues) -> Self {
        Self {
            objective: spread(&values.objective),
            slacks: values.slacks.iter().map(|slack| spread(slack)).collect(),
        }
    }

    fn raised(&self, margins: Vec<f64>) -> Vec<f64> {
        let raised = |(margin, unit): (f64, &f64)| margin.max(LEAST_MARGIN * unit);
        margins.into_iter().zip(&self.slacks).map(raised).collect()
    }

    fn augmented<'a>(&'a self, goal: &'a Limited<'a>, multipliers: Vec<f64>) -> Augmented<'a> {
        let margins = self.raised(vec![0.0; goal.slacks.len()]);
        Augmented {
            goal,
            unit: self.objective,
            units: &self.slacks,
            margins,
            multipliers,
            stiffness: FIRST_STIFFNESS,
        }
    }
}

/// Half of the range of the middle half of the finite values; their deviation from the median where half of them are equal, 1 where all are.
fn spread(values: &[f64]) -> f64 {
    let mut finite: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    finite.sort_by(f64::total_cmp);
    let place = |share: f64| (share * finite.len() as f64) as usize;
    let at = |share: f64| finite.get(place(share)).copied().unwrap_or(0.0);
    let (middle, range) = (at(0.5), 0.5 * (at(0.75) - at(0.25)));
    let deviations: f64 = finite.iter().map(|v| (v - middle).abs()).sum();
    let mut units = [range, deviations / finite.len().max(1) as f64].into_iter();
    let usable = units.find(|unit| unit.is_finite() && *unit > 0.0);
    usable.unwrap_or(1.0)
}

/// The best row of a list.
fn best_listed(
    goal: &Limited<'_>,
    margins: &Margins<'_>,
    rows: &Points,
    region: &SearchRegion<'_>,
) -> Option<Maximum> {
    let values = goal.values(rows);
    let units = Units::of(&values);
    let none = vec![0.0; goal.slacks.len()];
    let at = |i: usize, margins: &[f64]| Found::at(i, rows, &values, margins, &units);
    let unseen = (0..rows.len()).filter(|&i| !region.seen.contains(rows.row(i)));
    let mut left: Vec<(usize, Found)> = unseen.map(|i| (i, at(i, &none))).collect();
    left.sort_by(|(_, a), (_, b)| a.ranked(b));
    let weighed = left.into_iter().take(MOST_WEIGHED);
    let weighed = weighed.map(|(i, found)| at(i, &margins(&found.row)));
    Found::best(weighed).map(Found::into_maximum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::acquisition::maximize::{MaximizerSettings, SeenRows};
    use crate::acquisition::testing::{cube, parse, plain, smooth};
    use crate::linalg::testing::assert_near;
    use crate::linalg::{Purpose, Streams};
    use crate::space::Space;

    fn rng() -> Rng {
        Streams::new(5).stream(0, Purpose::Candidates)
    }

    fn limited<'a>(objective: &'a dyn Function, slacks: Vec<&'a dyn Function>) -> Limited<'a> {
        Limited { objective, slacks }
    }

    fn solve(space: &Space, goal: &Limited<'_>) -> Vec<f64> {
        let settings = MaximizerSettings {
            candidates: 256,
            starts: 4,
            steps: 40,
            ..MaximizerSettings::default()
        };
        let seen = SeenRows::default();
        let region = SearchRegion::whole(space, &seen, Points::new(space.encoded_dim()));
        let none = |_: &[f64]| vec![0.0; goal.slacks.len()];
        Maximizer::new(settings)
            .unwrap()
            .maximize_within(goal, &none, &region, &mut rng())
            .unwrap()
            .row
    }

    /// Largest x + y on the disc of radius √½: both are ½; and the slack is never negative.
    #[test]
    fn a_curved_border_is_met_from_inside() {
        let sum = smooth(|x| x[0] + x[1], |_| vec![1.0, 1.0]);
        let disc = smooth(
            |x| 0.5 - x[0] * x[0] - x[1] * x[1],
            |x| vec![-2.0 * x[0], -2.0 * x[1]],
        );
        let found = solve(&cube(2), &limited(&sum, vec![&disc]));
        assert_near(&found, &[0.5, 0.5], 1e-3);
        assert!(disc.value(&Points::from_rows(2, [&found]))[0] >= 0.0);
    }

    /// Two lines meet at the best point: x ≤ 0.3 and x + y ≤ 0.
    #[test]
    fn a_corner_of_two_borders_is_found() {
        let objective = smooth(|x| 2.0 * x[0] + x[1], |_| vec![2.0, 1.0]);
        let first = smooth(|x| 1e6 * (0.3 - x[0]), |_| vec![-1e6, 0.0]);
        let second = smooth(|x| -x[0] - x[1], |_| vec![-1.0, -1.0]);
        let found = solve(&cube(2), &limited(&objective, vec![&first, &second]));
        assert_near(&found, &[0.3, -0.3], 1e-3);
    }

    #[test]
    fn where_nothing_is_feasible_the_least_violation_is_found() {
        let objective = smooth(|x| x[0], |_| vec![1.0]);
        let never = smooth(
            |x| -1.0 - (x[0] + 0.4).powi(2),
            |x| vec![-2.0 * (x[0] + 0.4)],
        );
        let found = solve(&cube(1), &limited(&objective, vec![&never]));
        assert_near(&found, &[-0.4], 0.05);
    }

    #[test]
    fn finite_spaces_are_listed_and_functions_without_gradients_are_climbed() {
        let (objective, slack) = (plain(|x| x[0]), plain(|x| 0.25 - x[0]));
        let goal = limited(&objective, vec![&slack]);
        let grid = parse(&["n=int(-10,10)"]);
        assert!(slack.value(&Points::from_rows(1, [solve(&grid, &goal)]))[0] >= 0.0);
        let found = solve(&cube(1), &goal);
        assert!((0.2..=0.25).contains(&found[0]), "{found:?}");
    }
}
