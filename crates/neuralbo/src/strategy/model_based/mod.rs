//! Model-based optimization over the whole space: initial design, fit, acquisition, maximum.

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use super::policies::NO_OBSERVATIONS;
use super::smbo::{Context, LastFit, NoChoice, Policy, Smbo};
use super::{
    AcquisitionRule, Exhausted, History, InitialDesign, ModelResult, NoModel, Origin, Request,
    Setup, Strategy, Suggestion, with_prediction,
};
use crate::acquisition::maximize::{Maximizer, Maximum, SearchRegion, score, value_spread};
use crate::acquisition::{Avoid, NearPending, Penalty, avoiding_failures};
use crate::linalg::Purpose;
use crate::surrogate::{Dataset, FitError, Function, Posterior, Surrogate};

/// Observations around which the acquisition's maximum is sought.
const INCUMBENTS: usize = 8;
/// Of more observations a subset is chosen each time this many were added. In between surrogates extend what they have.
const CHOSEN_EVERY: usize = 250;

/// The strategy made of a surrogate, a rule and a maximizer.
///
/// * Trials of the initial design get its points by their number.
/// * The model is fitted once per number of observations, to a bounded number of them. Where it cannot be fitted the suggestion
///   is a space-filling point whose origin gives the reason.
/// * Running trials shrink the uncertainty of models that can take them in; other models are kept away from them.
/// * Failed trials are never values: they steer the maximizer away from where evaluations fail.
///
/// ```
/// use std::sync::Arc;
/// use neuralbo::acquisition::maximize::Maximizer;
/// use neuralbo::linalg::{Points, Streams};
/// use neuralbo::space::Space;
/// use neuralbo::strategy::{
///     AcquisitionRule, History, InitialDesign, ModelBased, ModelBasedParts, Request, Setup, Strategy,
/// };
/// use neuralbo::surrogate::{Dataset, FitError, Posterior, Prediction, Surrogate};
///
/// /// Predicts that the middle is best, whatever was observed.
/// struct Stubborn;
/// impl Surrogate for Stubborn {
///     fn fit(&mut self, _: &Dataset, _: &Streams) -> Result<Box<dyn Posterior>, FitError> {
///         Ok(Box::new(Stubborn))
///     }
/// }
/// impl Posterior for Stubborn {
///     fn predict(&self, rows: &Points) -> Prediction {
///         Prediction { mean: rows.rows().map(|x| -x[0] * x[0]).collect(), sd: vec![0.1; rows.len()] }
///     }
/// }
///
/// let setup = Setup::new(Arc::new(Space::from_bounds(&[(0.0, 10.0)])?), Streams::new(1));
/// let parts = ModelBasedParts {
///     initial: InitialDesign::new(&setup, 1),
///     surrogate: Box::new(Stubborn),
///     rule: AcquisitionRule::ExpectedImprovement,
///     maximizer: Maximizer::default(),
///     observations: ModelBasedParts::OBSERVATIONS,
/// };
/// let mut strategy = ModelBased::new(setup, parts);
/// let (mut history, pending) = (History::new(1), Points::new(1));
/// history.push_observed(&[0.5], 3.0);
/// let next = strategy.suggest(&Request { history: &history, pending: &pending, number: 1, count: 1, cancel: None })?;
/// assert_eq!(next[0].origin.to_string(), "model:ei");
/// assert!(next[0].row[0].abs() < 0.01);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ModelBased {
    smbo: Smbo<WholeSpace>,
}

/// What a [`ModelBased`] strategy is made of.
pub struct ModelBasedParts {
    /// The points to begin with.
    pub initial: InitialDesign,
    /// The model.
    pub surrogate: Box<dyn Surrogate>,
    /// What is maximized.
    pub rule: AcquisitionRule,
    /// How it is maximized.
    pub maximizer: Maximizer,
    /// The model sees at most so many observations, at least 500.
    pub observations: usize,
}

impl ModelBasedParts {
    /// Most observations of a model unless told otherwise: with the slowest surrogate a fit takes seconds, and a factor of their
    /// covariance 32 MB.
    pub const OBSERVATIONS: usize = 2000;

    /// The strategy for a study.
    pub fn strategy(self, setup: &Setup) -> Box<dyn Strategy> {
        Box::new(ModelBased::new(setup.clone(), self))
    }
}

/// The policy: a model of all observations, an acquisition maximized over the whole space.
struct WholeSpace {
    setup: Setup,
    parts: ModelBasedParts,
    /// By the number of observations: failed trials do not change the model.
    last: LastFit<usize, Arc<dyn Posterior>>,
}

