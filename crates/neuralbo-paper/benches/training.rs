//! How close training comes to the matrix products it is made of: `cargo bench -p neuralbo-paper --bench training`.
//!
//! For each network the products of one step (forward, weight gradients, errors passed down) are timed alone, with the library's
//! own products on one thread, and then whole steps of SGD and Adam on the same shapes, also on one thread.

#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::time::Instant;

use faer::Mat;
use neuralbo::linalg::{Purpose, Streams, product_into};
use neuralbo::net::{Activation, Architecture, Init, Mlp};
use neuralbo_paper::training::{AdamState, Optimizer, Trainer, TrainingData};

/// Rounds, of which the fastest counts: a busy machine only ever adds time.
const ROUNDS: usize = 15;

fn main() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    println!(
        "{:22} {:>5} {:>10} {:>12} {:>12} {:>8}",
        "network", "batch", "optimizer", "GEMM GF/s", "step GF/s", "ratio"
    );
    for (depth, batch) in [(2, 50), (3, 50), (3, 500)] {
        let shape = Architecture {
            inputs: 11,
            width: 500,
            depth,
            activation: Activation::Relu,
            biases: false,
        };
        let flops = products(&shape, batch)
            .iter()
            .map(|[m, k, n]| 2.0 * (m * k * n) as f64)
            .sum::<f64>();
        for (name, adam) in [("sgd", false), ("adam", true)] {
            // Both in the same round, so that a busy machine slows both.
            let (gemm, step) = pool.install(|| fastest(&shape, batch, adam));
            let name_of_shape = format!("[11,{}1]", "500,".repeat(depth - 1));
            let (gemm, step) = (flops / gemm * 1e-9, flops / step * 1e-9);
            println!(
                "{name_of_shape:22} {batch:>5} {name:>10} {gemm:>12.1} {step:>12.1} {:>8.2}",
                step / gemm
            );
        }
    }
}

/// Shapes `m×k · k×n` of the products of one step.
fn products(shape: &Architecture, batch: usize) -> Vec<[usize; 3]> {
    let mut list = Vec::new();
    for l in 0..shape.depth {
        let rows = if l + 1 == shape.depth { 1 } else { shape.width };
        let cols = if l == 0 { shape.inputs } else { shape.width };
        list.push([rows, cols, batch]);
        list.push([rows, batch, cols]);
        if l > 0 {
            list.push([cols, rows, batch]);
        }
    }
    list
}

/// Seconds of the products of one step, and of one step, each the fastest of some rounds.
fn fastest(shape: &Architecture, batch: usize, adam: bool) -> (f64, f64) {
    let (mut gemm, mut step) = (f64::INFINITY, f64::INFINITY);
    let mut gemm_round = gemm_round(shape, batch);
    let mut step_round = step_round(shape, batch, adam);
    for _ in 0..ROUNDS {
        gemm = gemm.min(gemm_round());
        step = step.min(step_round());
    }
    (gemm, step)
}

fn gemm_round(shape: &Architecture, batch: usize) -> impl FnMut() -> f64 + use<> {
    let mut operands: Vec<[Mat<f32>; 3]> = products(shape, batch)
        .into_iter()
        .map(|[m, k, n]| {
            [
                Mat::zeros(m, n),
                Mat::from_fn(m, k, |i, j| (i + j) as f32),
                Mat::from_fn(k, n, |i, j| (i * j) as f32),
            ]
        })
        .collect();
    let repeats = repeats(shape);
    move || {
        let start = Instant::now();
        for _ in 0..repeats {
            for [out, a, b] in &mut operands {
                product_into(out.as_mut(), black_box(a.as_ref()), black_box(b.as_ref()));
            }
        }
        start.elapsed().as_secs_f64() / repeats as f64
    }
}

fn step_round(shape: &Architecture, batch: usize, adam: bool) -> impl FnMut() -> f64 + use<> {
    let mut rng = Streams::new(1).stream(0, Purpose::Training);
    let mut net = Mlp::<f32>::new(*shape, Init::Standard, &mut rng).unwrap();
    let batches = 4;
    let x = Mat::from_fn(shape.inputs, batches * batch, |i, j| {
        ((i * 7 + j * 3) % 13) as f32 / 13.0 - 0.5
    });
    let y: Vec<f32> = (0..batches * batch).map(|j| x[(0, j)]).collect();
    let anchor = net.theta().to_vec();
    let epochs = repeats(shape).div_ceil(batches);
    let mut trainer = Trainer::descent(1e-5, epochs, batch, 5.0);
    if adam {
        trainer.optimizer = Optimizer::Adam { weight_decay: 0.0 };
    }
    move || {
        let data = TrainingData::new(x.as_ref(), &y, &anchor);
        let start = Instant::now();
        let report = trainer
            .train(&mut net, &data, &mut AdamState::default(), &mut rng)
            .unwrap();
        start.elapsed().as_secs_f64() / report.steps as f64
    }
}

/// Steps of a round: about the same time for small and large networks.
fn repeats(shape: &Architecture) -> usize {
    (40_000_000 / shape.parameters()).clamp(12, 400) / if shape.depth > 2 { 4 } else { 1 }
}
