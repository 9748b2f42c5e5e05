//! The reviews and their labels.

use std::path::Path;

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
        let (count, noun) = (
            fields.len(),
            if fields.len() == 1 { "field" } else { "fields" },
        );
        return Err(format!(
            "line {number} has {count} {noun} where 5 are expected"
        ));
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
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
}
