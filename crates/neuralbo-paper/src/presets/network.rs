//! What the neural presets have in common: their options with bounds, and the network as a surrogate.

use neuralbo::space::Space;
use neuralbo::strategy::presets::parts::{WIDTH, choice, count};
use neuralbo::strategy::presets::{MethodError, OptionInfo, Options};
use neuralbo::surrogate::Surrogate;

use super::{conflict, option};
use crate::neural::covariance::CovarianceKind;
use crate::neural::{NeuralSettings, NeuralSurrogate};

pub(super) const NU: OptionInfo = option(
    "nu",
    "exploration: factor of the standard deviation, from 0 to 1e6, or auto (estimated from the rewards; 1 at first)",
);
pub(super) const LAMBDA: OptionInfo = option("lambda", "regularizer, from 1e-9 to 1e9");
pub(super) const DEPTH: OptionInfo = option("depth", "layers of weights, from 2 to 16");
pub(super) const COVARIANCE: OptionInfo = option(
    "covariance",
    "how the uncertainty is computed: auto, dual, dense, diagonal",
);

/// λ may be tiny, but not so tiny that a factor in double precision is all rounding.
const LAMBDAS: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

/// Puts the options every neural preset has in the place of its own values.
pub(super) fn override_settings(
    settings: &mut NeuralSettings,
    options: &Options,
) -> Result<(), MethodError> {
    settings.estimated_nu = options.text(NU.key) == Some("auto");
    if !settings.estimated_nu {
        settings.nu = options.number(NU.key, 0.0..=1e6)?.unwrap_or(settings.nu);
    }
    settings.lambda = options
        .number(LAMBDA.key, LAMBDAS)?
        .unwrap_or(settings.lambda);
    settings.width = count(options, WIDTH, 16_384)?.unwrap_or(settings.width);
    settings.depth = options
        .integer(DEPTH.key, 2..=16)?
        .map_or(settings.depth, |depth| depth as usize);
    let kinds = [
        ("auto", CovarianceKind::Auto),
        ("dual", CovarianceKind::Dual),
        ("dense", CovarianceKind::Dense),
        ("diagonal", CovarianceKind::Diagonal),
    ];
    settings.covariance = choice(options, COVARIANCE, kinds)?.unwrap_or(settings.covariance);
    Ok(())
}

/// The network as a surrogate in single precision; what its settings cannot be is an answer to the options.
pub(super) fn neural(
    method: &'static str,
    mut settings: NeuralSettings,
    space: &Space,
) -> Result<Box<dyn Surrogate>, MethodError> {
    // A network needs an input even where every parameter is fixed.
    settings.constant_input |= space.encoded_dim() == 0;
    let surrogate = NeuralSurrogate::<f32>::new(settings, space.encoded_dim());
    let surrogate = surrogate.map_err(conflict(method))?;
    Ok(Box::new(match space.pool() {
        Some(pool) => surrogate.with_pool(pool),
        None => surrogate,
    }))
}
