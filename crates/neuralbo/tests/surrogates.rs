//! What every surrogate promises, checked on those of this crate.

#![allow(clippy::unwrap_used)]

use neuralbo::linalg::{Purpose, Streams};
use neuralbo::surrogate::Surrogate;
use neuralbo::surrogate::gp::{GaussianProcess, GpSettings, Kernel};
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
    fn process(kernel: Kernel, ard: bool, priors: bool) -> Box<dyn Surrogate> {
        let settings = GpSettings {
            kernel,
            ard,
            priors,
            starts: 1,
            ..GpSettings::default()
        };
        Box::new(GaussianProcess::new(settings).unwrap())
    }
    use Kernel::{Matern52, SquaredExponential};
    conformance("gp", |_| process(SquaredExponential, false, true));
    conformance("gp-ard", |_| process(SquaredExponential, true, false));
    conformance("gp-matern", |_| process(Matern52, false, true));
    conformance("gp-matern-ard", |_| process(Matern52, true, true));
}
