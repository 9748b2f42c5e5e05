//! The record of one run: a header with what was run, then a row per evaluation.
//!
//! A file is gzip-compressed CSV; its first line is a comment, `# ` followed by the header as JSON.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use csv::{ReaderBuilder, WriterBuilder};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use neuralbo::record::Direction;
use neuralbo::space::Value;
use serde::{Deserialize, Serialize};

use super::{LabError, write_file};

/// The version of the file format.
pub const FORMAT: u32 = 1;

const COLUMNS: &str = "evaluation,observed,truth,best,seconds,memory,mean,sd,origin";

/// What was run and how it ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceHeader {
    /// `FORMAT`.
    pub format: u32,
    /// The experiment.
    pub experiment: String,
    /// The problem.
    pub problem: String,
    /// The method as it is written on the command line.
    pub method: String,
    /// The run, from 1; of BBOB the instance.
    pub run: u32,
    /// The seed of the run's initial design and noise.
    pub seed: u64,
    /// Which way is better.
    pub direction: Direction,
    /// Encoded dimension of the space.
    pub dim: usize,
    /// Evaluations planned.
    pub evaluations: u64,
    /// Points of the shared initial design.
    pub initial: u64,
    /// Why the run ended early, if it did.
    pub error: Option<String>,
    /// The evaluated point with the best true value.
    pub best_point: Vec<Value>,
    /// The true value at the point with the best observation; noisy problems only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_seen_truth: Option<f64>,
    /// The true value at the point that the method's model recommends in the end; noisy problems and methods with a model only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recommended_truth: Option<f64>,
    /// Where the chosen points lie; boxes only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<BoxLocation>,
    /// Seconds the whole run took.
    pub seconds: f64,
}

impl TraceHeader {
    /// Problem, method and run: what traces are sorted by.
    pub fn key(&self) -> (&str, &str, u32) {
        (&self.problem, &self.method, self.run)
    }
}

/// One evaluation. Number 0 stands for the initial design as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceRow {
    /// Counts from 1.
    pub evaluation: u64,
    /// What the method was told; none for row 0.
    pub observed: Option<f64>,
    /// The value without noise; of BBOB the gap to the optimum. None for row 0.
    pub truth: Option<f64>,
    /// The best of `truth` so far, the initial design included.
    pub best: f64,
    /// Seconds the method took to choose the point.
    pub seconds: f64,
    /// Resident set of the method's process in bytes, where it was measured.
    pub memory: Option<u64>,
    /// The value that a model predicted for `observed`, where the point was chosen by one.
    pub mean: Option<f64>,
    /// Standard deviation of that prediction, noise included.
    pub sd: Option<f64>,
    /// Where the point came from.
    pub origin: String,
}

/// The record of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunTrace {
    /// What was run.
    pub header: TraceHeader,
    /// What happened.
    pub rows: Vec<TraceRow>,
}

impl RunTrace {
    /// The best true value at the end.
    pub fn last_best(&self) -> Option<f64> {
        self.rows.last().map(|row| row.best)
    }

    /// The best true value after `evaluation` evaluations.
    pub fn best_at(&self, evaluation: u64) -> Option<f64> {
        let rows = &self.rows;
        let until = rows.partition_point(|row| row.evaluation <= evaluation);
        until.checked_sub(1).map(|i| self.rows[i].best)
    }

    /// Writes the file in one step: it is there as a whole or not at all.
    pub fn write(&self, path: &Path) -> Result<(), LabError> {
        let bytes = self.compressed();
        write_file(path, &bytes.map_err(|error| LabError::file(path, error))?)
    }

    fn compressed(&self) -> io::Result<Vec<u8>> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        writeln!(encoder, "# {}", serde_json::to_string(&self.header)?)?;
        writeln!(encoder, "{COLUMNS}")?;
        let mut rows = WriterBuilder::new().has_headers(false).from_writer(encoder);
        for row in &self.rows {
            rows.serialize(row)?;
        }
        let encoder = rows.into_inner().map_err(|error| error.into_error())?;
        encoder.finish()
    }

    /// Reads a file; the error says what is wrong with it.
    pub fn read(path: &Path) -> Result<Self, String> {
        let mut text = String::new();
        let decoded =
            File::open(path).and_then(|file| GzDecoder::new(file).read_to_string(&mut text));
        decoded.map_err(|error| error.to_string())?;
        Self::parse(&text)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let header = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let header = header.ok_or("line 1 must be `# ` and a JSON header")?;
        let header: TraceHeader =
            serde_json::from_str(header).map_err(|error| format!("line 1: {error}"))?;
        if header.format != FORMAT {
            let format = header.format;
            return Err(format!(
                "line 1: format = {format} is not known; it must be {FORMAT}"
            ));
        }
        let mut reader = ReaderBuilder::new()
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        let rows = reader.deserialize().collect::<Result<_, csv::Error>>();
        let rows = rows.map_err(|error| error.to_string())?;
        Ok(Self { header, rows })
    }
}

