//! Trials that come from elsewhere: results, failures and evaluations under way, and a whole study from its record.

use std::time::Duration;

use super::{Failure, State, Study, Trial};
use crate::space::{Point, SpaceError};
use crate::strategy::Origin;

/// Why trials are no record of a study.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// The study has trials already.
    #[error("a study is restored before its first trial, this one has {0}")]
    NotEmpty(usize),
    /// A trial does not have the number of its place.
    #[error("trial {found} stands at place {place}; trials are numbered from 0 without gaps")]
    Number {
        /// Where it stands.
        place: u64,
        /// Its number.
        found: u64,
    },
    /// The order of the results does not name every finished trial once.
    #[error("the order of the results must name each of the {finished} finished trials once")]
    Order {
        /// How many have finished.
        finished: usize,
    },
    /// A point does not belong to the space.
    #[error("trial {number}: {error}")]
    Point {
        /// The trial.
        number: u64,
        /// What is wrong with its point.
        error: SpaceError,
    },
}

impl Study {
    /// Adds a point that is being evaluated elsewhere, as a running trial of origin [`Origin::Known`].
    ///
    /// ```
    /// use neuralbo::space::{Point, Space};
    /// use neuralbo::strategy::presets;
    /// use neuralbo::study::{Direction, Study};
    ///
    /// let space = Space::from_bounds(&[(0.0, 1.0)])?;
    /// let strategy = presets::build("random", &space, 7, &presets::Options::new())?;
    /// let mut study = Study::new(space, Direction::Minimize, strategy);
    /// let number = study.add_running(Point::new(vec![0.5.into()]))?.number;
    /// assert_eq!(study.tell(number, 3.0)?.value(), Some(3.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn add_running(&mut self, point: Point) -> Result<&Trial, SpaceError> {
        let index = self.append(point, State::Running)?;
        self.running.insert(index);
        Ok(&self.trials[index])
    }

    /// Adds a failure known from elsewhere, as a trial of origin [`Origin::Known`].
    pub fn tell_known_failed(&mut self, point: Point, failure: Failure) -> Result<&Trial, SpaceError> {
        let index = self.append(point, State::Failed(failure))?;
        Ok(self.finish(index))
    }

    /// Appends a trial of origin [`Origin::Known`].
    pub(super) fn append(&mut self, point: Point, state: State) -> Result<usize, SpaceError> {
        let row = self.space.encode(&point)?;
        let index = self.trials.len();
        self.trials.push(Trial {
            number: index as u64,
            point,
            row,
            state,
            origin: Origin::Known,
            mean: None,
            sd: None,
            suggest_time: Duration::ZERO,
        });
        self.known += 1;
        Ok(index)
    }

    /// The study as it was when `trials` were all it had, told in the order of the numbers `told`.
    ///
    /// Its next suggestions are those that the recorded study would have made.
    pub fn restored(mut self, trials: Vec<Trial>, told: &[u64]) -> Result<Self, RestoreError> {
        if !self.trials.is_empty() {
            return Err(RestoreError::NotEmpty(self.trials.len()));
        }
        for trial in trials {
            self.restore_trial(trial)?;
        }
        let finished = self.trials.len() - self.running.len();
        let mut open: Vec<bool> = self.trials.iter().map(|trial| !trial.is_running()).collect();
        for &number in told {
            let slot = usize::try_from(number).ok().and_then(|i| open.get_mut(i));
            match slot {
                Some(open) if *open => *open = false,
                _ => return Err(RestoreError::Order { finished }),
            }
            self.finish(number as usize);
        }
        if open.contains(&true) { Err(RestoreError::Order { finished }) } else { Ok(self) }
    }

    fn restore_trial(&mut self, trial: Trial) -> Result<(), RestoreError> {
        let place = self.trials.len() as u64;
        if trial.number != place {
            return Err(RestoreError::Number { place, found: trial.number });
        }
        let row = self.space.encode(&trial.point).map_err(|error| RestoreError::Point { number: place, error })?;
        if trial.is_running() {
            self.running.insert(self.trials.len());
        }
        self.known += u64::from(trial.origin == Origin::Known);
        self.trials.push(Trial { row, ..trial });
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::space::Space;
    use crate::strategy::presets;
    use crate::study::{Direction, FailureKind};

    fn study(method: &str) -> Study {
        let space = Space::from_bounds(&[(-5.0, 10.0), (0.0, 15.0)]).unwrap();
        let strategy = presets::build(method, &space, 3, &presets::Options::new()).unwrap();
        Study::new(space, Direction::Minimize, strategy)
    }

    fn value(trial: &Trial) -> f64 {
        trial.row.iter().map(|u| (u - 0.3).powi(2)).sum()
    }

    /// Three trials at once, told out of order, with a failure and a known result in between.
    fn driven(method: &str) -> Study {
        let mut study = study(method);
        for _ in 0..4 {
            let asked = study.ask_many(3).unwrap();
            for trial in asked.iter().rev() {
                study.tell(trial.number, value(trial)).unwrap();
            }
        }
        study.tell_known(Point::new(vec![1.0.into(), 2.0.into()]), 0.7).unwrap();
        study.tell_known_failed(Point::new(vec![9.0.into(), 2.0.into()]), Failure::new(FailureKind::Error, "no")).unwrap();
        study.add_running(Point::new(vec![3.0.into(), 3.0.into()])).unwrap();
        study.ask().unwrap();
        study
    }

    #[test]
    fn a_restored_study_goes_on_as_the_recorded_one() {
        for method in ["neuralbo", "gp-ei", "cma-es", "sobol"] {
            let mut study = driven(method);
            let told: Vec<u64> = study.finished().map(|trial| trial.number).collect();
            let mut restored = self::study(method).restored(study.trials().to_vec(), &told).unwrap();
            assert_eq!(restored.trials(), study.trials());
            assert_eq!(restored.best(), study.best());
            assert_eq!((restored.failed(), restored.running().len()), (1, 2));
            assert_eq!(restored.ask().unwrap().point, study.ask().unwrap().point, "{method}");
        }
    }

    #[test]
    fn records_that_do_not_fit_are_refused() {
        let study = driven("random");
        let (trials, told): (Vec<Trial>, Vec<u64>) =
            (study.trials().to_vec(), study.finished().map(|trial| trial.number).collect());
        let restore = |trials: Vec<Trial>, told: &[u64]| self::study("random").restored(trials, told).err();
        assert_eq!(restore(trials.clone(), &told[1..]), Some(RestoreError::Order { finished: 14 }));
        assert_eq!(restore(trials.clone(), &[0, 0]), Some(RestoreError::Order { finished: 14 }));
        assert_eq!(restore(trials.clone(), &[99]), Some(RestoreError::Order { finished: 14 }));
        assert_eq!(restore(trials[1..].to_vec(), &told), Some(RestoreError::Number { place: 0, found: 1 }));
        assert_eq!(study.restored(Vec::new(), &[]).err(), Some(RestoreError::NotEmpty(16)));
    }
}
