//! Methods without a model.

use super::Method;
use crate::strategy::{CmaEs, RandomSearch, SobolSearch};

pub(super) const RANDOM: Method = Method {
    name: "random",
    summary: "points drawn uniformly, without a model: the floor every method must beat",
    options: &[],
    objectives: true,
    outcomes: true,
    build: |setup, _| Ok(Box::new(RandomSearch::new(setup.clone()))),
};

pub(super) const SOBOL: Method = Method {
    name: "sobol",
    summary: "a scrambled Sobol sequence: evenly spread points, without a model",
    options: &[],
    objectives: true,
    outcomes: true,
    build: |setup, _| Ok(Box::new(SobolSearch::new(setup.clone()))),
};

pub(super) const CMA_ES: Method = Method {
    name: "cma-es",
    summary: "an evolution strategy that adapts the covariance of its steps; for cheap evaluations",
    options: &[],
    objectives: false,
    outcomes: false,
    build: |setup, _| Ok(Box::new(CmaEs::new(setup.clone()))),
};
