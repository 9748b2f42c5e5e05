//! Trains the classifier of the sensitive-samples problem and reports its accuracy and that of its tampered copies.
//!
//! `cargo run --release -p neuralbo-lab --example sensitive_classifier [SEEDS] [MODELS]`

use std::time::Instant;

use neuralbo_lab::data::directory;
use neuralbo_lab::problems::sensitive::{Classifier, DigitSet, Digits, Tampering, Training};
use neuralbo_lab::stats::{mean, sd};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let seeds = arguments.next().transpose()?.unwrap_or(3);
    let models = arguments.next().transpose()?.unwrap_or(1000);
    let data = directory(None)?;
    let (train, test) = (
        Digits::read(&data, DigitSet::Train)?,
        Digits::read(&data, DigitSet::Test)?,
    );
    for seed in 0..seeds as u64 {
        let start = Instant::now();
        let classifier = Classifier::trained(&train, &Training::default(), seed);
        let accuracy = classifier.accuracy(&test);
        println!(
            "seed {seed}: accuracy {:.2} %, trained in {:.1} s",
            100.0 * accuracy,
            start.elapsed().as_secs_f64()
        );
        let start = Instant::now();
        let accuracies = Tampering {
            models,
            ..Tampering::new(classifier, seed)
        }
        .accuracies(&test);
        println!(
            "  {models} tampered copies: {:.2} % ± {:.2} (standard error {:.2}), {:.1} s",
            100.0 * mean(&accuracies),
            100.0 * sd(&accuracies),
            100.0 * sd(&accuracies) / (models as f64).sqrt(),
            start.elapsed().as_secs_f64()
        );
    }
    Ok(())
}
