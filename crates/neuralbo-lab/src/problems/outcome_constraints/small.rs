//! Two coordinates: the simulations of Gardner et al. (2014) and the problem of Gramacy et al. (2016).

use std::f64::consts::{FRAC_PI_2, PI};

use super::{ConstrainedProblem, at_least, at_most, entry};
use crate::problems::ProblemEntry;

pub(in crate::problems) const GARDNER1: ProblemEntry = entry("gardner1", 2, |_| Box::new(FIRST));
pub(in crate::problems) const GARDNER2: ProblemEntry = entry("gardner2", 2, |_| Box::new(SECOND));
pub(in crate::problems) const GRAMACY: ProblemEntry = entry("gramacy", 2, |_| Box::new(TOY));

/// Wide bands are feasible, and the best point lies inside one.
const FIRST: ConstrainedProblem = ConstrainedProblem {
    name: "gardner1",
    bounds: &[(0.0, 6.0); 2],
    value: |x| (2.0 * x[0]).cos() * x[1].cos() + x[0].sin(),
    measured: |x| vec![x[0].cos() * x[1].cos() - x[0].sin() * x[1].sin()],
    limits: &[at_most("c", 0.5)],
    best: &[3.0 * FRAC_PI_2, 0.0],
};

/// Two small discs are feasible.
const SECOND: ConstrainedProblem = ConstrainedProblem {
    name: "gardner2",
    bounds: &[(0.0, 6.0); 2],
    value: |x| x[0].sin() + x[1],
    measured: |x| vec![x[0].sin() * x[1].sin()],
    limits: &[at_most("c", -0.95)],
    best: &[3.0 * FRAC_PI_2, 1.253_235_897_503_38],
};

/// A plane, a wave that cuts the feasible region into pieces, and a disc.
const TOY: ConstrainedProblem = ConstrainedProblem {
    name: "gramacy",
    bounds: &[(0.0, 1.0); 2],
    value: |x| x[0] + x[1],
    measured: |x| {
        let wave = x[0] + 2.0 * x[1] + 0.5 * (2.0 * PI * (x[0] * x[0] - 2.0 * x[1])).sin();
        vec![wave, x[0] * x[0] + x[1] * x[1]]
    },
    limits: &[at_least("wave", 1.5), at_most("disc", 1.5)],
    best: &[0.195_122_686_191_305_4, 0.404_665_365_819_407_2],
};
