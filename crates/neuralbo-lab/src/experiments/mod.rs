//! All experiments: what is run, and its section of the report.

mod bbob;
mod controls;
mod finite;
mod memory;
mod objectives;
mod outcome_constraints;
mod push;
mod retrieval;
mod sensitive;
mod synthetic;

pub use synthetic::SYNTHETIC;

use serde_json::Value;

use crate::method::MethodSpec;
use crate::report::{Document, Loss, Published, Ranking, Section, mean_loss};
use crate::runner::{OpenSuite, Profile, Size, SizeUnits, Workload, paper_methods};

/// One experiment: everything that the runner has to know about it, and how the report shows it: statistics and figures; what they
/// mean is for its readers.
///
/// It is known by its name on the command line and in manifests. What needs data, time or settings is done by `open`.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// The word on the command line, in manifests and of the folder; never changed once results exist.
    pub name: &'static str,
    /// How much a profile runs.
    pub size: fn(Profile) -> Size,
    /// What runs and evaluations count.
    pub units: SizeUnits,
    /// The problems that a text on the command line stands for; most name one.
    pub expand: fn(&str) -> Vec<String>,
    /// The methods when none are named.
    pub methods: fn() -> Vec<MethodSpec>,
    /// Whether each method runs in a process of its own, whose memory is recorded.
    pub own_processes: bool,
    /// Makes it ready: reads its data and trains what has to be trained.
    pub open: OpenSuite,
    /// What a run of one of its problems asks of a method, by the problem's full name.
    pub load: fn(&str, u64) -> Workload,
    /// The heading of its section.
    pub title: &'static str,
    /// What it is called within a sentence.
    pub short_title: &'static str,
    /// How methods are ranked; none where final values are not compared.
    pub ranking: Option<Ranking>,
    /// What the paper ran; none of an experiment of our own.
    pub published: fn() -> Option<Published>,
    /// What differs from the paper by its nature, from the facts that the manifest has.
    pub differences: fn(&Value) -> Vec<String>,
    /// Writes the figures and tables of its section, whose heading and first sentence are there.
    pub report: fn(&mut Document, &Section<'_>),
}

impl Experiment {
    /// An experiment of our own with the methods of the paper and a shared initial design, on problems whose dimension is the
    /// number after the last dash of their names, ranked by the means of the final values.
    pub const fn new(
        name: &'static str,
        size: fn(Profile) -> Size,
        open: OpenSuite,
        title: &'static str,
        differences: fn(&Value) -> Vec<String>,
        report: fn(&mut Document, &Section<'_>),
    ) -> Self {
        let (loss, remark) = (mean_loss as Loss, "");
        Self {
            name,
            size,
            units: SizeUnits::PLAIN,
            expand: |text| vec![text.to_owned()],
            methods: paper_methods,
            own_processes: false,
            open,
            load: Workload::of_name,
            title,
            short_title: name,
            ranking: Some(Ranking { loss, remark }),
            published: || None,
            differences,
            report,
        }
    }
}

impl std::fmt::Debug for Experiment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// All experiments in the order of the paper, then our own.
pub static EXPERIMENTS: &[&Experiment] = &[
    &SYNTHETIC,
    &bbob::BBOB,
    &sensitive::SENSITIVE,
    &retrieval::RETRIEVAL,
    &push::PUSHING,
    &memory::MEMORY,
    &controls::CONTROLS[0],
    &controls::CONTROLS[1],
    &controls::CONTROLS[2],
    &controls::CONTROLS[3],
    &controls::CONTROLS[4],
    &controls::CONTROLS[5],
    &objectives::OBJECTIVES,
    &outcome_constraints::OUTCOME_CONSTRAINTS,
    &finite::FINITE,
];

/// The experiment of this name.
///
/// ```
/// use neuralbo_lab::experiments::find;
///
/// assert_eq!(find("bbob")?.name, "bbob");
/// assert!(find("synthetics").is_err_and(|error| error.contains("synthetic, bbob, sensitive")));
/// # Ok::<(), String>(())
/// ```
pub fn find(name: &str) -> Result<&'static Experiment, String> {
    let mut known = EXPERIMENTS.iter().copied();
    known.find(|known| known.name == name).ok_or_else(|| {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|known| known.name).collect();
        let names = names.join(", ");
        format!("experiment = `{name}` is unknown; it must be one of {names}")
    })
}

#[cfg(test)]
mod conformance;
