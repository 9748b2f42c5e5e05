//! What next: the recommended point, the expected gain of ten more trials, and advice.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use neuralbo::linalg::{Purpose, Streams, space_filling};
use neuralbo::record::Direction;
use neuralbo::space::{Params, Space};
use neuralbo::study::{Recommendation, Study, StudyError, StudyModel};
use serde::Serialize;

use super::{ApiError, ApiReply, ApiResult, App};
use crate::cache::{JsonNumber, StudyData};

/// Trials whose gain is predicted.
const TRIALS: usize = 10;
/// Functions drawn from the model; each is the truth once, and the following ones choose points.
const SAMPLES: usize = 32;
/// Candidates lie around the best trials, at these shares of the ranges: far from all trials a
/// sample says more about the model than about the objective.
const NEAR: usize = 8;
const SCALES: [f64; 3] = [0.1, 0.03, 0.01];
const AROUND: usize = 16;
/// The level of the gain's interval.
const LEVEL: f64 = 0.9;
/// A gain below this share of the values' spread is not worth ten trials.
const WORTH: f64 = 0.01;
/// A reply is kept for at least this long, and for a multiple of its computing time.
const FRESH: Duration = Duration::from_secs(5);
const FRESH_COSTS: u32 = 20;
/// Studies that are kept open.
const KEPT: usize = 4;

/// The reply to `next`.
#[derive(Clone, Serialize)]
pub(super) struct Outlook {
    predicted_best: Option<PredictedBest>,
    expected_gain: Option<ExpectedGain>,
    advice: String,
    stop: bool,
    #[serde(skip)]
    recommended: Option<(u64, f64, f64)>,
}

#[derive(Clone, Serialize)]
struct PredictedBest {
    number: u64,
    params: Params,
    mean: JsonNumber,
    sd: JsonNumber,
}

/// The improvement of the best value, never below 0.
#[derive(Clone, Copy, Serialize)]
struct ExpectedGain {
    trials: usize,
    mean: f64,
    low: f64,
    high: f64,
}

struct KeptOutlook {
    study: Study,
    next: Arc<Outlook>,
    seq: u64,
    made: Instant,
    cost: Duration,
}

/// Studies with their replies.
#[derive(Default)]
pub(super) struct Outlooks(Mutex<HashMap<String, KeptOutlook>>);

impl Outlooks {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, KeptOutlook>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Number, mean and standard deviation of the recommended trial, if already computed.
    pub(super) fn recommended(&self, name: &str, version: u64) -> Option<(u64, f64, f64)> {
        self.0
            .try_lock()
            .ok()?
            .get(name)
            .filter(|kept| kept.study.record().version == version)?
            .next
            .recommended
    }
}

/// The state of a study for the advice.
struct StudyState {
    several: bool,
    seq: u64,
    version: u64,
    ended: Option<String>,
    /// The spread of the better half of the values.
    spread: f64,
    /// The best trials.
    best: Vec<Params>,
}

impl App {
    pub(super) fn next(&self, name: &str) -> ApiResult {
        let standing = self.studies.with(name, standing)?;
        let mut outlooks = self.outlooks.lock();
        let kept = outlooks
            .remove(name)
            .filter(|kept| kept.study.record().version == standing.version);
        let young = |kept: &KeptOutlook| {
            kept.seq == standing.seq || kept.made.elapsed() < FRESH.max(kept.cost * FRESH_COSTS)
        };
        let kept = match kept {
            Some(kept) if young(&kept) => kept,
            other => self.looked_ahead(name, other, &standing)?,
        };
        let next = Arc::clone(&kept.next);
        if outlooks.len() >= KEPT {
            let oldest = outlooks
                .iter()
                .min_by_key(|(_, kept)| kept.made)
                .map(|(name, _)| name.clone());
            oldest.and_then(|name| outlooks.remove(&name));
        }
        outlooks.insert(name.to_owned(), kept);
        Ok(ApiReply::json(next.as_ref()))
    }

    fn looked_ahead(
        &self,
        name: &str,
        kept: Option<KeptOutlook>,
        standing: &StudyState,
    ) -> Result<KeptOutlook, ApiError> {
        let started = Instant::now();
        let mut study = match kept {
            Some(kept) => kept.study,
            None => Study::open(
                Arc::clone(&self.store),
                self.store.study(name)?,
                neuralbo_paper::registry(),
            )?,
        };
        let next = Arc::new(look_ahead(&mut study, standing)?);
        Ok(KeptOutlook {
            study,
            next,
            seq: standing.seq,
            made: Instant::now(),
            cost: started.elapsed(),
        })
    }
}

fn standing(data: &StudyData) -> StudyState {
    let definition = &data.record.definition;
    let column = data.table.values.get(definition.objective());
    let rewards = super::columns::best(data, definition.objective(), usize::MAX);
    let value = |place: usize| rewards.get(place).and_then(|row| column?.number(*row));
    let spread = value(0)
        .zip(value(rewards.len() / 2))
        .map_or(0.0, |(best, median)| (best - median).abs());
    StudyState {
        several: definition.objectives.len() > 1,
        seq: data.seq(),
        version: data.record.version,
        ended: data
            .log
            .stop_reason(&data.record.limits)
            .map(|reason| reason.to_string()),
        spread,
        best: rewards
            .iter()
            .take(NEAR)
            .map(|place| data.table.params_of(*place))
            .collect(),
    }
}

