//! The report before it has a format.

/// A titled list of blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The title.
    pub title: String,
    /// What follows.
    pub blocks: Vec<Block>,
}

/// A part of a report.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading of a section or, deeper, of a part of it.
    Heading {
        /// 2 for a section.
        level: u8,
        /// Its text.
        text: String,
    },
    /// A paragraph.
    Text(String),
    /// A table with its caption.
    Table(Table),
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
pub struct Table {
    /// What is shown.
    pub caption: String,
    /// Titles of the columns.
    pub columns: Vec<String>,
    /// The cells, row by row.
    pub rows: Vec<Vec<Cell>>,
}

/// A cell of a table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
    /// What it says.
    pub text: String,
    /// Whether it stands out.
    pub strong: bool,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            strong: false,
        }
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self {
            text,
            strong: false,
        }
    }
}

impl Cell {
    /// A cell that may stand out.
    pub fn marked(text: impl Into<String>, strong: bool) -> Self {
        Self {
            text: text.into(),
            strong,
        }
    }
}

impl Table {
    /// A table without rows.
    pub fn new<C: Into<String>>(
        caption: impl Into<String>,
        columns: impl IntoIterator<Item = C>,
    ) -> Self {
        Self {
            caption: caption.into(),
            columns: columns.into_iter().map(Into::into).collect(),
            rows: Vec::new(),
        }
    }

    /// Whether a column holds words rather than numbers.
    pub fn is_text(&self, column: usize) -> bool {
        let word = |cell: &Cell| cell.text.starts_with(|c: char| c.is_alphabetic());
        self.rows
            .iter()
            .any(|row| row.get(column).is_some_and(word))
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
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
        self.blocks.push(Block::Heading {
            level: 2,
            text: text.into(),
        });
    }

    /// Adds a paragraph, unless it is empty.
    pub fn text(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.blocks.push(Block::Text(text));
        }
    }

    /// Adds a table, unless it has no rows.
    pub fn table(&mut self, table: Table) {
        if !table.rows.is_empty() {
            self.blocks.push(Block::Table(table));
        }
    }

    /// Adds a picture.
    pub fn figure(&mut self, name: &str, caption: impl Into<String>, svg: String) {
        self.blocks.push(Block::Figure {
            name: name.to_owned(),
            caption: caption.into(),
            svg,
        });
    }

    /// Names and pictures.
    pub fn figures(&self) -> impl Iterator<Item = (&str, &str)> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Figure { name, svg, .. } => Some((name.as_str(), svg.as_str())),
            _ => None,
        })
    }

    /// All tables.
    pub fn tables(&self) -> impl Iterator<Item = &Table> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Table(table) => Some(table),
            _ => None,
        })
    }
}
