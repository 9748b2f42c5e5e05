//! What a user may choose about the Gaussian process.

use super::hyper::HyperParameters;
use super::kernel::Kernel;
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
    /// One length scale a coordinate (automatic relevance determination) instead of one for all.
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

/// A choice that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{field} is {value}; allowed: {allowed}")]
pub struct GpSettingsError {
    /// Name of the field.
    pub field: &'static str,
    /// Its value.
    pub value: String,
    /// What is allowed.
    pub allowed: &'static str,
}

impl GpSettings {
    pub(super) fn check(&self) -> Result<(), GpSettingsError> {
        require("starts", self.starts, self.starts >= 1, "1 or more")?;
        require(
            "refit.growth",
            self.refit.growth,
            self.refit.is_valid(),
            "0 or positive, and finite",
        )?;
        require(
            "likelihood_rows",
            self.likelihood_rows,
            self.likelihood_rows >= 2,
            "2 or more",
        )?;
        self.fixed.as_ref().map_or(Ok(()), check_fixed)
    }
}

fn check_fixed(fixed: &HyperParameters) -> Result<(), GpSettingsError> {
    let positive = |v: f64| v > 0.0 && v.is_finite();
    let scales = &fixed.length_scales;
    require(
        "fixed.length_scales",
        format!("{scales:?}"),
        !scales.is_empty() && scales.iter().all(|&l| positive(l)),
        POSITIVE,
    )?;
    require(
        "fixed.amplitude",
        fixed.amplitude,
        positive(fixed.amplitude),
        POSITIVE,
    )?;
    require(
        "fixed.noise",
        fixed.noise,
        fixed.noise >= 0.0 && fixed.noise.is_finite(),
        "0 or positive, and finite",
    )?;
    require(
        "fixed.mean",
        fixed.mean,
        fixed.mean.is_finite(),
        "finite numbers",
    )
}

const POSITIVE: &str = "positive finite numbers";

fn require(
    field: &'static str,
    value: impl ToString,
    holds: bool,
    allowed: &'static str,
) -> Result<(), GpSettingsError> {
    if holds {
        Ok(())
    } else {
        Err(GpSettingsError {
            field,
            value: value.to_string(),
            allowed,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut GpSettings)) -> Option<&'static str> {
        let mut settings = GpSettings::default();
        change(&mut settings);
        settings.check().err().map(|e| e.field)
    }

    #[test]
    fn impossible_choices_are_named() {
        assert_eq!(refused(|_| {}), None);
        assert_eq!(refused(|s| s.starts = 0), Some("starts"));
        assert_eq!(refused(|s| s.refit.growth = f64::NAN), Some("refit.growth"));
        assert_eq!(refused(|s| s.likelihood_rows = 1), Some("likelihood_rows"));
        let fixed = HyperParameters {
            length_scales: vec![1.0, -1.0],
            amplitude: 1.0,
            noise: 0.1,
            mean: 0.0,
        };
        assert_eq!(
            refused(|s| s.fixed = Some(fixed.clone())),
            Some("fixed.length_scales")
        );
        assert_eq!(
            refused(|s| s.fixed = Some(HyperParameters {
                length_scales: vec![1.0],
                amplitude: 0.0,
                ..fixed
            })),
            Some("fixed.amplitude")
        );
    }
}
