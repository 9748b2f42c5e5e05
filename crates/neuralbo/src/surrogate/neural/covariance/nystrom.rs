//! The preconditioner of the iterative solves: landmarks among the data explain most of the kernel.
//!
//! Symbols beyond the [module's](super): `C = K(X, X_r)` the t×r kernel between the data and `r` landmarks, `W = K(X_r, X_r)`;
//! `P = μI + C W⁻¹ Cᵀ` (Nyström), `P⁻¹ = (I − C (μW + CᵀC)⁻¹ Cᵀ)/μ`. `μ` stands for `λ` and for what the landmarks leave
//! unexplained, `μ = λ + ½ mean(diag(K − C W⁻¹ Cᵀ))`: with `μ = λ` that part of the spectrum would be spread over `[1, σ/λ]`; so it
//! is gathered around 1, which takes half the iterations, and no rounding is divided by a tiny `λ`.
//!
//! The landmarks and `μ` are functions of the data up to a milestone, the number of observations rounded down to a power of
//! [`GROWTH`]. Between milestones a new observation costs its own row of `C`: complete tiles are kept, the last one is redone.

use super::dual::widen;
use crate::linalg::{Cholesky, Real, product};
use crate::net::{Features, Mlp, axpy, dot};
use faer::{Mat, MatRef};
use rayon::prelude::*;
use std::sync::Arc;

/// Points of one tile.
const TILE: usize = 256;
/// Growth of the data from one milestone to the next.
const GROWTH: f64 = 1.25;
/// Points at which it is looked at how much the landmarks explain.
const PROBES: usize = 64;

/// The preconditioner for the data of one moment.
#[derive(Clone, Debug)]
pub(super) struct Nystrom<T> {
    base: Arc<Base<T>>,
    /// `Cᵀ` by tiles, r×256 each and the last one smaller.
    tiles: Vec<Arc<Mat<T>>>,
    /// Sum of `CᵀC` over the complete tiles.
    gram: Arc<Mat<f64>>,
    /// Factor of `μW + CᵀC`; without it there is no preconditioning.
    inner: Option<Cholesky>,
}

/// What stays from one milestone to the next.
#[derive(Clone, Debug)]
struct Base<T> {
    milestone: usize,
    landmarks: Features<T>,
    corner: Mat<f64>,
    mu: f64,
}

/// The data: the network at θ₀ and its inputs, one column a point.
#[derive(Clone, Copy)]
pub(super) struct Data<'a, T> {
    pub net: &'a Mlp<T>,
    pub inputs: MatRef<'a, T>,
    pub lambda: f64,
}

impl<T: Real> Nystrom<T> {
    /// The preconditioner with up to `count` landmarks, `None` where there are too few points for any; `old` is that of fewer data.
    pub(super) fn new(data: Data<'_, T>, count: usize, old: Option<&Self>) -> Option<Self> {
        let t = data.inputs.ncols();
        let milestone = milestone(t);
        let r = count.min(milestone / 2);
        if r == 0 {
            return None;
        }
        let kept =
            old.filter(|old| old.base.milestone == milestone && old.base.landmarks.len() == r);
        let base = kept.map_or_else(
            || Arc::new(Base::new(data, milestone, r)),
            |old| Arc::clone(&old.base),
        );
        let (mut tiles, mut gram) =
            kept.map_or_else(|| (Vec::new(), Arc::new(Mat::zeros(r, r))), Self::complete);
        let fresh: Vec<(Mat<T>, Mat<T>)> = (tiles.len()..t.div_ceil(TILE))
            .into_par_iter()
            .map(|tile| base.columns(data, tile))
            .collect();
        let mut inner = &base.corner * faer::Scale(base.mu);
        for (columns, part) in fresh {
            if columns.ncols() == TILE {
                *Arc::make_mut(&mut gram) += widen(&part);
            } else {
                inner += widen(&part);
            }
            tiles.push(Arc::new(columns));
        }
        inner += &*gram;
        Some(Self {
            inner: factor(inner),
            base,
            tiles,
            gram,
        })
    }

    /// The complete tiles and their sum.
    fn complete(&self) -> (Vec<Arc<Mat<T>>>, Arc<Mat<f64>>) {
        let complete = self
            .tiles
            .iter()
            .filter(|tile| tile.ncols() == TILE)
            .map(Arc::clone)
            .collect();
        (complete, Arc::clone(&self.gram))
    }

    /// `P⁻¹ v`.
    pub(super) fn apply(&self, v: &[f64]) -> Vec<f64> {
        let Some(inner) = &self.inner else {
            return v.to_vec();
        };
        let r = self.base.landmarks.len();
        let parts: Vec<Vec<T>> = self
            .tiles
            .par_iter()
            .zip(v.par_chunks(TILE))
            .map(|(tile, v)| gather(tile, v))
            .collect();
        let mut weights = vec![0.0; r];
        parts.iter().for_each(|part| {
            weights
                .iter_mut()
                .zip(part)
                .for_each(|(sum, x)| *sum += x.widen())
        });
        let weights: Vec<T> = inner
            .solve_vec(&weights)
            .into_iter()
            .map(T::from_f64)
            .collect();
        let mu = self.base.mu;
        let image = |(tile, v): (&Arc<Mat<T>>, &[f64])| -> Vec<f64> {
            v.iter()
                .enumerate()
                .map(|(j, v)| (v - dot(tile.col_as_slice(j), &weights).widen()) / mu)
                .collect()
        };
        let images: Vec<Vec<f64>> = self
            .tiles
            .par_iter()
            .zip(v.par_chunks(TILE))
            .map(image)
            .collect();
        images.concat()
    }
}

