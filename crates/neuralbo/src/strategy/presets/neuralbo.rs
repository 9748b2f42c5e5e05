//! The default method: which policies it is made of.

use super::parts::{INITIAL, NU, WIDTH, count};
use super::{Built, Method, MethodError, OptionInfo, Options};
use crate::linalg::SettingError;
use crate::strategy::policies::constants::{
    POOL_INITIAL, RARE_EVERY, RARE_INDEX, WHOLE_COORDINATES, WHOLE_EVERY,
};
use crate::strategy::policies::{
    ConstrainedModels, Factors, FrontSearch, InitialSteps, PoolSearch, RareValues, RegionModels,
    RegionSearch, Screening, Tangent, TrustRegionSettings, UnconstrainedModels, Whole, cube,
};
use crate::strategy::smbo::{Alternate, Policy, PolicyTurn, Smbo};
use crate::strategy::{InitialDesign, Setup, Strategy};

const NAME: &str = "neuralbo";
const REPLICATES: OptionInfo = OptionInfo {
    key: "replicates",
    help: "whether a point may be proposed again, for noisy objectives: yes or no",
};

pub(super) const NEURALBO: Method = Method {
    name: NAME,
    summary: "Thompson samples of a network's tangent model in a trust region: the default",
    options: &[NU, WIDTH, INITIAL, REPLICATES],
    objectives: true,
    outcome_constraints: true,
    build,
};

/// Settings of the default method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NeuralBoSettings {
    /// Width `m` of the network.
    pub(crate) width: usize,
    /// Points of the initial design: the centre of the box, steps along the parameters, then a
    /// scrambled Sobol sequence. `None`: the centre and one step per parameter.
    pub(crate) initial: Option<usize>,
    /// Exploration ν: factor of the deviation of a sampled function from the mean.
    pub(crate) nu: f64,
    /// The trust region.
    pub(crate) region: TrustRegionSettings,
}

impl NeuralBoSettings {
    /// The settings for `dim` encoded coordinates, the same for all problems.
    pub(crate) fn for_dim(dim: usize) -> Self {
        Self {
            width: 256,
            initial: None,
            nu: 1.0,
            region: TrustRegionSettings::for_dim(dim),
        }
    }
}

fn build(setup: &Setup, options: &Options) -> Built {
    let conflict = |error: SettingError| MethodError::Conflict {
        method: NAME,
        reason: error.to_string(),
    };
    let mut settings = NeuralBoSettings::for_dim(setup.space.encoded_dim());
    settings.nu = options.number(NU.key, 0.0..=1e6)?.unwrap_or(settings.nu);
    settings.width = count(options, WIDTH, 16_384)?.unwrap_or(settings.width);
    settings.initial = count(options, INITIAL, 100_000)?.or(settings.initial);
    let setup = Setup {
        replicates: options.flag(REPLICATES.key)? == Some(true),
        ..setup.clone()
    };
    compose(setup, settings).map_err(conflict)
}

/// The strategy of a study: along the front of several objectives, or of the only one.
pub(crate) fn compose(
    setup: Setup,
    settings: NeuralBoSettings,
) -> Result<Box<dyn Strategy>, SettingError> {
    let tangent = Tangent::new(setup.clone(), settings.width)?;
    let single = single_objective(&setup, settings, &tangent)?;
    Ok(match setup.goals.objectives {
        0 | 1 => Box::new(Smbo::new(setup, single)),
        _ => Box::new(Smbo::new(
            setup,
            FrontSearch::new(tangent, settings, single),
        )),
    })
}

/// The policy of one objective: all rows of a pool are compared; elsewhere a trust region is
/// searched, with or without outcome constraints, and mixed spaces give turns to the whole space
/// and to rare values.
fn single_objective(
    setup: &Setup,
    settings: NeuralBoSettings,
    tangent: &Tangent,
) -> Result<Alternate, SettingError> {
    if setup.space.pool().is_some() {
        let initial = settings.initial.unwrap_or(POOL_INITIAL);
        let design = InitialDesign::new(setup, initial);
        let start = InitialSteps::of_design(setup.clone(), design);
        let pool = PoolSearch::new(setup.clone(), settings.nu, start);
        return Ok(Alternate::only(pool));
    }
    let cube = cube(&setup.space);
    let mixed = cube.is_none();
    let factors = Factors::of(&setup.space).filter(|_| setup.goals.is_single());
    let looks = factors.as_ref().map_or(0, Factors::further_looks);
    let start = InitialSteps::steps(setup.clone(), settings.initial).after_looks(looks);
    let initial = start.len();
    let models: Box<dyn RegionModels> = match setup.goals.slacks {
        0 => Box::new(UnconstrainedModels::new(cube.is_some())),
        _ => Box::new(ConstrainedModels),
    };
    let region = RegionSearch::new(tangent.clone(), models, settings, start, cube);
    let mut turns = Vec::new();
    if mixed {
        turns.push(PolicyTurn {
            every: RARE_EVERY,
            index: RARE_INDEX,
            policy: Box::new(RareValues::new(setup.clone())),
        });
    }
    if mixed && setup.space.encoded_dim() <= WHOLE_COORDINATES {
        turns.push(PolicyTurn {
            every: WHOLE_EVERY,
            index: WHOLE_EVERY - 1,
            policy: Box::new(Whole::new(setup.clone())?),
        });
    }
    let policy: Box<dyn Policy> = match factors {
        Some(factors) => Box::new(Screening::new(setup.clone(), factors, region)),
        None => Box::new(region),
    };
    Ok(Alternate::new(policy, turns, initial))
}
