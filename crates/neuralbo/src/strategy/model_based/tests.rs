use super::*;
use crate::acquisition::ConfidenceWidth;
use crate::acquisition::maximize::MaximizerSettings;
use crate::acquisition::testing::{cube, parse};
use crate::linalg::{Cholesky, Points, Rng, Streams, squared_distance};
use crate::space::Space;
use crate::strategy::RandomSearch;
use crate::surrogate::Prediction;
use crate::surrogate::tangent::{TangentKernel, TangentSurrogate};
use faer::Mat;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A squared-exponential model of unit width, without gradients, samples or pending rows: the least a surrogate can be.
#[derive(Clone, Default)]
struct Toy {
    fits: Arc<AtomicUsize>,
}

struct ToyPosterior {
    rows: Points,
    factor: Cholesky,
    weights: Mat<f64>,
    level: f64,
}

fn kernel(a: &[f64], b: &[f64]) -> f64 {
    (-0.5 * squared_distance(a, b)).exp()
}

impl Surrogate for Toy {
    fn fit(&mut self, data: &Dataset, _: &Streams) -> Result<Box<dyn Posterior>, FitError> {
        self.fits.fetch_add(1, Ordering::Relaxed);
        let (n, rows) = (data.len(), data.rows());
        let jitter = |i, j| if i == j { 1e-6 } else { 0.0 };
        let gram = Mat::from_fn(n, n, |i, j| kernel(rows.row(i), rows.row(j)) + jitter(i, j));
        let factor = Cholesky::factor(gram.as_ref())
            .map_err(|_| FitError::NotPositiveDefinite { size: n })?;
        let level = data.rewards().iter().sum::<f64>() / n as f64;
        let weights = factor.inverse() * Mat::from_fn(n, 1, |i, _| data.rewards()[i] - level);
        Ok(Box::new(ToyPosterior {
            rows: rows.clone(),
            factor,
            weights,
            level,
        }))
    }
}

impl Posterior for ToyPosterior {
    fn predict(&self, rows: &Points) -> Prediction {
        let inverse = self.factor.inverse();
        let n = self.rows.len();
        let at = |x: &[f64]| {
            let k = Mat::from_fn(n, 1, |i, _| kernel(self.rows.row(i), x));
            let explained = (k.transpose() * &inverse * &k)[(0, 0)];
            let mean = self.level + (k.transpose() * &self.weights)[(0, 0)];
            (mean, (1.0 - explained).max(0.0).sqrt())
        };
        let (mean, sd) = rows.rows().map(at).unzip();
        Prediction { mean, sd }
    }
}

/// A surrogate that can never be fitted.
struct Unfit;

impl Surrogate for Unfit {
    fn fit(&mut self, data: &Dataset, _: &Streams) -> Result<Box<dyn Posterior>, FitError> {
        Err(FitError::NotPositiveDefinite { size: data.len() })
    }
}

/// A surrogate that predicts no numbers.
struct Nonsense;

impl Surrogate for Nonsense {
    fn fit(&mut self, _: &Dataset, _: &Streams) -> Result<Box<dyn Posterior>, FitError> {
        struct Nan;
        impl Posterior for Nan {
            fn predict(&self, rows: &Points) -> Prediction {
                let (mean, sd) = rows.rows().map(|_| (f64::NAN, f64::NAN)).unzip();
                Prediction { mean, sd }
            }
        }
        Ok(Box::new(Nan))
    }
}

const EI: AcquisitionRule = AcquisitionRule::ExpectedImprovement;

fn strategy(
    space: Space,
    surrogate: impl Surrogate + 'static,
    rule: AcquisitionRule,
) -> ModelBased {
    let setup = Setup::new(Arc::new(space), Streams::new(9));
    let settings = MaximizerSettings {
        candidates: 128,
        starts: 4,
        ..Default::default()
    };
    let parts = ModelBasedParts {
        initial: InitialDesign::new(&setup, 4),
        surrogate: Box::new(surrogate),
        rule,
        maximizer: Maximizer::new(settings).unwrap(),
        observations: ModelBasedParts::OBSERVATIONS,
    };
    ModelBased::new(setup, parts)
}

fn ask(
    strategy: &mut dyn Strategy,
    history: &History,
    pending: &Points,
    count: usize,
) -> Result<Vec<Suggestion>, Exhausted> {
    let number = (history.len() + pending.len()) as u64;
    strategy.suggest(&Request::new(history, pending, number, count))
}

/// The next point while nothing runs.
fn next(strategy: &mut dyn Strategy, history: &History) -> Suggestion {
    let none = Points::new(history.observed().rows().dim());
    ask(strategy, history, &none, 1).unwrap().remove(0)
}

fn reward(x: &[f64]) -> f64 {
    -x.iter().map(|v| (v - 0.37).powi(2)).sum::<f64>()
}

