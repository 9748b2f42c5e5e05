//! The smallest parts of an expression: words and symbols.

use super::parse::Input;

/// Whether a character may be in a word without backticks.
pub(super) fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

/// Leaves out what is blank.
pub(super) fn space(input: &mut Input<'_>) {
    input.input = input.input.trim_start();
}

/// Takes the symbol if it is next.
pub(super) fn symbol(input: &mut Input<'_>, symbol: &str) -> bool {
    match input.input.trim_start().strip_prefix(symbol) {
        Some(rest) => {
            input.input = rest;
            true
        }
        None => false,
    }
}

/// Takes the word if it is next, and whole.
pub(super) fn word(input: &mut Input<'_>, word: &str) -> bool {
    match input.input.trim_start().strip_prefix(word) {
        Some(rest) if !rest.starts_with(is_of_word) => {
            input.input = rest;
            true
        }
        _ => false,
    }
}
