//! Agreement of two label paths.

/// Hierarchical F1 of a predicted label against the true one, each given as its path from below the root.
///
/// Each label is extended with its ancestors, which are the prefixes of its path; precision P and recall R are the shares of
/// common nodes among predicted and true ones, and F = 2PR/(P + R), 0 when nothing is shared (Kiritchenko et al. 2006). A name
/// counts only at the same place: nodes are paths, not names.
///
/// ```
/// use neuralbo_lab::problems::retrieval::hierarchical_f1;
///
/// let truth = ["beauty", "hair care", "shampoo"];
/// assert_eq!(hierarchical_f1(&["beauty", "hair care", "styling"], &truth), 2.0 / 3.0);
/// assert_eq!(hierarchical_f1(&["beauty", "hair care"], &truth), 0.8);
/// assert_eq!(hierarchical_f1(&["toys", "hair care", "shampoo"], &truth), 0.0);
/// ```
pub fn hierarchical_f1<S: AsRef<str>>(predicted: &[S], truth: &[S]) -> f64 {
    let pairs = predicted.iter().zip(truth);
    let shared = pairs.take_while(|(a, b)| a.as_ref() == b.as_ref()).count() as f64;
    if shared == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (shared / predicted.len() as f64, shared / truth.len() as f64);
    2.0 * precision * recall / (precision + recall)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

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

    #[test]
    fn three_levels_share_thirds() {
        let truth = ["a", "b", "c"];
        for (predicted, thirds) in [
            (["a", "b", "c"], 3.0),
            (["a", "b", "x"], 2.0),
            (["a", "x", "c"], 1.0),
            (["x", "b", "c"], 0.0),
        ] {
            assert!((hierarchical_f1(&predicted, &truth) - thirds / 3.0).abs() < 1e-15);
        }
        assert_eq!(hierarchical_f1::<&str>(&[], &[]), 0.0);
    }

    proptest! {
        #[test]
        fn prefixes_are_the_ancestors(a in prop::collection::vec("[ab]", 1..5), b in prop::collection::vec("[ab]", 1..5)) {
            prop_assert!((hierarchical_f1(&a, &b) - by_sets(&a, &b)).abs() < 1e-15);
            prop_assert_eq!(hierarchical_f1(&a, &b), hierarchical_f1(&b, &a));
        }
    }
}
