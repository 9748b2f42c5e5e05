//! How much the next trials are expected to improve the incumbent, by the record of the study.
//!
//! | symbol | meaning |
//! | --- | --- |
//! | `n` | finished trials |
//! | `b` | best reward so far |
//! | `w` | `b` now, less `b` ten trials ago |
//! | `s` | how many times ten trials have passed without an improvement |
//! | `g` | the gap of a trial: `b` less its reward |
//! | `S` | the scale of the next gain |
//!
//! As long as the search improves, `S` is the geometric mean of `w` and of the median and the third smallest `g` of the last ten
//! trials. Once it has stalled, `S` is the largest gap of the best tenth of all trials, or of the best eleven. The expected gain of
//! ten trials is proportional to `S / (s + 1)`: by the rule of succession the chance of an improvement falls like `1 / (s + 1)`.
//! The model of the next point has no say: after a restart it describes another region than that of the incumbent.
//!
//! The two factors were chosen on BBOB functions (instances 1 and 2, D = 2, 5, 10) and hold on others: `results/2026-11-18/forecast.md`.

use super::{Study, StudyError};
use crate::linalg::Points;

/// Trials whose gain is forecast, unless fewer are to come; also the length of a window of the record.
const WINDOW: usize = 10;
/// Values below which it is too early for a forecast: two windows.
const FEWEST: usize = 2 * WINDOW;
/// Expected gain of ten trials, in units of `S / (s + 1)`.
const EXPECTED: f64 = 0.45;
/// The gain that ten trials exceed with a probability of 10 %, in the same units.
const BOUND: f64 = 1.7;
/// Trials of which the best tenth makes up the scale of a stalled search.
const MOST_RANKED: usize = 100;

/// The improvement of the best value by the next trials, never below 0.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GainForecast {
    /// How many trials it is about.
    pub trials: u64,
    /// Expected gain.
    pub mean: f64,
    /// The gain is smaller than this with a probability of 90 %.
    pub high: f64,
}

impl GainForecast {
    /// Trials with a value that a forecast needs.
    pub const NEEDED: usize = FEWEST;

    /// Forecast from the rewards of the finished trials in their order, NaN for those without a value. At most ten trials are looked
    /// ahead. `None` while it is too early to know.
    ///
    /// ```
    /// use neuralbo::study::GainForecast;
    ///
    /// // Every trial halves the distance to 0.
    /// let rewards: Vec<f64> = (0..30).map(|i| -(0.5_f64.powi(i))).collect();
    /// let forecast = GainForecast::of(&rewards, 10).ok_or("it is too early")?;
    /// assert!(forecast.mean < 1e-6 && forecast.mean > 1e-9);
    /// assert_eq!(GainForecast::of(&rewards[..19], 10), None);
    /// # Ok::<(), &str>(())
    /// ```
    pub fn of(rewards: &[f64], trials: u64) -> Option<Self> {
        let best = running_best(rewards);
        let (last, ago) = (
            *best.last()?,
            *best.get(rewards.len().checked_sub(WINDOW + 1)?)?,
        );
        let gaps: Vec<f64> = rewards
            .iter()
            .filter(|r| r.is_finite())
            .map(|r| last - r)
            .collect();
        if gaps.len() < FEWEST || ago == f64::NEG_INFINITY {
            return None;
        }
        let stalled = best.iter().rev().take_while(|b| **b == last).count() - 1;
        let scale = if stalled < WINDOW {
            let recent = sorted(gaps[gaps.len() - WINDOW..].to_vec());
            ((last - ago) * recent[WINDOW / 2] * recent[2]).cbrt()
        } else {
            let rank = 1 + gaps.len().min(MOST_RANKED) / 10;
            sorted(gaps)[rank]
        };
        let unit = scale / (stalled / WINDOW + 1) as f64;
        let trials = trials.min(WINDOW as u64);
        Some(Self {
            trials,
            mean: EXPECTED * unit * trials as f64 / WINDOW as f64,
            high: if trials == 0 { 0.0 } else { BOUND * unit },
        })
    }
}

fn running_best(rewards: &[f64]) -> Vec<f64> {
    let best = rewards.iter().scan(f64::NEG_INFINITY, |best, reward| {
        *best = best.max(*reward);
        Some(*best)
    });
    best.collect()
}

fn sorted(mut numbers: Vec<f64>) -> Vec<f64> {
    numbers.sort_by(f64::total_cmp);
    numbers
}

