//! The rows of a choice of many values: each value has a random codeword of signs.
//!
//! One coordinate a value would make rows as long as the choice has values. Random codewords of `r` signs are nearly orthogonal for
//! any number of values, so that, as with one coordinate a value, all values are about equally far from each other.
//!
//! Symbols: `k` values, `b = ⌈log₂ k⌉`, `r = 2b + 4` signs (at most 64), each written as `±2/√r`: the mean squared distance
//! of two values is 8, as it is with one coordinate a value.

use std::collections::HashMap;
use std::sync::Arc;

use super::scale::tame;
use crate::linalg::{SPLIT_MIX_STEP, split_mix};

/// Signs beyond two for each bit of the number of values: how nearly orthogonal the codewords of few values are.
const MORE_SIGNS: u32 = 4;
/// Signs that fit into a word.
const MOST_SIGNS: u32 = 64;
/// How far a coordinate may be from `±2/√r` and still be a sign.
const TOLERANCE: f64 = 1e-6;

/// The codewords of a choice; the same for every choice of `k` values, on every machine and in every release.
#[derive(Clone, Debug)]
pub(super) struct Codewords {
    words: Arc<[u64]>,
    levels: Arc<HashMap<u64, usize>>,
    len: usize,
}

impl Codewords {
    /// Codewords of `count` values, at least two.
    pub(super) fn new(count: usize) -> Self {
        let bits = usize::BITS - (count - 1).leading_zeros();
        let len = (2 * bits + MORE_SIGNS).min(MOST_SIGNS);
        let mut levels = HashMap::with_capacity(count);
        let mut words = Vec::with_capacity(count);
        let mut state = 0_u64;
        while words.len() < count {
            let word = split_mix(state) >> (u64::BITS - len);
            state = state.wrapping_add(SPLIT_MIX_STEP);
            if let std::collections::hash_map::Entry::Vacant(free) = levels.entry(word) {
                free.insert(words.len());
                words.push(word);
            }
        }
        Self {
            words: words.into(),
            levels: Arc::new(levels),
            len: len as usize,
        }
    }

    /// Coordinates of a codeword.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Writes the codeword of a level.
    pub(super) fn write(&self, level: usize, block: &mut [f64]) {
        let (word, size) = (self.words[level], self.size());
        for (i, x) in block.iter_mut().enumerate() {
            *x = if word >> i & 1 == 1 { size } else { -size };
        }
    }

    /// The level of a codeword. Of any other block the first coordinate counts, each level having a cell of the same width: uniform
    /// rows give uniform levels.
    pub(super) fn read(&self, block: &[f64]) -> usize {
        self.word(block)
            .and_then(|word| self.levels.get(&word).copied())
            .unwrap_or_else(|| {
                let count = self.words.len();
                (((tame(block[0]) + 1.0) / 2.0 * count as f64) as usize).min(count - 1)
            })
    }

    fn word(&self, block: &[f64]) -> Option<u64> {
        let size = self.size();
        let sign = |x: &f64| ((x.abs() - size).abs() < TOLERANCE).then_some(u64::from(*x > 0.0));
        let mut signs = block.iter().enumerate();
        signs.try_fold(0, |word, (i, x)| Some(word | sign(x)? << i))
    }

    fn size(&self) -> f64 {
        2.0 / (self.len as f64).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn block(codewords: &Codewords, level: usize) -> Vec<f64> {
        let mut block = vec![0.0; codewords.len()];
        codewords.write(level, &mut block);
        block
    }

    #[test]
    fn every_level_is_read_back_and_all_differ() {
        for count in [2, 33, 1000, 10_000] {
            let codewords = Codewords::new(count);
            assert!((0..count).all(|level| codewords.read(&block(&codewords, level)) == level));
            assert_eq!(codewords.words.iter().collect::<BTreeSet<_>>().len(), count);
        }
        let lens = [33, 10_000, 70_000].map(|count| Codewords::new(count).len());
        assert_eq!(lens, [16, 32, 38]);
    }

    #[test]
    fn values_are_about_as_far_apart_as_with_one_coordinate_each() {
        let codewords = Codewords::new(500);
        let blocks: Vec<Vec<f64>> = (0..500).map(|level| block(&codewords, level)).collect();
        let distance = |a: usize, b: usize| crate::linalg::squared_distance(&blocks[a], &blocks[b]);
        let all = (0..500).flat_map(|a| (0..a).map(move |b| (a, b)));
        let all: Vec<f64> = all.map(|(a, b)| distance(a, b)).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        assert!((mean - 8.0).abs() < 0.05, "{mean}");
        assert!(
            all.iter().all(|d| *d > 1.0),
            "no two values nearly coincide"
        );
    }

    #[test]
    fn even_rows_give_even_levels() {
        let codewords = Codewords::new(100);
        let mut block = vec![0.3; codewords.len()];
        for level in 0..100 {
            block[0] = (2.0 * level as f64 + 1.0) / 100.0 - 1.0;
            assert_eq!(codewords.read(&block), level);
        }
        block.fill(f64::NAN);
        assert_eq!(codewords.read(&block), 50);
    }
}
