//! A few numbers per run: what is kept of traces that are too large to keep.

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
    experiments: &[&'static Reported],
) -> Result<Vec<PathBuf>, ResultsError> {
    let mut files = Vec::new();
    for results in results::load(folder, experiments)? {
        let name = results.experiment.run.name;
        let table = out.join(format!("{name}.csv.gz"));
        let manifest = out.join(format!("{name}.json"));
        let bytes = compressed(&results).map_err(|error| LabError::file(&table, error))?;
        write_file(&table, &bytes)?;
        let text = serde_json::to_string_pretty(&results.manifest)
            .map_err(|error| LabError::file(&manifest, error))?;
        write_file(&manifest, (text + "\n").as_bytes())?;
        files.extend([table, manifest]);
    }
    Ok(files)
}

fn compressed(results: &Results) -> std::io::Result<Vec<u8>> {
    let encoder = GzEncoder::new(Vec::new(), Compression::best());
    let mut writer = csv::Writer::from_writer(encoder);
    let columns = "problem,method,run,evaluations,seconds,at_bounds,from_centre";
    let names = PERCENT.map(|percent| format!("best_{percent}"));
    let best = names.iter().map(String::as_str);
    writer.write_record(columns.split(',').chain(best).chain(["error"]))?;
    for trace in &results.traces {
        writer.write_record(record(trace))?;
    }
    let encoder = writer.into_inner().map_err(|error| error.into_error())?;
    encoder.finish()
}

/// The fields of a run.
fn record(trace: &RunTrace) -> Vec<String> {
    let header = &trace.header;
    let place = header.place.map_or([None; 2], |place| {
        [Some(place.at_bounds), Some(place.from_centre)]
    });
    let best = PERCENT.map(|percent| trace.best_at((header.evaluations * percent).div_ceil(100)));
    let numbers = [&[Some(header.seconds)][..], &place, &best].concat();
    let mut fields = vec![
        header.problem.clone(),
        header.method.clone(),
        header.run.to_string(),
        header.evaluations.to_string(),
    ];
    let numbers = numbers.into_iter();
    fields.extend(numbers.map(|value| value.map_or(String::new(), six_digits)));
    let error = header.error.as_deref().unwrap_or_default();
    fields.push(error.replace(['\n', '\r'], " "));
    fields
}

/// The shortest form of a number rounded to six digits.
fn six_digits(value: f64) -> String {
    format!("{value:.5e}")
        .parse::<f64>()
        .map_or_else(|_| value.to_string(), |rounded| format!("{rounded:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runner::testing::trace;

    #[test]
    fn a_line_holds_the_best_values_of_a_run() {
        let mut trace = trace();
        let expected = "ackley-2;random;1;2;0.25;;;3.0;3.0;3.0;3.0;3.0;3.0;3.0;1.0;";
        assert_eq!(record(&trace).join(";"), expected);
        trace.header.error = Some("panic: a\n\"b\"".into());
        assert_eq!(record(&trace).last().unwrap(), "panic: a \"b\"");
    }

    #[test]
    fn numbers_have_six_digits() {
        let found = [0.1234567, 1234567.0, 0.0, -2e-9, 3.0].map(six_digits);
        assert_eq!(found, ["0.123457", "1234570.0", "0.0", "-2e-9", "3.0"]);
    }
}
