//! Whether a path still leads to the file that was opened.

use std::path::{Path, PathBuf};

use super::opening::{index_of, log_of};
use crate::platform::{OperatingSystem, System};

/// What names a file on its machine while it is open: device and inode.
type FileId = (u64, u64);

/// A file and its `-wal` file as they were opened.
pub(super) struct OpenFile {
    path: PathBuf,
    id: FileId,
    log: Option<FileId>,
}

impl OpenFile {
    /// The file at this path; `None` where files have no identity, which is no obstacle.
    pub(super) fn at(path: &Path) -> Option<Self> {
        Some(Self {
            path: std::path::absolute(path).ok()?,
            id: System::file_id(path)?,
            log: System::file_id(&log_of(path)),
        })
    }

    /// Whether its path leads to it. Otherwise our `-wal` file is removed: SQLite would take its content for that of the other file,
    /// and damage it.
    pub(super) fn is_in_place(&mut self) -> bool {
        let in_place = System::file_id(&self.path) == Some(self.id);
        let log = System::file_id(&log_of(&self.path));
        if in_place {
            self.log = self.log.or(log);
        } else if log.is_some() && log == self.log {
            for path in [log_of(&self.path), index_of(&self.path)] {
                // Another process of ours may have been faster.
                let _ = std::fs::remove_file(path);
            }
        }
        in_place
    }
}
