//! A method at work on a space, and the spaces the cases share.

use std::collections::HashSet;

use neuralbo::linalg::Points;
use neuralbo::space::{Point, Space};
use neuralbo::strategy::presets::{Method, Options};
use neuralbo::strategy::{Exhausted, History, NoModel, Origin, Request, Strategy, Suggestion};

/// Those of `wanted` that the method has.
pub fn options(method: &Method, wanted: &[(&str, &str)]) -> Options {
    let has = |key: &str| method.options.iter().any(|option| option.key == key);
    Options::parse(
        wanted
            .iter()
            .filter(|(key, _)| has(key))
            .map(|(key, value)| format!("{key}={value}")),
    )
    .unwrap()
}

/// Options that make a method quick: small models, and an initial design short enough that they are used.
pub fn quick(method: &Method) -> Options {
    let small = [
        ("width", "16"),
        ("candidates", "64"),
        ("initial", "2"),
        ("trees", "10"),
        ("precisions", "evidence"),
        ("horizon", "20"),
    ];
    options(method, &small)
}

/// A method, the space it searches and the trials so far.
pub struct TestSearch {
    /// What is searched.
    pub space: Space,
    /// The trials so far.
    pub history: History,
    strategy: Box<dyn Strategy>,
}

impl TestSearch {
    /// A search with the method's quick options.
    pub fn new(method: &Method, space: &Space, seed: u64) -> Self {
        Self::with_options(method, space, seed, &quick(method))
    }

    /// A search with these options.
    pub fn with_options(method: &Method, space: &Space, seed: u64, options: &Options) -> Self {
        let strategy = method.strategy(space, seed, options).unwrap();
        Self {
            space: space.clone(),
            history: History::new(space.encoded_dim()),
            strategy,
        }
    }

    /// Up to `count` suggestions while `pending` are running, each checked to be a feasible point of the space with finite
    /// predictions.
    pub fn ask(&mut self, pending: &Points, count: usize) -> Result<Vec<Suggestion>, Exhausted> {
        let number = (self.history.len() + pending.len()) as u64;
        let suggestions = self.strategy.suggest(&Request {
            history: &self.history,
            pending,
            number,
            count,
            cancel: None,
        })?;
        assert!((1..=count).contains(&suggestions.len()));
        suggestions
            .iter()
            .for_each(|suggestion| self.check(suggestion));
        Ok(suggestions)
    }

    /// One suggestion while nothing is running.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Suggestion {
        self.ask(&Points::new(self.space.encoded_dim()), 1)
            .unwrap()
            .remove(0)
    }

    fn check(&self, suggestion: &Suggestion) {
        let row = self.space.encode(&suggestion.point).unwrap();
        assert!(
            row.iter()
                .zip(&suggestion.row)
                .all(|(a, b)| (a - b).abs() < 1e-12),
            "{row:?} of {suggestion:?}"
        );
        assert!(
            suggestion.row.iter().all(|x| (-1.0..=1.0).contains(x)),
            "{:?}",
            suggestion.row
        );
        self.space
            .satisfies(&self.space.params(&suggestion.point))
            .unwrap();
        assert!(
            suggestion.mean.is_none_or(f64::is_finite)
                && suggestion.sd.is_none_or(|sd| sd.is_finite() && sd >= 0.0)
        );
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

    /// Tells a reward; NaN is a failure.
    pub fn tell(&mut self, row: &[f64], reward: f64) {
        if reward.is_nan() {
            self.history.push_failed(row)
        } else {
            self.history.push_observed(row, reward)
        }
    }

    /// Tells results at rows of the tests' own choice.
    pub fn tell_all(&mut self, count: usize, reward: impl Fn(usize) -> f64) {
        for (i, row) in rows(&self.space, count).into_iter().enumerate() {
            self.tell(&row, reward(i));
        }
    }

    /// All points that were evaluated.
    pub fn points(&self) -> HashSet<Point> {
        (0..self.history.len())
            .map(|i| self.space.decode(self.history.row(i)))
            .collect()
    }

    /// The largest reward so far.
    pub fn best(&self) -> f64 {
        self.history
            .observed()
            .rewards()
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max)
    }

    /// Whether the method has a model of the objective.
    pub fn has_model(&mut self) -> bool {
        !matches!(self.strategy.model(&self.history), Err(NoModel::Modelless))
    }

    /// Checks that a method with a model used it for this suggestion.
    pub fn assert_by_model(&mut self, suggestion: &Suggestion) {
        if self.has_model() {
            assert!(
                matches!(suggestion.origin, Origin::Model(_)),
                "{}",
                suggestion.origin
            );
            assert!(suggestion.mean.is_some() && suggestion.sd.is_some());
        }
    }

    /// One of the next three suggestions is the model's, where there is one: a method may explore without it in between.
    pub fn assert_next_by_model(&mut self) {
        let batch = self.ask(&Points::new(self.space.encoded_dim()), 3).unwrap();
        let by_model = batch
            .iter()
            .find(|suggestion| matches!(suggestion.origin, Origin::Model(_)));
        self.assert_by_model(by_model.unwrap_or(&batch[0]));
    }
}

