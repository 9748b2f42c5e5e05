//! The centre of the box, then random search.

use std::sync::Arc;

use neuralbo::space::Space;
use neuralbo::strategy::presets::{Method, MethodError};
use neuralbo::strategy::{Exhausted, Origin, RandomSearch, Request, Setup, Strategy, Suggestion};

/// Always the centre of the box: a method that is not better has found nothing.
pub(super) const CENTRE: Method = Method {
    name: "centre",
    summary: "the centre of the box, then points drawn uniformly: what the place of the optimum gives away",
    options: &[],
    objectives: true,
    outcome_constraints: true,
    build: |setup, _| match setup.space.pool() {
        Some(_) => Err(MethodError::Unsuitable {
            method: "centre",
            reason: "a pool has no centre".into(),
        }),
        None => Ok(Box::new(CentreFirst::new(setup.clone()))),
    },
};

struct CentreFirst {
    space: Arc<Space>,
    rest: RandomSearch,
}

impl CentreFirst {
    fn new(setup: Setup) -> Self {
        Self {
            space: setup.space.clone(),
            rest: RandomSearch::new(setup),
        }
    }

    /// The row of the centre, or of the feasible point that stands for it.
    fn centre(&self) -> Vec<f64> {
        let mut row = vec![0.0; self.space.encoded_dim()];
        self.space.repair(&mut row);
        row
    }
}

impl Strategy for CentreFirst {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        let centre = self.centre();
        let history = request.history;
        let finished = (0..history.len()).any(|i| history.row(i) == centre);
        if finished || request.pending.rows().any(|row| row == centre) {
            return self.rest.suggest(request);
        }
        let first = Suggestion {
            point: self.space.decode(&centre),
            row: centre,
            origin: Origin::Initial,
            mean: None,
            sd: None,
        };
        let others = Request {
            number: request.number + 1,
            count: request.count - 1,
            ..*request
        };
        let mut suggestions = vec![first];
        if others.count > 0 {
            suggestions.extend(self.rest.suggest(&others)?);
        }
        Ok(suggestions)
    }
}

#[cfg(test)]
mod tests {
    use neuralbo::linalg::{Points, Streams};
    use neuralbo::strategy::History;
    use neuralbo::strategy::presets::Options;

    use super::*;

    #[test]
    fn the_centre_comes_once_and_then_what_random_search_draws() {
        let space = Space::from_bounds(&[(0.0, 1.0), (2.0, 6.0)]).unwrap();
        let pending = Points::new(2);
        let rows = |method: &mut dyn Strategy, history: &History, number, count| -> Vec<Vec<f64>> {
            let request = Request {
                history,
                pending: &pending,
                number,
                count,
                cancel: None,
            };
            let suggestions = method.suggest(&request).unwrap().into_iter();
            suggestions.map(|suggestion| suggestion.row).collect()
        };
        let centre = || CENTRE.strategy(&space, 1, &Options::new()).unwrap();
        let mut history = History::new(2);
        history.push_observed(&[0.3, -0.2], 1.0);
        let chosen = rows(&mut *centre(), &history, 1, 3);
        assert_eq!(chosen[0], [0.0, 0.0]);
        history.push_observed(&chosen[0], 2.0);
        assert_eq!(rows(&mut *centre(), &history, 2, 2), chosen[1..]);
        let setup = Setup::new(Arc::new(space.clone()), Streams::new(1));
        assert_eq!(
            rows(&mut RandomSearch::new(setup), &history, 2, 1),
            chosen[1..2]
        );
    }
}
