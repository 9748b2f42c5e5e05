//! Sobol sequences, Latin hypercubes and space-filling designs.

mod directions;
mod scramble;
#[cfg(test)]
mod tests;

use super::{Points, Rng};
use directions::{BITS, direction_numbers, max_dim};
use rand::{RngExt, seq::SliceRandom};
use scramble::{Scramble, fraction, scramble_point};

/// A Sobol sequence was asked for in a dimension without direction numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a Sobol sequence has dimension 1 to {max}, not dim = {dim}")]
pub struct SobolError {
    /// The dimension asked for.
    pub dim: usize,
    /// The largest possible one.
    pub max: usize,
}

/// A Sobol sequence in Gray-code order (Antonov & Saleev 1979), with Joe and Kuo's direction numbers D6.
///
/// With a generator it is scrambled (Owen 1995): each point is then uniform on the cube, the whole keeps the net's even spread,
/// and all 53 bits of a coordinate are used. It repeats after 2³² points.
///
/// ```
/// use neuralbo::linalg::Sobol;
///
/// let mut point = [0.0; 2];
/// Sobol::new(2, None)?.point(2, &mut point);
/// assert_eq!(point, [0.75, 0.25]);
/// assert!(Sobol::new(100_000, None).is_err());
/// # Ok::<(), neuralbo::linalg::SobolError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sobol {
    dim: usize,
    /// Bit by bit, the direction numbers of all coordinates.
    directions: Vec<u32>,
    /// One a coordinate, or none.
    scrambles: Vec<Scramble>,
}

impl Sobol {
    /// The sequence of dimension `dim`, scrambled if a generator is given.
    pub fn new(dim: usize, rng: Option<&mut Rng>) -> Result<Self, SobolError> {
        let max = max_dim();
        if dim == 0 || dim > max {
            return Err(SobolError { dim, max });
        }
        let mut directions = vec![0; dim * BITS];
        for coordinate in 0..dim {
            for (bit, v) in direction_numbers(coordinate).into_iter().enumerate() {
                directions[bit * dim + coordinate] = v;
            }
        }
        let scrambles = rng.map_or_else(Vec::new, |rng| {
            (0..dim).map(|_| Scramble::new(rng)).collect()
        });
        Ok(Self {
            dim,
            directions,
            scrambles,
        })
    }

    /// The largest dimension.
    pub fn max_dim() -> usize {
        max_dim()
    }

    /// Number of coordinates.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Writes the point number `index`, in [0, 1)ᵈⁱᵐ.
    ///
    /// # Panics
    /// When `out` has another length than the dimension.
    pub fn point(&self, index: u64, out: &mut [f64]) {
        self.write(&self.digits(index), out);
    }

    /// `n` points from number `start` on, mapped to [−1, 1)ᵈⁱᵐ.
    pub fn fill_signed(&self, start: u64, n: usize) -> Points {
        let mut points = Points::zeros(self.dim, n);
        let mut digits = self.digits(start);
        for row in 0..n {
            self.write(&digits, points.row_mut(row));
            let point = points.row_mut(row).iter_mut();
            point.for_each(|u| *u = 2.0 * *u - 1.0);
            // Neighbours in Gray-code order differ by one direction number.
            let bit = start.wrapping_add(row as u64 + 1).trailing_zeros();
            self.add_direction(&mut digits, bit as usize);
        }
        points
    }

    /// The unscrambled point, as fractions of 2³².
    fn digits(&self, index: u64) -> Vec<u32> {
        let gray = index ^ (index >> 1);
        let mut digits = vec![0; self.dim];
        (0..BITS)
            .filter(|bit| gray >> bit & 1 == 1)
            .for_each(|bit| self.add_direction(&mut digits, bit));
        digits
    }

    fn add_direction(&self, digits: &mut [u32], bit: usize) {
        // Bits beyond the table would only start the sequence again.
        if bit < BITS {
            let both = digits.iter_mut().zip(&self.directions[bit * self.dim..]);
            both.for_each(|(digit, v)| *digit ^= v);
        }
    }

    fn write(&self, digits: &[u32], out: &mut [f64]) {
        assert_eq!(out.len(), self.dim, "a point of another dimension");
        if self.scrambles.is_empty() {
            out.iter_mut()
                .zip(digits)
                .for_each(|(out, &digit)| *out = fraction(digit, 0));
        } else {
            scramble_point(&self.scrambles, digits, out);
        }
    }
}

/// `n` evenly spread random points in [−1, 1)ᵈⁱᵐ: a scrambled Sobol sequence, or a Latin hypercube in more dimensions than that
/// has.
///
/// ```
/// use neuralbo::linalg::{Purpose, Streams, space_filling};
///
/// let points = space_filling(5, 16, &mut Streams::new(1).stream(0, Purpose::Design));
/// assert!(points.as_slice().iter().all(|x| (-1.0..=1.0).contains(x)));
/// ```
pub fn space_filling(dim: usize, n: usize, rng: &mut Rng) -> Points {
    match Sobol::new(dim, Some(rng)) {
        Ok(sobol) => sobol.fill_signed(0, n),
        Err(_) => latin_hypercube(dim, n, rng),
    }
}

/// `n` points in [−1, 1)ᵈⁱᵐ such that each of `n` equal intervals of every coordinate holds exactly one of them
/// (McKay, Beckman & Conover 1979), uniformly placed in its cell.
///
/// ```
/// use neuralbo::linalg::{Purpose, Streams, latin_hypercube};
///
/// let points = latin_hypercube(3, 10, &mut Streams::new(1).stream(0, Purpose::Design));
/// assert_eq!((points.dim(), points.len()), (3, 10));
/// ```
pub fn latin_hypercube(dim: usize, n: usize, rng: &mut Rng) -> Points {
    let mut points = Points::zeros(dim, n);
    let mut cells: Vec<usize> = (0..n).collect();
    for coordinate in 0..dim {
        cells.shuffle(rng);
        for (row, &cell) in cells.iter().enumerate() {
            let within: f64 = rng.random();
            points.row_mut(row)[coordinate] = 2.0 * (cell as f64 + within) / n as f64 - 1.0;
        }
    }
    points
}
