//! What next: the recommended point, the expected gain of the next trials, and advice.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use neuralbo::record::Limits;
use neuralbo::study::{GainForecast, Recommendation, Study, StudyError};
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::{ApiError, ApiReply, ApiResult, App};
use crate::cache::{JsonNumber, StudyData, lock, make_room};

/// A gain below this share of the values' spread is not worth ten trials.
const WORTH: f64 = 0.01;
/// A reply is kept for at least this long, and for a multiple of its computing time.
const FRESH: Duration = Duration::from_secs(5);
const FRESH_COSTS: u32 = 20;
/// Studies that are kept open.
const KEPT: usize = 4;

/// The reply to `next`.
#[derive(Default, Serialize)]
struct Outlook {
    predicted_best: Option<Json>,
    /// The improvement of the best value, never below 0: expected, and its bound with a probability of 90 %.
    expected_gain: Option<Json>,
    heading: &'static str,
    advice: String,
    stop: bool,
    /// The trial to rely on, where values are noisy.
    #[serde(skip)]
    recommended: Option<(u64, f64, f64)>,
}

/// A study with its reply.
pub(super) struct KeptOutlook {
    study: Study,
    next: Outlook,
    seq: u64,
    made: Instant,
    cost: Duration,
}

pub(super) type Outlooks = Mutex<HashMap<String, KeptOutlook>>;

/// The state of a study for the advice.
struct StudyState {
    several: bool,
    seq: u64,
    version: u64,
    limits: Limits,
    ended: Option<String>,
    /// Trials that may become the best.
    eligible: usize,
    /// The spread of the better half of the values.
    spread: f64,
}

impl App {
    /// Number, mean and standard deviation of the recommended trial, if already computed.
    pub(super) fn recommended(&self, name: &str, version: u64) -> Option<(u64, f64, f64)> {
        let outlooks = self.outlooks.try_lock().ok()?;
        let kept = outlooks.get(name)?;
        kept.next
            .recommended
            .filter(|_| kept.study.record().version == version)
    }

