//! What next: the recommended point, the expected gain of the next trials, and advice.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use neuralbo::record::Limits;
use neuralbo::space::Params;
use neuralbo::study::{GainForecast, Recommendation, Study, StudyError};
use serde::Serialize;

use super::{ApiError, ApiReply, ApiResult, App};
use crate::cache::{JsonNumber, StudyData};

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
    heading: &'static str,
    advice: String,
    stop: bool,
    /// The trial to rely on, where values are noisy.
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

/// The improvement of the best value, never below 0: expected, and its bound with a probability of 90 %.
#[derive(Clone, Copy, Serialize)]
struct ExpectedGain {
    trials: u64,
    mean: f64,
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
    limits: Limits,
    ended: Option<String>,
    /// Trials that may become the best.
    eligible: usize,
    /// The spread of the better half of the values.
    spread: f64,
}

impl App {
    pub(super) fn next(&self, name: &str) -> ApiResult {
        let standing = self.studies.with(name, standing)?;
        let mut outlooks = self.outlooks.lock();
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
        limits: data.record.limits,
        ended: data
            .log
            .stop_reason(&data.record.limits)
            .map(|reason| reason.to_string()),
        eligible: rewards.len(),
        spread,
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

/// What the advice comes to.
struct Advice {
    heading: &'static str,
    text: String,
    stop: bool,
}

impl Outlook {
    fn without(reason: &str, standing: &StudyState) -> Self {
        let (heading, advice) = match &standing.ended {
            Some(ended) => (ENDED, format!("The study has ended: {ended}.")),
            None => ("No forecast", format!("No forecast: {reason}.")),
        };
        Self {
            predicted_best: None,
            expected_gain: None,
            heading,
            advice,
            stop: standing.ended.is_some(),
            recommended: None,
        }
    }

    fn with(found: Recommendation, gain: Option<GainForecast>, standing: &StudyState) -> Self {
        let Advice {
            heading,
            text,
            stop,
        } = advice(found.noisy.then_some(found.noise_sd), gain, standing);
        let recommended = found.noisy.then_some((found.number, found.mean, found.sd));
        let predicted = PredictedBest {
            number: found.number,
            params: found.params,
            mean: JsonNumber(found.mean),
            sd: JsonNumber(found.sd),
        };
        let expected_gain = gain.map(|gain| ExpectedGain {
            trials: gain.trials,
            mean: gain.mean,
            high: gain.high,
        });
        Self {
            predicted_best: Some(predicted),
            expected_gain,
            heading,
            advice: text,
            stop,
            recommended,
        }
    }
}

const ENDED: &str = "The study has ended";

/// Heading and sentences from one decision: they cannot contradict each other.
/// `noise` is the standard deviation of one evaluation, where values are noisy.
fn advice(noise: Option<f64>, gain: Option<GainForecast>, standing: &StudyState) -> Advice {
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
    Advice {
        heading,
        text: format!("{expected} {judged}"),
        stop: standing.ended.is_some() || reason.is_some(),
    }
}

fn too_early(standing: &StudyState) -> Advice {
    let (needed, found) = (GainForecast::NEEDED, standing.eligible);
    let early = format!(
        "It is too early to say what more trials will bring: a forecast needs {needed} values over more than ten trials, \
         there {}.",
        match found {
            1 => "is 1".to_owned(),
            found => format!("are {found}"),
        }
    );
    match &standing.ended {
        Some(ended) => Advice {
            heading: ENDED,
            text: format!("The study has ended: {ended}. {early}"),
            stop: true,
        },
        None => Advice {
            heading: "Too early to say",
            text: early,
            stop: false,
        },
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
            assert_eq!(found.heading, heading, "{}", found.text);
            assert!(found.text.contains(part), "{}", found.text);
            assert_eq!(found.stop, heading == "You may stop");
        }
    }

    #[test]
    fn numbers_have_three_digits_and_small_ones_are_not_zero() {
        let texts = [0.0, 2.309_9, 12_345.0, 7e-8, 0.001_234].map(shown);
        assert_eq!(texts, ["0", "2.31", "12300", "7.00e-8", "0.00123"]);
    }
}
