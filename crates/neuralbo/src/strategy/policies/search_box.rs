//! The box around the centre in which the next point is sought.
//!
//! Continuous coordinates reach as far as the trust region, stretched where the objective hardly
//! depends on them and narrowed where it depends on them much. Choices have no distance: all values
//! are open at any size of the region. An int reaches at least its neighbours. Parameters that are
//! inactive at the centre are open. In many dimensions only a few parameters move at once, drawn
//! anew for each trial: nearly all of a box of a hundred sides lies far from the centre, where the
//! model knows nothing.

use std::ops::Range;

use rand::RngExt;

use super::constants::{BATCH_MAXIMIZER, DETECTABLE, DETECTABLE_PROBES, MAXIMIZER, MOST_MOVING};
use crate::acquisition::maximize::{Maximizer, SearchRegion, SeenRows};
use crate::linalg::{Points, Rng};
use crate::space::{Coordinate, Space};
use crate::surrogate::tangent::TangentPosterior;
use crate::surrogate::{Dataset, Function, Posterior};

/// Lower and upper bounds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SearchBox {
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
}

impl SearchBox {
    /// The whole encoded box.
    pub(super) fn whole(dim: usize) -> Self {
        Self {
            lower: vec![-1.0; dim],
            upper: vec![1.0; dim],
        }
    }

    /// Random rows at which a function's variation is measured.
    pub(super) fn probes(&self, rng: &mut Rng) -> Points {
        let bounds = || self.lower.iter().zip(&self.upper);
        let mut at = |(l, u): (&f64, &f64)| l + (u - l) * rng.random::<f64>();
        let rows = (0..DETECTABLE_PROBES).map(|_| bounds().map(&mut at).collect::<Vec<f64>>());
        Points::from_rows(self.lower.len(), rows)
    }
}

/// Boxes around one centre in one space.
pub(super) struct Boxes<'s, 'a> {
    pub(super) space: &'s Space,
    pub(super) center: &'a [f64],
    /// Factor of the side in each coordinate.
    pub(super) stretch: &'a [f64],
}

impl<'s> Boxes<'s, '_> {
    /// The box of this side, cut off at the encoded one.
    pub(super) fn of_side(&self, side: f64) -> SearchBox {
        let active = self.space.active_coordinates(self.center);
        let half = |(i, coordinate): (usize, &Coordinate)| match coordinate {
            // What the centre does not have has no near and far either.
            _ if active.as_ref().is_some_and(|active| !active[i]) => 2.0,
            Coordinate::Continuous | Coordinate::Feature => 0.5 * side * self.stretch[i],
            Coordinate::Grid { .. } => {
                to_neighbours(self.space, self.center, i, 0.5 * side * self.stretch[i])
            }
            Coordinate::OneHot { .. } | Coordinate::Codeword { .. } | Coordinate::Activity => 2.0,
        };
        let coordinates = self.space.coordinates();
        let halves: Vec<f64> = coordinates.iter().enumerate().map(half).collect();
        let bound = |sign: f64| {
            let both = self.center.iter().zip(&halves);
            let clamped = both.map(|(c, half)| (c + sign * half).clamp(-1.0, 1.0));
            clamped.collect()
        };
        SearchBox {
            lower: bound(-1.0),
            upper: bound(1.0),
        }
    }

    /// The region of a box of this side in which a few parameters move, with the points to start
    /// from: the centre and the best observations of the parameters inactive there.
    pub(super) fn region(
        &self,
        side: f64,
        taken: &'s SeenRows,
        scores: &Dataset,
        rng: &mut Rng,
    ) -> SearchRegion<'s> {
        let mut found = self.of_side(side);
        self.hold_most(&mut found, rng);
        let incumbents = incumbents(self.space, self.center, scores);
        SearchRegion::whole(self.space, taken, incumbents).within(&found.lower, &found.upper)
    }

    /// Closes a box at the centre but for a few parameters.
    fn hold_most(&self, SearchBox { lower, upper }: &mut SearchBox, rng: &mut Rng) {
        let parameters = parameters(self.space);
        let moving = rand::seq::index::sample(rng, parameters.len(), moving(parameters.len()));
        let mut held = vec![true; parameters.len()];
        moving.iter().for_each(|i| held[i] = false);
        if let Some(active) = self.space.active_coordinates(self.center) {
            for (range, held) in parameters.iter().zip(&mut held) {
                *held &= active[range.start];
            }
        }
        for (range, _) in parameters.into_iter().zip(held).filter(|(_, held)| *held) {
            lower[range.clone()].copy_from_slice(&self.center[range.clone()]);
            upper[range.clone()].copy_from_slice(&self.center[range]);
        }
    }
}

