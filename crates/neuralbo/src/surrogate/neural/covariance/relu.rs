//! The tangent kernel of a two-layer ReLU network as an operator that only needs to know which units are active.
//!
//! With `h(x) = √m w·max(W x, 0)` and `a_ij` 1 where unit `i` is active at `x_j` and 0 elsewhere,
//! `g(x_j) = √m (w_i a_ij x_j ; a_ij W_i·x_j)_i`. Both parts of `G v` come from the one matrix `S_i = Σ_j v_j a_ij x_j`, and so
//!
//! `(K v)_j = x_j · Σ_i a_ij B_i` with `B_i = w_i² S_i + (W_i·S_i) W_i`.
//!
//! Sums over active units are taken eight units at a time, as a byte of activity has only 256 values (the "method of four
//! Russians", Arlazarov et al. 1970): points go to the bucket of their byte before buckets are added up to units, and units are
//! added up to a table of 256 sums before points look theirs up. That is a sixteenth of the arithmetic of the two products.

use crate::linalg::Real;
use crate::net::{Activation, Mlp, axpy, dot, vectorized};
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// Units whose activity makes a byte.
const GROUP: usize = 8;
/// Values of a byte.
const VALUES: usize = 1 << GROUP;
/// Numbers added at once; vectors of inputs are padded to a multiple.
const BLOCK: usize = 8;
/// Points that look up their sums together.
const TILE: usize = 256;

/// Which units are active at which points: for each group of eight units a byte a point.
#[derive(Clone, Debug)]
pub(super) struct ActiveUnits {
    groups: Vec<Vec<u8>>,
}

/// `x`, `W` and the active units: what `K` is made of.
pub(super) struct ReluKernel<'a, T> {
    pub net: &'a Mlp<T>,
    pub inputs: MatRef<'a, T>,
    pub active: &'a ActiveUnits,
}

impl ActiveUnits {
    /// No points; `None` for networks of another kind.
    pub(super) fn of<T: Real>(net: &Mlp<T>) -> Option<Self> {
        let shape = net.architecture();
        let fits = shape.depth == 2 && shape.activation == Activation::Relu && !shape.biases;
        fits.then(|| Self {
            groups: vec![Vec::new(); shape.width.div_ceil(GROUP)],
        })
    }

    /// Appends the columns of `x`.
    pub(super) fn append<T: Real>(&mut self, net: &Mlp<T>, x: MatRef<'_, T>) {
        let m = net.architecture().width;
        let mut z = vec![T::zero(); m];
        for j in 0..x.ncols() {
            z.fill(T::zero());
            // One point after the other in a fixed order: a unit on the border must not depend on how the points came.
            (0..x.nrows()).for_each(|i| axpy(x[(i, j)], &net.theta()[i * m..(i + 1) * m], &mut z));
            for (group, units) in self.groups.iter_mut().zip(z.chunks(GROUP)) {
                group.push(
                    units
                        .iter()
                        .enumerate()
                        .fold(0, |byte, (k, &z)| byte | u8::from(z > T::zero()) << k),
                );
            }
        }
    }
}

