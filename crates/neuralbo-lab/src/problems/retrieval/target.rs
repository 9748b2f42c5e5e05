//! One run's search for its target.

use neuralbo::linalg::{Points, Purpose, Streams};
use rand::RngExt;

use super::{Corpus, CorpusTerms, hierarchical_f1};

/// A target taken out of the corpus, and the scores of all the other documents; the score is maximized.
///
/// Documents of the pool are numbered from 0 in the order of the corpus, the target left out.
///
/// ```
/// use neuralbo::space::Space;
/// use neuralbo_lab::problems::retrieval::{Corpus, CorpusTerms, TargetSearch};
///
/// let line = |label: &str| format!("s\ttoys\tgames\t{label}\tred {label}\n");
/// let text = ["cards", "dice", "puzzles"].map(line).concat();
/// let corpus = Corpus::parse(&format!("source\tcat1\tcat2\tcat3\ttext\n{text}"))?;
/// let terms = CorpusTerms::new(&corpus, 500);
///
/// let search = TargetSearch::new(&corpus, 7);
/// let space = Space::from_pool(search.pool(&terms)).map_err(|error| error.to_string())?;
/// assert_eq!(space.pool().map(|rows| rows.len()), Some(2));
/// assert_eq!(search.score(1), Some(2.0 / 3.0));
/// assert_eq!(search.score(2), None);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct TargetSearch {
    target: usize,
    scores: Vec<f64>,
}

impl TargetSearch {
    /// The search of the run with this seed: its target is drawn evenly from all documents.
    pub fn new(corpus: &Corpus, seed: u64) -> Self {
        // A corpus is never empty.
        let target = Streams::new(seed)
            .stream(0, Purpose::Design)
            .random_range(0..corpus.documents().len());
        Self::for_target(corpus, target)
    }

    fn for_target(corpus: &Corpus, target: usize) -> Self {
        let documents = corpus.documents();
        let truth = &documents[target].path;
        let pool = documents.iter().enumerate().filter(|(i, _)| *i != target);
        Self {
            target,
            scores: pool
                .map(|(_, document)| hierarchical_f1(&document.path, truth))
                .collect(),
        }
    }

    /// Number of the target in the corpus.
    pub fn target(&self) -> usize {
        self.target
    }

    /// Number of documents in the pool.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// Whether the target was the only document.
    pub fn is_empty(&self) -> bool {
        self.scores.is_empty()
    }

    /// The pool's rows for [`Space::from_pool`](neuralbo::space::Space::from_pool).
    pub fn pool(&self, terms: &CorpusTerms) -> Points {
        let rows = terms.rows();
        let mut pool = rows.slice(0..self.target);
        pool.extend(&rows.slice(self.target + 1..rows.len()));
        pool
    }

    /// Hierarchical F1 of document `index` of the pool against the target.
    pub fn score(&self, index: usize) -> Option<f64> {
        self.scores.get(index).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::real;
    use crate::problems::retrieval::TERMS;
    use crate::problems::retrieval::corpus::corpus_of;
    use std::collections::BTreeSet;

    fn corpus() -> Corpus {
        corpus_of([
            "a\tb\tc\tone",
            "a\tb\td\ttwo",
            "a\te\tf\tthree",
            "g\tb\tc\tfour",
            "a\tb\tc\tfive",
        ])
    }

    #[test]
    fn scores_and_rows_skip_the_target() {
        let corpus = corpus();
        let search = TargetSearch::for_target(&corpus, 1);
        let found = (search.target(), search.len(), search.is_empty());
        assert_eq!(found, (1, 4, false));
        let thirds = [0, 1, 2, 3].map(|i| (3.0 * search.score(i).unwrap()).round());
        assert_eq!(thirds, [2.0, 1.0, 0.0, 2.0]);
        let terms = CorpusTerms::new(&corpus, TERMS);
        let pool = search.pool(&terms);
        for (i, document) in [0, 2, 3, 4].into_iter().enumerate() {
            assert_eq!(pool.row(i), terms.rows().row(document));
        }
    }

    #[test]
    fn seeds_choose_targets_repeatably_and_differently() {
        let corpus = corpus();
        let targets: BTreeSet<usize> = (0..60)
            .map(|seed| TargetSearch::new(&corpus, seed).target())
            .collect();
        assert_eq!(targets.len(), 5);
        assert_eq!(TargetSearch::new(&corpus, 3), TargetSearch::new(&corpus, 3));
    }

    #[test]
    fn the_real_pool_has_every_document_but_the_target() {
        let Some(data) = real("amazon") else { return };
        let corpus = Corpus::read(&data).unwrap();
        let search = TargetSearch::new(&corpus, 1);
        assert_eq!(search.len(), 17_020);
        let levels: BTreeSet<u8> = (0..search.len())
            .map(|i| (3.0 * search.score(i).unwrap()).round() as u8)
            .collect();
        assert!(levels.contains(&0) && levels.iter().all(|&shared| shared <= 3));
    }
}