/// The side, doubled until the mean varies over `rows` of a box of that side by more than a part of
/// the noise, which would hide its slope in a smaller one. At most twice `widest`.
pub(super) fn detectable_side(
    posterior: &TangentPosterior,
    mut side: f64,
    widest: f64,
    mut rows: impl FnMut(f64) -> Points,
) -> f64 {
    let needed = DETECTABLE * posterior.noise_sd().unwrap_or(0.0);
    let mean = posterior.mean_function();
    while side < widest && deviation(&mean.value(&rows(side))) < needed {
        side *= 2.0;
    }
    side
}

/// The maximizer of a sampled function: each is one of many while others run.
pub(super) fn sample_maximizer(alone: bool) -> Maximizer {
    match alone {
        true => MAXIMIZER,
        false => BATCH_MAXIMIZER,
    }
}

/// Number of parameters that move at once: all up to 20, then fewer, ten from 40 on.
fn moving(parameters: usize) -> usize {
    let moving = MOST_MOVING * MOST_MOVING / parameters.max(1);
    moving.clamp(MOST_MOVING / 2, MOST_MOVING).min(parameters)
}

/// The coordinates of each parameter.
pub(crate) fn parameters(space: &Space) -> Vec<Range<usize>> {
    let of = |(i, coordinate): (usize, &Coordinate)| match *coordinate {
        Coordinate::OneHot { first, len, .. } | Coordinate::Codeword { first, len } => {
            (first == i).then_some(first..first + len)
        }
        Coordinate::Activity => None,
        _ => Some(i..i + 1),
    };
    let coordinates = space.coordinates();
    coordinates.iter().enumerate().filter_map(of).collect()
}

/// The centre, then for each parameter that is inactive there the best observation at which it is
/// active. Without conditions the centre alone.
fn incumbents(space: &Space, center: &[f64], data: &Dataset) -> Points {
    let mut rows = Points::from_rows(center.len(), [center]);
    let Some(at_center) = space.active_coordinates(center) else {
        return rows;
    };
    let starts = parameters(space).into_iter().map(|range| range.start);
    let missing: Vec<usize> = starts.filter(|&i| !at_center[i]).collect();
    let mut best: Vec<Option<usize>> = vec![None; missing.len()];
    for (i, &reward) in data.rewards().iter().enumerate() {
        // Most observations are no better than what was found before them.
        let is_no_better = |best: &usize| reward <= data.rewards()[*best];
        if best
            .iter()
            .all(|best| best.as_ref().is_some_and(is_no_better))
        {
            continue;
        }
        let Some(active) = space.active_coordinates(data.rows().row(i)) else {
            continue;
        };
        for (best, &coordinate) in best.iter_mut().zip(&missing) {
            if active[coordinate] && best.is_none_or(|best: usize| reward > data.rewards()[best]) {
                *best = Some(i);
            }
        }
    }
    let mut chosen: Vec<usize> = best.into_iter().flatten().collect();
    chosen.sort_unstable();
    chosen.dedup();
    chosen
        .into_iter()
        .for_each(|i| rows.push(data.rows().row(i)));
    rows
}

/// `half`, doubled until another position of coordinate `i` is within it on one side at least.
fn to_neighbours(space: &Space, center: &[f64], i: usize, mut half: f64) -> f64 {
    let position = |x: f64| {
        let mut row = center.to_vec();
        row[i] = x.clamp(-1.0, 1.0);
        space.snap(&mut row);
        row[i]
    };
    let here = position(center[i]);
    while half < 2.0 && position(here + half) == here && position(here - half) == here {
        half *= 2.0;
    }
    half
}

fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::{Purpose, Streams};
    use crate::strategy::tests::parse;
    use crate::surrogate::tangent::{Frame, TangentKernel, TangentModel};
    use rand_distr::StandardNormal;

    /// Boxes that are as wide in one coordinate as in another.
    fn boxes<'a>(space: &'a Space, center: &'a [f64]) -> Boxes<'a, 'a> {
        Boxes {
            space,
            center,
            stretch: &[1.0; 128][..center.len()],
        }
    }

    #[test]
    fn a_box_stays_inside_the_encoded_one() {
        let space = parse("x=float(0,1) y=float(0,1)");
        let found = boxes(&space, &[0.9, -1.0]).of_side(1.4);
        assert_eq!(found.lower, [0.9 - 0.7, -1.0]);
        assert_eq!(found.upper, [1.0, -1.0 + 0.7]);
    }

    #[test]
    fn a_box_is_stretched_along_each_coordinate() {
        let space = parse("x=float(0,1) y=float(0,1)");
        let boxes = Boxes {
            space: &space,
            center: &[0.0, 0.0],
            stretch: &[2.0, 0.5],
        };
        let found = boxes.of_side(0.4);
        assert_eq!(found.lower, [-0.4, -0.1]);
        assert_eq!(found.upper, [0.4, 0.1]);
    }

    #[test]
    fn choices_are_open_and_ints_reach_their_neighbours_in_the_smallest_region() {
        let space = parse("x=float(0,1) c=choice(a,b,c) b=bool n=int(1,5) l=int(1,1000,log)");
        let mut center = vec![0.0, 1.0, -1.0, -1.0, -1.0, 0.0, -1.0];
        space.snap(&mut center);
        let SearchBox { lower, upper } = boxes(&space, &center).of_side(1e-3);
        assert_eq!((lower[0], upper[0]), (-5e-4, 5e-4));
        assert!((1..4).all(|i| (lower[i], upper[i]) == (-1.0, 1.0)));
        for i in 4..7 {
            let mut row = center.clone();
            row[i] = upper[i];
            space.snap(&mut row);
            assert!(row[i] > center[i], "coordinate {i} reaches to {}", upper[i]);
        }
        // Ints reach no further than needed.
        assert!(upper[5] < 1.0 && upper[6] < 0.0, "{upper:?}");
    }

    #[test]
    fn few_parameters_move_at_once_where_there_are_many() {
        assert_eq!([1, 5, 20, 25, 40, 100].map(moving), [1, 5, 20, 16, 10, 10]);
        let mut parameters: Vec<String> = (0..50).map(|i| format!("x{i}=float(0,1)")).collect();
        parameters.extend((0..10).map(|i| format!("c{i}=choice(a,b,c)")));
        let space = parse(&parameters.join(" "));
        let mut center = vec![0.25; space.encoded_dim()];
        space.snap(&mut center);
        let mut rng = Streams::new(1).stream(0, Purpose::Candidates);
        for _ in 0..20 {
            let boxes = boxes(&space, &center);
            let mut found = boxes.of_side(0.5);
            boxes.hold_most(&mut found, &mut rng);
            let open =
                |range: &Range<usize>| range.clone().all(|i| found.lower[i] < found.upper[i]);
            let closed = |range: &Range<usize>| {
                range
                    .clone()
                    .all(|i| found.lower[i] == center[i] && found.upper[i] == center[i])
            };
            let into_iter = super::parameters(&space).into_iter();
            let (open, closed): (Vec<_>, Vec<_>) = into_iter.partition(|r| open(r) || !closed(r));
            assert_eq!((open.len(), closed.len()), (10, 50));
        }
    }

    #[test]
    fn the_best_point_of_each_branch_follows_the_centre() {
        let texts = [
            "k=choice(a,b,c)",
            "x=float(0,1) if k == b",
            "y=float(0,1) if k == c",
        ];
        let parameters = texts.iter().map(|text| text.parse().unwrap());
        let space = Space::new(parameters.collect()).unwrap();
        let (a, b, c) = ([1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]);
        let row = |k: [f64; 3], x: f64, y: f64| [k[0], k[1], k[2], x, y];
        let rows = [
            row(a, 0.0, 0.0),
            row(b, 0.1, 0.0),
            row(b, 0.2, 0.0),
            row(b, 0.3, 0.0),
            row(c, 0.0, 0.7),
        ];
        let data = Dataset::from_parts(Points::from_rows(5, rows), vec![9.0, 1.0, 3.0, 2.0, 0.0]);
        let found = incumbents(&space, &rows[0], &data);
        assert_eq!(found, Points::from_rows(5, [rows[0], rows[2], rows[4]]));
        let found = incumbents(&space, &rows[2], &data);
        assert_eq!(found, Points::from_rows(5, [rows[2], rows[4]]));
    }

    /// A slope of one across the box of side 2, in noise of `sd`.
    fn side_in_noise(sd: f64) -> f64 {
        let space = parse("x=float(0,1)");
        let mut rng = Streams::new(4).stream(0, Purpose::Noise);
        let rows = Points::from_rows(1, (0..200).map(|i| [f64::from(i) / 100.0 - 1.0]));
        let mut reward = |x: &[f64]| 0.5 * x[0] + sd * rng.sample::<f64, _>(StandardNormal);
        let rewards = rows.rows().map(&mut reward).collect();
        let data = Dataset::from_parts(rows, rewards);
        let kernel = TangentKernel::new(1, 64, &mut rng).unwrap();
        let frame = Frame::new(vec![0.0], 0.5);
        let model = TangentModel::new(kernel, frame).tuned(&data);
        let posterior = model.fit(&data).unwrap();
        detectable_side(&posterior, 1e-3, 2.0, |side| {
            boxes(&space, &[0.0]).of_side(side).probes(&mut rng)
        })
    }

    #[test]
    fn noise_widens_the_box_until_the_slope_can_be_detected() {
        assert_eq!(side_in_noise(0.0), 1e-3);
        // sd of the mean in a box of side s is 0.5 s / √12; 0.3 · 0.1 needs s > 0.21.
        let side = side_in_noise(0.1);
        assert!((0.15..0.6).contains(&side), "{side}");
    }
}
