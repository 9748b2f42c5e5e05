//! The points of a run that has not ended: a killed run continues after the last of them.
//!
//! A file is a sequence of gzip members of JSON lines, the first of which states what is run. About one member is appended per second;
//! one that was cut off by a kill is removed.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use neuralbo::record::Provenance;
use neuralbo::space::Params;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::LabError;

/// Time between two writes.
const INTERVAL: Duration = Duration::from_secs(1);

/// A point that a method chose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChosenPoint {
    /// Its values.
    pub params: Params,
    /// Where it came from.
    pub provenance: Provenance,
}

/// The file with the points of a run that has not ended.
pub(super) struct Checkpoint {
    path: PathBuf,
    /// Bytes of the file that are kept.
    kept: u64,
    file: Option<File>,
    /// What is not written yet.
    lines: Vec<u8>,
    written: Instant,
}

impl Checkpoint {
    /// The checkpoint of a run with the points of earlier sessions; there are none if they belong to another program or other settings.
    pub(super) fn open(path: PathBuf, run: &Value) -> Result<(Self, Vec<ChosenPoint>), LabError> {
        let bytes = match std::fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            read => read.map_err(|error| LabError::file(&path, error))?,
        };
        let (kept, text) = complete_members(&bytes);
        let earlier = points(&text, run);
        let mut checkpoint = Self {
            path,
            kept: earlier.as_ref().map_or(0, |_| kept),
            file: None,
            lines: Vec::new(),
            written: Instant::now(),
        };
        if earlier.is_none() {
            checkpoint.note(run)?;
        }
        Ok((checkpoint, earlier.unwrap_or_default()))
    }

    /// Notes a point, and writes what was noted if it is time.
    pub(super) fn add(&mut self, point: &ChosenPoint) -> Result<(), LabError> {
        self.note(point)?;
        match self.written.elapsed() {
            waited if waited < INTERVAL => Ok(()),
            _ => self.write(),
        }
    }

    fn note(&mut self, line: &impl Serialize) -> Result<(), LabError> {
        serde_json::to_writer(&mut self.lines, line).map_err(LabError::impossible)?;
        self.lines.push(b'\n');
        Ok(())
    }

    fn write(&mut self) -> Result<(), LabError> {
        let written = compressed(&self.lines).and_then(|member| self.end()?.write_all(&member));
        written.map_err(|error| LabError::file(&self.path, error))?;
        self.lines.clear();
        self.written = Instant::now();
        Ok(())
    }

    /// The file, at its end.
    fn end(&mut self) -> io::Result<&mut File> {
        if self.file.is_none() {
            if let Some(folder) = self.path.parent() {
                std::fs::create_dir_all(folder)?;
            }
            let mut options = OpenOptions::new();
            let mut file = options
                .create(true)
                .truncate(false)
                .write(true)
                .open(&self.path)?;
            file.set_len(self.kept)?;
            file.seek(SeekFrom::End(0))?;
            self.file = Some(file);
        }
        self.file
            .as_mut()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Removes the file of a run that has ended.
    pub(super) fn remove(self) -> Result<(), LabError> {
        drop(self.file);
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(LabError::file(&self.path, error))
            }
            _ => Ok(()),
        }
    }
}

fn compressed(lines: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(lines)?;
    encoder.finish()
}

/// The length and the text of the complete members.
fn complete_members(bytes: &[u8]) -> (u64, String) {
    let (mut rest, mut kept, mut text) = (bytes, 0, String::new());
    while !rest.is_empty() {
        let mut member = String::new();
        if GzDecoder::new(&mut rest)
            .read_to_string(&mut member)
            .is_err()
        {
            break;
        }
        kept = bytes.len() - rest.len();
        text += &member;
    }
    (kept as u64, text)
}

/// The points of a text; none if it does not belong to this run.
fn points(text: &str, run: &Value) -> Option<Vec<ChosenPoint>> {
    let mut lines = text.lines();
    let first: Value = serde_json::from_str(lines.next()?).ok()?;
    let points = lines.map(serde_json::from_str).collect::<Result<_, _>>();
    points.ok().filter(|_| first == *run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn point(x: f64) -> ChosenPoint {
        ChosenPoint {
            params: [("x", x)].into_iter().collect(),
            provenance: Provenance {
                origin: "model".into(),
                mean: Some(x / 3.0),
                ..Provenance::default()
            },
        }
    }

    /// Writes each point as a member of its own.
    fn write(checkpoint: &mut Checkpoint, values: &[f64]) {
        for x in values {
            checkpoint.note(&point(*x)).unwrap();
            checkpoint.write().unwrap();
        }
    }

    fn expected(values: &[f64]) -> Vec<ChosenPoint> {
        values.iter().copied().map(point).collect()
    }

    #[test]
    fn sessions_continue_each_other_and_a_member_cut_off_is_lost_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/run");
        let run = json!({"method": "m", "seed": u64::MAX});
        let open = || Checkpoint::open(path.clone(), &run).unwrap();
        let (mut first, none) = open();
        assert_eq!(none, []);
        write(&mut first, &[0.1, 1.0 / 3.0, 3e-310]);
        drop(first);
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 3]).unwrap();
        let (mut second, found) = open();
        assert_eq!(found, expected(&[0.1, 1.0 / 3.0]));
        write(&mut second, &[7.0]);
        drop(second);
        let (third, found) = open();
        assert_eq!(found, expected(&[0.1, 1.0 / 3.0, 7.0]));
        third.remove().unwrap();
        assert!(!path.exists());
        open().0.remove().unwrap();
    }

    #[test]
    fn points_of_another_program_or_of_other_settings_are_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        let open =
            |commit: &str| Checkpoint::open(path.clone(), &json!({"commit": commit})).unwrap();
        write(&mut open("a").0, &[1.0]);
        let (mut other, found) = open("b");
        assert_eq!(found, []);
        write(&mut other, &[2.0]);
        assert_eq!(open("b").1, expected(&[2.0]));
        std::fs::write(&path, "no gzip").unwrap();
        assert_eq!(open("b").1, []);
    }
}
