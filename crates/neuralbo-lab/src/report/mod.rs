//! The report: figures and tables of the paper from a folder of results.
//!
//! Everything shown is computed here from the traces; nothing is measured again.

mod average;
mod bbob;
mod bbob_peers;
mod calibration;
mod cost;
mod curves;
mod difference;
mod document;
mod failures;
mod format;
mod html;
mod markdown;
mod memory;
mod methods;
mod origin;
mod peers;
mod push;
mod rank;
mod recommended;
mod results;
mod retrieval;
mod sensitive;
mod significance;
mod synthetic;

pub use document::{Block, Cell, Document, Table};
pub use peers::{PeerRuns, PeersError};
pub use results::{Results, ResultsError};

use std::path::Path;

use crate::experiment::{Kind, LabError};

/// Makes the report of a folder in which `lab run` has left its results.
pub fn document(folder: &Path, peers: Option<&PeerRuns>) -> Result<Document, ResultsError> {
    let experiments = results::load(folder)?;
    let mut document = Document::new("Results of the NeuralBO lab");
    origin::describe(&mut document, &experiments);
    for results in &experiments {
        match results.manifest.experiment {
            Kind::Synthetic => synthetic::report(&mut document, results),
            Kind::Bbob => bbob::report(&mut document, results, peers),
            Kind::Sensitive => sensitive::report(&mut document, results),
            Kind::Retrieval => retrieval::report(&mut document, results),
            Kind::Push => push::report(&mut document, results),
            Kind::Memory => memory::report(&mut document, results),
        }
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
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::write(&path, text));
        made.map_err(|error| LabError::file(&path, error))
    };
    write("report.html", &html::render(document))?;
    write("report.md", &markdown::render(document))?;
    document.figures().try_for_each(|(name, svg)| write(&markdown::figure_path(name), svg))
}
