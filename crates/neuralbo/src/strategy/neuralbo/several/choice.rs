//! The point at which a trial's functions, the means or samples, are best for its aim.

use super::super::search_box::Boxes;
use super::super::{CHOSEN, Moment, NoChoice, branches, price};
use super::FrontPolicy;
use super::aim::{Aim, Place};
use super::gain::{Gain, Volume};
use super::models::Models;
use super::standing::Standing;
use crate::acquisition::maximize::{SearchRegion, score, value_spread};
use crate::acquisition::{Penalty, avoiding_failures};
use crate::linalg::{Points, Purpose, Rng};
use crate::strategy::{History, Origin, Suggestion};
use crate::surrogate::tangent::{TangentPosterior, WeightFunction};
use crate::surrogate::{Function, Posterior};

/// What a failure that is certain costs at the border of what failed, in units of the function's spread.
const WALL: f64 = 1.0;

impl FrontPolicy {
    /// The suggestion of the models.
    pub(super) fn chosen(
        &self,
        moment: &Moment<'_>,
        standing: &Standing,
        (place, models): (&Place, &Models),
    ) -> Result<Suggestion, NoChoice> {
        let posteriors = models.informed(moment.pending);
        let by_mean = self.turn(moment.number).is_multiple_of(2);
        let mut rng = self
            .setup
            .streams
            .stream(moment.number, Purpose::Candidates);
        let region = self.region(moment, standing, models, &mut rng);
        let function = self.function(moment, standing, (place.aim, by_mean), &posteriors);
        let function = self.steered(
            function,
            (&region, &models.center),
            moment.history,
            &mut rng,
        );
        let alone = moment.pending.is_empty();
        let maximizer = if alone {
            &self.settings.maximizer
        } else {
            &self.settings.batch_maximizer
        };
        let best = match &models.slacks {
            None => maximizer.maximize(&*function, &region, &mut rng),
            Some(slacks) if by_mean => {
                slacks.mean_maximum(&*function, (maximizer, &region), &mut rng)
            }
            Some(slacks) => {
                let samples = slacks.with_pending(moment.pending).sample(
                    self.settings.nu,
                    &self.setup.streams,
                    moment.number,
                );
                samples.maximum(&*function, (maximizer, &region), &mut rng)
            }
        };
        match best {
            Some(best) if best.value > f64::NEG_INFINITY => {
                let suggestion = self
                    .setup
                    .suggestion(best.row, Origin::Model(rule(place.aim, by_mean)));
                Ok(predicted(suggestion, posteriors.first(), standing))
            }
            Some(_) => Err(NoChoice::because("the model has no finite value")),
            None => Err(NoChoice::because("everything in the trust region is taken")),
        }
    }

    /// What the trial maximizes. Running trials are on the front at what the functions say of them, so that a batch spreads along it.
    fn function(
        &self,
        moment: &Moment<'_>,
        standing: &Standing,
        (aim, by_mean): (Aim, bool),
        posteriors: &[TangentPosterior],
    ) -> Box<dyn Function> {
        let mut rng = self.setup.streams.stream(moment.number, Purpose::Sample);
        let mut draw = |posterior: &TangentPosterior| match by_mean {
            true => posterior.mean_function(),
            false => posterior.sample(self.settings.nu, &mut rng),
        };
        if let Aim::Extreme(objective) = aim {
            return Box::new(draw(&posteriors[objective]));
        }
        let functions: Vec<WeightFunction> = posteriors.iter().map(draw).collect();
        let mut front = standing.units.clone();
        let running: Vec<Vec<f64>> = functions
            .iter()
            .map(|function| function.value(moment.pending))
            .collect();
        for i in 0..moment.pending.len() {
            front.push(&running.iter().map(|values| values[i]).collect::<Vec<f64>>());
        }
        Box::new(Gain {
            volume: Volume::new(&front, &standing.corner, &self.setup.streams),
            functions,
        })
    }

    /// Where the maximum is sought: in the box around the centre, or everywhere, and then around all points of the front.
    fn region<'a>(
        &'a self,
        moment: &Moment<'a>,
        standing: &Standing,
        models: &Models,
        rng: &mut Rng,
    ) -> SearchRegion<'a> {
        let (space, center) = (&*self.setup.space, &models.center);
        let Some(side) = models.side else {
            let front = standing.front.iter().map(|&i| self.point(moment, i));
            return SearchRegion::whole(
                space,
                moment.taken,
                Points::from_rows(center.len(), front),
            );
        };
        let boxes = Boxes {
            space,
            center,
            stretch: &models.stretch,
        };
        let mut found = boxes.of_side(side);
        boxes.hold_most(&mut found, rng);
        let incumbents = branches::incumbents(space, center, moment.history.observed());
        SearchRegion::whole(space, moment.taken, incumbents).within(&found.0, &found.1)
    }

    /// A function less what failures are expected to cost, in units of its own spread in the region.
    fn steered(
        &self,
        function: Box<dyn Function>,
        (region, center): (&SearchRegion<'_>, &[f64]),
        history: &History,
        rng: &mut Rng,
    ) -> Box<dyn Function> {
        let penalty = |function: &dyn Function| {
            let spread = value_spread(&score(
                function,
                &self.settings.maximizer.probe(region, rng),
            ));
            Penalty {
                reference: score(function, &Points::from_rows(center.len(), [center]))[0],
                loss: price(history.outcomes()) * spread,
                steepness: WALL * spread,
            }
        };
        let succeeded = history.observed().rows();
        avoiding_failures(function, history.failed(), succeeded, penalty)
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
    standing: &Standing,
) -> Suggestion {
    let Some(posterior) = posterior else {
        return suggestion;
    };
    let at = posterior.predict(&Points::from_rows(suggestion.row.len(), [&suggestion.row]));
    let noise = posterior.noise_sd().unwrap_or(0.0);
    let (mean, sd) = (at.mean[0], CHOSEN * at.sd[0].hypot(noise));
    let finite = |value: f64| Some(value).filter(|value| value.is_finite());
    Suggestion {
        mean: finite(standing.reward(0, mean)),
        sd: finite(standing.difference(0, sd)),
        ..suggestion
    }
}
