//! The best of several objectives, and the least infeasible trial while nothing is feasible.

use super::plan::goals_of;
use crate::limits;
use crate::linalg::Points;
use crate::pareto::{self, Hypervolume};
use crate::record::{Definition, State, Trial};
use crate::strategy::History;

/// The non-dominated complete, feasible trials.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct TrialFront(Vec<RankedTrial>);

/// A trial of the front and its rewards.
#[derive(Clone, Debug, PartialEq)]
struct RankedTrial {
    number: u64,
    rewards: Vec<f64>,
}

impl TrialFront {
    /// Adds a trial unless another one is at least as good in everything; whether it was added.
    pub(super) fn join(&mut self, number: u64, rewards: Vec<f64>) -> bool {
        if rewards.iter().any(|reward| reward.is_nan())
            || self
                .0
                .iter()
                .any(|member| pareto::covers(&member.rewards, &rewards))
        {
            return false;
        }
        self.0
            .retain(|member| !pareto::covers(&rewards, &member.rewards));
        self.0.push(RankedTrial { number, rewards });
        true
    }

    /// In the order of finishing.
    pub(super) fn numbers(&self) -> Vec<u64> {
        self.0.iter().map(|member| member.number).collect()
    }

    /// `None` if the reference point has to be inferred from an empty front.
    pub(super) fn hypervolume(&self, definition: &Definition) -> Option<Hypervolume> {
        let rewards = Points::from_rows(
            definition.objectives.len(),
            self.0.iter().map(|member| &member.rewards),
        );
        let corner = pareto::reference_point(&rewards, &goals_of(definition).reference())?;
        let value = pareto::hypervolume_within(&rewards, &corner, limits::VOLUME_STEPS);
        let in_units = definition
            .objectives
            .iter()
            .zip(&corner)
            .map(|(objective, corner)| objective.direction.value(*corner));
        Some(Hypervolume {
            reference: in_units.collect(),
            value,
        })
    }
}

/// The hypervolume after each of these trials, from one reference point: the given one, or one
/// inferred from the whole front. Only complete, feasible trials change it. It ends where [`pareto::history`] does.
///
/// ```
/// use neuralbo::record::{Definition, Direction, State, Trial, Values};
/// use neuralbo::space::{Params, Space};
/// use neuralbo::study::hypervolume_history;
///
/// let mut definition = Definition::new(Space::from_bounds(&[(0.0, 1.0)])?, Direction::Minimize);
/// definition.objectives = vec!["loss:minimize".parse()?, "speed:maximize".parse()?];
/// let trial = |loss: f64, speed: f64| {
///     let values = Values::from([("loss".to_owned(), loss), ("speed".to_owned(), speed)]);
///     Trial::known(Params::new(), State::Complete, values)
/// };
/// let volumes = hypervolume_history(&definition, &[trial(1.0, 0.0), trial(2.0, 1.0), trial(3.0, 0.5)]);
/// assert_eq!(volumes.len(), 3);
/// assert!(volumes[0] < volumes[1] && volumes[1] == volumes[2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn hypervolume_history(definition: &Definition, trials: &[Trial]) -> Vec<f64> {
    let eligible =
        |trial: &Trial| trial.state == State::Complete && definition.is_feasible(&trial.values);
    let rewards: Vec<Option<Vec<f64>>> = trials
        .iter()
        .map(|trial| eligible(trial).then(|| definition.rewards(&trial.values)))
        .collect();
    let all = Points::from_rows(definition.objectives.len(), rewards.iter().flatten());
    match pareto::reference_point(
        &all.select(&pareto::front(&all)),
        &goals_of(definition).reference(),
    ) {
        Some(corner) => pareto::history(rewards.iter().map(|rewards| rewards.as_deref()), &corner),
        None => vec![0.0; trials.len()],
    }
}

/// The `eligible` observation of least total violation, and that violation: the sum over the
/// constraints of the violation in units of the constraint's median violation.
pub(super) fn least_violation(
    definition: &Definition,
    history: &History,
    eligible: impl Iterator<Item = usize>,
) -> Option<(usize, f64)> {
    let violations: Vec<Vec<f64>> = (0..history.observed().len())
        .map(|i| by_constraint(definition, history.slacks(i)))
        .collect();
    let scales: Vec<f64> = (0..definition.outcome_constraints.len())
        .map(|k| median(violations.iter().map(|v| v[k])))
        .collect();
    let total = |i: usize| {
        violations[i]
            .iter()
            .zip(&scales)
            .map(|(violation, scale)| violation / scale)
            .sum::<f64>()
    };
    let totals = eligible
        .map(|i| (i, total(i)))
        .filter(|(_, total)| !total.is_nan());
    totals.min_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)))
}

/// The violation of each constraint; NaN if not measured.
fn by_constraint(definition: &Definition, slacks: &[f64]) -> Vec<f64> {
    let mut rest = slacks;
    let mut exceeded = |bounds: usize| {
        let (own, later) = rest.split_at(bounds);
        rest = later;
        own.iter()
            .map(|slack| {
                if slack.is_nan() {
                    f64::NAN
                } else {
                    (-slack).max(0.0)
                }
            })
            .sum()
    };
    definition
        .outcome_constraints
        .iter()
        .map(|constraint| exceeded(constraint.bounds()))
        .collect()
}

