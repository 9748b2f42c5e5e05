//! Direction numbers of the Sobol sequence.
//!
//! Symbols: s degree of a primitive polynomial over GF(2), a its inner coefficients, m its initial numbers, v direction numbers
//! as fractions of 2³² (all as in Joe & Kuo 2008).

use std::sync::LazyLock;

/// Bits of a direction number.
pub const BITS: usize = 32;

/// Set D6 of S. Joe and F. Y. Kuo (2008), "Constructing Sobol sequences with better two-dimensional projections", SIAM J. Sci.
/// Comput. 30, all dimensions whose polynomial has degree at most 15. Layout: see `scripts/golden/sobol.py`.
static TABLE: &[u8] = include_bytes!("joe_kuo_d6.bin");

/// One dimension's polynomial and initial numbers.
struct Recurrence {
    polynomial: u16,
    initial: Vec<u16>,
}

static RECURRENCES: LazyLock<Vec<Recurrence>> = LazyLock::new(|| {
    let mut words = TABLE
        .chunks_exact(2)
        .map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    let mut recurrences = Vec::new();
    while let Some(polynomial) = words.next() {
        let degree = polynomial.ilog2() as usize;
        recurrences.push(Recurrence {
            polynomial,
            initial: words.by_ref().take(degree).collect(),
        });
    }
    recurrences
});

/// Number of dimensions in the table.
pub fn max_dim() -> usize {
    RECURRENCES.len() + 1
}

/// v₁ … v₃₂ of a dimension, counted from 0 and below [`max_dim`].
pub fn direction_numbers(dimension: usize) -> [u32; BITS] {
    match dimension.checked_sub(1) {
        None => std::array::from_fn(|bit| 1 << (BITS - 1 - bit)),
        Some(index) => RECURRENCES[index].direction_numbers(),
    }
}

impl Recurrence {
    /// v_k = a₁ v_{k−1} ⊕ … ⊕ a_{s−1} v_{k−s+1} ⊕ v_{k−s} ⊕ (v_{k−s} / 2ˢ) (Joe & Kuo 2008, eq. 3, scaled by 2³²).
    fn direction_numbers(&self) -> [u32; BITS] {
        let degree = self.initial.len();
        let mut v = [0u32; BITS];
        for (bit, &m) in self.initial.iter().enumerate() {
            v[bit] = u32::from(m) << (BITS - 1 - bit);
        }
        for bit in degree..BITS {
            v[bit] = v[bit - degree] ^ (v[bit - degree] >> degree);
            for back in 1..degree {
                if self.polynomial >> (degree - back) & 1 == 1 {
                    v[bit] ^= v[bit - back];
                }
            }
        }
        v
    }
}
