//! The pushing problem against the original function, bit for bit.
//!
//! `push_golden.csv` holds 200 inputs with the results of the original Python function on pybox2d 2.3, noise switched off.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use neuralbo_lab::Problem;
use neuralbo_lab::problems::push::{Pose, RobotPushing};

const GOLDEN: &str = include_str!("data/push_golden.csv");

struct Row<'a> {
    id: &'a str,
    x: Vec<f64>,
    reward: f64,
    /// Poses of object 1, object 2, hand 1 and hand 2.
    poses: Vec<f32>,
    steps: u32,
    contact_steps: u32,
}

fn rows() -> Vec<Row<'static>> {
    GOLDEN.lines().skip(1).map(parse).collect()
}

fn parse(line: &str) -> Row<'_> {
    let cells: Vec<&str> = line.split(',').collect();
    assert_eq!(cells.len(), 30);
    Row {
        id: cells[0],
        x: cells[1..15]
            .iter()
            .map(|cell| cell.parse().unwrap())
            .collect(),
        reward: cells[15].parse().unwrap(),
        poses: cells[16..28]
            .iter()
            .map(|cell| cell.parse().unwrap())
            .collect(),
        steps: cells[28].parse().unwrap(),
        contact_steps: cells[29].parse().unwrap(),
    }
}

fn bits(poses: &[Pose]) -> Vec<u32> {
    poses
        .iter()
        .flat_map(|pose| [pose.x, pose.y, pose.angle])
        .map(f32::to_bits)
        .collect()
}

#[test]
fn every_golden_row_is_reproduced_bit_for_bit() {
    let rows = rows();
    assert_eq!(rows.len(), 200);
    let wrong: Vec<&str> = rows
        .iter()
        .filter(|row| {
            let outcome = RobotPushing.simulate(&row.x).unwrap();
            let poses = [bits(&outcome.objects), bits(&outcome.hands)].concat();
            outcome.reward.to_bits() != row.reward.to_bits()
                || poses
                    != row
                        .poses
                        .iter()
                        .map(|value| value.to_bits())
                        .collect::<Vec<_>>()
                || (outcome.steps, outcome.contact_steps) != (row.steps, row.contact_steps)
        })
        .map(|row| row.id)
        .collect();
    assert!(wrong.is_empty(), "{} rows differ: {wrong:?}", wrong.len());
}

#[test]
fn the_problem_value_is_the_golden_reward() {
    for row in rows().iter().take(20) {
        assert_eq!(RobotPushing.value(&row.x), row.reward, "row {}", row.id);
    }
}
