//! Controls: what the paper's method owes to optima in the centre of the box and to negative rewards.

mod report;

use serde_json::Value;

use super::Synthetic;
use crate::experiment::{
    Experiment, LabError, Profile, Published, Ranking, Settings, Size, Tasks, known_methods,
};
use crate::method::MethodSpec;
use crate::problems::Control;
use crate::report::{Document, Section};

/// The functions of Figure 1.
const FUNCTIONS: [&str; 3] = ["ackley", "levy", "michalewicz"];

/// The synthetic functions as they are, with the optimum moved and with the values offset.
pub struct Controls;

impl Experiment for Controls {
    fn name(&self) -> &'static str {
        "controls"
    }

    fn title(&self) -> &'static str {
        "Controls: optima away from the centre, rewards of the other sign"
    }

    fn size(&self, profile: Profile) -> Size {
        match profile {
            Profile::Quick => Size::new(problems(&[5]), 1, 6),
            Profile::Standard => Size::new(problems(&[20, 50, 100]), 3, 200),
            Profile::Paper => Size::new(problems(&[20, 50, 100]), 10, 200),
        }
    }

    fn published(&self) -> Option<Published> {
        None
    }

    /// The paper's method to the letter; with the two corrections that its authors' readers take for granted; what every method
    /// gets that looks at the centre.
    fn methods(&self) -> Vec<MethodSpec> {
        known_methods([
            "neuralbo-paper:nu=0.1",
            "neuralbo-paper:nu=0.1,rewards=standard,constant=yes",
            "neuralbo-faithful",
            "neuralbo",
            "centre",
            "random",
        ])
    }

    /// The tasks are those of the synthetic functions.
    fn open(&self, settings: &Settings) -> Result<Box<dyn Tasks>, LabError> {
        Synthetic.open(settings)
    }

    /// Originals and controls are set side by side, not ranked together.
    fn ranking(&self) -> Option<Ranking> {
        None
    }

    fn differences(&self, facts: &Value) -> Vec<String> {
        Synthetic.differences(facts)
    }

    fn report(&self, document: &mut Document, section: &Section<'_>) {
        report::report(document, section);
    }
}

/// Every function in every dimension: original, then its controls.
fn problems(dims: &[usize]) -> Vec<String> {
    let variants =
        || std::iter::once(String::new()).chain(Control::NAMES.map(|name| format!("@{name}")));
    let of_dim = |name: &str, dim: usize| {
        variants()
            .map(|variant| format!("{name}-{dim}{variant}"))
            .collect::<Vec<_>>()
    };
    FUNCTIONS
        .iter()
        .flat_map(|name| dims.iter().flat_map(move |dim| of_dim(name, *dim)))
        .collect()
}