    pub(super) fn next(&self, name: &str) -> ApiResult {
        let standing = self.studies.with(name, standing)?;
        let mut outlooks = lock(&self.outlooks);
        let kept = outlooks
            .remove(name)
            .filter(|kept| kept.study.record().version == standing.version)
            .filter(|kept| kept.study.limits() == standing.limits);
        let young = |kept: &KeptOutlook| {
            kept.seq == standing.seq || kept.made.elapsed() < FRESH.max(kept.cost * FRESH_COSTS)
        };
        let kept = match kept {
            Some(kept) if young(&kept) => kept,
            other => self.looked_ahead(name, other, &standing)?,
        };
        let reply = ApiReply::json(&kept.next);
        make_room(&mut outlooks, KEPT, |kept| kept.made);
        outlooks.insert(name.to_owned(), kept);
        Ok(reply)
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
            None => {
                let (store, record) = (Arc::clone(&self.store), self.store.study(name)?);
                Study::open(store, record, neuralbo_paper::registry())?
            }
        };
        Ok(KeptOutlook {
            next: look_ahead(&mut study, standing)?,
            study,
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
    let ends = value(0).zip(value(rewards.len() / 2));
    let ended = data.log.stop_reason(&data.record.limits);
    StudyState {
        several: definition.is_multi_objective(),
        seq: data.seq(),
        version: data.record.version,
        limits: data.record.limits,
        ended: ended.map(|reason| reason.to_string()),
        eligible: rewards.len(),
        spread: ends.map_or(0.0, |(best, median)| (best - median).abs()),
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
    let forecast = study.forecast().unwrap_or_default();
    Ok(Outlook::with(recommendation, forecast, standing))
}

impl Outlook {
    fn without(reason: &str, standing: &StudyState) -> Self {
        let (heading, advice) = match &standing.ended {
            Some(ended) => (ENDED, format!("The study has ended: {ended}.")),
            None => ("No forecast", format!("No forecast: {reason}.")),
        };
        Self {
            heading,
            advice,
            stop: standing.ended.is_some(),
            ..Self::default()
        }
    }

    fn with(found: Recommendation, gain: Option<GainForecast>, standing: &StudyState) -> Self {
        let (mean, sd) = (JsonNumber(found.mean), JsonNumber(found.sd));
        let gained = |gain: GainForecast| json!({ "trials": gain.trials, "mean": gain.mean, "high": gain.high });
        Self {
            predicted_best: Some(
                json!({ "number": found.number, "params": found.params, "mean": mean, "sd": sd }),
            ),
            expected_gain: gain.map(gained),
            recommended: found.noisy.then_some((found.number, found.mean, found.sd)),
            ..advice(found.noisy.then_some(found.noise_sd), gain, standing)
        }
    }
}

const ENDED: &str = "The study has ended";

/// Heading and sentences from one decision: they cannot contradict each other.
/// `noise` is the standard deviation of one evaluation, where values are noisy.
fn advice(noise: Option<f64>, gain: Option<GainForecast>, standing: &StudyState) -> Outlook {
    let Some(gain) = gain else {
        return too_early(standing);
    };
    let expected = expectation(noise.is_some(), gain, standing);
    let reason = if gain.high == 0.0 {
        Some("No gain is in sight")
    } else if gain.high < WORTH * standing.spread {
        Some("That is little beside the spread of the values so far")
    } else if noise.is_some_and(|noise| gain.high < noise) {
        Some("That is less than the noise of one evaluation")
    } else {
        None
    };
    let (heading, judged) = match (&standing.ended, reason) {
        (Some(_), Some(reason)) => (ENDED, format!("{reason}: leave it at that.")),
        (Some(_), None) => (
            ENDED,
            "Raise the limit if such an improvement is worth it.".to_owned(),
        ),
        (None, Some(reason)) => ("You may stop", format!("{reason}: you may stop.")),
        (None, None) => (
            "Continue",
            "Continue if such an improvement is worth it.".to_owned(),
        ),
    };
    Outlook {
        heading,
        advice: format!("{expected} {judged}"),
        stop: standing.ended.is_some() || reason.is_some(),
        ..Outlook::default()
    }
}

fn too_early(standing: &StudyState) -> Outlook {
    let (needed, found) = (GainForecast::NEEDED, standing.eligible);
    let early = format!(
        "It is too early to say what more trials will bring: a forecast needs {needed} values over more than ten trials, \
         there {}.",
        match found {
            1 => "is 1".to_owned(),
            found => format!("are {found}"),
        }
    );
    let (heading, advice) = match &standing.ended {
        Some(ended) => (ENDED, format!("The study has ended: {ended}. {early}")),
        None => ("Too early to say", early),
    };
    Outlook {
        heading,
        advice,
        stop: standing.ended.is_some(),
        ..Outlook::default()
    }
}

/// What the next trials are expected to bring.
fn expectation(noisy: bool, gain: GainForecast, standing: &StudyState) -> String {
    let what = if noisy {
        "the noise-free value"
    } else {
        "the best value"
    };
    let brings = format!(
        "expected to improve {what} by {}, and by no more than {} with a probability of 90 %.",
        shown(gain.mean),
        shown(gain.high)
    );
    match (&standing.ended, gain.trials) {
        (Some(ended), _) => format!(
            "The study has ended: {ended}. With a larger limit, ten more trials would be {brings}"
        ),
        (None, 1) => format!("The last trial is {brings}"),
        (None, 10) => format!("Ten more trials are {brings}"),
        (None, left) => format!("The last {left} trials are {brings}"),
    }
}

fn shown(value: f64) -> String {
    let plain = value == 0.0 || (1e-3..1e6).contains(&value);
    let text = format!("{value:.2e}");
    match text.parse::<f64>() {
        Ok(rounded) if plain => rounded.to_string(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing(spread: f64) -> StudyState {
        StudyState {
            several: false,
            seq: 40,
            version: 1,
            limits: Limits::default(),
            ended: None,
            eligible: 40,
            spread,
        }
    }

    #[test]
    fn advice_agrees_with_noise_and_heading() {
        let halving: Vec<f64> = (0..40).map(|i| -(0.9_f64.powi(i))).collect();
        let gain = GainForecast::of(&halving, 10);
        let high = gain.map_or(0.0, |gain| gain.high);
        assert!(high > 0.0);
        let nothing = GainForecast::of(&[1.0; 40], 10);
        let cases = [
            (None, gain, 1.0, "Continue", "improve the best value by"),
            (
                None,
                gain,
                200.0 * high,
                "You may stop",
                "little beside the spread",
            ),
            (
                Some(2.0 * high),
                gain,
                1.0,
                "You may stop",
                "less than the noise of one evaluation: you may stop",
            ),
            (
                Some(0.5 * high),
                gain,
                1.0,
                "Continue",
                "improve the noise-free value by",
            ),
            (
                None,
                nothing,
                0.0,
                "You may stop",
                "No gain is in sight: you may stop",
            ),
            (None, None, 1.0, "Too early to say", "there are 40"),
        ];
        for (noise, gain, spread, heading, part) in cases {
            let found = advice(noise, gain, &standing(spread));
            assert_eq!(found.heading, heading, "{}", found.advice);
            assert!(found.advice.contains(part), "{}", found.advice);
            assert_eq!(found.stop, heading == "You may stop");
        }
    }

    #[test]
    fn numbers_have_three_digits_and_small_ones_are_not_zero() {
        let texts = [0.0, 2.309_9, 12_345.0, 7e-8, 0.001_234].map(shown);
        assert_eq!(texts, ["0", "2.31", "12300", "7.00e-8", "0.00123"]);
    }
}
