//! Text tables, at most as wide as the terminal: columns are hidden and longer cells are cut. Pipes get tabs.

use std::io::IsTerminal;

use comfy_table::{CellAlignment, Table as Grid};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::color::{TextStyle, paint};
use crate::number::number;
use crate::output::cell;
use crate::platform::{Platform, System};

/// A column is not made narrower than this.
const NARROWEST: usize = 6;

/// A header and rows of text.
pub struct TextTable {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
    /// The style of each row.
    styles: Vec<TextStyle>,
    right: Vec<usize>,
}

impl TextTable {
    /// A table with these columns.
    pub fn new<T: AsRef<str>>(header: impl IntoIterator<Item = T>) -> Self {
        let header = header.into_iter().map(|name| cell(name.as_ref())).collect();
        Self {
            header,
            rows: Vec::new(),
            styles: Vec::new(),
            right: Vec::new(),
        }
    }

    /// The same with these columns, counted from 0, aligned at their right ends.
    pub fn right(self, columns: impl IntoIterator<Item = usize>) -> Self {
        Self {
            right: columns.into_iter().collect(),
            ..self
        }
    }

    /// Appends a row with escaped cells.
    pub fn row<T: AsRef<str>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.styled(TextStyle::Plain, cells);
    }

    /// Appends a row in a style.
    pub fn styled<T: AsRef<str>>(&mut self, style: TextStyle, cells: impl IntoIterator<Item = T>) {
        self.rows
            .push(cells.into_iter().map(|text| cell(text.as_ref())).collect());
        self.styles.push(style);
    }

    /// The table for standard output: on a terminal without the columns that do not fit, as far as they are among the `least`
    /// important ones, which are named below it; elsewhere lines of cells separated by tabs, for programs.
    pub fn text(mut self, least: &[&str]) -> String {
        let Some(width) = terminal_width() else {
            return self.tabbed();
        };
        let hidden = self.hide(least, width);
        let mut text = self.fitted(Some(width));
        if !hidden.is_empty() {
            let hidden = hidden.join(", ");
            text += &format!("hidden columns: {hidden} (a wider terminal or --json shows them)\n");
        }
        text
    }

    fn tabbed(&self) -> String {
        let header = paint(TextStyle::Bold, &self.header.join("\t"));
        let rows = self
            .rows
            .iter()
            .zip(&self.styles)
            .map(|(row, style)| paint(*style, &row.join("\t")));
        let lines = [header].into_iter().chain(rows);
        lines.map(|line| line + "\n").collect()
    }

    /// Removes columns until the rest fits, and returns their names.
    fn hide<'a>(&mut self, least: &[&'a str], width: usize) -> Vec<&'a str> {
        let mut hidden = Vec::new();
        for name in least {
            if needed(&self.widths()) <= width {
                break;
            }
            let Some(at) = self.header.iter().position(|column| column == name) else {
                continue;
            };
            for row in self.rows.iter_mut().chain([&mut self.header]) {
                if at < row.len() {
                    row.remove(at);
                }
            }
            self.right.retain(|column| *column != at);
            let moved = |column: &mut usize| *column -= usize::from(*column > at);
            self.right.iter_mut().for_each(moved);
            hidden.push(*name);
        }
        hidden
    }

    /// The same without styles, for text that is still to be made harmless.
    pub fn plain(mut self) -> String {
        self.layout(terminal_width())
    }

    /// The table no wider than `width`, if there is one.
    pub fn fitted(mut self, width: Option<usize>) -> String {
        let text = self.layout(width);
        self.painted(&text)
    }

    fn layout(&mut self, width: Option<usize>) -> String {
        if let Some(width) = width {
            let widths = fitting(&self.widths(), &self.right, width);
            for row in self.rows.iter_mut().chain([&mut self.header]) {
                row.iter_mut()
                    .zip(&widths)
                    .for_each(|(text, width)| *text = cut(text, *width));
            }
        }
        let mut grid = Grid::new();
        grid.load_style(comfy_table::presets::UTF8_BORDERS_ONLY);
        grid.set_header(&self.header);
        self.rows.iter().for_each(|row| _ = grid.add_row(row));
        for column in &self.right {
            if let Some(column) = grid.column_mut(*column) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        format!("{grid}\n")
    }

    /// Styles whole lines: borders, header and a line between them come first.
    fn painted(&self, text: &str) -> String {
        let style = |line: usize| match line {
            1 => TextStyle::Bold,
            _ => line
                .checked_sub(3)
                .and_then(|row| self.styles.get(row).copied())
                .unwrap_or(TextStyle::Plain),
        };
        text.lines()
            .enumerate()
            .map(|(at, line)| paint(style(at), line) + "\n")
            .collect()
    }

    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self.header.iter().map(|name| name.width()).collect();
        for row in &self.rows {
            widths
                .iter_mut()
                .zip(row)
                .for_each(|(width, text)| *width = (*width).max(text.width()));
        }
        widths
    }
}

