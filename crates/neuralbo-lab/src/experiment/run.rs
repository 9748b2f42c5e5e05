//! One method on one task.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use neuralbo::drive::{Cancel, DriveOptions, Objective, Observer, Reporter, Standing, Stop, drive};
use neuralbo::record::{Outcome, Provenance, StopReason, Trial};
use neuralbo::space::{Params, Point};
use neuralbo::store::Told;
use neuralbo::study::{Study, StudyError};

use super::Task;
use super::place::Places;
use super::trace::{FORMAT, Trace, TraceHeader, TraceRow};
use crate::external::resident_bytes;
use crate::method::{Contender, RunError, Start, Trouble, caught};

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
    task: &Task,
    labels: Labels<'_>,
    begin: &Begin<'_>,
    evaluated: &mut dyn FnMut(),
) -> Trace {
    let started = Instant::now();
    let mut record = Record::new(task);
    let outcome = caught(|| record.fill(begin, evaluated)).and_then(|outcome| outcome);
    let header = TraceHeader {
        format: FORMAT,
        experiment: labels.experiment.into(),
        problem: task.problem.clone(),
        method: labels.method.into(),
        run: task.run,
        seed: task.seed,
        direction: task.direction,
        dim: task.space.encoded_dim(),
        evaluations: task.evaluations,
        initial: task.initial.len() as u64,
        error: outcome.err().map(|error| error.to_string()),
        best_point: record.best.map_or_else(Vec::new, |best| {
            best.point.values().iter().flatten().cloned().collect()
        }),
        best_seen_truth: record
            .best_seen
            .filter(|_| task.noisy)
            .map(|seen| seen.truth),
        recommended_truth: record.recommended_truth,
        place: record.places.mean(),
        seconds: started.elapsed().as_secs_f64(),
    };
    Trace {
        header,
        rows: record.rows,
    }
}

/// A point, what was observed there and the truth behind it.
#[derive(Clone)]
struct Seen {
    point: Point,
    observed: f64,
    truth: f64,
}

impl Seen {
    fn at(task: &Task, point: Point, index: u64) -> Self {
        Self {
            observed: task.objective.observe(&point, index),
            truth: task.objective.truth(&point),
            point,
        }
    }
}

struct Record<'a> {
    task: &'a Task,
    rows: Vec<TraceRow>,
    /// By the truth.
    best: Option<Seen>,
    /// By the observation.
    best_seen: Option<Seen>,
    recommended_truth: Option<f64>,
    places: Places,
}

impl<'a> Record<'a> {
    fn new(task: &'a Task) -> Self {
        Self {
            task,
            rows: Vec::new(),
            best: None,
            best_seen: None,
            recommended_truth: None,
            places: Places::default(),
        }
    }

    fn fill(&mut self, begin: &Begin<'_>, evaluated: &mut dyn FnMut()) -> Result<(), RunError> {
        let task = self.task;
        let start = Start {
            space: task.space.clone(),
            direction: task.direction,
            seed: task.method_seed(),
            budget: task.evaluations,
            problem: task.problem.clone(),
            known: task.initial.clone(),
        };
        let mut contender = begin(&start)?;
        self.tell_initial(&mut contender.study)?;
        self.drive(&mut contender, evaluated)?;
        if task.noisy {
            self.recommended_truth = self.recommended(&mut contender.study)?;
        }
        Ok(())
    }