impl Study {
    /// What the next trials are expected to bring: at most ten, and no more than the limits of the study and its finite space
    /// still allow. A study that has ended is asked for what ten more would bring. `None` while it is too early to know, and with
    /// several objectives; an error without a model.
    ///
    /// Where the model finds noise ([`Recommendation::noisy`](super::Recommendation::noisy)) the gain is that of the noise-free value,
    /// by the record of the values that the model predicts at the trials: the best observation also improves by luck.
    pub fn forecast(&mut self) -> Result<Option<GainForecast>, StudyError> {
        if self.definition().is_multi_objective() {
            return Ok(None);
        }
        let noisy = self.recommend()?.noisy;
        let rewards = if noisy {
            self.predicted_course()?
        } else {
            self.observed_course()
        };
        Ok(GainForecast::of(&rewards, self.trials_to_come()))
    }

    /// Trials that may still improve the incumbent, as far as a forecast reaches.
    fn trials_to_come(&self) -> u64 {
        let (window, limits, log) = (WINDOW as u64, self.limits(), self.log());
        if self.stop_reason().is_some() {
            return window;
        }
        let evaluated = log.counts().finished() - log.counts().known;
        let points = self.definition().space.cardinality();
        let unseen = points.map(|all| all.saturating_sub(u128::from(log.seq())));
        let unseen = unseen.map(|count| u64::try_from(count).unwrap_or(u64::MAX));
        let left = limits.trials.map(|all| all.saturating_sub(evaluated));
        let patience = limits
            .patience
            .map(|all| all.saturating_sub(log.since_improvement()));
        [left, patience, unseen]
            .into_iter()
            .flatten()
            .fold(window, u64::min)
    }

    /// Rewards of the finished trials; NaN for those that cannot be the best.
    fn observed_course(&self) -> Vec<f64> {
        let rewards = self.log.history().observed().rewards();
        let reward = |place: Option<usize>| place.map_or(f64::NAN, |place| rewards[place]);
        self.log.course().map(reward).collect()
    }

