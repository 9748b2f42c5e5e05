//! A study's model of its objective.

use std::sync::Arc;

use super::{Study, StudyError};
use crate::linalg::{Points, Purpose, Streams};
use crate::record::Direction;
use crate::space::{Params, Space, SpaceError};
use crate::strategy::NoModel;
use crate::surrogate::{FitError, Function, Posterior, Prediction};

/// Noise of this part of the range of the middle half of the values is worth a remark.
const NOTICEABLE: f64 = 0.01;

/// A study's model of its objective, in the user's units and points.
///
/// The default method's sees the 512 observations around the best one, and says most about that neighbourhood.
///
/// ```
/// use neuralbo::record::{Definition, Direction};
/// use neuralbo::space::{Params, Space};
/// use neuralbo::study::Study;
///
/// let at = |x: f64| Params::from_iter([("x0".to_owned(), x)]);
/// let mut study = Study::new(Definition::new(Space::from_bounds(&[(0.0, 10.0)])?, Direction::Minimize))?;
/// for x in [1.0_f64, 4.0, 6.0, 7.5, 9.0] {
///     study.add_known(at(x), (x - 5.0).powi(2))?;
/// }
/// let model = study.model()?;
/// assert!(model.predict(&[at(5.0)])?.mean[0].abs() < 1.0);
/// let sample = model.sample(7).ok_or("the tangent model can be sampled")?;
/// assert!(sample.value(&[at(0.0)])?[0] > 10.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StudyModel {
    space: Space,
    units: ObjectiveUnits,
    posterior: Arc<dyn Posterior>,
}

/// From rewards, or slacks, to the user's values: `value = offset ± reward`.
#[derive(Clone, Copy, Debug, PartialEq)]
struct ObjectiveUnits {
    direction: Direction,
    offset: f64,
}

impl ObjectiveUnits {
    fn value(self, reward: f64) -> f64 {
        self.offset + self.direction.value(reward)
    }
}

/// The finished trial whose noise-free value is best by the model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Recommendation {
    /// Number of the trial.
    pub number: u64,
    /// Its parameters.
    pub params: Params,
    /// Predicted noise-free value.
    pub mean: f64,
    /// Standard deviation of that prediction.
    pub sd: f64,
    /// Whether the model finds noise: one evaluation strays by more than a hundredth of the range of the middle half of the values, or of
    /// all where that half are equal.
    pub noisy: bool,
    /// Standard deviation of the noise of one evaluation; 0 where the model estimates none.
    pub noise_sd: f64,
}

/// One function drawn from the model.
pub struct SampledObjective {
    space: Space,
    units: ObjectiveUnits,
    function: Box<dyn Function>,
}

impl StudyModel {
    /// A posterior over rewards as a model of values.
    fn new(space: Space, units: ObjectiveUnits, posterior: Arc<dyn Posterior>) -> Self {
        Self {
            space,
            units,
            posterior,
        }
    }

    /// Mean and standard deviation of the noise-free value at each point.
    pub fn predict(&self, points: &[Params]) -> Result<Prediction, SpaceError> {
        Ok(self.at_rows(&encode(&self.space, points)?))
    }

    /// Standard deviation of the noise of one evaluation, where the model estimates it.
    pub fn noise_sd(&self) -> Option<f64> {
        self.posterior.noise_sd()
    }

    /// A function drawn from the model, the same for the same seed; `None` when the model cannot.
    pub fn sample(&self, seed: u64) -> Option<SampledObjective> {
        let function = self
            .posterior
            .sample_function(&mut Streams::new(seed).stream(0, Purpose::Sample))?;
        Some(SampledObjective {
            space: self.space.clone(),
            units: self.units,
            function,
        })
    }

    fn at_rows(&self, rows: &Points) -> Prediction {
        let Prediction { mean, sd } = self.posterior.predict(rows);
        Prediction {
            mean: mean
                .into_iter()
                .map(|reward| self.units.value(reward))
                .collect(),
            sd,
        }
    }
}

impl SampledObjective {
    /// The function's value at each point.
    pub fn value(&self, points: &[Params]) -> Result<Vec<f64>, SpaceError> {
        let rewards = self.function.value(&encode(&self.space, points)?);
        Ok(rewards
            .into_iter()
            .map(|reward| self.units.value(reward))
            .collect())
    }
}

impl Study {
    /// The model of the first objective, from the trials finished so far.
    pub fn model(&mut self) -> Result<StudyModel, StudyError> {
        self.refresh()?;
        let posterior = self.strategy.model(self.log.history())?;
        let definition = &self.record.definition;
        let units = ObjectiveUnits {
            direction: definition.direction(),
            offset: 0.0,
        };
        Ok(StudyModel::new(definition.space.clone(), units, posterior))
    }

