//! When each tree is grown anew: a function of the number of observations and of the tree alone, so that a forest that saw the
//! data grow and a fresh one have the same trees.

/// Below this many observations every tree is grown anew with each of them.
const FEW: usize = 64;
/// From there on a tree is grown anew each time the data grew by about this share, each tree at another moment.
const SHARE: usize = 8;

/// The number of observations, at most `len`, with which `tree` was grown anew for the last time.
pub(super) fn milestone(len: usize, tree: usize) -> usize {
    let is_due = |len: &usize| len % period(*len) == tree % period(*len);
    (1..=len).rev().find(is_due).unwrap_or(len)
}

/// Observations after which it is a tree's turn again.
fn period(len: usize) -> usize {
    if len < FEW {
        1
    } else {
        (1 << len.ilog2()) / SHARE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_take_turns_and_miss_few_observations() {
        for len in 1..3000_usize {
            let milestones: Vec<usize> = (0..500).map(|tree| milestone(len, tree)).collect();
            assert!(
                milestones
                    .iter()
                    .all(|&m| m <= len && (len - m) as f64 <= 0.2 * m as f64),
                "{len}"
            );
            let due = milestones.iter().filter(|&&m| m == len).count();
            assert!(
                due <= if len < FEW {
                    500
                } else {
                    500_usize.div_ceil(period(len))
                },
                "{len}: {due}"
            );
        }
    }

    #[test]
    fn a_milestone_stays_until_the_next() {
        for tree in [0, 1, 77, 499] {
            for len in 2..2000 {
                let (before, now) = (milestone(len - 1, tree), milestone(len, tree));
                assert!(
                    now == before || now == len,
                    "tree {tree}, {len}: {before}, {now}"
                );
            }
        }
    }
}
