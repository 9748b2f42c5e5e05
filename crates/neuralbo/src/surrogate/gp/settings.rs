//! What a user may choose about the Gaussian process.

use super::hyper::HyperParameters;
use super::kernel::Kernel;
use crate::linalg::{SettingError, at_least_one, not_negative, positive, require};
use crate::surrogate::Refit;
use serde::{Deserialize, Serialize};

/// Choices of the Gaussian process; the default is the squared-exponential, isotropic one with priors.
///
/// ```
/// use neuralbo::surrogate::gp::{GaussianProcess, GpSettings, Kernel};
///
/// let settings = GpSettings { kernel: Kernel::Matern52, ard: true, ..GpSettings::default() };
/// assert!(GaussianProcess::new(settings).is_ok());
/// assert!(GaussianProcess::new(GpSettings { starts: 0, ..GpSettings::default() }).is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GpSettings {
    /// The correlation function.
    pub kernel: Kernel,
    /// One length scale per coordinate (automatic relevance determination) instead of one for all.
    pub ard: bool,
    /// Maximum a-posteriori hyper-parameters; without priors their likelihood alone is maximized.
    pub priors: bool,
    /// Starts of the hyper-parameter search, the first of them always the same sensible one.
    pub starts: usize,
    /// When hyper-parameters are fitted again.
    pub refit: Refit,
    /// Largest number of observations, evenly spaced in the order they were told, that hyper-parameters are fitted to.
    pub likelihood_rows: usize,
    /// Hyper-parameters to use as they are, in the units of the rewards; nothing is standardized or fitted then.
    pub fixed: Option<HyperParameters>,
}

impl Default for GpSettings {
    fn default() -> Self {
        Self {
            kernel: Kernel::SquaredExponential,
            ard: false,
            priors: true,
            starts: 4,
            refit: Refit::default(),
            likelihood_rows: 500,
            fixed: None,
        }
    }
}

impl GpSettings {
    pub(super) fn check(&self) -> Result<(), SettingError> {
        let rows = self.likelihood_rows;
        at_least_one("starts", self.starts)?;
        not_negative("refit.growth", self.refit.growth)?;
        require("likelihood_rows", rows, rows >= 2, "at least 2")?;
        self.fixed.as_ref().map_or(Ok(()), check_fixed)
    }
}

fn check_fixed(fixed: &HyperParameters) -> Result<(), SettingError> {
    let lengths = &fixed.length_scales;
    let text = format!("{lengths:?}");
    require(
        "fixed.length_scales",
        text,
        !lengths.is_empty(),
        "at least 1 number",
    )?;
    lengths
        .iter()
        .try_for_each(|length| positive("fixed.length_scales", *length))?;
    positive("fixed.amplitude", fixed.amplitude)?;
    not_negative("fixed.noise", fixed.noise)?;
    require("fixed.mean", fixed.mean, fixed.mean.is_finite(), "finite")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn settings_out_of_range_are_named() {
        let refused = |change: fn(&mut GpSettings)| {
            let fixed = HyperParameters {
                length_scales: vec![1.0],
                amplitude: 1.0,
                noise: 0.1,
                mean: 0.0,
            };
            let mut settings = GpSettings {
                fixed: Some(fixed),
                ..GpSettings::default()
            };
            change(&mut settings);
            settings.check().err().map(|e| e.field)
        };
        fn fixed(settings: &mut GpSettings) -> &mut HyperParameters {
            settings.fixed.as_mut().unwrap()
        }
        assert_eq!(refused(|_| {}), None);
        assert_eq!(refused(|s| s.starts = 0), Some("starts"));
        assert_eq!(refused(|s| s.refit.growth = f64::NAN), Some("refit.growth"));
        assert_eq!(refused(|s| s.likelihood_rows = 1), Some("likelihood_rows"));
        let scales = |s: &mut GpSettings| fixed(s).length_scales.push(-1.0);
        assert_eq!(refused(scales), Some("fixed.length_scales"));
        assert_eq!(
            refused(|s| fixed(s).amplitude = 0.0),
            Some("fixed.amplitude")
        );
    }
}
