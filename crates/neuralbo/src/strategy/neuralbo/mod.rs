//! The default method: Thompson samples of the tangent model inside a trust region.

mod trust_region;

pub use trust_region::{TrustRegion, TrustRegionSettings};

use super::setup::{Ledger, one_by_one};
use super::sobol::SpaceFiller;
use super::{DesignKind, Exhausted, InitialDesign, Origin, Request, Setup, Strategy, Suggestion};
use crate::acquisition::maximize::{Maximizer, MaximizerSettings, SearchRegion, SeenRows};
use crate::linalg::{Points, Purpose, squared_distance};
use crate::net::{Activation, ArchitectureError};
use crate::surrogate::tangent::{Frame, Hyper, TangentKernel, TangentModel, TangentPosterior, Targets};
use crate::surrogate::{Dataset, FitError, Posterior};

/// Settings of the default method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NeuralBoSettings {
    /// Width of the network.
    pub width: usize,
    /// Its activation.
    pub activation: Activation,
    /// Size of the initial design.
    pub initial: usize,
    /// Most observations the model sees.
    pub active: usize,
    /// Exploration.
    pub nu: f64,
    /// The trust region.
    pub region: TrustRegionSettings,
    /// The maximizer.
    pub maximizer: MaximizerSettings,
    /// Rounds of the evidence search.
    pub rounds: usize,
    /// x
    pub greedy_every: u64,
    /// x
    pub slack: f64,
    /// Whether rows are centred at the best point.
    pub centred: bool,
}

impl NeuralBoSettings {
    /// The tuned settings for `dim` coordinates.
    pub fn for_dim(dim: usize) -> Self {
        Self {
            width: 256,
            activation: Activation::Gelu,
            initial: (dim + 1).clamp(3, 6),
            active: 512,
            nu: 1.0,
            region: TrustRegionSettings {
                start: 1.0,
                smallest: 1e-4,
                successes: 2,
                failures: 3.max(dim / 2),
                grow: 2.0,
                shrink: 0.5,
            },
            maximizer: MaximizerSettings { candidates: 512, local_share: 0.5, starts: 4, steps: 40, perturbed: 20 },
            rounds: 8,
            centred: true,
            greedy_every: 0,
            slack: 0.0,
        }
    }
}

/// The default strategy.
pub struct NeuralBo {
    setup: Setup,
    settings: NeuralBoSettings,
    kernel: TangentKernel,
    design: InitialDesign,
    filler: SpaceFiller,
    ledger: Ledger,
    region: TrustRegion,
}

impl NeuralBo {
    /// The strategy for a study.
    pub fn new(setup: Setup, settings: NeuralBoSettings) -> Result<Self, ArchitectureError> {
        let mut rng = setup.streams.stream(0, Purpose::NetworkInit);
        let kernel = TangentKernel::new(setup.space.encoded_dim(), settings.width, settings.activation, &mut rng)?;
        let design = InitialDesign::new(&setup, DesignKind::Sobol, settings.initial).centre_first(&setup);
        let filler = SpaceFiller::new(&setup);
        let region = TrustRegion::new(settings.region);
        Ok(Self { setup, settings, kernel, design, filler, ledger: Ledger::default(), region })
    }

    fn fit(&self, data: &Dataset) -> Result<TangentPosterior, FitError> {
        let Some(best) = data.best() else { return Err(FitError::TooFewObservations { needed: 1, found: 0 }) };
        let dim = data.rows().dim();
        let center = if self.settings.centred { data.rows().row(best).to_vec() } else { vec![0.0; dim] };
        let frame = Frame { center, unit: 1.0 };
        let start = TangentModel { kernel: self.kernel.clone(), hyper: Hyper::start(dim), frame, targets: if self.settings.slack > 0.0 { Targets::Compressed { slack: self.settings.slack } } else { Targets::Plain } };
        start.tuned(data, self.settings.rounds).fit(data)
    }

    fn active(&self, data: &Dataset) -> Dataset {
        if data.len() <= self.settings.active {
            return data.clone();
        }
        let Some(best) = data.best() else { return data.clone() };
        let center = data.rows().row(best);
        let mut order: Vec<(f64, usize)> = data.rows().rows().map(|row| squared_distance(row, center)).zip(0..).collect();
        order.select_nth_unstable_by(self.settings.active - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut kept: Vec<usize> = order[..self.settings.active].iter().map(|(_, i)| *i).collect();
        kept.sort_unstable();
        data.select(&kept)
    }

    fn next(&mut self, request: &Request<'_>, number: u64, taken: &SeenRows) -> Result<Suggestion, Exhausted> {
        if let Some(row) = self.design.row(number) {
            if !taken.contains(row) {
                return Ok(self.setup.suggestion(row.to_vec(), Origin::Initial));
            }
        }
        let data = self.active(request.history.observed());
        match self.fit(&data) {
            Ok(posterior) => self.by_model(&posterior, &data, number, taken),
            Err(error) => Ok(self.setup.suggestion(self.filler.row(number, taken)?, Origin::Fallback(error.to_string()))),
        }
    }

    fn by_model(
        &self,
        posterior: &TangentPosterior,
        data: &Dataset,
        number: u64,
        taken: &SeenRows,
    ) -> Result<Suggestion, Exhausted> {
        let mut rng = self.setup.streams.stream(number, Purpose::Sample);
        let best = data.best().unwrap_or(0);
        let center = data.rows().row(best);
        let half = 0.5 * self.region.side();
        let lower: Vec<f64> = center.iter().map(|c| (c - half).max(-1.0)).collect();
        let upper: Vec<f64> = center.iter().map(|c| (c + half).min(1.0)).collect();
        let incumbents = Points::from_rows(center.len(), [center]);
        let region = SearchRegion::whole(&self.setup.space, taken, incumbents).within(&lower, &upper);
        let nu = if self.settings.greedy_every > 0 && number % self.settings.greedy_every == 0 { 0.0 } else { self.settings.nu };
        let function = posterior.sample(nu, &mut rng);
        let maximizer = Maximizer::new(self.settings.maximizer).unwrap_or_default();
        let mut rng = self.setup.streams.stream(number, Purpose::Candidates);
        let Some(found) = maximizer.maximize(&function, &region, &mut rng) else { return Err(Exhausted) };
        let prediction = posterior.predict(&Points::from_rows(found.row.len(), [&found.row]));
        let mut suggestion = self.setup.suggestion(found.row, Origin::Model("thompson"));
        (suggestion.mean, suggestion.sd) = (prediction.mean.first().copied(), prediction.sd.first().copied());
        Ok(suggestion)
    }
}

impl Strategy for NeuralBo {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        self.region.update(request.history, self.settings.initial);
        let taken = self.ledger.taken(&self.setup, request);
        let setup = self.setup.clone();
        one_by_one(&setup, request, taken, |number, taken, _| self.next(request, number, taken))
    }
}
