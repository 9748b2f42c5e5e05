//! NSGA-II (Deb et al. 2002), a genetic algorithm for several objectives: the baseline that models must beat.
//!
//! The population is a fold over the history: every time as many trials have finished as it has members, the best of both by front and
//! crowding survive. Points are chosen from the last survivors whatever is running, so that any number of workers share a
//! study and a fresh strategy answers the same. Feasible trials come before infeasible ones, these in the order of their violation.

mod selection;
mod variation;

use rand::RngExt;

use super::batch::{EvaluatedRows, one_by_one};
use super::{Exhausted, History, Origin, Request, Setup, Strategy, Suggestion};
use crate::acquisition::maximize::{SeenRows, unseen_row};
use crate::linalg::{Purpose, Rng};
use selection::{Rank, survivors};

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
    population: Vec<(usize, Rank)>,
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
            let members: Vec<usize> = self
                .population
                .iter()
                .map(|(member, _)| *member)
                .chain(children)
                .collect();
            self.population = survivors(history, members, self.size);
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
        let child = (0..TRIES).find_map(|_| {
            self.child(history, &mut rng)
                .filter(|row| !taken.contains(row))
        });
        let drawn = || {
            unseen_row(
                &self.setup.space,
                taken,
                &mut self.setup.streams.stream(number, Purpose::Design),
            )
        };
        Ok(self
            .setup
            .suggestion(child.or_else(drawn).ok_or(Exhausted)?, Origin::Sampled))
    }

    /// A child of two members of the population; `None` as long as there is none.
    fn child(&self, history: &History, rng: &mut Rng) -> Option<Vec<f64>> {
        let (first, second) = (self.parent(rng)?, self.parent(rng)?);
        let rows = history.observed().rows();
        Some(variation::child(
            &self.setup.space,
            rows.row(first),
            rows.row(second),
            rng,
        ))
    }

    /// The better of two members drawn.
    fn parent(&self, rng: &mut Rng) -> Option<usize> {
        let mut draw = || {
            self.population
                .get(rng.random_range(0..self.population.len().max(1)))
        };
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
