//! What a folder of results holds, and how it came about.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Experiment, LabError, Profile, write_file};

/// The name of the file.
pub const MANIFEST: &str = "manifest.json";

/// What a folder of results holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The experiment.
    pub experiment: &'static dyn Experiment,
    /// The profile of the first session.
    pub profile: Profile,
    /// Evaluations of a run after the initial design, in the units of the experiment.
    pub evaluations: u64,
    /// Noise, initial design, data.
    pub facts: Value,
    /// All problems that were asked for.
    pub problems: Vec<String>,
    /// All methods that were asked for.
    pub methods: Vec<String>,
    /// The largest number of runs that was asked for.
    pub runs: u32,
    /// Every start of the experiment.
    pub sessions: Vec<Session>,
}

/// One start of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Session {
    /// When it started.
    pub started: String,
    /// The version of this program.
    pub version: String,
    /// Where it ran.
    pub machine: Machine,
    /// The command line.
    pub command: Vec<String>,
    /// Runs at the same time.
    pub jobs: usize,
    /// Seconds until the end; none if it was cut short.
    pub seconds: Option<f64>,
}

/// A machine in a few words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Operating system and architecture.
    pub system: String,
    /// The processor, where it is known.
    pub processor: Option<String>,
    /// Threads that can run at the same time.
    pub cores: usize,
    /// Memory in bytes, where it is known.
    pub memory: Option<u64>,
}

impl Machine {
    /// The machine this runs on.
    pub fn this() -> Self {
        let line = |path: &str, key: &str| -> Option<String> {
            let text = std::fs::read_to_string(path).ok()?;
            let line = text.lines().find(|line| line.starts_with(key))?;
            Some(line.split_once(':')?.1.trim().to_owned())
        };
        let memory = line("/proc/meminfo", "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
        Self {
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            processor: line("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory: memory.map(|kilobytes| kilobytes * 1024),
        }
    }
}

impl Manifest {
    /// The manifest in a folder; none if there is none.
    pub fn read(folder: &Path) -> Result<Option<Self>, LabError> {
        let path = folder.join(MANIFEST);
        match std::fs::read_to_string(&path) {
            Ok(text) => serde_json::from_str(&text).map(Some).map_err(|error| LabError::file(&path, error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LabError::file(&path, error)),
        }
    }

    /// Writes the manifest into a folder.
    pub fn write(&self, folder: &Path) -> Result<(), LabError> {
        let path = folder.join(MANIFEST);
        let text = serde_json::to_string_pretty(self).map_err(|error| LabError::file(&path, error))?;
        write_file(&path, (text + "\n").as_bytes())
    }

    /// This plan added to what the folder holds already; an error if the two do not belong together.
    pub fn merged(mut self, folder: &Path) -> Result<Self, LabError> {
        let Some(before) = Self::read(folder)? else { return Ok(self) };
        let difference = self.difference(&before);
        if !difference.is_empty() {
            return Err(LabError::OtherSettings { folder: PathBuf::from(folder), difference: difference.join(", ") });
        }
        self.problems = union(before.problems, self.problems);
        self.methods = union(before.methods, self.methods);
        self.runs = self.runs.max(before.runs);
        self.profile = before.profile;
        self.facts = join(before.facts, self.facts);
        self.sessions = [before.sessions, self.sessions].concat();
        Ok(self)
    }

    /// The settings without which traces cannot stand side by side.
    fn difference(&self, before: &Self) -> Vec<String> {
        let mut difference = Vec::new();
        let mut compare = |name: &str, old: String, new: String| {
            if old != new {
                difference.push(format!("{name} = {old} there, {new} here"));
            }
        };
        compare("experiment", before.experiment.to_string(), self.experiment.to_string());
        compare("evaluations", before.evaluations.to_string(), self.evaluations.to_string());
        compare("noise", before.facts["noise"].to_string(), self.facts["noise"].to_string());
        difference
    }
}

fn union(mut old: Vec<String>, new: Vec<String>) -> Vec<String> {
    for item in new {
        if !old.contains(&item) {
            old.push(item);
        }
    }
    old
}

/// Facts about more problems than before.
fn join(old: Value, new: Value) -> Value {
    match (old, new) {
        (Value::Object(mut old), Value::Object(new)) => {
            for (key, value) in new {
                let before = old.remove(&key).unwrap_or(Value::Null);
                old.insert(key, join(before, value));
            }
            Value::Object(old)
        }
        (_, new) => new,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::experiments::Synthetic;
    use serde_json::json;

    fn manifest(method: &str, evaluations: u64) -> Manifest {
        Manifest {
            experiment: &Synthetic,
            profile: Profile::Quick,
            evaluations,
            facts: json!({"noise": "code", "noise_sd": {method: 1.0}}),
            problems: vec!["ackley-2".into()],
            methods: vec![method.into()],
            runs: 2,
            sessions: Vec::new(),
        }
    }

    #[test]
    fn more_of_the_same_is_added() {
        let folder = tempfile::tempdir().unwrap();
        manifest("random", 5).merged(folder.path()).unwrap().write(folder.path()).unwrap();
        let merged = manifest("sobol", 5).merged(folder.path()).unwrap();
        assert_eq!(merged.methods, ["random", "sobol"]);
        assert_eq!(merged.facts["noise_sd"], json!({"random": 1.0, "sobol": 1.0}));
    }

    #[test]
    fn manifests_of_earlier_versions_are_read_and_written_alike() {
        let text = r#"{
  "experiment": "bbob",
  "profile": "quick",
  "evaluations": 5,
  "facts": {
    "noise": "none"
  },
  "problems": [
    "bbob-f01-d02"
  ],
  "methods": [
    "random"
  ],
  "runs": 1,
  "sessions": []
}
"#;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(MANIFEST);
        std::fs::write(&path, text).unwrap();
        let manifest = Manifest::read(folder.path()).unwrap().unwrap();
        assert_eq!(manifest.experiment.name(), "bbob");
        manifest.write(folder.path()).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        std::fs::write(&path, text.replace("bbob\"", "magic\"")).unwrap();
        let refusal = Manifest::read(folder.path()).unwrap_err().to_string();
        assert!(refusal.contains("`magic`") && refusal.contains("synthetic, bbob"), "{refusal}");
    }

    #[test]
    fn other_settings_are_refused_with_the_difference() {
        let folder = tempfile::tempdir().unwrap();
        manifest("random", 5).write(folder.path()).unwrap();
        let text = manifest("random", 6).merged(folder.path()).unwrap_err().to_string();
        assert!(text.contains("evaluations = 5 there, 6 here"), "{text}");
    }
}
