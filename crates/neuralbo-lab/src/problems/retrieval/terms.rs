//! From documents to rows of numbers over the most frequent terms.

use std::cmp::Reverse;
use std::collections::HashMap;

use neuralbo::linalg::Points;

use super::Corpus;
use super::words::{sequences, without_stop_words, words};

/// Number of terms in the experiment.
pub const TERMS: usize = 500;
/// Longest sequence of words that is one term of [`TermWeights::TfIdf`].
const LONGEST: usize = 4;

/// What a document's entry for a term is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TermWeights {
    /// How often the word occurs: the paper's text.
    #[default]
    Counts,
    /// Count times (1 + ln((1 + documents)/(1 + documents with the term))), rows scaled to length one; terms are one to four
    /// neighbouring words after stop words are removed: the authors' code.
    TfIdf,
}

impl TermWeights {
    fn terms_of(self, text: &str) -> Vec<String> {
        match self {
            Self::Counts => words(text),
            Self::TfIdf => sequences(&without_stop_words(words(text)), LONGEST),
        }
    }
}

/// The most frequent terms of a corpus and each document's row over them.
///
/// ```
/// use neuralbo_lab::problems::retrieval::{Corpus, TermWeights, CorpusTerms};
///
/// let lines = "source\tcat1\tcat2\tcat3\ttext\na\tt\tg\tc\tred red wine\na\tt\tg\td\tred carpet\n";
/// let terms = CorpusTerms::new(&Corpus::parse(lines)?, TermWeights::Counts, 2);
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
    /// Finds the `count` terms that occur most often in all documents together (of equals the first in the alphabet) and weighs
    /// each document by them.
    pub fn new(corpus: &Corpus, weights: TermWeights, count: usize) -> Self {
        let names = most_frequent(corpus, weights, count);
        let places = names.iter().map(String::as_str).zip(0..);
        let places: HashMap<&str, usize> = places.collect();
        let mut rows = Points::zeros(names.len(), corpus.documents().len());
        for (i, document) in corpus.documents().iter().enumerate() {
            let terms = weights.terms_of(&document.text);
            for at in terms.iter().filter_map(|term| places.get(term.as_str())) {
                rows.row_mut(i)[*at] += 1.0;
            }
        }
        if weights == TermWeights::TfIdf {
            weigh_by_rarity(&mut rows);
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

fn most_frequent(corpus: &Corpus, weights: TermWeights, count: usize) -> Vec<String> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    for document in corpus.documents() {
        for term in weights.terms_of(&document.text) {
            *counts.entry(term).or_default() += 1;
        }
    }
    let terms = counts.into_iter().map(|(term, n)| (Reverse(n), term));
    let mut terms: Vec<(Reverse<usize>, String)> = terms.collect();
    terms.sort_unstable();
    let terms = terms.into_iter().take(count);
    terms.map(|(_, term)| term).collect()
}

/// Counts become TF-IDF.
fn weigh_by_rarity(rows: &mut Points) {
    let mut documents_with = vec![0.0; rows.dim()];
    for row in rows.rows() {
        for (n, count) in documents_with.iter_mut().zip(row) {
            *n += f64::from(*count > 0.0);
        }
    }
    let all = 1.0 + rows.len() as f64;
    for i in 0..rows.len() {
        let row = rows.row_mut(i);
        for (entry, n) in row.iter_mut().zip(&documents_with) {
            *entry *= 1.0 + (all / (1.0 + n)).ln();
        }
        let length = row.iter().map(|entry| entry * entry).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|entry| *entry /= length);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::corpus::corpus_of;
    use super::*;
    use crate::data::testing::real;

    fn terms(texts: &[&str], weights: TermWeights) -> CorpusTerms {
        let lines: Vec<String> = texts
            .iter()
            .map(|text| format!("a\tb\tc\t{text}"))
            .collect();
        CorpusTerms::new(&corpus_of(lines.iter().map(String::as_str)), weights, 3)
    }

    #[test]
    fn counts_are_over_the_most_frequent_words() {
        let terms = terms(
            &["Dog food, dog!", "cat food", "the ant"],
            TermWeights::Counts,
        );
        assert_eq!(terms.names(), ["dog", "food", "ant"]);
        let rows: Vec<&[f64]> = terms.rows().rows().collect();
        assert_eq!(rows, [[2.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    }

    /// Values worked out by hand: ln(4/3) and ln(4/2) for terms in two and one of three documents.
    #[test]
    fn tf_idf_favours_rare_terms_and_has_length_one() {
        let terms = terms(
            &["the dog and the dog food", "cat food", "a"],
            TermWeights::TfIdf,
        );
        assert_eq!(terms.names(), ["dog", "food", "cat"]);
        let (common, rare) = (1.0 + (4.0f64 / 3.0).ln(), 1.0 + 2.0f64.ln());
        let length = (4.0 * rare * rare + common * common).sqrt();
        let expected = [2.0 * rare / length, common / length, 0.0];
        let mut pairs = terms.rows().row(0).iter().zip(expected);
        assert!(pairs.all(|(a, b)| (a - b).abs() < 1e-15));
        assert_eq!(terms.rows().row(2), [0.0; 3]);
    }

    #[test]
    fn neighbouring_words_are_terms_of_tf_idf() {
        let terms = terms(&["dog food is dog food"], TermWeights::TfIdf);
        assert_eq!(terms.names(), ["dog", "dog food", "food"]);
    }

    #[test]
    fn fewer_terms_than_asked_for_are_all_there_are() {
        assert_eq!(terms(&["one two"], TermWeights::Counts).names().len(), 2);
    }

    #[test]
    fn the_real_reviews_have_five_hundred_columns() {
        let Some(data) = real("amazon") else { return };
        let corpus = Corpus::read(&data).unwrap();
        let terms = CorpusTerms::new(&corpus, TermWeights::Counts, TERMS);
        assert_eq!((terms.rows().len(), terms.rows().dim()), (17_021, 500));
        // Counted with Python's `re` over `\b\w\w+\b`.
        let total = |column: usize| terms.rows().rows().map(|row| row[column]).sum::<f64>();
        assert_eq!((terms.names()[0].as_str(), total(0)), ("the", 53_069.0));
        assert_eq!((terms.names()[1].as_str(), total(1)), ("it", 37_512.0));
        assert_eq!((terms.names()[499].as_str(), total(499)), ("fresh", 270.0));
        assert_eq!(terms.rows().as_slice().iter().sum::<f64>(), 829_860.0);
    }
}