impl<T: Real> ReluKernel<'_, T> {
    /// `K v`.
    pub(super) fn apply(&self, v: &[f64]) -> Vec<f64> {
        let stride = self.inputs.nrows().next_multiple_of(BLOCK);
        let b = self.between(self.gather(v, stride));
        let tables: Vec<Vec<T>> = (0..self.active.groups.len())
            .into_par_iter()
            .map(|group| table(&b, group, stride))
            .collect();
        let tiles = self.inputs.ncols().div_ceil(TILE);
        let images: Vec<Vec<f64>> = (0..tiles)
            .into_par_iter()
            .map(|tile| self.spread(tile, &tables, stride))
            .collect();
        images.concat()
    }

    /// `S`, m×d.
    fn gather(&self, v: &[f64], stride: usize) -> Mat<f64> {
        let mut weighted = vec![T::zero(); v.len() * stride];
        for (j, (slot, &v)) in weighted.chunks_exact_mut(stride).zip(v).enumerate() {
            let v = T::from_f64(v);
            slot.iter_mut()
                .enumerate()
                .take(self.inputs.nrows())
                .for_each(|(i, slot)| *slot = v * self.inputs[(i, j)]);
        }
        let sums: Vec<Vec<T>> = self
            .active
            .groups
            .par_iter()
            .map(|bytes| unit_sums(bytes, &weighted, stride))
            .collect();
        Mat::from_fn(
            self.net.architecture().width,
            self.inputs.nrows(),
            |i, k| sums[i / GROUP][i % GROUP * stride + k].widen(),
        )
    }

    /// From `S` to `B`.
    fn between(&self, s: Mat<f64>) -> Mat<T> {
        let shape = self.net.architecture();
        let (w, last) = self.net.theta().split_at(shape.width * shape.inputs);
        let w = MatRef::from_column_major_slice(w, shape.width, shape.inputs);
        let along: Vec<f64> = (0..s.nrows())
            .map(|i| (0..s.ncols()).map(|j| w[(i, j)].widen() * s[(i, j)]).sum())
            .collect();
        let entry =
            |i: usize, j: usize| last[i].widen().powi(2) * s[(i, j)] + along[i] * w[(i, j)].widen();
        Mat::from_fn(s.nrows(), s.ncols(), |i, j| T::from_f64(entry(i, j)))
    }

    /// `x_j · Σ_i a_ij B_i` for the points of a tile.
    fn spread(&self, tile: usize, tables: &[Vec<T>], stride: usize) -> Vec<f64> {
        let (start, end) = (tile * TILE, ((tile + 1) * TILE).min(self.inputs.ncols()));
        let mut sums = vec![T::zero(); (end - start) * stride];
        for (bytes, table) in self.active.groups.iter().zip(tables) {
            look_up(&bytes[start..end], table, &mut sums, stride);
        }
        let point = |j: usize| -> Vec<T> {
            (0..self.inputs.nrows())
                .map(|i| self.inputs[(i, j)])
                .collect()
        };
        sums.chunks_exact(stride)
            .enumerate()
            .map(|(j, sum)| dot(&point(start + j), &sum[..self.inputs.nrows()]).widen())
            .collect()
    }
}

/// `Σ_j a_ij y_j` for the eight units of a group, one after the other.
fn unit_sums<T: Real>(bytes: &[u8], y: &[T], stride: usize) -> Vec<T> {
    let mut buckets = vec![T::zero(); VALUES * stride];
    let mut sums = vec![T::zero(); GROUP * stride];
    vectorized(
        #[inline(always)]
        || {
            for (&byte, y) in bytes.iter().zip(y.chunks_exact(stride)) {
                add(&mut buckets[usize::from(byte) * stride..][..stride], y);
            }
            // Values with the highest bit belong to its unit, and then to the value without that bit.
            for unit in (0..GROUP).rev() {
                let (without, with) = buckets.split_at_mut((1 << unit) * stride);
                for (without, with) in without
                    .chunks_exact_mut(stride)
                    .zip(with.chunks_exact(stride))
                {
                    add(&mut sums[unit * stride..][..stride], with);
                    add(without, with);
                }
            }
        },
    );
    sums
}

/// The sums of `B_i` over the active units of a group, for every value of a byte.
fn table<T: Real>(b: &Mat<T>, group: usize, stride: usize) -> Vec<T> {
    let mut table = vec![T::zero(); VALUES * stride];
    for unit in 0..GROUP.min(b.nrows() - group * GROUP) {
        let (without, with) = table.split_at_mut((1 << unit) * stride);
        for (with, without) in with
            .chunks_exact_mut(stride)
            .zip(without.chunks_exact(stride))
        {
            with.copy_from_slice(without);
            with.iter_mut()
                .enumerate()
                .take(b.ncols())
                .for_each(|(k, sum)| *sum += b[(group * GROUP + unit, k)]);
        }
    }
    table
}

/// Adds each point's entry of the table to its sum.
fn look_up<T: Real>(bytes: &[u8], table: &[T], sums: &mut [T], stride: usize) {
    vectorized(
        #[inline(always)]
        || {
            for (&byte, sum) in bytes.iter().zip(sums.chunks_exact_mut(stride)) {
                add(sum, &table[usize::from(byte) * stride..][..stride]);
            }
        },
    );
}

/// `to += what`, whose lengths are multiples of [`BLOCK`].
#[inline(always)]
fn add<T: Real>(to: &mut [T], what: &[T]) {
    for (to, what) in to
        .as_chunks_mut::<BLOCK>()
        .0
        .iter_mut()
        .zip(what.as_chunks::<BLOCK>().0)
    {
        // Copies cannot overlap, so that each is one vector.
        let (mut sum, what) = (*to, *what);
        (0..BLOCK).for_each(|k| sum[k] += what[k]);
        *to = sum;
    }
}
