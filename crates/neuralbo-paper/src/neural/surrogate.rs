//! Fitting: θ₀ once, then data into the covariance and the mean.

use super::covariance::{CovarianceKind, FeatureCovariance, MOST_OBSERVATIONS};
use super::pool::PoolFeatures;
use super::{FeaturePoint, InputMap, NeuralPosterior, NeuralSettings};
use super::{Restart, SettingsError, Shift, TargetUnits};
use crate::training::{AdamState, Trainer, TrainingData};
use faer::Mat;
use neuralbo::linalg::{NotPositiveDefinite, Points, Purpose, Real, Streams};
use neuralbo::net::{Architecture, Features, Init, Mlp};
use neuralbo::surrogate::{Dataset, FitError, Posterior, Standardizer, Surrogate};
use rand::seq::SliceRandom;
use std::borrow::Cow;
use std::sync::Arc;

/// After a divergence the learning rate is halved and training starts over, at most this often: enough for raw rewards of 10¹⁵,
/// which need a rate that much smaller.
const RATE_HALVINGS: usize = 60;

/// The network and what it has seen so far.
pub struct NeuralSurrogate<T> {
    settings: NeuralSettings,
    architecture: Architecture,
    init: Init,
    inputs: Arc<InputMap>,
    /// The rows that a search is limited to.
    pool: Option<Arc<Points>>,
    state: Option<FitState<T>>,
}

/// Everything derived from the data; dropped and rebuilt when the data did not merely grow.
struct FitState<T> {
    streams: Streams,
    initial: Arc<Mlp<T>>,
    pool: Option<Arc<PoolFeatures<T>>>,
    current: Mlp<T>,
    adam: AdamState<T>,
    covariance: Arc<FeatureCovariance<T>>,
    kind: CovarianceKind,
    seen: Points,
    trained: usize,
}

impl<T: Real> NeuralSurrogate<T> {
    /// A surrogate for rows of dimension `dim`.
    pub fn new(settings: NeuralSettings, dim: usize) -> Result<Self, SettingsError> {
        let architecture = settings.architecture(dim)?;
        let inputs = InputMap::new(dim, settings.inputs, settings.constant_input);
        Ok(Self {
            settings,
            architecture,
            init: settings.drawn_init()?,
            inputs: Arc::new(inputs),
            pool: None,
            state: None,
        })
    }

    /// The same for a search limited to the rows of a pool: their features at θ₀ are kept.
    pub fn with_pool(mut self, pool: &Points) -> Self {
        let fixed = self.settings.features == FeaturePoint::Initial;
        self.pool = fixed.then(|| Arc::new(pool.clone()));
        self
    }

    fn fresh_state(&self, streams: &Streams) -> Result<FitState<T>, FitError> {
        let mut rng = streams.stream(0, Purpose::NetworkInit);
        let net = Mlp::new(self.architecture, self.init, &mut rng)?;
        let kind = self.settings.resolved_covariance(0, net.theta().len());
        let covariance = FeatureCovariance::new(kind, net.theta().len(), self.settings.lambda);
        let pool = self.pool.as_ref();
        let pool = pool.and_then(|rows| PoolFeatures::of(&net, &self.inputs, rows));
        Ok(FitState {
            streams: *streams,
            pool: pool.map(Arc::new),
            initial: Arc::new(net.clone()),
            current: net,
            adam: AdamState::default(),
            covariance: Arc::new(covariance),
            kind,
            seen: Points::new(self.inputs.dim),
            trained: 0,
        })
    }

    /// The state for `data`: the old one where the data only grew, a fresh one otherwise.
    fn take_state(&mut self, data: &Dataset, streams: &Streams) -> Result<FitState<T>, FitError> {
        let rows = data.rows().as_slice();
        let old = self.state.take();
        old.filter(|old| old.streams == *streams && rows.starts_with(old.seen.as_slice()))
            .map_or_else(|| self.fresh_state(streams), Ok)
    }

