//! Programs run below a process of their own, the supervisor: this program once more, started for every program that runs at the
//! same time and used again for the next. Only it knows process numbers; the loop's side has a socket.

mod protocol;
mod serve;
mod tree;

use std::ffi::OsString;
use std::io::{self, ErrorKind, PipeWriter};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::invocation;
use crate::platform::{Ended, Ender, Limits, Program, Supervisor};
use protocol::{Answer, Order, receive, send, send_with};
use rustix::process::{Pid, Signal, kill_process_group};

/// What a supervisor is called: a name that keeps `pkill -f neuralbo` from ending the supervisors, too.
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
    /// Orders are sent by several threads; a frame must not come between the parts of another.
    orders: Arc<Mutex<UnixStream>>,
    number: u64,
    leader: Option<Pid>,
}

impl Supervisor for UnixSupervisor {
    fn start(limits: &Limits, folder: Option<&Path>) -> io::Result<Self> {
        let (control, theirs) = UnixStream::pair()?;
        let limits = serde_json::to_string(limits)?;
        let mut command = invocation::command()?;
        folder
            .into_iter()
            .for_each(|folder| _ = command.current_dir(folder));
        // An interpreter, which takes arguments to become us, finds its files by its own name.
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
        })
    }

    fn run(&mut self, program: Program, output: [PipeWriter; 2]) -> io::Result<Ender> {
        self.number += 1;
        let number = self.number;
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        send_with(
            &orders,
            &Order::Run(number, program),
            output.map(OwnedFd::from),
        )?;
        drop(orders);
        match receive(&self.control)? {
            Some((Answer::Started(leader), _)) => self.leader = Pid::from_raw(leader),
            Some((Answer::CannotStart(error), _)) => {
                return Err(io::Error::from_raw_os_error(error));
            }
            Some((Answer::Ended { .. }, _)) => return Err(ErrorKind::InvalidData.into()),
            None => return Err(ErrorKind::UnexpectedEof.into()),
        }
        let orders = Arc::clone(&self.orders);
        Ok(Arc::new(move || {
            let orders = orders.lock().unwrap_or_else(PoisonError::into_inner);
            // A supervisor that cannot be reached has ended, and its program with it.
            let _ = send(&orders, &Order::End(number));
        }))
    }

    fn ended_within(&mut self, limit: Option<Duration>) -> Option<io::Result<Ended>> {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        let rest = deadline.map(|deadline| {
            deadline
                .saturating_duration_since(Instant::now())
                .max(Duration::from_millis(1))
        });
        match self
            .control
            .set_read_timeout(rest)
            .and_then(|()| receive(&self.control))
        {
            Ok(Some((Answer::Ended { status, asked }, _))) => {
                self.leader = None;
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
        self.process.wait()
    }
}
