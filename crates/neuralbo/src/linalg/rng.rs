//! One random stream per (study seed, trial number, purpose).
//!
//! A stream depends on nothing else — not on the clock, the thread or the draws made before — so the same study gives the same
//! points whenever and wherever it is continued.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// The generator used everywhere: named, so that its output is fixed across releases of `rand`.
pub type Rng = ChaCha8Rng;

/// One step of SplitMix64 (Steele, Lea & Flood 2014): every bit of the input reaches every bit of the output.
pub(crate) fn split_mix(word: u64) -> u64 {
    let word = word.wrapping_add(SPLIT_MIX_STEP);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// What its state grows by.
pub(crate) const SPLIT_MIX_STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// What a stream is for; different purposes never share draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Initial network weights θ₀.
    NetworkInit = 1,
    /// Order of mini-batches, perturbed targets and other draws while training.
    Training = 2,
    /// The function or the values sampled from a posterior.
    Sample = 3,
    /// Candidate points and starts of the acquisition's maximizer.
    Candidates = 4,
    /// Space-filling designs and fallbacks.
    Design = 5,
    /// Hyper-parameter starts and samplers.
    HyperParameters = 6,
    /// Observation noise of built-in problems.
    Noise = 7,
    /// Bootstrap samples and other resampling.
    Bootstrap = 8,
}

/// The family of random streams of one study.
///
/// ```
/// use neuralbo::linalg::{Purpose, Streams};
/// use rand::RngExt;
///
/// let streams = Streams::new(7);
/// let a: f64 = streams.stream(3, Purpose::Sample).random();
/// let b: f64 = streams.stream(3, Purpose::Sample).random();
/// assert_eq!(a, b);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Streams {
    seed: u64,
}

impl Streams {
    /// Streams of a study with this seed.
    pub fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// The stream for `purpose` at trial (or data size) `number`.
    pub fn stream(&self, number: u64, purpose: Purpose) -> Rng {
        self.indexed(number, purpose, 0)
    }

    /// One of many streams for the same purpose, e.g. one a tree or one a restart.
    pub fn indexed(&self, number: u64, purpose: Purpose, index: u64) -> Rng {
        let mut key = [0u8; 32];
        for (slot, word) in key
            .chunks_exact_mut(8)
            .zip([self.seed, number, purpose as u64, index])
        {
            slot.copy_from_slice(&word.to_le_bytes());
        }
        Rng::from_seed(key)
    }
}
