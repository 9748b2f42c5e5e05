//! The network while it learns.

use super::GreedySettings;
use crate::training::{AdamState, Trainer, TrainingData};
use faer::Mat;
use neuralbo::linalg::Rng;
use neuralbo::net::{Activation, Architecture, Init, Mlp};
use neuralbo::surrogate::{Dataset, FitError, Standardizer};
use rand::RngExt;
use rand_distr::StandardNormal;

/// A network in single precision, Adam's moments, and the units of the rewards it was last fitted to.
#[derive(Clone, Debug)]
pub(super) struct Learner {
    pub net: Mlp<f32>,
    pub units: Standardizer,
    adam: AdamState<f32>,
}

impl Learner {
    /// Fresh weights.
    pub(super) fn new(
        settings: &GreedySettings,
        inputs: usize,
        rng: &mut Rng,
    ) -> Result<Self, FitError> {
        let (width, depth) = (settings.width, settings.depth);
        let shape = Architecture {
            inputs,
            width,
            depth,
            activation: Activation::Relu,
            biases: true,
        };
        let net = Mlp::new(shape, Init::Reference, rng)?;
        Ok(Self {
            net,
            units: Standardizer::of(&[]),
            adam: AdamState::default(),
        })
    }

    /// Goes on with all of `data`, its standardized rewards perturbed afresh. On an error the weights are as before.
    pub(super) fn train(
        &mut self,
        settings: &GreedySettings,
        data: &Dataset,
        rng: &mut Rng,
    ) -> Result<(), FitError> {
        let units = Standardizer::of(data.rewards());
        let mut perturbed = |reward: &f64| {
            let noise: f64 = rng.sample(StandardNormal);
            (units.forward(*reward) + settings.perturbation * noise) as f32
        };
        let y: Vec<f32> = data.rewards().iter().map(&mut perturbed).collect();
        let x = Mat::from_fn(data.rows().dim(), data.len(), |i, j| {
            data.rows().row(j)[i] as f32
        });
        let anchor = self.net.theta().to_vec();
        let data = TrainingData::new(x.as_ref(), &y, &anchor);
        let trainer = Trainer::adam(settings.rate, settings.epochs, settings.batch);
        let report = trainer.train(&mut self.net, &data, &mut self.adam, rng);
        match report {
            Ok(_) => self.units = units,
            // Moments of a diverged run would throw the next one off as well.
            Err(_) => self.adam = AdamState::default(),
        }
        Ok(report.map(drop)?)
    }
}
