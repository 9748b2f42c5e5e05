//! Bounded descent with gradients: projected L-BFGS.
//!
//! A [`Descent`] is asked for a trial point and told its value and gradient. It never calls a function itself, so that many
//! descents can have their trials evaluated together; [`minimize_bounded`](super::minimize_bounded) drives a single one.
//!
//! Symbols: `x` a point, `g` the gradient, `s = x′ − x`, `y = g′ − g`, `H` the L-BFGS estimate of the inverse curvature,
//! restricted to the free coordinates (those not held at a bound by the gradient).

use std::collections::VecDeque;

use super::points::dot;

/// Pairs kept for the curvature.
const MEMORY: usize = 8;
/// Sufficient decrease (Armijo).
const SUFFICIENT: f64 = 1e-4;
/// Refused trials in a row before a descent gives up its curvature, and then ends.
const MOST_REFUSALS: usize = 10;
/// Longest first step and shortest useful step, as fractions of the widest side of the box.
const FIRST_STEP: f64 = 0.1;
const SHORTEST_STEP: f64 = 1e-10;

/// Turns a direction at a point so that it does not leave the domain.
pub type TurnDirection<'a> = dyn Fn(Vec<f64>, &[f64]) -> Vec<f64> + 'a;

/// Where a descent may go: a box, and inside of it whatever `turn` keeps it in.
pub struct DescentDomain<'a> {
    lower: &'a [f64],
    upper: &'a [f64],
    widest: f64,
    turn: Option<&'a TurnDirection<'a>>,
}

impl<'a> DescentDomain<'a> {
    /// The box between `lower` and `upper`; the widest of its finite sides is the unit of steps.
    pub fn new(lower: &'a [f64], upper: &'a [f64]) -> Self {
        let sides = lower.iter().zip(upper).map(|(l, u)| u - l);
        let widest = sides.filter(|side| side.is_finite()).reduce(f64::max);
        Self {
            lower,
            upper,
            widest: widest.unwrap_or(1.0),
            turn: None,
        }
    }

    /// The same with further constraints, along which directions turn.
    pub fn turning(self, turn: Option<&'a TurnDirection<'a>>) -> Self {
        Self { turn, ..self }
    }

    fn turned(&self, direction: Vec<f64>, x: &[f64]) -> Vec<f64> {
        match self.turn {
            Some(turn) => turn(direction, x),
            None => direction,
        }
    }

    /// Whether the way `downhill` presses coordinate `j` against a bound.
    fn is_pressed(&self, j: usize, x: &[f64], downhill: f64) -> bool {
        (x[j] <= self.lower[j] && downhill < 0.0) || (x[j] >= self.upper[j] && downhill > 0.0)
    }
}

/// One descent.
#[derive(Clone, Debug)]
pub struct Descent {
    x: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    /// Which coordinates may change.
    movable: Vec<bool>,
    direction: Vec<f64>,
    step: f64,
    pairs: VecDeque<CurvaturePair>,
    refusals: usize,
    done: bool,
}

#[derive(Clone, Debug)]
struct CurvaturePair {
    s: Vec<f64>,
    y: Vec<f64>,
}

