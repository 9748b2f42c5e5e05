//! Figure 5: robot pushing; the other simulations as extras.

use neuralbo::linalg::{Purpose, Streams};
use serde_json::{Value, json};

use crate::Simulation;
use crate::problems::push::RobotPushing;
use crate::problems::{BuildProblem, PROBLEMS};
use crate::report::curves::Middle;
use crate::report::{Document, PlainSection, Published, Reported, Section};
use crate::runner::{
    BoxEvaluator, Experiment, LabCase, LabError, LabSettings, Profile, Size, Suite, seed_of,
    uniform_design,
};

/// Robot pushing.
pub static PUSHING: Reported = Reported {
    published: || Some(Published::of(size(Profile::Paper))),
    ..Reported::new(
        Experiment::new("push", size, open),
        "Robot pushing (Figure 5)",
        |_| vec!["own physics engine, bit-exact to the original on recorded pushes".into()],
        report,
    )
};

fn size(profile: Profile) -> Size {
    match profile {
        Profile::Quick => Size::new(["push-14"], 2, 4),
        Profile::Standard => Size::new(["push-14"], 5, 500),
        Profile::Paper => Size::new(["push-14"], 10, 6000),
    }
}

pub(super) fn open(_: &LabSettings) -> Result<Box<dyn Suite>, LabError> {
    Ok(Box::new(Simulations))
}

fn report(document: &mut Document, section: &Section<'_>) {
    PlainSection {
        figure: "figure-5-push",
        title: "Best reward against evaluations",
        caption: format!(
            "Figure 5. Median of the runs, bands from the first to the third quartile. \
             The ceiling of push-14 is {:.4}.",
            RobotPushing::ceiling()
        ),
        values: "best reward",
        middle: Middle::Median,
        finals: "Final best rewards, mean ± sd of the runs (larger is better; bold: best mean).",
    }
    .write(document, section);
}

struct Simulations;

impl Suite for Simulations {
    fn case(&self, problem: &str, run: u32) -> Result<LabCase, LabError> {
        let Some((_, build)) = simulations().find(|(name, _)| name == problem) else {
            let names: Vec<String> = simulations().map(|(name, _)| name).collect();
            return Err(LabError::unknown(problem, "push", &names));
        };
        let (simulation, seed) = (build(), seed_of(&["push", problem], run));
        let (bounds, streams) = (simulation.bounds(), Streams::new(seed));
        let evaluator = BoxEvaluator::new(simulation, move |simulation, x, index| {
            simulation.observe(x, &mut streams.stream(index, Purpose::Noise))
        });
        Ok(LabCase {
            initial: uniform_design(&bounds, bounds.len() + 1, seed),
            noisy: true,
            ..LabCase::on_box(problem, run, seed, evaluator)?
        })
    }

    /// The words are compared when a folder is continued: they stay what they were when there were two
    /// simulations.
    fn facts(&self, _: &[String]) -> Result<Value, LabError> {
        Ok(json!({
            "noise": "push: N(0, 0.01²) on the four commanded velocities; rover: N(0, 0.0001²) on the mapped coordinates",
            "initial": "push: 15, rover: 61 uniform points, shared",
        }))
    }
}

/// The simulations among all problems, by their full names.
fn simulations() -> impl Iterator<Item = (String, fn() -> Box<dyn Simulation>)> {
    PROBLEMS.iter().filter_map(|entry| match entry.build {
        BuildProblem::Simulation(build) => Some((entry.full_name(), build)),
        _ => None,
    })
}
