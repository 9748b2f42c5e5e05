//! The bodies on the table and one time step of them.

use super::BODIES;
use super::body::{Body, BodyPlan};
use super::island::{Island, Taken};
use super::pairs::PairList;

/// Everything that moves.
#[derive(Clone, Debug)]
pub(crate) struct PhysicsWorld {
    bodies: [Body; BODIES],
    pairs: PairList,
    /// Kept between steps for its memory only.
    island: Island,
}

impl PhysicsWorld {
    /// Puts bodies on the table; their order decides ties in the solver.
    pub fn new(plans: &[BodyPlan; BODIES]) -> Self {
        let mut bodies = plans.each_ref().map(Body::new);
        let mut pairs = PairList::default();
        pairs.find_new(&mut bodies);
        Self {
            bodies,
            pairs,
            island: Island::default(),
        }
    }

    pub fn body(&self, index: usize) -> &Body {
        &self.bodies[index]
    }

    pub fn body_mut(&mut self, index: usize) -> &mut Body {
        &mut self.bodies[index]
    }

    /// Whether any two bodies touched in the last step.
    pub fn has_contact(&self) -> bool {
        self.pairs.get().iter().any(|pair| pair.touches())
    }

    /// Advances the world by one time step.
    pub fn step(&mut self) {
        self.pairs.update(&mut self.bodies);
        let taken = self.solve_islands();
        for (index, body) in self.bodies.iter_mut().enumerate() {
            if taken.has_body(index) {
                body.settle();
            }
        }
        self.pairs.find_new(&mut self.bodies);
        self.bodies.iter_mut().for_each(Body::clear_pushes);
    }

    /// Seeds islands from the newest body to the oldest.
    fn solve_islands(&mut self) -> Taken {
        let mut taken = Taken::default();
        for seed in (0..BODIES).rev() {
            if self.bodies[seed].awake && !taken.has_body(seed) {
                self.island
                    .gather(seed, self.pairs.get(), &mut self.bodies, &mut taken);
                self.island.solve(&mut self.pairs, &mut self.bodies);
            }
        }
        taken
    }
}
