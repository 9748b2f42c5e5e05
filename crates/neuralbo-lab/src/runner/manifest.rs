//! What a folder of results holds, and how it came about.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{LabError, Profile, Shard, distinct, write_file};

/// The name of the file.
pub const MANIFEST: &str = "manifest.json";

/// What a folder of results holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The experiment.
    pub experiment: String,
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
    pub sessions: Vec<LabSession>,
}

/// One start of an experiment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabSession {
    /// When it started.
    pub started: String,
    /// The version of this program.
    pub version: String,
    /// Its commit.
    pub commit: String,
    /// Where it ran.
    pub machine: Machine,
    /// The command line.
    pub command: Vec<String>,
    /// Runs at the same time.
    pub jobs: usize,
    /// The part of the runs that was made, if it was not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
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
        let kilobytes = |text: String| text.split(' ').next()?.parse::<u64>().ok();
        let memory = line("/proc/meminfo", "MemTotal").and_then(kilobytes);
        Self {
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            processor: line("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory: memory.map(|kilobytes| kilobytes * 1024),
        }
    }
}

impl Manifest {
    /// What a folder holds: its manifest and those of the parts that were copied into it; none if there is none.
    pub fn read(folder: &Path) -> Result<Option<Self>, LabError> {
        let mut found: Option<Self> = None;
        for path in files(folder)? {
            let Some(next) = Self::read_file(&path)? else {
                continue;
            };
            found = Some(match found {
                Some(before) => next.added_to(before, folder)?,
                None => next,
            });
        }
        Ok(found)
    }

    fn read_file(path: &Path) -> Result<Option<Self>, LabError> {
        match std::fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text)
                .map(Some)
                .map_err(|error| LabError::file(path, error)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(LabError::file(path, error)),
        }
    }

    /// Writes the manifest of a folder or of one part of it, which has a file of its own: folders of parts can be copied together.
    pub fn write(&self, folder: &Path, shard: Option<Shard>) -> Result<(), LabError> {
        let path = folder.join(file_name(shard));
        let text =
            serde_json::to_string_pretty(self).map_err(|error| LabError::file(&path, error))?;
        write_file(&path, (text + "\n").as_bytes())
    }

    /// This plan added to what its own file holds already; an error if it does not belong together with all that the folder holds.
    pub fn merged(self, folder: &Path, shard: Option<Shard>) -> Result<Self, LabError> {
        if let Some(all) = Self::read(folder)? {
            self.check(&all, folder)?;
        }
        match Self::read_file(&folder.join(file_name(shard)))? {
            Some(before) => self.added_to(before, folder),
            None => Ok(self),
        }
    }

    /// Both together.
    fn added_to(mut self, before: Self, folder: &Path) -> Result<Self, LabError> {
        self.check(&before, folder)?;
        self.problems = distinct([before.problems, self.problems].concat());
        self.methods = distinct([before.methods, self.methods].concat());
        self.runs = self.runs.max(before.runs);
        self.profile = before.profile;
        self.facts = join(before.facts, self.facts);
        self.sessions = [before.sessions, self.sessions].concat();
        Ok(self)
    }

    fn check(&self, before: &Self, folder: &Path) -> Result<(), LabError> {
        match self.difference(before).join(", ") {
            difference if difference.is_empty() => Ok(()),
            difference => Err(LabError::OtherSettings(folder.to_owned(), difference)),
        }
    }

    /// The settings without which traces cannot stand side by side.
    fn difference(&self, before: &Self) -> Vec<String> {
        let mut difference = Vec::new();
        let mut compare = |name: &str, old: &dyn ToString, new: &dyn ToString| {
            let (old, new) = (old.to_string(), new.to_string());
            if old != new {
                difference.push(format!("{name} = {old} there, {new} here"));
            }
        };
        compare("experiment", &before.experiment, &self.experiment);
        compare("evaluations", &before.evaluations, &self.evaluations);
        compare("noise", &before.facts["noise"], &self.facts["noise"]);
        difference
    }
}

/// The name of a manifest's file.
fn file_name(shard: Option<Shard>) -> String {
    let part = shard.map(|shard| format!("manifest-{}.json", shard.slug()));
    part.unwrap_or_else(|| MANIFEST.to_owned())
}

/// All manifests of a folder in the order of their names, that of the whole first.
fn files(folder: &Path) -> Result<Vec<PathBuf>, LabError> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(LabError::file(folder, error)),
    };
    let part = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("manifest-") && name.ends_with(".json")
    };
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.retain(part);
    files.sort();
    files.insert(0, folder.join(MANIFEST));
    Ok(files)
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
pub(crate) mod tests {
    use super::*;
    use serde_json::json;

    pub fn manifest(method: &str, evaluations: u64) -> Manifest {
        Manifest {
            experiment: "synthetic".into(),
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
        let first = manifest("random", 5).merged(folder.path(), None).unwrap();
        first.write(folder.path(), None).unwrap();
        let merged = manifest("sobol", 5).merged(folder.path(), None).unwrap();
        assert_eq!(merged.methods, ["random", "sobol"]);
        let found = &merged.facts["noise_sd"];
        assert_eq!(*found, json!({"random": 1.0, "sobol": 1.0}));
    }

    #[test]
    fn parts_have_files_of_their_own_and_are_read_together() {
        let folder = tempfile::tempdir().unwrap();
        for (method, part) in [("random", "1/2"), ("sobol", "2/2"), ("sobol", "2/2")] {
            let part = Some(part.parse().unwrap());
            let mut own = manifest(method, 5);
            own.sessions.push(session(part));
            let own = own.merged(folder.path(), part).unwrap();
            own.write(folder.path(), part).unwrap();
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        let all = Manifest::read(folder.path()).unwrap().unwrap();
        assert_eq!((all.methods.len(), all.sessions.len()), (2, 3));
        assert_eq!(all.sessions[2].shard, Some("2/2".parse().unwrap()));
    }

    pub fn session(shard: Option<Shard>) -> LabSession {
        LabSession {
            started: String::new(),
            version: String::new(),
            commit: String::new(),
            machine: Machine::this(),
            command: Vec::new(),
            jobs: 1,
            shard,
            seconds: None,
        }
    }

    #[test]
    fn other_settings_are_refused_with_the_difference() {
        let folder = tempfile::tempdir().unwrap();
        manifest("random", 5).write(folder.path(), None).unwrap();
        let part = Some("1/2".parse().unwrap());
        for shard in [None, part] {
            let text = manifest("random", 6)
                .merged(folder.path(), shard)
                .unwrap_err()
                .to_string();
            assert!(text.contains("evaluations = 5 there, 6 here"), "{text}");
        }
    }
}
