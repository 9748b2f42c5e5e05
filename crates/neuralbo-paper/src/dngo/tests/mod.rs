//! The regression against its definition, gradients against differences, and data of every awkward kind.

mod fitting;
mod linear;

use super::*;
use crate::fixtures::{check_gradient, close, dataset, random_rows, rng, shifted, slope};
use neuralbo::linalg::Points;

/// The method with a network and a training small enough for tests.
fn small() -> DngoSettings {
    DngoSettings {
        width: 12,
        epochs: 60,
        ..DngoSettings::default()
    }
}

fn fitted(settings: DngoSettings, data: &Dataset) -> Box<dyn Posterior> {
    Dngo::new(settings)
        .unwrap()
        .fit(data, &Streams::new(5))
        .unwrap()
}
