//! The loop body of model-based optimization: initial design, fit, acquisition, maximum.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::rule::best_rows;
use super::setup::{Ledger, one_by_one};
use super::sobol::SpaceFiller;
use super::{
    AcquisitionRule, Exhausted, History, InitialDesign, NoModel, Origin, Request, Setup, Strategy, Suggestion, with_prediction,
};
use crate::acquisition::maximize::{Maximizer, Maximum, SearchRegion, SeenRows, score, value_spread};
use crate::acquisition::{Avoid, Chance, Crowding, Feasibility};
use crate::linalg::{Points, Purpose};
use crate::surrogate::{Dataset, FitError, Function, Posterior, Surrogate};

/// Observations around which the acquisition's maximum is sought.
const INCUMBENTS: usize = 8;

/// The strategy made of a surrogate, a rule and a maximizer.
///
/// * Trials of the initial design get its points by their number.
/// * The model is fitted once per number of observations. Where it cannot be fitted the suggestion is a space-filling point whose
///   origin says why.
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
    setup: Setup,
    parts: ModelBasedParts,
    filler: SpaceFiller,
    ledger: Ledger,
    fitted: Option<Fitted>,
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

/// The last fit, kept for as long as no observation is added.
struct Fitted {
    observations: usize,
    result: Result<Arc<dyn Posterior>, FitError>,
}

/// What is known at the moment one point is chosen.
struct Moment<'a> {
    history: &'a History,
    pending: &'a Points,
    taken: &'a SeenRows,
    number: u64,
}

impl ModelBased {
    /// The strategy for a study.
    pub fn new(setup: Setup, parts: ModelBasedParts) -> Self {
        let filler = SpaceFiller::new(&setup);
        Self { setup, parts, filler, ledger: Ledger::default(), fitted: None }
    }

    /// Picks the next point.
    fn next(&mut self, moment: &Moment<'_>) -> Result<Suggestion, Exhausted> {
        if let Some(row) = self.parts.initial.row(moment.number) {
            let fresh = Some(row.to_vec()).filter(|row| !moment.taken.contains(row));
            let row = fresh.map_or_else(|| self.filler.row(moment.number, moment.taken), Ok)?;
            return Ok(self.setup.suggestion(row, Origin::Initial));
        }
        match self.posterior(moment.history.observed()) {
            Ok(posterior) => self.by_model(&posterior, moment),
            Err(error) => self.fallback(error.to_string(), moment),
        }
    }

    fn by_model(&self, posterior: &Arc<dyn Posterior>, moment: &Moment<'_>) -> Result<Suggestion, Exhausted> {
        let incumbents = best_rows(moment.history.observed(), INCUMBENTS);
        let region = SearchRegion::whole(&self.setup.space, moment.taken, incumbents);
        let function = self.acquisition(posterior, &region, moment);
        let mut rng = self.setup.streams.stream(moment.number, Purpose::Candidates);
        match self.parts.maximizer.maximize(&*function, &region, &mut rng) {
            None => Err(Exhausted),
            Some(Maximum { value, .. }) if value == f64::NEG_INFINITY => {
                self.fallback("the acquisition has no finite value".into(), moment)
            }
            Some(Maximum { row, .. }) => {
                let suggestion = self.setup.suggestion(row, Origin::Model(self.parts.rule.name()));
                Ok(with_prediction(suggestion, &**posterior))
            }
        }
    }

    /// The rule's function, kept away from running trials where the rule does not keep away by itself, and from failures.
    fn acquisition(&self, posterior: &Arc<dyn Posterior>, region: &SearchRegion<'_>, moment: &Moment<'_>) -> Box<dyn Function> {
        let (history, rule) = (moment.history, self.parts.rule);
        let needs_pending = !rule.is_random() && !moment.pending.is_empty();
        let informed = (needs_pending && rule.uses_uncertainty()).then(|| posterior.with_pending(moment.pending)).flatten();
        let crowded = needs_pending && informed.is_none();
        let posterior = informed.map_or_else(|| Arc::clone(posterior), Arc::from);

        let mut rng = self.setup.streams.stream(moment.number, Purpose::Sample);
        let mut function = rule.function(&posterior, history.observed(), &mut rng);
        let observed = history.observed().rows();
        if crowded {
            function = self.steered(function, Box::new(Crowding::new(moment.pending, observed)), region, moment);
        }
        if !history.failed().is_empty() {
            function = self.steered(function, Box::new(Feasibility::new(history.failed(), observed)), region, moment);
        }
        function
    }

    fn steered(
        &self,
        inner: Box<dyn Function>,
        chance: Box<dyn Chance>,
        region: &SearchRegion<'_>,
        moment: &Moment<'_>,
    ) -> Box<dyn Function> {
        let mut rng = self.setup.streams.indexed(moment.number, Purpose::Candidates, 1);
        let penalty = value_spread(&score(&*inner, &self.parts.maximizer.probe(region, &mut rng)));
        Box::new(Avoid { inner, chance, reference: f64::INFINITY, penalty, wall: 0.0 })
    }

    fn fallback(&self, reason: String, moment: &Moment<'_>) -> Result<Suggestion, Exhausted> {
        Ok(self.setup.suggestion(self.filler.row(moment.number, moment.taken)?, Origin::Fallback(reason)))
    }

    /// The model fitted to `data`, which only ever grows.
    fn posterior(&mut self, data: &Dataset) -> Result<Arc<dyn Posterior>, FitError> {
        if data.is_empty() {
            return Err(FitError::TooFewObservations { needed: 1, found: 0 });
        }
        let current = self.fitted.take().filter(|fitted| fitted.observations == data.len());
        let fit =
            || Fitted { observations: data.len(), result: self.parts.surrogate.fit(data, &self.setup.streams).map(Arc::from) };
        let fitted = current.unwrap_or_else(fit);
        let result = fitted.result.clone();
        self.fitted = Some(fitted);
        result
    }
}

impl Strategy for ModelBased {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        let setup = self.setup.clone();
        let taken = self.ledger.taken(&setup, request);
        one_by_one(&setup, request, taken, |number, taken, chosen| {
            let mut pending = request.pending.clone();
            chosen.iter().for_each(|suggestion| pending.push(&suggestion.row));
            self.next(&Moment { history: request.history, pending: &pending, taken, number })
        })
    }

    fn model(&mut self, history: &History) -> Result<Arc<dyn Posterior>, NoModel> {
        Ok(self.posterior(history.observed())?)
    }
}
