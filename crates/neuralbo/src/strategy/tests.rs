//! What strategies promise beside the conformance suite of methods.

use std::sync::Arc;

use super::presets::neuralbo::{NeuralBoSettings, compose};
use super::*;
use crate::acquisition::maximize::{Maximizer, MaximizerSettings};
use crate::acquisition::testing::Quadratic;
use crate::linalg::Streams;
use crate::space::Space;
use crate::surrogate::{Dataset, FitError, Posterior, Surrogate};

struct AlwaysBowl;

impl Surrogate for AlwaysBowl {
    fn fit(&mut self, _: &Dataset, _: &Streams) -> Result<Box<dyn Posterior>, FitError> {
        Ok(Box::new(Quadratic))
    }
}

fn model_based(setup: Setup) -> Box<dyn Strategy> {
    let settings = MaximizerSettings {
        candidates: 64,
        starts: 3,
        ..Default::default()
    };
    let parts = ModelBasedParts {
        initial: InitialDesign::new(&setup, 3).centre_first(&setup),
        surrogate: Box::new(AlwaysBowl),
        rule: AcquisitionRule::Thompson { nu: 1.0 },
        maximizer: Maximizer::new(settings).unwrap(),
        observations: ModelBasedParts::OBSERVATIONS,
    };
    Box::new(ModelBased::new(setup, parts))
}

type Make = fn(Setup) -> Box<dyn Strategy>;

const STRATEGIES: [(&str, Make); 5] = [
    ("neuralbo", |setup| {
        let settings = NeuralBoSettings {
            width: 32,
            ..NeuralBoSettings::for_dim(setup.space.encoded_dim())
        };
        compose(setup, settings).unwrap()
    }),
    ("random", |setup| Box::new(RandomSearch::new(setup))),
    ("sobol", |setup| Box::new(SobolSearch::new(setup))),
    ("cma-es", |setup| Box::new(CmaEs::new(setup))),
    ("model-based", model_based),
];

/// The space of some parameters, separated by spaces.
pub(super) fn parse(parameters: &str) -> Space {
    let parameters = parameters.split(' ').map(|p| p.parse().unwrap());
    Space::new(parameters.collect()).unwrap()
}

fn spaces() -> Vec<Space> {
    let pool = Points::from_rows(2, (0..60).map(|i| [f64::from(i * i % 61), f64::from(i)]));
    vec![
        Space::from_bounds(&[(-1.0, 1.0), (0.0, 5.0)]).unwrap(),
        parse("lr=float(1e-5,1,log) n=int(1,9) c=choice(a,b,c) flag=bool seed=4"),
        parse("n=int(1,6) c=choice(a,b,c,d)"),
        Space::from_pool(pool).unwrap(),
    ]
}

/// Runs `trials` in batches of `batch`; every seventh fails.
fn run(strategy: &mut dyn Strategy, space: &Space, trials: usize, batch: usize) -> History {
    let mut history = History::new(space.encoded_dim());
    while history.len() < trials {
        let pending = Points::new(space.encoded_dim());
        let request = Request::new(&history, &pending, history.len() as u64, batch);
        for suggestion in strategy.suggest(&request).unwrap() {
            assert_eq!(space.encode(&suggestion.point).unwrap(), suggestion.row);
            match history.len() % 7 {
                3 => history.push_failed(&suggestion.row),
                _ => history.push_observed(&suggestion.row, Quadratic::mean(&suggestion.row)),
            }
        }
    }
    history
}

#[test]
fn a_batch_that_is_no_longer_wanted_ends_with_the_points_it_has() {
    let flag = CancelFlag::default();
    flag.raise();
    for (name, make) in STRATEGIES {
        for space in spaces() {
            let setup = Setup::new(Arc::new(space.clone()), Streams::new(5));
            let history = run(&mut *make(setup.clone()), &space, 8, 8);
            let pending = Points::new(space.encoded_dim());
            let request = Request::new(&history, &pending, 8, 4);
            let whole = make(setup.clone()).suggest(&request).unwrap();
            let cancelled = Request {
                cancel: Some(&flag),
                ..request
            };
            let cut = make(setup).suggest(&cancelled).unwrap();
            assert!(!cut.is_empty() && cut[..] == whole[..cut.len()], "{name}");
        }
    }
}

#[test]
fn more_dimensions_than_a_sobol_sequence_has_are_no_obstacle() {
    let dim = crate::linalg::Sobol::max_dim() + 1;
    let space = Space::from_bounds(&vec![(0.0, 1.0); dim]).unwrap();
    let setup = Setup::new(Arc::new(space), Streams::new(1));
    let (history, pending) = (History::new(dim), Points::new(dim));
    let request = Request::new(&history, &pending, 0, 2);
    assert_eq!(SobolSearch::new(setup).suggest(&request).unwrap().len(), 2);
}

#[test]
fn a_sobol_search_is_evenly_spread() {
    let space = Arc::new(Space::from_bounds(&[(-1.0, 1.0); 3]).unwrap());
    let mut search = SobolSearch::new(Setup::new(Arc::clone(&space), Streams::new(2)));
    let history = run(&mut search, &space, 64, 5);
    for j in 0..3 {
        let cell = |i: usize| ((history.row(i)[j] + 1.0) * 32.0) as usize;
        let mut cells: Vec<usize> = (0..64).map(cell).collect();
        cells.sort_unstable();
        assert_eq!(cells, (0..64).collect::<Vec<_>>());
    }
}
