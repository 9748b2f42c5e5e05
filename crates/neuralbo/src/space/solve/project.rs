//! Steps of least length onto violated comparisons.
//!
//! Symbols: `r` the residuals of the comparisons to be met, `J` their gradients, one per row, `d` the step: the shortest with
//! `J d = −r`, that is `d = Jᵀ λ` with `J Jᵀ λ = −r`, over the coordinates that are not at the end of the box.

use super::demand::{At, Demand, Residual, demands};
use super::{RowBox, Solver};
use crate::linalg::dot;

/// Most steps; after half of them a comparison that is met may be violated again.
const MOST_STEPS: usize = 40;
/// Most halvings of a step that makes things worse.
const HALVINGS: usize = 6;
/// How far beyond a border is aimed, relative to the numbers compared and in coordinates: rounding must not undo a step.
const MARGIN: f64 = 1e-11;
/// What is added to `J Jᵀ`, relatively, so that contradicting comparisons are met as well as they can.
const RIDGE: f64 = 1e-14;
/// Steps shorter than this lead nowhere.
const SHORTEST: f64 = 1e-15;

/// Distance within which a row is at a border.
const AT_BORDER: f64 = 1e-8;
/// Cosine from which on a direction leads across a border.
const CROSSES: f64 = 1e-9;

/// A comparison to be met, linearized.
struct LinearDemand {
    residual: f64,
    gradient: Vec<f64>,
}

/// Moves a row onto what it violates, as far as small steps lead; relaxed, also along ints and steps. Whether any coordinate
/// may move.
pub(super) fn onto(
    problem: &Solver<'_>,
    row: &mut [f64],
    place: &RowBox<'_>,
    relaxed: bool,
) -> bool {
    let mut met: Vec<usize> = Vec::new();
    for step in 0..MOST_STEPS {
        let at = At::new(problem.space, row).relaxed(relaxed);
        let movable = movable(&at, place);
        if !movable.contains(&true) {
            return step > 0;
        }
        let wanted = wanted(problem, &at);
        if step >= MOST_STEPS / 2 {
            met.clear();
        }
        let mut violated = wanted.iter().filter(|demand| !demand.holds(&at)).peekable();
        if violated.peek().is_none() {
            return true;
        }
        met.extend(violated.map(|demand| demand.identity()));
        let chosen = wanted
            .iter()
            .filter(|demand| demand.is_equality() || met.contains(&demand.identity()));
        let lines: Vec<LinearDemand> = chosen.filter_map(|demand| line(demand, &at)).collect();
        let reach = |j: usize| {
            let (lower, upper) = place.bounds(j);
            (lower - row[j], upper - row[j])
        };
        let direction = shortest(&lines, &movable, reach);
        if direction.iter().all(|d| d.abs() < SHORTEST) {
            return true;
        }
        let moved = best_length(&at, &wanted, &direction, place);
        row.copy_from_slice(&moved);
    }
    true
}

/// All comparisons that the row should satisfy.
pub(super) fn wanted<'a>(problem: &Solver<'a>, at: &At<'_>) -> Vec<Demand<'a>> {
    let mut wanted = Vec::new();
    // Tables have no numbers to compare.
    for check in problem.checks().filter(|check| check.table.is_none()) {
        demands(check.predicate.truth(), true, at, &mut wanted);
    }
    wanted
}

/// The coordinates that may move.
pub(super) fn movable(at: &At<'_>, place: &RowBox<'_>) -> Vec<bool> {
    let mut movable = vec![false; at.row.len()];
    for position in 0..at.space.parameters().len() {
        if let Some(coordinate) = at.coordinate(position) {
            movable[coordinate] = place.is_open(coordinate);
        }
    }
    movable
}

fn line(demand: &Demand<'_>, at: &At<'_>) -> Option<LinearDemand> {
    let residual = demand.residual(at).filter(|r| r.amount.is_finite())?;
    let gradient = demand.gradient(at);
    let length = dot(&gradient, &gradient).sqrt();
    if length == 0.0 {
        return None;
    }
    let size = residual.size + length;
    let residual = if demand.is_equality() {
        residual.amount
    } else if demand.is_inequality() {
        residual.amount + MARGIN * size
    } else {
        // Away from where both sides are equal, by much more than counts as equal.
        1e-6 * size
    };
    Some(LinearDemand { residual, gradient })
}

/// A direction from a feasible row, turned as little as needed so that it leads along the borders that it would cross; 0 where
/// nothing may move.
pub(super) fn along(
    problem: &Solver<'_>,
    row: &[f64],
    place: &RowBox<'_>,
    direction: &[f64],
) -> Vec<f64> {
    let at = At::new(problem.space, row);
    let movable = movable(&at, place);
    let of = |demand: Demand<'_>| Some((border(&demand, &at)?, demand.is_equality()));
    let borders = wanted(problem, &at).into_iter().filter_map(of);
    let (borders, mut held): (Vec<Vec<f64>>, Vec<bool>) = borders.unzip();
    // How far a coordinate at the end of the box may still go.
    let ends = |j: usize| {
        let (lower, upper) = place.bounds(j);
        let (at_low, at_high) = (row[j] <= lower + AT_BORDER, row[j] >= upper - AT_BORDER);
        (
            if at_low { 0.0 } else { f64::NEG_INFINITY } - direction[j],
            if at_high { 0.0 } else { f64::INFINITY } - direction[j],
        )
    };
    loop {
        let chosen = borders.iter().zip(&held).filter(|(_, held)| **held);
        let lines: Vec<LinearDemand> = chosen
            .map(|(gradient, _)| LinearDemand {
                residual: dot(gradient, direction),
                gradient: gradient.clone(),
            })
            .collect();
        let turn = shortest(&lines, &movable, ends);
        let turned = |j: usize| match movable[j] {
            true => direction[j] + turn[j],
            false => 0.0,
        };
        let turned: Vec<f64> = (0..row.len()).map(turned).collect();
        let crosses = |border: &Vec<f64>| {
            let lengths = dot(border, border).sqrt() * dot(&turned, &turned).sqrt();
            dot(border, &turned) > CROSSES * lengths
        };
        match (0..borders.len()).find(|&i| !held[i] && crosses(&borders[i])) {
            Some(crossed) => held[crossed] = true,
            None => return turned,
        }
    }
}

