//! Our own methods.

use neuralbo::space::Point;
use neuralbo::strategy::presets::{self, Options};
use neuralbo::study::Study;

use super::{Asked, Contender, ContenderError, Start};

/// One of the library's methods in a study of its own.
pub struct Native {
    study: Study,
    asked: Option<u64>,
}

impl Native {
    /// The method called `name`.
    pub fn new(name: &str, options: &Options, start: &Start) -> Result<Self, ContenderError> {
        let strategy = presets::build(name, &start.space, start.seed, options)?;
        Ok(Self { study: Study::new(start.space.clone(), start.direction, strategy), asked: None })
    }
}

impl Contender for Native {
    fn know(&mut self, point: &Point, value: f64) -> Result<(), ContenderError> {
        self.study.tell_known(point.clone(), value).map(|_| ()).map_err(|error| ContenderError::Protocol(error.to_string()))
    }

    fn ask(&mut self) -> Result<Asked, ContenderError> {
        let trial = self.study.ask().map_err(|_| ContenderError::Exhausted)?;
        self.asked = Some(trial.number);
        Ok(Asked {
            point: trial.point,
            origin: trial.origin.to_string(),
            mean: trial.mean,
            sd: trial.sd,
            seconds: trial.suggest_time.as_secs_f64(),
        })
    }

    fn tell(&mut self, value: f64) -> Result<(), ContenderError> {
        let number =
            self.asked.take().ok_or_else(|| ContenderError::Protocol("a value was told that was not asked for".into()))?;
        self.study.tell(number, value).map(|_| ()).map_err(|error| ContenderError::Protocol(error.to_string()))
    }

    fn recommend(&mut self) -> Option<Point> {
        self.study.recommend().ok().map(|recommendation| recommendation.point)
    }
}
