//! One run's search for its target.

use neuralbo::linalg::{Points, Purpose, Streams};
use rand::RngExt;

use super::TextDocument;

/// A target taken out of the documents, and the scores of all the others; the score is maximized.
///
/// Documents of the pool are numbered from 0 in their order, the target left out.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetSearch {
    target: usize,
    scores: Vec<f64>,
}

impl TargetSearch {
    /// The search of the run with this seed: its target is drawn evenly from all documents, of which there is at least one.
    pub fn new(documents: &[TextDocument], seed: u64) -> Self {
        let mut rng = Streams::new(seed).stream(0, Purpose::Design);
        Self::for_target(documents, rng.random_range(0..documents.len()))
    }

    fn for_target(documents: &[TextDocument], target: usize) -> Self {
        let truth = &documents[target].path;
        let pool = documents.iter().enumerate().filter(|(i, _)| *i != target);
        let score = |document: &TextDocument| hierarchical_f1(&document.path, truth);
        Self {
            target,
            scores: pool.map(|(_, document)| score(document)).collect(),
        }
    }

    /// Number of documents in the pool.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// The pool's rows for [`Space::from_pool`](neuralbo::space::Space::from_pool), of those of all documents.
    pub fn pool(&self, rows: &Points) -> Points {
        let mut pool = rows.slice(0..self.target);
        pool.extend(&rows.slice(self.target + 1..rows.len()));
        pool
    }

    /// Hierarchical F1 of document `index` of the pool against the target.
    pub fn score(&self, index: usize) -> Option<f64> {
        self.scores.get(index).copied()
    }
}

/// Hierarchical F1 of a predicted label against the true one, each given as its path from below the root.
///
/// Each label is extended with its ancestors, which are the prefixes of its path; precision P and recall R are the shares of
/// common nodes among predicted and true ones, and F = 2PR/(P + R), 0 when nothing is shared (Kiritchenko et al. 2006). A name
/// counts only at the same place: nodes are paths, not names.
fn hierarchical_f1(predicted: &[String], truth: &[String]) -> f64 {
    let pairs = predicted.iter().zip(truth);
    let shared = pairs.take_while(|(a, b)| a == b).count() as f64;
    if shared == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (shared / predicted.len() as f64, shared / truth.len() as f64);
    2.0 * precision * recall / (precision + recall)
}

#[cfg(test)]
mod tests {
    use super::super::corpus::{documents, read};
    use super::*;
    use crate::data::testing::real;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn five() -> Vec<TextDocument> {
        documents(&[
            "a\tb\tc\tone",
            "a\tb\td\ttwo",
            "a\te\tf\tthree",
            "g\tb\tc\tfour",
            "a\tb\tc\tfive",
        ])
    }

    #[test]
    fn scores_and_rows_skip_the_target() {
        let search = TargetSearch::for_target(&five(), 1);
        assert_eq!((search.target, search.len()), (1, 4));
        let thirds = [0, 1, 2, 3].map(|i| (3.0 * search.score(i).unwrap()).round());
        assert_eq!(thirds, [2.0, 1.0, 0.0, 2.0]);
        let rows = Points::from_rows(1, (0..5).map(|i| [f64::from(i)]));
        assert_eq!(search.pool(&rows).as_slice(), [0.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn seeds_choose_targets_repeatably_and_differently() {
        let search = |seed| TargetSearch::new(&five(), seed);
        let targets: BTreeSet<usize> = (0..60).map(|seed| search(seed).target).collect();
        assert_eq!(targets.len(), 5);
        assert_eq!(search(3), search(3));
    }

    #[test]
    fn the_real_pool_has_every_document_but_the_target() {
        let Some(data) = real("amazon") else { return };
        let search = TargetSearch::new(&read(&data).unwrap(), 1);
        assert_eq!(search.len(), 17_020);
        let thirds = search
            .scores
            .iter()
            .map(|score| (3.0 * score).round() as u8);
        let levels: BTreeSet<u8> = thirds.collect();
        assert!(levels.contains(&0) && levels.iter().all(|&shared| shared <= 3));
    }

    /// The definition, with the sets spelled out.
    fn by_sets(predicted: &[String], truth: &[String]) -> f64 {
        let nodes = |path: &[String]| -> BTreeSet<String> {
            (1..=path.len()).map(|n| path[..n].join("/")).collect()
        };
        let (predicted, truth) = (nodes(predicted), nodes(truth));
        let common = predicted.intersection(&truth).count() as f64;
        let (p, r) = (common / predicted.len() as f64, common / truth.len() as f64);
        if common == 0.0 {
            0.0
        } else {
            2.0 * p * r / (p + r)
        }
    }

    proptest! {
        #[test]
        fn prefixes_are_the_ancestors(a in prop::collection::vec("[ab]", 1..5), b in prop::collection::vec("[ab]", 1..5)) {
            prop_assert!((hierarchical_f1(&a, &b) - by_sets(&a, &b)).abs() < 1e-15);
            prop_assert_eq!(hierarchical_f1(&a, &b), hierarchical_f1(&b, &a));
        }
    }
}