/// The gradient of a comparison at whose border the row is.
fn border(demand: &Demand<'_>, at: &At<'_>) -> Option<Vec<f64>> {
    let gradient = demand.gradient(at);
    let length = dot(&gradient, &gradient).sqrt();
    let near = |residual: Residual| residual.amount >= -AT_BORDER * (residual.size + length);
    let is_border =
        demand.is_equality() || demand.is_inequality() && demand.residual(at).is_some_and(near);
    (is_border && length > 0.0).then_some(gradient)
}

/// The shortest step onto all lines over the movable coordinates, each of which can be moved as far as `reach` says.
fn shortest(
    lines: &[LinearDemand],
    movable: &[bool],
    reach: impl Fn(usize) -> (f64, f64),
) -> Vec<f64> {
    let mut free = movable.to_vec();
    let mut step = vec![0.0; movable.len()];
    loop {
        let left = |line: &LinearDemand| {
            let stopped = (0..step.len()).filter(|&j| !free[j]);
            line.residual + stopped.map(|j| line.gradient[j] * step[j]).sum::<f64>()
        };
        let left: Vec<f64> = lines.iter().map(left).collect();
        let weights = solve(lines, &left, &free);
        let mut stopped = false;
        for j in (0..free.len()).filter(|&j| free[j]).collect::<Vec<_>>() {
            let parts = lines.iter().zip(&weights);
            step[j] = parts.map(|(line, weight)| weight * line.gradient[j]).sum();
            let (low, high) = reach(j);
            if step[j] < low || step[j] > high {
                step[j] = step[j].clamp(low.min(high), high.max(low));
                free[j] = false;
                stopped = true;
            }
        }
        if !stopped || !free.contains(&true) {
            return step;
        }
    }
}

/// `λ` of `J Jᵀ λ = −r` over the free coordinates, by elimination with pivots: gradients may depend on each other.
fn solve(lines: &[LinearDemand], residuals: &[f64], free: &[bool]) -> Vec<f64> {
    let count = lines.len();
    let product = |a: &LinearDemand, b: &LinearDemand| {
        let free = (0..free.len()).filter(|&j| free[j]);
        free.map(|j| a.gradient[j] * b.gradient[j]).sum::<f64>()
    };
    // The last column is the right side.
    let row = |(a, r): (&LinearDemand, &f64)| {
        let products = lines.iter().map(|b| product(a, b));
        products.chain([-r]).collect()
    };
    let mut rows: Vec<Vec<f64>> = lines.iter().zip(residuals).map(row).collect();
    for (i, row) in rows.iter_mut().enumerate() {
        row[i] += RIDGE * row[i] + f64::MIN_POSITIVE;
    }
    for column in 0..count {
        let size = |row: usize| rows[row][column].abs();
        let pivot = (column..count).max_by(|&a, &b| size(a).total_cmp(&size(b)));
        rows.swap(column, pivot.unwrap_or(column));
        let (above, below) = rows.split_at_mut(column + 1);
        let pivot = &above[column][column..];
        for row in below {
            let factor = row[column] / pivot[0];
            let both = row[column..].iter_mut().zip(pivot);
            both.for_each(|(x, p)| *x -= factor * p);
        }
    }
    let mut weights = vec![0.0; count];
    for i in (0..count).rev() {
        let known: f64 = (i + 1..count).map(|k| rows[i][k] * weights[k]).sum();
        let weight = (rows[i][count] - known) / rows[i][i];
        weights[i] = if weight.is_finite() { weight } else { 0.0 };
    }
    weights
}

/// The row after the step, halved while the comparisons are worse met than before; after some halvings as it is.
fn best_length(at: &At<'_>, wanted: &[Demand<'_>], step: &[f64], place: &RowBox<'_>) -> Vec<f64> {
    let worst = |row: &[f64]| {
        let at = At::new(at.space, row).relaxed(at.relaxed);
        let unmet = wanted.iter().filter(|demand| !demand.holds(&at));
        let amounts = unmet.filter_map(|demand| Some(demand.residual(&at)?.amount.abs()));
        let finite = |amount: f64| {
            if amount.is_nan() {
                f64::INFINITY
            } else {
                amount
            }
        };
        amounts.map(finite).sum::<f64>()
    };
    let before = worst(at.row);
    let lengths = std::iter::successors(Some(1.0), |length| Some(length * 0.5));
    let mut shorter = lengths.take(HALVINGS).map(|l| place.moved(at.row, step, l));
    let better = shorter.find(|trial| worst(trial) < before);
    better.unwrap_or_else(|| place.moved(at.row, step, 1.0))
}
