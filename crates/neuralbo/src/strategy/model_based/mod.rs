//! Model-based optimization over the whole space: initial design, fit, acquisition, maximum.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::acquisition_rule::best_rows;
use super::smbo::{Context, LastFit, NoChoice, Policy, Smbo};
use super::{
    AcquisitionRule, Exhausted, History, InitialDesign, NoModel, Origin, Request, Setup, Strategy,
    Suggestion, with_prediction,
};
use crate::acquisition::maximize::{Maximizer, Maximum, SearchRegion, score, value_spread};
use crate::acquisition::{Avoid, Chance, Crowding, Feasibility};
use crate::linalg::Purpose;
use crate::surrogate::{Dataset, FitError, Function, Posterior, Surrogate};

/// Observations around which the acquisition's maximum is sought.
const INCUMBENTS: usize = 8;

/// The strategy made of a surrogate, a rule and a maximizer.
///
/// * Trials of the initial design get its points by their number.
/// * The model is fitted once per number of observations. Where it cannot be fitted the suggestion
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
///     AcquisitionRule, DesignKind, History, InitialDesign, ModelBased, ModelBasedParts, Request, Setup, Strategy,
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
///     initial: InitialDesign::new(&setup, DesignKind::Sobol, 1),
///     surrogate: Box::new(Stubborn),
///     rule: AcquisitionRule::ExpectedImprovement,
///     maximizer: Maximizer::default(),
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
        let incumbents = best_rows(context.history.observed(), INCUMBENTS);
        let region = SearchRegion::whole(&self.setup.space, context.taken, incumbents);
        let function = self.acquisition(posterior, &region, context);
        let mut rng = self
            .setup
            .streams
            .stream(context.number, Purpose::Candidates);
        match self.parts.maximizer.maximize(&*function, &region, &mut rng) {
            None => Err(NoChoice::Exhausted),
            Some(Maximum { value, .. }) if value == f64::NEG_INFINITY => {
                Err(NoChoice::because("the acquisition has no finite value"))
            }
            Some(Maximum { row, .. }) => {
                let suggestion = self
                    .setup
                    .suggestion(row, Origin::Model(self.parts.rule.name()));
                Ok(with_prediction(suggestion, &**posterior))
            }
        }
    }

    fn model_of(
        &mut self,
        history: &History,
        quantity: usize,
    ) -> Result<Arc<dyn Posterior>, NoModel> {
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
                return Err(FitError::TooFewObservations {
                    needed: 1,
                    found: 0,
                });
            }
            self.parts
                .surrogate
                .fit(data, &self.setup.streams)
                .map(Arc::from)
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
        let informed = (needs_pending && rule.uses_uncertainty())
            .then(|| posterior.with_pending(context.pending))
            .flatten();
        let crowded = needs_pending && informed.is_none();
        let posterior = informed.map_or_else(|| Arc::clone(posterior), Arc::from);

        let mut rng = self.setup.streams.stream(context.number, Purpose::Sample);
        let mut function = rule.function(&posterior, history.observed(), &mut rng);
        let observed = history.observed().rows();
        if crowded {
            function = self.steered(
                function,
                Box::new(Crowding::new(context.pending, observed)),
                region,
                context,
            );
        }
        if !history.failed().is_empty() {
            function = self.steered(
                function,
                Box::new(Feasibility::new(history.failed(), observed)),
                region,
                context,
            );
        }
        function
    }

    fn steered(
        &self,
        inner: Box<dyn Function>,
        chance: Box<dyn Chance>,
        region: &SearchRegion<'_>,
        context: &Context<'_>,
    ) -> Box<dyn Function> {
        let mut rng = self
            .setup
            .streams
            .indexed(context.number, Purpose::Candidates, 1);
        let penalty = value_spread(&score(
            &*inner,
            &self.parts.maximizer.probe(region, &mut rng),
        ));
        Box::new(Avoid {
            inner,
            chance,
            reference: f64::INFINITY,
            penalty,
            wall: 0.0,
        })
    }
}

impl Strategy for ModelBased {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        self.smbo.suggest(request)
    }

    fn model(&mut self, history: &History) -> Result<Arc<dyn Posterior>, NoModel> {
        self.smbo.model(history)
    }
}
