//! One method on one case.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use neuralbo::drive::{Cancel, DriveOptions, Objective, Observer, Reporter, Standing, Stop, drive};
use neuralbo::linalg::Points;
use neuralbo::pareto;
use neuralbo::record::{Direction, Outcome, Provenance, StopReason, Trial, Values};
use neuralbo::space::{Params, Point};
use neuralbo::store::Told;
use neuralbo::study::{Study, StudyError};

use super::location::LocationSums;
use super::trace::{FORMAT, RunTrace, TraceHeader, TraceRow};
use super::{Case, Contender, FrontMeasure};
use crate::external::resident_bytes;
use crate::method::{RunError, RunTrouble, Start, caught};

/// Where the points of another process came from: more than that is not known.
const EXTERNAL: &str = "external";

/// Makes a contender ready; called inside the run, so that its failure is the run's.
pub type Begin<'a> = dyn Fn(&Start) -> Result<Contender, RunError> + 'a;

/// Names of what is run.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    /// The experiment.
    pub experiment: &'a str,
    /// The method.
    pub method: &'a str,
}

/// Runs a method to the end of its budget; an error or a panic ends the run and is kept in the header.
pub fn run(
    case: &Case,
    labels: Labels<'_>,
    begin: &Begin<'_>,
    evaluated: &mut dyn FnMut(),
) -> RunTrace {
    let started = Instant::now();
    let mut record = Recorder::new(case);
    let outcome = caught(|| record.fill(begin, evaluated)).and_then(|outcome| outcome);
    let header = TraceHeader {
        format: FORMAT,
        experiment: labels.experiment.into(),
        problem: case.problem.clone(),
        method: labels.method.into(),
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
        best_seen_truth: record
            .best_seen
            .filter(|_| case.noisy)
            .map(|seen| seen.truth),
        recommended_truth: record.recommended_truth,
        place: record.locations.mean(),
        seconds: started.elapsed().as_secs_f64(),
    };
    RunTrace {
        header,
        rows: record.rows,
    }
}

