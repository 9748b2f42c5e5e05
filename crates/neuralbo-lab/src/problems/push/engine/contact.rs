//! A contact as the solvers see it: arms, effective masses and running impulses; and moving overlapping bodies apart a little,
//! without giving them velocity (nonlinear Gauss–Seidel).

use super::LINEAR_SLOP;
use super::body::{Body, Motion};
use super::manifold::Manifold;
use super::pairs::BodyPair;
use super::vector::{Placement, Symmetric2, Vec2, lesser, limit, spin_velocity};

/// Two points are solved together only if their matrix is not worse conditioned than this.
const MAX_CONDITION: f32 = 1000.0;

/// Inverse masses and inertias of the two bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Masses {
    a: f32,
    b: f32,
    inertia_a: f32,
    inertia_b: f32,
}

impl Masses {
    fn new(a: &Body, b: &Body) -> Self {
        Self {
            a: a.inverse_mass,
            b: b.inverse_mass,
            inertia_a: a.inverse_inertia,
            inertia_b: b.inverse_inertia,
        }
    }

    /// Entry of K between two points: mA + mB + iA (r₁A×d)(r₂A×d) + iB (r₁B×d)(r₂B×d).
    fn coupling(&self, one: Arms, two: Arms, direction: Vec2) -> f32 {
        self.a
            + self.b
            + self.inertia_a * one.a.cross(direction) * two.a.cross(direction)
            + self.inertia_b * one.b.cross(direction) * two.b.cross(direction)
    }

    /// K of one point along `direction`.
    pub fn resistance(&self, arms: Arms, direction: Vec2) -> f32 {
        self.coupling(arms, arms, direction)
    }
}

/// Arms from the centres of A and B to a contact point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arms {
    pub a: Vec2,
    pub b: Vec2,
}

impl Arms {
    pub fn new(point: Vec2, a: &Body, b: &Body) -> Self {
        Self {
            a: point - a.position,
            b: point - b.position,
        }
    }
}

/// Velocities of A and B while a contact is worked on.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairMotion {
    pub a: Motion,
    pub b: Motion,
}

impl PairMotion {
    /// Velocity of B relative to A at a contact point.
    pub fn relative(&self, arms: Arms) -> Vec2 {
        self.b.linear + spin_velocity(self.b.angular, arms.b)
            - self.a.linear
            - spin_velocity(self.a.angular, arms.a)
    }

    pub fn apply(&mut self, impulse: Vec2, arms: Arms, masses: &Masses) {
        let [a, b] = [arms.a, arms.b].map(|arm| arm.cross(impulse));
        self.apply_sum(impulse, a, b, masses);
    }

    /// Applies a summed impulse with its moments about the centres of A and B.
    pub fn apply_sum(&mut self, impulse: Vec2, moment_a: f32, moment_b: f32, masses: &Masses) {
        self.a.linear -= masses.a * impulse;
        self.a.angular -= masses.inertia_a * moment_a;
        self.b.linear += masses.b * impulse;
        self.b.angular += masses.inertia_b * moment_b;
    }
}

/// One contact point in the velocity solver.
#[derive(Clone, Copy, Debug)]
pub(super) struct SolverPoint {
    pub arms: Arms,
    pub normal_mass: f32,
    pub tangent_mass: f32,
    pub normal_impulse: f32,
    pub tangent_impulse: f32,
}

/// One touching pair of an island.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    /// Index of the pair in the pair list.
    pub pair: usize,
    pub bodies: [usize; 2],
    pub masses: Masses,
    pub friction: f32,
    pub normal: Vec2,
    /// The points solved for: the first alone, or both.
    pub points: [SolverPoint; 2],
    /// The matrix K of both points and its inverse; none where the first is solved alone.
    pub block: Option<[Symmetric2; 2]>,
    /// Positions are corrected at all points, even where velocities are solved at the first only.
    pub manifold: Manifold,
    /// Radii of A and B.
    pub radii: [f32; 2],
}