impl Descent {
    /// From `x` with its value and gradient; one without finite numbers there ends at once.
    pub fn new(
        x: &[f64],
        value: f64,
        gradient: &[f64],
        movable: Vec<bool>,
        domain: &DescentDomain<'_>,
    ) -> Self {
        let mut descent = Self {
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
        descent.aim(domain);
        descent
    }

    /// The best point so far.
    pub fn x(&self) -> &[f64] {
        &self.x
    }

    /// Its value.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// Whether there is nothing left to try.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// The largest part of the gradient along which the box lets the descent move.
    pub fn steepness(&self, domain: &DescentDomain<'_>) -> f64 {
        longest(&self.slope(domain).0)
    }

    /// The next point to evaluate.
    pub fn trial(&self, domain: &DescentDomain<'_>) -> Vec<f64> {
        let moved = self.x.iter().zip(&self.direction);
        let moved = moved.map(|(x, d)| x + self.step * d);
        let clip = |(j, v): (usize, f64)| match self.movable[j] {
            true => v.clamp(domain.lower[j], domain.upper[j]),
            false => self.x[j],
        };
        moved.enumerate().map(clip).collect()
    }

    /// Takes what was found at a trial, or near it; whether the descent moved there.
    pub fn receive(
        &mut self,
        trial: &[f64],
        value: f64,
        gradient: &[f64],
        domain: &DescentDomain<'_>,
    ) -> bool {
        let s: Vec<f64> = trial.iter().zip(&self.x).map(|(a, b)| a - b).collect();
        let promised = -dot(&self.gradient, &s);
        let accepted = is_finite(value, gradient)
            && value < self.value
            && value <= self.value - SUFFICIENT * promised;
        if accepted {
            self.accept(trial, value, gradient, s);
            self.done = self.last_move() < SHORTEST_STEP * domain.widest;
            self.aim(domain);
        } else {
            self.refuse(value, promised, domain);
        }
        accepted
    }

    fn accept(&mut self, trial: &[f64], value: f64, gradient: &[f64], s: Vec<f64>) {
        let both = gradient.iter().zip(&self.gradient);
        let y = both.map(|(new, old)| new - old).collect();
        self.pairs.push_back(CurvaturePair { s, y });
        if self.pairs.len() > MEMORY {
            self.pairs.pop_front();
        }
        (self.value, self.refusals) = (value, 0);
        self.x.copy_from_slice(trial);
        self.gradient.copy_from_slice(gradient);
    }

    fn last_move(&self) -> f64 {
        self.pairs.back().map_or(f64::INFINITY, |p| longest(&p.s))
    }

    /// Shortens the step by the parabola through what is known, within [0.1, 0.5].
    fn refuse(&mut self, value: f64, promised: f64, domain: &DescentDomain<'_>) {
        let missed = promised - self.value + value;
        self.step *= match missed.is_finite() && missed > 0.0 {
            true => (promised / (2.0 * missed)).clamp(0.1, 0.5),
            false => 0.1,
        };
        self.refusals += 1;
        let length = self.step * longest(&self.direction);
        if self.refusals >= MOST_REFUSALS || length < SHORTEST_STEP * domain.widest {
            self.done = self.pairs.is_empty();
            self.pairs.clear();
            self.refusals = 0;
            self.aim(domain);
        }
    }

    /// Sets direction and step for the next trial; nothing left to descend ends it.
    fn aim(&mut self, domain: &DescentDomain<'_>) {
        let (slope, free) = self.slope(domain);
        self.done |= slope.iter().all(|g| *g == 0.0);
        let newton = self.quasi_newton(&slope, &free);
        let newton = newton.map(|d| domain.turned(d, &self.x));
        let newton = newton.filter(|d| dot(d, &slope) > 0.0);
        let (direction, wanted) = match newton {
            Some(direction) => (direction, None),
            None => (slope, Some(2.0 * self.last_move())),
        };
        let length = longest(&direction);
        let first = self.pairs.is_empty();
        let limit = if first { FIRST_STEP } else { 1.0 } * domain.widest;
        // A gradient says nothing about how far to go: without curvature twice the last move is tried.
        self.step = wanted.unwrap_or(length).min(limit) / length.max(f64::MIN_POSITIVE);
        self.direction = direction;
    }

    /// The part of `−g` along which the descent may move, and which coordinates it has.
    fn slope(&self, domain: &DescentDomain<'_>) -> (Vec<f64>, Vec<bool>) {
        let downhill: Vec<f64> = self.gradient.iter().map(|g| -g).collect();
        if domain.turn.is_some() {
            // A coordinate that the gradient presses against a bound may have to give way to another one.
            let slope = domain.turned(downhill, &self.x);
            let free = slope.iter().map(|g| *g != 0.0).collect();
            return (slope, free);
        }
        let is_free = |j| self.movable[j] && !domain.is_pressed(j, &self.x, downhill[j]);
        let free: Vec<bool> = (0..self.x.len()).map(is_free).collect();
        let slope = downhill.iter().zip(&free);
        let slope = slope.map(|(d, free)| if *free { *d } else { 0.0 });
        (slope.collect(), free)
    }

    /// `−H g` by the two-loop recursion (Nocedal 1980) over the free coordinates; `None` when no pair has positive curvature
    /// there.
    fn quasi_newton(&self, slope: &[f64], free: &[bool]) -> Option<Vec<f64>> {
        let masked = |a: &[f64], b: &[f64]| -> f64 {
            let free = (0..a.len()).filter(|&j| free[j]);
            free.map(|j| a[j] * b[j]).sum()
        };
        let norm = |a: &[f64]| masked(a, a).sqrt();
        let pairs = self.pairs.iter().map(|p| (p, masked(&p.s, &p.y)));
        let curved = pairs.filter(|(p, sy)| *sy > 1e-12 * norm(&p.s) * norm(&p.y));
        let curved: Vec<(&CurvaturePair, f64)> = curved.collect();
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

fn is_finite(value: f64, gradient: &[f64]) -> bool {
    value.is_finite() && gradient.iter().all(|g| g.is_finite())
}
