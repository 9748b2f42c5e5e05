//! Gradient ascent from many starts at once: projected L-BFGS in lockstep.
//!
//! Every step evaluates one trial row of every start in a single call, so that a surrogate can put them through one product.
//! A start whose trial is refused shortens its own step and takes part in the next call with the shorter one.
//!
//! Known constraints: directions turn along the borders that they would cross (Rosen 1960), and what a step leaves is moved back.
//!
//! Symbols: `x` a row, `g` the gradient, `s = x′ − x`, `y = g − g′` (curvature of the negated function), `H` the L-BFGS estimate of
//! the inverse curvature, restricted to the free coordinates (those not held at a bound by the gradient).

use std::collections::VecDeque;

use super::SearchRegion;
use super::scoring::{Scored, ordered};
use crate::linalg::Points;
use crate::surrogate::Function;

/// Pairs kept for the curvature.
const MEMORY: usize = 8;
/// Sufficient increase (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// Refused trials in a row before a start gives up its curvature, and then the ascent.
const MOST_REFUSALS: usize = 10;
/// Longest first step and shortest useful step, as fractions of the widest side of the box.
const FIRST_STEP: f64 = 0.1;
const SHORTEST_STEP: f64 = 1e-10;

/// Climbs from `starts` for at most `steps` calls; `None` when the function has no gradient.
pub(super) fn climb(function: &dyn Function, region: &SearchRegion<'_>, starts: &Points, steps: usize) -> Option<Scored> {
    let (values, gradients) = function.value_and_gradient(starts)?;
    let bounds = Bounds::new(region);
    let continuous = region.continuous();
    let climber = |i: usize| {
        let active = region.space.active_coordinates(starts.row(i));
        let movable = match active {
            Some(active) => continuous.iter().zip(active).map(|(continuous, active)| *continuous && active).collect(),
            None => continuous.clone(),
        };
        Climber::new(starts.row(i), values[i], gradients.row(i), movable, &bounds)
    };
    let mut climbers: Vec<Climber> = (0..starts.len()).map(climber).collect();
    for _ in 0..steps {
        let active: Vec<usize> = (0..climbers.len()).filter(|&i| !climbers[i].done).collect();
        if active.is_empty() {
            break;
        }
        let trials =
            Points::from_rows(starts.dim(), active.iter().map(|&i| region.admitted(climbers[i].trial(&bounds), &climbers[i].x)));
        let (values, gradients) = function.value_and_gradient(&trials)?;
        for (k, &i) in active.iter().enumerate() {
            climbers[i].receive(trials.row(k), values[k], gradients.row(k), &bounds);
        }
    }
    let rows = Points::from_rows(starts.dim(), climbers.iter().map(|climber| &climber.x));
    Some(Scored { rows, values: climbers.iter().map(|climber| ordered(climber.value)).collect() })
}

struct Bounds<'a> {
    lower: &'a [f64],
    upper: &'a [f64],
    widest: f64,
    /// Whether there are constraints along which the ascent must turn.
    constrained: bool,
    region: &'a SearchRegion<'a>,
}

impl<'a> Bounds<'a> {
    fn new(region: &'a SearchRegion<'a>) -> Self {
        let (lower, upper) = (region.lower(), region.upper());
        let widest = lower.iter().zip(upper).map(|(l, u)| u - l).fold(0.0, f64::max);
        Self { lower, upper, widest, constrained: region.space.is_constrained(), region }
    }

    /// A direction along the constraints.
    fn turned(&self, direction: Vec<f64>, x: &[f64]) -> Vec<f64> {
        if self.constrained { self.region.space.turned(direction, x, &self.region.place()) } else { direction }
    }

    /// Whether coordinate `j` is pressed against a bound.
    fn is_pressed(&self, j: usize, x: &[f64], gradient: &[f64]) -> bool {
        (x[j] <= self.lower[j] && gradient[j] < 0.0) || (x[j] >= self.upper[j] && gradient[j] > 0.0)
    }
}

struct Climber {
    x: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    /// Which coordinates are continuous and active.
    movable: Vec<bool>,
    direction: Vec<f64>,
    step: f64,
    pairs: VecDeque<Pair>,
    refusals: usize,
    done: bool,
}

struct Pair {
    s: Vec<f64>,
    y: Vec<f64>,
}

impl Climber {
    fn new(x: &[f64], value: f64, gradient: &[f64], movable: Vec<bool>, bounds: &Bounds<'_>) -> Self {
        let mut climber = Self {
            x: x.to_vec(),
            value,
            gradient: gradient.to_vec(),
            movable,
            direction: Vec::new(),
            step: 1.0,
            pairs: VecDeque::new(),
            refusals: 0,
            done: !is_finite(value, gradient),
        };
        climber.aim(bounds);
        climber
    }

    fn trial(&self, bounds: &Bounds<'_>) -> Vec<f64> {
        let moved = self.x.iter().zip(&self.direction).map(|(x, d)| x + self.step * d);
        let clip = |(j, v): (usize, f64)| if self.movable[j] { v.clamp(bounds.lower[j], bounds.upper[j]) } else { self.x[j] };
        moved.enumerate().map(clip).collect()
    }

