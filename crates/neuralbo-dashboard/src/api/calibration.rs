//! What was predicted of trials before they ran, and what was seen.

use neuralbo::linalg::normal_cdf;
use serde::Serialize;

use super::Answer;
use super::downsample::evenly;
use crate::cache::{End, Number, StudyData};
use crate::http::Reply;

/// Trials that are shown.
const SHOWN: usize = 2000;
/// Shares of the values that intervals are made for.
const LEVELS: [f64; 7] = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];

#[derive(Serialize)]
struct Calibration {
    count: usize,
    z: Vec<Number>,
    coverage: Vec<Coverage>,
    points: Points,
}

#[derive(Serialize)]
struct Coverage {
    level: f64,
    share: Number,
}

#[derive(Serialize)]
struct Points {
    mean: Vec<Number>,
    sd: Vec<Number>,
    value: Vec<Number>,
    number: Vec<u64>,
}

/// A trial that a model predicted.
#[derive(Clone, Copy)]
struct Predicted {
    number: u64,
    mean: f64,
    sd: f64,
    value: f64,
}

impl Predicted {
    fn z(&self) -> f64 {
        (self.value - self.mean) / self.sd
    }
}

pub(super) fn answer(data: &StudyData) -> Answer {
    let column = data.table.values.get(data.record.definition.objective());
    let predicted = data
        .table
        .rows
        .iter()
        .enumerate()
        .filter_map(|(place, row)| {
            let value = column?.number(place).filter(|_| row.end == End::Complete)?;
            let predicted = Predicted {
                number: row.number,
                mean: row.mean,
                sd: row.sd,
                value,
            };
            (predicted.mean.is_finite() && predicted.sd > 0.0 && predicted.sd.is_finite())
                .then_some(predicted)
        });
    let all: Vec<Predicted> = predicted.collect();
    let shown: Vec<Predicted> = evenly(all.len(), SHOWN)
        .into_iter()
        .map(|place| all[place])
        .collect();
    let pick = |read: fn(&Predicted) -> f64| {
        shown
            .iter()
            .map(|predicted| Number(read(predicted)))
            .collect::<Vec<_>>()
    };
    Ok(Reply::json(&Calibration {
        count: all.len(),
        z: pick(Predicted::z),
        coverage: LEVELS
            .iter()
            .map(|level| Coverage {
                level: *level,
                share: Number(covered(&all, *level)),
            })
            .collect(),
        points: Points {
            mean: pick(|predicted| predicted.mean),
            sd: pick(|predicted| predicted.sd),
            value: pick(|predicted| predicted.value),
            number: shown.iter().map(|predicted| predicted.number).collect(),
        },
    }))
}

/// The share of values within the central interval of this level.
fn covered(all: &[Predicted], level: f64) -> f64 {
    let inside = all
        .iter()
        .filter(|predicted| 2.0 * normal_cdf(predicted.z().abs()) - 1.0 <= level)
        .count();
    inside as f64 / all.len() as f64
}