    /// The same as the model of what lies around the best ones predicts them; NaN where it may not be asked.
    fn predicted_course(&mut self) -> Result<Vec<f64>, StudyError> {
        let model = self.strategy.local_model(self.log.history())?;
        let observed = self.log.history().observed().rows();
        let places: Vec<usize> = self.log.course().flatten().collect();
        let near = places
            .into_iter()
            .filter(|place| model.reaches(observed.row(*place)));
        let near: Vec<usize> = near.collect();
        let rows = near.iter().map(|place| observed.row(*place));
        let means = model
            .posterior
            .predict(&Points::from_rows(observed.dim(), rows))
            .mean;
        let mut predicted = vec![f64::NAN; observed.len()];
        near.iter()
            .zip(means)
            .for_each(|(place, mean)| predicted[*place] = mean);
        let mean = |place: Option<usize>| place.map_or(f64::NAN, |place| predicted[place]);
        Ok(self.log.course().map(mean).collect())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::linalg::{Purpose, Streams};
    use crate::record::{Definition, Direction, Limits};
    use crate::space::{Params, Space};
    use crate::strategy::NoModel;
    use rand::RngExt;
    use rand_distr::StandardNormal;

    fn study(method: &str) -> Study {
        let space = Space::from_bounds(&[(-1.0, 2.0), (-1.5, 1.0)]).unwrap();
        let definition = Definition::new(space, Direction::Minimize);
        Study::new(Definition {
            method: method.into(),
            seed: 1,
            ..definition
        })
        .unwrap()
    }

    fn bowl(params: &Params) -> f64 {
        let at = |name: &str, center: f64| (params.float(name).unwrap() - center).powi(2);
        at("x0", 0.31) + at("x1", -0.24)
    }

    fn run(study: &mut Study, trials: usize, value: impl Fn(&Params) -> f64) {
        for _ in 0..trials {
            let trial = study.ask_one().unwrap();
            let found = value(trial.params.as_ref().unwrap());
            study.tell(&trial, found).unwrap();
        }
    }

    /// Trials at random points with noise of this standard deviation.
    fn noisy(trials: usize, sd: f64) -> Study {
        let (mut study, mut rng) = (study("neuralbo"), Streams::new(3).stream(0, Purpose::Noise));
        for _ in 0..trials {
            let at = [rng.random_range(-1.0..2.0), rng.random_range(-1.5..1.0)];
            let params = Params::from_iter([("x0", at[0]), ("x1", at[1])]);
            let value = bowl(&params) + sd * rng.sample::<f64, _>(StandardNormal);
            study.add_known(params, value).unwrap();
        }
        study
    }

    #[test]
    fn too_early_is_too_early() {
        let mut study = study("neuralbo");
        run(&mut study, 1, bowl);
        assert_eq!(study.forecast().unwrap(), None);
        run(&mut study, 18, bowl);
        assert_eq!(study.forecast().unwrap(), None);
        run(&mut study, 1, bowl);
        assert!(study.forecast().unwrap().is_some());
    }

    #[test]
    fn a_solved_problem_promises_nothing() {
        let mut study = study("neuralbo");
        run(&mut study, 60, bowl);
        let best = study.best().unwrap().unwrap().value("value").unwrap();
        let forecast = study.forecast().unwrap().unwrap();
        assert!(
            best < 1e-9 && forecast.mean <= forecast.high && forecast.high < 1e-6,
            "{best} {forecast:?}"
        );
    }

    #[test]
    fn without_a_model_there_is_no_forecast() {
        let mut study = study("random");
        run(&mut study, 30, bowl);
        assert_eq!(
            study.forecast(),
            Err(StudyError::NoModel(NoModel::Modelless))
        );
    }

    #[test]
    fn the_bound_holds_what_the_next_ten_trials_bring() {
        let mut study = study("neuralbo");
        let valley = |params: &Params| {
            let (x, y) = (params.float("x0").unwrap(), params.float("x1").unwrap());
            (1.0 - x).powi(2) + 100.0 * (y - x * x).powi(2)
        };
        run(&mut study, 20, valley);
        let (mut inside, mut promised, mut gained) = (0, 0.0, 0.0);
        for _ in 0..6 {
            let before = study.log().best().unwrap().1;
            let forecast = study.forecast().unwrap().unwrap();
            run(&mut study, 10, valley);
            let gain = before - study.log().best().unwrap().1;
            inside += usize::from(gain <= forecast.high);
            promised += forecast.mean;
            gained += gain;
        }
        assert!(
            inside >= 4 && promised < 10.0 * gained && gained < 10.0 * promised,
            "{inside}: {promised} for {gained}"
        );
    }

    #[test]
    fn nothing_is_promised_beyond_the_limits() {
        let mut study = study("neuralbo");
        run(&mut study, 25, bowl);
        let forecast = |study: &mut Study, limits: Limits| {
            study.set_limits(limits).unwrap();
            study.forecast().unwrap().unwrap()
        };
        let trials = |trials| Limits {
            trials: Some(trials),
            ..Limits::default()
        };
        let ten = forecast(&mut study, Limits::default());
        let four = forecast(&mut study, trials(29));
        assert_eq!((ten.trials, four.trials), (10, 4));
        assert!((four.mean - 0.4 * ten.mean).abs() < 1e-15);
        // An ended study is asked what more trials would bring.
        assert_eq!(forecast(&mut study, trials(25)), ten);
        let patience = Limits {
            patience: Some(study.log().since_improvement() + 3),
            ..Limits::default()
        };
        assert_eq!(forecast(&mut study, patience).trials, 3);
    }

    #[test]
    fn luck_is_no_gain() {
        // The noise-free value of the best of 150 points is known to a fraction of the noise: so is what is left to gain.
        let mut study = noisy(150, 0.1);
        assert!(study.recommend().unwrap().noisy);
        let forecast = study.forecast().unwrap().unwrap();
        assert!(forecast.high < 0.1, "{forecast:?}");
    }

    #[test]
    fn constants_failures_and_gaps_are_no_gain() {
        assert_eq!(GainForecast::of(&[1.0; 40], 10).unwrap().high, 0.0);
        let mut rewards: Vec<f64> = (0..40).map(|i| -1.0 / f64::from(i + 1)).collect();
        let all = GainForecast::of(&rewards, 10).unwrap();
        rewards.extend([f64::NAN; 30]);
        let stalled = GainForecast::of(&rewards, 10).unwrap();
        assert!(stalled.mean < all.mean, "{all:?} {stalled:?}");
        assert_eq!(GainForecast::of(&[f64::NAN; 40], 10), None);
    }
}
