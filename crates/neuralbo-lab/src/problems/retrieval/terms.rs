//! From documents to rows of numbers over the most frequent terms.

use std::cmp::Reverse;
use std::collections::HashMap;

use neuralbo::linalg::Points;

use super::Corpus;

/// Number of terms in the experiment.
pub const TERMS: usize = 500;

/// The most frequent terms of a corpus and each document's row over them.
///
/// ```
/// use neuralbo_lab::problems::retrieval::{Corpus, CorpusTerms};
///
/// let lines = "source\tcat1\tcat2\tcat3\ttext\na\tt\tg\tc\tred red wine\na\tt\tg\td\tred carpet\n";
/// let terms = CorpusTerms::new(&Corpus::parse(lines)?, 2);
/// assert_eq!(terms.names(), ["red", "carpet"]);
/// assert_eq!(terms.rows().row(0), [2.0, 0.0]);
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CorpusTerms {
    names: Vec<String>,
    rows: Points,
}

impl CorpusTerms {
    /// Finds the `count` words that occur most often in all documents together (of equals the first in the alphabet) and counts
    /// them in each document.
    pub fn new(corpus: &Corpus, count: usize) -> Self {
        let names = most_frequent(corpus, count);
        let places = names.iter().map(String::as_str).zip(0..);
        let places: HashMap<&str, usize> = places.collect();
        let mut rows = Points::zeros(names.len(), corpus.documents().len());
        for (i, document) in corpus.documents().iter().enumerate() {
            let terms = words(&document.text);
            for at in terms.iter().filter_map(|term| places.get(term.as_str())) {
                rows.row_mut(i)[*at] += 1.0;
            }
        }
        Self { names, rows }
    }

    /// The terms, most frequent first: one a column.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// One row a document.
    pub fn rows(&self) -> &Points {
        &self.rows
    }
}

fn most_frequent(corpus: &Corpus, count: usize) -> Vec<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for document in corpus.documents() {
        for term in words(&document.text) {
            *counts.entry(term).or_default() += 1;
        }
    }
    let terms = counts.into_iter().map(|(term, n)| (Reverse(n), term));
    let mut terms: Vec<(Reverse<usize>, String)> = terms.collect();
    terms.sort_unstable();
    let terms = terms.into_iter().take(count);
    terms.map(|(_, term)| term).collect()
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
    use super::super::corpus::corpus_of;
    use super::*;
    use crate::data::testing::real;

    #[test]
    fn words_are_lower_case_and_have_two_characters() {
        let found = words("I don't like a \"Café\"--2x, No_1!");
        assert_eq!(found, ["don", "like", "café", "2x", "no_1"]);
        assert!(words(" . a ").is_empty());
    }

    fn terms(texts: &[&str]) -> CorpusTerms {
        let lines: Vec<String> = texts
            .iter()
            .map(|text| format!("a\tb\tc\t{text}"))
            .collect();
        CorpusTerms::new(&corpus_of(lines.iter().map(String::as_str)), 3)
    }

    #[test]
    fn counts_are_over_the_most_frequent_words() {
        let terms = terms(&["Dog food, dog!", "cat food", "the ant"]);
        assert_eq!(terms.names(), ["dog", "food", "ant"]);
        let rows: Vec<&[f64]> = terms.rows().rows().collect();
        assert_eq!(rows, [[2.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    }

    #[test]
    fn fewer_terms_than_asked_for_are_all_there_are() {
        assert_eq!(terms(&["one two"]).names().len(), 2);
    }

    #[test]
    fn the_real_reviews_have_five_hundred_columns() {
        let Some(data) = real("amazon") else { return };
        let corpus = Corpus::read(&data).unwrap();
        let terms = CorpusTerms::new(&corpus, TERMS);
        assert_eq!((terms.rows().len(), terms.rows().dim()), (17_021, 500));
        // Counted with Python's `re` over `\b\w\w+\b`.
        let total = |column: usize| terms.rows().rows().map(|row| row[column]).sum::<f64>();
        assert_eq!((terms.names()[0].as_str(), total(0)), ("the", 53_069.0));
        assert_eq!((terms.names()[1].as_str(), total(1)), ("it", 37_512.0));
        assert_eq!((terms.names()[499].as_str(), total(499)), ("fresh", 270.0));
        assert_eq!(terms.rows().as_slice().iter().sum::<f64>(), 829_860.0);
    }
}
