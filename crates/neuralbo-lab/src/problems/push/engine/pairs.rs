//! The list of neighbouring bodies and their contact manifolds.

use super::body::{Body, wake_both};
use super::box_box::{self, PlacedBox};
use super::box_disc;
use super::manifold::Manifold;
use super::shape::BodyShape;

/// Two bodies whose fat bounds overlap.
#[derive(Clone, Debug)]
pub(super) struct BodyPair {
    /// Indices of A and B.
    pub bodies: [usize; 2],
    /// Friction coefficient between the two surfaces.
    pub friction: f32,
    /// How they touch, if they do.
    pub manifold: Option<Manifold>,
}

impl BodyPair {
    /// The earlier body is A, except that a disc is always B.
    fn new(bodies: &[Body], earlier: usize, later: usize) -> Self {
        let mut order = [earlier, later];
        if bodies[earlier].shape.is_disc() {
            order.reverse();
        }
        let friction = bodies[earlier].surface_friction * bodies[later].surface_friction;
        Self {
            bodies: order,
            friction: friction.sqrt(),
            manifold: None,
        }
    }

    fn joins(&self, one: usize, two: usize) -> bool {
        self.bodies == [one, two] || self.bodies == [two, one]
    }

    pub fn touches(&self) -> bool {
        self.manifold.is_some()
    }

    /// Finds the manifold anew; a contact that begins or ends wakes both bodies.
    fn update(&mut self, bodies: &mut [Body]) {
        let mut manifold = collide(&bodies[self.bodies[0]], &bodies[self.bodies[1]]);
        if let (Some(new), Some(old)) = (&mut manifold, &self.manifold) {
            new.inherit_impulses(old);
        }
        if manifold.is_some() != self.touches() {
            wake_both(bodies, self.bodies);
        }
        self.manifold = manifold;
    }
}

fn collide(a: &Body, b: &Body) -> Option<Manifold> {
    match (&a.shape, &b.shape) {
        (BodyShape::Box(one), BodyShape::Box(two)) => {
            let placed = |corners, at| PlacedBox { corners, at };
            box_box::collide(placed(one, a.placement), placed(two, b.placement))
        }
        (BodyShape::Box(corners), BodyShape::Disc { .. }) => {
            let reach = a.shape.radius() + b.shape.radius();
            box_disc::collide(corners, a.placement, b.placement, reach)
        }
        // The table carries a single disc, and pairs put it second.
        (BodyShape::Disc { .. }, _) => None,
    }
}

/// All pairs, newest first. The order decides in which order contacts are solved.
#[derive(Clone, Debug, Default)]
pub(super) struct PairList(Vec<BodyPair>);

impl PairList {
    pub fn get(&self) -> &[BodyPair] {
        &self.0
    }

    pub fn get_mut(&mut self) -> &mut [BodyPair] {
        &mut self.0
    }

    /// Drops the pairs that drifted apart and finds the manifolds of the others; sleeping pairs are left alone.
    pub fn update(&mut self, bodies: &mut [Body]) {
        self.0.retain_mut(|pair| {
            let [a, b] = pair.bodies;
            if !bodies[a].awake && !bodies[b].awake {
                return true;
            }
            if bodies[a].fat_bounds.overlaps(&bodies[b].fat_bounds) {
                pair.update(bodies);
                return true;
            }
            if pair.touches() {
                wake_both(bodies, pair.bodies);
            }
            false
        });
    }

    /// Adds the pairs that bodies moved into, waking them.
    pub fn find_new(&mut self, bodies: &mut [Body]) {
        if !bodies.iter().any(|body| body.moved) {
            return;
        }
        for earlier in 0..bodies.len() {
            for later in earlier + 1..bodies.len() {
                let (one, two) = (&bodies[earlier], &bodies[later]);
                let met = (one.moved || two.moved) && one.fat_bounds.overlaps(&two.fat_bounds);
                if met && !self.0.iter().any(|pair| pair.joins(earlier, later)) {
                    self.0.insert(0, BodyPair::new(bodies, earlier, later));
                    wake_both(bodies, [earlier, later]);
                }
            }
        }
        bodies.iter_mut().for_each(|body| body.moved = false);
    }
}
