//! Names of claims.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

/// Names one claim of one trial of one study: different for every claim ever made, and hard to guess.
///
/// A result reaches a trial by its token. Names of studies, their identifiers and numbers of trials are
/// used again: by a study created after another was deleted, or by a storage that replaces another.
///
/// ```
/// use neuralbo::record::Token;
///
/// let token = Token::fresh();
/// assert_ne!(token, Token::fresh());
/// assert_eq!(token.to_string().parse(), Ok(token));
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(into = "String", try_from = "String")]
pub struct Token(u128);

impl Token {
    /// The token of a trial that nobody has claimed.
    pub const NONE: Self = Self(0);

    /// A new token.
    pub fn fresh() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        // The keys of the hashes come from the system's random numbers. A process forked from this one has the same.
        let what = (
            std::process::id(),
            SystemTime::now(),
            COUNT.fetch_add(1, Ordering::Relaxed),
        );
        let [high, low] = [RandomState::new(), RandomState::new()].map(|keys| keys.hash_one(what));
        Self((u128::from(high) << 64 | u128::from(low)).max(1))
    }

    /// The token of this number; the caller sees to it that it is unique.
    pub const fn new(number: u128) -> Self {
        Self(number)
    }
}

impl fmt::Display for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            number => write!(formatter, "{number:032x}"),
        }
    }
}

impl FromStr for Token {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let hexadecimal = text.len() == 32 && text.chars().all(|c| c.is_ascii_hexdigit());
        match u128::from_str_radix(text, 16) {
            _ if text.is_empty() => Ok(Self::NONE),
            Ok(number) if hexadecimal => Ok(Self(number)),
            _ => Err("a token has 32 hexadecimal digits".to_owned()),
        }
    }
}

impl From<Token> for String {
    fn from(token: Token) -> Self {
        token.to_string()
    }
}

impl TryFrom<String> for Token {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}
