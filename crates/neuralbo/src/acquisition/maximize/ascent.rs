//! Gradient ascent from many starts at once: projected L-BFGS in lockstep.
//!
//! Every step evaluates one trial row of every start in a single call, so that a surrogate can put them through one product.
//! A start whose trial is refused shortens its own step and takes part in the next call with the shorter one.
//!
//! Known constraints: directions turn along the borders that they would cross (Rosen 1960), and what a step leaves is moved back.

use super::SearchRegion;
use super::scoring::{Scored, ordered};
use crate::linalg::{Descent, DescentDomain, Points, TurnDirection};
use crate::surrogate::Function;

/// Climbs from `starts` for at most `steps` calls; `None` when the function has no gradient.
pub(super) fn climb(
    function: &dyn Function,
    region: &SearchRegion<'_>,
    starts: &Points,
    steps: usize,
) -> Option<Scored> {
    let (values, gradients) = function.value_and_gradient(starts)?;
    let turn = |direction: Vec<f64>, x: &[f64]| region.space.turned(direction, x, &region.place());
    let turn: Option<&TurnDirection<'_>> = if region.space.is_constrained() {
        Some(&turn)
    } else {
        None
    };
    let domain = DescentDomain::new(region.lower(), region.upper()).turning(turn);
    // A descent of the negated function.
    let descent = |i: usize| {
        let movable = movable(region, starts.row(i));
        Descent::new(
            starts.row(i),
            -values[i],
            &negated(gradients.row(i)),
            movable,
            &domain,
        )
    };
    let mut descents: Vec<Descent> = (0..starts.len()).map(descent).collect();
    for _ in 0..steps {
        let active: Vec<usize> = (0..descents.len())
            .filter(|&i| !descents[i].is_done())
            .collect();
        if active.is_empty() {
            break;
        }
        let trial = |&i: &usize| region.admitted(descents[i].trial(&domain), descents[i].x());
        let trials = Points::from_rows(starts.dim(), active.iter().map(trial));
        let (values, gradients) = function.value_and_gradient(&trials)?;
        for (k, &i) in active.iter().enumerate() {
            descents[i].receive(
                trials.row(k),
                -values[k],
                &negated(gradients.row(k)),
                &domain,
            );
        }
    }
    let rows = Points::from_rows(starts.dim(), descents.iter().map(Descent::x));
    Some(Scored {
        rows,
        values: descents
            .iter()
            .map(|descent| ordered(-descent.value()))
            .collect(),
    })
}

/// Which coordinates of a row are continuous and active.
fn movable(region: &SearchRegion<'_>, row: &[f64]) -> Vec<bool> {
    let continuous = region.continuous();
    match region.space.active_coordinates(row) {
        Some(active) => continuous
            .iter()
            .zip(active)
            .map(|(continuous, active)| *continuous && active)
            .collect(),
        None => continuous,
    }
}

fn negated(gradient: &[f64]) -> Vec<f64> {
    gradient.iter().map(|g| -g).collect()
}
