//! What a study believes about its objective.

use std::sync::Arc;

use super::{Direction, Study};
use crate::linalg::{Points, Purpose, Streams};
use crate::space::{Point, Space, SpaceError};
use crate::strategy::{LocalModel, NoModel};
use crate::surrogate::{FitError, Function, Posterior, Prediction};

/// A study's model of its objective, in the user's units and points.
///
/// The default method's sees the 512 observations around the best one, and says most about that neighbourhood.
///
/// ```
/// use neuralbo::space::{Point, Space, Value};
/// use neuralbo::strategy::presets;
/// use neuralbo::study::{Direction, Study};
///
/// let space = Space::from_bounds(&[(0.0, 10.0)])?;
/// let strategy = presets::build("neuralbo", &space, 1, &presets::Options::new())?;
/// let mut study = Study::new(space, Direction::Minimize, strategy);
/// for x in [1.0_f64, 4.0, 6.0, 7.5, 9.0] {
///     study.tell_known(Point::new(vec![Value::Float(x)]), (x - 5.0).powi(2))?;
/// }
/// let model = study.model()?;
/// let at = model.predict(&[Point::new(vec![Value::Float(5.0)])])?;
/// assert!((at.mean[0] - 0.0).abs() < 1.0);
/// let sample = model.sample(7).expect("the tangent model can be sampled");
/// assert!(sample.value(&[Point::new(vec![Value::Float(0.0)])])?[0] > 10.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct StudyModel {
    space: Space,
    direction: Direction,
    posterior: Arc<dyn Posterior>,
}

/// The finished trial whose noise-free value the model believes best.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// Number of the trial.
    pub number: u64,
    /// Its point.
    pub point: Point,
    /// Predicted noise-free value.
    pub mean: f64,
    /// Standard deviation of that prediction.
    pub sd: f64,
}

/// One function drawn from the model.
pub struct SampledObjective {
    space: Space,
    direction: Direction,
    function: Box<dyn Function>,
}

impl StudyModel {
    /// A posterior over rewards as a model of values.
    fn new(space: Space, direction: Direction, posterior: Arc<dyn Posterior>) -> Self {
        Self { space, direction, posterior }
    }

    /// Mean and standard deviation of the noise-free value at each point.
    pub fn predict(&self, points: &[Point]) -> Result<Prediction, SpaceError> {
        Ok(self.at_rows(&encode(&self.space, points)?))
    }

    /// Standard deviation of the noise of one evaluation, where the model estimates it.
    pub fn noise_sd(&self) -> Option<f64> {
        self.posterior.noise_sd()
    }

    /// A function drawn from the model, the same for the same seed; `None` when the model cannot.
    pub fn sample(&self, seed: u64) -> Option<SampledObjective> {
        let function = self.posterior.sample_function(&mut Streams::new(seed).stream(0, Purpose::Sample))?;
        Some(SampledObjective { space: self.space.clone(), direction: self.direction, function })
    }

    fn at_rows(&self, rows: &Points) -> Prediction {
        let Prediction { mean, sd } = self.posterior.predict(rows);
        Prediction { mean: mean.into_iter().map(|reward| self.direction.value(reward)).collect(), sd }
    }
}

impl SampledObjective {
    /// The function's value at each point.
    pub fn value(&self, points: &[Point]) -> Result<Vec<f64>, SpaceError> {
        let rewards = self.function.value(&encode(&self.space, points)?);
        Ok(rewards.into_iter().map(|reward| self.direction.value(reward)).collect())
    }
}

impl Study {
    /// The model of the objective, from the trials finished so far.
    pub fn model(&mut self) -> Result<StudyModel, NoModel> {
        let posterior = self.strategy.model(&self.history)?;
        Ok(StudyModel::new(self.space.clone(), self.direction, posterior))
    }

    /// The trial to rely on where evaluations are noisy: of all that returned a value, the one whose noise-free value is best
    /// by the model of what lies around the best ones, taken one standard deviation worse than predicted. The best value *seen*
    /// is the luckiest one instead.
    pub fn recommend(&mut self) -> Result<Recommendation, NoModel> {
        let model = self.strategy.local_model(&self.history)?;
        let observed = self.finished().filter(|trial| trial.value().is_some());
        let trials: Vec<(u64, Point)> = observed.map(|trial| (trial.number, trial.point.clone())).collect();
        let none = NoModel::Unfit(FitError::TooFewObservations { needed: 1, found: 0 });
        Recommendation::of(&self.space, self.direction, &model, &trials).ok_or(none)
    }
}

