//! The bodies on the table and one time step of them.

use super::body::{Body, BodyPlan};
use super::contact::{Contact, separate};
use super::pairs::{BodyPair, PairList};
use super::{BODIES, POSITION_ROUNDS, VELOCITY_ROUNDS};

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

/// Seconds a whole island has to be still before it falls asleep.
const TIME_TO_SLEEP: f32 = 0.5;

/// Bodies and pairs of one island, in the order in which they are solved.
#[derive(Clone, Debug, Default)]
pub(super) struct Island {
    bodies: Vec<usize>,
    pairs: Vec<usize>,
    contacts: Vec<Contact>,
}

/// Bodies and pairs that already belong to an island of this step.
#[derive(Clone, Debug, Default)]
pub(super) struct Taken {
    bodies: [bool; BODIES],
    /// Room for every pair of bodies.
    pairs: [bool; BODIES * (BODIES - 1) / 2],
}

impl Taken {
    pub fn has_body(&self, body: usize) -> bool {
        self.bodies[body]
    }
}

impl Island {
    /// Gathers, depth first, everything that touches `seed` directly or through others, and wakes it.
    pub fn gather(
        &mut self,
        seed: usize,
        pairs: &[BodyPair],
        bodies: &mut [Body],
        taken: &mut Taken,
    ) {
        self.bodies.clear();
        self.pairs.clear();
        let mut stack = [seed; BODIES];
        let mut height = 1;
        taken.bodies[seed] = true;
        while height > 0 {
            height -= 1;
            let body = stack[height];
            self.bodies.push(body);
            bodies[body].wake();
            for (index, pair) in pairs.iter().enumerate() {
                let free = pair.touches() && !taken.pairs[index];
                let Some(other) = partner(pair, body).filter(|_| free) else {
                    continue;
                };
                taken.pairs[index] = true;
                self.pairs.push(index);
                if !taken.bodies[other] {
                    taken.bodies[other] = true;
                    stack[height] = other;
                    height += 1;
                }
            }
        }
    }

    /// Moves the island's bodies by one step.
    pub fn solve(&mut self, pairs: &mut PairList, bodies: &mut [Body]) {
        self.solve_velocities(pairs, bodies);
        for &body in &self.bodies {
            bodies[body].advance();
        }
        let settled = (0..POSITION_ROUNDS).any(|_| separate(&self.contacts, bodies));
        self.rest(settled, bodies);
    }

    fn solve_velocities(&mut self, pairs: &mut PairList, bodies: &mut [Body]) {
        for &body in &self.bodies {
            bodies[body].accelerate();
        }
        self.contacts.clear();
        let prepared = |&pair: &usize| Contact::prepare(pair, &pairs.get()[pair], bodies);
        self.contacts.extend(self.pairs.iter().filter_map(prepared));
        for contact in &self.contacts {
            contact.warm_start(bodies);
        }
        for &body in &self.bodies {
            bodies[body].warm_start_table_friction();
        }
        for _ in 0..VELOCITY_ROUNDS {
            for &body in &self.bodies {
                bodies[body].solve_table_friction();
            }
            for contact in &mut self.contacts {
                contact.solve_velocity(bodies);
            }
        }
        for contact in &self.contacts {
            contact.keep_impulses(&mut pairs.get_mut()[contact.pair]);
        }
    }

    /// Puts the island to sleep once all its bodies have been still for long enough and none overlap.
    fn rest(&self, settled: bool, bodies: &mut [Body]) {
        let stillest = self.bodies.iter().fold(f32::MAX, |least, &body| {
            least.min(bodies[body].update_still_time())
        });
        if stillest >= TIME_TO_SLEEP && settled {
            for &body in &self.bodies {
                bodies[body].fall_asleep();
            }
        }
    }
}

/// The other body of a pair that `body` belongs to.
fn partner(pair: &BodyPair, body: usize) -> Option<usize> {
    match pair.bodies {
        [a, b] if a == body => Some(b),
        [a, b] if b == body => Some(a),
        _ => None,
    }
}
