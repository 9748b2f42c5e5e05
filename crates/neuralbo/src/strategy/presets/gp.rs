//! Gaussian processes with fitted hyper-parameters.

use super::parts;
use super::{Built, Method, MethodError, OptionInfo, Options};
use crate::acquisition::ConfidenceWidth;
use crate::strategy::{AcquisitionRule, Setup};
use crate::surrogate::gp::{GaussianProcess, GpSettings, Kernel};

const KERNEL: OptionInfo = OptionInfo {
    key: "kernel",
    help: "squared-exponential (as the paper's baselines), matern52 or arc-cosine (of infinitely many ReLU units)",
};
const ARD: OptionInfo = OptionInfo {
    key: "ard",
    help: "one length scale per coordinate: true or false (if not given)",
};
const DELTA: OptionInfo = OptionInfo {
    key: "delta",
    help: "probability with which the confidence bound may fail, from 1e-9 to 0.999; 0.1 if not given",
};

pub(super) const GP_UCB: Method = Method {
    name: "gp-ucb",
    summary: "a Gaussian process and its upper confidence bound",
    options: &[
        KERNEL,
        ARD,
        DELTA,
        parts::INITIAL,
        parts::CANDIDATES,
        parts::OBSERVATIONS,
    ],
    objectives: false,
    outcome_constraints: false,
    build: |setup, options| {
        let delta = options.number(DELTA.key, 1e-9..=0.999)?.unwrap_or(0.1);
        let width = ConfidenceWidth::Srinivas { delta };
        build(setup, options, AcquisitionRule::UpperConfidence(width))
    },
};

pub(super) const GP_TS: Method = Method {
    name: "gp-ts",
    summary: "a Gaussian process and Thompson sampling of whole functions",
    options: &[
        KERNEL,
        ARD,
        parts::NU,
        parts::INITIAL,
        parts::CANDIDATES,
        parts::OBSERVATIONS,
    ],
    objectives: false,
    outcome_constraints: false,
    build: |setup, options| {
        let nu = options.number(parts::NU.key, 0.0..=1e6)?.unwrap_or(1.0);
        build(setup, options, AcquisitionRule::Thompson { nu })
    },
};

pub(super) const GP_EI: Method = Method {
    name: "gp-ei",
    summary: "a Gaussian process and expected improvement",
    options: &[
        KERNEL,
        ARD,
        parts::INITIAL,
        parts::CANDIDATES,
        parts::OBSERVATIONS,
    ],
    objectives: false,
    outcome_constraints: false,
    build: |setup, options| build(setup, options, AcquisitionRule::ExpectedImprovement),
};

fn settings(options: &Options) -> Result<GpSettings, MethodError> {
    let kernels = [
        ("squared-exponential", Kernel::SquaredExponential),
        ("matern52", Kernel::Matern52),
        ("arc-cosine", Kernel::ArcCosine),
    ];
    Ok(GpSettings {
        kernel: parts::choice(options, KERNEL, kernels)?.unwrap_or_default(),
        ard: options.flag(ARD.key)? == Some(true),
        ..GpSettings::default()
    })
}

fn build(setup: &Setup, options: &Options, rule: AcquisitionRule) -> Built {
    let conflict = |error: crate::surrogate::SettingError| MethodError::Conflict {
        method: "gp",
        reason: error.to_string(),
    };
    let surrogate = GaussianProcess::new(settings(options)?).map_err(conflict)?;
    let parts = parts::model_based(setup, options, Box::new(surrogate), rule)?;
    Ok(parts.strategy(setup))
}
