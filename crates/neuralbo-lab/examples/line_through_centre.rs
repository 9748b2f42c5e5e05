//! What the paper's network says along a line through the centre of the box, to the letter and corrected.
//!
//! ```sh
//! cargo run --release -p neuralbo-lab --example line_through_centre -- line.svg > line.csv
//! ```
//!
//! Each model sees the same uniform points; the line goes from corner to corner. Shown are the true rewards, the network's mean and the
//! mean ± two standard deviations times ν, for rewards that are negative everywhere (Ackley), the same rewards with a constant added
//! that makes them positive, and Ackley with its optimum moved away from the centre.

use std::error::Error;
use std::fmt::Write as _;

use neuralbo::linalg::{Points, Purpose, Streams};
use neuralbo::space::Space;
use neuralbo::strategy::History;
use neuralbo::strategy::presets::Options;
use neuralbo_lab::Problem;
use neuralbo_lab::figure::{Figure, Panel, PlotAxis, PlotSeries};
use neuralbo_lab::problems::by_name;
use rand::RngExt;

const DIM: usize = 20;
const OBSERVATIONS: usize = 100;
const STEPS: i32 = 100;
/// What is added to make all rewards positive: Ackley is below 22.35.
const OFFSET: f64 = 40.0;

/// The models, with their names in the figure.
const MODELS: [(&str, &str, &[&str]); 3] = [
    ("to the letter", "neuralbo-paper", &["nu=0.1"]),
    (
        "standardized rewards and a constant input",
        "neuralbo-paper",
        &["nu=0.1", "rewards=standard", "constant=yes"],
    ),
    ("neuralbo-faithful", "neuralbo-faithful", &[]),
];

/// A panel: its title, the problem and what is added to the rewards.
const CASES: [(&str, &str, f64); 3] = [
    ("Ackley: negative rewards", "ackley-20", 0.0),
    ("Ackley + 40: positive rewards", "ackley-20", OFFSET),
    ("Ackley moved: negative rewards", "ackley-20@moved", 0.0),
];

/// Mean and standard deviation along the line.
struct Curve {
    label: &'static str,
    mean: Vec<f64>,
    sd: Vec<f64>,
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let file = std::env::args()
        .nth(1)
        .ok_or("which file shall the figure be written to?")?;
    let places: Vec<f64> = (-STEPS..=STEPS)
        .map(|step| f64::from(step) / f64::from(STEPS))
        .collect();
    let mut table = String::from("case,model,place,reward,mean,sd\n");
    let mut panels = Vec::new();
    for (title, problem, offset) in CASES {
        let problem = by_name(problem, None)?;
        let truth: Vec<f64> = places
            .iter()
            .map(|place| reward(&*problem, &[*place; DIM], offset))
            .collect();
        let axes = (
            PlotAxis::linear("place on the line (0: centre, ±1: corners)"),
            PlotAxis::linear("reward"),
        );
        let mut curves = vec![line("true reward", &places, &truth)];
        for (label, method, options) in MODELS {
            let curve = fitted(&*problem, offset, (label, method, options), &places)?;
            for (i, place) in places.iter().enumerate() {
                writeln!(
                    table,
                    "{title},{label},{place},{},{},{}",
                    truth[i], curve.mean[i], curve.sd[i]
                )?;
            }
            curves.push(with_band(&curve, &places));
        }
        panels.push(Panel::new(title, axes.0, axes.1, curves));
    }
    let note = format!(
        "{DIM} dimensions, {OBSERVATIONS} uniform observations without noise; bands: two standard deviations of the model."
    );
    let title = "The model along a line from corner to corner through the centre";
    std::fs::write(file, Figure::new(title, panels, note).to_svg())?;
    print!("{table}");
    Ok(())
}

/// The reward at a row of [−1, 1]ᵈ.
fn reward(problem: &dyn Problem, row: &[f64], offset: f64) -> f64 {
    let point: Vec<f64> = row
        .iter()
        .zip(problem.bounds())
        .map(|(x, (low, high))| low + 0.5 * (x + 1.0) * (high - low))
        .collect();
    offset - problem.value(&point)
}

/// A model's curve after the same observations.
fn fitted(
    problem: &dyn Problem,
    offset: f64,
    (label, method, options): (&'static str, &str, &[&str]),
    places: &[f64],
) -> Result<Curve, Box<dyn Error + Send + Sync>> {
    let space = Space::from_bounds(&problem.bounds())?;
    let options = Options::parse(options.iter().map(|option| (*option).to_owned()))?;
    let mut strategy = neuralbo_paper::registry().build(method, &space, 1, &options)?;
    let (mut history, mut rng) = (
        History::new(DIM),
        Streams::new(1).stream(0, Purpose::Design),
    );
    for _ in 0..OBSERVATIONS {
        let row: Vec<f64> = (0..DIM).map(|_| rng.random_range(-1.0..1.0)).collect();
        history.push_observed(&row, reward(problem, &row, offset));
    }
    let rows: Vec<[f64; DIM]> = places.iter().map(|place| [*place; DIM]).collect();
    let prediction = strategy
        .model(&history)?
        .predict(&Points::from_rows(DIM, &rows));
    Ok(Curve {
        label,
        mean: prediction.mean,
        sd: prediction.sd,
    })
}

fn line(label: &str, places: &[f64], values: &[f64]) -> PlotSeries {
    PlotSeries::line(
        label,
        places.iter().copied().zip(values.iter().copied()).collect(),
    )
}

fn with_band(curve: &Curve, places: &[f64]) -> PlotSeries {
    let band = curve
        .mean
        .iter()
        .zip(&curve.sd)
        .map(|(mean, sd)| (mean - 2.0 * sd, mean + 2.0 * sd))
        .collect();
    line(curve.label, places, &curve.mean).with_band(band)
}