impl ModelBased {
    /// The strategy for a study.
    pub fn new(setup: Setup, parts: ModelBasedParts) -> Self {
        let policy = WholeSpace {
            setup: setup.clone(),
            parts,
            last: LastFit::default(),
        };
        Self {
            smbo: Smbo::new(setup, policy),
        }
    }
}

impl Policy for WholeSpace {
    fn opening(&self, context: &Context<'_>) -> Option<Result<Suggestion, Exhausted>> {
        let row = self.parts.initial.row(context.number)?;
        if context.taken.contains(row) {
            return Some(context.space_filling(Origin::Initial));
        }
        Some(Ok(self.setup.suggestion(row.to_vec(), Origin::Initial)))
    }

    fn choose(&mut self, context: &Context<'_>) -> Result<Suggestion, NoChoice> {
        let posterior = &self.fitted(context.history.observed())?;
        let incumbents = context.history.observed().best_rows(INCUMBENTS);
        let region = SearchRegion::whole(&self.setup.space, context.taken, incumbents);
        let function = self.acquisition(posterior, &region, context);
        let streams = &self.setup.streams;
        let mut rng = streams.stream(context.number, Purpose::Candidates);
        match self.parts.maximizer.maximize(&*function, &region, &mut rng) {
            None => Err(NoChoice::Exhausted),
            Some(Maximum { value, .. }) if value == f64::NEG_INFINITY => {
                Err(NoChoice::because("the acquisition has no finite value"))
            }
            Some(Maximum { row, .. }) => {
                let origin = Origin::Model(self.parts.rule.name());
                let suggestion = self.setup.suggestion(row, origin);
                Ok(with_prediction(suggestion, &**posterior))
            }
        }
    }

    fn model_of(&mut self, history: &History, quantity: usize) -> ModelResult {
        match quantity {
            0 => Ok(self.fitted(history.observed())?),
            _ => Err(NoModel::Modelless),
        }
    }
}

impl WholeSpace {
    fn fitted(&mut self, data: &Dataset) -> Result<Arc<dyn Posterior>, FitError> {
        self.last.get_or_fit(data.len(), || {
            if data.is_empty() {
                return Err(NO_OBSERVATIONS);
            }
            let data = bounded(data, self.parts.observations);
            let posterior = self.parts.surrogate.fit(&data, &self.setup.streams);
            posterior.map(Arc::from)
        })
    }

    /// The rule's function, kept away from running trials where the rule does not keep away by itself, and from failures.
    fn acquisition(
        &self,
        posterior: &Arc<dyn Posterior>,
        region: &SearchRegion<'_>,
        context: &Context<'_>,
    ) -> Box<dyn Function> {
        let (history, rule) = (context.history, self.parts.rule);
        let needs_pending = !rule.is_random() && !context.pending.is_empty();
        let informed = match needs_pending && rule.uses_uncertainty() {
            true => posterior.with_pending(context.pending),
            false => None,
        };
        let crowded = needs_pending && informed.is_none();
        let posterior = informed.map_or_else(|| Arc::clone(posterior), Arc::from);

        let mut rng = self.setup.streams.stream(context.number, Purpose::Sample);
        let mut function = rule.function(&posterior, history.observed(), &mut rng);
        let observed = history.observed().rows();
        // Where something goes wrong for certain nothing of the function's spread is left.
        let penalty = |function: &dyn Function| {
            let streams = &self.setup.streams;
            let mut rng = streams.indexed(context.number, Purpose::Candidates, 1);
            let probes = self.parts.maximizer.probe(region, &mut rng);
            Penalty::flat(value_spread(&score(function, &probes)))
        };
        if crowded {
            function = Box::new(Avoid {
                penalty: penalty(&*function),
                inner: function,
                probability: Box::new(NearPending::new(context.pending, observed)),
            });
        }
        avoiding_failures(function, history.failed(), observed, penalty)
    }
}

/// All observations, or `most` of them at most: the most recent ones, and some evenly spaced among the older ones. The
/// best of repeated evaluations would be the luckiest.
fn bounded(data: &Dataset, most: usize) -> Cow<'_, Dataset> {
    if data.len() <= most {
        return Cow::Borrowed(data);
    }
    let chosen_at = data.len() / CHOSEN_EVERY * CHOSEN_EVERY;
    let half = most.saturating_sub(CHOSEN_EVERY) / 2;
    let older = chosen_at - half;
    let mut kept: Vec<usize> = (0..half).map(|i| i * older / half).collect();
    kept.extend(older..data.len());
    Cow::Owned(data.select(&kept))
}

impl Strategy for ModelBased {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        self.smbo.suggest(request)
    }

    fn model(&mut self, history: &History) -> ModelResult {
        self.smbo.model(history)
    }
}
