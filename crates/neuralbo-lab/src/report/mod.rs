//! The report: figures and tables of the paper from a folder of results.
//!
//! Everything shown is computed here from the traces; nothing is measured again.

pub(crate) mod average;
mod calibration;
pub mod checkpoints;
pub(crate) mod claims;
mod contests;
mod cost;
pub(crate) mod curves;
mod difference;
mod document;
mod failures;
pub(crate) mod format;
mod html;
mod markdown;
pub(crate) mod methods;
mod origin;
pub(crate) mod peers;
mod rank;
pub(crate) mod recommended;
mod results;
pub(crate) mod versus;

pub use claims::{Claim, Finding, Verdict};
pub use document::{Block, Cell, Document, Table};
pub use methods::mean_loss;
pub use peers::{PeerRuns, PeersError};
#[cfg(test)]
pub(crate) use results::testing;
pub use results::{MethodRuns, Results, ResultsError};

use std::path::Path;

use crate::experiment::LabError;

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
pub fn document(folder: &Path, peers: Option<&PeerRuns>) -> Result<Document, ResultsError> {
    let experiments = results::load(folder)?;
    let mut document = Document::new("Results of the NeuralBO lab");
    origin::describe(&mut document, &experiments);
    claims::report(&mut document, &experiments);
    for results in &experiments {
        let (experiment, note) = (results.manifest.experiment, difference::note(results));
        document.section(experiment.title());
        document.text(&note);
        experiment.report(
            &mut document,
            &Section {
                results,
                note,
                peers,
            },
        );
    }
    rank::report(&mut document, &experiments);
    contests::report(&mut document, &experiments);
    calibration::report(&mut document, &experiments);
    cost::report(&mut document, &experiments);
    failures::report(&mut document, &experiments);
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
    write("report.html", &html::render(document))?;
    write("report.md", &markdown::render(document))?;
    document
        .figures()
        .try_for_each(|(name, svg)| write(&markdown::figure_path(name), svg))
}
