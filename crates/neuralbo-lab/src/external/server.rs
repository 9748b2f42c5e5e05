//! The other side: one of our methods answers a program.

use std::io::{BufRead, Write};

use neuralbo::space::Point;
use neuralbo::strategy::presets::{self, MethodError, Options};
use neuralbo::study::{Failure, FailureKind, Study};

use super::message::{PROTOCOL, PointError, Reply, Request, StartMessage, TellMessage, named, point};
use crate::method::MethodSpec;

/// Why a conversation ended early.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// A line is no message.
    #[error("line {line}: not a message of the protocol: {reason}")]
    Message {
        /// Counts from 1.
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// The first message is not `start`.
    #[error("line {0}: the first message must be start")]
    NotStarted(usize),
    /// Another version of the protocol.
    #[error("line {line}: protocol = {found} is not spoken here; it must be {PROTOCOL}")]
    Version {
        /// Counts from 1.
        line: usize,
        /// What was asked for.
        found: u32,
    },
    /// A told point is outside the space.
    #[error("line {line}: tell: {source}")]
    Tell {
        /// Counts from 1.
        line: usize,
        /// Why.
        source: PointError,
    },
    /// The method is a program itself.
    #[error("method `{0}` is a program and cannot be served")]
    Program(String),
    /// The method cannot be made.
    #[error(transparent)]
    Method(#[from] MethodError),
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
pub fn serve(method: &MethodSpec, input: impl BufRead, mut output: impl Write) -> Result<(), ServeError> {
    let mut session: Option<Session> = None;
    for (index, line) in input.lines().enumerate() {
        let (number, line) = (index + 1, line?);
        if line.trim().is_empty() {
            continue;
        }
        let message = |error: serde_json::Error| ServeError::Message { line: number, reason: error.to_string() };
        match (serde_json::from_str(&line).map_err(message)?, &mut session) {
            (Request::Start(start), _) if start.protocol != PROTOCOL => {
                return Err(ServeError::Version { line: number, found: start.protocol });
            }
            (Request::Start(start), _) => session = Some(Session::new(method, *start)?),
            (Request::Stop(_), _) => break,
            (_, None) => return Err(ServeError::NotStarted(number)),
            (Request::Ask(_), Some(session)) => {
                let reply = serde_json::to_string(&session.ask()).map_err(message)?;
                writeln!(output, "{reply}")?;
                output.flush()?;
            }
            (Request::Tell(tell), Some(session)) => {
                session.tell(tell).map_err(|source| ServeError::Tell { line: number, source })?
            }
        }
    }
    Ok(())
}

struct Session {
    study: Study,
    asked: Option<(u64, Point)>,
}

impl Session {
    fn new(method: &MethodSpec, start: StartMessage) -> Result<Self, ServeError> {
        let MethodSpec::Native { name, options } = method.fitted(0, start.budget) else {
            return Err(ServeError::Program(method.to_string()));
        };
        let strategy = presets::build(&name, &start.space, start.seed, &Options::parse(options)?)?;
        Ok(Self { study: Study::new(start.space, start.direction, strategy), asked: None })
    }

    fn ask(&mut self) -> Reply {
        match self.study.ask() {
            Ok(trial) => {
                let values = named(self.study.space(), &trial.point);
                self.asked = Some((trial.number, trial.point));
                Reply::Point(values)
            }
            Err(exhausted) => Reply::Error(exhausted.to_string()),
        }
    }

    /// A result of the point asked for last, or of any other one.
    fn tell(&mut self, tell: TellMessage) -> Result<(), PointError> {
        let point = point(self.study.space(), tell.point)?;
        let value = tell.value.unwrap_or(f64::NAN);
        match self.asked.take() {
            Some((number, asked)) if asked == point => {
                let told = match tell.value {
                    Some(value) => self.study.tell(number, value),
                    None => self.study.tell_failed(number, Failure::new(FailureKind::Error, "told without a value")),
                };
                // The number is that of a trial still running, so it cannot be refused.
                debug_assert!(told.is_ok());
            }
            other => {
                self.asked = other;
                self.study.tell_known(point, value)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const START: &str = r#"{"start":{"protocol":1,"space":{"x":"float(0,1)"},"seed":1}}"#;

    fn conversation(lines: &[&str]) -> Result<Vec<Reply>, ServeError> {
        let mut output = Vec::new();
        serve(&"random".parse().unwrap(), lines.join("\n").as_bytes(), &mut output)?;
        Ok(String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect())
    }

    #[test]
    fn asks_are_answered_with_points_of_the_space() {
        let known = r#"{"tell":{"point":{"x":0.5},"value":1.0}}"#;
        let replies = conversation(&[START, known, r#"{"ask":1}"#, r#"{"ask":1}"#, r#"{"stop":true}"#, "nonsense"]).unwrap();
        assert_eq!(replies.len(), 2);
        for reply in replies {
            let Reply::Point(values) = reply else { panic!("{reply:?}") };
            assert!((0.0..=1.0).contains(&values["x"].as_f64().unwrap()));
        }
    }

    #[test]
    fn what_breaks_the_protocol_is_refused_with_its_line() {
        let refusal = |lines: &[&str]| conversation(lines).unwrap_err().to_string();
        assert!(refusal(&[r#"{"ask":1}"#]).contains("line 1"));
        assert!(refusal(&[START, "what"]).contains("line 2"));
        assert!(refusal(&[START, r#"{"tell":{"point":{"x":7},"value":1.0}}"#]).contains("line 2: tell: parameter `x`"));
        assert!(refusal(&[&START.replace("\"protocol\":1", "\"protocol\":9")]).contains("protocol = 9"));
    }

    #[test]
    fn a_pool_that_is_used_up_is_an_error_to_the_asker() {
        let start = r#"{"start":{"protocol":1,"space":{"x":"choice(a,b)"}}}"#;
        let replies = conversation(&[start, r#"{"ask":1}"#, r#"{"ask":1}"#, r#"{"ask":1}"#]).unwrap();
        assert!(matches!(replies[2], Reply::Error(_)));
    }
}
