//! The regression against its definition, gradients against differences, and data of every awkward kind.

mod fitting;
mod linear;

use super::*;
use neuralbo::linalg::{Points, Rng};
use rand::RngExt;

/// The method with a network and a training small enough for tests.
fn small() -> DngoSettings {
    DngoSettings {
        width: 12,
        epochs: 60,
        ..DngoSettings::default()
    }
}

fn random_rows(dim: usize, count: usize, seed: u64) -> Points {
    let mut rng = rng(seed);
    Points::from_rows(
        dim,
        (0..count).map(|_| {
            (0..dim)
                .map(|_| rng.random_range(-1.0..1.0))
                .collect::<Vec<f64>>()
        }),
    )
}

fn rng(seed: u64) -> Rng {
    Streams::new(seed).stream(0, Purpose::Sample)
}

fn dataset(dim: usize, count: usize, f: impl Fn(&[f64]) -> f64) -> Dataset {
    let rows = random_rows(dim, count, 11);
    let rewards = rows.rows().map(f).collect();
    Dataset::from_parts(rows, rewards)
}

fn fitted(settings: DngoSettings, data: &Dataset) -> Box<dyn Posterior> {
    Dngo::new(settings)
        .unwrap()
        .fit(data, &Streams::new(5))
        .unwrap()
}
