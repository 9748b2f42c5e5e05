//! One method on one task.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use neuralbo::space::Point;

use super::Task;
use super::trace::{FORMAT, Trace, TraceHeader, TraceRow};
use crate::method::{Contender, ContenderError, Start};

/// Makes a contender ready; called inside the run, so that its failure is the run's.
pub type Begin<'a> = dyn Fn(&Start) -> Result<Box<dyn Contender>, ContenderError> + 'a;

/// Names of what is run.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    /// The experiment.
    pub experiment: &'a str,
    /// The method.
    pub method: &'a str,
}

/// Runs a method to the end of its budget; an error or a panic ends the run and is kept in the header.
pub fn run(task: &Task, labels: Labels<'_>, begin: &Begin<'_>, evaluated: &mut dyn FnMut()) -> Trace {
    let started = Instant::now();
    let mut record = Record::new(task);
    let outcome = catch_unwind(AssertUnwindSafe(|| record.fill(begin, evaluated)));
    let error = match outcome {
        Ok(Ok(())) => None,
        Ok(Err(error)) => Some(error.to_string()),
        Err(panic) => Some(format!("panic: {}", panic_text(&*panic))),
    };
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
        error,
        best_point: record.best.map_or_else(Vec::new, |(_, point)| point.into_values()),
        best_seen_truth: record.best_seen.filter(|_| task.noisy).map(|seen| seen.truth),
        recommended_truth: record.recommended_truth,
        seconds: started.elapsed().as_secs_f64(),
    };
    Trace { header, rows: record.rows }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("no message").to_owned()
}

struct Record<'a> {
    task: &'a Task,
    rows: Vec<TraceRow>,
    best: Option<(f64, Point)>,
    best_seen: Option<Seen>,
    recommended_truth: Option<f64>,
}

/// An observation and the truth behind it.
#[derive(Clone, Copy)]
struct Seen {
    observed: f64,
    truth: f64,
}

impl<'a> Record<'a> {
    fn new(task: &'a Task) -> Self {
        Self { task, rows: Vec::new(), best: None, best_seen: None, recommended_truth: None }
    }

    fn fill(&mut self, begin: &Begin<'_>, evaluated: &mut dyn FnMut()) -> Result<(), ContenderError> {
        let task = self.task;
        let start = Start {
            space: task.space.clone(),
            direction: task.direction,
            seed: task.method_seed(),
            budget: task.evaluations,
            problem: task.problem.clone(),
        };
        let mut contender = begin(&start)?;
        self.tell_initial(&mut *contender)?;
        for evaluation in 1..=task.evaluations {
            self.step(&mut *contender, evaluation)?;
            evaluated();
        }
        if task.noisy {
            self.recommended_truth = contender.recommend().map(|point| task.objective.truth(&point));
        }
        Ok(())
    }

    fn tell_initial(&mut self, contender: &mut dyn Contender) -> Result<(), ContenderError> {
        let task = self.task;
        for (index, point) in task.initial.iter().enumerate() {
            let (observed, truth) = (task.objective.observe(point, index as u64), task.objective.truth(point));
            contender.know(point, observed)?;
            self.see(Seen { observed, truth });
            self.improve(point, truth);
        }
        if let Some((best, _)) = &self.best {
            let shared = TraceRow {
                evaluation: 0,
                observed: None,
                truth: None,
                best: *best,
                seconds: 0.0,
                // Another process may not even have read what it was told: its size says nothing yet.
                memory: None,
                mean: None,
                sd: None,
                origin: "shared".into(),
            };
            self.rows.push(shared);
        }
        Ok(())
    }

    fn step(&mut self, contender: &mut dyn Contender, evaluation: u64) -> Result<(), ContenderError> {
        let task = self.task;
        let asked = contender.ask()?;
        let index = task.initial.len() as u64 + evaluation - 1;
        let observed = task.objective.observe(&asked.point, index);
        let truth = task.objective.truth(&asked.point);
        contender.tell(observed)?;
        self.see(Seen { observed, truth });
        let best = self.improve(&asked.point, truth);
        self.rows.push(TraceRow {
            evaluation,
            observed: Some(observed),
            truth: Some(truth),
            best,
            seconds: asked.seconds,
            memory: contender.resident_bytes(),
            mean: asked.mean,
            sd: asked.sd,
            origin: asked.origin,
        });
        Ok(())
    }

