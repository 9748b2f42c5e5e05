//! Problems of several objectives, all to be minimized.
//!
//! ZDT1 to ZDT3 (Zitzler, Deb and Thiele, 2000) have two objectives, DTLZ2 and DTLZ7 (Deb, Thiele, Laumanns
//! and Zitzler, 2005) three, over [0, 1]^d; reference points are BoTorch's. A pair of BBOB functions is
//! measured as COCO does: 0 is the ideal point, 1 the nadir, the value of each at the optimum of the other.

use std::f64::consts::{FRAC_PI_2, PI};

use super::bbob::Bbob;
use super::{ProblemError, wrong_name};
use crate::Problem;

/// The functions of COCO's bi-objective suite.
pub const PAIRED: [u32; 10] = [1, 2, 6, 8, 13, 14, 15, 17, 20, 21];
/// How the names are written.
pub const OBJECTIVES_NAMES: &str = "zdt1-<dim>, zdt2-<dim>, zdt3-<dim>, dtlz2-<dim>, dtlz7-<dim>, bi-f<function>-f<function>-d<dim>";

type ObjectivesFn = Box<dyn Fn(&[f64]) -> Vec<f64> + Send + Sync>;
type ObjectiveFn = fn(&[f64]) -> Vec<f64>;

/// A problem of several objectives on a box.
pub struct SeveralObjectives {
    /// Lower and upper bound of each coordinate.
    pub bounds: Vec<(f64, f64)>,
    /// The objectives at a point.
    pub values: ObjectivesFn,
    /// The point from which the hypervolume is measured.
    pub reference: Vec<f64>,
    /// The hypervolume of the true front; 1 where it is not known.
    pub best: f64,
}

impl SeveralObjectives {
    /// The problem called `name`; pairs of BBOB functions have a new pair of instances in every run.
    ///
    /// ```
    /// use neuralbo_lab::problems::SeveralObjectives;
    ///
    /// let problem = SeveralObjectives::by_name("zdt1-3", 1)?;
    /// assert_eq!((problem.values)(&[0.25, 0.0, 0.0]), [0.25, 0.5]);
    /// assert!(SeveralObjectives::by_name("zdt9-3", 1).is_err());
    /// # Ok::<(), neuralbo_lab::problems::ProblemError>(())
    /// ```
    pub fn by_name(name: &str, run: u32) -> Result<Self, ProblemError> {
        let parts: Vec<&str> = name.split('-').collect();
        let number = |text: &str, prefix: char| text.strip_prefix(prefix)?.parse::<u32>().ok();
        let made = match parts[..] {
            ["bi", f, g, dim] => match (number(f, 'f'), number(g, 'f'), number(dim, 'd')) {
                (Some(f), Some(g), Some(dim)) => return pair(f, g, dim as usize, run),
                _ => None,
            },
            [family, dim] => dim.parse().ok().and_then(|dim| formula(family, dim)),
            _ => None,
        };
        made.ok_or_else(|| wrong_name(name, OBJECTIVES_NAMES))
    }
}

/// Two BBOB functions, in units of their distances from ideal to nadir.
fn pair(f: u32, g: u32, dim: usize, run: u32) -> Result<SeveralObjectives, ProblemError> {
    let a = Bbob::new(f, 2 * run + 1, dim)?;
    let b = Bbob::new(g, 2 * run + 2, dim)?;
    let at_optimum = |of: &Bbob, other: &Bbob| other.optimum().map_or(1.0, |best| of.gap(&best.at));
    let nadir = [at_optimum(&a, &b), at_optimum(&b, &a)];
    Ok(SeveralObjectives {
        bounds: a.bounds(),
        values: Box::new(move |x| vec![a.gap(x) / nadir[0], b.gap(x) / nadir[1]]),
        reference: vec![1.0; 2],
        best: 1.0,
    })
}

fn formula(family: &str, dim: usize) -> Option<SeveralObjectives> {
    let zdt_best = |shape: fn(f64, f64) -> f64| 121.0 - below(|f| shape(f, 1.0), 11.0);
    // On DTLZ7's front the third objective is 6 less a term of each of the others.
    let term = |f: f64| -f * (1.0 + (3.0 * PI * f).sin());
    let (values, reference, best): (ObjectiveFn, Vec<f64>, f64) = match family {
        "zdt1" => (|x| zdt(x, zdt1), vec![11.0; 2], zdt_best(zdt1)),
        "zdt2" => (|x| zdt(x, zdt2), vec![11.0; 2], zdt_best(zdt2)),
        "zdt3" => (|x| zdt(x, zdt3), vec![11.0; 2], zdt_best(zdt3)),
        "dtlz2" => (dtlz2, vec![1.1; 3], 1.1_f64.powi(3) - PI / 6.0),
        "dtlz7" => (dtlz7, vec![15.0; 3], 9.0 * 225.0 - 30.0 * below(term, 15.0)),
        _ => return None,
    };
    (dim >= reference.len()).then(|| SeveralObjectives {
        bounds: vec![(0.0, 1.0); dim],
        values: Box::new(values),
        reference,
        best,
    })
}