    fn receive(&mut self, trial: &[f64], value: f64, gradient: &[f64], bounds: &Bounds<'_>) {
        let s: Vec<f64> = trial.iter().zip(&self.x).map(|(a, b)| a - b).collect();
        let promised = dot(&self.gradient, &s);
        if is_finite(value, gradient) && value > self.value && value >= self.value + SUFFICIENT * promised {
            self.accept(trial, value, gradient, s);
            self.done = self.last_move() < SHORTEST_STEP * bounds.widest;
            self.aim(bounds);
        } else {
            self.refuse(value, promised, bounds);
        }
    }

    fn accept(&mut self, trial: &[f64], value: f64, gradient: &[f64], s: Vec<f64>) {
        let y: Vec<f64> = self.gradient.iter().zip(gradient).map(|(old, new)| old - new).collect();
        self.pairs.push_back(Pair { s, y });
        if self.pairs.len() > MEMORY {
            self.pairs.pop_front();
        }
        (self.value, self.refusals) = (value, 0);
        self.x.copy_from_slice(trial);
        self.gradient.copy_from_slice(gradient);
    }

    fn last_move(&self) -> f64 {
        self.pairs.back().map_or(f64::INFINITY, |pair| longest(&pair.s))
    }

    /// Shortens the step by the parabola through what is known, within [0.1, 0.5].
    fn refuse(&mut self, value: f64, promised: f64, bounds: &Bounds<'_>) {
        let missed = self.value + promised - value;
        let factor = if missed.is_finite() && missed > 0.0 { (promised / (2.0 * missed)).clamp(0.1, 0.5) } else { 0.1 };
        self.step *= factor;
        self.refusals += 1;
        let length = self.step * longest(&self.direction);
        if self.refusals >= MOST_REFUSALS || length < SHORTEST_STEP * bounds.widest {
            self.done = self.pairs.is_empty();
            self.pairs.clear();
            self.refusals = 0;
            self.aim(bounds);
        }
    }

    /// Sets direction and step for the next trial; nothing left to climb ends the ascent.
    fn aim(&mut self, bounds: &Bounds<'_>) {
        let (slope, free) = self.slope(bounds);
        self.done |= slope.iter().all(|g| *g == 0.0);
        let newton = self.quasi_newton(&slope, &free).map(|d| bounds.turned(d, &self.x)).filter(|d| dot(d, &slope) > 0.0);
        let (direction, wanted) = match newton {
            Some(direction) => (direction, None),
            None => (slope, Some(2.0 * self.last_move())),
        };
        let length = longest(&direction);
        let limit = if self.pairs.is_empty() { FIRST_STEP } else { 1.0 } * bounds.widest;
        // A gradient says nothing about how far to go: without curvature twice the last move is tried.
        self.step = wanted.unwrap_or(length).min(limit) / length.max(f64::MIN_POSITIVE);
        self.direction = direction;
    }

    /// The part of the gradient along which the ascent may move, and which coordinates it has.
    fn slope(&self, bounds: &Bounds<'_>) -> (Vec<f64>, Vec<bool>) {
        if bounds.constrained {
            // A coordinate that the gradient presses against a bound may have to give way to another one.
            let slope = bounds.turned(self.gradient.clone(), &self.x);
            let free = slope.iter().map(|g| *g != 0.0).collect();
            return (slope, free);
        }
        let free: Vec<bool> =
            (0..self.x.len()).map(|j| self.movable[j] && !bounds.is_pressed(j, &self.x, &self.gradient)).collect();
        (self.gradient.iter().zip(&free).map(|(g, free)| if *free { *g } else { 0.0 }).collect(), free)
    }

    /// `H g` by the two-loop recursion (Nocedal 1980) over the free coordinates; `None` when no pair has positive curvature there.
    fn quasi_newton(&self, slope: &[f64], free: &[bool]) -> Option<Vec<f64>> {
        let masked = |a: &[f64], b: &[f64]| (0..a.len()).filter(|&j| free[j]).map(|j| a[j] * b[j]).sum::<f64>();
        let curved: Vec<(&Pair, f64)> = self
            .pairs
            .iter()
            .map(|pair| (pair, masked(&pair.s, &pair.y)))
            .filter(|(pair, sy)| *sy > 1e-12 * masked(&pair.s, &pair.s).sqrt() * masked(&pair.y, &pair.y).sqrt())
            .collect();
        let mut d = slope.to_vec();
        let mut alphas = Vec::with_capacity(curved.len());
        for (pair, sy) in curved.iter().rev() {
            let alpha = masked(&pair.s, &d) / sy;
            add(&mut d, -alpha, &pair.y, free);
            alphas.push(alpha);
        }
        let (pair, sy) = curved.last()?;
        let scale = sy / masked(&pair.y, &pair.y);
        d.iter_mut().for_each(|v| *v *= scale);
        for ((pair, sy), alpha) in curved.iter().zip(alphas.iter().rev()) {
            let beta = masked(&pair.y, &d) / sy;
            add(&mut d, alpha - beta, &pair.s, free);
        }
        Some(d)
    }
}

/// The largest coordinate.
fn longest(step: &[f64]) -> f64 {
    step.iter().fold(0.0, |most: f64, v| most.max(v.abs()))
}

fn add(to: &mut [f64], factor: f64, what: &[f64], free: &[bool]) {
    for ((slot, v), free) in to.iter_mut().zip(what).zip(free) {
        if *free {
            *slot += factor * v;
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

fn is_finite(value: f64, gradient: &[f64]) -> bool {
    value.is_finite() && gradient.iter().all(|g| g.is_finite())
}
