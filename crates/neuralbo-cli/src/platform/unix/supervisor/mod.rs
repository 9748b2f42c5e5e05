//! Programs run below a process of their own, the supervisor: this executable again, one per program
//! at a time, and reused. Only the supervisor knows process numbers; the other side has a socket, over
//! which both exchange JSON messages with a length before each.

mod serve;

use std::ffi::OsString;
use std::io::{self, ErrorKind, IoSlice, IoSliceMut, PipeWriter, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::invocation;
use crate::platform::unix::Unix;
use crate::platform::{Ended, Ender, Platform, ProcessLimits, Program, StartError, Supervisor};

/// The process name of supervisors; `pkill -f neuralbo` does not match it.
const NAME: &str = "trial-supervisor";
/// Its hidden command.
const COMMAND: &str = "__supervise";

/// Becomes a supervisor if this process was started as one.
pub fn supervise_if_asked(arguments: &[OsString]) -> Option<u8> {
    match arguments {
        [_, command, limits] if command == COMMAND => {
            Some(serve::supervise(&limits.to_string_lossy()))
        }
        _ => None,
    }
}

/// A process that runs programs, one at a time. It ends when it is dropped.
pub struct UnixSupervisor {
    process: Child,
    control: UnixStream,
    /// Locked because several threads send orders.
    orders: Arc<Mutex<UnixStream>>,
    number: u64,
    leader: Option<Pid>,
    /// The file of the program that runs.
    file: Option<PathBuf>,
}

impl Supervisor for UnixSupervisor {
    fn start(limits: &ProcessLimits, folder: Option<&Path>, withheld: &[&str]) -> io::Result<Self> {
        let (control, theirs) = UnixStream::pair()?;
        let limits = serde_json::to_string(limits)?;
        let mut command = invocation::command()?;
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        // Programs can read the environment of their supervisor.
        for name in withheld {
            command.env_remove(name);
        }
        // An interpreter that runs us finds its files by its own name.
        if command.get_args().next().is_none() {
            command.arg0(NAME);
        }
        let process = command
            .args([COMMAND, &limits])
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let orders = Arc::new(Mutex::new(control.try_clone()?));
        Ok(Self {
            process,
            control,
            orders,
            number: 0,
            leader: None,
            file: None,
        })
    }

    fn run(&mut self, program: &Program, output: [PipeWriter; 2]) -> Result<Ender, StartError> {
        self.number += 1;
        let number = self.number;
        let order = SupervisorOrder::Run(number, program.clone());
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = send_with(&orders, &order, output.map(OwnedFd::from));
        drop(orders);
        sent.map_err(StartError::Supervisor)?;
        match receive(&self.control).map_err(StartError::Supervisor)? {
            Some((SupervisorAnswer::Started(leader, file), _)) => {
                (self.leader, self.file) = (Pid::from_raw(leader), Some(file));
            }
            Some((SupervisorAnswer::CannotStart(code, is_program), _)) => {
                let error = io::Error::from_raw_os_error(code);
                return Err(match is_program && !Unix::may_pass(&error) {
                    true => StartError::Program(error),
                    false => StartError::Machine(error),
                });
            }
            Some((SupervisorAnswer::Ended { .. }, _)) => {
                return Err(StartError::Supervisor(ErrorKind::InvalidData.into()));
            }
            None => return Err(StartError::Supervisor(ErrorKind::UnexpectedEof.into())),
        }
        let orders = Arc::clone(&self.orders);
        Ok(Arc::new(move || {
            let orders = orders.lock().unwrap_or_else(PoisonError::into_inner);
            // An unreachable supervisor has ended with its program.
            let _ = send(&orders, &SupervisorOrder::End(number));
        }))
    }

    fn ended_within(&mut self, limit: Option<Duration>) -> Option<io::Result<Ended>> {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        let rest = deadline.map(|deadline| {
            deadline
                .saturating_duration_since(Instant::now())
                .max(Duration::from_millis(1))
        });
        let ready = self.control.set_read_timeout(rest);
        match ready.and_then(|()| receive(&self.control)) {
            Ok(Some((SupervisorAnswer::Ended { status, asked }, _))) => {
                (self.leader, self.file) = (None, None);
                Some(Ok(Ended {
                    status: status.map(ExitStatus::from_raw),
                    asked,
                }))
            }
            Ok(_) => Some(Err(ErrorKind::UnexpectedEof.into())),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                None
            }
            Err(error) => Some(Err(error)),
        }
    }

    fn lost(mut self) -> io::Result<ExitStatus> {
        if let Some(leader) = self.leader {
            let _ = kill_process_group(leader, Signal::KILL);
        }
        let _ = self.process.kill();
        let status = self.process.wait();
        if let Some(file) = &self.file {
            // It may have ended in time to remove it.
            let _ = std::fs::remove_file(file);
        }
        status
    }
}

