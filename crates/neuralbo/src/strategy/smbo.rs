//! Sequential model-based optimization (SMBO): the loop that all methods with a model share.
//!
//! A suggestion is a point that needs no model (of an initial design, of a restart), else the choice of a [`Policy`] by its model of
//! the finished trials, else a space-filling point whose origin says why there is no choice. The points of a batch are chosen one
//! after the other, each with those before it among the running trials.
//!
//! The loop keeps the rows that are taken and the last fit; everything else that a method knows belongs to its policy.

use std::borrow::Cow;
use std::sync::Arc;

use super::setup::{Ledger, one_by_one};
use super::sobol::SpaceFiller;
use super::{Exhausted, History, Origin, Request, Setup, Suggestion};
use crate::acquisition::maximize::SeenRows;
use crate::linalg::Points;
use crate::surrogate::{Dataset, FitError};

/// What differs between methods with a model.
///
/// # Contract
/// * For each request the loop calls [`Policy::observe`] once; then for each point [`Policy::without_model`] and, where that has no
///   point, [`Policy::refit`] unless the last fit has the same key, and [`Policy::choose`].
/// * Whatever a policy keeps follows from the history and the request: a fresh one answers the same.
pub(super) trait Policy: Send {
    /// What is fitted to the finished trials. It is kept and handed out by cloning.
    type Model: Clone + Send;
    /// What a fit depends on.
    type Key: PartialEq + Send;

    /// The study.
    fn setup(&self) -> &Setup;

    /// Takes in the trials finished since the last call. Answers the observations with the merit by which each is ranked in place of
    /// its reward.
    fn observe<'a>(&mut self, request: &Request<'a>) -> Cow<'a, Dataset> {
        Cow::Borrowed(request.history.observed())
    }

    /// A point that is chosen without the model; `None` where it is the model's turn.
    fn without_model(&self, moment: &Moment<'_>) -> Option<Result<Suggestion, Exhausted>>;

    /// A fit is valid for as long as this stays equal.
    fn key(&self, history: &History) -> Self::Key;

    /// Fits the model to the finished trials.
    fn refit(&mut self, history: &History, merits: &Dataset) -> Result<Self::Model, FitError>;

    /// The model's choice.
    fn choose(&mut self, model: &Self::Model, moment: &Moment<'_>) -> Result<Suggestion, NoChoice>;
}

/// What is known at the moment one point is chosen.
#[derive(Clone, Copy)]
pub(super) struct Moment<'a> {
    pub(super) history: &'a History,
    /// The observations with their merits, see [`Policy::observe`].
    pub(super) merits: &'a Dataset,
    /// Running trials, with the points of the batch that are chosen already.
    pub(super) pending: &'a Points,
    pub(super) taken: &'a SeenRows,
    /// What is finished among what is taken.
    pub(super) finished: &'a SeenRows,
    pub(super) number: u64,
    /// Its place in the batch that is asked for; `None` where one point is.
    pub(super) place: Option<usize>,
    pub(super) filler: &'a SpaceFiller,
}

impl Moment<'_> {
    /// The next point of a sequence that fills the space.
    pub(super) fn space_filling(&self, origin: Origin) -> Result<Suggestion, Exhausted> {
        self.filler.suggestion(self.number, self.taken, origin)
    }
}

/// Why a model chose no point.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum NoChoice {
    /// There is none left.
    Exhausted,
    /// A reason to take a space-filling point instead.
    Fallback(String),
}

impl NoChoice {
    pub(super) fn because(reason: &str) -> Self {
        Self::Fallback(reason.to_owned())
    }
}

impl From<Exhausted> for NoChoice {
    fn from(Exhausted: Exhausted) -> Self {
        Self::Exhausted
    }
}

impl From<FitError> for NoChoice {
    fn from(error: FitError) -> Self {
        Self::Fallback(error.to_string())
    }
}

/// The loop with a policy.
pub(super) struct Smbo<P: Policy> {
    pub(super) policy: P,
    filler: Arc<SpaceFiller>,
    ledger: Ledger,
    last: Option<Fitted<P>>,
}

/// The last fit.
struct Fitted<P: Policy> {
    key: P::Key,
    result: Result<P::Model, FitError>,
}

impl<P: Policy> Smbo<P> {
    pub(super) fn new(policy: P) -> Self {
        let filler = Arc::new(SpaceFiller::new(policy.setup()));
        Self {
            policy,
            filler,
            ledger: Ledger::default(),
            last: None,
        }
    }

