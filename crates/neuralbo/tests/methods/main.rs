//! What every method of this crate promises: one test per case over all of `METHODS`, so that a new method is accepted when this
//! is green with its entry there and nothing changed here.

#![allow(clippy::unwrap_used)]

mod constrained;
mod large;
mod quadratic;
mod recommended;

use neuralbo::strategy::presets::METHODS;
use neuralbo_testkit::method::{documented, for_every};

neuralbo_testkit::method_conformance!(METHODS);

#[test]
fn every_method_and_option_has_its_place_in_the_documentation() {
    let page = include_str!("../../../../docs/methods.md");
    for_every(METHODS, |method| documented(page, method));
}