/// An order to a supervisor.
#[derive(Debug, Serialize, Deserialize)]
enum SupervisorOrder {
    /// Run a program; its standard output and standard error come with the message. Every program
    /// has another number, so that a late order cannot end the next program.
    Run(u64, Program),
    /// End the program of this number if it runs.
    End(u64),
}

/// An answer of a supervisor.
#[derive(Debug, Serialize, Deserialize)]
enum SupervisorAnswer {
    /// The program runs as this process, with this file.
    Started(i32, PathBuf),
    /// It could not be started: the OS error code, and whether it is about the program.
    CannotStart(i32, bool),
    /// It has ended, with all its descendants.
    Ended {
        /// The raw status; `None` if the program could not be stopped.
        status: Option<i32>,
        /// Whether it was asked to end.
        asked: bool,
    },
}

/// Sends a message.
fn send(mut socket: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    socket.write_all(&frame(message)?)
}

/// Sends a message with open files.
fn send_with(
    mut socket: &UnixStream,
    message: &impl Serialize,
    files: [OwnedFd; 2],
) -> io::Result<()> {
    let frame = frame(message)?;
    let borrowed = files.each_ref().map(AsFd::as_fd);
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !control.push(SendAncillaryMessage::ScmRights(&borrowed)) {
        return Err(ErrorKind::InvalidInput.into());
    }
    let pieces = [IoSlice::new(&frame)];
    let sent = sendmsg(socket, &pieces, &mut control, SendFlags::empty())?;
    socket.write_all(&frame[sent..])
}

fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len()).map_err(|_| io::Error::from(ErrorKind::InvalidInput))?;
    Ok([length.to_be_bytes().as_slice(), &body].concat())
}

/// Receives a message with its open files; `None` if the other side has closed.
fn receive<T: DeserializeOwned>(mut socket: &UnixStream) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let mut length = [0; 4];
    let (count, files) = receive_some(socket, &mut length)?;
    if count == 0 {
        return Ok(None);
    }
    socket.read_exact(&mut length[count..])?;
    let mut body = vec![0; u32::from_be_bytes(length) as usize];
    socket.read_exact(&mut body)?;
    Ok(Some((serde_json::from_slice(&body)?, files)))
}

#[cfg(target_os = "linux")]
const FLAGS: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(not(target_os = "linux"))]
const FLAGS: RecvFlags = RecvFlags::empty();

fn receive_some(socket: &UnixStream, buffer: &mut [u8]) -> io::Result<(usize, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        match recvmsg(socket, &mut [IoSliceMut::new(buffer)], &mut control, FLAGS) {
            Err(rustix::io::Errno::INTR) => {}
            received => break received?,
        }
    };
    let rights = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files),
        _ => None,
    });
    Ok((received.bytes, rights.flatten().collect()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn messages_arrive_complete_with_their_files() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (mut reader, writer) = std::io::pipe().unwrap();
        let (writer, other) = (
            OwnedFd::from(writer),
            OwnedFd::from(std::io::pipe().unwrap().1),
        );
        let long = "x".repeat(1 << 20);
        let expected = long.clone();
        let sender = std::thread::spawn(move || {
            send_with(&ours, &long, [writer, other]).unwrap();
            send(&ours, &7).unwrap();
        });
        let (text, files) = receive::<String>(&theirs).unwrap().unwrap();
        assert_eq!((text, files.len()), (expected, 2));
        std::fs::File::from(files.into_iter().next().unwrap())
            .write_all(b"through")
            .unwrap();
        assert_eq!(receive::<u64>(&theirs).unwrap().unwrap().0, 7);
        sender.join().unwrap();
        assert!(
            receive::<u64>(&theirs).unwrap().is_none(),
            "the other side is gone"
        );
        let mut seen = String::new();
        reader.read_to_string(&mut seen).unwrap();
        assert_eq!(seen, "through");
    }
}
