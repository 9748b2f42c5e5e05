//! A method that learns beats random search at equal budget, by a margin that chance does not give.
//!
//! # The margin
//! The gap of the best of `n` random points to the maximum of a quadratic in `d` dimensions is, up to a constant, `E^{2/d}` with
//! `E` exponential. The logarithm of the ratio of two such gaps is therefore `2/d` times a logistic variable, whose standard
//! deviation is `π/√3`. Searches are paired with random ones on the same problems, and the mean of their log ratios must be four
//! standard deviations above zero: a factor of 4.4 in four dimensions, of 1.7 in ten.

use neuralbo::linalg::{Purpose, Streams};
use neuralbo::strategy::presets::{METHODS, Method, Options};
use rand::RngExt;

use super::search::{TestSearch, cube};

/// The first seed of a contest. Budgets and options were chosen on seeds 0 to 7, so those prove nothing.
const FIRST_SEED: u64 = 100;
/// Standard deviations above chance that a pass needs.
const DEVIATIONS: f64 = 4.0;

/// A contest with random search on quadratics.
#[derive(Clone, Copy)]
pub struct Contest {
    dim: usize,
    budget: usize,
    seeds: u64,
}

/// For methods that learn from few evaluations.
pub const FEW: Contest = Contest {
    dim: 4,
    budget: 48,
    seeds: 6,
};
/// For methods that need more.
pub const MANY: Contest = Contest {
    dim: 10,
    budget: 150,
    seeds: 8,
};

impl Contest {
    /// The gap to the maximum after the budget, on a quadratic whose place and axes belong to the seed.
    fn gap(self, method: &Method, options: &Options, seed: u64) -> f64 {
        let mut rng = Streams::new(seed).stream(0, Purpose::Noise);
        let place: Vec<f64> = (0..self.dim).map(|_| rng.random_range(-0.7..0.7)).collect();
        let curvature: Vec<f64> = (0..self.dim).map(|_| rng.random_range(0.5..2.0)).collect();
        let mut search = TestSearch::with_options(method, &cube(self.dim), seed, options);
        search.run(self.budget, 1, |row| {
            -(0..self.dim)
                .map(|j| curvature[j] * (row[j] - place[j]).powi(2))
                .sum::<f64>()
        });
        -search.best()
    }

    /// The mean log ratio that chance does not reach.
    fn margin(self) -> f64 {
        let one_pair = 2.0 / self.dim as f64 * std::f64::consts::PI / 3f64.sqrt();
        DEVIATIONS * one_pair / (self.seeds as f64).sqrt()
    }

    /// Panics unless the method with these options is clearly closer to the maximum than random search.
    pub fn beats_random(self, method: &Method, options: &Options) {
        let random = METHODS.iter().find(|method| method.name == "random");
        let random = random.unwrap();
        // A gap of zero would make the ratio infinite: what is below rounding counts as rounding.
        let log_ratio = |seed| {
            let own = self.gap(method, options, seed).max(1e-16);
            (self.gap(random, &Options::new(), seed) / own).ln()
        };
        let seeds = FIRST_SEED..FIRST_SEED + self.seeds;
        let mean = seeds.map(log_ratio).sum::<f64>() / self.seeds as f64;
        let (name, ratio, needed) = (method.name, mean.exp(), self.margin().exp());
        println!("{name}: {ratio:.2} times closer than random, {needed:.2} needed");
        let clearly = mean >= self.margin();
        assert!(clearly, "{name}: only {ratio:.2} times closer");
    }
}
