//! The report: figures and tables of the paper from a folder of results.
//!
//! Everything shown is computed here from the traces; nothing is measured again.

pub(crate) mod average;
mod calibration;
mod cost;
pub(crate) mod curves;
mod difference;
mod document;
mod failures;
mod forecast;
pub(crate) mod format;
mod html;
mod markdown;
pub(crate) mod methods;
mod origin;
pub(crate) mod peers;
mod plain;
mod rank;
pub(crate) mod recommended;
mod results;
pub mod run_summary;

pub use difference::Published;
pub use document::{Document, ReportBlock, ReportTable, TableCell};
pub use methods::mean_loss;
pub use peers::PeerRuns;
pub(crate) use plain::PlainSection;
pub use results::{MethodRuns, Results, ResultsError};

use std::path::Path;

use serde_json::Value;

use crate::runner::{Experiment, LabError, RunTrace};

/// An experiment as the report shows it: statistics and figures; what they mean is for its readers.
pub trait Reported: Experiment {
    /// The heading of its section.
    fn title(&self) -> &'static str;

    /// What it is called within a sentence.
    fn short_title(&self) -> &'static str {
        self.name()
    }

    /// How methods are ranked; none where final values are not compared.
    fn ranking(&self) -> Option<Ranking> {
        Some(Ranking {
            loss: mean_loss,
            remark: "",
        })
    }

    /// Whether times per suggestion are shown; those of another process include the protocol.
    fn timed(&self) -> bool {
        !self.own_processes()
    }

    /// What the paper ran; none of an experiment of our own.
    fn published(&self) -> Option<Published> {
        None
    }

    /// What differs from the paper by its nature, from the facts that the manifest has.
    fn differences(&self, facts: &Value) -> Vec<String>;

    /// Writes the figures and tables of its section, whose heading and first sentence are there.
    fn report(&self, document: &mut Document, section: &Section<'_>);
}

impl std::fmt::Debug for dyn Reported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// How the methods of an experiment are ranked.
#[derive(Clone, Copy, Debug)]
pub struct Ranking {
    /// How bad a method's runs on one problem are; smaller is better.
    pub loss: fn(&[&RunTrace]) -> f64,
    /// A sentence where this is not the mean of the final values.
    pub remark: &'static str,
}

/// What an experiment writes its section from.
pub struct Section<'a> {
    /// Its results.
    pub results: &'a Results,
    /// What differs from the paper; every figure carries it.
    pub note: String,
    /// Recorded runs of other optimizers.
    pub peers: Option<&'a PeerRuns>,
}

/// Makes the report of a folder in which `lab run` has left its results.
pub fn document(
    folder: &Path,
    experiments: &[&'static dyn Reported],
    peers: Option<&PeerRuns>,
) -> Result<Document, ResultsError> {
    let experiments = results::load(folder, experiments)?;
    let mut document = Document::new("Results of the NeuralBO lab");
    origin::describe(&mut document, &experiments);
    for results in &experiments {
        let (experiment, note) = (results.experiment, difference::note(results));
        document.section(experiment.title());
        document.text(&note);
        let section = Section {
            results,
            note,
            peers,
        };
        experiment.report(&mut document, &section);
    }
    rank::report(&mut document, &experiments);
    calibration::report(&mut document, &experiments);
    cost::report(&mut document, &experiments);
    failures::report(&mut document, &experiments);
    Ok(document)
}

/// Writes `report.html`, `report.md` and the figures of the latter, `figures/*.svg`.
pub fn write(document: &Document, folder: &Path) -> Result<(), LabError> {
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let made = made.and_then(|()| std::fs::write(&path, text));
        made.map_err(|error| LabError::file(&path, error))
    };
    write("report.html", &html::render(document))?;
    write("report.md", &markdown::render(document))?;
    document
        .figures()
        .try_for_each(|(name, svg)| write(&markdown::figure_path(name), svg))
}
