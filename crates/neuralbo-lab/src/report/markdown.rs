//! The report as Markdown, its figures in files beside it.

use super::document::{Block, Cell, Document, Table};

/// Where the figure of this name is, from the report.
pub fn figure_path(name: &str) -> String {
    format!("figures/{name}.svg")
}

/// The whole text.
pub fn render(document: &Document) -> String {
    let mut text = format!("# {}\n", document.title);
    for block in &document.blocks {
        text += &match block {
            Block::Heading { level, text } => format!("\n{} {text}\n", "#".repeat((*level).into())),
            Block::Text(text) => format!("\n{text}\n"),
            Block::Table(table) => self::table(table),
            Block::Figure { name, caption, .. } => format!(
                "\n![{}]({})\n\n*{caption}*\n",
                plain(caption),
                figure_path(name)
            ),
        };
    }
    text
}

fn table(table: &Table) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let cell = |cell: &Cell| {
        let text = cell.text.replace('|', "\\|");
        if cell.strong {
            format!("**{text}**")
        } else {
            text
        }
    };
    let mut text = format!("\n{}\n\n", table.caption);
    text += &line(
        table
            .columns
            .iter()
            .map(|title| title.replace('|', "\\|"))
            .collect(),
    );
    text += &line(
        (0..table.columns.len())
            .map(|i| {
                if i == 0 || table.is_text(i) {
                    "---".into()
                } else {
                    "---:".into()
                }
            })
            .collect(),
    );
    for row in &table.rows {
        text += &line(row.iter().map(cell).collect());
    }
    text
}

fn plain(caption: &str) -> String {
    caption.replace(['[', ']'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_one_line_per_row_marks_in_bold_and_words_to_the_left() {
        let mut t = Table::new("Caption.", ["method", "value", "origin"]);
        t.row(vec![
            "a|b".into(),
            Cell::marked("1.5", true),
            "model".into(),
        ]);
        assert_eq!(
            table(&t),
            "\nCaption.\n\n| method | value | origin |\n| --- | ---: | --- |\n| a\\|b | **1.5** | model |\n"
        );
    }
}
