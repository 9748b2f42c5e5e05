//! The law behind the paper's curves: a ReLU network without biases is positively homogeneous, h(cx) = c·h(x) for c ≥ 0, whatever
//! its parameters. So are its tangent features, the standard deviation σ, and every function that Thompson sampling draws: along a ray
//! from the centre of the box all of them are straight lines through 0. The maximum of a drawn function is the centre or at a bound.

#![allow(clippy::unwrap_used)]

use faer::Mat;
use neuralbo::linalg::{Points, Purpose, Rng, Streams};
use neuralbo::net::{Activation, Architecture, Features, Init, Mlp};
use neuralbo::space::Space;
use neuralbo::strategy::presets::Options;
use neuralbo::strategy::{History, Request, Strategy};
use neuralbo_paper::neural::covariance::{CovarianceKind, FeatureCovariance};
use neuralbo_paper::registry;
use neuralbo_paper::training::{AdamState, Trainer, TrainingData};
use rand::RngExt;

const DIM: usize = 5;
/// Powers of two change no digit of a number, the others do.
const SCALES: [f64; 4] = [0.25, 0.7, 2.0, 3.1];

fn rng(seed: u64) -> Rng {
    Streams::new(seed).stream(0, Purpose::Sample)
}

fn points(count: usize, seed: u64) -> Mat<f64> {
    let mut rng = rng(seed);
    Mat::from_fn(DIM, count, |_, _| rng.random_range(-1.0..1.0))
}

fn network(depth: usize, biases: bool) -> Mlp<f64> {
    let shape = Architecture {
        inputs: DIM,
        width: 40,
        depth,
        activation: Activation::Relu,
        biases,
    };
    Mlp::new(
        shape,
        if biases {
            Init::Reference
        } else {
            Init::Standard
        },
        &mut rng(1),
    )
    .unwrap()
}

/// The network after fitting rewards around −20.
fn trained(mut net: Mlp<f64>) -> Mlp<f64> {
    let x = points(30, 2);
    let y: Vec<f64> = (0..30).map(|j| -20.0 - x[(0, j)] * x[(1, j)]).collect();
    let anchor = net.theta().to_vec();
    let trainer = Trainer::descent(2e-3, 300, usize::MAX, 0.0);
    let data = TrainingData::new(x.as_ref(), &y, &anchor);
    trainer
        .train(&mut net, &data, &mut AdamState::default(), &mut rng(3))
        .unwrap();
    assert!(net.theta() != anchor);
    net
}

fn close(a: f64, b: f64) {
    assert!(
        (a - b).abs() <= 1e-10 * (1.0 + a.abs().max(b.abs())),
        "{a} and {b}"
    );
}

#[test]
fn networks_without_biases_are_positively_homogeneous_trained_or_not() {
    for depth in [2, 3, 4] {
        for net in [network(depth, false), trained(network(depth, false))] {
            let x = points(8, 4);
            let h = net.forward(x.as_ref());
            for c in SCALES {
                let scaled = net.forward((faer::Scale(c) * &x).as_ref());
                scaled
                    .iter()
                    .zip(&h)
                    .for_each(|(scaled, h)| close(*scaled, c * h));
            }
            assert_eq!(net.forward(Mat::zeros(DIM, 1).as_ref()), [0.0]);
        }
    }
}

#[test]
fn biases_end_the_law() {
    let net = trained(network(2, true));
    let at_centre = net.forward(Mat::zeros(DIM, 1).as_ref())[0];
    assert!(
        at_centre < -10.0,
        "{at_centre}: the centre is like the data around it"
    );
}

#[test]
fn the_tangent_kernel_is_homogeneous_in_both_points() {
    let net = trained(network(3, false));
    let (a, b) = (points(6, 5), points(4, 6));
    let kernel = |a: &Mat<f64>, b: &Mat<f64>| {
        Features::of(&net, a.as_ref()).kernel(&Features::of(&net, b.as_ref()))
    };
    let plain = kernel(&a, &b);
    let scaled = kernel(&(faer::Scale(3.1) * &a), &(faer::Scale(0.7) * &b));
    for i in 0..6 {
        for j in 0..4 {
            close(scaled[(i, j)], 3.1 * 0.7 * plain[(i, j)]);
        }
    }
}

