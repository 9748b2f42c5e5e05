//! Colours, where they are wanted: on terminals, unless `NO_COLOR` is set or `--color` says otherwise.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU8, Ordering};

/// When output is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum When {
    /// On terminals, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// How text is shown. No meaning hangs on colour alone: it stands beside words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextStyle {
    /// As it is.
    Plain,
    /// Headers.
    Bold,
    /// The best.
    Good,
    /// Failures.
    Bad,
}

/// What `--color` said.
static WHEN: AtomicU8 = AtomicU8::new(0);

/// Says when output is coloured.
pub fn set(when: When) {
    WHEN.store(when as u8, Ordering::Relaxed);
}

/// The same for help and errors of the command line, which are printed before it is read.
pub fn of_help(arguments: &[std::ffi::OsString]) -> clap::ColorChoice {
    let words: Vec<&str> = arguments
        .iter()
        .map_while(|word| word.to_str())
        .take_while(|word| *word != "--")
        .collect();
    let said = |choice: &str| {
        words.contains(&format!("--color={choice}").as_str())
            || words.windows(2).any(|pair| pair == ["--color", choice])
    };
    match () {
        () if said("always") => clap::ColorChoice::Always,
        () if said("never") => clap::ColorChoice::Never,
        () => clap::ColorChoice::Auto,
    }
}

/// Text for standard output in a style.
pub fn paint(style: TextStyle, text: &str) -> String {
    let code = match style {
        TextStyle::Plain => return text.to_owned(),
        TextStyle::Bold => "1",
        // Blue and magenta are told apart with any kind of colour blindness.
        TextStyle::Good => "1;34",
        TextStyle::Bad => "35",
    };
    if is_wanted() {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}

fn is_wanted() -> bool {
    match WHEN.load(Ordering::Relaxed) {
        when if when == When::Always as u8 => true,
        when if when == When::Never as u8 => false,
        _ => {
            std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
                && std::io::stdout().is_terminal()
        }
    }
}