    fn tell_initial(&mut self, study: &mut Study) -> Result<(), RunError> {
        let task = self.task;
        for (index, point) in task.initial.iter().enumerate() {
            let seen = Seen::at(task, point.clone(), index as u64);
            study.add_known(task.space.params(point), seen.observed)?;
            self.see(seen);
        }
        if let Some(best) = &self.best {
            let shared = TraceRow {
                evaluation: 0,
                observed: None,
                truth: None,
                best: best.truth,
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
        let (task, process, trouble) = (self.task, contender.process, contender.trouble.clone());
        let evaluation = Evaluation {
            task,
            stop: Stop::default(),
            trouble,
            seen: Mutex::default(),
        };
        let options = DriveOptions {
            trials: Some(task.evaluations),
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
            .task
            .space
            .point_of(&recommendation.params)
            .map_err(StudyError::from)?;
        Ok(Some(self.task.objective.truth(&point)))
    }

    fn push(&mut self, trial: &Trial, seen: Seen, process: Option<u32>) {
        if let (None, Ok(row)) = (self.task.space.pool(), self.task.space.encode(&seen.point)) {
            self.places.add(&row);
        }
        let (observed, truth, best) = (Some(seen.observed), Some(seen.truth), self.see(seen));
        let Provenance {
            origin,
            mean,
            sd,
            suggest_ms,
            ..
        } = trial.provenance.clone().unwrap_or_default();
        self.rows.push(TraceRow {
            evaluation: trial.number + 1 - self.task.initial.len() as u64,
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

    /// Compares with the best ones so far and returns the best true value. Evaluations that failed have no observation.
    fn see(&mut self, seen: Seen) -> f64 {
        let direction = self.task.direction;
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
}

/// The task as what is driven: gives trials their observations and keeps the truth for the trace.
struct Evaluation<'a> {
    task: &'a Task,
    stop: Stop,
    trouble: Trouble,
    seen: Mutex<Option<Seen>>,
}

impl Evaluation<'_> {
    fn observe(&self, params: &Params, index: u64) -> Result<Seen, RunError> {
        let point = self.task.space.point_of(params).map_err(StudyError::from)?;
        caught(|| Seen::at(self.task, point, index))
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

impl Objective for Evaluation<'_> {
    fn evaluate(&self, trial: &Trial, _: &Reporter, _: &Cancel) -> Outcome {
        let Some(params) = &trial.params else {
            return Outcome::Interrupted;
        };
        match self.observe(params, trial.number) {
            Ok(seen) => {
                let observed = seen.observed;
                *self.seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(seen);
                Outcome::Value(observed)
            }
            // A problem that breaks is no failed evaluation, which methods learn from: the run ends.
            Err(error) => {
                self.end(error);
                Outcome::Interrupted
            }
        }
    }
}

/// Writes a row of the trace for every trial.
struct Tracing<'r, 'a> {
    record: &'r mut Record<'a>,
    evaluation: &'r Evaluation<'a>,
    process: Option<u32>,
    evaluated: &'r mut dyn FnMut(),
}

impl Observer for Tracing<'_, '_> {
    fn told(&mut self, trial: &Trial, _: Told, _: &Standing) {
        if let Some(seen) = self.evaluation.take() {
            self.record.push(trial, seen, self.process);
            // Whoever watches may panic, when the terminal is gone for instance; the loop must not.
            caught(|| (self.evaluated)()).unwrap_or_else(|panic| self.evaluation.end(panic));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::task::{BoxEvaluator, uniform_design};
    use super::*;
    use crate::Problem;
    use crate::method::MethodSpec;
    use crate::problems::Sphere;
    use neuralbo::space::Space;
    use neuralbo::strategy::{Exhausted, Origin, Request, Strategy, Suggestion};

    fn task() -> Task {
        let problem = Sphere::new(2);
        let bounds = problem.bounds();
        let objective = BoxEvaluator {
            observation: Box::new(|x, index| Sphere::new(2).value(x) + index as f64),
            problem: Sphere::new(2),
        };
        Task {
            problem: problem.name(),
            run: 1,
            seed: 5,
            space: Space::from_bounds(&bounds).unwrap(),
            direction: problem.direction(),
            initial: uniform_design(&bounds, 3, 5),
            objective: Box::new(objective),
            noisy: true,
            evaluations: 6,
        }
    }

    fn trace_of(task: &Task, method: &str) -> Trace {
        let spec: MethodSpec = method.parse().unwrap();
        run(
            task,
            Labels {
                experiment: "test",
                method,
            },
            &|start| spec.begin(start),
            &mut || (),
        )
    }

    fn run_with(begin: &Begin<'_>) -> Trace {
        run(
            &task(),
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
        let trace = trace_of(&task(), "random");
        assert_eq!((trace.header.error.as_deref(), trace.rows.len()), (None, 7));
        let task = task();
        let first = task
            .initial
            .iter()
            .map(|point| task.objective.truth(point))
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
        let trace = trace_of(&task(), "gp-ei:initial=3");
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
        let truths = |method: &str, task: &Task| {
            let trace = trace_of(task, method);
            (trace.header.best_seen_truth, trace.header.recommended_truth)
        };
        let mut task = task();
        let bounds = Sphere::new(2).bounds();
        let observation =
            Box::new(|x: &[f64], index| 1e-3 * Sphere::new(2).value(x) + index as f64);
        task.objective = Box::new(BoxEvaluator {
            observation,
            problem: Sphere::new(2),
        });
        let first = task.objective.truth(&uniform_design(&bounds, 3, 5)[0]);
        assert_eq!(truths("random", &task), (Some(first), None));
        assert!(truths("gp-ei:initial=3", &task).1.is_some());
        task.noisy = false;
        assert_eq!(truths("gp-ei:initial=3", &task), (None, None));
    }

    #[test]
    fn chosen_points_have_their_place() {
        let place = trace_of(&task(), "random").header.place.unwrap();
        assert!(
            place.at_bounds == 0.0 && (0.1..1.0).contains(&place.from_centre),
            "{place:?}"
        );
    }

    struct Broken(u32);

    impl Strategy for Broken {
        fn suggest(&mut self, _: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
            self.0 += 1;
            assert!(self.0 < 3, "out of luck");
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
            (Some("panic: out of luck"), 3)
        );
        let trace = run_with(&|_| Err(RunError::Exhausted));
        assert!(trace.header.error.is_some() && trace.rows.is_empty());
    }

    #[test]
    fn a_problem_that_panics_ends_the_run_with_what_was_found() {
        let mut task = task();
        let observation = Box::new(|_: &[f64], index| {
            if index < 5 {
                f64::NAN
            } else {
                panic!("no value {index}")
            }
        });
        task.objective = Box::new(BoxEvaluator {
            observation,
            problem: Sphere::new(2),
        });
        let trace = trace_of(&task, "random");
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
        let trace = run(&task(), labels, &|start| spec.begin(start), &mut || {
            panic!("nobody reads this")
        });
        assert_eq!(
            trace.header.error.as_deref(),
            Some("panic: nobody reads this")
        );
        assert!((2..7).contains(&trace.rows.len()), "{:?}", trace.rows);
    }

    #[test]
    fn a_program_that_ends_ends_the_run_with_what_was_found() {
        let answer = r#"read -r m; until case "$m" in *ask*) true;; *) false;; esac; do read -r m; done; echo '{"point":{"x0":1,"x1":2}}'"#;
        let trace = trace_of(&task(), &format!("ext:{answer}; {answer}; echo tired >&2"));
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
        let mut task = task();
        task.space = Space::new(vec!["x=choice(1,2)".parse().unwrap()]).unwrap();
        task.initial = Vec::new();
        let trace = trace_of(&task, "random");
        assert_eq!(
            trace.header.error.as_deref(),
            Some("every point of the space has been evaluated")
        );
        assert_eq!(trace.rows.len(), 2);
    }
}
