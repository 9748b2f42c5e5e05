//! What a supervisor is told and what it answers: frames of JSON over a pair of sockets, a length before each.

use std::io::{self, ErrorKind, IoSlice, IoSliceMut, Read, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::platform::Program;

/// What a supervisor is told.
#[derive(Debug, Serialize, Deserialize)]
pub enum Order {
    /// Run a program; its standard output and standard error come with the frame. The number is different for every program of a
    /// supervisor: an order to end one must not reach the next.
    Run(u64, Program),
    /// End the program of this number, if it is the one that runs.
    End(u64),
}

/// What a supervisor answers.
#[derive(Debug, Serialize, Deserialize)]
pub enum Answer {
    /// The program runs as this process.
    Started(i32),
    /// It could not be started: the system's number of the error.
    CannotStart(i32),
    /// It has ended, and with it everything that it started.
    Ended {
        /// As the system encodes it; `None` if the program could not be ended.
        status: Option<i32>,
        /// Whether it was asked to end.
        asked: bool,
    },
}

/// Sends a frame.
pub fn send(mut socket: &UnixStream, message: &impl Serialize) -> io::Result<()> {
    socket.write_all(&frame(message)?)
}

/// Sends a frame together with open files.
pub fn send_with(
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
    let sent = sendmsg(
        socket,
        &[IoSlice::new(&frame)],
        &mut control,
        SendFlags::empty(),
    )?;
    socket.write_all(&frame[sent..])
}

fn frame(message: &impl Serialize) -> io::Result<Vec<u8>> {
    let body = serde_json::to_vec(message)?;
    let length = u32::try_from(body.len()).map_err(|_| io::Error::from(ErrorKind::InvalidInput))?;
    Ok([length.to_be_bytes().as_slice(), &body].concat())
}

/// Receives a frame and the open files that came with it; `None` when the other side is gone.
pub fn receive<T: DeserializeOwned>(
    mut socket: &UnixStream,
) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
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
    fn frames_arrive_whole_with_their_files() {
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
