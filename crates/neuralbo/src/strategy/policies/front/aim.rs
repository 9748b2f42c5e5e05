//! What each trial looks for, and around which point of the front.
//!
//! Trials come in pairs, one by the means and one by samples. Some pairs search the whole space,
//! others around a point of the front, where a model of few observations is more precise; some
//! improve one objective alone, which finds the ends of the front fastest.

use rand::RngExt;

use super::super::constants::END_FOUND;
use super::Front;
use super::gain::lost_without;
use super::units::FrontUnits;
use crate::linalg::Purpose;
use crate::strategy::smbo::Context;

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

/// Where a trial looks: the observation at the centre, and the side of the box; `None` for the
/// whole space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) aim: Aim,
    pub(super) center: usize,
    pub(super) side: Option<f64>,
}

impl Place {
    fn whole(front: &FrontUnits) -> Self {
        Self {
            aim: Aim::Whole,
            center: front.most_balanced(),
            side: None,
        }
    }
}

/// The aims of successive pairs of trials; the extremes take turns.
const PAIRS: [Aim; 5] = [
    Aim::Whole,
    Aim::Around,
    Aim::Whole,
    Aim::Around,
    Aim::Extreme(0),
];

impl Front {
    /// Where the next trial looks.
    pub(super) fn place(&self, context: &Context<'_>, front: &FrontUnits) -> Place {
        let pair = self.start.turn(context.number) / 2;
        match PAIRS[(pair % PAIRS.len() as u64) as usize] {
            Aim::Whole => Place::whole(front),
            Aim::Around => self.around(context, front),
            Aim::Extreme(_) => {
                let objective = (pair / PAIRS.len() as u64) as usize % context.history.objectives();
                let center = front.end(objective);
                match self.side(center).filter(|side| *side >= END_FOUND) {
                    Some(side) => Place {
                        aim: Aim::Extreme(objective),
                        center,
                        side: Some(side),
                    },
                    None => self.around(context, front),
                }
            }
        }
    }

    /// A point of the front, drawn by the hypervolume that would be lost without it: a thin front has
    /// most to gain.
    fn around(&self, context: &Context<'_>, front: &FrontUnits) -> Place {
        let streams = &self.setup.streams;
        let mut rng = streams.indexed(context.number, Purpose::Candidates, 6);
        let lost = lost_without(&front.units, &front.corner, streams);
        let is_open = |center: usize| self.regions.of(center).is_some_and(|r| !r.is_collapsed());
        let weight = |(&center, lost): (&usize, &f64)| match is_open(center) {
            true => lost.sqrt(),
            false => 0.0,
        };
        let weights: Vec<f64> = front.front.iter().zip(&lost).map(weight).collect();
        let mut left = rng.random::<f64>() * weights.iter().sum::<f64>();
        let drawn = weights.iter().position(|weight| {
            left -= weight;
            left <= 0.0 && *weight > 0.0
        });
        // Where every region has collapsed the whole space is searched.
        match drawn.map(|place| front.front[place]) {
            Some(center) => Place {
                aim: Aim::Around,
                center,
                side: self.side(center),
            },
            None => Place::whole(front),
        }
    }

    fn side(&self, center: usize) -> Option<f64> {
        self.regions.of(center).map(|region| region.side())
    }
}
