//! Recorded runs of other optimizers on BBOB.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;

use crate::problems::bbob::score::GapCurve;

/// Function and instance.
pub type ProblemKey = (u32, u32);

const COLUMNS: &str = "optimizer,dim,function,instance,evaluation,gap";

/// Why runs could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PeersError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// A line is wrong.
    #[error("line {line}: {reason}")]
    Line {
        /// Counts from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}

/// Runs by optimizer and dimension.
#[derive(Clone, Debug, Default)]
pub struct PeerRuns {
    runs: BTreeMap<(usize, String), BTreeMap<ProblemKey, GapCurve>>,
}

impl PeerRuns {
    /// Reads a CSV file, compressed or not, with columns optimizer, dim, function, instance, evaluation and gap.
    pub fn read(path: &Path) -> Result<Self, PeersError> {
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
    /// # Ok::<(), neuralbo_lab::report::PeersError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, PeersError> {
        let mut lines = text.lines();
        if lines.next().map(str::trim) != Some(COLUMNS) {
            return Err(PeersError::Line {
                line: 1,
                reason: format!("it must be {COLUMNS}"),
            });
        }
        let mut peers = Self::default();
        for (i, line) in lines.enumerate() {
            peers.add(line).map_err(|reason| PeersError::Line {
                line: i + 2,
                reason,
            })?;
        }
        Ok(peers)
    }

    fn add(&mut self, line: &str) -> Result<(), String> {
        let fields: Vec<&str> = line.trim().split(',').collect();
        let [optimizer, dim, function, instance, evaluation, gap] = fields[..] else {
            return Err(format!("{} fields found, 6 expected", fields.len()));
        };
        let dim = number("dim", dim)?;
        let of_peer = self.runs.entry((dim, optimizer.to_owned())).or_default();
        let problem = (number("function", function)?, number("instance", instance)?);
        let trace = of_peer.entry(problem).or_insert_with(|| GapCurve::new(dim));
        trace.record(number("evaluation", evaluation)?, number("gap", gap)?);
        Ok(())
    }

    /// The optimizers of a dimension with their runs.
    pub fn of_dim(
        &self,
        dim: usize,
    ) -> impl Iterator<Item = (&str, &BTreeMap<ProblemKey, GapCurve>)> {
        self.runs
            .iter()
            .filter(move |((d, _), _)| *d == dim)
            .map(|((_, name), runs)| (name.as_str(), runs))
    }

    /// The problems among `ours` that most peers of a dimension have, and those peers.
    pub fn common(
        &self,
        dim: usize,
        ours: &BTreeSet<ProblemKey>,
    ) -> (BTreeSet<ProblemKey>, Vec<&str>) {
        let covered = |runs: &BTreeMap<ProblemKey, GapCurve>| {
            ours.iter().filter(|key| runs.contains_key(key)).count()
        };
        let most = self
            .of_dim(dim)
            .map(|(_, runs)| covered(runs))
            .max()
            .unwrap_or(0);
        let full: Vec<_> = self
            .of_dim(dim)
            .filter(|(_, runs)| most > 0 && covered(runs) == most)
            .collect();
        let everywhere = |key: &&ProblemKey| full.iter().all(|(_, runs)| runs.contains_key(key));
        let problems = if full.is_empty() {
            BTreeSet::new()
        } else {
            ours.iter().filter(everywhere).copied().collect()
        };
        (problems, full.into_iter().map(|(name, _)| name).collect())
    }
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("{name} = `{text}` is not a number"))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn damaged_lines_are_named() {
        let refusal = |text: &str| PeerRuns::parse(text).unwrap_err().to_string();
        assert!(refusal("a,b").contains("line 1"));
        assert!(
            refusal(&format!("{COLUMNS}\nx,2,1,1,1,5\nx,2,1,one,1,5"))
                .contains("line 3: instance = `one`")
        );
    }

    #[test]
    fn common_problems_are_those_of_the_peers_with_most() {
        let text = format!(
            "{COLUMNS}\na,2,1,1,1,5\na,2,1,2,1,5\nb,2,1,1,1,5\nb,2,1,2,1,5\nslow,2,1,1,1,5\n"
        );
        let peers = PeerRuns::parse(&text).unwrap();
        let (problems, names) = peers.common(2, &BTreeSet::from([(1, 1), (1, 2), (9, 9)]));
        assert_eq!(
            (problems, names),
            (BTreeSet::from([(1, 1), (1, 2)]), vec!["a", "b"])
        );
    }
}
