//! The kernels of real networks approach the analytic one as the width grows, and the error falls like 1/√m.

use super::*;
use crate::fixtures::relu;
use faer::Mat;
use neuralbo::linalg::{Points, Purpose, Streams};
use neuralbo::net::{Activation, Features, Init, Mlp};

fn points() -> Points {
    Points::from_rows(
        3,
        [
            [0.3, -0.8, 1.0],
            [-0.5, 0.1, 1.0],
            [0.9, 0.7, 1.0],
            [0.2, -0.6, 1.0],
        ],
    )
}

/// Root mean square difference between the kernels of `networks` draws of width `m` and `limit`, relative to its largest entry.
fn error(init: Init, depth: usize, m: usize, networks: u64, limit: &Mat<f64>) -> f64 {
    let shape = relu(3, m, depth);
    let squares = |network: u64| {
        let mut rng = Streams::new(23).stream(network, Purpose::NetworkInit);
        let net = Mlp::<f64>::new(shape, init, &mut rng).unwrap();
        let features = Features::of(&net, points().as_mat());
        (features.kernel(&features) - limit).squared_norm_l2()
    };
    let sum: f64 = (0..networks).map(squares).sum();
    (sum / (networks as f64 * limit.nrows().pow(2) as f64)).sqrt() / limit.norm_max()
}

#[test]
fn errors_of_finite_networks_fall_like_the_root_of_the_width() {
    // Weight variance factor c, and that of the last layer relative to it, of each initialization.
    let cases = [
        (Init::Standard, 1.0, 1.0),
        (Init::Mirrored, 1.0, 1.0),
        (Init::HeZeroLast, 2.0, 0.0),
        (Init::Antisymmetric, 2.0, 1.0),
    ];
    for (init, c, ratio) in cases {
        for depth in [2, 3] {
            let limit = NeuralTangentKernel::new(Activation::Relu, depth, c)
                .unwrap()
                .matrices(&points())
                .network_limit(ratio);
            let [narrow, wide] = [32, 512].map(|m| error(init, depth, m, 60, &limit));
            // Sixteen times the width is a quarter of the error; each estimate from 60 networks is good to about a tenth, and
            // narrow networks also feel the next order.
            let factor = narrow / wide;
            assert!(
                (3.0..5.6).contains(&factor),
                "{init:?}, depth {depth}: errors {narrow}, {wide}"
            );
            assert!(
                wide < 0.1,
                "{init:?}, depth {depth}: error {wide} at width 512"
            );
        }
    }
}
