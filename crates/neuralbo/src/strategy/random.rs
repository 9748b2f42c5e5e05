//! Uniform random search.

use super::batch::{EvaluatedRows, one_by_one};
use super::{Exhausted, Origin, Request, Setup, Strategy, Suggestion};
use crate::acquisition::maximize::unseen_row;
use crate::linalg::Purpose;

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
            let row = unseen_row(
                &setup.space,
                taken,
                &mut setup.streams.stream(number, Purpose::Design),
            )
            .ok_or(Exhausted)?;
            Ok(setup.suggestion(row, Origin::Sampled))
        })
    }
}
