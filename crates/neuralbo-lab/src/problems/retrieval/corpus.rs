//! The reviews and their labels.

use std::collections::BTreeSet;
use std::path::Path;

use crate::data::{DataError, read_gz};

/// Labels on a path.
pub const LEVELS: usize = 3;
/// What stands for a label nobody knows.
const UNKNOWN: &str = "unknown";
const HEADER: &str = "source\tcat1\tcat2\tcat3\ttext";

/// A review with the path of its labels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDocument {
    /// Labels from the widest to the narrowest.
    pub path: [String; LEVELS],
    /// What was written.
    pub text: String,
}

/// The reviews whose three labels are all known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corpus {
    documents: Vec<TextDocument>,
}

impl Corpus {
    /// Reads `amazon/reviews_18k.tsv.gz` from a data directory.
    ///
    /// ```
    /// use neuralbo_lab::problems::retrieval::Corpus;
    ///
    /// let text = Corpus::read("no/data".as_ref()).unwrap_err().to_string();
    /// assert!(text.contains("reviews_18k.tsv.gz"));
    /// ```
    pub fn read(data: &Path) -> Result<Self, DataError> {
        let path = data.join("amazon").join("reviews_18k.tsv.gz");
        let text = String::from_utf8(read_gz(&path)?)
            .map_err(|error| DataError::malformed(&path, error.to_string()))?;
        Self::parse(&text).map_err(|reason| DataError::malformed(&path, reason))
    }

    /// Reads tab-separated lines: a header, then source, three labels and the text of each review. Reviews with an unknown label
    /// are left out. The error says which line is wrong.
    ///
    /// ```
    /// use neuralbo_lab::problems::retrieval::Corpus;
    ///
    /// let lines = "source\tcat1\tcat2\tcat3\ttext\na\ttoys\tgames\tcards\tGreat fun.\na\ttoys\tgames\tunknown\tMeh.\n";
    /// assert_eq!(Corpus::parse(lines)?.documents().len(), 1);
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate();
        match lines.next() {
            Some((_, HEADER)) => {}
            other => {
                return Err(format!(
                    "header `{}` where `{HEADER}` is expected",
                    other.map_or("", |(_, line)| line)
                ));
            }
        }
        let documents: Vec<TextDocument> = lines
            .filter_map(|(i, line)| document(i + 1, line).transpose())
            .collect::<Result<_, _>>()?;
        if documents.is_empty() {
            Err("no document with three known labels".into())
        } else {
            Ok(Self { documents })
        }
    }

    /// The documents in the order of the file.
    pub fn documents(&self) -> &[TextDocument] {
        &self.documents
    }

    /// Number of different label paths down to `level` (1 to 3).
    pub fn distinct_paths(&self, level: usize) -> usize {
        let paths: BTreeSet<&[String]> = self
            .documents
            .iter()
            .map(|document| &document.path[..level.min(LEVELS)])
            .collect();
        paths.len()
    }

    /// Number of different names at `level` (1 to 3).
    pub fn distinct_names(&self, level: usize) -> usize {
        let names: BTreeSet<&str> = self
            .documents
            .iter()
            .filter_map(|document| document.path.get(level - 1))
            .map(String::as_str)
            .collect();
        names.len()
    }
}

/// The document on a line; `None` if a label is unknown.
fn document(number: usize, line: &str) -> Result<Option<TextDocument>, String> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [_, labels @ .., text] = fields.as_slice() else {
        return Err(format!(
            "line {number} has {} field where 5 are expected",
            fields.len()
        ));
    };
    let path: [String; LEVELS] = labels
        .iter()
        .map(|label| (*label).to_owned())
        .collect::<Vec<_>>()
        .try_into()
        .map_err(|_| {
            format!(
                "line {number} has {} fields where 5 are expected",
                fields.len()
            )
        })?;
    Ok(
        (!path.iter().any(|label| label == UNKNOWN)).then(|| TextDocument {
            path,
            text: (*text).to_owned(),
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::testing::{real, write_gz};

    const TINY: &str = "source\tcat1\tcat2\tcat3\ttext\n\
        a\tpets\tdogs\tfood\tMy dog \"loves\" it.\n\
        a\tpets\tcats\tfood\tThe cat is asleep\n\
        b\ttoys\tgames\tunknown\tno label\n\
        b\ttoys\tgames\tcards\t\n";

    #[test]
    fn documents_with_unknown_labels_are_left_out() {
        let corpus = Corpus::parse(TINY).unwrap();
        assert_eq!(corpus.documents().len(), 3);
        assert_eq!(corpus.documents()[0].path, ["pets", "dogs", "food"]);
        assert_eq!(corpus.documents()[0].text, "My dog \"loves\" it.");
        assert_eq!(corpus.documents()[2].text, "");
    }

    #[test]
    fn the_same_name_under_two_parents_is_two_paths() {
        let corpus = Corpus::parse(TINY).unwrap();
        assert_eq!((corpus.distinct_names(3), corpus.distinct_paths(3)), (2, 3));
        assert_eq!((corpus.distinct_names(1), corpus.distinct_paths(2)), (2, 3));
    }

    #[test]
    fn wrong_lines_are_refused_with_their_number() {
        let refusal = |text: &str| Corpus::parse(text).unwrap_err();
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
        let found = Corpus::read(folder.path()).unwrap();
        assert_eq!(found, Corpus::parse(TINY).unwrap());
        write_gz(&path, b"\xff\xfe");
        assert!(
            Corpus::read(folder.path())
                .unwrap_err()
                .to_string()
                .contains("reviews_18k.tsv.gz: invalid utf-8")
        );
    }

    #[test]
    fn the_real_file_has_its_known_size() {
        let Some(data) = real("amazon") else { return };
        let corpus = Corpus::read(&data).unwrap();
        assert_eq!(corpus.documents().len(), 17_021);
        let found = [1, 2, 3].map(|level| corpus.distinct_names(level));
        assert_eq!(found, [6, 64, 425]);
        let found = [1, 2, 3].map(|level| corpus.distinct_paths(level));
        assert_eq!(found, [6, 64, 463]);
    }
}
