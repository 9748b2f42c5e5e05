//! New inputs from valid ones.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Target;

/// Numbers at the edges of what machines hold.
const NUMBERS: [&str; 16] = [
    "0",
    "-0.0",
    "1e308",
    "-1e309",
    "5e-324",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "1e-320",
    "NaN",
    "inf",
    "-inf",
    "0.1",
    "4294967296",
    "1e19",
];
/// Most changes of one input.
const MOST_CHANGES: usize = 8;
/// How often a word is repeated at most, to find what goes too deep.
const DEEP: usize = 3000;

/// Draws inputs for a target: input `n` of a seed is always the same.
pub struct Mutator {
    target: Target,
    seeds: Vec<Vec<u8>>,
    seed: u64,
}

impl Mutator {
    /// The inputs of this seed.
    pub fn new(target: Target, seed: u64) -> Self {
        Self {
            target,
            seeds: (target.seeds)(),
            seed,
        }
    }

    /// Input number `case`.
    pub fn input(&self, case: u64) -> Vec<u8> {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(case);
        let from_words = !self.target.words.is_empty() && rng.random_bool(0.3);
        let mut input = if from_words {
            Vec::new()
        } else {
            self.seeds[rng.random_range(0..self.seeds.len())].clone()
        };
        if from_words {
            (0..rng.random_range(1..40)).for_each(|_| input.extend(self.word(&mut rng).as_bytes()));
        }
        for _ in 0..rng.random_range(0..=MOST_CHANGES) {
            self.change(&mut input, &mut rng);
        }
        input
    }

    fn word(&self, rng: &mut ChaCha8Rng) -> &'static str {
        let words = if rng.random_bool(0.2) {
            &NUMBERS[..]
        } else {
            self.target.words
        };
        words[rng.random_range(0..words.len())]
    }

    fn change(&self, input: &mut Vec<u8>, rng: &mut ChaCha8Rng) {
        let at = rng.random_range(0..=input.len());
        let end = rng.random_range(at..=input.len().min(at + 64));
        match rng.random_range(0..8) {
            0 if at < input.len() => input[at] ^= 1 << rng.random_range(0..8),
            1 if at < input.len() => input[at] = rng.random(),
            2 if !self.target.words.is_empty() => {
                let often = if rng.random_bool(0.01) {
                    rng.random_range(1..DEEP)
                } else {
                    1
                };
                let word = self.word(rng).repeat(often);
                input.splice(at..at, word.bytes());
            }
            3 => drop(input.drain(at..end)),
            4 => {
                let copy = input[at..end].to_vec();
                input.splice(at..at, copy);
            }
            5 => {
                let other = &self.seeds[rng.random_range(0..self.seeds.len())];
                let from = rng.random_range(0..=other.len());
                let to = rng.random_range(from..=other.len().min(from + 128));
                input.splice(at..end, other[from..to].iter().copied());
            }
            6 => input[at..end].fill(if rng.random() { 0 } else { 0xff }),
            7 if rng.random_bool(0.2) => input.truncate(at),
            _ => {}
        }
    }
}
