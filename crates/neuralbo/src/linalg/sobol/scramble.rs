//! Owen's nested uniform scrambling, without storing the tree of permutations.

use rand::RngExt;

use super::super::{Rng, wide};
use super::directions::BITS;

/// Writes the scrambled coordinates of one point, in [0, 1). The 32 levels of a tree are independent: in wide vectors they are
/// hashed together.
pub fn scramble_point(scrambles: &[Scramble], digits: &[u32], out: &mut [f64]) {
    wide!({
        for ((out, &digit), scramble) in out.iter_mut().zip(digits).zip(scrambles) {
            let (high, low) = scramble.apply(digit);
            *out = fraction(high, low);
        }
    });
}

/// The number with binary digits `high` (32) and then `low` (21).
#[inline(always)]
pub fn fraction(high: u32, low: u32) -> f64 {
    const UNIT: f64 = 1.0 / (1u64 << 53) as f64;
    (u64::from(high) << 21 | u64::from(low)) as f64 * UNIT
}

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
    #[inline(always)]
    fn apply(&self, value: u32) -> (u32, u32) {
        let mut flips = 0u32;
        // A node's number in a heap: 1 for the root, then the digits read so far.
        let deepest = 1 << (BITS as u32 - 1) | value >> 1;
        for level in 0..BITS as u32 {
            let node = deepest >> (BITS as u32 - 1 - level);
            flips |= (self.hash(node) & 1) << (BITS as u32 - 1 - level);
        }
        (value ^ flips, self.hash(!value) >> 11)
    }

    /// Two rounds of multiply and xor-shift (the construction of MurmurHash3's finalizer), one key before each.
    #[inline(always)]
    fn hash(&self, node: u32) -> u32 {
        self.keys.iter().fold(node, |state, key| {
            let state = (state ^ key).wrapping_mul(0x9E37_79B1);
            let state = (state ^ (state >> 15)).wrapping_mul(0x85EB_CA77);
            state ^ (state >> 16)
        })
    }
}