impl Contact {
    /// Prepares a pair at the poses of the start of the step; none if it does not touch.
    pub fn prepare(index: usize, pair: &BodyPair, bodies: &[Body]) -> Option<Self> {
        let manifold = pair.manifold?;
        let (a, b) = (&bodies[pair.bodies[0]], &bodies[pair.bodies[1]]);
        let masses = Masses::new(a, b);
        let radii = [a.shape.radius(), b.shape.radius()];
        let view = manifold.view(a.placement, b.placement);
        let normal = view.normal();
        let point = |at: usize| {
            let found = manifold.points()[at];
            let arms = Arms::new(view.middle(found.local, radii), a, b);
            SolverPoint {
                arms,
                normal_mass: inverse(masses.resistance(arms, normal)),
                tangent_mass: inverse(masses.resistance(arms, normal.clockwise())),
                normal_impulse: found.normal_impulse,
                tangent_impulse: found.tangent_impulse,
            }
        };
        let last = manifold.points().len() - 1;
        let points = [point(0), point(last)];
        let block = couple(points, &masses, normal).filter(|_| last > 0);
        Some(Self {
            pair: index,
            bodies: pair.bodies,
            masses,
            friction: pair.friction,
            normal,
            points,
            block,
            manifold,
            radii,
        })
    }
}

impl Contact {
    /// The points that are solved for.
    pub fn solved(&self) -> &[SolverPoint] {
        &self.points[..=usize::from(self.block.is_some())]
    }
}

fn inverse(resistance: f32) -> f32 {
    if resistance > 0.0 {
        1.0 / resistance
    } else {
        0.0
    }
}

/// The matrix of both points and its inverse; none where it is near singular.
fn couple(points: [SolverPoint; 2], masses: &Masses, normal: Vec2) -> Option<[Symmetric2; 2]> {
    let [one, two] = points.map(|point| point.arms);
    let k = Symmetric2 {
        xx: masses.coupling(one, one, normal),
        xy: masses.coupling(one, two, normal),
        yy: masses.coupling(two, two, normal),
    };
    let regular = k.xx * k.xx < MAX_CONDITION * (k.xx * k.yy - k.xy * k.xy);
    regular.then(|| [k, k.inverse()])
}

/// Share of the overlap removed in one round.
const BAUMGARTE: f32 = 0.2;
const MAX_CORRECTION: f32 = 0.2;
/// Overlap that counts as solved.
const ACCEPTED_SEPARATION: f32 = -3.0 * LINEAR_SLOP;

/// One round over all contacts; whether no point was found overlapping too much.
pub(super) fn separate(contacts: &[Contact], bodies: &mut [Body]) -> bool {
    let smallest = contacts.iter().fold(0.0, |smallest, contact| {
        lesser(smallest, contact.separate(bodies))
    });
    smallest >= ACCEPTED_SEPARATION
}

impl Contact {
    /// Corrects point after point, each from the poses the last one left; returns the smallest separation seen.
    fn separate(&self, bodies: &mut [Body]) -> f32 {
        let mut smallest = 0.0;
        for point in self.manifold.points() {
            let separation = self.separate_point(point.local, bodies);
            smallest = lesser(smallest, separation);
        }
        smallest
    }

    fn separate_point(&self, local: Vec2, bodies: &mut [Body]) -> f32 {
        let [a, b] = self.bodies.map(|index| &bodies[index]);
        let [at_a, at_b] = [a, b].map(|body| Placement::new(body.position, body.angle));
        let view = self.manifold.view(at_a, at_b);
        let point = view.clip_point(local);
        let separation = view.height(point) - self.radii[0] - self.radii[1];
        let arms = Arms::new(point, a, b);
        let normal = view.normal();

        let excess = limit(BAUMGARTE * (separation + LINEAR_SLOP), -MAX_CORRECTION, 0.0);
        let resistance = self.masses.resistance(arms, normal);
        let size = if resistance > 0.0 {
            -excess / resistance
        } else {
            0.0
        };
        let shift = size * normal;
        bodies[self.bodies[0]].shift(-1.0, shift, arms.a.cross(shift));
        bodies[self.bodies[1]].shift(1.0, shift, arms.b.cross(shift));
        separation
    }
}

impl Body {
    /// Moves and turns the body by a pseudo-impulse in direction `sign`.
    fn shift(&mut self, sign: f32, impulse: Vec2, moment: f32) {
        self.position += sign * (self.inverse_mass * impulse);
        self.angle += sign * (self.inverse_inertia * moment);
    }
}
