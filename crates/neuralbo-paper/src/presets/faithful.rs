//! The paper's algorithm with the fewest corrections with which it works where the optimum is not at the centre of the box.
//!
//! 1. *Inputs in the unit ball, with a constant*: the paper's own domain `0 < a ≤ ‖x‖ ≤ b`, the same in every dimension. Without the
//!    constant `h(0) = 0` whatever was learned; without the ball σ grows with `‖x‖` up to `√d`, and samples end in the corners.
//! 2. *Standardized rewards*: `h` and σ are of the same size, whatever the units.
//! 3. *Section 4's initialization*: `h(x; θ₀) = 0`, and at θ₀ only the output layer has features. Their kernel is smooth in `x`, where
//!    that of all layers has a kink at every observation, so that samples have no peaks between the data.
//! 4. *A wide network*: Theorem 1 asks for a width far above the number of rounds, and 500 is less than that. A narrow network runs out
//!    of features, and their random errors hide what the data say.
//! 5. *The mean that training converges to*, in closed form: 50 epochs reach only the first few directions of the kernel.

use super::paper::{self, MeanChoice, MeanKind};
use crate::neural::{InputDomain, NeuralSettings, TargetUnits};
use neuralbo::net::Init;
use neuralbo::strategy::presets::{Method, MethodError, Options};
use neuralbo::strategy::{Setup, Strategy};

pub(super) const NEURALBO_FAITHFUL: Method = Method {
    name: "neuralbo-faithful",
    summary: "the paper's algorithm with the fewest corrections with which it works anywhere in the box",
    options: paper::OPTIONS,
    objectives: false,
    outcome_constraints: false,
    build,
};

fn settings() -> NeuralSettings {
    NeuralSettings {
        width: 4000,
        inputs: InputDomain::Ball,
        constant_input: true,
        targets: TargetUnits::Standard,
        init: Init::HeZeroLast,
        ..paper::settings()
    }
}

const MEAN: MeanChoice = MeanChoice {
    kind: MeanKind::Linear,
    rate: None,
    epochs: 50,
};

fn build(setup: &Setup, options: &Options) -> Result<Box<dyn Strategy>, MethodError> {
    paper::strategy(NEURALBO_FAITHFUL.name, settings(), MEAN, setup, options)
}
