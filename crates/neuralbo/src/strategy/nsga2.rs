//! NSGA-II (Deb et al. 2002), a genetic algorithm for several objectives: the baseline that models must beat.
//!
//! The population is a fold over the history: every time as many trials have finished as it has members, the best of both by front and
//! crowding survive. Points are chosen from the last survivors whatever is running, so that any number of workers share a
//! study and a fresh strategy answers the same. Feasible trials come before infeasible ones, these in the order of their violation.

use std::cmp::Ordering;
use std::ops::Range;

use rand::RngExt;

use super::{
    EvaluatedRows, Exhausted, History, Origin, Request, Setup, Strategy, Suggestion, one_by_one,
};
use crate::acquisition::maximize::{SeenRows, unseen_row};
use crate::linalg::{Purpose, Rng};
use crate::pareto;
use crate::space::{Coordinate, Space};
use crate::strategy::policies::parameters;

/// Children tried before a point is drawn: in a small space most have been evaluated.
const TRIES: usize = 20;

/// The strategy.
///
/// ```
/// use std::sync::Arc;
/// use neuralbo::linalg::{Points, Streams};
/// use neuralbo::pareto;
/// use neuralbo::space::Space;
/// use neuralbo::strategy::{Goals, History, Nsga2, Request, Setup, Strategy};
///
/// let space = Arc::new(Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)])?);
/// let setup = Setup { goals: Goals::objectives(2), ..Setup::new(space, Streams::new(1)) };
/// let (mut history, pending) = (History::with_goals(2, &setup.goals), Points::new(2));
/// let mut nsga2 = Nsga2::new(setup, 20);
/// for number in 0..200 {
///     let next = nsga2.suggest(&Request { history: &history, pending: &pending, number, count: 1, cancel: None })?.remove(0);
///     let (x, y) = (next.row[0], next.row[1]);
///     history.push_measured(&next.row, &[-(x - 0.5).powi(2) - y * y, -(x + 0.5).powi(2) - y * y], &[]);
/// }
/// // All points between (−0.5, 0) and (0.5, 0) are optimal: an area of 5/6 of the unit square.
/// assert!(pareto::hypervolume(&history.rewards(), &[-1.0, -1.0]) > 0.75);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Nsga2 {
    setup: Setup,
    size: usize,
    evaluated: EvaluatedRows,
    /// The members of the population, as observations of the history, the best first, with their ranks.
    population: Vec<(usize, MemberRank)>,
    /// How many observations have been considered.
    considered: usize,
}

impl Nsga2 {
    /// The strategy with a population of `size` members, at least 2.
    pub fn new(setup: Setup, size: usize) -> Self {
        Self {
            setup,
            size: size.max(2),
            evaluated: EvaluatedRows::default(),
            population: Vec::new(),
            considered: 0,
        }
    }

    /// Takes in every generation that is complete.
    fn update(&mut self, history: &History) {
        while history.observed().len() >= self.considered + self.size {
            let children = self.considered..self.considered + self.size;
            let parents = self.population.iter().map(|(member, _)| *member);
            self.population = survivors(history, parents.chain(children).collect(), self.size);
            self.considered += self.size;
        }
    }

    fn next(
        &self,
        number: u64,
        taken: &SeenRows,
        history: &History,
    ) -> Result<Suggestion, Exhausted> {
        let mut rng = self.setup.streams.stream(number, Purpose::Candidates);
        let child =
            (0..TRIES).find_map(|_| self.child(history, &mut rng).filter(|r| !taken.contains(r)));
        let mut rng = self.setup.streams.stream(number, Purpose::Design);
        let drawn = || unseen_row(&self.setup.space, taken, &mut rng);
        let row = child.or_else(drawn).ok_or(Exhausted)?;
        Ok(self.setup.suggestion(row, Origin::Sampled))
    }

    /// A child of two members of the population; `None` as long as there is none.
    fn child(&self, history: &History, rng: &mut Rng) -> Option<Vec<f64>> {
        let (first, second) = (self.parent(rng)?, self.parent(rng)?);
        let row = |i: usize| history.observed().rows().row(i);
        Some(child(&self.setup.space, row(first), row(second), rng))
    }

    /// The better of two members drawn.
    fn parent(&self, rng: &mut Rng) -> Option<usize> {
        let count = self.population.len().max(1);
        let mut draw = || self.population.get(rng.random_range(0..count));
        let (a, b) = (draw()?, draw()?);
        Some(if b.1.is_before(&a.1) { b.0 } else { a.0 })
    }
}

impl Strategy for Nsga2 {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        self.update(request.history);
        let taken = self.evaluated.taken(&self.setup, request);
        one_by_one(&self.setup, request, taken, |number, taken, _| {
            self.next(number, taken, request.history)
        })
    }
}

