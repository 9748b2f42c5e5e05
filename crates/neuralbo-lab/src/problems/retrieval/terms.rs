//! From documents to rows of numbers over the most frequent terms.

use std::cmp::Reverse;
use std::collections::HashMap;

use neuralbo::linalg::Points;

use super::TextDocument;

/// Number of terms in the experiment.
pub const TERMS: usize = 500;

/// The `count` words that occur most often in all documents together; of equals the first in the alphabet.
pub fn most_frequent(documents: &[TextDocument], count: usize) -> Vec<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for document in documents {
        for word in words(&document.text) {
            *counts.entry(word).or_default() += 1;
        }
    }
    let mut words: Vec<(Reverse<usize>, String)> = counts
        .into_iter()
        .map(|(word, n)| (Reverse(n), word))
        .collect();
    words.sort_unstable();
    let words = words.into_iter().take(count);
    words.map(|(_, word)| word).collect()
}

/// How often each of the terms occurs in each document: one row per document, one column per term.
pub fn counts(documents: &[TextDocument], terms: &[String]) -> Points {
    let places: HashMap<&str, usize> = terms.iter().map(String::as_str).zip(0..).collect();
    let mut rows = Points::zeros(terms.len(), documents.len());
    for (i, document) in documents.iter().enumerate() {
        let words = words(&document.text);
        for at in words.iter().filter_map(|word| places.get(word.as_str())) {
            rows.row_mut(i)[*at] += 1.0;
        }
    }
    rows
}

/// The words of a text: runs of at least two letters, digits or underscores, in lower case.
fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| word.chars().nth(1).is_some())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::corpus::{documents, read};
    use super::*;
    use crate::data::testing::real;

    #[test]
    fn words_are_lower_case_and_have_two_characters() {
        let found = words("I don't like a \"Café\"--2x, No_1!");
        assert_eq!(found, ["don", "like", "café", "2x", "no_1"]);
        assert!(words(" . a ").is_empty());
    }

    #[test]
    fn counts_are_over_the_most_frequent_words() {
        let texts = ["Dog food, dog!", "cat food", "the ant"];
        let lines = texts.map(|text| format!("a\tb\tc\t{text}"));
        let documents = documents(&lines.each_ref().map(String::as_str));
        let terms = most_frequent(&documents, 3);
        assert_eq!(terms, ["dog", "food", "ant"]);
        let rows = counts(&documents, &terms);
        let rows: Vec<&[f64]> = rows.rows().collect();
        assert_eq!(rows, [[2.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!(most_frequent(&documents, 99).len(), 5, "all there are");
    }

    #[test]
    fn the_real_reviews_have_five_hundred_columns() {
        let Some(data) = real("amazon") else { return };
        let documents = read(&data).unwrap();
        let terms = most_frequent(&documents, TERMS);
        let rows = counts(&documents, &terms);
        assert_eq!((rows.len(), rows.dim()), (17_021, 500));
        // Counted with Python's `re` over `\b\w\w+\b`.
        let total = |column: usize| rows.rows().map(|row| row[column]).sum::<f64>();
        assert_eq!((terms[0].as_str(), total(0)), ("the", 53_069.0));
        assert_eq!((terms[1].as_str(), total(1)), ("it", 37_512.0));
        assert_eq!((terms[499].as_str(), total(499)), ("fresh", 270.0));
        assert_eq!(rows.as_slice().iter().sum::<f64>(), 829_860.0);
    }
}
