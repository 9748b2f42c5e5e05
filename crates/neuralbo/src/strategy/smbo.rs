//! Sequential model-based optimization (SMBO): the loop shared by all methods with a model.
//!
//! A suggestion is a point that opens a search (of the initial design, of a restart), else the
//! choice of a [`Policy`] by its model, else a space-filling point whose origin gives the reason.
//! The points of a batch are chosen one after the other, each with the earlier ones among the
//! running trials.
//!
//! The loop keeps the evaluated rows; everything else that a method knows belongs to its policy.

use super::policies::scored;
use super::sampling::SpaceFiller;
use super::{
    EvaluatedRows, Exhausted, History, LocalModel, ModelResult, NoModel, Origin, Request, Setup,
    Strategy, Suggestion, one_by_one,
};
use crate::acquisition::maximize::SeenRows;
use crate::linalg::Points;
use crate::surrogate::{Dataset, FitError};

/// A way to choose the next point. Policies compose: one may wrap or ask another.
///
/// # Contract
/// * For each request the loop calls [`Policy::observe`] once; then for each point
///   [`Policy::opening`] and, where that has no point, [`Policy::choose`].
/// * What a policy keeps follows from the history and the request: a fresh one answers the same.
pub(crate) trait Policy: Send {
    /// Takes in the trials finished since the last call.
    fn observe(&mut self, request: &Request<'_>, scores: &Dataset) {
        let _ = (request, scores);
    }

    /// A point of the initial design or of a restart; `None` where the model chooses.
    fn opening(&self, context: &Context<'_>) -> Option<Result<Suggestion, Exhausted>> {
        let _ = context;
        None
    }

    /// The model's choice.
    fn choose(&mut self, context: &Context<'_>) -> Result<Suggestion, NoChoice>;

    /// See [`Strategy::model_of`].
    fn model_of(&mut self, history: &History, quantity: usize) -> ModelResult;

    /// See [`Strategy::local_model`].
    fn local_model(&mut self, history: &History) -> Result<LocalModel, NoModel> {
        let dim = history.observed().rows().dim();
        Ok(LocalModel::everywhere(self.model_of(history, 0)?, dim))
    }
}

/// What is known when one point is chosen.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) history: &'a History,
    /// The observations by score instead of reward: infeasible ones below all feasible ones.
    pub(crate) scores: &'a Dataset,
    /// Running trials, including the points of the batch chosen so far.
    pub(crate) pending: &'a Points,
    /// Rows that may not be proposed: finished or running.
    pub(crate) taken: &'a SeenRows,
    /// The finished ones among them.
    pub(crate) finished: &'a SeenRows,
    pub(crate) number: u64,
    /// Index in the batch; `None` where a single point is wanted.
    pub(crate) batch_index: Option<usize>,
    pub(crate) filler: &'a SpaceFiller,
}

impl Context<'_> {
    /// The next point of a space-filling sequence.
    pub(crate) fn space_filling(&self, origin: Origin) -> Result<Suggestion, Exhausted> {
        self.filler.suggestion(self.number, self.taken, origin)
    }
}

/// Why a policy chose no point.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NoChoice {
    /// No point is left.
    Exhausted,
    /// A reason to take a space-filling point instead.
    Fallback(String),
}