/// The width of the terminal on standard output.
pub fn terminal_width() -> Option<usize> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    System::terminal_size().map(|(columns, _)| columns)
}

/// A number in the digits that people read, or in all of them where no terminal is.
pub fn shown_or_exact(value: f64) -> String {
    match terminal_width() {
        Some(_) => number(value),
        None => format!("{value:?}"),
    }
}

/// Widths that fit together with borders and the two spaces of each column: the widest are made narrower, one by one, but for those
/// of numbers (`fixed`), which say nothing when they are cut.
fn fitting(widths: &[usize], fixed: &[usize], total: usize) -> Vec<usize> {
    let mut fitted = widths.to_vec();
    let room = total.saturating_sub(needed(&[]) + 3 * widths.len());
    while fitted.iter().sum::<usize>() > room {
        let flexible = fitted
            .iter_mut()
            .enumerate()
            .filter(|(at, width)| !fixed.contains(at) && **width > NARROWEST);
        let Some((_, widest)) = flexible.max_by_key(|(_, width)| **width) else {
            break;
        };
        *widest -= 1;
    }
    fitted
}

/// The width of a table whose columns have these.
fn needed(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + 3 * widths.len() + 1
}

/// Text of at most this width, cut with an ellipsis.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let (mut kept, mut used) = (String::new(), 1);
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        kept.push(c);
    }
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> TextTable {
        let mut table = TextTable::new(["number", "words"]).right([0]);
        table.row(["1", "short"]);
        table.row(["20", "a long sentence that does not fit into forty columns"]);
        table
    }

    #[test]
    fn a_table_fits_the_terminal_and_is_whole_without_one() {
        let narrow = table().fitted(Some(40));
        assert!(
            narrow.lines().all(|line| line.width() <= 40) && narrow.contains('…'),
            "{narrow}"
        );
        let whole = table().fitted(None);
        assert!(
            whole.contains("into forty columns") && !whole.contains('…'),
            "{whole}"
        );
        assert!(whole.contains("     1 "), "{whole}");
    }

    #[test]
    fn the_least_important_columns_give_way_and_pipes_get_all_of_them() {
        let mut wide = TextTable::new(["name", "words", "count"]).right([2]);
        wide.row(["a", "one two three", "1234567"]);
        assert_eq!(
            wide.tabbed(),
            "name\twords\tcount\na\tone two three\t1234567\n"
        );
        assert_eq!(wide.hide(&["words", "name"], 25), ["words"]);
        let text = wide.fitted(Some(25));
        assert!(
            text.contains(" 1234567 ") && !text.contains("words"),
            "{text}"
        );
    }

    #[test]
    fn wide_characters_count_as_wide() {
        assert_eq!(
            (
                cut("最適化", 6),
                cut("最適化", 5),
                cut("abc", 3),
                cut("abcd", 3)
            ),
            ("最適化".into(), "最適…".into(), "abc".into(), "ab…".into())
        );
    }

    #[test]
    fn no_column_vanishes_and_no_number_is_cut() {
        assert_eq!(fitting(&[100, 3, 50], &[], 40), [14, 3, 13]);
        assert_eq!(fitting(&[100, 3, 50], &[2], 60), [NARROWEST, 3, 50]);
        assert_eq!(fitting(&[100, 100], &[], 5), [NARROWEST, NARROWEST]);
    }
}