    /// The model of an objective, or of the quantity that an outcome constraint limits, by its name.
    ///
    /// ```
    /// use neuralbo::record::{Definition, Direction, Values};
    /// use neuralbo::space::{Params, Space};
    /// use neuralbo::study::Study;
    ///
    /// let mut definition = Definition::new(Space::from_bounds(&[(0.0, 10.0)])?, Direction::Minimize);
    /// definition.objectives = vec!["loss:minimize".parse()?, "speed:maximize".parse()?];
    /// let mut study = Study::new(definition)?;
    /// let at = |x: f64| Params::from_iter([("x0".to_owned(), x)]);
    /// for x in [1.0_f64, 4.0, 6.0, 7.5, 9.0] {
    ///     study.add_known(at(x), Values::from([("loss".to_owned(), x * x), ("speed".to_owned(), 3.0 * x)]))?;
    /// }
    /// assert!((study.model_of("speed")?.predict(&[at(5.0)])?.mean[0] - 15.0).abs() < 1.0);
    /// assert!(study.model_of("size").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn model_of(&mut self, name: &str) -> Result<StudyModel, StudyError> {
        self.refresh()?;
        let (quantity, units) = self.quantity(name)?;
        let posterior = self.strategy.model_of(self.log.history(), quantity)?;
        Ok(StudyModel::new(
            self.record.definition.space.clone(),
            units,
            posterior,
        ))
    }

    /// The place of a name among the quantities of the history, and the units of its model.
    fn quantity(&self, name: &str) -> Result<(usize, ObjectiveUnits), StudyError> {
        let definition = &self.record.definition;
        if let Some(k) = definition
            .objectives
            .iter()
            .position(|objective| objective.name == name)
        {
            return Ok((
                k,
                ObjectiveUnits {
                    direction: definition.objectives[k].direction,
                    offset: 0.0,
                },
            ));
        }
        let mut quantity = definition.objectives.len();
        for constraint in &definition.outcome_constraints {
            let (most, least) = (constraint.at_most, constraint.at_least);
            // A slack is `at_most − value`, or `value − at_least`.
            let units = most.map(|offset| ObjectiveUnits {
                direction: Direction::Minimize,
                offset,
            });
            let units = units.or(least.map(|offset| ObjectiveUnits {
                direction: Direction::Maximize,
                offset,
            }));
            match units.filter(|_| constraint.name == name) {
                Some(units) => return Ok((quantity, units)),
                None => quantity += constraint.bounds(),
            }
        }
        Err(StudyError::Unmeasured {
            name: name.to_owned(),
            known: definition.measured().join(", "),
        })
    }

    /// The trial to rely on where evaluations are noisy: of all complete and feasible ones, the one whose noise-free value is best
    /// by the model of what lies around the best ones, taken one standard deviation worse than predicted. The best value *seen*
    /// is the luckiest one instead.
    pub fn recommend(&mut self) -> Result<Recommendation, StudyError> {
        self.refresh()?;
        let model = self.strategy.local_model(self.log.history())?;
        let (numbers, places): (Vec<u64>, Vec<usize>) = self.log.eligible().unzip();
        let observed = self.log.history().observed().rows();
        let rows = Points::from_rows(
            observed.dim(),
            places.iter().map(|place| observed.row(*place)),
        );
        let none = NoModel::Unfit(FitError::TooFewObservations {
            needed: 1,
            found: 0,
        });
        let (best, mean, sd) = model.safest(&rows).ok_or(none)?;
        let trial = self.store.trial(self.record.id, numbers[best])?;
        let definition = &self.record.definition;
        let params = definition.renamed(&trial.params.unwrap_or_default(), trial.version);
        let rewards = places
            .iter()
            .map(|place| self.log.history().observed().rewards()[*place])
            .collect();
        let noise_sd = model.noise_sd;
        let usual = usual_range(rewards);
        let noisy = usual > 0.0 && noise_sd > NOTICEABLE * usual;
        Ok(Recommendation {
            number: trial.number,
            params,
            mean: definition.direction().value(mean),
            sd,
            noisy,
            noise_sd,
        })
    }
}

/// The range of the middle half of some numbers, or of all where that half are equal.
fn usual_range(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let place = (share * numbers.len() as f64) as usize;
        let last = numbers.len().saturating_sub(1);
        numbers.get(place.min(last)).copied().unwrap_or(0.0)
    };
    let middle_half = at(0.75) - at(0.25);
    if middle_half > 0.0 {
        middle_half
    } else {
        at(1.0) - at(0.0)
    }
}

