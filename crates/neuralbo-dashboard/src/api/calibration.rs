//! Calibration: predictions of trials before they ran, and observed values.

use neuralbo::linalg::normal_cdf;
use serde_json::json;

use super::downsample::evenly;
use super::{ApiResult, answered};
use crate::cache::{End, JsonNumber, StudyData, numbers};

/// Trials that are shown.
const SHOWN: usize = 2000;
/// Levels of the central intervals.
const LEVELS: [f64; 7] = [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];

/// A trial that a model predicted.
#[derive(Clone, Copy)]
struct PredictedTrial {
    number: u64,
    mean: f64,
    sd: f64,
    value: f64,
}

impl PredictedTrial {
    fn z(&self) -> f64 {
        (self.value - self.mean) / self.sd
    }
}

pub(super) fn answer(data: &StudyData) -> ApiResult {
    let column = data.table.values.get(data.record.definition.objective());
    let rows = data.table.rows.iter().enumerate();
    let all: Vec<PredictedTrial> = rows
        .filter_map(|(place, row)| {
            let value = column?.number(place).filter(|_| row.end == End::Complete)?;
            let known = row.mean.is_finite() && row.sd > 0.0 && row.sd.is_finite();
            known.then_some(PredictedTrial {
                number: row.number,
                mean: row.mean,
                sd: row.sd,
                value,
            })
        })
        .collect();
    let shown = evenly(all.len(), SHOWN);
    let pick = |read: fn(&PredictedTrial) -> f64| numbers(shown.iter().map(|at| read(&all[*at])));
    let coverage =
        LEVELS.map(|level| json!({ "level": level, "share": JsonNumber(covered(&all, level)) }));
    answered(json!({
        "count": all.len(),
        "z": pick(PredictedTrial::z),
        "coverage": coverage,
        "points": {
            "mean": pick(|trial| trial.mean),
            "sd": pick(|trial| trial.sd),
            "value": pick(|trial| trial.value),
            "number": shown.iter().map(|place| all[*place].number).collect::<Vec<_>>(),
        },
    }))
}

/// The share of values within the central interval of this level.
fn covered(all: &[PredictedTrial], level: f64) -> f64 {
    let inside = |trial: &&PredictedTrial| 2.0 * normal_cdf(trial.z().abs()) - 1.0 <= level;
    all.iter().filter(inside).count() as f64 / all.len() as f64
}
