//! From text to words.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words without a subject of their own: articles, pronouns, prepositions, conjunctions, auxiliaries and what is left of
/// contractions when the apostrophe separates them.
const STOP_WORDS: &str = "
    about above after again against ain all also am an and any are aren as at be because been before being below between
    both but by can cannot could couldn did didn do does doesn doing don down during each either else ever every few for
    from further had hadn has hasn have haven having he her here hers herself him himself his how however if in into is isn
    it its itself just ll may me might more most much must my myself neither no nor not now of off on once only or other
    ought our ours ourselves out over own per rather re same shall shan she should shouldn since so some such than that the
    their theirs them themselves then there these they this those though through thus to too under until up upon us ve very
    was wasn we were weren what when where whether which while who whom whose why will with within without won would wouldn
    yet you your yours yourself yourselves
";

/// The words of a text: runs of at least two letters, digits or underscores, in lower case.
pub(super) fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| word.chars().nth(1).is_some())
        .map(str::to_owned)
        .collect()
}

/// The words that carry a subject.
pub(super) fn without_stop_words(words: Vec<String>) -> Vec<String> {
    static SET: LazyLock<HashSet<&str>> = LazyLock::new(|| STOP_WORDS.split_whitespace().collect());
    words
        .into_iter()
        .filter(|word| !SET.contains(word.as_str()))
        .collect()
}

/// All sequences of one to `longest` neighbouring words, joined by blanks.
pub(super) fn sequences(words: &[String], longest: usize) -> Vec<String> {
    (1..=longest)
        .flat_map(|length| words.windows(length).map(|window| window.join(" ")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_and_have_two_characters() {
        let found = words("I don't like a \"Café\"--2x, No_1!");
        assert_eq!(found, ["don", "like", "café", "2x", "no_1"]);
        assert!(words(" . a ").is_empty());
    }

    #[test]
    fn words_without_a_subject_are_left_out() {
        let found = without_stop_words(words("The dog was not in the house"));
        assert_eq!(found, ["dog", "house"]);
    }

    #[test]
    fn sequences_are_of_every_length() {
        let words: Vec<String> = ["a", "b", "c"].map(str::to_owned).to_vec();
        assert_eq!(sequences(&words, 4), ["a", "b", "c", "a b", "b c", "a b c"]);
        assert_eq!(sequences(&words, 1), words);
    }
}
