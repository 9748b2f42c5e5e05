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
    /// x
    pub tuned: usize,
    /// x
    pub unit: usize,
    /// x
    pub local: f64,
    /// x
    pub reach: f64,
    /// Whether rows are centred at the best point.
    pub centred: bool,
}

impl NeuralBoSettings {
    /// The tuned settings for `dim` coordinates.
    pub fn for_dim(dim: usize) -> Self {
        Self {
            width: 256,
            activation: Activation::Gelu,
            initial: 3,
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
            greedy_every: 2,
            slack: 0.0,
            tuned: 160,
            unit: 1,
            local: 1.5,
            reach: 1.0,
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
        let spread = (data.rows().rows().map(|r| squared_distance(r, &center)).sum::<f64>() / (data.len() * dim) as f64).sqrt();
        let unit = match self.settings.unit { 0 => 1.0, 1 => 0.5 * self.region.side(), _ => spread.max(1e-9) * 2.0 };
        let frame = Frame { center, unit };
        let start = TangentModel { kernel: self.kernel.clone(), hyper: Hyper::start(dim), frame, targets: if self.settings.slack > 0.0 { Targets::Compressed { slack: self.settings.slack } } else { Targets::Plain } };
        let nearest = nearest(data, &start.frame.center, self.settings.tuned);
        start.tuned(&nearest, self.settings.rounds).fit(data)
    }

    fn active(&self, data: &Dataset) -> Dataset {
        let dim = data.rows().dim();
        let minimum = ((self.settings.local * ((dim + 1) * (dim + 2)) as f64 / 2.0).max(2.0 * dim as f64) as usize).max(10);
        let Some(best) = data.best() else { return data.clone() };
        let center = data.rows().row(best);
        let reach = self.settings.reach * self.region.side();
        let inside = data.rows().rows().filter(|r| r.iter().zip(center).all(|(a, b)| (a - b).abs() <= reach)).count();
        let size = inside.max(minimum).min(self.settings.active);
        if data.len() <= size {
            return data.clone();
        }
        nearest(data, center, size)
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
        let smoothed = posterior.smoothed();
        let best = (0..smoothed.len()).max_by(|&a, &b| smoothed[a].total_cmp(&smoothed[b]).then(b.cmp(&a))).unwrap_or(0);
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

fn nearest(data: &Dataset, center: &[f64], size: usize) -> Dataset {
    if data.len() <= size {
        return data.clone();
    }
    let mut order: Vec<(f64, usize)> = data.rows().rows().map(|row| squared_distance(row, center)).zip(0..).collect();
    order.select_nth_unstable_by(size - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut kept: Vec<usize> = order[..size].iter().map(|(_, i)| *i).collect();
    kept.sort_unstable();
    data.select(&kept)
}

impl Strategy for NeuralBo {
    fn suggest(&mut self, request: &Request<'_>) -> Result<Vec<Suggestion>, Exhausted> {
        self.region.update(request.history, self.settings.initial);
        let taken = self.ledger.taken(&self.setup, request);
        let setup = self.setup.clone();
        one_by_one(&setup, request, taken, |number, taken, _| self.next(request, number, taken))
    }
}