/// The running minimum of a front over [0, 1], integrated from 0 to the reference.
fn below(front: impl Fn(f64) -> f64, reference: f64) -> f64 {
    const STEPS: usize = 200_000;
    let (mut lowest, mut integral) = (front(0.0), 0.0);
    for step in 1..=STEPS {
        let before = lowest;
        lowest = lowest.min(front(step as f64 / STEPS as f64));
        integral += 0.5 * (before + lowest) / STEPS as f64;
    }
    integral + (reference - 1.0) * lowest
}

fn zdt(x: &[f64], shape: fn(f64, f64) -> f64) -> Vec<f64> {
    let g = 1.0 + 9.0 * mean(&x[1..]);
    vec![x[0], g * shape(x[0], g)]
}

fn zdt1(f: f64, g: f64) -> f64 {
    1.0 - (f / g).sqrt()
}

fn zdt2(f: f64, g: f64) -> f64 {
    1.0 - (f / g).powi(2)
}

fn zdt3(f: f64, g: f64) -> f64 {
    1.0 - (f / g).sqrt() - f / g * (10.0 * PI * f).sin()
}

fn dtlz2(x: &[f64]) -> Vec<f64> {
    let radius = 1.0 + x[2..].iter().map(|v| (v - 0.5).powi(2)).sum::<f64>();
    let ((sa, ca), (sb, cb)) = ((FRAC_PI_2 * x[0]).sin_cos(), (FRAC_PI_2 * x[1]).sin_cos());
    [ca * cb, ca * sb, sa].map(|v| radius * v).to_vec()
}

fn dtlz7(x: &[f64]) -> Vec<f64> {
    let g = 1.0 + 9.0 * mean(&x[2..]);
    let term = |f: &f64| f / (1.0 + g) * (1.0 + (3.0 * PI * f).sin());
    let terms: f64 = x[..2].iter().map(term).sum();
    vec![x[0], x[1], (1.0 + g) * (3.0 - terms)]
}

/// The mean; 0 of nothing.
fn mean(x: &[f64]) -> f64 {
    x.iter().sum::<f64>() / x.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use neuralbo::linalg::Points;
    use neuralbo::pareto::hypervolume;

    /// Points of the front approach its hypervolume from below.
    #[test]
    fn fronts_have_their_hypervolume() {
        for name in ["zdt1-4", "zdt2-4", "zdt3-4", "dtlz2-4", "dtlz7-4"] {
            let problem = SeveralObjectives::by_name(name, 1).unwrap();
            let steps = if name == "dtlz7-4" { 60 } else { 30 };
            let share = |i: usize, n: usize| i as f64 / n as f64;
            let tail = if name == "dtlz2-4" { 0.5 } else { 0.0 };
            let curve = |i| [share(i, 2000), 0.0, 0.0, 0.0];
            let surface = |k| [share(k / steps, steps), share(k % steps, steps), tail, tail];
            let places: Vec<[f64; 4]> = match problem.reference.len() {
                2 => (0..=2000).map(curve).collect(),
                _ => (0..=steps * steps).map(surface).collect(),
            };
            let negative = |values: &[f64]| -> Vec<f64> { values.iter().map(|v| -v).collect() };
            let rows = places.iter().map(|x| negative(&(problem.values)(x)));
            let corner = negative(&problem.reference);
            let found = hypervolume(&Points::from_rows(corner.len(), rows), &corner) / problem.best;
            assert!((0.93..1.0).contains(&found), "{name}: {found}");
        }
    }

    #[test]
    fn a_pair_is_between_ideal_and_nadir_at_its_optima() {
        let problem = SeveralObjectives::by_name("bi-f01-f08-d02", 1).unwrap();
        let at = Bbob::new(8, 4, 2).unwrap().optimum().unwrap().at;
        let values = (problem.values)(&at);
        assert!((values[0] - 1.0).abs() < 1e-12, "{values:?}");
        assert!(values[1].abs() < 1e-9, "{values:?}");
        for name in ["bi-f1-f99-d02", "bi-f1-f2", "zdt1", "zdt4-3", "dtlz2-2"] {
            assert!(SeveralObjectives::by_name(name, 1).is_err(), "{name}");
        }
    }
}
