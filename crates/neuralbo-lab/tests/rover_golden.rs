//! The rover problem against the original function.
//!
//! `rover_golden.csv` holds 100 inputs with the values of the original Python function (scipy splines), noise switched off.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use neuralbo_lab::Problem;
use neuralbo_lab::problems::rover::Rover;

const GOLDEN: &str = include_str!("data/rover_golden.csv");

#[test]
fn every_golden_value_is_reproduced() {
    let rover = Rover::new();
    assert_eq!(GOLDEN.lines().count(), 101);
    for line in GOLDEN.lines().skip(1) {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(cells.len(), 62);
        let value = rover.value(&cells[1..61]);
        assert!(
            (value - cells[61]).abs() < 1e-9,
            "row {}: {value} instead of {}",
            cells[0],
            cells[61]
        );
    }
}
