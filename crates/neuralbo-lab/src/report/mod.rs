//! The report: figures and tables of the paper from a folder of results.
//!
//! Everything shown is computed here from the traces; nothing is measured again.

pub(crate) mod average;
mod calibration;
pub(crate) mod curves;
mod document;
pub(crate) mod format;
mod html;
pub(crate) mod methods;
mod origin;
mod rank;
pub(crate) mod recommended;
mod results;
pub mod run_summary;

pub(crate) use average::PlainSection;
pub use document::{Document, ReportBlock, ReportTable, TableCell};
pub use methods::mean_loss;
pub use results::{MethodRuns, Published, Results, ResultsError};

use std::path::Path;

use crate::experiments::Experiment;
use crate::runner::{LabError, RunTrace};

/// How the methods of an experiment are ranked.
#[derive(Clone, Copy, Debug)]
pub struct Ranking {
    /// How bad a method's runs on one problem are; smaller is better.
    pub loss: Loss,
    /// A sentence where this is not the mean of the final values.
    pub remark: &'static str,
}

/// How bad some runs are; smaller is better.
pub type Loss = fn(&[&RunTrace]) -> f64;

/// What an experiment writes its section from.
pub struct Section<'a> {
    /// Its results.
    pub results: &'a Results,
    /// What differs from the paper; every figure carries it.
    pub note: String,
}

/// Makes the report of a folder in which `lab run` has left its results.
pub fn document(
    folder: &Path,
    experiments: &[&'static Experiment],
) -> Result<Document, ResultsError> {
    let experiments = results::load(folder, experiments)?;
    let mut document = Document::new("Results of the NeuralBO lab");
    origin::describe(&mut document, &experiments);
    for results in &experiments {
        let (experiment, note) = (results.experiment, results::note(results));
        document.section(experiment.title);
        document.text(&note);
        (experiment.report)(&mut document, &Section { results, note });
    }
    rank::report(&mut document, &experiments);
    calibration::report(&mut document, &experiments);
    origin::times(&mut document, &experiments);
    origin::failures(&mut document, &experiments);
    Ok(document)
}

/// Writes `report.html`, `report.md` and the figures of the latter, `figures/*.svg`.
pub fn write(document: &Document, folder: &Path) -> Result<(), LabError> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        let made = path
            .parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&path, text));
        made.map_err(|error| LabError::file(&path, error))
    };
    write("report.html", &html::html(document))?;
    write("report.md", &html::markdown(document))?;
    document
        .figures()
        .try_for_each(|(name, svg)| write(&html::figure_path(name), svg))
}