impl NoChoice {
    pub(crate) fn because(reason: &str) -> Self {
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

/// The last fit, valid for as long as its key stays equal. A failed fit is kept also.
pub(crate) struct LastFit<K, M>(Option<(K, Result<M, FitError>)>);

impl<K, M> Default for LastFit<K, M> {
    fn default() -> Self {
        Self(None)
    }
}

impl<K: PartialEq, M: Clone> LastFit<K, M> {
    /// The model of this key, fitted where the last one was of another.
    pub(crate) fn get_or_fit(
        &mut self,
        key: K,
        fit: impl FnOnce() -> Result<M, FitError>,
    ) -> Result<M, FitError> {
        // The last fit is dropped first: a surrogate may extend in place what nobody else holds.
        let last = self.0.take().filter(|last| last.0 == key);
        let fitted = last.unwrap_or_else(|| (key, fit()));
        self.0.insert(fitted).1.clone()
    }
}

/// The loop with a policy.
pub(crate) struct Smbo<P> {
    pub(crate) policy: P,
    pub(crate) setup: Setup,
    filler: SpaceFiller,
    evaluated: EvaluatedRows,
}

impl<P: Policy> Smbo<P> {
    pub(crate) fn new(setup: Setup, policy: P) -> Self {
        Self {
            policy,
            filler: SpaceFiller::new(&setup),
            setup,
            evaluated: EvaluatedRows::default(),
        }
    }
}

impl<P: Policy> Strategy for Smbo<P> {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        let scores = scored(request.history);
        self.policy.observe(request, &scores);
        let taken = self.evaluated.taken(&self.setup, request);
        one_by_one(&self.setup, request, taken, |number, taken, chosen| {
            let mut pending = request.pending.clone();
            chosen.iter().for_each(|s| pending.push(&s.row));
            let context = Context {
                history: request.history,
                scores: &scores,
                pending: &pending,
                taken,
                finished: self.evaluated.finished(),
                number,
                batch_index: (request.count > 1).then_some(chosen.len()),
                filler: &self.filler,
            };
            if let Some(suggestion) = self.policy.opening(&context) {
                return suggestion;
            }
            match self.policy.choose(&context) {
                Ok(suggestion) => Ok(suggestion),
                Err(NoChoice::Exhausted) => Err(Exhausted),
                Err(NoChoice::Fallback(reason)) => context.space_filling(Origin::Fallback(reason)),
            }
        })
    }

    fn model(&mut self, history: &History) -> ModelResult {
        self.policy.model_of(history, 0)
    }

    fn model_of(&mut self, history: &History, quantity: usize) -> ModelResult {
        self.policy.model_of(history, quantity)
    }

    fn local_model(&mut self, history: &History) -> Result<LocalModel, NoModel> {
        self.policy.local_model(history)
    }
}

/// Chooses a point now and then, or none.
pub(crate) trait Occasional: Send {
    /// The point; `None` where it has none to offer.
    fn propose(&self, context: &Context<'_>) -> Option<Suggestion>;
}

/// One of `every` trials after the initial design.
pub(crate) struct PolicyTurn {
    pub(crate) every: u64,
    /// Which of them, counted from 0.
    pub(crate) index: u64,
    pub(crate) policy: Box<dyn Occasional>,
}

/// A policy that leaves some of its trials to others; a turn without a proposal is its own again.
pub(crate) struct Alternate {
    policy: Box<dyn Policy>,
    turns: Vec<PolicyTurn>,
    /// Points of the initial design.
    initial: u64,
}

impl Alternate {
    pub(crate) fn new(policy: Box<dyn Policy>, turns: Vec<PolicyTurn>, initial: usize) -> Self {
        Self {
            policy,
            turns,
            initial: initial as u64,
        }
    }

    /// A policy without others.
    pub(crate) fn only(policy: impl Policy + 'static) -> Self {
        Self::new(Box::new(policy), Vec::new(), 0)
    }
}

impl Policy for Alternate {
    fn observe(&mut self, request: &Request<'_>, scores: &Dataset) {
        self.policy.observe(request, scores);
    }

    fn opening(&self, context: &Context<'_>) -> Option<Result<Suggestion, Exhausted>> {
        self.policy.opening(context)
    }

    fn choose(&mut self, context: &Context<'_>) -> Result<Suggestion, NoChoice> {
        let number = context.number.abs_diff(self.initial);
        let due = self.turns.iter().filter(|t| number % t.every == t.index);
        let mut proposals = due.filter_map(|turn| turn.policy.propose(context));
        match proposals.next() {
            Some(suggestion) => Ok(suggestion),
            None => self.policy.choose(context),
        }
    }