/// Rows spread over a space by a fixed rule.
pub fn rows(space: &Space, count: usize) -> Vec<Vec<f64>> {
    let coordinate = |i: usize, j: usize| ((i * 7 + j * 3 + 1) % 11) as f64 / 5.5 - 1.0;
    let row = |i| {
        (0..space.encoded_dim())
            .map(|j| coordinate(i, j))
            .collect::<Vec<f64>>()
    };
    let mut rows: Vec<Vec<f64>> = (0..count).map(row).collect();
    rows.iter_mut().for_each(|row| space.snap(row));
    rows
}

/// A smooth reward with its maximum off the centre, negative.
pub fn smooth(row: &[f64]) -> f64 {
    -row.iter()
        .enumerate()
        .map(|(j, x)| (x - 0.3 + 0.1 * (j % 4) as f64).powi(2))
        .sum::<f64>()
}

/// `dim` floats from −1 to 1.
pub fn cube(dim: usize) -> Space {
    Space::from_bounds(&vec![(-1.0, 1.0); dim]).unwrap()
}

/// A space of parameters in text form.
pub fn parse(parameters: &[&str]) -> Space {
    Space::new(parameters.iter().map(|p| p.parse().unwrap()).collect()).unwrap()
}

/// The same under constraints.
pub fn constrained(parameters: &[&str], constraints: &[&str]) -> Space {
    parse(parameters)
        .with_constraints(constraints.iter().map(|text| text.parse().unwrap()))
        .unwrap()
}

/// Parameters of every kind.
pub fn mixed() -> Space {
    parse(&[
        "lr=float(1e-5,1,log)",
        "n=int(1,9)",
        "c=choice(a,b,c)",
        "flag=bool",
        "drop=float(0,1,step=0.25)",
        "seed=4",
    ])
}

/// A choice that others depend on, one of which has a child of its own.
pub fn branches() -> Space {
    parse(&[
        "kernel=choice(linear,rbf,poly)",
        "C=float(1e-3,1e3,log)",
        "gamma=float(1e-3,10,log) if kernel in (rbf, poly)",
        "degree=int(2,5) if kernel == poly",
        "shift=float(0,1) if degree >= 4",
    ])
}

/// A number that others depend on, also together with a choice.
pub fn layers() -> Space {
    parse(&[
        "layers=int(1,3)",
        "units1=int(8,256,log)",
        "units2=int(8,256,log) if layers >= 2",
        "units3=int(8,256,log) if layers >= 3",
        "rate=float(0,1)",
        "decay=float(0,1,step=0.1) if rate > 0.5",
        "kind=bool",
        "both=float(-1,1) if kind and layers != 2 or rate < 0.1",
    ])
}

/// Ordered choices, steps on both scales, null, lists and objects.
pub fn values() -> Space {
    parse(&[
        "size=ordinal(small,medium,large,huge)",
        "rate=float(0,1,step=0.05)",
        "log=float(1e-3,1,log,step=1e-3)",
        "count=int(0,100,step=5)",
        "limit=choice(null,3,5)",
        "shape=choice([64],[64,32],{\"a\":1})",
    ])
}

/// A choice of ten thousand values, one of which another parameter depends on.
pub fn many_choices() -> Space {
    let choices: Vec<String> = (0..10_000).map(|i| format!("v{i}")).collect();
    parse(&[
        &format!("c=choice({})", choices.join(",")),
        "x=float(0,1)",
        "y=float(0,1) if c != v7",
    ])
}

/// Few points, most of which lack some of the parameters.
pub fn small_tree() -> Space {
    parse(&[
        "k=choice(a,b,c)",
        "n=int(1,5) if k == b",
        "o=ordinal(s,m,l) if n >= 4",
        "flag=bool if k != a",
    ])
}

/// Twenty-four points.
pub fn grid() -> Space {
    parse(&["n=int(1,6)", "c=choice(a,b,c,d)"])
}

/// Thirty rows of two features.
pub fn pool() -> Space {
    Space::from_pool(Points::from_rows(
        2,
        (0..30).map(|i| [f64::from(i * i % 31), f64::from(i)]),
    ))
    .unwrap()
}