/// `C_tileᵀ v`.
fn gather<T: Real>(tile: &Mat<T>, v: &[f64]) -> Vec<T> {
    let mut sum = vec![T::zero(); tile.nrows()];
    v.iter()
        .enumerate()
        .for_each(|(j, &v)| axpy(T::from_f64(v), tile.col_as_slice(j), &mut sum));
    sum
}

fn factor(mut inner: Mat<f64>) -> Option<Cholesky> {
    let r = inner.nrows();
    // Rounding of the sums over the data.
    let jitter = 1e-7 * (0..r).map(|i| inner[(i, i)]).sum::<f64>() / r as f64;
    (0..r).for_each(|i| inner[(i, i)] += jitter);
    Cholesky::factor(inner.as_ref()).ok()
}

/// The largest power of [`GROWTH`], rounded down, that is at most `t`.
fn milestone(t: usize) -> usize {
    let mut power: f64 = 1.0;
    while (power * GROWTH) as usize <= t {
        power *= GROWTH;
    }
    (power as usize).min(t)
}

impl<T: Real> Base<T> {
    /// Landmarks evenly spread over the first `milestone` points in the order they came.
    fn new(data: Data<'_, T>, milestone: usize, r: usize) -> Self {
        let at = |count: usize, shift: usize| {
            let picked = Mat::from_fn(data.inputs.nrows(), count, |i, j| {
                data.inputs[(i, j * milestone / count + shift)]
            });
            Features::of(data.net, picked.as_ref())
        };
        let landmarks = at(r, 0);
        let corner = widen(&landmarks.kernel(&landmarks));
        // One after a landmark, where there is room between them: landmarks are explained by themselves.
        let probes = at(
            r.min(PROBES),
            usize::from(milestone > 2 * r) * (milestone / r / 2),
        );
        let mu = data.lambda + 0.5 * unexplained(&landmarks, &corner, &probes);
        Self {
            milestone,
            landmarks,
            corner,
            mu,
        }
    }

    /// `Cᵀ` of a tile and its product with its own transpose.
    fn columns(&self, data: Data<'_, T>, tile: usize) -> (Mat<T>, Mat<T>) {
        let start = tile * TILE;
        let inputs = data
            .inputs
            .subcols(start, TILE.min(data.inputs.ncols() - start));
        let columns = self.landmarks.kernel(&Features::of(data.net, inputs));
        let gram = product(columns.as_ref(), columns.transpose());
        (columns, gram)
    }
}

/// The mean of `k(x,x) − k_r(x)ᵀ W⁻¹ k_r(x)` over the probes.
fn unexplained<T: Real>(landmarks: &Features<T>, corner: &Mat<f64>, probes: &Features<T>) -> f64 {
    let mut columns = widen(&landmarks.kernel(probes));
    let Some(factor) = factor(corner.clone()) else {
        return 0.0;
    };
    factor.solve_lower(columns.as_mut());
    let prior = probes.kernel_diagonal();
    let rest = |j: usize| {
        (prior[j].widen() - columns.col_as_slice(j).iter().map(|x| x * x).sum::<f64>()).max(0.0)
    };
    (0..probes.len()).map(rest).sum::<f64>() / probes.len() as f64
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::linalg::{Purpose, Streams};
    use crate::net::{Activation, Architecture, Init};
    use rand::RngExt;

    fn net() -> Mlp<f64> {
        let shape = Architecture {
            inputs: 3,
            width: 20,
            depth: 2,
            activation: Activation::Relu,
            biases: false,
        };
        Mlp::new(
            shape,
            Init::Standard,
            &mut Streams::new(1).stream(0, Purpose::NetworkInit),
        )
        .unwrap()
    }

    fn inputs(count: usize) -> Mat<f64> {
        let mut rng = Streams::new(2).stream(0, Purpose::Design);
        Mat::from_fn(3, count, |_, _| rng.random_range(-1.0..1.0))
    }

    #[test]
    fn it_inverts_what_it_stands_for() {
        let (net, x) = (net(), inputs(300));
        let nystrom = Nystrom::new(
            Data {
                net: &net,
                inputs: x.as_ref(),
                lambda: 0.1,
            },
            6,
            None,
        )
        .unwrap();
        let Base {
            landmarks,
            corner,
            mu,
            ..
        } = &*nystrom.base;
        let c = Features::of(&net, x.as_ref()).kernel(landmarks);
        let v: Vec<f64> = (0..300).map(|i| (i as f64).sin()).collect();
        let solved = nystrom.apply(&v);
        let inside = factor(corner.clone())
            .unwrap()
            .solve_vec(product(c.transpose(), column(&solved).as_ref()).col_as_slice(0));
        let image = product(c.as_ref(), column(&inside).as_ref());
        assert!((0..300).all(|i| (mu * solved[i] + image[(i, 0)] - v[i]).abs() < 1e-4));
    }

    fn column(v: &[f64]) -> Mat<f64> {
        Mat::from_fn(v.len(), 1, |i, _| v[i])
    }

    #[test]
    fn growing_is_the_same_as_starting_over() {
        let (net, x) = (net(), inputs(620));
        let data = |t: usize| Data {
            net: &net,
            inputs: x.subcols(0, t),
            lambda: 0.1,
        };
        let mut grown = Nystrom::new(data(500), 24, None);
        for t in [501, 512, 513, 600, 620] {
            grown = Nystrom::new(data(t), 24, grown.as_ref());
            let v: Vec<f64> = (0..t).map(|i| (i as f64).cos()).collect();
            assert_eq!(
                grown.as_ref().unwrap().apply(&v),
                Nystrom::new(data(t), 24, None).unwrap().apply(&v)
            );
        }
    }

    #[test]
    fn milestones_grow_by_a_quarter() {
        assert_eq!([0, 1, 2, 100, 1000].map(milestone), [0, 1, 2, 86, 807]);
    }
}
