//! What a run records.

use super::*;
use crate::Problem;
use crate::method::MethodSpec;
use crate::problems::{SPHERE, by_name};
use crate::runner::{BoxEvaluator, uniform_design};
use neuralbo::space::Space;
use neuralbo::strategy::{Exhausted, Origin, Request, Strategy, Suggestion};
use neuralbo::study::Study;

fn case() -> LabCase {
    observed(|x, index| SPHERE.of(2).value(x) + index as f64)
}

/// Six evaluations of the sphere after three shared points, seen with noise.
fn observed(observe: impl Fn(&[f64], u64) -> f64 + Send + Sync + 'static) -> LabCase {
    let problem = SPHERE.of(2);
    let evaluator = BoxEvaluator::new(Box::new(problem), move |_, x, index| observe(x, index));
    LabCase {
        initial: uniform_design(&problem.bounds(), 3, 5),
        noisy: true,
        evaluations: 6,
        ..LabCase::on_box("sphere-2", 1, 5, evaluator).unwrap()
    }
}

fn trace_of(case: &LabCase, method: &str) -> RunTrace {
    let spec: MethodSpec = method.parse().unwrap();
    let begin = |start: &RunStart| Contender::begin(&spec, start);
    run(case, "test", "m", &begin, &[], &mut |_| ())
}

fn run_with(case: &LabCase, strategy: impl Fn() -> Box<dyn Strategy>) -> RunTrace {
    let begin = |start: &RunStart| {
        let study = Study::with_strategy(start.definition(), strategy())?;
        Ok(Contender::Method(Box::new(study)))
    };
    run(case, "test", "m", &begin, &[], &mut |_| ())
}

fn suggestion(point: Point) -> Vec<Suggestion> {
    vec![Suggestion {
        point,
        row: vec![0.0, 0.0],
        origin: Origin::Sampled,
        mean: None,
        sd: None,
    }]
}

#[test]
fn a_run_records_the_best_truth_from_the_initial_design_on() {
    let trace = trace_of(&case(), "random");
    assert_eq!((trace.header.error.as_deref(), trace.rows.len()), (None, 7));
    let case = case();
    let shared = case.initial.iter().map(|point| case.evaluator.truth(point));
    let first = shared.fold(f64::INFINITY, f64::min);
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
        let found = (row.mean.is_some(), row.sd.is_some_and(|sd| sd > 0.0));
        assert_eq!(found, (chosen, chosen), "{row:?}");
    }
    let predicted = trace.rows.iter().any(|row| row.mean.is_some());
    assert!(predicted, "{:?}", trace.rows);
}

/// The observation grows by one with every evaluation, so the first of all looks best.
#[test]
fn noisy_problems_record_the_truth_at_the_best_seen_and_at_the_recommended_point() {
    let truths = |method: &str, case: &LabCase| {
        let trace = trace_of(case, method);
        (trace.header.best_seen_truth, trace.header.recommended_truth)
    };
    let mut case = observed(|x, index| 1e-3 * SPHERE.of(2).value(x) + index as f64);
    let first = case.evaluator.truth(&case.initial[0]);
    assert_eq!(truths("random", &case), (Some(first), None));
    assert!(truths("gp-ei:initial=3", &case).1.is_some());
    case.noisy = false;
    assert_eq!(truths("gp-ei:initial=3", &case), (None, None));
}

#[test]
fn constrained_problems_record_the_best_feasible_value() {
    let problem = by_name("g06", None).unwrap();
    let best = problem.optimum().unwrap().at.into_iter();
    let best = Point::new(best.map(Into::into).collect());
    let case = LabCase {
        initial: uniform_design(&problem.bounds(), 3, 5),
        evaluations: 1,
        ..LabCase::on_box("g06", 1, 5, BoxEvaluator::exact(problem)).unwrap()
    };
    let trace = run_with(&case, || Box::new(Fixed(best.clone())));
    assert_eq!(trace.header.error, None);
    let [shared, best] = [0, 1].map(|row| trace.rows[row].best);
    // Random points violate g06's outcome constraints.
    assert!(shared.is_nan());
    assert!((best + 6961.81).abs() < 0.01, "{best}");
}

struct Fixed(Point);

impl Strategy for Fixed {
    fn suggest(&mut self, _: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        Ok(suggestion(self.0.clone()))
    }
}

#[test]
fn chosen_points_have_their_place() {
    let place = trace_of(&case(), "random").header.place.unwrap();
    assert_eq!(place.at_bounds, 0.0);
    assert!((0.1..1.0).contains(&place.from_centre), "{place:?}");
}

