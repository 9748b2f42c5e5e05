//! What a run records.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::Problem;
use crate::method::MethodSpec;
use crate::problems::{SPHERE, by_name};
use crate::runner::{BoxEvaluator, uniform_design};
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
