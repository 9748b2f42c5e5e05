//! Owen's nested uniform scrambling, without storing the tree of permutations.

use rand::RngExt;

use super::super::Rng;
use super::directions::BITS;

/// The random binary tree of one coordinate (Owen 1995): each binary digit is flipped or not depending on all digits before it.
///
/// The flip at a node is one bit of a keyed hash of the node's number, so the tree needs two words of memory.
#[derive(Clone, Copy, Debug)]
pub struct Scramble {
    keys: [u32; 2],
}

impl Scramble {
    pub fn new(rng: &mut Rng) -> Self {
        Self { keys: rng.random() }
    }

    /// The scrambled fraction of 2³², and 21 further uniform bits for the digits below.
    pub fn apply(&self, value: u32) -> (u32, u32) {
        let mut flips = 0u32;
        for level in 0..BITS as u32 {
            // Number of the node in a heap: 1 for the root, then the digits read so far.
            let node = ((1u64 << BITS | u64::from(value)) >> (BITS as u32 - level)) as u32;
            flips |= (self.hash(node) & 1) << (BITS as u32 - 1 - level);
        }
        (value ^ flips, self.hash(!value) >> 11)
    }

    /// Two rounds of multiply and xor-shift (the construction of MurmurHash3's finalizer), one key before each.
    fn hash(&self, node: u32) -> u32 {
        self.keys.iter().fold(node, |state, key| {
            let state = (state ^ key).wrapping_mul(0x9E37_79B1);
            let state = (state ^ (state >> 15)).wrapping_mul(0x85EB_CA77);
            state ^ (state >> 16)
        })
    }
}
