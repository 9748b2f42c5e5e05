//! One method on one case.

use std::time::Instant;

use neuralbo::linalg::Points;
use neuralbo::pareto;
use neuralbo::record::{Direction, Outcome, Provenance, Values};
use neuralbo::space::{Params, Point};
use neuralbo::study::StudyError;

use super::checkpoint::ChosenPoint;
use super::trace::{FORMAT, LocationSums, RunTrace, TraceHeader, TraceRow};
use super::{Contender, FrontMeasure, LabCase};
use crate::external::{PROTOCOL, resident_bytes};
use crate::method::{RunError, RunStart, caught};

/// Makes a contender ready; called inside the run, so that its failure is the run's.
pub type Begin<'a> = dyn Fn(&RunStart) -> Result<Contender, RunError> + 'a;

/// What is told each new point after its evaluation.
pub type Evaluated<'a> = dyn FnMut(&ChosenPoint) + 'a;

/// Runs a method to the end of its budget, after the points that it chose in earlier sessions; an error or a panic ends the run and is
/// kept in the header.
pub fn run(
    case: &LabCase,
    experiment: &str,
    method: &str,
    begin: &Begin<'_>,
    earlier: &[ChosenPoint],
    evaluated: &mut Evaluated<'_>,
) -> RunTrace {
    let started = Instant::now();
    let mut record = Recorder::new(case);
    let outcome = caught(|| record.fill(begin, earlier, evaluated)).and_then(|outcome| outcome);
    let header = TraceHeader {
        format: FORMAT,
        experiment: experiment.into(),
        problem: case.problem.clone(),
        method: method.into(),
        run: case.run,
        seed: case.seed,
        direction: recorded(case),
        dim: case.space.encoded_dim(),
        evaluations: case.evaluations,
        initial: case.initial.len() as u64,
        error: outcome.err().map(|error| error.to_string()),
        best_point: record.best.map_or_else(Vec::new, |best| {
            best.point.values().iter().flatten().cloned().collect()
        }),
        best_seen_truth: (record.best_seen.filter(|_| case.noisy)).map(|seen| seen.truth),
        recommended_truth: record.recommended_truth,
        place: record.locations.mean(),
        seconds: started.elapsed().as_secs_f64() + suggest_seconds(earlier),
    };
    RunTrace {
        header,
        rows: record.rows,
    }
}

/// Seconds that the choice of points took.
fn suggest_seconds(points: &[ChosenPoint]) -> f64 {
    let each = points
        .iter()
        .map(|point| 1e-3 * point.provenance.suggest_ms);
    each.sum()
}

/// Which way what is recorded is better: a hypervolume is larger the better.
fn recorded(case: &LabCase) -> Direction {
    if case.front.is_some() {
        Direction::Maximize
    } else {
        case.direction()
    }
}

/// A point, what was observed there and the truth behind it.
#[derive(Clone)]
struct Seen {
    point: Point,
    observed: f64,
    truth: f64,
    values: Option<Values>,
}

impl Seen {
    fn at(case: &LabCase, point: Point, index: u64) -> Self {
        Self {
            observed: case.evaluator.observe(&point, index),
            truth: case.evaluator.truth(&point),
            values: case.evaluator.values(&point),
            point,
        }
    }

    /// As a study is told.
    fn outcome(&self) -> Outcome {
        let values = self.values.clone().map(Outcome::Values);
        values.unwrap_or(Outcome::Value(self.observed))
    }
}

struct Recorder<'a> {
    case: &'a LabCase,
    rows: Vec<TraceRow>,
    /// By the truth.
    best: Option<Seen>,
    /// By the observation.
    best_seen: Option<Seen>,
    recommended_truth: Option<f64>,
    locations: LocationSums,
    /// Of several objectives all rewards so far.
    rewards: Points,
}

impl<'a> Recorder<'a> {
    fn new(case: &'a LabCase) -> Self {
        Self {
            case,
            rows: Vec::new(),
            best: None,
            best_seen: None,
            recommended_truth: None,
            locations: LocationSums::default(),
            rewards: Points::new(case.objectives.len()),
        }
    }

