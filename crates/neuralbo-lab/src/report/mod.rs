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

use serde_json::Value;

use crate::runner::{Experiment, LabError, RunTrace};

/// An experiment as the report shows it: statistics and figures; what they mean is for its readers.
#[derive(Clone, Copy)]
pub struct Reported {
    /// What is run.
    pub run: Experiment,
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

impl Reported {
    /// An experiment of our own, ranked by the means of the final values.
    pub const fn new(
        run: Experiment,
        title: &'static str,
        differences: fn(&Value) -> Vec<String>,
        report: fn(&mut Document, &Section<'_>),
    ) -> Self {
        let (loss, remark) = (mean_loss as Loss, "");
        Self {
            run,
            title,
            short_title: run.name,
            ranking: Some(Ranking { loss, remark }),
            published: || None,
            differences,
            report,
        }
    }
}

impl std::fmt::Debug for Reported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.run.name)
    }
}

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
    experiments: &[&'static Reported],
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
