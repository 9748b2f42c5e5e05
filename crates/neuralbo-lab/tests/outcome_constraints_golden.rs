//! The problems with outcome constraints against the same formulas written in Python (`scripts/golden/outcome_constraints.py`).
#![allow(clippy::unwrap_used, clippy::expect_used)]

use neuralbo_lab::Problem;
use neuralbo_lab::problems::by_name;

const GOLDEN: &str = include_str!("data/outcome_constraints_golden.csv");

fn numbers(text: &str) -> Vec<f64> {
    text.split(' ').map(|cell| cell.parse().unwrap()).collect()
}

/// One slack a bound: the upper one of a constraint, then the lower one.
fn slacks(problem: &dyn Problem, x: &[f64]) -> Vec<f64> {
    let both = problem
        .outcome_constraints()
        .into_iter()
        .zip(problem.measured(x));
    both.flat_map(|(limit, quantity)| {
        [
            limit.at_most.map(|most| most - quantity),
            limit.at_least.map(|least| quantity - least),
        ]
        .into_iter()
        .flatten()
    })
    .collect()
}

fn agree(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * expected.abs().max(1.0)
}

#[test]
fn every_golden_value_and_slack_is_reproduced() {
    assert_eq!(GOLDEN.lines().count(), 1 + 11 * 10);
    for line in GOLDEN.lines().skip(1) {
        let cells: Vec<&str> = line.split(';').collect();
        let (problem, x) = (by_name(cells[0], None).unwrap(), numbers(cells[1]));
        assert!(
            agree(problem.value(&x), numbers(cells[2])[0]),
            "{line}: {}",
            problem.value(&x)
        );
        let (found, expected) = (slacks(&*problem, &x), numbers(cells[3]));
        assert_eq!(found.len(), expected.len(), "{line}");
        assert!(
            found.iter().zip(&expected).all(|(a, b)| agree(*a, *b)),
            "{line}: {found:?}"
        );
    }
}

#[test]
fn best_values_are_those_of_the_literature() {
    let published = [
        ("g04", -30665.538672),
        ("g06", -6961.813876),
        ("g07", 24.306209),
        ("g09", 680.630057),
        ("gramacy", 0.599788),
        ("pressure-vessel", 5885.332774),
        ("speed-reducer", 2994.471066),
        ("spring", 0.012665233),
        ("welded-beam", 1.724852309),
    ];
    for (name, value) in published {
        let best = by_name(name, None).unwrap().optimum().unwrap().value;
        assert!((best - value).abs() <= 1e-6 * value.abs(), "{name}: {best}");
    }
}
