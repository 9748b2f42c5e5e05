//! How the objective depends on one or two parameters: averaged over all others, or with the others held at a point.

use serde::Serialize;

use super::indices::{feasible_row, varied};
use super::options::normal_quantile;
use super::{Estimate, ImportanceOptions, RegionModel};
use crate::linalg::{Points, Purpose, Streams, space_filling};
use crate::space::{Params, SpaceError, Value};
use crate::surrogate::{Function, Prediction};

/// Points of the other parameters over which a curve and a surface are averaged.
const CURVE_POINTS: usize = 256;
const SURFACE_POINTS: usize = 64;
/// Functions drawn for the uncertainty of a surface.
const SURFACE_SAMPLES: usize = 16;
/// Points drawn for each one in which a parameter with a condition is active, at most.
const MOST_DRAWN: usize = 16;

/// The objective along one parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct DependenceCurve {
    /// The parameter.
    pub parameter: String,
    /// Where it was looked at: all values of a choice, a range of numbers.
    pub values: Vec<Value>,
    /// The posterior mean.
    pub mean: Vec<f64>,
    /// Lower end of the band.
    pub low: Vec<f64>,
    /// Upper end of the band.
    pub high: Vec<f64>,
}

/// The objective over two parameters; rows follow `y`, columns `x`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Surface {
    /// The parameter along a row.
    pub x: String,
    /// The parameter along a column.
    pub y: String,
    /// Where `x` was looked at.
    pub x_values: Vec<Value>,
    /// Where `y` was looked at.
    pub y_values: Vec<Value>,
    /// The posterior mean.
    pub mean: Vec<Vec<f64>>,
    /// Its standard deviation.
    pub sd: Vec<Vec<f64>>,
}

/// A parameter and where it is looked at.
struct GridAxis {
    position: usize,
    fractions: Vec<f64>,
    values: Vec<Value>,
}

impl RegionModel {
    /// Partial dependence on one parameter: the mean of the objective over all others, at up to `grid` values, with a band by
    /// functions drawn from the posterior. Of a parameter with a condition the mean is over the points in which it is active.
    pub fn partial_dependence(
        &self,
        name: &str,
        grid: usize,
        options: &ImportanceOptions,
    ) -> Result<DependenceCurve, SpaceError> {
        self.curve(name, grid, options, false)
    }

    /// [`RegionModel::partial_dependence`], or its difference to its own mean over the values.
    pub(super) fn curve(
        &self,
        name: &str,
        grid: usize,
        options: &ImportanceOptions,
        centred: bool,
    ) -> Result<DependenceCurve, SpaceError> {
        let axis = self.axis(name, grid)?;
        let others = self.others(&[axis.position], CURVE_POINTS, options.seed);
        let rows = self.crossed(&others, &[&axis]);
        let averaged = |function: &dyn Function| {
            let mut means = averages(&function.value(&rows), others.len());
            if centred {
                let mean = means.iter().sum::<f64>() / means.len().max(1) as f64;
                means.iter_mut().for_each(|value| *value -= mean);
            }
            self.in_values(means)
        };
        let mean = averaged(self.mean());
        let samples = self.samples(options);
        let samples: Vec<Vec<f64>> = samples.iter().map(|f| averaged(&**f)).collect();
        let at = |i: usize| {
            let drawn = samples.iter().map(|sample| sample[i]).collect();
            let estimate = Estimate::new(mean[i], drawn, options.level);
            (estimate.low, estimate.high)
        };
        let (low, high) = (0..mean.len()).map(at).unzip();
        Ok(DependenceCurve {
            parameter: name.to_owned(),
            values: axis.values,
            mean,
            low,
            high,
        })
    }

    /// Partial dependence on two parameters, averaged over all others.
    pub fn partial_dependence_2d(
        &self,
        names: [&str; 2],
        grid: usize,
        options: &ImportanceOptions,
    ) -> Result<Surface, SpaceError> {
        let (x, y) = (self.axis(names[0], grid)?, self.axis(names[1], grid)?);
        let others = self.others(&[x.position, y.position], SURFACE_POINTS, options.seed);
        let rows = self.crossed(&others, &[&y, &x]);
        let averaged = |function: &dyn Function| averages(&function.value(&rows), others.len());
        let mean = self.in_values(averaged(self.mean()));
        let few = ImportanceOptions {
            samples: options.samples.min(SURFACE_SAMPLES),
            ..*options
        };
        let samples = self.samples(&few);
        let samples: Vec<Vec<f64>> = samples.iter().map(|f| averaged(&**f)).collect();
        let sd = |i: usize| deviation(samples.iter().map(|sample| sample[i]));
        let sd = (0..mean.len()).map(sd).collect();
        Ok(surface(names, x, y, Prediction { mean, sd }))
    }

