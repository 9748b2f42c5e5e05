//! Random and quasi-random search, and the space-filling points that stand in for a model's choice.

use super::{EvaluatedRows, Exhausted, Origin, Request, Setup, Strategy, Suggestion, one_by_one};
use crate::acquisition::maximize::{SeenRows, unseen_row};
use crate::linalg::{Purpose, Sobol};

/// Keeps the scrambling apart from the other designs of a study.
const SCRAMBLING: u64 = 1;

/// The study's scrambled Sobol sequence; trial `n` gets its `n`-th point. Uniform draws in more dimensions than it has.
#[derive(Clone, Debug)]
pub(super) struct SpaceFiller {
    setup: Setup,
    sequence: Option<Sobol>,
}

impl SpaceFiller {
    pub(super) fn new(setup: &Setup) -> Self {
        let mut rng = setup.streams.indexed(0, Purpose::Design, SCRAMBLING);
        let dim = setup.space.encoded_dim();
        let setup = setup.clone();
        let sequence = match dim {
            0 => None,
            _ => Sobol::new(dim, Some(&mut rng)).ok(),
        };
        Self { setup, sequence }
    }

    /// The row of trial `number`, or a random one where that has been taken or violates a constraint.
    pub(super) fn row(&self, number: u64, taken: &SeenRows) -> Result<Vec<f64>, Exhausted> {
        let in_sequence = self.sequence.as_ref().map(|sequence| {
            let mut row = sequence.fill_signed(number, 1).row(0).to_vec();
            self.setup.space.snap(&mut row);
            row
        });
        let Setup { space, streams, .. } = &self.setup;
        let fresh = in_sequence.filter(|row| !taken.contains(row) && space.is_feasible(row));
        let mut rng = streams.stream(number, Purpose::Design);
        let row = fresh.or_else(|| unseen_row(space, taken, &mut rng));
        row.ok_or(Exhausted)
    }

    /// The suggestion of that row.
    pub(super) fn suggestion(
        &self,
        number: u64,
        taken: &SeenRows,
        origin: Origin,
    ) -> Result<Suggestion, Exhausted> {
        Ok(self.setup.suggestion(self.row(number, taken)?, origin))
    }
}

/// Quasi-random search: a scrambled Sobol sequence.
///
/// ```
/// use std::sync::Arc;
/// use neuralbo::linalg::{Points, Streams};
/// use neuralbo::space::Space;
/// use neuralbo::strategy::{History, Request, Setup, SobolSearch, Strategy};
///
/// let space = Arc::new(Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)])?);
/// let mut strategy = SobolSearch::new(Setup::new(space, Streams::new(1)));
/// let (mut history, pending) = (History::new(2), Points::new(2));
/// for number in 0..64 {
///     let next = strategy.suggest(&Request { history: &history, pending: &pending, number, count: 1, cancel: None })?.remove(0);
///     let reward = -next.row.iter().map(|x| x * x).sum::<f64>();
///     history.push_observed(&next.row, reward);
/// }
/// assert!(history.observed().rewards().iter().any(|reward| *reward > -0.1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SobolSearch {
    filler: SpaceFiller,
    evaluated: EvaluatedRows,
}

impl SobolSearch {
    /// Quasi-random search for a study.
    pub fn new(setup: Setup) -> Self {
        Self {
            filler: SpaceFiller::new(&setup),
            evaluated: EvaluatedRows::default(),
        }
    }
}

impl Strategy for SobolSearch {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        let setup = &self.filler.setup;
        let taken = self.evaluated.taken(setup, request);
        one_by_one(setup, request, taken, |number, taken, _| {
            self.filler.suggestion(number, taken, Origin::Sampled)
        })
    }
}

/// Points drawn uniformly and independently; in a finite space without repetition unless replicates are allowed.
///
/// ```
/// use std::sync::Arc;
/// use neuralbo::linalg::{Points, Streams};
/// use neuralbo::space::Space;
/// use neuralbo::strategy::{History, RandomSearch, Request, Setup, Strategy};
///
/// let space = Arc::new(Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)])?);
/// let mut random = RandomSearch::new(Setup::new(space, Streams::new(1)));
/// let (history, pending) = (History::new(2), Points::new(2));
/// let suggestions = random.suggest(&Request { history: &history, pending: &pending, number: 0, count: 3, cancel: None })?;
/// assert_eq!(suggestions.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RandomSearch {
    setup: Setup,
    evaluated: EvaluatedRows,
}

impl RandomSearch {
    /// Random search for a study.
    pub fn new(setup: Setup) -> Self {
        Self {
            setup,
            evaluated: EvaluatedRows::default(),
        }
    }
}

impl Strategy for RandomSearch {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        let taken = self.evaluated.taken(&self.setup, request);
        let setup = &self.setup;
        one_by_one(setup, request, taken, |number, taken, _| {
            let mut rng = setup.streams.stream(number, Purpose::Design);
            let row = unseen_row(&setup.space, taken, &mut rng).ok_or(Exhausted)?;
            Ok(setup.suggestion(row, Origin::Sampled))
        })
    }
}
