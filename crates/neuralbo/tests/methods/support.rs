//! A method at work on a space, and the spaces the tests share.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use neuralbo::linalg::Points;
use neuralbo::space::{Point, Space};
use neuralbo::strategy::presets::{METHODS, Method, Options, build};
use neuralbo::strategy::{Exhausted, History, Origin, Request, Strategy, Suggestion};

/// Checks every method and names all that fail.
pub fn for_every_method(check: impl Fn(&Method)) {
    let fails = |method: &&Method| catch_unwind(AssertUnwindSafe(|| check(method))).is_err();
    let failed: Vec<&str> = METHODS.iter().filter(fails).map(|method| method.name).collect();
    assert!(failed.is_empty(), "failed by: {}", failed.join(", "));
}

/// Whether the method has a model of the objective.
pub fn has_model(method: &Method) -> bool {
    !["random", "sobol", "cma-es"].contains(&method.name)
}

/// Those of `wanted` that the method has.
pub fn options(method: &Method, wanted: &[(&str, &str)]) -> Options {
    let has = |key: &str| method.options.iter().any(|option| option.key == key);
    Options::parse(wanted.iter().filter(|(key, _)| has(key)).map(|(key, value)| format!("{key}={value}"))).unwrap()
}

/// Options that make a method quick: small models, and an initial design short enough that they are used.
pub fn quick(method: &Method) -> Options {
    let small =
        [("width", "16"), ("candidates", "64"), ("initial", "2"), ("trees", "10"), ("precisions", "evidence"), ("horizon", "20")];
    options(method, &small)
}

/// A method, the space it searches and the trials so far.
pub struct Search {
    pub space: Space,
    pub history: History,
    strategy: Box<dyn Strategy>,
}

impl Search {
    pub fn new(method: &Method, space: &Space, seed: u64) -> Self {
        Self::with_options(method, space, seed, &quick(method))
    }

    pub fn with_options(method: &Method, space: &Space, seed: u64, options: &Options) -> Self {
        let strategy = build(method.name, space, seed, options).unwrap();
        Self { space: space.clone(), history: History::new(space.encoded_dim()), strategy }
    }

    /// Up to `count` suggestions while `pending` are running, each checked to be a point of the space with finite predictions.
    pub fn ask(&mut self, pending: &Points, count: usize) -> Result<Vec<Suggestion>, Exhausted> {
        let number = (self.history.len() + pending.len()) as u64;
        let suggestions = self.strategy.suggest(&Request { history: &self.history, pending, number, count })?;
        assert!((1..=count).contains(&suggestions.len()));
        suggestions.iter().for_each(|suggestion| self.check(suggestion));
        Ok(suggestions)
    }

    /// One suggestion while nothing is running.
    pub fn next(&mut self) -> Suggestion {
        self.ask(&Points::new(self.space.encoded_dim()), 1).unwrap().remove(0)
    }

    fn check(&self, suggestion: &Suggestion) {
        assert_eq!(self.space.encode(&suggestion.point).unwrap(), suggestion.row);
        assert!(suggestion.row.iter().all(|x| (-1.0..=1.0).contains(x)), "{:?}", suggestion.row);
        assert!(suggestion.mean.is_none_or(f64::is_finite) && suggestion.sd.is_none_or(|sd| sd.is_finite() && sd >= 0.0));
    }

    /// Evaluates `trials` suggestions in batches of `batch`; a reward of NaN is a failure.
    pub fn run(&mut self, trials: usize, batch: usize, reward: impl Fn(&[f64]) -> f64) {
        let end = self.history.len() + trials;
        while self.history.len() < end {
            let none = Points::new(self.space.encoded_dim());
            let count = batch.min(end - self.history.len());
            for suggestion in self.ask(&none, count).unwrap() {
                self.tell(&suggestion.row, reward(&suggestion.row));
            }
        }
    }

    pub fn tell(&mut self, row: &[f64], reward: f64) {
        if reward.is_nan() { self.history.push_failed(row) } else { self.history.push_observed(row, reward) }
    }

    /// Tells results at rows of the tests' own choice.
    pub fn tell_all(&mut self, count: usize, reward: impl Fn(usize) -> f64) {
        for (i, row) in rows(&self.space, count).into_iter().enumerate() {
            self.tell(&row, reward(i));
        }
    }

    /// All points that were evaluated.
    pub fn points(&self) -> HashSet<Point> {
        (0..self.history.len()).map(|i| self.space.decode(self.history.row(i))).collect()
    }

    pub fn best(&self) -> f64 {
        self.history.observed().rewards().iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Rows spread over a space by a fixed rule.
pub fn rows(space: &Space, count: usize) -> Vec<Vec<f64>> {
    let coordinate = |i: usize, j: usize| ((i * 7 + j * 3 + 1) % 11) as f64 / 5.5 - 1.0;
    let row = |i| (0..space.encoded_dim()).map(|j| coordinate(i, j)).collect::<Vec<f64>>();
    let mut rows: Vec<Vec<f64>> = (0..count).map(row).collect();
    rows.iter_mut().for_each(|row| space.snap(row));
    rows
}

/// A smooth reward with its maximum off the centre.
pub fn bowl(row: &[f64]) -> f64 {
    -row.iter().enumerate().map(|(j, x)| (x - 0.3 + 0.1 * (j % 4) as f64).powi(2)).sum::<f64>()
}

pub fn cube(dim: usize) -> Space {
    Space::from_bounds(&vec![(-1.0, 1.0); dim]).unwrap()
}

pub fn parse(parameters: &[&str]) -> Space {
    Space::new(parameters.iter().map(|p| p.parse().unwrap()).collect()).unwrap()
}

pub fn mixed() -> Space {
    parse(&["lr=float(1e-5,1,log)", "n=int(1,9)", "c=choice(a,b,c)", "flag=bool", "seed=4"])
}

/// Twenty-four points.
pub fn grid() -> Space {
    parse(&["n=int(1,6)", "c=choice(a,b,c,d)"])
}

pub fn pool() -> Space {
    Space::from_pool(Points::from_rows(2, (0..30).map(|i| [f64::from(i * i % 31), f64::from(i)]))).unwrap()
}

/// Whether a method with a model used it.
pub fn assert_by_model(method: &Method, suggestion: &Suggestion) {
    if has_model(method) {
        assert!(matches!(suggestion.origin, Origin::Model(_)), "{}: {}", method.name, suggestion.origin);
        assert!(suggestion.mean.is_some() && suggestion.sd.is_some(), "{}", method.name);
    }
}
