//! The report as one HTML page that needs nothing else, and as Markdown with its figures in files beside it.

use super::document::{Document, ReportBlock, ReportTable, TableCell};
use crate::figure::escaped;

const STYLE: &str = "\
body{font:15px/1.5 system-ui,sans-serif;color:#222;background:#fff;max-width:1080px;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.25rem;border-bottom:1px solid #ccc;margin-top:2.5rem}
figure{margin:1.5rem 0}figure svg{max-width:100%;height:auto}.chart svg{min-width:60%}figcaption,.caption{color:#444;font-size:.9rem}
.scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.85rem;margin:.3rem 0 1.5rem}
th,td{border-bottom:1px solid #ddd;padding:.2rem .6rem;text-align:right;white-space:nowrap}
th{border-bottom:2px solid #888}th:first-child,td:first-child{text-align:left}.left{text-align:left}td.text{text-align:left;white-space:normal}
nav{columns:2;font-size:.9rem}";

/// The whole page.
pub fn html(document: &Document) -> String {
    let title = escaped(&document.title);
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    page += &contents(document);
    let mut sections = 0;
    for block in &document.blocks {
        page += &match block {
            ReportBlock::Section(text) => {
                sections += 1;
                format!("<h2 id=\"s{sections}\">{}</h2>\n", escaped(text))
            }
            ReportBlock::Text(text) => format!("<p>{}</p>\n", escaped(text)),
            ReportBlock::Table(table) => self::table(table),
            ReportBlock::Figure { name, caption, svg } => {
                // Pictures of found images keep their size; charts fill the page.
                let chart = name.starts_with("figure");
                let class = if chart { "chart" } else { "picture" };
                let (svg, caption) = (svg.trim(), escaped(caption));
                format!(
                    "<figure class=\"{class}\">\n{svg}\n<figcaption>{caption}</figcaption>\n</figure>\n"
                )
            }
        };
    }
    page + "</body>\n</html>\n"
}

fn contents(document: &Document) -> String {
    let headings = document.blocks.iter().filter_map(|block| match block {
        ReportBlock::Section(text) => Some(text),
        _ => None,
    });
    let links = headings
        .zip(1..)
        .map(|(text, i)| format!("<a href=\"#s{i}\">{}</a><br>\n", escaped(text)));
    format!("<nav>\n{}</nav>\n", links.collect::<String>())
}

fn table(table: &ReportTable) -> String {
    let left = |column: usize| match table.is_text(column) {
        true => " class=\"left\"",
        false => "",
    };
    let columns: String = (table.columns.iter().enumerate())
        .map(|(i, title)| format!("<th{}>{}</th>", left(i), escaped(title)))
        .collect();
    let cell = |(i, cell): (usize, &TableCell)| {
        let class = match cell.text.len() {
            41.. => " class=\"text\"",
            _ => left(i),
        };
        let text = escaped(&cell.text);
        match cell.strong {
            true => format!("<td{class}><strong>{text}</strong></td>"),
            false => format!("<td{class}>{text}</td>"),
        }
    };
    let row = |row: &Vec<TableCell>| {
        let cells: String = row.iter().enumerate().map(cell).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let rows: String = table.rows.iter().map(row).collect();
    format!(
        "<p class=\"caption\">{}</p>\n<div class=\"scroll\"><table>\n<thead><tr>{columns}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n",
        escaped(&table.caption)
    )
}

/// Where the figure of this name is, from the report.
pub fn figure_path(name: &str) -> String {
    format!("figures/{name}.svg")
}

/// The whole text.
pub fn markdown(document: &Document) -> String {
    let mut text = format!("# {}\n", document.title);
    for block in &document.blocks {
        text += &match block {
            ReportBlock::Section(text) => format!("\n## {text}\n"),
            ReportBlock::Text(text) => format!("\n{text}\n"),
            ReportBlock::Table(table) => pipes(table),
            ReportBlock::Figure { name, caption, .. } => {
                let (plain, path) = (caption.replace(['[', ']'], ""), figure_path(name));
                format!("\n![{plain}]({path})\n\n*{caption}*\n")
            }
        };
    }
    text
}

fn pipes(table: &ReportTable) -> String {
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let cell = |cell: &TableCell| {
        let (text, mark) = (unpiped(&cell.text), if cell.strong { "**" } else { "" });
        format!("{mark}{text}{mark}")
    };
    let mut text = format!("\n{}\n\n", table.caption);
    let rule = |i: usize| match i == 0 || table.is_text(i) {
        true => "---".to_owned(),
        false => "---:".to_owned(),
    };
    text += &line(table.columns.iter().map(|title| unpiped(title)).collect());
    text += &line((0..table.columns.len()).map(rule).collect());
    for row in &table.rows {
        text += &line(row.iter().map(cell).collect());
    }
    text
}

fn unpiped(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_and_marks_are_shown() {
        let mut document = Document::new("a < b");
        document.section("S & T");
        let mut table = ReportTable::new("c", &["x"]);
        table.row(&[], [TableCell::marked("1<2", true)]);
        document.table(table);
        let page = html(&document);
        for text in ["a &lt; b", "S &amp; T", "<strong>1&lt;2</strong>"] {
            assert!(page.contains(text), "{text}");
        }
    }

    #[test]
    fn a_table_has_one_line_per_row_marks_in_bold_and_words_to_the_left() {
        let mut t = ReportTable::new("Caption.", &["method", "value", "origin"]);
        t.row(&["a|b"], [TableCell::marked("1.5", true), "model".into()]);
        let expected = "\nCaption.\n\n| method | value | origin |\n| --- | ---: | --- |\n| a\\|b | **1.5** | model |\n";
        assert_eq!(pipes(&t), expected);
    }
}
