//! A few numbers per run: what is kept of traces that are too large to keep.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

use super::Reported;
use super::results::{self, Results, ResultsError};
use crate::runner::{LabError, RunTrace, write_file};

/// Parts of a run, in percent of its evaluations, at which the best value is kept.
const PERCENT: [u64; 8] = [0, 1, 2, 5, 10, 20, 50, 100];

/// Writes `EXPERIMENT.csv.gz`, one line per run, and `EXPERIMENT.json`, its manifest, for every experiment of a folder; returns the
/// files.
pub fn write(
    folder: &Path,
    out: &Path,
    experiments: &[&'static dyn Reported],
) -> Result<Vec<PathBuf>, ResultsError> {
    let mut files = Vec::new();
    for results in results::load(folder, experiments)? {
        let name = results.experiment.name();
        let (table, manifest) = (
            out.join(format!("{name}.csv.gz")),
            out.join(format!("{name}.json")),
        );
        let bytes =
            compressed(&table_of(&results)).map_err(|error| LabError::file(&table, error))?;
        write_file(&table, &bytes)?;
        let text = serde_json::to_string_pretty(&results.manifest)
            .map_err(|error| LabError::file(&manifest, error))?;
        write_file(&manifest, (text + "\n").as_bytes())?;
        files.extend([table, manifest]);
    }
    Ok(files)
}

fn compressed(text: &str) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes())?;
    encoder.finish()
}

fn table_of(results: &Results) -> String {
    let titles = PERCENT.map(|percent| format!("best_{percent}")).join(",");
    let mut text =
        format!("problem,method,run,evaluations,seconds,at_bounds,from_centre,{titles},error\n");
    for trace in &results.traces {
        let _ = writeln!(text, "{}", line(trace));
    }
    text
}

fn line(trace: &RunTrace) -> String {
    let header = &trace.header;
    let place = header.place.map_or([None; 2], |place| {
        [Some(place.at_bounds), Some(place.from_centre)]
    });
    let best = PERCENT.map(|percent| trace.best_at((header.evaluations * percent).div_ceil(100)));
    let number = |value: &Option<f64>| value.map_or(String::new(), six_digits);
    let numbers: Vec<String> = [Some(header.seconds)]
        .iter()
        .chain(&place)
        .chain(&best)
        .map(number)
        .collect();
    let error = header.error.as_deref().unwrap_or_default();
    let texts = [
        field(&header.problem),
        field(&header.method),
        header.run.to_string(),
        header.evaluations.to_string(),
    ];
    format!("{},{},{}", texts.join(","), numbers.join(","), field(error))
}

/// The shortest form of a number rounded to six digits.
fn six_digits(value: f64) -> String {
    format!("{value:.5e}")
        .parse::<f64>()
        .map_or_else(|_| value.to_string(), |rounded| format!("{rounded:?}"))
}

/// A field of a CSV file, quoted where it must be.
pub(crate) fn field(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    if text.contains([',', '"']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::testing::trace;

    #[test]
    fn a_line_holds_the_best_values_of_a_run() {
        let mut trace = trace();
        trace.header.method = "neuralbo-paper:nu=0.1,constant=yes".into();
        assert_eq!(
            line(&trace),
            "ackley-2,\"neuralbo-paper:nu=0.1,constant=yes\",1,2,0.25,,,3.0,3.0,3.0,3.0,3.0,3.0,3.0,1.0,"
        );
        trace.header.error = Some("panic: a \"b\"".into());
        assert!(line(&trace).ends_with(",\"panic: a \"\"b\"\"\""));
    }

    #[test]
    fn numbers_have_six_digits() {
        assert_eq!(
            [0.1234567, 1234567.0, 0.0, -2e-9, 3.0].map(six_digits),
            ["0.123457", "1234570.0", "0.0", "-2e-9", "3.0"]
        );
    }
}
