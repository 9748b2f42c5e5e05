//! Tests of the space as a whole: examples, laws, text and files.

mod conditions;
mod encoding;
mod files;
mod laws;
mod limits;
mod named;
mod text;

use super::{Expression, Parameter, Params, Point, Space};

pub(in crate::space) fn parsed(texts: &[impl AsRef<str>]) -> Vec<Parameter> {
    let texts = texts.iter().map(|text| text.as_ref().parse());
    texts.collect::<Result<_, _>>().unwrap()
}

/// A space from text forms.
pub(in crate::space) fn space(texts: &[impl AsRef<str>]) -> Space {
    Space::new(parsed(texts)).unwrap()
}

/// A space from text forms in one text.
pub(in crate::space) fn space_of(texts: &str) -> Space {
    space(&texts.split(" ; ").collect::<Vec<_>>())
}

pub(in crate::space) fn constraints(texts: &[impl AsRef<str>]) -> Vec<Expression> {
    let texts = texts.iter().map(|text| text.as_ref().parse());
    texts.collect::<Result<_, _>>().unwrap()
}

/// All points of a finite space.
fn points(space: &Space) -> Vec<Point> {
    let numbers = 0..space.cardinality().unwrap();
    numbers.map(|n| space.nth_point(n).unwrap()).collect()
}

fn params(json: &str) -> Params {
    serde_json::from_str(json).unwrap()
}

/// The differences between two spaces, in words.
fn changes(from: &Space, to: &Space) -> Vec<String> {
    let changes = from.changes(to);
    changes.iter().map(ToString::to_string).collect()
}

/// The rows of a table: a text, and after `=>` what is expected of it, parts between `|`.
pub(in crate::space) fn table(rows: &str) -> impl Iterator<Item = (&str, Vec<&str>)> {
    rows.lines().filter(|row| !row.is_empty()).map(|row| {
        let (text, expected) = row.split_once("=> ").unwrap();
        let text = text.strip_suffix(' ').unwrap_or(text);
        (text, expected.split(" | ").collect())
    })
}

/// For each row of a table, the message about its text must have all expected parts.
pub(in crate::space) fn assert_messages(rows: &str, message: impl Fn(&str) -> String) {
    for (text, parts) in table(rows) {
        let message = message(text);
        let has_all = parts.iter().all(|part| message.contains(part));
        assert!(has_all, "{text}: {message}");
    }
}