    fn model_of(&mut self, history: &History, quantity: usize) -> ModelResult {
        self.policy.model_of(history, quantity)
    }

    fn local_model(&mut self, history: &History) -> Result<LocalModel, NoModel> {
        self.policy.local_model(history)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::Streams;
    use crate::space::Space;
    use std::sync::Arc;

    /// Opens with two points. Its model is the number of the fit, and needs two observations; its
    /// choice is a row of the model, the number of running trials and the index in the batch.
    #[derive(Default)]
    struct Scripted {
        last: LastFit<usize, usize>,
        fits: usize,
    }

    impl Policy for Scripted {
        fn opening(&self, context: &Context<'_>) -> Option<Result<Suggestion, Exhausted>> {
            (context.number < 2).then(|| context.space_filling(Origin::Initial))
        }

        fn choose(&mut self, context: &Context<'_>) -> Result<Suggestion, NoChoice> {
            assert_eq!(context.scores, context.history.observed());
            let found = context.history.observed().len();
            let model = self.last.get_or_fit(found, || {
                self.fits += 1;
                match found {
                    0 | 1 => Err(FitError::TooFewObservations { needed: 2, found }),
                    _ => Ok(self.fits),
                }
            })?;
            if context.pending.len() == 3 {
                return Err(NoChoice::because("enough run"));
            }
            let row = vec![
                0.1 * model as f64,
                0.2 * context.pending.len() as f64,
                0.2 * context.batch_index.unwrap_or(0) as f64,
            ];
            Ok(setup().suggestion(row, Origin::Model("script")))
        }

        fn model_of(&mut self, _: &History, _: usize) -> ModelResult {
            Err(NoModel::Modelless)
        }
    }

    fn setup() -> Setup {
        let space = Arc::new(Space::from_bounds(&[(-1.0, 1.0); 3]).unwrap());
        Setup::new(space, Streams::new(1))
    }

    fn smbo() -> Smbo<Scripted> {
        Smbo::new(setup(), Scripted::default())
    }

    fn origins(suggestions: &[Suggestion]) -> Vec<String> {
        suggestions.iter().map(|s| s.origin.to_string()).collect()
    }

    fn is_near(row: &[f64], expected: [f64; 3]) -> bool {
        row.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn a_batch_opens_without_the_model_and_sees_its_own_points_running() {
        let (mut smbo, mut history) = (smbo(), History::new(3));
        history.push_observed(&[0.5; 3], 1.0);
        history.push_observed(&[-0.5; 3], 1.0);
        let none = Points::new(3);
        let request = Request::new(&history, &none, 1, 5);
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
        assert!(is_near(&batch[1].row, [0.1, 0.2, 0.2]), "{batch:?}");
        assert!(is_near(&batch[4].row, [0.1, 0.8, 0.8]), "{batch:?}");
        let running = Points::from_rows(3, [[0.0; 3]]);
        let alone = smbo
            .suggest(&Request::new(&history, &running, 7, 1))
            .unwrap();
        assert!(is_near(&alone[0].row, [0.1, 0.2, 0.0]), "{alone:?}");
        let mut grown = history.clone();
        grown.push_observed(&[0.1; 3], 1.0);
        let later = smbo.suggest(&Request::new(&grown, &none, 7, 1)).unwrap();
        assert!(is_near(&later[0].row, [0.2, 0.0, 0.0]), "{later:?}");
    }

    #[test]
    fn a_fit_that_fails_is_not_tried_again_and_leaves_a_space_filling_point() {
        let (mut smbo, mut history, none) = (smbo(), History::new(3), Points::new(3));
        history.push_observed(&[0.5; 3], 1.0);
        let batch = smbo.suggest(&Request::new(&history, &none, 2, 3)).unwrap();
        let reason = "fallback:the model needs at least 2 observations and has 1";
        assert_eq!(origins(&batch), [reason; 3]);
        assert_eq!(smbo.policy.fits, 1);
        assert_ne!(batch[0].row, batch[1].row);
    }
}
