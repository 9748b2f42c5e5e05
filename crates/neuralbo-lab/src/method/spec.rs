//! How a method is written: `name`, `name:key=value,key=value` or `ext:command`.

use std::fmt;
use std::str::FromStr;

use neuralbo::strategy::presets::{METHODS, MethodError, Options};

use super::{Contender, ContenderError, Native, Start};
use crate::external::External;

const EXTERNAL: &str = "ext:";

/// Why a text names no method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// Nothing was written.
    #[error("a method must have a name; write name, name:key=value or ext:command")]
    Empty,
    /// `ext:` without a program.
    #[error("method `ext:` must be followed by a command, such as ext:'python my_opt.py'")]
    NoCommand,
    /// The name or an option is wrong.
    #[error(transparent)]
    Method(#[from] MethodError),
}

/// A method with its options.
///
/// ```
/// use neuralbo_lab::method::MethodSpec;
///
/// let method: MethodSpec = "random".parse()?;
/// assert_eq!(method.to_string(), "random");
/// let program: MethodSpec = "ext:python my_opt.py --fast".parse()?;
/// assert_eq!(program.slug(), "ext_python_my_opt.py_--fast");
/// # Ok::<(), neuralbo_lab::method::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MethodSpec {
    /// One of [`METHODS`] with options as `key=value`.
    Native {
        /// Its name.
        name: String,
        /// Its options as they were written.
        options: Vec<String>,
    },
    /// A program that speaks the protocol of [`crate::external`]; run by the shell.
    External {
        /// The command line.
        command: String,
    },
}

impl MethodSpec {
    /// Reads a list: commas separate methods and the options of one method; a command takes the rest of the text.
    ///
    /// ```
    /// use neuralbo_lab::method::MethodSpec;
    ///
    /// let list = MethodSpec::parse_list("random,sobol,ext:python a.py 1,2")?;
    /// assert_eq!(list.len(), 3);
    /// # Ok::<(), neuralbo_lab::method::SpecError>(())
    /// ```
    pub fn parse_list(text: &str) -> Result<Vec<Self>, SpecError> {
        let mut texts: Vec<String> = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if rest.starts_with(EXTERNAL) {
                texts.push(rest.to_owned());
                break;
            }
            let (piece, after) = rest.split_once(',').unwrap_or((rest, ""));
            let more_options = piece.contains('=') && !piece.contains(':');
            match texts.last_mut().filter(|_| more_options) {
                Some(last) => *last += &format!(",{piece}"),
                None => texts.push(piece.to_owned()),
            }
            rest = after;
        }
        texts.iter().map(|text| text.parse()).collect()
    }

    /// The text as a file name.
    pub fn slug(&self) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '=' | ',');
        self.to_string().chars().map(|c| if plain(c) { c } else { '_' }).collect()
    }

    /// Makes the method ready for a run.
    pub fn begin(&self, start: &Start) -> Result<Box<dyn Contender>, ContenderError> {
        match self {
            Self::Native { name, options } => Ok(Box::new(Native::new(name, &Options::parse(options)?, start)?)),
            Self::External { command } => Ok(Box::new(External::shell(command, start)?)),
        }
    }
}

impl FromStr for MethodSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let text = text.trim();
        if let Some(command) = text.strip_prefix(EXTERNAL).map(str::trim) {
            return if command.is_empty() { Err(SpecError::NoCommand) } else { Ok(Self::External { command: command.into() }) };
        }
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        if name.is_empty() {
            return Err(SpecError::Empty);
        }
        let options: Vec<String> = options.split(',').filter(|o| !o.is_empty()).map(|o| o.trim().to_owned()).collect();
        Options::parse(&options)?;
        if !METHODS.iter().any(|method| method.name == name) {
            let known = METHODS.iter().map(|method| method.name).collect::<Vec<_>>().join(", ");
            return Err(MethodError::UnknownMethod { name: name.to_owned(), known }.into());
        }
        Ok(Self::Native { name: name.to_owned(), options })
    }
}

impl fmt::Display for MethodSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Native { name, options } if options.is_empty() => f.write_str(name),
            Self::Native { name, options } => write!(f, "{name}:{}", options.join(",")),
            Self::External { command } => write!(f, "{EXTERNAL}{command}"),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        text.parse::<MethodSpec>().unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(refusal("magic").contains("`magic`") && refusal("magic").contains("random"));
        assert!(refusal("random:nu").contains("key=value"));
        assert!(refusal("").contains("name"));
        assert!(refusal("ext: ").contains("command"));
    }

    #[test]
    fn a_list_keeps_the_options_of_each_method_together() {
        let list = MethodSpec::parse_list("random:a=1,b=2,sobol,random:c=3").unwrap();
        let texts: Vec<String> = list.iter().map(ToString::to_string).collect();
        assert_eq!(texts, ["random:a=1,b=2", "sobol", "random:c=3"]);
    }

    #[test]
    fn what_is_printed_reads_back() {
        for text in ["random", "sobol:a=1,b=2", "ext:sh -c 'x, y'"] {
            assert_eq!(text.parse::<MethodSpec>().unwrap().to_string(), text);
        }
    }
}