fn encode(space: &Space, points: &[Params]) -> Result<Points, SpaceError> {
    let mut rows = Points::new(space.encoded_dim());
    for params in points {
        rows.push(&space.encode(&space.point_of(params)?)?);
    }
    Ok(rows)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::record::Definition;
    use crate::strategy::presets::METHODS;
    use rand::RngExt;
    use rand_distr::StandardNormal;

    fn study(method: &str, direction: Direction, value: impl Fn(f64) -> f64) -> Study {
        let definition = Definition::new(Space::from_bounds(&[(-2.0, 2.0)]).unwrap(), direction);
        let mut study = Study::new(Definition {
            method: method.into(),
            seed: 3,
            ..definition
        })
        .unwrap();
        for x in (0..15).map(|i| -2.0 + 4.0 * f64::from(i) / 14.0) {
            study.add_known(at(x), value(x)).unwrap();
        }
        study
    }

    fn at(x: f64) -> Params {
        Params::from_iter([("x0".to_owned(), x)])
    }

    #[test]
    fn predictions_are_in_the_users_units_and_direction() {
        for direction in [Direction::Minimize, Direction::Maximize] {
            let model = study("neuralbo", direction, |x| 100.0 + x * x)
                .model()
                .unwrap();
            let found = model.predict(&[at(0.3), at(1.1)]).unwrap();
            assert!(
                (found.mean[0] - 100.09).abs() < 0.05 && (found.mean[1] - 101.21).abs() < 0.05,
                "{found:?}"
            );
            let sampled = model.sample(1).unwrap().value(&[at(0.3)]).unwrap()[0];
            assert!((sampled - 100.09).abs() < 0.2, "{sampled}");
        }
    }

    #[test]
    fn every_method_answers_or_says_why_not() {
        for method in METHODS {
            let answer = study(method.name, Direction::Minimize, |x| x * x).recommend();
            let modelless = ["random", "sobol", "cma-es", "nsga2"].contains(&method.name);
            let refused = answer == Err(StudyError::NoModel(NoModel::Modelless));
            assert_eq!(refused, modelless, "{}: {answer:?}", method.name);
        }
    }

    #[test]
    fn looking_at_the_model_changes_no_suggestion() {
        for method in ["neuralbo", "gp-ei"] {
            let (mut watched, mut alone) = (
                study(method, Direction::Minimize, f64::sin),
                study(method, Direction::Minimize, f64::sin),
            );
            for _ in 0..3 {
                watched.recommend().unwrap();
                let (a, b) = (watched.ask_one().unwrap(), alone.ask_one().unwrap());
                assert_eq!(a.params, b.params, "{method}");
                watched.tell(&a, 0.5).unwrap();
                alone.tell(&b, 0.5).unwrap();
            }
        }
    }

    #[test]
    fn a_lucky_value_is_not_recommended() {
        let mut noise = Streams::new(5).stream(0, Purpose::Noise);
        let mut noisy = study("neuralbo", Direction::Minimize, |x| x * x);
        for _ in 0..25 {
            let x: f64 = noise.random_range(-2.0..2.0);
            noisy
                .add_known(at(x), x * x + 0.2 * noise.sample::<f64, _>(StandardNormal))
                .unwrap();
        }
        noisy.add_known(at(1.3), -0.5).unwrap();
        assert_eq!(noisy.best().unwrap().unwrap().value("value"), Some(-0.5));
        let x = noisy.recommend().unwrap().params.float("x0").unwrap();
        assert!(x.abs() < 0.6, "recommended {x}");
        assert!(noisy.recommend().unwrap().noisy);
    }

    #[test]
    fn noise_is_found_where_there_is_some() {
        for function in [|x: f64| x * x, |x: f64| (3.0 * x).sin() + x] {
            assert!(
                !study("neuralbo", Direction::Minimize, function)
                    .recommend()
                    .unwrap()
                    .noisy
            );
        }
    }

    #[test]
    fn equal_values_are_no_noise() {
        let is_noisy = |method: &str, function: fn(f64) -> f64| {
            let found = study(method, Direction::Minimize, function).recommend();
            found.unwrap().noisy
        };
        assert!(!is_noisy("neuralbo", |_| 1.0));
        assert!(!is_noisy("gp-ei", |_| 1.0));
        assert!(!is_noisy("neuralbo", |x| f64::from(u8::from(x < 1.5))));
    }

    #[test]
    fn bad_points_are_named() {
        let error = study("neuralbo", Direction::Minimize, |x| x)
            .model()
            .unwrap()
            .predict(&[at(9.0)])
            .unwrap_err();
        assert!(error.to_string().contains('9'), "{error}");
    }
}
