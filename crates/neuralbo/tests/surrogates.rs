//! What every surrogate promises, checked on those of this crate.

#![allow(clippy::unwrap_used)]

use neuralbo::linalg::{Purpose, Streams};
use neuralbo::surrogate::gp::{GaussianProcess, GpSettings};
use neuralbo::surrogate::tangent::{TangentKernel, TangentSurrogate};
use neuralbo_testkit::surrogate::conformance;

#[test]
fn the_tangent_model() {
    conformance("tangent", |dim| {
        let mut rng = Streams::new(17).stream(0, Purpose::NetworkInit);
        let kernel = TangentKernel::new(dim, 24, &mut rng).unwrap();
        Box::new(TangentSurrogate::new(kernel, 20))
    });
}

#[test]
fn the_gaussian_process() {
    conformance("gp", |_| {
        let settings = GpSettings {
            starts: 1,
            ..GpSettings::default()
        };
        Box::new(GaussianProcess::new(settings).unwrap())
    });
}
