//! The covariance matrix adaptation evolution strategy, asked and told one trial at a time.
//!
//! The state is a fold over the history: every λ finished trials, in the order they were told, make one generation. A suggestion is
//! a draw from the distribution they led to, keyed by its trial number. So the strategy can be continued anywhere from the
//! history alone, workers may finish in any order, and a trial that never finishes holds nobody up.

mod distribution;
mod shape;
#[cfg(test)]
mod tests;

use rand::RngExt;
use rand_distr::{Distribution as _, StandardNormal};

use super::{
    EvaluatedRows, Exhausted, History, HistoryEntry, Origin, Request, Setup, Strategy, Suggestion,
    one_by_one,
};
use crate::acquisition::maximize::{SeenRows, unseen_row};
use crate::linalg::Purpose;

use distribution::{Distribution, GenerationMember, default_population};

/// Draws before a row already taken is replaced by a random one.
const DRAWS: usize = 20;
/// Generations of equal rewards after which a run is given up.
const MOST_FLAT: usize = 20;
/// Populations are doubled at restarts up to this multiple of the first.
const LARGEST_GROWTH: usize = 64;

/// CMA-ES with active covariance update and restarts with doubled population (Auger & Hansen 2005); diagonal in more than 200
/// dimensions (Ros & Hansen 2008).
///
/// It starts at the centre of the box. Draws outside the box are clipped to it, and learnt from where they were evaluated. Failed
/// trials rank last.
///
/// ```
/// use std::sync::Arc;
/// use neuralbo::linalg::{Points, Streams};
/// use neuralbo::space::Space;
/// use neuralbo::strategy::{CmaEs, History, Request, Setup, Strategy};
///
/// let space = Arc::new(Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)])?);
/// let mut strategy = CmaEs::new(Setup::new(space, Streams::new(1)));
/// let (mut history, pending) = (History::new(2), Points::new(2));
/// for number in 0..200 {
///     let next = strategy.suggest(&Request { history: &history, pending: &pending, number, count: 1, cancel: None })?.remove(0);
///     let reward = -next.row.iter().map(|x| x * x).sum::<f64>();
///     history.push_observed(&next.row, reward);
/// }
/// assert!(history.observed().rewards().iter().any(|reward| *reward > -1e-4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CmaEs {
    setup: Setup,
    evaluated: EvaluatedRows,
    distribution: Distribution,
    /// Finished trials that went into the distribution.
    folded: usize,
    restarts: u64,
    flat: usize,
}

impl CmaEs {
    /// CMA-ES for a study.
    pub fn new(setup: Setup) -> Self {
        let dim = setup.space.encoded_dim();
        let distribution = Distribution::new(vec![0.0; dim], default_population(dim));
        Self {
            setup,
            evaluated: EvaluatedRows::default(),
            distribution,
            folded: 0,
            restarts: 0,
            flat: 0,
        }
    }

    /// Folds every complete generation of the history into the distribution.
    fn learn(&mut self, history: &History) {
        while history.len() - self.folded >= self.distribution.population() {
            let generation = self.folded..self.folded + self.distribution.population();
            let members: Vec<GenerationMember<'_>> =
                generation.map(|i| member(history, i)).collect();
            self.folded += members.len();
            self.flat = match tells_nothing(&members) {
                true => self.flat + 1,
                false => 0,
            };
            if members.iter().any(|member| member.reward.is_some()) {
                self.distribution.update(&members);
            }
            if self.distribution.is_spent() || self.flat >= MOST_FLAT {
                self.restart();
            }
        }
    }

    fn restart(&mut self) {
        self.restarts += 1;
        self.flat = 0;
        let dim = self.setup.space.encoded_dim();
        let streams = &self.setup.streams;
        let mut rng = streams.indexed(self.restarts, Purpose::Design, 3);
        let growth = (1usize << self.restarts.min(32)).min(LARGEST_GROWTH);
        let mean = (0..dim).map(|_| rng.random_range(-1.0..=1.0)).collect();
        self.distribution = Distribution::new(mean, growth * default_population(dim));
    }

    fn draw(&self, number: u64, taken: &SeenRows) -> Result<Vec<f64>, Exhausted> {
        let mut rng = self.setup.streams.stream(number, Purpose::Sample);
        for _ in 0..DRAWS {
            let z = (0..self.setup.space.encoded_dim()).map(|_| StandardNormal.sample(&mut rng));
            let mut row = self.distribution.at(&z.collect::<Vec<f64>>());
            row.iter_mut().for_each(|x| *x = x.clamp(-1.0, 1.0));
            self.setup.space.repair(&mut row);
            if !taken.contains(&row) {
                return Ok(row);
            }
        }
        unseen_row(&self.setup.space, taken, &mut rng).ok_or(Exhausted)
    }
}

impl Strategy for CmaEs {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        self.learn(request.history);
        let taken = self.evaluated.taken(&self.setup, request);
        one_by_one(&self.setup, request, taken, |number, taken, _| {
            let row = self.draw(number, taken)?;
            Ok(self.setup.suggestion(row, Origin::Sampled))
        })
    }
}

fn member(history: &History, i: usize) -> GenerationMember<'_> {
    let reward = match history.outcomes()[i] {
        HistoryEntry::Observed(k) => Some(history.observed().rewards()[k]),
        HistoryEntry::Failed(_) => None,
    };
    let row = history.row(i);
    GenerationMember { row, reward }
}

/// Whether all rewards of a generation are equal, or there are none.
fn tells_nothing(members: &[GenerationMember<'_>]) -> bool {
    let rewards = || members.iter().filter_map(|member| member.reward);
    let low = rewards().fold(f64::INFINITY, f64::min);
    let high = rewards().fold(f64::NEG_INFINITY, f64::max);
    high - low <= 1e-14 * high.abs().max(low.abs())
}