    /// Answers a request, see [`Strategy::suggest`](super::Strategy::suggest).
    pub(super) fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        let merits = self.policy.observe(request);
        let (setup, filler) = (self.policy.setup().clone(), Arc::clone(&self.filler));
        let mut ledger = std::mem::take(&mut self.ledger);
        let taken = ledger.taken(&setup, request);
        let suggestions = one_by_one(&setup, request, taken, |number, taken, chosen| {
            let mut pending = request.pending.clone();
            chosen
                .iter()
                .for_each(|suggestion| pending.push(&suggestion.row));
            self.next(&Moment {
                history: request.history,
                merits: &merits,
                pending: &pending,
                taken,
                finished: ledger.finished(),
                number,
                place: (request.count > 1).then_some(chosen.len()),
                filler: &filler,
            })
        });
        self.ledger = ledger;
        suggestions
    }

    /// Picks the next point.
    pub(super) fn next(&mut self, moment: &Moment<'_>) -> Result<Suggestion, Exhausted> {
        if let Some(suggestion) = self.policy.without_model(moment) {
            return suggestion;
        }
        let model = self
            .model(moment.history, moment.merits)
            .map_err(NoChoice::from);
        match model.and_then(|model| self.policy.choose(&model, moment)) {
            Ok(suggestion) => Ok(suggestion),
            Err(NoChoice::Exhausted) => Err(Exhausted),
            Err(NoChoice::Fallback(reason)) => moment.space_filling(Origin::Fallback(reason)),
        }
    }

    /// The model of the finished trials, fitted once per key.
    pub(super) fn model(
        &mut self,
        history: &History,
        merits: &Dataset,
    ) -> Result<P::Model, FitError> {
        let key = self.policy.key(history);
        // The last fit is given up before the next is made: a surrogate may grow in place what nobody else holds.
        let last = self.last.take().filter(|last| last.key == key);
        let fitted = last.unwrap_or_else(|| Fitted {
            key,
            result: self.policy.refit(history, merits),
        });
        self.last.insert(fitted).result.clone()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::linalg::Streams;
    use crate::space::Space;

    /// Begins with two points. Its model is the number of the fit, and needs two observations; its choice is a row that shows the
    /// model, how many trials run and the place in the batch.
    struct Scripted {
        setup: Setup,
        fits: usize,
    }

    impl Policy for Scripted {
        type Model = usize;
        type Key = usize;

        fn setup(&self) -> &Setup {
            &self.setup
        }

        fn without_model(&self, moment: &Moment<'_>) -> Option<Result<Suggestion, Exhausted>> {
            (moment.number < 2).then(|| moment.space_filling(Origin::Initial))
        }

        fn key(&self, history: &History) -> usize {
            history.observed().len()
        }

        fn refit(&mut self, history: &History, merits: &Dataset) -> Result<usize, FitError> {
            assert_eq!(merits, history.observed());
            self.fits += 1;
            let found = history.observed().len();
            if found < 2 {
                Err(FitError::TooFewObservations { needed: 2, found })
            } else {
                Ok(self.fits)
            }
        }

        fn choose(&mut self, model: &usize, moment: &Moment<'_>) -> Result<Suggestion, NoChoice> {
            if moment.pending.len() == 3 {
                return Err(NoChoice::because("enough run"));
            }
            let row = vec![
                0.1 * *model as f64,
                0.2 * moment.pending.len() as f64,
                0.2 * moment.place.unwrap_or(0) as f64,
            ];
            Ok(self.setup.suggestion(row, Origin::Model("script")))
        }
    }

    fn smbo() -> Smbo<Scripted> {
        let space = Arc::new(Space::from_bounds(&[(-1.0, 1.0); 3]).unwrap());
        Smbo::new(Scripted {
            setup: Setup::new(space, Streams::new(1)),
            fits: 0,
        })
    }

    fn origins(suggestions: &[Suggestion]) -> Vec<String> {
        suggestions
            .iter()
            .map(|suggestion| suggestion.origin.to_string())
            .collect()
    }

    fn is_near(row: &[f64], expected: [f64; 3]) -> bool {
        row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn a_batch_begins_without_the_model_and_sees_its_own_points_running() {
        let (mut smbo, mut history) = (smbo(), History::new(3));
        history.push_observed(&[0.5; 3], 1.0);
        history.push_observed(&[-0.5; 3], 1.0);
        let none = Points::new(3);
        let request = Request {
            history: &history,
            pending: &none,
            number: 1,
            count: 5,
            cancel: None,
        };
        let batch = smbo.suggest(&request).unwrap();
        let expected = [
            "initial",
            "model:script",
            "model:script",
            "fallback:enough run",
            "model:script",
        ];
        assert_eq!(origins(&batch), expected);
        // One fit for all; the point's place in the batch is the number of those before it, all of which run.
        assert!(
            is_near(&batch[1].row, [0.1, 0.2, 0.2]) && is_near(&batch[4].row, [0.1, 0.8, 0.8]),
            "{batch:?}"
        );
        let running = Points::from_rows(3, [[0.0; 3]]);
        let alone = smbo
            .suggest(&Request {
                pending: &running,
                number: 7,
                count: 1,
                ..request
            })
            .unwrap();
        assert!(is_near(&alone[0].row, [0.1, 0.2, 0.0]), "{alone:?}");
        let mut grown = history.clone();
        grown.push_observed(&[0.1; 3], 1.0);
        let later = smbo
            .suggest(&Request {
                history: &grown,
                number: 7,
                count: 1,
                ..request
            })
            .unwrap();
        assert!(is_near(&later[0].row, [0.2, 0.0, 0.0]), "{later:?}");
    }

    #[test]
    fn a_fit_that_fails_is_not_tried_again_and_leaves_a_space_filling_point() {
        let (mut smbo, mut history, none) = (smbo(), History::new(3), Points::new(3));
        history.push_observed(&[0.5; 3], 1.0);
        let batch = smbo
            .suggest(&Request {
                history: &history,
                pending: &none,
                number: 2,
                count: 3,
                cancel: None,
            })
            .unwrap();
        assert_eq!(
            origins(&batch),
            ["fallback:the model needs at least 2 observations and has 1"; 3]
        );
        assert_eq!(smbo.policy.fits, 1);
        assert_ne!(batch[0].row, batch[1].row);
    }
}
