//! The report before it has a format.

/// A titled list of blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The title.
    pub title: String,
    /// What follows.
    pub blocks: Vec<ReportBlock>,
}

/// A part of a report.
#[derive(Clone, Debug, PartialEq)]
pub enum ReportBlock {
    /// The heading of a section.
    Section(String),
    /// A paragraph.
    Text(String),
    /// A table with its caption.
    Table(ReportTable),
    /// A picture.
    Figure {
        /// A file name without extension.
        name: String,
        /// What is shown.
        caption: String,
        /// The picture.
        svg: String,
    },
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportTable {
    /// What is shown.
    pub caption: String,
    /// Titles of the columns.
    pub columns: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<TableCell>>,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TableCell {
    /// What it says.
    pub text: String,
    /// Whether it stands out.
    pub strong: bool,
}

impl From<&str> for TableCell {
    fn from(text: &str) -> Self {
        Self::marked(text, false)
    }
}

impl From<String> for TableCell {
    fn from(text: String) -> Self {
        Self::marked(text, false)
    }
}

impl TableCell {
    /// A cell that may stand out.
    pub fn marked(text: impl Into<String>, strong: bool) -> Self {
        let text = text.into();
        Self { text, strong }
    }
}

impl ReportTable {
    /// A table without rows.
    pub fn new(caption: impl Into<String>, columns: &[&str]) -> Self {
        Self {
            caption: caption.into(),
            columns: columns.iter().copied().map(String::from).collect(),
            rows: Vec::new(),
        }
    }

    /// The same with more columns.
    pub fn with(mut self, columns: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.columns.extend(columns.into_iter().map(Into::into));
        self
    }

    /// Whether a column holds words rather than numbers.
    pub fn is_text(&self, column: usize) -> bool {
        let word = |cell: &TableCell| cell.text.starts_with(|c: char| c.is_alphabetic());
        let mut rows = self.rows.iter();
        rows.any(|row| row.get(column).is_some_and(word))
    }

    /// Adds a row: words, then cells.
    pub fn row(&mut self, words: &[&str], cells: impl IntoIterator<Item = impl Into<TableCell>>) {
        let words = words.iter().map(|word| TableCell::from(*word));
        let cells = cells.into_iter().map(Into::into);
        self.rows.push(words.chain(cells).collect());
    }
}

impl Document {
    /// A report without content.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            blocks: Vec::new(),
        }
    }

    /// Begins a section.
    pub fn section(&mut self, text: impl Into<String>) {
        self.blocks.push(ReportBlock::Section(text.into()));
    }

    /// Adds a paragraph, unless it is empty.
    pub fn text(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.blocks.push(ReportBlock::Text(text));
        }
    }

    /// Adds a table, unless it has no rows.
    pub fn table(&mut self, table: ReportTable) {
        if !table.rows.is_empty() {
            self.blocks.push(ReportBlock::Table(table));
        }
    }

    /// Adds a picture.
    pub fn figure(&mut self, name: &str, caption: impl Into<String>, svg: String) {
        let (name, caption) = (name.to_owned(), caption.into());
        self.blocks.push(ReportBlock::Figure { name, caption, svg });
    }

    /// Names and pictures.
    pub fn figures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.blocks.iter().filter_map(|block| match block {
            ReportBlock::Figure { name, svg, .. } => Some((name.as_str(), svg.as_str())),
            _ => None,
        })
    }
}