/// A history of `trials` evaluations of [`reward`], one after the other.
fn run(strategy: &mut dyn Strategy, dim: usize, trials: usize) -> History {
    let mut history = History::new(dim);
    for _ in 0..trials {
        let row = next(strategy, &history).row;
        history.push_observed(&row, reward(&row));
    }
    history
}

fn best(history: &History) -> f64 {
    let data = history.observed();
    data.rewards()[data.best().unwrap()]
}

#[test]
fn the_initial_design_comes_first_and_then_the_model() {
    let mut strategy = strategy(cube(2), Toy::default(), EI);
    let design = strategy.smbo.policy.parts.initial.clone();
    let history = run(&mut strategy, 2, 4);
    (0..4).for_each(|i| assert_eq!(history.row(i), design.row(i as u64).unwrap()));
    let next = next(&mut strategy, &history);
    assert_eq!(next.origin, Origin::Model("ei"));
    assert!(next.mean.is_some() && next.sd.is_some());
}

#[test]
fn every_rule_beats_random_search_on_a_bowl() {
    let mut random = RandomSearch::new(Setup::new(Arc::new(cube(3)), Streams::new(9)));
    let by_chance = best(&run(&mut random, 3, 24));
    let width = ConfidenceWidth::Constant(1.0);
    let thompson = AcquisitionRule::Thompson { nu: 0.5 };
    let bound = AcquisitionRule::UpperConfidence(width);
    for rule in [EI, bound, AcquisitionRule::Mean, thompson] {
        let found = best(&run(&mut strategy(cube(3), Toy::default(), rule), 3, 24));
        let name = rule.name();
        assert!(
            found > 0.5 * by_chance,
            "{name}: {found}, {by_chance} by chance"
        );
    }
}

#[test]
fn the_tangent_model_is_a_surrogate_like_any_other() {
    let mut rng = Streams::new(9).stream(0, Purpose::NetworkInit);
    let kernel = TangentKernel::new(3, 64, &mut rng).unwrap();
    let thompson = AcquisitionRule::Thompson { nu: 1.0 };
    let mut strategy = strategy(cube(3), TangentSurrogate::new(kernel, 160), thompson);
    let found = best(&run(&mut strategy, 3, 24));
    assert!(found > -1e-3, "best {found}");
}

#[test]
fn a_batch_of_eight_is_spread_out() {
    let thompson = AcquisitionRule::Thompson { nu: 1.0 };
    for rule in [EI, AcquisitionRule::Mean, thompson] {
        let mut strategy = strategy(cube(2), Toy::default(), rule);
        let history = run(&mut strategy, 2, 6);
        let batch = ask(&mut strategy, &history, &Points::new(2), 8).unwrap();
        assert_eq!(batch.len(), 8);
        for (i, a) in batch.iter().enumerate() {
            let far = |b: &Suggestion| squared_distance(&a.row, &b.row) > 1e-6;
            assert!(batch[..i].iter().all(far), "{}", rule.name());
        }
    }
}

#[test]
fn running_trials_are_kept_away_from() {
    let mut strategy = strategy(cube(2), Toy::default(), AcquisitionRule::Mean);
    let history = run(&mut strategy, 2, 5);
    let alone = next(&mut strategy, &history).row;
    let pending = Points::from_rows(2, [&alone]);
    let request = Request::new(&history, &pending, 5, 1);
    let beside = strategy.suggest(&request).unwrap().remove(0).row;
    let distance = squared_distance(&alone, &beside);
    assert!(distance > 1e-4, "{alone:?} and {beside:?}");
}

#[test]
fn the_model_is_fitted_once_per_observation() {
    let toy = Toy::default();
    let fits = Arc::clone(&toy.fits);
    let mut strategy = strategy(cube(2), toy, EI);
    let mut history = run(&mut strategy, 2, 5);
    assert_eq!(fits.load(Ordering::Relaxed), 1);
    ask(&mut strategy, &history, &Points::new(2), 4).unwrap();
    ask(&mut strategy, &history, &Points::new(2), 2).unwrap();
    assert_eq!(fits.load(Ordering::Relaxed), 2);
    history.push_failed(&[0.5, 0.5]);
    ask(&mut strategy, &history, &Points::new(2), 1).unwrap();
    assert_eq!(fits.load(Ordering::Relaxed), 2);
}

#[test]
fn a_model_that_cannot_be_fitted_leaves_a_recorded_fallback() {
    let mut unfit = strategy(cube(2), Unfit, EI);
    let history = run(&mut unfit, 2, 7);
    let batch = ask(&mut unfit, &history, &Points::new(2), 2).unwrap();
    let reason = "the covariance of 7 observations is not positive definite";
    let fallback = Origin::Fallback(reason.into());
    let fell_back = |s: &Suggestion| s.origin == fallback && s.mean.is_none();
    assert!(batch.iter().all(fell_back));
    assert_ne!(batch[0].row, batch[1].row);

    let mut nonsense = strategy(cube(2), Nonsense, EI);
    let origin = next(&mut nonsense, &history).origin.to_string();
    assert_eq!(origin, "fallback:the acquisition has no finite value");
}

