//! What `lab run` has left in a folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::methods::DEFAULT;
use crate::experiment::{LabError, Manifest, Trace};
use crate::experiments::EXPERIMENTS;

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
#[derive(Clone, Debug)]
pub struct Results {
    /// Where they are.
    pub folder: PathBuf,
    /// What was run.
    pub manifest: Manifest,
    /// All runs, sorted by problem, method and run.
    pub traces: Vec<Trace>,
}

/// The runs of one method, by the name under which it is shown.
pub type MethodRuns<'a> = Vec<(String, Vec<&'a Trace>)>;

/// All experiments of a folder in the order of the paper.
pub fn load(folder: &Path) -> Result<Vec<Results>, ResultsError> {
    let mut all = Vec::new();
    for experiment in EXPERIMENTS {
        let own = folder.join(experiment.name());
        if let Some(manifest) = Manifest::read(&own)? {
            all.push(Results::load(own, manifest)?);
        }
    }
    if all.is_empty() {
        Err(ResultsError::Nothing(folder.to_owned()))
    } else {
        Ok(all)
    }
}

impl Results {
    fn load(folder: PathBuf, manifest: Manifest) -> Result<Self, LabError> {
        let mut files = Vec::new();
        collect(&folder.join("traces"), &mut files)?;
        let read =
            |path: &PathBuf| Trace::read(path).map_err(|reason| LabError::file(path, reason));
        let mut traces: Vec<Trace> = files.iter().map(read).collect::<Result<_, _>>()?;
        traces.sort_by(|a, b| {
            let key = |t: &Trace| {
                (
                    t.header.problem.clone(),
                    t.header.method.clone(),
                    t.header.run,
                )
            };
            key(a).cmp(&key(b))
        });
        Ok(Self {
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

    /// The finished runs of a problem by method.
    pub fn of_problem(&self, problem: &str) -> MethodRuns<'_> {
        let mut runs: BTreeMap<&str, Vec<&Trace>> = BTreeMap::new();
        let good = |trace: &&Trace| trace.header.problem == problem && trace.header.error.is_none();
        self.traces
            .iter()
            .filter(good)
            .for_each(|trace| runs.entry(&trace.header.method).or_default().push(trace));
        self.methods()
            .into_iter()
            .filter_map(|method| Some((method.clone(), runs.remove(method.as_str())?)))
            .collect()
    }

    /// The problems that have finished runs, in the order of the manifest.
    pub fn problems(&self) -> Vec<&str> {
        let ran = |problem: &&String| {
            self.traces
                .iter()
                .any(|t| t.header.problem == **problem && t.header.error.is_none())
        };
        self.manifest
            .problems
            .iter()
            .filter(ran)
            .map(String::as_str)
            .collect()
    }

    /// Number of runs of the method that has most on a problem.
    pub fn most_runs(&self) -> usize {
        let runs = |problem: &str| {
            self.of_problem(problem)
                .iter()
                .map(|(_, runs)| runs.len())
                .max()
                .unwrap_or(0)
        };
        self.problems().into_iter().map(runs).max().unwrap_or(0)
    }
}

/// All finished trace files below a folder, in a fixed order.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), LabError> {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Ok(());
    };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
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

/// Results made up for tests of what reads them.
#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use crate::experiment::{Experiment, Profile, testing::trace};

    /// Runs that end with the given values: problem, method, values.
    pub fn results(
        experiment: &'static dyn Experiment,
        evaluations: u64,
        runs: &[(&str, &str, &[f64])],
    ) -> Results {
        let names = |name: fn(&(&str, &str, &[f64])) -> String| -> Vec<String> {
            let mut names: Vec<String> = runs.iter().map(name).collect();
            names.sort_unstable();
            names.dedup();
            names
        };
        let manifest = Manifest {
            experiment,
            profile: Profile::Paper,
            evaluations,
            facts: serde_json::Value::Null,
            problems: names(|run| run.0.to_owned()),
            methods: names(|run| run.1.to_owned()),
            runs: 1,
            sessions: Vec::new(),
        };
        let one = |problem: &str, method: &str, value: f64, run: u32| {
            let mut trace = trace();
            (trace.header.problem, trace.header.method, trace.header.run) =
                (problem.into(), method.into(), run);
            trace.rows.iter_mut().for_each(|row| row.best = value);
            trace
        };
        let of = |(problem, method, values): &(&str, &str, &[f64])| -> Vec<Trace> {
            values
                .iter()
                .zip(1..)
                .map(|(value, run)| one(problem, method, *value, run))
                .collect()
        };
        Results {
            folder: PathBuf::new(),
            manifest,
            traces: runs.iter().flat_map(of).collect(),
        }
    }
}
