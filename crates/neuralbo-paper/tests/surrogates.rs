//! What every surrogate promises, checked on the paper's.

#![allow(clippy::unwrap_used)]

use neuralbo::net::{Activation, Init};
use neuralbo_paper::dngo::{Dngo, DngoSettings};
use neuralbo_paper::forest::{Forest, ForestSettings};
use neuralbo_paper::greedy::{Greedy, GreedySettings};
use neuralbo_paper::neural::covariance::CovarianceKind;
use neuralbo_paper::neural::{
    FeaturePoint, InputDomain, MeanRule, NeuralSettings, NeuralSurrogate, Shift, TargetUnits,
};
use neuralbo_testkit::surrogate::conformance;

#[test]
fn deep_features_under_a_linear_regression() {
    conformance("dngo", |_| {
        let settings = DngoSettings {
            width: 12,
            epochs: 20,
            ..DngoSettings::default()
        };
        Box::new(Dngo::new(settings).unwrap())
    });
}

#[test]
fn the_greedy_network() {
    conformance("greedy", |_| {
        let settings = GreedySettings {
            width: 16,
            ..GreedySettings::default()
        };
        Box::new(Greedy::new(settings).unwrap())
    });
}

#[test]
fn the_network_of_the_paper() {
    conformance("neural", |dim| {
        let settings = NeuralSettings {
            width: 16,
            depth: 2,
            activation: Activation::Gelu,
            biases: false,
            inputs: InputDomain::Box,
            constant_input: true,
            init: Init::Standard,
            shift: Shift::None,
            lambda: 0.01,
            nu: 1.0,
            estimated_nu: false,
            features: FeaturePoint::Initial,
            mean: MeanRule::ClosedForm,
            covariance: CovarianceKind::Auto,
            targets: TargetUnits::Standard,
            skip_in_covariance: 0,
        };
        Box::new(NeuralSurrogate::<f64>::new(settings, dim).unwrap())
    });
}

#[test]
fn the_random_forest() {
    conformance("forest", |_| {
        let settings = ForestSettings {
            trees: 10,
            ..ForestSettings::default()
        };
        Box::new(Forest::new(settings).unwrap())
    });
}
