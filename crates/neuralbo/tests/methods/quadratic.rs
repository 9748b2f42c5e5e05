//! Every method that learns beats random search at equal budget, by a margin that luck does not give.
//!
//! # The margin
//! The gap of the best of `n` random points to the maximum of a quadratic in `d` dimensions is, up to a constant, `E^{2/d}` with
//! `E` exponential. The logarithm of the ratio of two such gaps is therefore `2/d` times a logistic variable, whose standard
//! deviation is `π/√3`. Searches are paired with random ones on the same problems, and the mean of their log ratios must be four
//! standard deviations above zero: a factor of 4.4 in four dimensions, of 1.7 in ten.

use super::for_every_method;
use neuralbo::linalg::{Purpose, Streams};
use neuralbo::strategy::presets::{METHODS, Method, Options};
use neuralbo::testkit::method::search::{Search, cube, options};
use rand::RngExt;

/// The first seed of a contest. Budgets and options were chosen on seeds 0 to 7, so those prove nothing.
const FIRST_SEED: u64 = 100;
/// Standard deviations between luck and a pass.
const DEVIATIONS: f64 = 4.0;

#[derive(Clone, Copy)]
struct Contest {
    dim: usize,
    budget: usize,
    seeds: u64,
}

/// For methods that learn from few evaluations, and for those that need more.
const FEW: Contest = Contest {
    dim: 4,
    budget: 48,
    seeds: 6,
};
const MANY: Contest = Contest {
    dim: 10,
    budget: 150,
    seeds: 8,
};

/// The letter of the paper finds the centre of the box, whatever it has seen (`presets::tests`).
const WITHOUT_LEARNING: [&str; 3] = ["random", "sobol", "neuralbo-paper"];
const SLOW_LEARNERS: [&str; 6] = [
    "neuralbo-theory",
    "neuralbo-reference",
    "rf",
    "neural-greedy",
    "cma-es",
    "nsga2",
];

/// Models large enough to learn a quadratic, quick enough for a test, and no more exploration than a smooth objective needs.
fn able(method: &Method) -> Options {
    let settings: &[(&str, &str)] = match method.name {
        "neuralbo" => &[],
        "neuralbo-theory" => &[
            ("norm-bound", "0.1"),
            ("noise", "0.01"),
            ("width", "256"),
            ("candidates", "128"),
        ],
        "neuralbo-reference" => &[("nu", "0.1"), ("width", "100"), ("candidates", "1000")],
        "neural-greedy" => &[("initial", "50"), ("candidates", "256")],
        "nsga2" => &[("population", "15")],
        _ => &[
            ("initial", "5"),
            ("candidates", "256"),
            ("trees", "40"),
            ("precisions", "evidence"),
        ],
    };
    options(method, settings)
}

impl Contest {
    /// The gap to the maximum after the budget, on a quadratic whose place and axes belong to the seed.
    fn gap(self, method: &Method, seed: u64) -> f64 {
        let mut rng = Streams::new(seed).stream(0, Purpose::Noise);
        let place: Vec<f64> = (0..self.dim).map(|_| rng.random_range(-0.7..0.7)).collect();
        let curvature: Vec<f64> = (0..self.dim).map(|_| rng.random_range(0.5..2.0)).collect();
        let mut search = Search::with_options(method, &cube(self.dim), seed, &able(method));
        search.run(self.budget, 1, |row| {
            -(0..self.dim)
                .map(|j| curvature[j] * (row[j] - place[j]).powi(2))
                .sum::<f64>()
        });
        -search.best()
    }

    /// The mean log ratio that luck does not reach.
    fn margin(self) -> f64 {
        let one_pair = 2.0 / self.dim as f64 * std::f64::consts::PI / 3f64.sqrt();
        DEVIATIONS * one_pair / (self.seeds as f64).sqrt()
    }

    fn beats_random(self, method: &Method) {
        let random = METHODS
            .iter()
            .find(|method| method.name == "random")
            .unwrap();
        // A gap of zero would make the ratio infinite: what is below rounding counts as rounding.
        let log_ratio = |seed| (self.gap(random, seed) / self.gap(method, seed).max(1e-16)).ln();
        let mean = (FIRST_SEED..FIRST_SEED + self.seeds)
            .map(log_ratio)
            .sum::<f64>()
            / self.seeds as f64;
        println!(
            "{}: {:.2} times closer than random, {:.2} needed",
            method.name,
            mean.exp(),
            self.margin().exp()
        );
        assert!(
            mean >= self.margin(),
            "{}: only {:.2} times closer",
            method.name,
            mean.exp()
        );
    }
}

#[test]
fn better_than_random_with_few_evaluations() {
    let exempt = |method: &Method| {
        WITHOUT_LEARNING.contains(&method.name) || SLOW_LEARNERS.contains(&method.name)
    };
    for_every_method(|method| {
        if !exempt(method) {
            FEW.beats_random(method);
        }
    });
}

#[test]
fn slow_learners_are_better_than_random_in_the_end() {
    for_every_method(|method| {
        if SLOW_LEARNERS.contains(&method.name) {
            MANY.beats_random(method);
        }
    });
}