fn look_ahead(study: &mut Study, standing: &StudyState) -> Result<Outlook, ApiError> {
    if standing.several {
        return Ok(Outlook::without(
            "with several objectives, look at how the hypervolume grows",
            standing,
        ));
    }
    let recommendation = match study.recommend() {
        Ok(found) => found,
        Err(StudyError::Store(error)) => return Err(error.into()),
        Err(error) => return Ok(Outlook::without(&error.to_string(), standing)),
    };
    let (space, direction) = (
        study.definition().space.clone(),
        study.definition().direction(),
    );
    let model = study.model().ok();
    let gain = model.as_ref().and_then(|model| {
        expected_gain(
            model,
            &space,
            direction,
            &recommendation.params,
            &standing.best,
        )
    });
    let noise = model.as_ref().and_then(StudyModel::noise_sd);
    Ok(Outlook::with(recommendation, gain, noise, standing))
}

impl Outlook {
    fn without(reason: &str, standing: &StudyState) -> Self {
        let advice = match &standing.ended {
            Some(ended) => format!("The study has ended: {ended}."),
            None => format!("No prediction: {reason}."),
        };
        Self {
            predicted_best: None,
            expected_gain: None,
            advice,
            stop: standing.ended.is_some(),
            recommended: None,
        }
    }

    fn with(
        found: Recommendation,
        gain: Option<ExpectedGain>,
        noise: Option<f64>,
        standing: &StudyState,
    ) -> Self {
        let (advice, stop) = advice(gain, noise, standing);
        let recommended = Some((found.number, found.mean, found.sd));
        let predicted = PredictedBest {
            number: found.number,
            params: found.params,
            mean: JsonNumber(found.mean),
            sd: JsonNumber(found.sd),
        };
        Self {
            predicted_best: Some(predicted),
            expected_gain: gain,
            advice,
            stop,
            recommended,
        }
    }
}

/// The advice, and whether it is to stop.
fn advice(gain: Option<ExpectedGain>, noise: Option<f64>, standing: &StudyState) -> (String, bool) {
    let ended = standing.ended.as_ref().map_or(String::new(), |reason| {
        format!("The study has ended: {reason}. ")
    });
    let Some(gain) = gain else {
        return (
            format!("{ended}The model cannot say what more trials would bring."),
            standing.ended.is_some(),
        );
    };
    let expected = format!(
        "{ended}Ten more trials are expected to improve the best value by {}, and by no more than {} with a probability of 95 %.",
        shown(gain.mean),
        shown(gain.high)
    );
    let small = WORTH * standing.spread;
    if gain.high < small {
        return (
            format!(
                "{expected} That is little beside the spread of the values so far: you may stop."
            ),
            true,
        );
    }
    if noise.is_some_and(|noise| gain.high < noise) {
        return (
            format!("{expected} That is less than the noise of one evaluation: you may stop."),
            true,
        );
    }
    (
        format!("{expected} Going on is worth it if such an improvement is."),
        standing.ended.is_some(),
    )
}

fn shown(value: f64) -> String {
    let plain = value == 0.0 || (1e-3..1e6).contains(&value.abs());
    if plain {
        format!("{value:.3}")
    } else {
        format!("{value:.2e}")
    }
}

/// The gain of ten Thompson samples: one function drawn from the model is taken as the truth, ten
/// others choose a point each, and the best of these points is compared with the incumbent.
fn expected_gain(
    model: &StudyModel,
    space: &Space,
    direction: Direction,
    incumbent: &Params,
    best: &[Params],
) -> Option<ExpectedGain> {
    let points = candidates(space, incumbent, best)?;
    let rewards: Vec<Vec<f64>> = (0..SAMPLES as u64)
        .map(|seed| {
            let values = model.sample(seed)?.value(&points).ok()?;
            Some(
                values
                    .into_iter()
                    .map(|value| direction.reward(value))
                    .collect(),
            )
        })
        .collect::<Option<_>>()?;
    let largest = |sample: &Vec<f64>| {
        (0..sample.len())
            .max_by(|a, b| sample[*a].total_cmp(&sample[*b]))
            .unwrap_or(0)
    };
    let choices: Vec<usize> = rewards.iter().map(largest).collect();
    let gain = |truth: usize| {
        let chosen = (1..=TRIALS).map(|next| rewards[truth][choices[(truth + next) % SAMPLES]]);
        (chosen.fold(f64::NEG_INFINITY, f64::max) - rewards[truth][0]).max(0.0)
    };
    let mut gains: Vec<f64> = (0..SAMPLES).map(gain).collect();
    gains.sort_by(f64::total_cmp);
    let quantile = |share: f64| gains[((gains.len() - 1) as f64 * share).round() as usize];
    let mean = gains.iter().sum::<f64>() / gains.len() as f64;
    Some(ExpectedGain {
        trials: TRIALS,
        mean,
        low: quantile((1.0 - LEVEL) / 2.0),
        high: quantile((1.0 + LEVEL) / 2.0),
    })
}

/// The incumbent, then feasible points around it and around the best trials.
fn candidates(space: &Space, incumbent: &Params, best: &[Params]) -> Option<Vec<Params>> {
    let mut rng = Streams::new(0).stream(0, Purpose::Candidates);
    let moves = space_filling(space.encoded_dim(), SCALES.len() * AROUND, &mut rng);
    let mut points = vec![incumbent.clone()];
    for center in std::iter::once(incumbent).chain(best) {
        let center = space.row_of(center);
        for (place, step) in moves.rows().enumerate() {
            // The coordinates reach from -1 to 1.
            let scale = 2.0 * SCALES[place / AROUND];
            let row: Vec<f64> = center
                .iter()
                .zip(step)
                .map(|(at, step)| (at + scale * step).clamp(-1.0, 1.0))
                .collect();
            let params = space.params(&space.decode(&row));
            points.extend(Some(params).filter(|params| space.satisfies(params).is_ok()));
        }
    }
    (points.len() > TRIALS).then_some(points)
}