/// The median of the positive values; 1 without any.
fn median(violations: impl Iterator<Item = f64>) -> f64 {
    let mut found: Vec<f64> = violations.filter(|violation| *violation > 0.0).collect();
    found.sort_by(f64::total_cmp);
    if found.is_empty() {
        1.0
    } else {
        found[found.len() / 2]
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::record::{Direction, Limits, Values};
    use crate::space::{Params, Space};
    use crate::study::Study;

    fn study(constraints: &[&str]) -> Study {
        let mut definition = Definition::new(
            Space::from_bounds(&[(0.0, 10.0)]).unwrap(),
            Direction::Minimize,
        );
        definition.objectives = vec![
            "loss:minimize".parse().unwrap(),
            "speed:maximize".parse().unwrap(),
        ];
        definition.objectives[0].reference = Some(10.0);
        definition.outcome_constraints = constraints
            .iter()
            .map(|text| text.parse().unwrap())
            .collect();
        Study::new(Definition {
            method: "random".into(),
            ..definition
        })
        .unwrap()
    }

    fn known(study: &mut Study, values: &[(&str, f64)]) -> u64 {
        let values: Values = values
            .iter()
            .map(|(name, value)| ((*name).to_owned(), *value))
            .collect();
        study
            .add_known(
                [("x0".to_owned(), values["loss"])]
                    .into_iter()
                    .collect::<Params>(),
                values,
            )
            .unwrap()
    }

    #[test]
    fn the_hypervolume_is_in_the_users_units() {
        let mut study = study(&[]);
        assert_eq!(study.hypervolume().unwrap(), None);
        known(&mut study, &[("loss", 4.0), ("speed", 1.0)]);
        known(&mut study, &[("loss", 6.0), ("speed", 3.0)]);
        known(&mut study, &[("loss", 7.0), ("speed", 2.0)]);
        // Losses are measured from 10, speeds from 1 − (3 − 1)/10: 6 · 0.2 + 4 · 2.
        let found = study.hypervolume().unwrap().unwrap();
        assert_eq!(found.reference, [10.0, 0.8]);
        assert!((found.value.unwrap() - 9.2).abs() < 1e-12);
        let history = hypervolume_history(study.definition(), &study.trials().unwrap());
        assert!(
            history
                .iter()
                .zip([1.2, 9.2, 9.2])
                .all(|(a, b)| (a - b).abs() < 1e-12),
            "{history:?}"
        );
    }

    #[test]
    fn infeasible_trials_are_observed_but_not_on_the_front() {
        let mut study = study(&["1 <= ph <= 2", "size <= 5"]);
        known(
            &mut study,
            &[("loss", 1.0), ("speed", 1.0), ("ph", 2.5), ("size", 4.0)],
        );
        known(
            &mut study,
            &[("loss", 2.0), ("speed", 1.0), ("ph", 0.25), ("size", 105.0)],
        );
        let least = known(
            &mut study,
            &[("loss", 3.0), ("speed", 1.0), ("ph", 2.0), ("size", 6.0)],
        );
        assert!(study.front().unwrap().is_empty() && study.best().unwrap().is_none());
        // The median violation of `ph` is 0.75, that of `size` 100: 0.5/0.75, 1 + 1 and 1/100.
        let (trial, violation) = study.least_violation().unwrap().unwrap();
        assert_eq!((trial.number, violation), (least, 0.01));
        assert_eq!(study.log().history().slacks(0), [-0.5, 1.5, 1.0]);
        let feasible = known(
            &mut study,
            &[("loss", 9.0), ("speed", 0.0), ("ph", 1.0), ("size", 5.0)],
        );
        assert_eq!(
            (
                study.front().unwrap()[0].number,
                study.best().unwrap().unwrap().number
            ),
            (feasible, feasible)
        );
        assert_eq!(study.least_violation().unwrap().unwrap().1, 0.0);
    }

    #[test]
    fn missing_measurements_are_unknown_and_the_others_are_observed() {
        let mut study = study(&["size <= 5"]);
        let params = [("x0".to_owned(), 1.0)].into_iter().collect::<Params>();
        let values = Values::from([("loss".to_owned(), 2.0)]);
        study
            .add_known(params, crate::record::Outcome::Pruned(Some(3), values))
            .unwrap();
        let history = study.log().history();
        assert!(
            history.reward(0, 0) == -2.0
                && history.reward(0, 1).is_nan()
                && history.slacks(0)[0].is_nan()
        );
        assert_eq!(
            (
                history.measured(0).len(),
                history.measured(1).len(),
                history.measured(2).len()
            ),
            (1, 0, 0)
        );
        assert!(!history.is_feasible(0));
        assert_eq!(study.least_violation().unwrap(), None);
    }

    #[test]
    fn a_target_needs_one_objective() {
        let error = study(&[])
            .set_limits(Limits {
                target: Some(0.5),
                ..Limits::default()
            })
            .unwrap_err()
            .to_string();
        assert_eq!(
            error,
            "target 0.5 is not allowed: a target needs one objective, the study has 2"
        );
    }
}
