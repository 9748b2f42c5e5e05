//! What every built-in problem must pass.

use neuralbo::linalg::{Purpose, Rng, Streams};
use neuralbo::record::Direction;
use rand::RngExt;

use crate::Problem;

const POINTS: usize = 500;
const BOX_POINTS: usize = 5;

/// Dimensions agree, bounds are ordered, and values inside them are finite and repeatable.
pub(crate) fn check_box(problem: &dyn Problem) {
    let (name, bounds) = (problem.name(), problem.bounds());
    assert_eq!(problem.dim(), bounds.len(), "{name}");
    let empty = bounds.iter().any(|(low, high)| low >= high);
    assert!(!empty, "{name}: empty box");
    let mut rng = Streams::new(2).stream(0, Purpose::Design);
    for _ in 0..BOX_POINTS {
        let x = anywhere(&bounds, &mut rng);
        let (value, measured) = (problem.value(&x), problem.measured(&x));
        // One quantity a constraint.
        let constraints = problem.outcome_constraints().len();
        assert_eq!(measured.len(), constraints, "{name}");
        let finite = value.is_finite() && measured.iter().all(|quantity| quantity.is_finite());
        assert!(finite, "{name}: {value}, {measured:?} at {x:?}");
        let again = (problem.value(&x), problem.measured(&x));
        assert_eq!((value, measured), again, "{name} at {x:?}");
    }
}

/// Dimensions agree, the optimum is inside the box, is feasible and has its value, and no random feasible point — anywhere or
/// near it — is better.
pub(crate) fn check(problem: &dyn Problem) {
    let name = problem.name();
    let bounds = problem.bounds();
    assert_eq!(problem.dim(), bounds.len(), "{name}");
    let Some(best) = problem.optimum() else {
        panic!("{name} knows no optimum")
    };
    assert_eq!(best.at.len(), bounds.len(), "{name}");
    let mut places = best.at.iter().zip(&bounds);
    let inside = places.all(|(x, (low, high))| low <= x && x <= high);
    assert!(inside, "{name}: optimum outside its box");
    let measured = problem.measured(&best.at);
    let feasible = problem.is_feasible(&best.at);
    assert!(
        feasible,
        "{name}: the optimum is not feasible: {measured:?}"
    );

    let slack = 1e-9 * best.value.abs().max(1.0);
    let found = problem.value(&best.at);
    let error = (found - best.value).abs();
    assert!(error < slack, "{name}: {found} is not {}", best.value);
    let mut rng = Streams::new(1).stream(0, Purpose::Design);
    for i in 0..POINTS {
        let x = if i % 2 == 0 {
            anywhere(&bounds, &mut rng)
        } else {
            near(&best.at, &bounds, &mut rng)
        };
        if !problem.is_feasible(&x) {
            continue;
        }
        let excess = match problem.direction() {
            Direction::Minimize => problem.value(&x) - best.value,
            Direction::Maximize => best.value - problem.value(&x),
        };
        assert!(excess >= -slack, "{name}: {x:?} is better by {excess}");
    }
}

/// A uniform point of the box.
fn anywhere(bounds: &[(f64, f64)], rng: &mut Rng) -> Vec<f64> {
    bounds
        .iter()
        .map(|&(low, high)| low + (high - low) * rng.random::<f64>())
        .collect()
}

/// A point of the box within a random small distance.
fn near(centre: &[f64], bounds: &[(f64, f64)], rng: &mut Rng) -> Vec<f64> {
    let size = 10.0_f64.powf(-4.0 * rng.random::<f64>());
    let step = |(x, &(low, high)): (&f64, &(f64, f64))| {
        (x + size * (high - low) * (rng.random::<f64>() - 0.5)).clamp(low, high)
    };
    centre.iter().zip(bounds).map(step).collect()
}
