//! The default method.

use super::parts::{INITIAL, NU, WIDTH, count};
use super::{Method, MethodError, OptionInfo, Options};
use crate::strategy::{FrontSearch, NeuralBo, NeuralBoSettings, Setup, Strategy};

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
    outcomes: true,
    build,
};

fn build(setup: &Setup, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    let mut settings = NeuralBoSettings::for_dim(setup.space.encoded_dim());
    settings.nu = options.number(NU.key, 0.0..=1e6)?.unwrap_or(settings.nu);
    settings.width = count(options, WIDTH, 16_384)?.unwrap_or(settings.width);
    settings.initial = count(options, INITIAL, 100_000)?.or(settings.initial);
    let setup = Setup {
        replicates: options.flag(REPLICATES.key)? == Some(true),
        ..setup.clone()
    };
    if setup.goals.objectives > 1 {
        return match FrontSearch::new(setup, settings) {
            Ok(strategy) => Ok(Box::new(strategy)),
            Err(error) => Err(MethodError::Conflict {
                method: NAME,
                reason: error.to_string(),
            }),
        };
    }
    match NeuralBo::new(setup, settings) {
        Ok(strategy) => Ok(Box::new(strategy)),
        Err(error) => Err(MethodError::Conflict {
            method: NAME,
            reason: error.to_string(),
        }),
    }
}