struct Broken(u32);

impl Strategy for Broken {
    fn suggest(&mut self, _: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        self.0 += 1;
        assert!(self.0 < 3, "out of points");
        Ok(suggestion(Point::new(vec![0.0.into(), 0.0.into()])))
    }
}

#[test]
fn panics_and_errors_end_the_run_with_what_was_found() {
    let trace = run_with(&case(), || Box::new(Broken(0)));
    let found = (trace.header.error.as_deref(), trace.rows.len());
    assert_eq!(found, (Some("panic: out of points"), 3));
    let trace = run(
        &case(),
        "test",
        "m",
        &|_| Err(RunError::Exhausted),
        &[],
        &mut |_| (),
    );
    assert!(trace.header.error.is_some() && trace.rows.is_empty());
}

#[test]
fn a_problem_that_panics_ends_the_run_with_what_was_found() {
    let case = observed(|_, index| {
        assert!(index < 5, "no value {index}");
        f64::NAN
    });
    let trace = trace_of(&case, "random");
    let found = (trace.header.error.as_deref(), trace.rows.len());
    assert_eq!(found, (Some("panic: no value 5"), 3));
    assert!(trace.rows[2].observed.unwrap().is_nan());
}

#[test]
fn a_watcher_that_panics_ends_the_run_with_what_was_found() {
    let spec: MethodSpec = "random".parse().unwrap();
    let begin = |start: &RunStart| Contender::begin(&spec, start);
    let trace = run(&case(), "test", "m", &begin, &[], &mut |_| {
        panic!("nobody reads this")
    });
    let found = trace.header.error.as_deref();
    assert_eq!(found, Some("panic: nobody reads this"));
    assert!((2..7).contains(&trace.rows.len()), "{:?}", trace.rows);
}

#[test]
fn a_program_that_ends_ends_the_run_with_what_was_found() {
    let answer = r#"read -r m; until case "$m" in *ask*) true;; *) false;; esac; do read -r m; done; echo '{"point":{"x0":1,"x1":2}}'"#;
    let trace = trace_of(&case(), &format!("ext:{answer}; {answer}; echo tired >&2"));
    let error = trace.header.error.clone().unwrap();
    assert!(error.contains("tired"), "{error}");
    let origins: Vec<&str> = trace.rows.iter().map(|row| row.origin.as_str()).collect();
    let found = (origins, trace.rows[2].truth);
    assert_eq!(found, (vec!["shared", "external", "external"], Some(5.0)));
}

#[test]
fn a_pool_that_is_used_up_ends_the_run() {
    let mut case = case();
    case.space = Space::new(vec!["x=choice(1,2)".parse().unwrap()]).unwrap();
    case.initial = Vec::new();
    let trace = trace_of(&case, "random");
    let found = trace.header.error.as_deref();
    assert_eq!(found, Some("every point of the space has been evaluated"));
    assert_eq!(trace.rows.len(), 2);
}

/// Everything but the times.
fn without_times(mut trace: RunTrace) -> RunTrace {
    trace.header.seconds = 0.0;
    trace.rows.iter_mut().for_each(|row| row.seconds = 0.0);
    trace
}

/// Whether a run whose points after `kept` evaluations are lost ends as one that was never stopped.
fn assert_continues(case: &LabCase, method: &str, kept: usize) {
    let spec: MethodSpec = method.parse().unwrap();
    let begin = |start: &RunStart| Contender::begin(&spec, start);
    let mut points = Vec::new();
    let whole = run(case, "test", "m", &begin, &[], &mut |point| {
        points.push(point.clone())
    });
    let mut fresh = 0;
    let continued = run(case, "test", "m", &begin, &points[..kept], &mut |_| {
        fresh += 1
    });
    assert_eq!(fresh, points.len() - kept, "{method}");
    assert_eq!(whole.header.error, None, "{method}");
    assert_eq!(without_times(continued), without_times(whole), "{method}");
}

#[test]
fn a_run_continues_after_the_points_of_an_earlier_session() {
    let case = LabCase {
        evaluations: 40,
        ..case()
    };
    let all = "neuralbo neuralbo-faithful neuralbo-paper gp-ucb gp-ts gp-ei rf dngo neural-greedy \
               random sobol cma-es centre";
    for method in all.split_whitespace() {
        assert_continues(&case, method, 29);
    }
}