/// The rank of a member.
#[derive(Clone, Copy, Debug, PartialEq)]
struct MemberRank {
    /// Total violation of the outcome constraints, 0 of a feasible member; infinite where not everything was measured.
    violation: f64,
    front: usize,
    crowding: f64,
}

impl MemberRank {
    fn is_before(&self, other: &Self) -> bool {
        self.compare(other) == Ordering::Less
    }

    fn compare(&self, other: &Self) -> Ordering {
        let by_violation = self.violation.total_cmp(&other.violation);
        let by_front = by_violation.then(self.front.cmp(&other.front));
        by_front.then(other.crowding.total_cmp(&self.crowding))
    }
}

/// The best `size` of some observations, the best first; of equals those that were observed first.
fn survivors(history: &History, members: Vec<usize>, size: usize) -> Vec<(usize, MemberRank)> {
    let violations = violations(history, &members);
    let unranked = |violation| MemberRank {
        violation,
        front: 0,
        crowding: 0.0,
    };
    let violations = violations.into_iter().map(unranked);
    let mut ranked: Vec<(usize, MemberRank)> = members.iter().copied().zip(violations).collect();
    rank(history, &mut ranked);
    ranked.sort_by(|a, b| a.1.compare(&b.1).then(a.0.cmp(&b.0)));
    ranked.truncate(size);
    ranked
}

/// Gives the feasible ones their fronts and how crowded they are there.
fn rank(history: &History, ranked: &mut [(usize, MemberRank)]) {
    let feasible = (0..ranked.len()).filter(|&i| ranked[i].1.violation == 0.0);
    let feasible: Vec<usize> = feasible.collect();
    let observed: Vec<usize> = feasible.iter().map(|&i| ranked[i].0).collect();
    let rows = history.rewards().select(&observed);
    let ranks = pareto::ranks(&rows);
    for rank in 0..ranks.iter().map(|rank| rank + 1).max().unwrap_or(0) {
        let front: Vec<usize> = (0..ranks.len()).filter(|&i| ranks[i] == rank).collect();
        for (&i, crowding) in front.iter().zip(pareto::crowding(&rows.select(&front))) {
            let member = &mut ranked[feasible[i]].1;
            (member.front, member.crowding) = (rank, crowding);
        }
    }
}

/// The sum of how far each bound is exceeded, in units of the mean of what the members exceed it by.
fn violations(history: &History, members: &[usize]) -> Vec<f64> {
    let exceeded = |i: usize, k: usize| (-history.slacks(i)[k]).max(0.0);
    let scale = |k: usize| {
        // Divided first: the sum of finite numbers may not be finite.
        let shares = members
            .iter()
            .map(|&i| exceeded(i, k) / members.len() as f64);
        let mean: f64 = shares.sum();
        if mean > 0.0 { mean } else { 1.0 }
    };
    let scales: Vec<f64> = (0..history.outcome_constraints()).map(scale).collect();
    let total = |i: usize| {
        let unknown = history.slacks(i).iter().any(|slack| slack.is_nan())
            || (0..history.objectives()).any(|k| history.reward(i, k).is_nan());
        let scales = scales.iter().enumerate();
        match unknown {
            true => f64::INFINITY,
            false => scales.map(|(k, scale)| exceeded(i, k) / scale).sum(),
        }
    };
    members.iter().map(|&i| total(i)).collect()
}

/// Chance that a child is crossed at all, and that a parameter is then.
const CROSSED: f64 = 0.9;
const PARAMETER_CROSSED: f64 = 0.5;
/// Indices of both distributions: the larger, the nearer children are to their parents.
const CROSSOVER_INDEX: f64 = 15.0;
const MUTATION_INDEX: f64 = 20.0;

/// A point of the space that descends from both rows.
fn child(space: &Space, first: &[f64], second: &[f64], rng: &mut Rng) -> Vec<f64> {
    let parameters = parameters(space);
    let mut row = first.to_vec();
    if rng.random_bool(CROSSED) {
        for range in &parameters {
            if rng.random_bool(PARAMETER_CROSSED) {
                let other = &second[range.clone()];
                cross(&mut row[range.clone()], other, is_number(space, range), rng);
            }
        }
    }
    let chance = 1.0 / parameters.len().max(1) as f64;
    for range in &parameters {
        if rng.random_bool(chance) {
            mutate(&mut row[range.clone()], is_number(space, range), rng);
        }
    }
    space.snap_from(first, &mut row, &mut |_, coordinates| {
        coordinates.fill_with(|| rng.random_range(-1.0..=1.0));
    });
    if !space.is_feasible(&row) {
        space.repair(&mut row);
    }
    row
}

