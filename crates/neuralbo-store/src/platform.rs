//! What the stores ask of the operating system beyond the standard library.
//!
//! [`OperatingSystem`] and [`PrivateFiles`] are the contract; [`System`] and [`PrivateFolder`] keep it on the system that this is
//! compiled for. A port to another system is another implementation of both.

mod private_folder;

pub(crate) use private_folder::{PrivateFiles, PrivateFolder};

use std::borrow::Cow;
use std::io;
use std::path::Path;

/// Files, their owners, and the processes beside this one.
// Which parts of it are used depends on the features.
#[allow(dead_code)]
pub(crate) trait OperatingSystem {
    /// Whether this process may write a file, without opening it: closing a file gives up the locks that SQLite has on it.
    fn may_write(path: &Path) -> io::Result<()>;
    /// Makes a file one that its owner alone may read and write.
    fn make_private(path: &Path) -> io::Result<()>;
    /// Whether others than its owner may read a file; `false` if unknown.
    fn others_may_read(path: &Path) -> bool;
    /// Brings the names of a folder to the disk, so that a file that was renamed keeps its name; nothing where names are kept anyway.
    fn sync_folder(folder: &Path) -> io::Result<()>;
    /// Names the file that a path leads to, whatever its name; `None` if there is none, or if the system does not tell.
    fn file_id(path: &Path) -> Option<(u64, u64)>;
    /// A path as the bytes of a URI.
    fn bytes(path: &Path) -> Cow<'_, [u8]>;
    /// The machine's name.
    fn host() -> Option<String>;
    /// Something that differs for every start of every machine, and for every container with processes of its own; `None` where
    /// the system does not tell.
    fn machine() -> Option<(String, String)>;
    /// When a process started; `None` if there is none, or if the system does not tell.
    fn start_of(pid: u32) -> Option<Started>;
    /// Whether no process has this number. A process that the system hides from this user exists.
    fn is_free(pid: u32) -> bool;
}

/// When a process started.
pub(crate) struct Started {
    /// By the system's own count, which differs between processes of the same number.
    pub(crate) ticks: u64,
    /// It has ended, and only its parent has not looked yet.
    pub(crate) dead: bool,
}

/// The system that this is compiled for.
pub(crate) struct System;

#[cfg(unix)]
impl OperatingSystem for System {
    fn may_write(path: &Path) -> io::Result<()> {
        Ok(rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?)
    }

    fn make_private(path: &Path) -> io::Result<()> {
        std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
    }

    fn others_may_read(path: &Path) -> bool {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(path).is_ok_and(|data| data.permissions().mode() & 0o077 != 0)
    }

    fn sync_folder(folder: &Path) -> io::Result<()> {
        std::fs::File::open(folder)?.sync_all()
    }

    fn file_id(path: &Path) -> Option<(u64, u64)> {
        use std::os::unix::fs::MetadataExt;
        let data = std::fs::metadata(path).ok()?;
        Some((data.dev(), data.ino()))
    }

    fn bytes(path: &Path) -> Cow<'_, [u8]> {
        Cow::Borrowed(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()))
    }

    fn host() -> Option<String> {
        rustix::system::uname()
            .nodename()
            .to_str()
            .ok()
            .map(str::to_owned)
    }

    fn machine() -> Option<(String, String)> {
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        let processes = std::fs::read_link("/proc/self/ns/pid").ok()?;
        Some((boot.trim().to_owned(), processes.to_str()?.to_owned()))
    }

    fn start_of(pid: u32) -> Option<Started> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The second field is the program's name in parentheses, which may hold anything.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let dead = matches!(fields.next()?, "Z" | "X" | "x");
        // The state is field 3, the start field 22.
        Some(Started {
            ticks: fields.nth(18)?.parse().ok()?,
            dead,
        })
    }

    fn is_free(pid: u32) -> bool {
        let pid = i32::try_from(pid)
            .ok()
            .and_then(rustix::process::Pid::from_raw);
        pid.is_some_and(|pid| {
            rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH)
        })
    }
}

#[cfg(not(unix))]
impl OperatingSystem for System {
    fn may_write(path: &Path) -> io::Result<()> {
        match std::fs::metadata(path)?.permissions().readonly() {
            true => Err(io::ErrorKind::PermissionDenied.into()),
            false => Ok(()),
        }
    }

    /// Files in a user's own folders are the user's own.
    fn make_private(_: &Path) -> io::Result<()> {
        Ok(())
    }

    fn others_may_read(_: &Path) -> bool {
        false
    }

    fn sync_folder(_: &Path) -> io::Result<()> {
        Ok(())
    }

    fn file_id(_: &Path) -> Option<(u64, u64)> {
        None
    }

    fn bytes(path: &Path) -> Cow<'_, [u8]> {
        let text = path.to_string_lossy().replace('\\', "/");
        Cow::Owned(
            if text.starts_with('/') {
                text
            } else {
                format!("/{text}")
            }
            .into_bytes(),
        )
    }

    fn host() -> Option<String> {
        std::env::var("COMPUTERNAME").ok()
    }

    fn machine() -> Option<(String, String)> {
        None
    }

    fn start_of(_: u32) -> Option<Started> {
        None
    }

    fn is_free(_: u32) -> bool {
        false
    }
}
