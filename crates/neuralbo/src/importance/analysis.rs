//! What matters: indices of all parameters and pairs with their intervals, and what each choice does.

use serde::Serialize;

use super::indices::{Design, Indices, all_pairs, varied};
use super::model::enough;
use super::noise::noise_share;
use super::{DependenceCurve, Estimate, ImportanceOptions, RegionModel};
use crate::linalg::{Purpose, Streams};
use crate::space::{Parameter, Value};
use crate::surrogate::FitError;

/// Choices of more values than this are not listed value by value.
const MOST_LISTED: u64 = 32;
/// Fewest trials for indices and their intervals; dependences show their uncertainty and need fewer.
const FEWEST: usize = 10;

/// How much of the variation of an objective over a region each parameter explains.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Importance {
    /// The objective, or another measured quantity.
    pub objective: String,
    /// Trials with a value.
    pub trials: usize,
    /// How many of them the model saw.
    pub seen: usize,
    /// Share of the variance of the values seen that the model predicts when each is left out; near 0 (or below) it knows nothing,
    /// and nothing should be read from the indices.
    pub explained: f64,
    /// Share of the noise in the variance of the values, by repeated evaluations of the same points; `None` with too few of them.
    pub noise: Option<Estimate>,
    /// Mean of the objective over the region, by the model.
    pub mean: f64,
    /// Its standard deviation over the region.
    pub sd: f64,
    /// Probability of the intervals.
    pub level: f64,
    /// All parameters that can vary, the most important first (by the total index).
    pub parameters: Vec<ParameterImportance>,
    /// All pairs of them, the strongest interaction first; empty where they were not asked for.
    pub interactions: Vec<Interaction>,
    /// What each value of a choice does.
    pub choices: Vec<ChoiceEffects>,
}

/// The indices of one parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ParameterImportance {
    /// The parameter.
    pub name: String,
    /// Share of the variance that it explains alone.
    pub first: Estimate,
    /// Share of the variance that it takes part in, alone or together with others.
    pub total: Estimate,
    /// Share of the region in which it is active; 1 without a condition.
    pub active: f64,
}

/// The second-order index of two parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Interaction {
    /// Their names, in the order of the space.
    pub parameters: [String; 2],
    /// Share of the variance that they explain together, beyond what each explains alone.
    pub second: Estimate,
}

/// The values of a choice, the best first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ChoiceEffects {
    /// The parameter.
    pub name: String,
    /// One entry a value.
    pub effects: Vec<ChoiceEffect>,
}

/// What one value of a choice does.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ChoiceEffect {
    /// The value.
    pub value: Value,
    /// By how much the objective is larger with it than on average over all values of the choice.
    pub effect: Estimate,
}

impl RegionModel {
    /// First-order and total Sobol indices of the posterior mean over the region, interactions, and effects of choices; intervals
    /// are by functions drawn from the posterior, each looked at in its own points, so that they hold the error of both.
    ///
    /// Parameters are independent and uniform on their own scales. One with a condition is drawn like all others and has no effect
    /// where it is inactive: its index is its share of the variance of the whole region.
    ///
    /// At least ten trials are needed.
    pub fn importance(&self, options: &ImportanceOptions) -> Result<Importance, FitError> {
        enough(self.seen, FEWEST)?;
        let streams = Streams::new(options.seed);
        let design = |n: usize, index: u64| {
            Design::new(
                &self.space,
                &self.region,
                n.max(2),
                &mut streams.indexed(index, Purpose::Design, 1),
            )
        };
        let at_mean = design(options.points, 0);
        let mean = at_mean.indices(self.mean(), options.interactions);
        let drawn = self.samples(options).into_iter().zip(1..);
        let samples: Vec<Indices> = drawn
            .map(|(f, i)| design(options.sample_points, i).indices(&*f, options.interactions))
            .collect();
        let estimate = |of: &dyn Fn(&Indices) -> f64| {
            Estimate::inside(of(&mean), samples.iter().map(of).collect(), options.level)
                .within(0.0, 1.0)
        };
        let (positions, active) = (varied(&self.space), at_mean.active_shares());
        let name = |k: usize| self.space.parameters()[positions[k]].name().to_owned();
        let parameter = |k: usize| ParameterImportance {
            name: name(k),
            first: estimate(&|indices| indices.first[k]),
            total: estimate(&|indices| indices.total[k]),
            active: active[k],
        };
        let mut parameters: Vec<_> = (0..positions.len()).map(parameter).collect();
        parameters.sort_by(|a, b| b.total.value.total_cmp(&a.total.value));
        let pairs = all_pairs(positions.len())
            .enumerate()
            .take(mean.second.len());
        let interaction = |(at, (i, j)): (usize, (usize, usize))| Interaction {
            parameters: [name(i), name(j)],
            second: estimate(&|indices| indices.second[at]),
        };
        let mut interactions: Vec<_> = pairs.map(interaction).collect();
        interactions.sort_by(|a, b| b.second.value.total_cmp(&a.second.value));
        Ok(Importance {
            objective: self.objective.clone(),
            trials: self.trials,
            seen: self.seen,
            explained: self.explained,
            noise: noise_share(&self.observed, options.level),
            mean: self.direction.value(mean.mean),
            sd: mean.sd,
            level: options.level,
            parameters,
            interactions,
            choices: self.choice_effects(options),
        })
    }

    fn choice_effects(&self, options: &ImportanceOptions) -> Vec<ChoiceEffects> {
        let is_listed = |parameter: &&Parameter| {
            let domain = parameter.domain();
            let count = domain.count().filter(|_| domain.values().is_some());
            count.is_some_and(|count| (2..=MOST_LISTED).contains(&count))
        };
        let names = self
            .space
            .parameters()
            .iter()
            .filter(is_listed)
            .map(Parameter::name);
        names
            .filter_map(|name| {
                Some(self.effects(&self.curve(name, MOST_LISTED as usize, options, true).ok()?))
            })
            .collect()
    }

    fn effects(&self, curve: &DependenceCurve) -> ChoiceEffects {
        let effect = |i: usize| ChoiceEffect {
            value: curve.values[i].clone(),
            effect: Estimate {
                value: curve.mean[i],
                low: curve.low[i],
                high: curve.high[i],
            },
        };
        let mut effects: Vec<_> = (0..curve.values.len()).map(effect).collect();
        let reward = |effect: &ChoiceEffect| self.direction.reward(effect.effect.value);
        effects.sort_by(|a, b| reward(b).total_cmp(&reward(a)));
        ChoiceEffects {
            name: curve.parameter.clone(),
            effects,
        }
    }
}
