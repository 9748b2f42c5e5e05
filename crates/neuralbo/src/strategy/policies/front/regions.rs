//! A trust region around every point of the front, as a fold over the finished trials.
//!
//! A trial belongs to the region with the nearest centre. It is a success when it adds clearly to
//! the hypervolume; then it joins the front with a region like the one it came from.

use super::super::constants::{BEYOND_WORST, CLEAR_GAIN};
use super::super::trust_region::{TrustRegion, TrustRegionSettings};
use super::gain::Volume;
use crate::linalg::{Points, Streams, squared_distance};
use crate::pareto;
use crate::strategy::{Entry, History};

/// One region: the observation at its centre and its size.
#[derive(Clone, Debug, PartialEq)]
struct Region {
    center: usize,
    region: TrustRegion,
}

/// All regions; the centres are the front.
#[derive(Clone, Debug)]
pub(super) struct Regions {
    streams: Streams,
    settings: TrustRegionSettings,
    /// Trials of the initial design, which belong to no region.
    initial: usize,
    regions: Vec<Region>,
    seen: usize,
}

impl Regions {
    pub(super) fn new(streams: Streams, settings: TrustRegionSettings, initial: usize) -> Self {
        Self {
            streams,
            settings,
            initial,
            regions: Vec::new(),
            seen: 0,
        }
    }

    /// Takes in the trials finished since the last call.
    pub(super) fn update(&mut self, history: &History) {
        for (number, outcome) in history.outcomes().iter().enumerate().skip(self.seen) {
            // A failed trial says where the border is, not that the region holds nothing better.
            if let Entry::Observed(i) = *outcome {
                self.take(history, i, number >= self.initial);
            }
        }
        self.seen = history.len();
    }

    /// The region around this observation, if it is on the front.
    pub(super) fn of(&self, center: usize) -> Option<&TrustRegion> {
        let mut regions = self.regions.iter();
        regions.find(|r| r.center == center).map(|r| &r.region)
    }

    fn take(&mut self, history: &History, i: usize, counts: bool) {
        let objectives = history.objectives();
        let rewards =
            |i: usize| -> Vec<f64> { (0..objectives).map(|k| history.reward(i, k)).collect() };
        let new = rewards(i);
        let eligible = history.is_feasible(i) && !new.iter().any(|reward| reward.is_nan());
        let centers = self.regions.iter().map(|region| rewards(region.center));
        let centers = Points::from_rows(objectives, centers);
        let joins = eligible && !centers.rows().any(|center| pareto::covers(center, &new));
        let mut region = TrustRegion::new(self.settings);
        if let Some(parent) = self.nearest(history, i).filter(|_| counts) {
            let succeeds = joins && self.adds_clearly(&centers, &new);
            self.regions[parent].region.count(succeeds);
            region = self.regions[parent].region.clone();
        }
        if joins {
            self.regions
                .retain(|region| !pareto::covers(&new, &rewards(region.center)));
            self.regions.push(Region { center: i, region });
        }
    }

    fn nearest(&self, history: &History, i: usize) -> Option<usize> {
        let rows = history.observed().rows();
        let distance =
            |place: usize| squared_distance(rows.row(self.regions[place].center), rows.row(i));
        (0..self.regions.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)))
    }

    /// Whether rewards add clearly to what the front covers, in units of both.
    fn adds_clearly(&self, front: &Points, new: &[f64]) -> bool {
        let mut all = front.clone();
        all.push(new);
        let of = |k: usize, pick: fn(f64, f64) -> f64| {
            all.rows().map(|row| row[k]).reduce(pick).unwrap_or(0.0)
        };
        let (low, high): (Vec<f64>, Vec<f64>) = (0..new.len())
            .map(|k| (of(k, f64::min), of(k, f64::max)))
            .unzip();
        let unit = |row: &[f64]| -> Vec<f64> {
            let range = |k: usize| match high[k] > low[k] {
                true => (high[k] / 2.0 - low[k] / 2.0) * 2.0,
                false => 1.0,
            };
            let unit = |k: usize| row[k] / range(k) - low[k] / range(k);
            (0..row.len()).map(unit).collect()
        };
        let front = Points::from_rows(new.len(), front.rows().map(unit));
        let volume = Volume::new(&front, &vec![-BEYOND_WORST; new.len()], &self.streams);
        volume.relative_gain(&unit(new)) > CLEAR_GAIN
    }
}