/// Whether small steps mean something; of two values they do not.
fn is_number(space: &Space, range: &Range<usize>) -> bool {
    !matches!(
        space.coordinates()[range.start],
        Coordinate::OneHot { .. } | Coordinate::Codeword { .. } | Coordinate::Grid { levels: 2 }
    )
}

/// A number moves to one of the two places that simulated binary crossover has for the pair; a choice is the other's.
fn cross(own: &mut [f64], other: &[f64], number: bool, rng: &mut Rng) {
    let ([x], true) = (&mut *own, number) else {
        return own.copy_from_slice(other);
    };
    let spread = spread(rng.random(), CROSSOVER_INDEX);
    let side = if rng.random_bool(0.5) { 1.0 } else { -1.0 };
    *x = (0.5 * (*x + other[0]) + side * 0.5 * spread * (*x - other[0]).abs()).clamp(-1.0, 1.0);
}

/// The factor `β` of the parents' distance in which children of the quantile `u` lie apart.
fn spread(u: f64, index: f64) -> f64 {
    let base = if u <= 0.5 { 2.0 * u } else { 0.5 / (1.0 - u) };
    base.powf(1.0 / (index + 1.0))
}

/// A number moves by a part of the box that is mostly small; of a choice another value is drawn.
fn mutate(own: &mut [f64], number: bool, rng: &mut Rng) {
    if number {
        own.iter_mut()
            .for_each(|x| *x = (*x + 2.0 * step(rng.random())).clamp(-1.0, 1.0));
    } else {
        own.fill_with(|| rng.random_range(-1.0..=1.0));
    }
}

/// The step of polynomial mutation at the quantile `u`, from −1 to 1.
fn step(u: f64) -> f64 {
    let power = 1.0 / (MUTATION_INDEX + 1.0);
    if u < 0.5 {
        (2.0 * u).powf(power) - 1.0
    } else {
        1.0 - (2.0 * (1.0 - u)).powf(power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Streams;
    use crate::strategy::Goals;

    fn history(measured: &[([f64; 2], f64)]) -> History {
        let mut goals = Goals::objectives(2);
        goals.slacks = 1;
        let mut history = History::with_goals(1, &goals);
        for (rewards, slack) in measured {
            history.push_measured(&[0.0], rewards, &[*slack]);
        }
        history
    }

    #[test]
    fn fronts_come_before_crowding_and_the_feasible_before_the_rest() {
        let measured = [
            ([9.0, 9.0], -2.0),
            ([1.0, 0.0], 0.0),
            ([0.0, 1.0], 0.0),
            ([0.5, 0.6], 0.0),
            ([0.4, 0.5], 1.0),
            ([9.0, 9.0], -1.0),
            ([9.0, f64::NAN], 1.0),
        ];
        let found = survivors(&history(&measured), (0..7).collect(), 7);
        let order: Vec<usize> = found.iter().map(|(i, _)| *i).collect();
        assert_eq!(order, [1, 2, 3, 4, 5, 0, 6]);
        assert_eq!(survivors(&history(&measured), (0..7).collect(), 3).len(), 3);
    }

    #[test]
    fn the_distributions_have_their_closed_forms() {
        // Deb & Agrawal 1995: P(β ≤ b) = b^(η+1)/2 up to 1; half of the mutations are below nothing.
        assert!((spread(0.25, 15.0) - 0.5f64.powf(1.0 / 16.0)).abs() < 1e-12);
        assert!((spread(0.5, 15.0) - 1.0).abs() < 1e-12 && spread(0.9, 15.0) > 1.0);
        for (u, expected) in [(0.5, 0.0), (0.0, -1.0), (1.0, 1.0_f64)] {
            assert!((step(u) - expected).abs() < 1e-12);
        }
        assert!((step(0.3) + step(0.7)).abs() < 1e-12);
    }

    #[test]
    fn children_are_points_of_the_space_near_their_parents() {
        let parameters =
            "x=float(0,1);k=choice(a,b,c);y=float(0,1) if k == b;n=int(1,5)".split(';');
        let space = Space::new(parameters.map(|p| p.parse().unwrap()).collect()).unwrap();
        let mut rng = Streams::new(1).stream(0, Purpose::Candidates);
        let draw = |rng: &mut Rng| crate::acquisition::maximize::random_row(&space, rng);
        for _ in 0..200 {
            let (first, second) = (draw(&mut rng), draw(&mut rng));
            let row = child(&space, &first, &second, &mut rng);
            let mut snapped = row.clone();
            space.snap(&mut snapped);
            assert_eq!(row, snapped);
        }
        let line = Space::from_bounds(&[(0.0, 1.0)]).unwrap();
        let children = (0..2000).map(|_| child(&line, &[0.2], &[0.4], &mut rng)[0]);
        let mean: f64 = children.sum::<f64>() / 2000.0;
        assert!((mean - 0.25).abs() < 0.03, "{mean}");
    }
}