/// U holds the observations alone, so σ(cx) = c·σ(x) holds exactly, for every λ and any data.
#[test]
fn the_standard_deviation_grows_in_proportion_to_the_distance_from_the_centre() {
    let net = network(2, false);
    let x = points(7, 7);
    for (kind, lambda) in [(CovarianceKind::Dual, 0.01), (CovarianceKind::Dense, 1.0)] {
        let mut covariance = FeatureCovariance::new(kind, net.theta().len(), lambda);
        covariance
            .append(&Features::of(&net, points(12, 8).as_ref()))
            .unwrap();
        let sd = |x: &Mat<f64>| -> Vec<f64> {
            covariance
                .variance(&Features::of(&net, x.as_ref()))
                .into_iter()
                .map(f64::sqrt)
                .collect()
        };
        let plain = sd(&x);
        for c in SCALES {
            let scaled = sd(&(faer::Scale(c) * &x));
            scaled
                .iter()
                .zip(&plain)
                .for_each(|(scaled, sd)| assert!((scaled / (c * sd) - 1.0).abs() < 1e-6));
        }
        assert_eq!(sd(&Mat::zeros(DIM, 1)), [0.0]);
    }
}

/// `neuralbo-paper` on a box of six parameters after 40 observations of rewards around `level`.
fn letter(options: &[&str], level: f64) -> (Box<dyn Strategy>, History) {
    let space = Space::from_bounds(&[(-1.0, 1.0); 6]).unwrap();
    let all = options
        .iter()
        .copied()
        .chain(["nu=0.1", "width=200", "initial=1"])
        .map(String::from);
    let strategy = registry()
        .build("neuralbo-paper", &space, 3, &Options::parse(all).unwrap())
        .unwrap();
    let (mut history, mut rng) = (History::new(6), rng(9));
    for _ in 0..40 {
        let row: [f64; 6] = std::array::from_fn(|_| rng.random_range(-1.0..1.0));
        // The best place is (0.5, …, 0.5), neither the centre nor a bound.
        history.push_observed(
            &row,
            level - row.iter().map(|x| (x - 0.5).powi(2)).sum::<f64>(),
        );
    }
    (strategy, history)
}

#[test]
fn every_function_drawn_by_the_letter_is_homogeneous() {
    let (mut strategy, history) = letter(&[], -20.0);
    let model = strategy.model(&history).unwrap();
    let row = [0.3, -0.2, 0.25, 0.1, -0.3, 0.05];
    let on_ray = |c: f64| Points::from_rows(6, [&row.map(|x| c * x)]);
    for draw in 0..10 {
        let function = model.sample_function(&mut rng(draw)).unwrap();
        let at = |c: f64| function.value(&on_ray(c))[0];
        for c in [0.0, 0.25, 2.0, 3.0] {
            assert!(
                (at(c) - c * at(1.0)).abs() < 1e-3 * (1.0 + at(1.0).abs()),
                "{c}: {} and {}",
                at(c),
                at(1.0)
            );
        }
    }
}

/// The point that is suggested next.
fn next(strategy: &mut dyn Strategy, history: &History) -> Vec<f64> {
    let pending = Points::new(6);
    let request = Request {
        history,
        pending: &pending,
        number: history.len() as u64,
        count: 1,
        cancel: None,
    };
    strategy.suggest(&request).unwrap().remove(0).row
}

#[test]
fn the_letter_goes_to_the_centre_where_rewards_are_negative() {
    let (mut strategy, history) = letter(&[], -20.0);
    let row = next(&mut *strategy, &history);
    assert!(row.iter().all(|x| x.abs() < 0.02), "{row:?}");
}

#[test]
fn the_letter_goes_to_the_bounds_where_rewards_are_positive() {
    let (mut strategy, history) = letter(&[], 20.0);
    let row = next(&mut *strategy, &history);
    let at_bounds = row.iter().filter(|x| x.abs() > 0.999).count();
    assert!(
        at_bounds >= 1,
        "{row:?}: a maximum off the centre lies on the surface of the box"
    );
}

/// With standardized rewards and a constant input the level of the rewards changes nothing.
#[test]
fn without_the_law_the_level_of_the_rewards_does_not_matter() {
    let suggested = |level: f64| {
        let (mut strategy, history) = letter(&["rewards=standard", "constant=yes"], level);
        next(&mut *strategy, &history)
    };
    let (low, high) = (suggested(-20.0), suggested(20.0));
    assert!(
        low.iter().zip(&high).all(|(a, b)| (a - b).abs() < 1e-3),
        "{low:?} and {high:?}"
    );
    assert!(low.iter().any(|x| x.abs() > 0.1), "{low:?}");
}