    /// Keeps the best observation; evaluations that failed have none.
    fn see(&mut self, seen: Seen) {
        let beaten = self.best_seen.is_none_or(|best| self.task.direction.is_better(seen.observed, best.observed));
        if seen.observed.is_finite() && beaten {
            self.best_seen = Some(seen);
        }
    }

    /// The best true value with this one.
    fn improve(&mut self, point: &Point, truth: f64) -> f64 {
        let beaten = match &self.best {
            Some((best, _)) => best.is_nan() || self.task.direction.is_better(truth, *best),
            None => true,
        };
        if beaten {
            self.best = Some((truth, point.clone()));
        }
        self.best.as_ref().map_or(truth, |(best, _)| *best)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::task::{BoxObjective, uniform_design};
    use super::*;
    use crate::Problem;
    use crate::method::{Asked, MethodSpec};
    use crate::problems::Sphere;
    use neuralbo::space::Space;

    fn task() -> Task {
        let problem = Sphere::new(2);
        let bounds = problem.bounds();
        let objective =
            BoxObjective { observation: Box::new(|x, index| Sphere::new(2).value(x) + index as f64), problem: Sphere::new(2) };
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

    fn run_with(begin: &Begin<'_>) -> Trace {
        run(&task(), Labels { experiment: "test", method: "m" }, begin, &mut || ())
    }

    #[test]
    fn a_run_records_the_best_truth_from_the_initial_design_on() {
        let spec: MethodSpec = "random".parse().unwrap();
        let trace = run_with(&|start| spec.begin(start));
        assert_eq!((trace.header.error.as_deref(), trace.rows.len()), (None, 7));
        let task = task();
        let first = task.initial.iter().map(|point| task.objective.truth(point)).fold(f64::INFINITY, f64::min);
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
        let spec: MethodSpec = "gp-ei:initial=3".parse().unwrap();
        let trace = run_with(&|start| spec.begin(start));
        assert_eq!((trace.rows[0].mean, trace.rows[0].sd), (None, None));
        for row in &trace.rows[1..] {
            let chosen = row.origin.starts_with("model");
            assert_eq!((row.mean.is_some(), row.sd.is_some_and(|sd| sd > 0.0)), (chosen, chosen), "{row:?}");
        }
        assert!(trace.rows.iter().any(|row| row.mean.is_some()), "{:?}", trace.rows);
    }

    /// The observation grows by one with every evaluation, so the first of all looks best.
    #[test]
    fn noisy_problems_record_the_truth_at_the_best_seen_and_at_the_recommended_point() {
        let truths = |method: &str, task: &Task| {
            let spec: MethodSpec = method.parse().unwrap();
            let trace = run(task, Labels { experiment: "test", method }, &|start| spec.begin(start), &mut || ());
            (trace.header.best_seen_truth, trace.header.recommended_truth)
        };
        let mut task = task();
        let bounds = Sphere::new(2).bounds();
        let observation = Box::new(|x: &[f64], index| 1e-3 * Sphere::new(2).value(x) + index as f64);
        task.objective = Box::new(BoxObjective { observation, problem: Sphere::new(2) });
        let first = task.objective.truth(&uniform_design(&bounds, 3, 5)[0]);
        assert_eq!(truths("random", &task), (Some(first), None));
        assert!(truths("gp-ei:initial=3", &task).1.is_some());
        task.noisy = false;
        assert_eq!(truths("gp-ei:initial=3", &task), (None, None));
    }

    struct Broken(u32);

    impl Contender for Broken {
        fn know(&mut self, _: &Point, _: f64) -> Result<(), ContenderError> {
            Ok(())
        }
        fn ask(&mut self) -> Result<Asked, ContenderError> {
            self.0 += 1;
            assert!(self.0 < 3, "out of luck");
            let point = Point::new(vec![0.0.into(), 0.0.into()]);
            Ok(Asked { point, origin: "test".into(), mean: None, sd: None, seconds: 0.0 })
        }
        fn tell(&mut self, _: f64) -> Result<(), ContenderError> {
            Ok(())
        }
    }

    #[test]
    fn panics_and_errors_end_the_run_with_what_was_found() {
        let trace = run_with(&|_| Ok(Box::new(Broken(0))));
        assert_eq!((trace.header.error.as_deref(), trace.rows.len()), (Some("panic: out of luck"), 3));
        let trace = run_with(&|_| Err(ContenderError::Exhausted));
        assert!(trace.header.error.is_some() && trace.rows.is_empty());
    }
}
