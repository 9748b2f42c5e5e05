//! Figure 6: the memory of the methods during robot pushing, each in a process of its own.

mod claims;
mod report;

use serde_json::Value;

use super::push::Pushing;
use crate::experiment::{
    Experiment, LabError, Profile, Ranking, Settings, Size, Tasks, known_methods,
};
use crate::method::MethodSpec;
use crate::report::{Claim, Document, Section};

/// The resident set of each method against evaluations.
pub struct Memory;

impl Experiment for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn title(&self) -> &'static str {
        "Memory (Figure 6)"
    }

    fn size(&self, profile: Profile) -> Size {
        match profile {
            Profile::Quick => Size::new(["push-14"], 1, 4),
            Profile::Standard => Size::new(["push-14"], 1, 1000),
            Profile::Paper => Size::new(["push-14"], 1, 6000),
        }
    }

    fn methods(&self) -> Vec<MethodSpec> {
        known_methods(["neuralbo", "neuralbo-paper", "gp-ucb", "neural-greedy"])
    }

    fn own_processes(&self) -> bool {
        true
    }

    /// The tasks are those of robot pushing.
    fn open(&self, settings: &Settings) -> Result<Box<dyn Tasks>, LabError> {
        Pushing.open(settings)
    }

    /// Memory is measured, not the values found.
    fn ranking(&self) -> Option<Ranking> {
        None
    }

    fn claims(&self) -> &'static [Claim] {
        &claims::CLAIMS
    }

    fn differences(&self, _: &Value) -> Vec<String> {
        vec!["resident set of one process per method instead of GPU memory".into()]
    }

    fn report(&self, document: &mut Document, section: &Section<'_>) {
        report::report(document, section);
    }
}