/// Which way what is recorded is better: a hypervolume is larger the better.
fn recorded(case: &Case) -> Direction {
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
    fn at(case: &Case, point: Point, index: u64) -> Self {
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
    case: &'a Case,
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
    fn new(case: &'a Case) -> Self {
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

    fn fill(&mut self, begin: &Begin<'_>, evaluated: &mut dyn FnMut()) -> Result<(), RunError> {
        let case = self.case;
        let start = Start {
            space: case.space.clone(),
            objectives: case.objectives.clone(),
            constraints: case.constraints.clone(),
            seed: case.method_seed,
            budget: case.evaluations,
            problem: case.problem.clone(),
            known: case.initial.clone(),
        };
        let mut contender = begin(&start)?;
        self.tell_initial(&mut contender.study)?;
        self.drive(&mut contender, evaluated)?;
        if case.noisy {
            self.recommended_truth = self.recommended(&mut contender.study)?;
        }
        Ok(())
    }

    fn tell_initial(&mut self, study: &mut Study) -> Result<(), RunError> {
        let (case, mut best) = (self.case, None);
        for (index, point) in case.initial.iter().enumerate() {
            let seen = Seen::at(case, point.clone(), index as u64);
            study.add_known(case.space.params(point), seen.outcome())?;
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

    fn drive(
        &mut self,
        contender: &mut Contender,
        evaluated: &mut dyn FnMut(),
    ) -> Result<(), RunError> {
        let (case, process, trouble) = (self.case, contender.process, contender.trouble.clone());
        let evaluation = CaseObjective {
            case,
            stop: Stop::default(),
            trouble,
            seen: Mutex::default(),
        };
        let options = DriveOptions {
            trials: Some(case.evaluations),
            stop: evaluation.stop.clone(),
            ..DriveOptions::default()
        };
        let mut tracing = Tracing {
            record: self,
            evaluation: &evaluation,
            process,
            evaluated,
        };
        let summary = drive(
            &mut contender.study,
            &evaluation,
            &options,
            &mut [&mut tracing],
        );
        // What went wrong comes before what the study made of it.
        evaluation.trouble.take()?;
        match summary?.stop {
            StopReason::Exhausted => Err(RunError::Exhausted),
            _ => Ok(()),
        }
    }

    /// The truth at the point that the method's model recommends; none without a model.
    fn recommended(&self, study: &mut Study) -> Result<Option<f64>, RunError> {
        let recommendation = match study.recommend() {
            Err(StudyError::NoModel(_)) => return Ok(None),
            answer => answer?,
        };
        let point = self
            .case
            .space
            .point_of(&recommendation.params)
            .map_err(StudyError::from)?;
        Ok(Some(self.case.evaluator.truth(&point)))
    }

    fn push(&mut self, trial: &Trial, seen: Seen, process: Option<u32>) {
        if let (None, Ok(row)) = (self.case.space.pool(), self.case.space.encode(&seen.point)) {
            self.locations.add(&row);
        }
        let single = self.case.front.is_none();
        let [observed, truth] = [seen.observed, seen.truth].map(|value| single.then_some(value));
        let best = self.see(seen);
        let Provenance {
            origin,
            mean,
            sd,
            suggest_ms,
            ..
        } = trial.provenance.clone().unwrap_or_default();
        self.rows.push(TraceRow {
            evaluation: trial.number + 1 - self.case.initial.len() as u64,
            observed,
            truth,
            best,
            seconds: suggest_ms / 1e3,
            memory: process.and_then(resident_bytes),
            mean,
            sd,
            origin: process.map_or(origin, |_| EXTERNAL.to_owned()),
        });
    }

    /// Compares with the best ones so far and returns the best true value, of several objectives the
    /// hypervolume. Evaluations that failed have no observation.
    fn see(&mut self, seen: Seen) -> f64 {
        if let Some(front) = &self.case.front {
            return self.hypervolume(front, &seen.values.unwrap_or_default());
        }
        let direction = self.case.direction();
        if seen.observed.is_finite()
            && self
                .best_seen
                .as_ref()
                .is_none_or(|best| direction.is_better(seen.observed, best.observed))
        {
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

/// The case as what is driven: gives trials their observations and keeps the truth for the trace.
struct CaseObjective<'a> {
    case: &'a Case,
    stop: Stop,
    trouble: RunTrouble,
    seen: Mutex<Option<Seen>>,
}

impl CaseObjective<'_> {
    fn observe(&self, params: &Params, index: u64) -> Result<Seen, RunError> {
        let point = self.case.space.point_of(params).map_err(StudyError::from)?;
        caught(|| Seen::at(self.case, point, index))
    }

    fn end(&self, error: RunError) {
        self.trouble.keep(error);
        self.stop.finish();
    }

    fn take(&self) -> Option<Seen> {
        self.seen
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

impl Objective for CaseObjective<'_> {
    fn evaluate(&self, trial: &Trial, _: &Reporter, _: &Cancel) -> Outcome {
        let Some(params) = &trial.params else {
            return Outcome::Interrupted;
        };
        match self.observe(params, trial.number) {
            Ok(seen) => {
                let outcome = seen.outcome();
                *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
                outcome
            }
            // Methods learn from failed evaluations; a broken problem ends the run instead.
            Err(error) => {
                self.end(error);
                Outcome::Interrupted
            }
        }
    }
}

/// Writes a row of the trace for every trial.
struct Tracing<'r, 'a> {
    record: &'r mut Recorder<'a>,
    evaluation: &'r CaseObjective<'a>,
    process: Option<u32>,
    evaluated: &'r mut dyn FnMut(),
}

impl Observer for Tracing<'_, '_> {
    fn told(&mut self, trial: &Trial, _: Told, _: &Standing) {
        if let Some(seen) = self.evaluation.take() {
            self.record.push(trial, seen, self.process);
            // A watcher may panic, for instance when the terminal is gone; the loop must not.
            caught(|| (self.evaluated)()).unwrap_or_else(|panic| self.evaluation.end(panic));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::{BoxEvaluator, uniform_design};
    use super::*;
    use crate::Problem;
    use crate::method::MethodSpec;
    use crate::problems::{SPHERE, by_name};
    use neuralbo::space::Space;
    use neuralbo::strategy::{Exhausted, Origin, Request, Strategy, Suggestion};

    fn case() -> Case {
        let problem = SPHERE.of(2);
        let evaluator = BoxEvaluator {
            observation: Box::new(|x, index| SPHERE.of(2).value(x) + index as f64),
            problem,
        };
        Case {
            initial: uniform_design(&problem.bounds(), 3, 5),
            noisy: true,
            evaluations: 6,
            ..Case::on_box("sphere-2", 1, 5, &problem, Box::new(evaluator)).unwrap()
        }
    }

    fn trace_of(case: &Case, method: &str) -> RunTrace {
        let spec: MethodSpec = method.parse().unwrap();
        run(
            case,
            Labels {
                experiment: "test",
                method,
            },
            &|start| Contender::begin(&spec, start),
            &mut || (),
        )
    }

    fn run_with(begin: &Begin<'_>) -> RunTrace {
        run(
            &case(),
            Labels {
                experiment: "test",
                method: "m",
            },
            begin,
            &mut || (),
        )
    }

    #[test]
    fn a_run_records_the_best_truth_from_the_initial_design_on() {
        let trace = trace_of(&case(), "random");
        assert_eq!((trace.header.error.as_deref(), trace.rows.len()), (None, 7));
        let case = case();
        let first = case
            .initial
            .iter()
            .map(|point| case.evaluator.truth(point))
            .fold(f64::INFINITY, f64::min);
        assert_eq!(trace.rows[0].best, first);
        let mut best = first;
        for (i, row) in trace.rows.iter().enumerate().skip(1) {
            best = best.min(row.truth.unwrap());
            assert_eq!((row.evaluation, row.best), (i as u64, best));
            assert!((row.observed.unwrap() - row.truth.unwrap() - (i + 2) as f64).abs() < 1e-12);
        }
    }

    #[test]
    fn choices_of_a_model_carry_its_predictions() {
        let trace = trace_of(&case(), "gp-ei:initial=3");
        assert_eq!((trace.rows[0].mean, trace.rows[0].sd), (None, None));
        for row in &trace.rows[1..] {
            let chosen = row.origin.starts_with("model");
            assert_eq!(
                (row.mean.is_some(), row.sd.is_some_and(|sd| sd > 0.0)),
                (chosen, chosen),
                "{row:?}"
            );
        }
        assert!(
            trace.rows.iter().any(|row| row.mean.is_some()),
            "{:?}",
            trace.rows
        );
    }

    /// The observation grows by one with every evaluation, so the first of all looks best.
    #[test]
    fn noisy_problems_record_the_truth_at_the_best_seen_and_at_the_recommended_point() {
        let truths = |method: &str, case: &Case| {
            let trace = trace_of(case, method);
            (trace.header.best_seen_truth, trace.header.recommended_truth)
        };
        let mut case = case();
        let bounds = SPHERE.of(2).bounds();
        let observation = Box::new(|x: &[f64], index| 1e-3 * SPHERE.of(2).value(x) + index as f64);
        case.evaluator = Box::new(BoxEvaluator {
            observation,
            problem: SPHERE.of(2),
        });
        let first = case.evaluator.truth(&uniform_design(&bounds, 3, 5)[0]);
        assert_eq!(truths("random", &case), (Some(first), None));
        assert!(truths("gp-ei:initial=3", &case).1.is_some());
        case.noisy = false;
        assert_eq!(truths("gp-ei:initial=3", &case), (None, None));
    }

    #[test]
    fn constrained_problems_record_the_best_feasible_value() {
        let problem = by_name("g06", None).unwrap();
        let bounds = problem.bounds();
        let evaluator = BoxEvaluator {
            observation: Box::new(|x, _| by_name("g06", None).unwrap().value(x)),
            problem: by_name("g06", None).unwrap(),
        };
        let case = Case {
            initial: uniform_design(&bounds, 3, 5),
            evaluations: 1,
            ..Case::on_box("g06", 1, 5, &problem, Box::new(evaluator)).unwrap()
        };
        let best = Point::new(
            problem
                .optimum()
                .unwrap()
                .at
                .into_iter()
                .map(Into::into)
                .collect(),
        );
        let trace = run(
            &case,
            Labels {
                experiment: "test",
                method: "m",
            },
            &|start| Contender::choosing(start, Box::new(Fixed(best.clone()))),
            &mut || (),
        );
        assert_eq!(trace.header.error, None);
        assert!(
            trace.rows[0].best.is_nan(),
            "random points violate g06's constraints"
        );
        assert!(
            (trace.rows[1].best + 6961.81).abs() < 0.01,
            "{:?}",
            trace.rows[1]
        );
    }

    struct Fixed(Point);

    impl Strategy for Fixed {
        fn suggest(&mut self, _: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
            Ok(vec![Suggestion {
                point: self.0.clone(),
                row: vec![0.0, 0.0],
                origin: Origin::Sampled,
                mean: None,
                sd: None,
            }])
        }
    }

    #[test]
    fn chosen_points_have_their_place() {
        let place = trace_of(&case(), "random").header.place.unwrap();
        assert!(
            place.at_bounds == 0.0 && (0.1..1.0).contains(&place.from_centre),
            "{place:?}"
        );
    }

    struct Broken(u32);

    impl Strategy for Broken {
        fn suggest(&mut self, _: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
            self.0 += 1;
            assert!(self.0 < 3, "out of points");
            let point = Point::new(vec![0.0.into(), 0.0.into()]);
            Ok(vec![Suggestion {
                point,
                row: vec![0.0, 0.0],
                origin: Origin::Sampled,
                mean: None,
                sd: None,
            }])
        }
    }

    #[test]
    fn panics_and_errors_end_the_run_with_what_was_found() {
        let trace = run_with(&|start| Contender::choosing(start, Box::new(Broken(0))));
        assert_eq!(
            (trace.header.error.as_deref(), trace.rows.len()),
            (Some("panic: out of points"), 3)
        );
        let trace = run_with(&|_| Err(RunError::Exhausted));
        assert!(trace.header.error.is_some() && trace.rows.is_empty());
    }

    #[test]
    fn a_problem_that_panics_ends_the_run_with_what_was_found() {
        let mut case = case();
        let observation = Box::new(|_: &[f64], index| {
            if index < 5 {
                f64::NAN
            } else {
                panic!("no value {index}")
            }
        });
        case.evaluator = Box::new(BoxEvaluator {
            observation,
            problem: SPHERE.of(2),
        });
        let trace = trace_of(&case, "random");
        assert_eq!(
            (trace.header.error.as_deref(), trace.rows.len()),
            (Some("panic: no value 5"), 3)
        );
        assert!(trace.rows[2].observed.unwrap().is_nan());
    }

    #[test]
    fn a_watcher_that_panics_ends_the_run_with_what_was_found() {
        let spec: MethodSpec = "random".parse().unwrap();
        let labels = Labels {
            experiment: "test",
            method: "random",
        };
        let trace = run(
            &case(),
            labels,
            &|start| Contender::begin(&spec, start),
            &mut || panic!("nobody reads this"),
        );
        assert_eq!(
            trace.header.error.as_deref(),
            Some("panic: nobody reads this")
        );
        assert!((2..7).contains(&trace.rows.len()), "{:?}", trace.rows);
    }

    #[test]
    fn a_program_that_ends_ends_the_run_with_what_was_found() {
        let answer = r#"read -r m; until case "$m" in *ask*) true;; *) false;; esac; do read -r m; done; echo '{"point":{"x0":1,"x1":2}}'"#;
        let trace = trace_of(&case(), &format!("ext:{answer}; {answer}; echo tired >&2"));
        assert!(
            trace
                .header
                .error
                .as_deref()
                .is_some_and(|error| error.contains("tired")),
            "{:?}",
            trace.header.error
        );
        let origins: Vec<&str> = trace.rows.iter().map(|row| row.origin.as_str()).collect();
        assert_eq!(
            (origins, trace.rows[2].truth),
            (vec!["shared", "external", "external"], Some(5.0))
        );
    }

    #[test]
    fn a_pool_that_is_used_up_ends_the_run() {
        let mut case = case();
        case.space = Space::new(vec!["x=choice(1,2)".parse().unwrap()]).unwrap();
        case.initial = Vec::new();
        let trace = trace_of(&case, "random");
        assert_eq!(
            trace.header.error.as_deref(),
            Some("every point of the space has been evaluated")
        );
        assert_eq!(trace.rows.len(), 2);
    }
}
