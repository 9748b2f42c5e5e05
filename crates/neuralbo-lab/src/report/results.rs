//! What `lab run` has left in a folder, and how it differs from what the paper ran.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Reported;
use super::methods::DEFAULT;
use crate::problems::Control;
use crate::runner::{LabError, Manifest, RunTrace, Size};

/// Why there is nothing to report.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// No experiment was found.
    #[error("{}: no results; `neuralbo lab run EXPERIMENT --out DIR` leaves them in DIR", .0.display())]
    Nothing(PathBuf),
    /// A file cannot be read.
    #[error(transparent)]
    Lab(#[from] LabError),
}

/// One experiment's results.
#[derive(Clone)]
pub struct Results {
    /// The experiment.
    pub experiment: &'static Reported,
    /// Where they are.
    pub folder: PathBuf,
    /// What was run.
    pub manifest: Manifest,
    /// All runs, sorted by problem, method and run.
    pub traces: Vec<RunTrace>,
}

/// The runs of one method, by the name under which it is shown.
pub type MethodRuns<'a> = Vec<(String, Vec<&'a RunTrace>)>;

/// Those of the experiments that a folder has.
pub fn load(
    folder: &Path,
    experiments: &[&'static Reported],
) -> Result<Vec<Results>, ResultsError> {
    let mut all = Vec::new();
    for experiment in experiments {
        let own = folder.join(experiment.run.name);
        if let Some(manifest) = Manifest::read(&own)? {
            all.push(Results::load(experiment, own, manifest)?);
        }
    }
    let found = !all.is_empty();
    found
        .then_some(all)
        .ok_or_else(|| ResultsError::Nothing(folder.to_owned()))
}

impl Results {
    fn load(
        experiment: &'static Reported,
        folder: PathBuf,
        manifest: Manifest,
    ) -> Result<Self, LabError> {
        let mut files = Vec::new();
        collect(&folder.join("traces"), &mut files)?;
        let read =
            |path: &PathBuf| RunTrace::read(path).map_err(|reason| LabError::file(path, reason));
        let mut traces: Vec<RunTrace> = files.iter().map(read).collect::<Result<_, _>>()?;
        traces.sort_by(|a, b| a.header.key().cmp(&b.header.key()));
        Ok(Self {
            experiment,
            folder,
            manifest,
            traces,
        })
    }

    /// The methods: the default first, whenever it was run, then in the order of the manifest.
    pub fn methods(&self) -> Vec<&String> {
        let mut listed: Vec<&String> = self.manifest.methods.iter().collect();
        listed.sort_by_key(|method| method.as_str() != DEFAULT);
        listed
    }

    /// The runs that went to their end.
    pub fn finished(&self) -> impl Iterator<Item = &RunTrace> {
        let traces = self.traces.iter();
        traces.filter(|trace| trace.header.error.is_none())
    }

    /// The finished runs of a problem by method.
    pub fn of_problem(&self, problem: &str) -> MethodRuns<'_> {
        let mut runs: BTreeMap<&str, Vec<&RunTrace>> = BTreeMap::new();
        let own = |trace: &&RunTrace| trace.header.problem == problem;
        for trace in self.finished().filter(own) {
            runs.entry(&trace.header.method).or_default().push(trace);
        }
        let own = |method: &String| Some((method.clone(), runs.remove(method.as_str())?));
        self.methods().into_iter().filter_map(own).collect()
    }

    /// The problems that have finished runs, by function, control and dimension.
    pub fn problems(&self) -> Vec<&str> {
        let ran = |name: &&String| self.finished().any(|trace| trace.header.problem == **name);
        let manifest = self.manifest.problems.iter().filter(ran);
        let mut problems: Vec<&str> = manifest.map(String::as_str).collect();
        problems.sort_by_key(|problem| problem_order(problem));
        problems
    }

    /// Number of runs of the method that has most on a problem.
    pub fn most_runs(&self) -> usize {
        let methods = self
            .problems()
            .into_iter()
            .flat_map(|problem| self.of_problem(problem));
        methods.map(|(_, runs)| runs.len()).max().unwrap_or(0)
    }
}

/// `levy-100@moved` by its parts: the function, the control with its dose, the number.
fn problem_order(problem: &str) -> (&str, Option<Control>, u64) {
    let (original, control) = Control::split(problem).unwrap_or((problem, None));
    match original.rsplit_once('-') {
        Some((function, dim)) => match dim.parse() {
            Ok(dim) => (function, control, dim),
            Err(_) => (original, control, 0),
        },
        None => (original, control, 0),
    }
}

/// All finished trace files below a folder, in a fixed order.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), LabError> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(());
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "gz") {
            files.push(path);
        }
    }
    Ok(())
}

/// What the paper ran, as far as it says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Published {
    /// The problems.
    pub problems: Vec<String>,
    /// Runs of every method.
    pub runs: u32,
    /// Evaluations of a run; none where the paper does not state them.
    pub evaluations: Option<u64>,
}

impl Published {
    /// The sizes of a profile.
    pub fn of(size: Size) -> Self {
        Self {
            problems: size.problems,
            runs: size.runs,
            evaluations: Some(size.evaluations),
        }
    }
}

/// One sentence on budget, runs, noise and data; every figure carries it.
pub fn note(results: &Results) -> String {
    let manifest = &results.manifest;
    let experiment = results.experiment;
    let differences = (experiment.differences)(&manifest.facts);
    let Some(paper) = (experiment.published)() else {
        return format!("Not in the paper: {}.", differences.join("; "));
    };
    let parts = [sizes(results, &paper), differences].concat();
    if parts.is_empty() {
        "Sizes as in the paper.".into()
    } else {
        format!("Differs from the paper: {}.", parts.join("; "))
    }
}

/// Evaluations, runs and problems that are not those of the paper.
fn sizes(results: &Results, paper: &Published) -> Vec<String> {
    let (manifest, units) = (&results.manifest, results.experiment.run.units);
    let per = units.evaluations();
    let mut parts = Vec::new();
    let ours = manifest.evaluations;
    match paper.evaluations {
        None => parts.push(format!("{ours}{per} (the paper does not state its number)")),
        Some(stated) if stated != ours => parts.push(format!("{ours}{per} instead of {stated}")),
        Some(_) => {}
    }
    let runs = results.most_runs();
    if runs as u32 != paper.runs {
        parts.push(format!("{}: {runs} instead of {}", units.runs, paper.runs));
    }
    let (ran, all) = (results.problems(), paper.problems.len());
    let is_missing = |problem: &&String| !ran.contains(&problem.as_str());
    let missing = paper.problems.iter().filter(is_missing).count();
    if missing > 0 && all > 1 {
        parts.push(format!("{missing} of {all} problems missing"));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_ordered_by_function_control_and_number() {
        let mut found = [
            "levy-100@moved",
            "levy-20@moved-0.05",
            "levy-20@offset-0.5",
            "levy-20@moved",
            "bbob-f01-d10",
            "levy-100",
            "levy-20",
            "bbob-f01-d02",
        ];
        found.sort_by_key(|problem| problem_order(problem));
        let expected = [
            "bbob-f01-d02",
            "bbob-f01-d10",
            "levy-20",
            "levy-100",
            "levy-20@moved-0.05",
            "levy-20@moved",
            "levy-100@moved",
            "levy-20@offset-0.5",
        ];
        assert_eq!(found, expected);
    }
}
