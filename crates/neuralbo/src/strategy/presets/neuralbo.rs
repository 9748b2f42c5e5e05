//! The default method: which policies it is made of.

use super::parts::{INITIAL, NU, WIDTH, count};
use super::{Built, Method, MethodError, OptionInfo, Options};
use crate::linalg::SettingError;
use crate::strategy::policies::constants::{
    FIRST_LOOKS, POOL_INITIAL, RARE_EVERY, RARE_INDEX, WHOLE_COORDINATES, WHOLE_EVERY,
};
use crate::strategy::policies::{
    Alternate, ConstrainedModels, Factors, FrontSearch, InitialSteps, PolicyTurn, PoolSearch,
    RareValues, RegionSearch, Screening, Tangent, UnconstrainedModels, Whole, cube,
};
use crate::strategy::smbo::{Policy, Smbo};
use crate::strategy::{DesignKind, InitialDesign, NeuralBoSettings, Setup, Strategy};

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

fn build(setup: &Setup, options: &Options) -> Built {
    let conflict = |error: SettingError| MethodError::Conflict {
        method: NAME,
        reason: error.to_string(),
    };
    let mut settings = NeuralBoSettings::for_dim(setup.space.encoded_dim()).map_err(conflict)?;
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
    let tangent = Tangent::new(setup.clone(), &settings)?;
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
        let design = InitialDesign::new(setup, DesignKind::Sobol, initial);
        let start = InitialSteps::of_design(setup.clone(), design);
        return Ok(Alternate::only(PoolSearch::new(
            setup.clone(),
            &settings,
            start,
        )));
    }
    let cube = cube(&setup.space);
    let (tangent, mixed) = (tangent.clone(), cube.is_none());
    let factors = Factors::of(&setup.space).filter(|_| setup.goals.is_single());
    let looks = factors.as_ref().map_or(0, |_| FIRST_LOOKS - 1);
    let start = InitialSteps::steps(setup.clone(), settings.initial).after_looks(looks);
    let initial = start.len();
    let region = if setup.goals.slacks > 0 {
        RegionSearch::new(
            Box::new(ConstrainedModels { tangent }),
            settings,
            start,
            cube,
        )
    } else {
        let rotates = cube.is_some();
        let models = UnconstrainedModels::new(tangent, rotates);
        RegionSearch::new(Box::new(models), settings, start, cube)
    };
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