    fn fill(
        &mut self,
        begin: &Begin<'_>,
        earlier: &[ChosenPoint],
        evaluated: &mut Evaluated<'_>,
    ) -> Result<(), RunError> {
        let case = self.case;
        let several = Some(&case.objectives[..]).filter(|objectives| objectives.len() > 1);
        let start = RunStart {
            protocol: PROTOCOL,
            space: case.space.clone(),
            direction: case.direction(),
            objectives: several.unwrap_or_default().to_vec(),
            outcome_constraints: case.outcome_constraints.clone(),
            seed: case.method_seed,
            budget: case.evaluations,
            problem: case.problem.clone(),
        };
        let mut contender = begin(&start)?;
        self.tell_initial(&mut contender)?;
        for (evaluation, chosen) in (1..).zip(earlier) {
            let outcome = self.evaluate(evaluation, chosen, None)?;
            contender.repeat(chosen, outcome)?;
        }
        for evaluation in earlier.len() as u64 + 1..=case.evaluations {
            let trial = contender.ask()?;
            let chosen = ChosenPoint {
                params: trial.params.clone().unwrap_or_default(),
                provenance: trial.provenance.clone().unwrap_or_default(),
            };
            let memory = contender.process().and_then(resident_bytes);
            let outcome = self.evaluate(evaluation, &chosen, memory)?;
            contender.tell(trial, outcome)?;
            evaluated(&chosen);
        }
        if case.noisy
            && let Some(params) = contender.recommended()?
        {
            let point = self.point(&params)?;
            self.recommended_truth = Some(case.evaluator.truth(&point));
        }
        Ok(())
    }

    /// Evaluates a point and records it; what its method is told.
    fn evaluate(
        &mut self,
        evaluation: u64,
        chosen: &ChosenPoint,
        memory: Option<u64>,
    ) -> Result<Outcome, RunError> {
        let (case, point) = (self.case, self.point(&chosen.params)?);
        let seen = Seen::at(case, point, case.initial.len() as u64 + evaluation - 1);
        let outcome = seen.outcome();
        self.push(evaluation, seen, chosen.provenance.clone(), memory);
        Ok(outcome)
    }

    fn point(&self, params: &Params) -> Result<Point, RunError> {
        let point = self.case.space.point_of(params);
        Ok(point.map_err(StudyError::from)?)
    }

    fn tell_initial(&mut self, contender: &mut Contender) -> Result<(), RunError> {
        let (case, mut best) = (self.case, None);
        for (index, point) in case.initial.iter().enumerate() {
            let seen = Seen::at(case, point.clone(), index as u64);
            contender.add_known(case.space.params(point), seen.outcome())?;
            best = Some(self.see(seen));
        }
        if let Some(best) = best {
            let shared = TraceRow {
                evaluation: 0,
                observed: None,
                truth: None,
                best,
                seconds: 0.0,
                // Another process has not even been told yet: its size says nothing.
                memory: None,
                mean: None,
                sd: None,
                origin: "shared".into(),
            };
            self.rows.push(shared);
        }
        Ok(())
    }

    fn push(&mut self, evaluation: u64, seen: Seen, from: Provenance, memory: Option<u64>) {
        if let (None, Ok(row)) = (self.case.space.pool(), self.case.space.encode(&seen.point)) {
            self.locations.add(&row);
        }
        let single = self.case.front.is_none();
        let [observed, truth] = [seen.observed, seen.truth].map(|value| single.then_some(value));
        let best = self.see(seen);
        self.rows.push(TraceRow {
            evaluation,
            observed,
            truth,
            best,
            seconds: (from.suggest_ms * 1e3).round() / 1e6,
            memory,
            mean: from.mean,
            sd: from.sd,
            origin: from.origin,
        });
    }

    /// Compares with the best ones so far and returns the best true value, of several objectives the
    /// hypervolume. Evaluations that failed have no observation.
    fn see(&mut self, seen: Seen) -> f64 {
        if let Some(front) = &self.case.front {
            return self.hypervolume(front, &seen.values.unwrap_or_default());
        }
        let direction = self.case.direction();
        let better = |best: &Seen| direction.is_better(seen.observed, best.observed);
        if seen.observed.is_finite() && self.best_seen.as_ref().is_none_or(better) {
            self.best_seen = Some(seen.clone());
        }
        match &self.best {
            Some(best) if !best.truth.is_nan() && !direction.is_better(seen.truth, best.truth) => {
                best.truth
            }
            _ => self.best.insert(seen).truth,
        }
    }

    /// Adds measured values; the share of the best hypervolume that all so far have.
    fn hypervolume(&mut self, front: &FrontMeasure, values: &Values) -> f64 {
        let objectives = || self.case.objectives.iter();
        let value = |name: &str| values.get(name).copied().unwrap_or(f64::NAN);
        let row: Vec<f64> = objectives()
            .map(|objective| objective.direction.reward(value(&objective.name)))
            .collect();
        let corner: Vec<f64> = objectives()
            .zip(&front.reference)
            .map(|(objective, reference)| objective.direction.reward(*reference))
            .collect();
        if row.iter().all(|reward| reward.is_finite()) {
            self.rewards.push(&row);
        }
        pareto::hypervolume(&self.rewards, &corner) / front.best
    }
}

#[cfg(test)]
mod tests;
