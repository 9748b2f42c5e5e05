//! Recorded runs of other optimizers on BBOB.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

use csv::{ReaderBuilder, Trim};
use flate2::read::MultiGzDecoder;
use serde::Deserialize;

use crate::problems::bbob::score::GapCurve;

/// Function and instance.
pub type ProblemKey = (u32, u32);
/// Functions and instances.
pub type ProblemKeys = BTreeSet<ProblemKey>;
/// The runs of an optimizer in one dimension.
pub type GapCurves = BTreeMap<ProblemKey, GapCurve>;

/// One evaluation in the file.
#[derive(Deserialize)]
struct PeerRow {
    optimizer: String,
    dim: usize,
    function: u32,
    instance: u32,
    evaluation: u64,
    gap: f64,
}

/// Runs by optimizer and dimension.
#[derive(Clone, Debug, Default)]
pub struct PeerRuns {
    runs: BTreeMap<(usize, String), GapCurves>,
}

impl PeerRuns {
    /// Reads a CSV file, compressed or not, with columns optimizer, dim, function, instance, evaluation and gap.
    pub fn read(path: &Path) -> Result<Self, csv::Error> {
        let mut text = String::new();
        let file = std::fs::File::open(path)?;
        match path.extension().is_some_and(|extension| extension == "gz") {
            true => MultiGzDecoder::new(file).read_to_string(&mut text)?,
            false => std::io::BufReader::new(file).read_to_string(&mut text)?,
        };
        Self::parse(&text)
    }

    /// Reads the text of such a file.
    ///
    /// ```
    /// use neuralbo_lab::report::PeerRuns;
    ///
    /// let text = "optimizer,dim,function,instance,evaluation,gap\ntpe,2,1,1,1,50.0\ntpe,2,1,1,7,3.5\n";
    /// assert_eq!(PeerRuns::parse(text)?.of_dim(2).count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, csv::Error> {
        let mut peers = Self::default();
        let mut reader = ReaderBuilder::new()
            .trim(Trim::All)
            .from_reader(text.as_bytes());
        for row in reader.deserialize() {
            let row: PeerRow = row?;
            let of_peer = peers.runs.entry((row.dim, row.optimizer)).or_default();
            let problem = (row.function, row.instance);
            let curve = of_peer
                .entry(problem)
                .or_insert_with(|| GapCurve::new(row.dim));
            curve.record(row.evaluation, row.gap);
        }
        Ok(peers)
    }

    /// The optimizers of a dimension with their runs.
    pub fn of_dim(&self, dim: usize) -> impl Iterator<Item = (&str, &GapCurves)> {
        let runs = self.runs.iter().filter(move |((d, _), _)| *d == dim);
        runs.map(|((_, name), runs)| (name.as_str(), runs))
    }

    /// The problems among `ours` that most peers of a dimension have, and those peers.
    pub fn common(&self, dim: usize, ours: &ProblemKeys) -> (ProblemKeys, Vec<&str>) {
        let covered = |runs: &GapCurves| ours.iter().filter(|key| runs.contains_key(key)).count();
        let most = self.of_dim(dim).map(|(_, runs)| covered(runs));
        let most = most.max().unwrap_or(0);
        let full = |runs: &GapCurves| most > 0 && covered(runs) == most;
        let full: Vec<_> = self.of_dim(dim).filter(|(_, runs)| full(runs)).collect();
        let everywhere = |key: &&ProblemKey| {
            !full.is_empty() && full.iter().all(|(_, runs)| runs.contains_key(key))
        };
        let problems = ours.iter().filter(everywhere).copied().collect();
        (problems, full.into_iter().map(|(name, _)| name).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: &str = "optimizer,dim,function,instance,evaluation,gap";

    #[test]
    fn damaged_lines_are_named() {
        let refusal = |text: &str| PeerRuns::parse(text).unwrap_err().to_string();
        assert!(refusal("a,b\n1,2").contains("missing field `optimizer`"));
        let text = refusal(&format!("{COLUMNS}\nx,2,1,1,1,5\nx,2,1,one,1,5"));
        assert!(
            text.contains("line: 3") && text.contains("field 3"),
            "{text}"
        );
    }

    #[test]
    fn common_problems_are_those_of_the_peers_with_most() {
        let text = format!(
            "{COLUMNS}\na,2,1,1,1,5\na,2,1,2,1,5\nb,2,1,1,1,5\nb,2,1,2,1,5\nslow,2,1,1,1,5\n"
        );
        let peers = PeerRuns::parse(&text).unwrap();
        let (problems, names) = peers.common(2, &BTreeSet::from([(1, 1), (1, 2), (9, 9)]));
        let found = (problems, names);
        assert_eq!(found, (BTreeSet::from([(1, 1), (1, 2)]), vec!["a", "b"]));
    }
}
