//! Random search on the robot pushing problem: the best of 6000 pushes and the time each took.
//!
//! Run with `cargo run --release -p neuralbo-lab --example push_random_search -- <seed>`.

use std::time::Instant;

use neuralbo::linalg::{Purpose, Streams};
use neuralbo_lab::problems::push::RobotPushing;
use neuralbo_lab::{Problem, Simulation};
use rand::RngExt;

const EVALUATIONS: u64 = 6000;

fn main() -> Result<(), std::num::ParseIntError> {
    let seed = std::env::args().nth(1).map_or(Ok(0), |text| text.parse())?;
    let streams = Streams::new(seed);
    let bounds = RobotPushing.bounds();
    let start = Instant::now();
    let best = (0..EVALUATIONS).fold(f64::NEG_INFINITY, |best, trial| {
        let mut design = streams.stream(trial, Purpose::Design);
        let x: Vec<f64> = bounds
            .iter()
            .map(|&(low, high)| design.random_range(low..high))
            .collect();
        best.max(RobotPushing.observe(&x, &mut streams.stream(trial, Purpose::Noise)))
    });
    let each = start.elapsed().as_secs_f64() * 1e3 / EVALUATIONS as f64;
    println!(
        "best reward of {EVALUATIONS}: {best:.3} (ceiling {:.3}), {each:.3} ms each",
        RobotPushing::ceiling()
    );
    Ok(())
}
