//! What each trial looks for, and around which point of the front.
//!
//! Trials come in pairs, one by the means and one by samples. Some pairs look at the whole space, others around a point of the
//! front, where a model of few observations knows more; some improve one objective alone, because the ends of the front are found
//! fastest so and bound all the rest.

use rand::RngExt;

use super::super::Moment;
use super::FrontPolicy;
use super::gain::lost_without;
use super::standing::Standing;
use crate::linalg::Purpose;

/// What a trial looks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aim {
    /// Hypervolume anywhere.
    Whole,
    /// Hypervolume around a point of the front.
    Around,
    /// The best of one objective.
    Extreme(usize),
}

/// Where a trial looks: the observation at the centre, and the side of the box; `None` for the whole space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) aim: Aim,
    pub(super) center: usize,
    pub(super) side: Option<f64>,
}

/// The aims of successive pairs of trials; the extremes take turns.
const PAIRS: [Aim; 5] = [
    Aim::Whole,
    Aim::Around,
    Aim::Whole,
    Aim::Around,
    Aim::Extreme(0),
];
/// Side below which the end of the front counts as found.
const FOUND: f64 = 0.02;

impl FrontPolicy {
    /// How many trials came before this one, without those to begin with.
    pub(super) fn turn(&self, number: u64) -> u64 {
        number.abs_diff(self.design.len() as u64)
    }

    /// Where the next trial looks.
    pub(super) fn place(&self, moment: &Moment<'_>, standing: &Standing) -> Place {
        let pair = self.turn(moment.number) / 2;
        match PAIRS[(pair % PAIRS.len() as u64) as usize] {
            Aim::Whole => Place {
                aim: Aim::Whole,
                center: standing.most_balanced(),
                side: None,
            },
            Aim::Around => self.around(moment, standing),
            Aim::Extreme(_) => {
                let objective = (pair / PAIRS.len() as u64) as usize % moment.history.objectives();
                let center = standing.end(objective);
                match self.side(center).filter(|side| *side >= FOUND) {
                    Some(side) => Place {
                        aim: Aim::Extreme(objective),
                        center,
                        side: Some(side),
                    },
                    None => self.around(moment, standing),
                }
            }
        }
    }

    /// A point of the front, drawn by the hypervolume that would be lost without it: where the front is thin there is most to gain.
    fn around(&self, moment: &Moment<'_>, standing: &Standing) -> Place {
        let mut rng = self
            .setup
            .streams
            .indexed(moment.number, Purpose::Candidates, 6);
        let lost = lost_without(&standing.units, &standing.corner, &self.setup.streams);
        let weight = |(&center, lost): (&usize, &f64)| {
            if self.is_open(center) {
                lost.sqrt()
            } else {
                0.0
            }
        };
        let weights: Vec<f64> = standing.front.iter().zip(&lost).map(weight).collect();
        let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
        let drawn = weights.iter().position(|weight| {
            left -= weight;
            left <= 0.0 && *weight > 0.0
        });
        // Where every region has collapsed the whole space is what is left.
        match drawn.map(|place| standing.front[place]) {
            Some(center) => Place {
                aim: Aim::Around,
                center,
                side: self.side(center),
            },
            None => Place {
                aim: Aim::Whole,
                center: standing.most_balanced(),
                side: None,
            },
        }
    }

    fn side(&self, center: usize) -> Option<f64> {
        self.regions.of(center).map(|region| region.side())
    }

    fn is_open(&self, center: usize) -> bool {
        self.regions
            .of(center)
            .is_some_and(|region| !region.is_collapsed())
    }
}
