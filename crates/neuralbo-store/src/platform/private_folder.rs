//! A folder that belongs to this user alone.
//!
//! Another user of the machine must neither place a file there nor lead a write elsewhere by a link. Therefore the folder is opened
//! once without following a link, its owner and mode are checked on what was opened, and all files are reached from there.

use std::fs::File;
use std::io;
use std::path::Path;

#[cfg(not(unix))]
pub(crate) use other::FolderPath as PrivateFolder;
#[cfg(unix)]
pub(crate) use unix::FolderDescriptor as PrivateFolder;

/// What can be done in it; all names are names of files in it.
pub(crate) trait PrivateFiles: Sized {
    /// Opens a folder, and creates a missing one if asked. The error says what is wrong with it.
    fn open(path: &Path, create: bool) -> io::Result<Self>;
    /// The names of the files.
    fn names(&self) -> io::Result<Vec<String>>;
    /// A new file; an existing one is an error.
    fn create(&self, name: &str) -> io::Result<File>;
    /// An existing file of this user.
    fn file(&self, name: &str) -> io::Result<File>;
    /// Renames a file, over another one if there is one.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Removes a file.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// Brings the names to the disk.
    fn sync(&self) -> io::Result<()>;
}

#[cfg(unix)]
mod unix {
    use std::os::fd::OwnedFd;
    use std::os::unix::fs::DirBuilderExt;

    use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, openat};

    use super::*;

    /// Its descriptor.
    pub(crate) struct FolderDescriptor(OwnedFd);

    impl PrivateFiles for FolderDescriptor {
        fn open(path: &Path, create: bool) -> io::Result<Self> {
            if create {
                make(path)?;
            }
            if path.symlink_metadata()?.is_symlink() {
                return Err(refused("it is a symbolic link".to_owned()));
            }
            let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
            let folder = rustix::fs::open(path, flags, Mode::empty())?;
            let (found, own) = (fstat(&folder)?, rustix::process::geteuid().as_raw());
            let mode = Mode::from_raw_mode(found.st_mode).bits();
            match found.st_uid {
                owner if owner != own => Err(refused(format!(
                    "it belongs to user {owner}, this is user {own}"
                ))),
                _ if mode & 0o077 != 0 => Err(refused(format!(
                    "it has mode {mode:03o}, others may use it; `chmod 700` makes it private"
                ))),
                _ => Ok(Self(folder)),
            }
        }

        fn names(&self) -> io::Result<Vec<String>> {
            let mut names = Vec::new();
            for entry in Dir::read_from(&self.0)? {
                // Our own names are plain text.
                names.extend(entry?.file_name().to_str().ok().map(str::to_owned));
            }
            Ok(names)
        }

        fn create(&self, name: &str) -> io::Result<File> {
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY;
            let (flags, mode) = (flags | SAFE, Mode::RUSR | Mode::WUSR);
            Ok(openat(&self.0, name, flags, mode)?.into())
        }

        fn file(&self, name: &str) -> io::Result<File> {
            let file = openat(&self.0, name, OFlags::RDONLY | SAFE, Mode::empty())?;
            let (found, own) = (fstat(&file)?, rustix::process::geteuid().as_raw());
            if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
                return Err(refused("it is not a file".to_owned()));
            }
            if found.st_uid != own {
                let owner = found.st_uid;
                return Err(refused(format!("it belongs to user {owner}")));
            }
            Ok(file.into())
        }

        fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
        }

        fn remove(&self, name: &str) -> io::Result<()> {
            Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
        }

        fn sync(&self) -> io::Result<()> {
            Ok(rustix::fs::fsync(&self.0)?)
        }
    }

    /// No link is followed, and a pipe in place of a file does not hang.
    const SAFE: OFlags = OFlags::NOFOLLOW
        .union(OFlags::CLOEXEC)
        .union(OFlags::NONBLOCK);

    fn make(path: &Path) -> io::Result<()> {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        match std::fs::DirBuilder::new().mode(0o700).create(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(()),
        }
    }

    fn refused(reason: String) -> io::Error {
        io::Error::new(io::ErrorKind::PermissionDenied, reason)
    }
}

#[cfg(not(unix))]
mod other {
    use std::path::PathBuf;

    use super::*;

    /// Its path: folders in a user's own folders are the user's own.
    pub(crate) struct FolderPath(PathBuf);

    impl PrivateFiles for FolderPath {
        fn open(path: &Path, create: bool) -> io::Result<Self> {
            if create {
                std::fs::create_dir_all(path)?;
            }
            std::fs::read_dir(path).map(|_| Self(path.to_owned()))
        }

        fn names(&self) -> io::Result<Vec<String>> {
            let names = std::fs::read_dir(&self.0)?.map(|entry| Ok(entry?.file_name()));
            let names = names.collect::<io::Result<Vec<_>>>()?.into_iter();
            Ok(names.filter_map(|name| name.into_string().ok()).collect())
        }

        fn create(&self, name: &str) -> io::Result<File> {
            File::create_new(self.0.join(name))
        }

        fn file(&self, name: &str) -> io::Result<File> {
            File::open(self.0.join(name))
        }

        fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            std::fs::rename(self.0.join(from), self.0.join(to))
        }

        fn remove(&self, name: &str) -> io::Result<()> {
            std::fs::remove_file(self.0.join(name))
        }

        fn sync(&self) -> io::Result<()> {
            Ok(())
        }
    }
}
