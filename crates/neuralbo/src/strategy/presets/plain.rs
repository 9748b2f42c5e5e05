//! Methods without a model.

use super::parts::count;
use super::{Method, OptionInfo};
use crate::strategy::{CmaEs, Nsga2, RandomSearch, SobolSearch};

pub(super) const RANDOM: Method = Method {
    name: "random",
    summary: "points drawn uniformly, without a model: the floor every method must beat",
    options: &[],
    objectives: true,
    outcome_constraints: true,
    build: |setup, _| Ok(Box::new(RandomSearch::new(setup.clone()))),
};

pub(super) const SOBOL: Method = Method {
    name: "sobol",
    summary: "a scrambled Sobol sequence: evenly spread points, without a model",
    options: &[],
    objectives: true,
    outcome_constraints: true,
    build: |setup, _| Ok(Box::new(SobolSearch::new(setup.clone()))),
};

pub(super) const CMA_ES: Method = Method {
    name: "cma-es",
    summary: "an evolution strategy that adapts the covariance of its steps; for cheap evaluations",
    options: &[],
    objectives: false,
    outcome_constraints: false,
    build: |setup, _| Ok(Box::new(CmaEs::new(setup.clone()))),
};

const POPULATION: OptionInfo = OptionInfo {
    key: "population",
    help: "members of the population, from 1 to 10000; 50 if not given",
};
const DEFAULT_POPULATION: usize = 50;

pub(super) const NSGA2: Method = Method {
    name: "nsga2",
    summary: "a genetic algorithm for several objectives, by fronts and crowding; for cheap evaluations",
    options: &[POPULATION],
    objectives: true,
    outcome_constraints: true,
    build: |setup, options| {
        let size = count(options, POPULATION, 10_000)?.unwrap_or(DEFAULT_POPULATION);
        Ok(Box::new(Nsga2::new(setup.clone(), size)))
    },
};