    /// The objective along one parameter with all others as they are in `at`; the band holds the value with the probability of
    /// the options.
    pub fn slice(
        &self,
        name: &str,
        at: &Params,
        grid: usize,
        level: f64,
    ) -> Result<DependenceCurve, SpaceError> {
        let axis = self.axis(name, grid)?;
        let found = self.predict_rows(&self.crossed(&[self.fractions(at)], &[&axis]));
        let half = |sd: &f64| normal_quantile(0.5 * (1.0 + level)) * sd;
        let band = |(mean, sd): (&f64, &f64)| (mean - half(sd), mean + half(sd));
        let (low, high) = found.mean.iter().zip(&found.sd).map(band).unzip();
        Ok(DependenceCurve {
            parameter: name.to_owned(),
            values: axis.values,
            mean: found.mean,
            low,
            high,
        })
    }

    /// The objective over two parameters with all others as they are in `at`.
    pub fn contour(
        &self,
        names: [&str; 2],
        at: &Params,
        grid: usize,
    ) -> Result<Surface, SpaceError> {
        let (x, y) = (self.axis(names[0], grid)?, self.axis(names[1], grid)?);
        let found = self.predict_rows(&self.crossed(&[self.fractions(at)], &[&y, &x]));
        Ok(surface(names, x, y, found))
    }

    /// Rewards as values of the objective.
    fn in_values(&self, rewards: Vec<f64>) -> Vec<f64> {
        let value = |reward| self.direction.value(reward);
        rewards.into_iter().map(value).collect()
    }

    fn axis(&self, name: &str, grid: usize) -> Result<GridAxis, SpaceError> {
        let parameters = self.space.parameters();
        let unknown = || SpaceError::UnknownName {
            name: name.to_owned(),
            expected: self.space.names(),
        };
        let position = parameters
            .iter()
            .position(|parameter| parameter.name() == name)
            .ok_or_else(unknown)?;
        let fractions = self.region.grid(position, &parameters[position], grid);
        let draw = |u: &f64| parameters[position].draw(*u);
        let values = fractions.iter().map(draw).collect();
        Ok(GridAxis {
            position,
            fractions,
            values,
        })
    }

    fn fractions(&self, at: &Params) -> Vec<f64> {
        let fractions = self.space.fractions(&self.space.row_of(at)).into_iter();
        fractions.map(|u| u.unwrap_or(0.5)).collect()
    }

    /// Fractions of all parameters, drawn over the region; those of `shown` are overwritten later. Where a shown parameter has a
    /// condition, points in which it is active, as far as some are found.
    fn others(&self, shown: &[usize], count: usize, seed: u64) -> Vec<Vec<f64>> {
        let varied = varied(&self.space);
        let conditional = shown
            .iter()
            .any(|&position| self.space.parameters()[position].condition().is_some());
        let drawn = count * if conditional { MOST_DRAWN } else { 1 };
        let mut rng = Streams::new(seed).indexed(0, Purpose::Design, 2);
        let points = space_filling(varied.len().max(1), drawn, &mut rng);
        let fractions = |point: &[f64]| {
            let mut fractions = vec![0.5; self.space.parameters().len()];
            varied
                .iter()
                .zip(point)
                .for_each(|(&at, u)| fractions[at] = self.region.fraction(at, 0.5 * (u + 1.0)));
            fractions
        };
        let all: Vec<Vec<f64>> = points.rows().map(fractions).collect();
        if !conditional {
            return all;
        }
        let is_active = |fractions: &&Vec<f64>| {
            let found = self.space.fractions(&self.space.row_at(fractions));
            shown.iter().all(|&position| found[position].is_some())
        };
        let active: Vec<Vec<f64>> = all.iter().filter(is_active).take(count).cloned().collect();
        if active.is_empty() {
            all.into_iter().take(count).collect()
        } else {
            active
        }
    }

    /// Every point of the grid of some axes with every one of the others, the last axis fastest of the axes, the others inside.
    fn crossed(&self, others: &[Vec<f64>], axes: &[&GridAxis]) -> Points {
        let mut rows = Points::new(self.space.encoded_dim());
        let sizes: Vec<usize> = axes.iter().map(|axis| axis.fractions.len()).collect();
        for cell in 0..sizes.iter().product() {
            for other in others {
                let (mut fractions, mut rest) = (other.clone(), cell);
                for (axis, size) in axes.iter().zip(&sizes).rev() {
                    fractions[axis.position] = axis.fractions[rest % size];
                    rest /= size;
                }
                rows.push(&feasible_row(&self.space, &fractions));
            }
        }
        rows
    }
}

fn averages(values: &[f64], size: usize) -> Vec<f64> {
    values
        .chunks(size.max(1))
        .map(|chunk| chunk.iter().sum::<f64>() / chunk.len() as f64)
        .collect()
}

fn deviation(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let count = values.clone().count().max(1) as f64;
    let mean = values.clone().sum::<f64>() / count;
    (values.map(|value| (value - mean).powi(2)).sum::<f64>() / count).sqrt()
}

fn surface(names: [&str; 2], x: GridAxis, y: GridAxis, found: Prediction) -> Surface {
    let width = x.fractions.len().max(1);
    let rows = |values: &[f64]| values.chunks(width).map(<[f64]>::to_vec).collect();
    Surface {
        x: names[0].to_owned(),
        y: names[1].to_owned(),
        mean: rows(&found.mean),
        sd: rows(&found.sd),
        x_values: x.values,
        y_values: y.values,
    }
}
