//! The other side: one of our methods answers a program.

use std::io::{BufRead, Write};

use neuralbo::record::{Failure, FailureKind, Outcome, Trial};
use neuralbo::strategy::Exhausted;
use neuralbo::study::{Study, StudyError};

use super::{Message, MethodReply, PROTOCOL, TellMessage};
use crate::method::{MethodSpec, RunStart};

/// Why a conversation ended early.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A line is no message, or not one that is possible there.
    #[error("line {line}: {reason}")]
    Line {
        /// Counts from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The method is a program itself.
    #[error("method `{0}` is a program and cannot be served")]
    Program(String),
    /// The method cannot be made.
    #[error(transparent)]
    Method(#[from] StudyError),
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Answers `input` on `output` with the points of a method until `stop` or the end of the input.
///
/// A second `start` begins another run. A method that wants to know how many evaluations there will be is told the start's budget.
///
/// ```
/// use neuralbo_lab::external::serve;
///
/// let input = r#"{"start":{"protocol":1,"space":{"x":"float(0,1)"},"seed":1}}
/// {"ask":1}"#;
/// let mut output = Vec::new();
/// serve(&"random".parse()?, input.as_bytes(), &mut output)?;
/// assert!(output.starts_with(br#"{"point":{"x":"#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn serve(
    method: &MethodSpec,
    input: impl BufRead,
    mut output: impl Write,
) -> Result<(), ServeError> {
    let mut session: Option<Conversation> = None;
    for (index, line) in input.lines().enumerate() {
        let text = line?;
        if text.trim().is_empty() {
            continue;
        }
        let wrong = |reason: String| ServeError::Line {
            line: index + 1,
            reason,
        };
        let message = |error| wrong(format!("not a message of the protocol: {error}"));
        match (serde_json::from_str(&text).map_err(message)?, &mut session) {
            (Message::Start(start), _) if start.protocol != PROTOCOL => {
                let found = start.protocol;
                let allowed = format!("is not spoken here; it must be {PROTOCOL}");
                return Err(wrong(format!("protocol = {found} {allowed}")));
            }
            (Message::Start(start), _) => session = Some(Conversation::new(method, &start)?),
            (Message::Stop(_), _) => break,
            (_, None) => return Err(wrong("the first message must be start".to_owned())),
            (Message::Ask(_), Some(session)) => {
                let reply = serde_json::to_string(&session.ask()).map_err(message)?;
                writeln!(output, "{reply}")?;
                output.flush()?;
            }
            (Message::Tell(tell), Some(session)) => session
                .tell(tell)
                .map_err(|error| wrong(format!("tell: {error}")))?,
        }
    }
    Ok(())
}

struct Conversation {
    study: Study,
    /// Trials that were asked for and not told yet.
    running: Vec<Trial>,
}

impl Conversation {
    fn new(method: &MethodSpec, start: &RunStart) -> Result<Self, ServeError> {
        let MethodSpec::Native { name, options } = method.fitted(0, start.budget) else {
            return Err(ServeError::Program(method.to_string()));
        };
        Ok(Self {
            study: start.study(&name, &options)?,
            running: Vec::new(),
        })
    }

    fn ask(&mut self) -> MethodReply {
        match self.study.ask_one() {
            Ok(trial) => {
                let params = trial.params.clone().unwrap_or_default();
                self.running.push(trial);
                MethodReply::Point(params)
            }
            // Without limits a study ends, or has nothing but running trials, only when no point is left.
            Err(StudyError::Ended(_) | StudyError::Busy { .. }) => {
                MethodReply::Error(Exhausted.to_string())
            }
            Err(error) => MethodReply::Error(error.to_string()),
        }
    }

    /// A result of a point that was asked for, or of any other one.
    fn tell(&mut self, tell: TellMessage) -> Result<(), StudyError> {
        let space = &self.study.definition().space;
        let params = space.params(&space.point_of(&tell.point)?);
        let unknown = || Outcome::Failed(Failure::new(FailureKind::Error, "told without a value"));
        let outcome = match tell.value {
            _ if !tell.values.is_empty() => Outcome::Values(tell.values),
            value => value.map_or_else(unknown, Outcome::Value),
        };
        let asked = |trial: &Trial| trial.params.as_ref() == Some(&params);
        if let Some(place) = self.running.iter().position(asked) {
            self.study.tell(&self.running.remove(place), outcome)?;
        } else {
            self.study.add_known(params, outcome)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use neuralbo::record::Values;

    const START: &str = r#"{"start":{"protocol":1,"space":{"x":"float(0,1)"},"seed":1}}"#;

    const ASK: &str = r#"{"ask":1}"#;

    fn conversation(lines: &[&str]) -> Result<Vec<MethodReply>, ServeError> {
        let (mut output, input) = (Vec::new(), lines.join("\n"));
        serve(&"random".parse().unwrap(), input.as_bytes(), &mut output)?;
        let replies = serde_json::Deserializer::from_slice(&output).into_iter();
        Ok(replies.map(Result::unwrap).collect())
    }

    #[test]
    fn asks_are_answered_with_points_of_the_space() {
        let known = r#"{"tell":{"point":{"x":0.5},"value":1.0}}"#;
        let replies =
            conversation(&[START, known, ASK, ASK, r#"{"stop":true}"#, "nonsense"]).unwrap();
        assert_eq!(replies.len(), 2);
        for reply in replies {
            let MethodReply::Point(params) = reply else {
                panic!("{reply:?}")
            };
            assert!((0.0..=1.0).contains(&params.float("x").unwrap()));
        }
    }

    #[test]
    fn what_breaks_the_protocol_is_refused_with_its_line() {
        let refusal = |lines: &[&str]| conversation(lines).unwrap_err().to_string();
        assert!(refusal(&[ASK]).contains("line 1"));
        assert!(refusal(&[START, "what"]).contains("line 2"));
        let text = refusal(&[START, r#"{"tell":{"point":{"x":7},"value":1.0}}"#]);
        assert!(text.contains("line 2: tell: parameter `x`"), "{text}");
        let other = START.replace("\"protocol\":1", "\"protocol\":9");
        assert!(refusal(&[&other]).contains("protocol = 9"));
    }

    /// Regression: only the point asked for last was told as its own trial, and the others ran for ever.
    #[test]
    fn results_belong_to_the_trials_that_were_asked_for() {
        let Message::Start(start) = serde_json::from_str(START).unwrap() else {
            panic!("{START}")
        };
        let mut session = Conversation::new(&"random".parse().unwrap(), &start).unwrap();
        let asked: Vec<MethodReply> = (0..2).map(|_| session.ask()).collect();
        for (reply, value) in asked.into_iter().zip([Some(1.0), None]) {
            let MethodReply::Point(point) = reply else {
                panic!("{reply:?}")
            };
            let tell = TellMessage {
                point,
                value,
                values: Values::new(),
            };
            session.tell(tell).unwrap();
        }
        let counts = session.study.counts();
        let found = (counts.complete, counts.failed, counts.known, counts.running);
        assert_eq!(found, (1, 1, 0, 0));
    }

    #[test]
    fn a_pool_that_is_used_up_is_an_error_to_the_asker() {
        let start = r#"{"start":{"protocol":1,"space":{"x":"choice(a,b)"}}}"#;
        let replies = conversation(&[start, ASK, ASK, ASK]).unwrap();
        assert!(matches!(replies[2], MethodReply::Error(_)));
    }
}