    /// Brings covariance and mean up to the first `len` observations.
    fn advance(&self, state: &mut FitState<T>, data: &Dataset, len: usize) -> Result<(), FitError> {
        let p = state.initial.theta().len();
        let kind = self.settings.resolved_covariance(len, p);
        if kind == CovarianceKind::Dual && len > MOST_OBSERVATIONS {
            return Err(FitError::TooManyObservations {
                most: MOST_OBSERVATIONS,
                found: len,
            });
        }
        let failed = |_| FitError::NotPositiveDefinite { size: len };
        if kind != state.kind {
            state.kind = kind;
            state.covariance = Arc::new(FeatureCovariance::new(kind, p, self.settings.lambda));
            self.observe(state, data, 0..state.seen.len())
                .map_err(failed)?;
        }
        self.observe(state, data, state.seen.len()..len)
            .map_err(failed)?;
        state.seen.extend(&data.rows().slice(state.seen.len()..len));
        if let Some((trainer, restart)) = self.settings.mean.training(len, p) {
            self.train(state, data, len, trainer, restart)?;
        }
        Ok(())
    }

    /// Adds the observations `range` to `U` (line 7 of Algorithm 1) with the features of the present feature point.
    fn observe(
        &self,
        state: &mut FitState<T>,
        data: &Dataset,
        range: std::ops::Range<usize>,
    ) -> Result<(), NotPositiveDefinite> {
        let range = range.start.max(self.settings.skip_in_covariance)..range.end;
        if range.is_empty() {
            return Ok(());
        }
        let net = match self.settings.features {
            FeaturePoint::Initial => &*state.initial,
            FeaturePoint::Current => &state.current,
        };
        let covariance = Arc::make_mut(&mut state.covariance);
        let of = |range| Features::of(net, self.inputs.apply::<T>(data.rows(), range).as_ref());
        // The rounding of features depends on how many points they are computed for, and that of a sum on how many are added
        // at once. One at a time, a surrogate that saw the data grow and a fresh one agree.
        let mut each = range.map(|i| of(i..i + 1));
        match state.kind {
            // Knows itself which rows go together.
            CovarianceKind::Dual => match each.next() {
                Some(mut all) => {
                    each.for_each(|point| all.append(&point));
                    covariance.append(&all)
                }
                None => Ok(()),
            },
            _ => each.try_for_each(|point| covariance.append(&point)),
        }
    }

    /// TrainNN on the first `len` observations. A rate over the stability limit shows as divergence: it is halved and the
    /// training repeated from the same start.
    fn train(
        &self,
        state: &mut FitState<T>,
        data: &Dataset,
        len: usize,
        trainer: Trainer,
        restart: Restart,
    ) -> Result<(), FitError> {
        let (x, y) = self.training_set(state, data, len);
        let anchor = state.initial.theta().to_vec();
        let training = TrainingData::new(x.as_ref(), &y, &anchor);
        if restart == Restart::Initial {
            state.current.theta_mut().copy_from_slice(&anchor);
            state.adam = AdamState::default();
        }
        let mut failure = None;
        for halving in 0..=RATE_HALVINGS {
            let mut rng = state.streams.stream(len as u64, Purpose::Training);
            let mut adam = state.adam.clone();
            let slower = Trainer {
                rate: trainer.rate * 0.5f64.powi(halving as i32),
                ..trainer
            };
            match slower.train(&mut state.current, &training, &mut adam, &mut rng) {
                Ok(_) => {
                    (state.adam, state.trained) = (adam, len);
                    return Ok(());
                }
                Err(error) => failure = Some(error),
            }
        }
        failure.map_or(Ok(()), |error| Err(error.into()))
    }

    /// Inputs and targets. Where `h(x; θ₀)` is subtracted from the model it is added to the targets: the residuals are the same.
    fn training_set(&self, state: &FitState<T>, data: &Dataset, len: usize) -> (Mat<T>, Vec<T>) {
        let units = self.units(&data.rewards()[..len]);
        let x = self.inputs.apply(data.rows(), 0..len);
        let mut y: Vec<T> = data.rewards()[..len]
            .iter()
            .map(|&r| T::from_f64(units.forward(r)))
            .collect();
        if self.settings.shift == Shift::Subtract {
            let pairs = y.iter_mut().zip(state.initial.forward(x.as_ref()));
            pairs.for_each(|(y, start)| *y += start);
        }
        (x, y)
    }

    fn units(&self, rewards: &[f64]) -> Standardizer {
        match self.settings.targets {
            TargetUnits::Standard => Standardizer::of(rewards),
            TargetUnits::Relative => Standardizer::below_best(rewards),
            TargetUnits::Raw | TargetUnits::Shuffled => Standardizer::identity(),
        }
    }

