//! The point at which a trial's functions, the means or samples, are best for its aim.

use super::super::constants::{CALIBRATION_FACTOR, FRONT_BORDER_SLOPE, MAXIMIZER};
use super::super::failures::FailurePenalty;
use super::super::search_box::{Boxes, sample_maximizer};
use super::super::slacks::given;
use super::FrontSearch;
use super::aim::Aim;
use super::gain::{FrontVolume, HypervolumeGain};
use super::models::FrontModels;
use super::units::FrontUnits;
use crate::acquisition::maximize::SearchRegion;
use crate::linalg::{Points, Purpose, Rng};
use crate::strategy::smbo::{Context, NoChoice};
use crate::strategy::{Origin, Suggestion};
use crate::surrogate::tangent::{TangentPosterior, WeightFunction};
use crate::surrogate::{Function, Posterior};

impl FrontSearch {
    /// The suggestion of the models.
    pub(super) fn suggestion(
        &self,
        context: &Context<'_>,
        front: &FrontUnits,
        models: &FrontModels,
    ) -> Result<Suggestion, NoChoice> {
        let (streams, number) = (&self.setup.streams, context.number);
        let posteriors = given(&models.posteriors, context.pending);
        let by_mean = self.by_mean(number);
        let mut rng = streams.stream(number, Purpose::Candidates);
        let region = self.region(context, front, models, &mut rng);
        let penalty = FailurePenalty {
            history: context.history,
            center: &models.center,
            border_slope: FRONT_BORDER_SLOPE,
        };
        let function = self.function(context, front, models.aim, &posteriors);
        let probe = || MAXIMIZER.probe(&region, &mut rng);
        let function = &*penalty.subtract(function, probe);
        let maximizer = &sample_maximizer(context.pending.is_empty());
        let best = match &models.slacks {
            None => maximizer.maximize(function, &region, &mut rng),
            Some(slacks) if by_mean => slacks.mean_maximum(function, maximizer, &region, &mut rng),
            Some(slacks) => slacks
                .with_pending(context.pending)
                .sample(self.settings.nu, streams, number)
                .maximum(function, maximizer, &region, &mut rng),
        };
        match best {
            Some(best) if best.value > f64::NEG_INFINITY => {
                let origin = Origin::Model(rule(models.aim, by_mean));
                let suggestion = self.setup.suggestion(best.row, origin);
                Ok(predicted(suggestion, posteriors.first(), front))
            }
            Some(_) => Err(NoChoice::because("the model has no finite value")),
            None => Err(NoChoice::because("everything in the trust region is taken")),
        }
    }

    /// Whether a trial uses the means; otherwise samples.
    fn by_mean(&self, number: u64) -> bool {
        self.start.turn(number).is_multiple_of(2)
    }

    /// What the trial maximizes. Running trials count as members of the front at the values of the
    /// functions, so that a batch spreads along it.
    fn function(
        &self,
        context: &Context<'_>,
        front: &FrontUnits,
        aim: Aim,
        posteriors: &[TangentPosterior],
    ) -> Box<dyn Function> {
        let mut rng = self.setup.streams.stream(context.number, Purpose::Sample);
        let mut draw = |posterior: &TangentPosterior| match self.by_mean(context.number) {
            true => posterior.mean_function(),
            false => posterior.sample(self.settings.nu, &mut rng),
        };
        if let Aim::Extreme(objective) = aim {
            return Box::new(draw(&posteriors[objective]));
        }
        let functions: Vec<WeightFunction> = posteriors.iter().map(draw).collect();
        let mut units = front.units.clone();
        let running: Vec<Vec<f64>> = functions.iter().map(|f| f.value(context.pending)).collect();
        for i in 0..context.pending.len() {
            units.push(&running.iter().map(|values| values[i]).collect::<Vec<f64>>());
        }
        Box::new(HypervolumeGain {
            volume: FrontVolume::new(&units, &front.corner, &self.setup.streams),
            functions,
        })
    }

    /// The box around the centre, or the whole space with all points of the front as incumbents.
    fn region<'a>(
        &'a self,
        context: &Context<'a>,
        front: &FrontUnits,
        models: &FrontModels,
        rng: &mut Rng,
    ) -> SearchRegion<'a> {
        let (space, center) = (&*self.setup.space, &models.center);
        let Some(side) = models.side else {
            let points = front.front.iter().map(|&i| self.point(context, i));
            let points = Points::from_rows(center.len(), points);
            return SearchRegion::whole(space, context.taken, points);
        };
        let boxes = Boxes {
            space,
            center,
            stretch: &models.stretch,
        };
        boxes.region(side, context.taken, context.history.observed(), rng)
    }
}

fn rule(aim: Aim, by_mean: bool) -> &'static str {
    match (aim, by_mean) {
        (Aim::Extreme(_), true) => "mean",
        (Aim::Extreme(_), false) => "thompson",
        (_, true) => "mean-hypervolume",
        (_, false) => "thompson-hypervolume",
    }
}

/// With the first objective's prediction.
fn predicted(
    suggestion: Suggestion,
    posterior: Option<&TangentPosterior>,
    front: &FrontUnits,
) -> Suggestion {
    let Some(posterior) = posterior else {
        return suggestion;
    };
    let at = posterior.predict(&Points::from_rows(suggestion.row.len(), [&suggestion.row]));
    let noise = posterior.noise_sd().unwrap_or(0.0);
    let (mean, sd) = (at.mean[0], CALIBRATION_FACTOR * at.sd[0].hypot(noise));
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    Suggestion {
        mean: finite(front.reward(0, mean)),
        sd: finite(front.difference(0, sd)),
        ..suggestion
    }
}
