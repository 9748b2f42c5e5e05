//! The report as Markdown, its figures in files beside it.

use super::document::{Document, ReportBlock, ReportTable, TableCell};

/// Where the figure of this name is, from the report.
pub fn figure_path(name: &str) -> String {
    format!("figures/{name}.svg")
}

/// The whole text.
pub fn render(document: &Document) -> String {
    let mut text = format!("# {}\n", document.title);
    for block in &document.blocks {
        text += &match block {
            ReportBlock::Section(text) => format!("\n## {text}\n"),
            ReportBlock::Text(text) => format!("\n{text}\n"),
            ReportBlock::Table(table) => self::table(table),
            ReportBlock::Figure { name, caption, .. } => {
                let (plain, path) = (caption.replace(['[', ']'], ""), figure_path(name));
                format!("\n![{plain}]({path})\n\n*{caption}*\n")
            }
        };
    }
    text
}

fn table(table: &ReportTable) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let cell = |cell: &TableCell| {
        let (text, mark) = (escaped(&cell.text), if cell.strong { "**" } else { "" });
        format!("{mark}{text}{mark}")
    };
    let mut text = format!("\n{}\n\n", table.caption);
    let rule = |i: usize| match i == 0 || table.is_text(i) {
        true => "---".to_owned(),
        false => "---:".to_owned(),
    };
    text += &line(table.columns.iter().map(|title| escaped(title)).collect());
    text += &line((0..table.columns.len()).map(rule).collect());
    for row in &table.rows {
        text += &line(row.iter().map(cell).collect());
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_one_line_per_row_marks_in_bold_and_words_to_the_left() {
        let mut t = ReportTable::new("Caption.", &["method", "value", "origin"]);
        t.row(&["a|b"], [TableCell::marked("1.5", true), "model".into()]);
        assert_eq!(
            table(&t),
            "\nCaption.\n\n| method | value | origin |\n| --- | ---: | --- |\n| a\\|b | **1.5** | model |\n"
        );
    }
}