    /// The data the model is fitted to: the same rows with permuted rewards in the control, what was told otherwise.
    fn fitted<'a>(&self, data: &'a Dataset, streams: &Streams) -> Cow<'a, Dataset> {
        if self.settings.targets != TargetUnits::Shuffled {
            return Cow::Borrowed(data);
        }
        let mut rewards = data.rewards().to_vec();
        rewards.shuffle(&mut streams.stream(data.len() as u64, Purpose::Bootstrap));
        Cow::Owned(Dataset::from_parts(data.rows().clone(), rewards))
    }

    fn posterior(&self, state: &FitState<T>, data: &Dataset) -> NeuralPosterior<T> {
        let units = self.units(data.rewards());
        let p = state.initial.theta().len();
        let trained = self.settings.mean.training(data.len(), p).is_some();
        let (mean, ridge) = if trained {
            (Arc::new(state.current.clone()), vec![0.0; p])
        } else {
            (state.initial.clone(), self.ridge(state, data, &units))
        };
        let features = match self.settings.features {
            FeaturePoint::Initial => state.initial.clone(),
            FeaturePoint::Current => mean.clone(),
        };
        // Nothing is left of the untrained network where it is subtracted from itself or zero.
        let subtracts = self.settings.shift == Shift::Subtract;
        let vanishes = !trained && (subtracts || mean.has_zero_output());
        NeuralPosterior {
            inputs: self.inputs.clone(),
            mean: (!vanishes).then_some(mean),
            subtracted: (!vanishes && subtracts).then(|| state.initial.clone()),
            features,
            pool: state.pool.clone(),
            ridge: Arc::new(ridge),
            covariance: state.covariance.clone(),
            nu: self.nu(state, data, &units),
            units,
        }
    }

    /// ν as it is set, or its estimate: that of a covariance which is known up to the factor ν².
    fn nu(&self, state: &FitState<T>, data: &Dataset, units: &Standardizer) -> f64 {
        let dim = data.rows().dim();
        if !self.settings.estimated_nu || data.len() < (dim + 1) * (dim + 2) / 2 {
            return self.settings.nu;
        }
        let residuals = self.residuals(state, data, units);
        let fit = state.covariance.quadratic_form(&residuals);
        fit.map_or(self.settings.nu, |fit| {
            (fit / residuals.len() as f64).sqrt()
        })
    }

    /// `G (K + λI)⁻¹ (y − h₀)/m`.
    fn ridge(&self, state: &FitState<T>, data: &Dataset, units: &Standardizer) -> Vec<f64> {
        let ridge = state.covariance.ridge(&self.residuals(state, data, units));
        ridge.unwrap_or_else(|| vec![0.0; state.initial.theta().len()])
    }

    /// `y − h₀`, where `h₀` is what the model answers at θ₀.
    fn residuals(&self, state: &FitState<T>, data: &Dataset, units: &Standardizer) -> Vec<f64> {
        let mut residuals = units.forward_all(data.rewards());
        // With a zero output layer h₀ is zero everywhere.
        if self.settings.shift != Shift::Subtract && !state.initial.has_zero_output() {
            let x = self.inputs.apply::<T>(data.rows(), 0..data.len());
            let pairs = residuals.iter_mut().zip(state.initial.forward(x.as_ref()));
            pairs.for_each(|(r, h)| *r -= h.widen());
        }
        residuals
    }
}

impl<T: Real> Surrogate for NeuralSurrogate<T> {
    fn fit(&mut self, data: &Dataset, streams: &Streams) -> Result<Box<dyn Posterior>, FitError> {
        data.check_finite()?;
        let data = &*self.fitted(data, streams);
        let mut state = self.take_state(data, streams)?;
        let settings = &self.settings;
        let training = settings.mean.training(0, 0);
        let warm = training.is_some_and(|(_, restart)| restart == Restart::Warm);
        let path_dependent = warm || settings.features == FeaturePoint::Current;
        let first = (state.trained + 1)
            .max(settings.skip_in_covariance)
            .min(data.len());
        if path_dependent {
            // What the network is now depends on every training before: go through them all, one observation at a time.
            for len in first..data.len() {
                self.advance(&mut state, data, len)?;
            }
        }
        self.advance(&mut state, data, data.len())?;
        let posterior = self.posterior(&state, data);
        // The path of trainings begins when the initial points are complete: a fit before that leaves nothing behind.
        self.state = (data.len() >= self.settings.skip_in_covariance).then_some(state);
        Ok(Box::new(posterior))
    }
}
