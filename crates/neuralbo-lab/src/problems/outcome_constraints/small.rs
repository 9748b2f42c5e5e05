//! Two coordinates: the simulations of Gardner et al. (2014) and the problem of Gramacy et al. (2016).

use std::f64::consts::{FRAC_PI_2, PI};

use crate::problems::Dims;
use crate::problems::functions::{Best, Formula, at_least, at_most};

/// Wide bands are feasible, and the best point lies inside one.
pub(in crate::problems) const GARDNER1: Formula = Formula {
    name: "gardner1",
    dims: Dims::Fixed(2),
    bounds: &[(0.0, 6.0); 2],
    value: |x| (2.0 * x[0]).cos() * x[1].cos() + x[0].sin(),
    measured: |x| vec![x[0].cos() * x[1].cos() - x[0].sin() * x[1].sin()],
    limits: &[at_most("c", 0.5)],
    best: Best::At(&[3.0 * FRAC_PI_2, 0.0]),
};

/// Two small discs are feasible.
pub(in crate::problems) const GARDNER2: Formula = Formula {
    name: "gardner2",
    dims: Dims::Fixed(2),
    bounds: &[(0.0, 6.0); 2],
    value: |x| x[0].sin() + x[1],
    measured: |x| vec![x[0].sin() * x[1].sin()],
    limits: &[at_most("c", -0.95)],
    best: Best::At(&[3.0 * FRAC_PI_2, 1.253_235_897_503_38]),
};

/// A plane, a wave that cuts the feasible region into pieces, and a disc.
pub(in crate::problems) const GRAMACY: Formula = Formula {
    name: "gramacy",
    dims: Dims::Fixed(2),
    bounds: &[(0.0, 1.0); 2],
    value: |x| x[0] + x[1],
    measured: |x| {
        let wave = x[0] + 2.0 * x[1] + 0.5 * (2.0 * PI * (x[0] * x[0] - 2.0 * x[1])).sin();
        vec![wave, x[0] * x[0] + x[1] * x[1]]
    },
    limits: &[at_least("wave", 1.5), at_most("disc", 1.5)],
    best: Best::At(&[0.195_122_686_191_305_4, 0.404_665_365_819_407_2]),
};
