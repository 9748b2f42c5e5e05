//! The reviews with their labels, their rows of numbers over the most frequent terms, and one run's search for its target.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;

use neuralbo::linalg::{Points, Purpose, Streams};
use rand::RngExt;

use crate::data::{DataError, read_gz};

/// What stands for a label nobody knows.
const UNKNOWN: &str = "unknown";
const HEADER: &str = "source\tcat1\tcat2\tcat3\ttext";

/// A review with the path of its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDocument {
    /// Labels from the widest to the narrowest.
    pub path: [String; 3],
    pub text: String,
}

/// Reads `amazon/reviews_18k.tsv.gz` from a data directory: the reviews whose three labels are all known, at least one.
pub fn read(data: &Path) -> Result<Vec<TextDocument>, DataError> {
    let path = data.join("amazon").join("reviews_18k.tsv.gz");
    let text = String::from_utf8(read_gz(&path)?)
        .map_err(|error| DataError::malformed(&path, error.to_string()))?;
    parse(&text).map_err(|reason| DataError::malformed(&path, reason))
}

/// Reads tab-separated lines: a header, then source, three labels and the text of each review. The error says which line is wrong.
fn parse(text: &str) -> Result<Vec<TextDocument>, String> {
    let mut lines = text.lines();
    let header = lines.next().unwrap_or_default();
    if header != HEADER {
        return Err(format!("header `{header}` where `{HEADER}` is expected"));
    }
    let known = lines
        .zip(2..)
        .filter_map(|(line, number)| document(number, line).transpose());
    let documents = known.collect::<Result<Vec<_>, _>>()?;
    if documents.is_empty() {
        return Err("no document with three known labels".to_owned());
    }
    Ok(documents)
}

/// The document on a line; `None` if a label is unknown.
fn document(number: usize, line: &str) -> Result<Option<TextDocument>, String> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [_, one, two, three, text] = fields[..] else {
        let count = fields.len();
        let noun = if fields.len() == 1 { "field" } else { "fields" };
        let found = format!("{count} {noun} where 5 are expected");
        return Err(format!("line {number} has {found}"));
    };
    let path = [one, two, three].map(str::to_owned);
    let known = path.iter().all(|label| label != UNKNOWN);
    Ok(known.then(|| TextDocument {
        path,
        text: text.to_owned(),
    }))
}

/// Documents, each given by its labels and its text with tabs between them.
#[cfg(test)]
pub(super) fn documents(lines: &[&str]) -> Vec<TextDocument> {
    let lines = lines.iter().map(|line| format!("s\t{line}\n"));
    parse(&format!("{HEADER}\n{}", lines.collect::<String>())).unwrap()
}

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

/// A target taken out of the documents, and the scores of all the others; the score is maximized.
///
/// Documents of the pool are numbered from 0 in their order, the target left out.
#[derive(Clone, Debug, PartialEq)]
pub struct TargetSearch {
    target: usize,
    scores: Vec<f64>,
}

impl TargetSearch {
    /// The search of the run with this seed: its target is drawn evenly from all documents, of which there is at least one.
    pub fn new(documents: &[TextDocument], seed: u64) -> Self {
        let mut rng = Streams::new(seed).stream(0, Purpose::Design);
        Self::for_target(documents, rng.random_range(0..documents.len()))
    }

    fn for_target(documents: &[TextDocument], target: usize) -> Self {
        let truth = &documents[target].path;
        let pool = documents.iter().enumerate().filter(|(i, _)| *i != target);
        let score = |document: &TextDocument| hierarchical_f1(&document.path, truth);
        Self {
            target,
            scores: pool.map(|(_, document)| score(document)).collect(),
        }
    }

    /// Number of documents in the pool.
    pub fn len(&self) -> usize {
        self.scores.len()
    }

    /// The pool's rows for [`Space::from_pool`](neuralbo::space::Space::from_pool), of those of all documents.
    pub fn pool(&self, rows: &Points) -> Points {
        let mut pool = rows.slice(0..self.target);
        pool.extend(&rows.slice(self.target + 1..rows.len()));
        pool
    }

    /// Hierarchical F1 of document `index` of the pool against the target.
    pub fn score(&self, index: usize) -> Option<f64> {
        self.scores.get(index).copied()
    }
}

