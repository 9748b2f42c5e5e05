//! Where the files of the real problems are, and how they are opened.
//!
//! Nothing here is needed to build or to run the synthetic problems. A file is looked for when a problem asks for it, and an
//! error says which file and why.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

/// The environment variable that names the data directory.
pub const VARIABLE: &str = "NEURALBO_DATA";
/// Where data is looked for when nobody says where it is.
const DEFAULTS: [&str; 2] = ["../shared/data", "data"];

/// Why data could not be had.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// No data directory.
    #[error(
        "no data directory: {0} not found; name one with the option or the variable {VARIABLE}"
    )]
    NoDirectory(String),
    /// A file could not be read: what the system, or the decompressor, said.
    #[error("{path}: {1}", path = .0.display())]
    Unreadable(PathBuf, #[source] std::io::Error),
    /// A file does not hold what it should: what is wrong, and what was expected.
    #[error("{path}: {1}", path = .0.display())]
    Malformed(PathBuf, String),
}

impl DataError {
    pub(crate) fn malformed(path: &Path, reason: impl Into<String>) -> Self {
        Self::Malformed(path.to_owned(), reason.into())
    }
}

/// The data directory: `asked` if given, else the variable [`VARIABLE`] if set, else the first of `../shared/data` and `data`
/// that exists.
///
/// What is named must exist; it is an error rather than a reason to look elsewhere when it does not.
///
/// ```
/// use neuralbo_lab::data::directory;
///
/// let text = directory(Some("no/such/folder".as_ref())).unwrap_err().to_string();
/// assert!(text.starts_with("no data directory: no/such/folder not found"));
/// ```
pub fn directory(asked: Option<&Path>) -> Result<PathBuf, DataError> {
    resolve(asked, std::env::var_os(VARIABLE))
}

fn resolve(asked: Option<&Path>, variable: Option<OsString>) -> Result<PathBuf, DataError> {
    let tried: Vec<PathBuf> = match (asked, variable) {
        (Some(path), _) => vec![path.to_owned()],
        (None, Some(path)) => vec![path.into()],
        (None, None) => DEFAULTS.map(PathBuf::from).to_vec(),
    };
    let found = tried.iter().find(|path| path.is_dir());
    found.cloned().ok_or_else(|| {
        let tried: Vec<_> = tried.iter().map(|path| path.to_string_lossy()).collect();
        DataError::NoDirectory(tried.join(", "))
    })
}

/// All bytes of a gzip file, decompressed.
pub fn read_gz(path: &Path) -> Result<Vec<u8>, DataError> {
    let unreadable = |error| DataError::Unreadable(path.to_owned(), error);
    let mut bytes = Vec::new();
    MultiGzDecoder::new(File::open(path).map_err(unreadable)?)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    Ok(bytes)
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use flate2::{Compression, write::GzEncoder};
    use std::io::Write;

    /// Writes `bytes` as a gzip file.
    pub fn write_gz(path: &Path, bytes: &[u8]) {
        let mut encoder = GzEncoder::new(File::create(path).unwrap(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap();
    }

    /// The real data where it is: as a user would find it, or beside the repository. Says so when there is none.
    pub fn real(folder: &str) -> Option<PathBuf> {
        let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
        let found = directory(None)
            .or_else(|_| directory(Some(&beside)))
            .ok()
            .filter(|root| root.join(folder).is_dir());
        if found.is_none() {
            // Past the test harness, which would hide what a passing test prints.
            let text = format!(
                "SKIPPED: no {folder}/ in a data directory; set {VARIABLE} to run this test on the real data\n"
            );
            std::io::stderr().write_all(text.as_bytes()).unwrap();
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_comes_before_the_variable_and_the_variable_before_the_defaults() {
        let (a, b) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let variable = || Some(b.path().as_os_str().to_owned());
        assert_eq!(resolve(Some(a.path()), variable()).unwrap(), a.path());
        assert_eq!(resolve(None, variable()).unwrap(), b.path());
    }

    #[test]
    fn a_named_directory_must_exist() {
        let text = resolve(None, Some("nowhere".into())).unwrap_err();
        let text = text.to_string();
        assert!(text.contains("nowhere") && text.contains(VARIABLE));
    }

    #[test]
    fn unreadable_files_are_named_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plain.gz");
        let refusal = || read_gz(&path).unwrap_err().to_string();
        assert!(refusal().contains("plain.gz: "));
        std::fs::write(&path, "not compressed").unwrap();
        assert!(refusal().contains("plain.gz: "));
    }

    #[test]
    fn compressed_bytes_come_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.gz");
        testing::write_gz(&path, b"seven");
        assert_eq!(read_gz(&path).unwrap(), b"seven");
    }
}
