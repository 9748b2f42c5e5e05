//! The page's files: a fixed table, no file system.

/// Name below `assets`, content.
const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// A file of the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asset {
    /// Its path below `/assets/`.
    pub(crate) name: &'static str,
    pub(crate) content: &'static [u8],
    pub(crate) content_type: &'static str,
}

/// All files.
pub(crate) fn all() -> impl Iterator<Item = Asset> {
    FILES.iter().map(|(name, content)| Asset {
        name,
        content,
        content_type: content_type(name),
    })
}

/// The file of exactly this name.
pub(crate) fn find(name: &str) -> Option<Asset> {
    all().find(|asset| asset.name == name)
}

/// The page with a preload tag for every module, which spares browsers a round trip per import.
pub(crate) fn index_page() -> String {
    let page = find("index.html").map_or(&b""[..], |asset| asset.content);
    let modules = all().filter(|asset| asset.name.ends_with(".js") && asset.name != "app.js");
    let tags: String = modules
        .map(|asset| {
            format!(
                "<link rel=\"modulepreload\" href=\"assets/{}\">\n",
                asset.name
            )
        })
        .collect();
    let script = "<script type=\"module\"";
    String::from_utf8_lossy(page).replacen(script, &(tags + script), 1)
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        Some("json") => "application/json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::Path;

    use super::*;

    fn files_below(folder: &Path) -> usize {
        let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
        entries
            .map(|entry| {
                if entry.path().is_dir() {
                    files_below(&entry.path())
                } else {
                    1
                }
            })
            .sum()
    }

    #[test]
    fn every_file_is_in_the_table_with_a_type_that_browsers_know() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        assert_eq!(all().count(), files_below(&folder));
        for asset in all() {
            assert_eq!(
                asset.content,
                std::fs::read(folder.join(asset.name)).unwrap(),
                "{}",
                asset.name
            );
            assert_ne!(
                asset.content_type, "application/octet-stream",
                "{}",
                asset.name
            );
        }
        assert!(index_page().contains("href=\"assets/pages/trial.js\""));
    }
}