/// Hierarchical F1 of a predicted label against the true one, each given as its path from below the root.
///
/// Each label is extended with its ancestors, which are the prefixes of its path; precision P and recall R are the shares of
/// common nodes among predicted and true ones, and F = 2PR/(P + R), 0 when nothing is shared (Kiritchenko et al. 2006). A name
/// counts only at the same place: nodes are paths, not names.
fn hierarchical_f1(predicted: &[String], truth: &[String]) -> f64 {
    let pairs = predicted.iter().zip(truth);
    let shared = pairs.take_while(|(a, b)| a == b).count() as f64;
    if shared == 0.0 {
        return 0.0;
    }
    let (precision, recall) = (shared / predicted.len() as f64, shared / truth.len() as f64);
    2.0 * precision * recall / (precision + recall)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use crate::data::testing::{real, write_gz};

    const TINY: &str = "source\tcat1\tcat2\tcat3\ttext\n\
        a\tpets\tdogs\tfood\tMy dog \"loves\" it.\n\
        a\tpets\tcats\tfood\tThe cat is asleep\n\
        b\ttoys\tgames\tunknown\tno label\n\
        b\ttoys\tgames\tcards\t\n";

    #[test]
    fn documents_with_unknown_labels_are_left_out() {
        let documents = parse(TINY).unwrap();
        assert_eq!(documents.len(), 3);
        assert_eq!(documents[0].path, ["pets", "dogs", "food"]);
        assert_eq!(documents[0].text, "My dog \"loves\" it.");
        assert_eq!(documents[2].text, "");
    }

    #[test]
    fn wrong_lines_are_refused_with_their_number() {
        let refusal = |text: &str| parse(text).unwrap_err();
        assert!(refusal("").contains("header"));
        assert!(refusal("cat1\tcat2\n").contains("`cat1\tcat2`"));
        assert!(refusal(&format!("{HEADER}\na\tb\tc\n")).contains("line 2 has 3 fields where 5"));
        assert!(refusal(&format!("{HEADER}\na\tb\tc\td\te\n\n")).contains("line 3 has 1 field"));
        assert!(refusal(&format!("{HEADER}\na\tb\tc\tunknown\te\n")).contains("no document"));
    }

    #[test]
    fn files_are_read_and_errors_name_them() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("amazon")).unwrap();
        let path = folder.path().join("amazon/reviews_18k.tsv.gz");
        write_gz(&path, TINY.as_bytes());
        assert_eq!(read(folder.path()).unwrap(), parse(TINY).unwrap());
        write_gz(&path, b"\xff\xfe");
        let text = read(folder.path()).unwrap_err().to_string();
        assert!(text.contains("reviews_18k.tsv.gz: invalid utf-8"), "{text}");
    }

    #[test]
    fn the_real_file_has_its_known_size() {
        let Some(data) = real("amazon") else { return };
        let documents = read(&data).unwrap();
        assert_eq!(documents.len(), 17_021);
        let distinct = |key: &dyn Fn(&[String; 3]) -> Vec<String>| {
            let keys = documents.iter().map(|document| key(&document.path));
            keys.collect::<BTreeSet<_>>().len()
        };
        let found = [0, 1, 2].map(|level| distinct(&|path| vec![path[level].clone()]));
        assert_eq!(found, [6, 64, 425]);
        // The same name under two parents is two paths.
        let found = [0, 1, 2].map(|level| distinct(&|path| path[..=level].to_vec()));
        assert_eq!(found, [6, 64, 463]);
    }

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

    fn five() -> Vec<TextDocument> {
        documents(&[
            "a\tb\tc\tone",
            "a\tb\td\ttwo",
            "a\te\tf\tthree",
            "g\tb\tc\tfour",
            "a\tb\tc\tfive",
        ])
    }

    #[test]
    fn scores_and_rows_skip_the_target() {
        let search = TargetSearch::for_target(&five(), 1);
        assert_eq!((search.target, search.len()), (1, 4));
        let thirds = [0, 1, 2, 3].map(|i| (3.0 * search.score(i).unwrap()).round());
        assert_eq!(thirds, [2.0, 1.0, 0.0, 2.0]);
        let rows = Points::from_rows(1, (0..5).map(|i| [f64::from(i)]));
        assert_eq!(search.pool(&rows).as_slice(), [0.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn seeds_choose_targets_repeatably_and_differently() {
        let search = |seed| TargetSearch::new(&five(), seed);
        let targets: BTreeSet<usize> = (0..60).map(|seed| search(seed).target).collect();
        assert_eq!(targets.len(), 5);
        assert_eq!(search(3), search(3));
    }

    #[test]
    fn the_real_pool_has_every_document_but_the_target() {
        let Some(data) = real("amazon") else { return };
        let search = TargetSearch::new(&read(&data).unwrap(), 1);
        assert_eq!(search.len(), 17_020);
        let thirds = search
            .scores
            .iter()
            .map(|score| (3.0 * score).round() as u8);
        let levels: BTreeSet<u8> = thirds.collect();
        assert!(levels.contains(&0) && levels.iter().all(|&shared| shared <= 3));
    }

    /// The definition, with the sets spelled out.
    fn by_sets(predicted: &[String], truth: &[String]) -> f64 {
        let nodes = |path: &[String]| -> BTreeSet<String> {
            (1..=path.len()).map(|n| path[..n].join("/")).collect()
        };
        let (predicted, truth) = (nodes(predicted), nodes(truth));
        let common = predicted.intersection(&truth).count() as f64;
        let (p, r) = (common / predicted.len() as f64, common / truth.len() as f64);
        if common == 0.0 {
            0.0
        } else {
            2.0 * p * r / (p + r)
        }
    }

    proptest! {
        #[test]
        fn prefixes_are_the_ancestors(a in prop::collection::vec("[ab]", 1..5), b in prop::collection::vec("[ab]", 1..5)) {
            prop_assert!((hierarchical_f1(&a, &b) - by_sets(&a, &b)).abs() < 1e-15);
            prop_assert_eq!(hierarchical_f1(&a, &b), hierarchical_f1(&b, &a));
        }
    }
}