/// Coordinates in [−1, 1] from here on are at a bound.
const BOUND: f64 = 1.0 - 1e-9;

/// Where the points of a run lie in the box, scaled to [−1, 1]; the initial design does not count.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoxLocation {
    /// Share of the coordinates that are at a bound.
    pub at_bounds: f64,
    /// Root mean square of the coordinates: 0 in the centre, 1 in a corner.
    pub from_centre: f64,
}

/// Sums over the coordinates of the chosen points.
#[derive(Default)]
pub(super) struct LocationSums {
    at_bounds: f64,
    squares: f64,
    count: f64,
}

impl LocationSums {
    /// Adds an encoded point of a box.
    pub(super) fn add(&mut self, row: &[f64]) {
        self.at_bounds += row.iter().filter(|x| x.abs() >= BOUND).count() as f64;
        self.squares += row.iter().map(|x| x * x).sum::<f64>();
        self.count += row.len() as f64;
    }

    /// The mean over all of them; none without points.
    pub(super) fn mean(&self) -> Option<BoxLocation> {
        let mean = |sum: f64| sum / self.count;
        (self.count > 0.0).then(|| BoxLocation {
            at_bounds: mean(self.at_bounds),
            from_centre: mean(self.squares).sqrt(),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub fn trace() -> RunTrace {
        let header = TraceHeader {
            format: FORMAT,
            experiment: "synthetic".into(),
            problem: "ackley-2".into(),
            method: "random".into(),
            run: 1,
            seed: 1,
            direction: Direction::Minimize,
            dim: 2,
            evaluations: 2,
            initial: 3,
            error: None,
            best_point: vec![0.5.into(), 2.into()],
            best_seen_truth: None,
            recommended_truth: None,
            place: None,
            seconds: 0.25,
        };
        let row = |evaluation, value: Option<f64>, best, origin: &str| TraceRow {
            evaluation,
            observed: value,
            truth: value,
            best,
            seconds: 0.5,
            memory: None,
            mean: value.filter(|_| origin == "model").map(|v| v + 0.25),
            sd: value.filter(|_| origin == "model").map(|_| 0.125),
            origin: origin.into(),
        };
        let rows = vec![
            row(0, None, 3.0, "shared"),
            row(1, Some(4.0), 3.0, "model"),
            row(2, Some(1.0), 1.0, "fallback:a, b"),
        ];
        RunTrace { header, rows }
    }

    #[test]
    fn what_is_written_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/run.csv.gz");
        trace().write(&path).unwrap();
        assert_eq!(RunTrace::read(&path).unwrap(), trace());
        let mut noisy = trace();
        (noisy.header.best_seen_truth, noisy.header.recommended_truth) = (Some(1.5), Some(1.25));
        noisy.write(&path).unwrap();
        assert_eq!(RunTrace::read(&path).unwrap(), noisy);
        let found = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(found, 1);
    }

    #[test]
    fn the_best_is_known_at_every_evaluation() {
        let trace = trace();
        let found = [0, 1, 2, 9].map(|t| trace.best_at(t));
        assert_eq!(found, [Some(3.0), Some(3.0), Some(1.0), Some(1.0)]);
    }

    #[test]
    fn damaged_files_are_refused_with_the_line_and_field() {
        let header = serde_json::to_string(&trace().header).unwrap();
        let header = format!("# {header}\n{COLUMNS}\n");
        let refusal = |text: &str| RunTrace::parse(text).unwrap_err();
        assert!(refusal("").contains("line 1"));
        for (row, expected) in [
            ("1,2,3", "line: 3, byte"),
            ("1,2,x,4,5,,,,o", "field 2: invalid float"),
            ("1,2,3,4,5,,o", "7 fields"),
            ("1,2,3,4,5,,6,y,o", "field 7: invalid float"),
        ] {
            let text = refusal(&format!("{header}{row}"));
            assert!(text.contains(expected), "{text}");
        }
        let other = header.replace("\"format\":1", "\"format\":7");
        assert!(refusal(&other).contains("format = 7"));
    }

    #[test]
    fn corners_are_told_from_the_centre() {
        let mut places = LocationSums::default();
        assert_eq!(places.mean(), None);
        places.add(&[1.0, -1.0]);
        places.add(&[0.0, 0.0]);
        let mean = places.mean().unwrap();
        assert_eq!((mean.at_bounds, mean.from_centre), (0.5, 0.5f64.sqrt()));
    }
}
