//! How a method is written: `name`, `name:key=value,key=value` or `ext:command`.

use std::fmt;
use std::str::FromStr;

use neuralbo::space::Space;
use neuralbo::strategy::presets::{MethodError, Options};

use super::registry;

const EXTERNAL: &str = "ext:";
/// Methods whose number of initial points is part of their definition.
const OWN_WARM_UP: [&str; 1] = ["neural-greedy"];

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
    /// One of the [`registry`]'s with options as `key=value`.
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
        self.to_string().replace(|c| !plain(c), "_")
    }

    /// The same method told how many shared points and evaluations a run has, where it has options for them and they are open.
    ///
    /// The shared points then are its initial design. Methods whose warm-up is part of their definition keep it; the shared
    /// points count as its first.
    ///
    /// ```
    /// use neuralbo_lab::method::MethodSpec;
    ///
    /// let method: MethodSpec = "gp-ei".parse()?;
    /// assert_eq!(method.fitted(11, 100).to_string(), "gp-ei:initial=11");
    /// assert_eq!(method.fitted(0, 100), method);
    /// # Ok::<(), neuralbo_lab::method::SpecError>(())
    /// ```
    pub fn fitted(&self, shared: usize, evaluations: u64) -> Self {
        let Self::Native { name, options } = self else {
            return self.clone();
        };
        let mut options = options.clone();
        let known = registry()
            .find(name)
            .map_or(&[][..], |method| method.options);
        let has = |key: &str| known.iter().any(|option| option.key == key);
        let mut fill = |key: &str, value: u64| {
            let mut given = options.iter().filter_map(|option| option.split('=').next());
            let open = given.all(|given| given.trim() != key);
            if open && has(key) && value > 0 {
                options.push(format!("{key}={value}"));
            }
        };
        fill("horizon", shared as u64 + evaluations);
        if !OWN_WARM_UP.contains(&name.as_str()) {
            fill("initial", shared as u64);
        }
        Self::Native {
            name: name.clone(),
            options,
        }
    }
}

impl FromStr for MethodSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let text = text.trim();
        if let Some(command) = text.strip_prefix(EXTERNAL).map(str::trim) {
            let command = command.to_owned();
            let given = !command.is_empty();
            return (given.then_some(Self::External { command })).ok_or(SpecError::NoCommand);
        }
        let (name, options) = text.split_once(':').unwrap_or((text, ""));
        if name.is_empty() {
            return Err(SpecError::Empty);
        }
        let options = options.split(',').filter(|option| !option.is_empty());
        let options: Vec<String> = options.map(|option| option.trim().to_owned()).collect();
        check(name, &Options::parse(&options)?)?;
        Ok(Self::Native {
            name: name.to_owned(),
            options,
        })
    }
}

/// Builds the method once, so that a wrong name or option is found before anything is run.
fn check(name: &str, options: &Options) -> Result<(), MethodError> {
    let Ok(space) = Space::from_bounds(&[(0.0, 1.0), (0.0, 1.0)]) else {
        return Ok(());
    };
    registry().build(name, &space, 0, options).map(|_| ())
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
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        text.parse::<MethodSpec>().unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(refusal("magic").contains("`magic`") && refusal("magic").contains("random"));
        assert!(refusal("random:nu").contains("key=value"));
        assert!(refusal("random:nu=1").contains("`nu`"));
        assert!(refusal("gp-ei:initial=zero").contains("`zero`"));
        assert!(refusal("").contains("name"));
        assert!(refusal("ext: ").contains("command"));
    }

    #[test]
    fn a_list_keeps_the_options_of_each_method_together() {
        let list =
            MethodSpec::parse_list("gp-ei:initial=3,ard=true,sobol,gp-ei:initial=4").unwrap();
        let texts: Vec<String> = list.iter().map(ToString::to_string).collect();
        let expected = ["gp-ei:initial=3,ard=true", "sobol", "gp-ei:initial=4"];
        assert_eq!(texts, expected);
    }

    #[test]
    fn given_options_and_own_warm_ups_are_kept() {
        let fitted = |text: &str| {
            let method: MethodSpec = text.parse().unwrap();
            method.fitted(11, 100).to_string()
        };
        assert_eq!(fitted("gp-ei:initial=5"), "gp-ei:initial=5");
        assert_eq!(fitted("neural-greedy"), "neural-greedy:horizon=111");
        assert_eq!(fitted("random"), "random");
    }

    #[test]
    fn what_is_printed_reads_back() {
        for text in ["random", "gp-ts:initial=3,ard=false", "ext:sh -c 'x, y'"] {
            assert_eq!(text.parse::<MethodSpec>().unwrap().to_string(), text);
        }
    }
}
