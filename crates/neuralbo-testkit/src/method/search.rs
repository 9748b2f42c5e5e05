//! A method at work on a space, and the spaces the cases share.

use std::collections::HashSet;
use std::sync::Arc;

use neuralbo::linalg::{Points, Streams};
use neuralbo::space::{Point, Space};
use neuralbo::strategy::presets::{Method, Options};
use neuralbo::strategy::{
    Exhausted, Goals, History, NoModel, Origin, Request, Setup, Strategy, Suggestion,
};

/// Those of `wanted` that the method has.
pub fn options(method: &Method, wanted: &[(&str, &str)]) -> Options {
    let has = |key: &str| method.options.iter().any(|option| option.key == key);
    let own = wanted.iter().filter(|(key, _)| has(key));
    Options::parse(own.map(|(key, value)| format!("{key}={value}"))).unwrap()
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

/// What a method is built for.
pub fn setup(space: &Space, seed: u64, goals: Goals) -> Setup {
    Setup {
        goals,
        ..Setup::new(Arc::new(space.clone()), Streams::new(seed))
    }
}

/// Objectives, and bounds on measured quantities.
pub fn goals(objectives: usize, slacks: usize) -> Goals {
    Goals {
        slacks,
        ..Goals::objectives(objectives)
    }
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
    /// A search for one objective with the method's quick options.
    pub fn new(method: &Method, space: &Space, seed: u64) -> Self {
        Self::with_options(method, space, seed, &quick(method))
    }

    /// The same with these options.
    pub fn with_options(method: &Method, space: &Space, seed: u64, options: &Options) -> Self {
        Self::of(method, &setup(space, seed, Goals::default()), options)
    }

    /// A search for these goals with the method's quick options.
    pub fn with_goals(method: &Method, space: &Space, seed: u64, goals: Goals) -> Self {
        Self::of(method, &setup(space, seed, goals), &quick(method))
    }

    fn of(method: &Method, setup: &Setup, options: &Options) -> Self {
        Self {
            space: Space::clone(&setup.space),
            history: History::with_goals(setup.space.encoded_dim(), &setup.goals),
            strategy: method.strategy_for(setup, options).unwrap(),
        }
    }

    /// No rows.
    pub fn nothing(&self) -> Points {
        Points::new(self.space.encoded_dim())
    }

    /// Up to `count` suggestions while `pending` are running, each checked to be a feasible point of the space with finite
    /// predictions, no two the same.
    pub fn ask(&mut self, pending: &Points, count: usize) -> Result<Vec<Suggestion>, Exhausted> {
        let number = (self.history.len() + pending.len()) as u64;
        let request = Request::new(&self.history, pending, number, count);
        let suggestions = self.strategy.suggest(&request)?;
        assert!((1..=count).contains(&suggestions.len()));
        for (i, suggestion) in suggestions.iter().enumerate() {
            self.check(suggestion);
            let is_same = |other: &Suggestion| other.point == suggestion.point;
            let runs = pending.rows().any(|row| row == suggestion.row);
            let twice = runs || suggestions[..i].iter().any(is_same);
            assert!(!twice, "{suggestion:?} twice");
        }
        Ok(suggestions)
    }

    /// Up to `count` suggestions while nothing is running.
    pub fn batch(&mut self, count: usize) -> Vec<Suggestion> {
        self.ask(&self.nothing(), count).unwrap()
    }

    /// One suggestion while nothing is running.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Suggestion {
        self.batch(1).remove(0)
    }

    fn check(&self, suggestion: &Suggestion) {
        let row = self.space.encode(&suggestion.point).unwrap();
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
        let same = row.iter().zip(&suggestion.row).all(near);
        assert!(same, "{row:?} of {suggestion:?}");
        let inside = suggestion.row.iter().all(|x| (-1.0..=1.0).contains(x));
        assert!(inside, "{:?}", suggestion.row);
        let params = self.space.params(&suggestion.point);
        self.space.satisfies(&params).unwrap();
        let sd_is_usable = suggestion.sd.is_none_or(|sd| sd.is_finite() && sd >= 0.0);
        assert!(sd_is_usable && suggestion.mean.is_none_or(f64::is_finite));
    }

    /// Evaluates `trials` suggestions in batches of `batch`; a reward of NaN is a failure.
    pub fn run(&mut self, trials: usize, batch: usize, reward: impl Fn(&[f64]) -> f64) {
        self.run_measured(trials, batch, |row| (vec![reward(row)], vec![]));
    }

    /// The same with the rewards of all objectives and the slacks; a first reward of NaN is a failure.
    pub fn run_measured(
        &mut self,
        trials: usize,
        batch: usize,
        measure: impl Fn(&[f64]) -> (Vec<f64>, Vec<f64>),
    ) {
        let end = self.history.len() + trials;
        while self.history.len() < end {
            for suggestion in self.batch(batch.min(end - self.history.len())) {
                let (rewards, slacks) = measure(&suggestion.row);
                self.tell_measured(&suggestion.row, &rewards, &slacks);
            }
        }
    }

    /// Tells a reward; NaN is a failure.
    pub fn tell(&mut self, row: &[f64], reward: f64) {
        self.tell_measured(row, &[reward], &[]);
    }

    /// Tells rewards and slacks; a first reward of NaN is a failure.
    pub fn tell_measured(&mut self, row: &[f64], rewards: &[f64], slacks: &[f64]) {
        if rewards[0].is_nan() {
            self.history.push_failed(row)
        } else {
            self.history.push_measured(row, rewards, slacks)
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
        let rewards = self.history.observed().rewards().iter().copied();
        rewards.fold(f64::NEG_INFINITY, f64::max)
    }

    /// Checks that a method with a model used it for this suggestion.
    pub fn assert_by_model(&mut self, suggestion: &Suggestion) {
        let model = self.strategy.model(&self.history);
        if !matches!(model, Err(NoModel::Modelless)) {
            let origin = &suggestion.origin;
            assert!(matches!(origin, Origin::Model(_)), "{origin}");
            assert!(suggestion.mean.is_some() && suggestion.sd.is_some());
        }
    }

    /// One of the next three suggestions is the model's, where there is one: a method may explore without it in between.
    pub fn assert_next_by_model(&mut self) {
        let batch = self.batch(3);
        let is_modelled = |suggestion: &&Suggestion| matches!(suggestion.origin, Origin::Model(_));
        let by_model = batch.iter().find(is_modelled);
        self.assert_by_model(by_model.unwrap_or(&batch[0]));
    }
}

/// Rows spread over a space by a fixed rule.
pub fn rows(space: &Space, count: usize) -> Vec<Vec<f64>> {
    let coordinate = |i: usize, j: usize| ((i * 7 + j * 3 + 1) % 11) as f64 / 5.5 - 1.0;
    let row = |i| {
        let mut row: Vec<f64> = (0..space.encoded_dim()).map(|j| coordinate(i, j)).collect();
        space.snap(&mut row);
        row
    };
    (0..count).map(row).collect()
}

/// A smooth reward with its maximum off the centre, negative.
pub fn smooth(row: &[f64]) -> f64 {
    let square = |(j, x): (usize, &f64)| (x - 0.3 + 0.1 * (j % 4) as f64).powi(2);
    -row.iter().enumerate().map(square).sum::<f64>()
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
    let constraints = constraints.iter().map(|text| text.parse().unwrap());
    parse(parameters).with_constraints(constraints).unwrap()
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
    let rows = (0..30).map(|i| [f64::from(i * i % 31), f64::from(i)]);
    Space::from_pool(Points::from_rows(2, rows)).unwrap()
}
