//! Reading what `lab run` has written, without the code that wrote it.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;

/// One file.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub header: Value,
    /// Columns as texts.
    pub rows: Vec<BTreeMap<String, String>>,
}

impl Run {
    pub fn read(path: &Path) -> Self {
        let mut text = String::new();
        GzDecoder::new(std::fs::File::open(path).unwrap())
            .read_to_string(&mut text)
            .unwrap();
        let mut lines = text.lines();
        let header =
            serde_json::from_str(lines.next().unwrap().strip_prefix("# ").unwrap()).unwrap();
        let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
        let row = |line: &str| {
            let fields = line.splitn(columns.len(), ',').map(str::to_owned);
            columns
                .iter()
                .map(|name| (*name).to_owned())
                .zip(fields)
                .collect()
        };
        Self {
            header,
            rows: lines.map(row).collect(),
        }
    }

    pub fn text(&self, field: &str) -> &str {
        self.header[field].as_str().unwrap()
    }

    pub fn column(&self, name: &str) -> Vec<f64> {
        self.rows
            .iter()
            .map(|row| row[name].parse().unwrap_or(f64::NAN))
            .collect()
    }

    pub fn last_best(&self) -> f64 {
        *self.column("best").last().unwrap()
    }

    /// Everything that may not depend on the clock.
    pub fn timeless(&self) -> Self {
        let mut run = self.clone();
        run.header["seconds"] = Value::Null;
        for row in &mut run.rows {
            row.insert("seconds".into(), String::new());
        }
        run
    }
}

/// All trace files below a folder, by path.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "gz") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

pub fn all(folder: &Path) -> Vec<Run> {
    files(folder).iter().map(|path| Run::read(path)).collect()
}

/// The lines of the table in a Markdown text whose caption starts with `caption`, split into cells.
pub fn table(markdown: &str, caption: &str) -> Vec<Vec<String>> {
    let from = markdown
        .lines()
        .skip_while(|line| !line.starts_with(caption))
        .skip(1);
    let lines = from
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'));
    let cells = |line: &str| {
        line.trim_matches('|')
            .split(" | ")
            .map(|cell| cell.trim().replace("**", ""))
            .collect()
    };
    let rows: Vec<Vec<String>> = lines.map(cells).collect();
    assert!(rows.len() > 2, "no table `{caption}` in\n{markdown}");
    rows
}