#[test]
fn more_workers_than_initial_points_get_space_filling_ones() {
    let mut strategy = strategy(cube(2), Toy::default(), EI);
    let batch = ask(&mut strategy, &History::new(2), &Points::new(2), 6).unwrap();
    assert!(batch[..4].iter().all(|s| s.origin == Origin::Initial));
    let reason = "fallback:the model needs at least 1 observation";
    let later = batch[4..].iter().map(|s| s.origin.to_string());
    assert!(later.into_iter().all(|origin| origin.starts_with(reason)));
}

#[test]
fn failures_are_avoided_and_never_values() {
    // The better half of the box fails.
    let bound = AcquisitionRule::UpperConfidence(ConfidenceWidth::Constant(0.5));
    let mut strategy = strategy(cube(2), Toy::default(), bound);
    let mut history = History::new(2);
    let mut failures = Vec::new();
    for _ in 0..40 {
        let row = next(&mut strategy, &history).row;
        failures.push(row[0] > 0.0);
        match row[0] > 0.0 {
            true => history.push_failed(&row),
            false => history.push_observed(&row, reward(&row)),
        }
    }
    let late = failures[20..].iter().filter(|failed| **failed).count();
    assert!(late <= 8, "{late} of the last 20 failed");
    assert!(best(&history) > reward(&[-0.15, 0.37]));
}

#[test]
fn replicates_are_proposed_only_where_they_are_allowed() {
    let space = parse(&["n=int(1,4)"]);
    let mut history = History::new(1);
    for n in 1..=4 {
        let row = space.encode(&vec![n.into()].into()).unwrap();
        history.push_observed(&row, reward(&row));
    }
    let mut strategy = strategy(space, Toy::default(), AcquisitionRule::Mean);
    let none = ask(&mut strategy, &history, &Points::new(1), 1);
    assert_eq!(none, Err(Exhausted));
    strategy.smbo.setup.replicates = true;
    let again = next(&mut strategy, &history);
    assert_eq!(again.point.values(), [Some(3.into())]);
}

#[test]
fn pending_rows_reach_a_model_that_can_take_them_in() {
    struct Taking;
    struct Flat(bool);
    impl Surrogate for Taking {
        fn fit(&mut self, _: &Dataset, _: &Streams) -> Result<Box<dyn Posterior>, FitError> {
            Ok(Box::new(Flat(false)))
        }
    }
    impl Posterior for Flat {
        fn predict(&self, rows: &Points) -> Prediction {
            // The best place moves from the right to the left once running trials are known.
            let side = if self.0 { -1.0 } else { 1.0 };
            Prediction {
                mean: rows.rows().map(|x| side * x[0]).collect(),
                sd: vec![0.1; rows.len()],
            }
        }
        fn with_pending(&self, _: &Points) -> Option<Box<dyn Posterior>> {
            Some(Box::new(Flat(true)))
        }
        fn sample_function(&self, _: &mut Rng) -> Option<Box<dyn Function>> {
            None
        }
    }
    let mut strategy = strategy(cube(1), Taking, EI);
    let history = run(&mut strategy, 1, 4);
    let batch = ask(&mut strategy, &history, &Points::new(1), 2).unwrap();
    assert!(batch[0].row[0] > 0.9 && batch[1].row[0] < -0.9, "{batch:?}");
}

/// 100,000 observations would take 80 GB as a covariance. The subset follows from the data alone, and grows at its end within a block.
#[test]
fn a_model_is_fitted_to_a_bounded_number_of_observations() {
    let mut data = Dataset::new(1);
    for i in 0..100_000 {
        data.push(&[f64::from(i)], f64::from(i % 97));
    }
    for most in [500, ModelBasedParts::OBSERVATIONS, 10_000] {
        for few in [1, most] {
            assert_eq!(*bounded(&data.prefix(few), most), data.prefix(few));
        }
        let mut before = bounded(&data.prefix(99_000), most).into_owned();
        for len in [99_001, 99_100, 99_249] {
            let kept = bounded(&data.prefix(len), most).into_owned();
            assert!(kept.len() <= most && kept.begins_with(&before));
            assert_eq!(kept.rows().row(kept.len() - 1), [(len - 1) as f64]);
            let mean = kept.rewards().iter().sum::<f64>() / kept.len() as f64;
            assert!((mean - 48.0).abs() < 5.0, "chosen by its rewards: {mean}");
            before = kept;
        }
    }
    let mut history = History::new(1);
    for row in data.rows().rows().take(5000) {
        history.push_observed(&[row[0] / 2500.0 - 1.0], -row[0]);
    }
    let suggestion = next(&mut strategy(cube(1), Toy::default(), EI), &history);
    assert_eq!(suggestion.origin.to_string(), "model:ei");
}