impl Recommendation {
    /// Of finished trials, each a number and its point, the one to rely on; see [`Study::recommend`]. For those who keep a
    /// study's history elsewhere. Points that the space does not have are left out; `None` when nothing is left.
    pub fn of(space: &Space, direction: Direction, model: &LocalModel, trials: &[(u64, Point)]) -> Option<Self> {
        let mut rows = Points::new(space.encoded_dim());
        let mut candidates = Vec::with_capacity(trials.len());
        for trial in trials {
            if let Ok(row) = space.encode(&trial.1) {
                rows.push(&row);
                candidates.push(trial);
            }
        }
        let (best, mean, sd) = model.safest(&rows)?;
        let (number, point) = candidates[best];
        Some(Self { number: *number, point: point.clone(), mean: direction.value(mean), sd })
    }
}

fn encode(space: &Space, points: &[Point]) -> Result<Points, SpaceError> {
    let mut rows = Points::new(space.encoded_dim());
    for point in points {
        rows.push(&space.encode(point)?);
    }
    Ok(rows)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::space::Value;
    use crate::strategy::presets::{self, METHODS};
    use rand::RngExt;
    use rand_distr::StandardNormal;

    fn study(method: &str, direction: Direction, value: impl Fn(f64) -> f64) -> Study {
        let space = Space::from_bounds(&[(-2.0, 2.0)]).unwrap();
        let strategy = presets::build(method, &space, 3, &presets::Options::new()).unwrap();
        let mut study = Study::new(space, direction, strategy);
        for x in (0..15).map(|i| -2.0 + 4.0 * f64::from(i) / 14.0) {
            study.tell_known(at(x), value(x)).unwrap();
        }
        study
    }

    fn at(x: f64) -> Point {
        Point::new(vec![Value::Float(x)])
    }

    #[test]
    fn predictions_are_in_the_users_units_and_direction() {
        for direction in [Direction::Minimize, Direction::Maximize] {
            let model = study("neuralbo", direction, |x| 100.0 + x * x).model().unwrap();
            let found = model.predict(&[at(0.3), at(1.1)]).unwrap();
            assert!((found.mean[0] - 100.09).abs() < 0.05 && (found.mean[1] - 101.21).abs() < 0.05, "{found:?}");
            let sampled = model.sample(1).unwrap().value(&[at(0.3)]).unwrap()[0];
            assert!((sampled - 100.09).abs() < 0.2, "{sampled}");
        }
    }

    #[test]
    fn every_method_answers_or_says_why_not() {
        for method in METHODS.iter().filter(|method| method.name != "neuralbo-reference") {
            let answer = study(method.name, Direction::Minimize, |x| x * x).recommend();
            let modelless = ["random", "sobol", "cma-es"].contains(&method.name);
            assert_eq!(answer.clone().err() == Some(NoModel::Modelless), modelless, "{}: {answer:?}", method.name);
        }
    }

    #[test]
    fn looking_at_the_model_changes_no_suggestion() {
        for method in ["neuralbo", "gp-ei", "neuralbo-paper"] {
            let (mut watched, mut alone) =
                (study(method, Direction::Minimize, f64::sin), study(method, Direction::Minimize, f64::sin));
            for _ in 0..3 {
                watched.recommend().unwrap();
                let (a, b) = (watched.ask().unwrap(), alone.ask().unwrap());
                assert_eq!(a.row, b.row, "{method}");
                watched.tell(a.number, 0.5).unwrap();
                alone.tell(b.number, 0.5).unwrap();
            }
        }
    }

    #[test]
    fn a_lucky_value_is_not_recommended() {
        let mut noise = Streams::new(5).stream(0, Purpose::Noise);
        let mut noisy = study("neuralbo", Direction::Minimize, |x| x * x);
        for _ in 0..25 {
            let x: f64 = noise.random_range(-2.0..2.0);
            noisy.tell_known(at(x), x * x + 0.2 * noise.sample::<f64, _>(StandardNormal)).unwrap();
        }
        noisy.tell_known(at(1.3), -0.5).unwrap();
        assert_eq!(noisy.best_value(), Some(-0.5));
        let Value::Float(x) = noisy.recommend().unwrap().point.values()[0] else { unreachable!() };
        assert!(x.abs() < 0.6, "recommended {x}");
    }

    #[test]
    fn a_history_kept_elsewhere_gets_the_same_recommendation() {
        let mut study = study("neuralbo", Direction::Maximize, |x| -(x - 0.4).powi(2));
        let mut trials: Vec<(u64, Point)> = study.finished().map(|trial| (trial.number, trial.point.clone())).collect();
        let (own, model) = (study.recommend().unwrap(), study.strategy.local_model(&study.history).unwrap());
        trials.insert(0, (99, at(7.0)));
        let of = |trials: &[_]| Recommendation::of(study.space(), Direction::Maximize, &model, trials);
        assert_eq!(of(&trials), Some(own));
        assert_eq!(of(&trials[..1]), None);
    }

    #[test]
    fn bad_points_are_named() {
        let error = study("neuralbo", Direction::Minimize, |x| x).model().unwrap().predict(&[at(9.0)]).unwrap_err();
        assert!(error.to_string().contains('9'), "{error}");
    }
}
