//! The processes below this one.

use rustix::process::{Pid, Signal, kill_process};

/// A process below this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub pid: Pid,
    /// Whether it waits for something: it neither computes nor waits for a disk.
    pub is_idle: bool,
}

/// All processes below this one, at any depth; nobody escapes from below a process that adopts orphans. Empty where the system
/// does not tell.
#[cfg(target_os = "linux")]
pub fn descendants() -> Vec<Process> {
    let mut others: Vec<(Process, i32)> = numbers().filter_map(process).collect();
    let mut found: Vec<Process> = Vec::new();
    let mut parents = vec![rustix::process::getpid().as_raw_nonzero().get()];
    while let Some(parent) = parents.pop() {
        let (children, rest): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|(_, of)| *of == parent);
        others = rest;
        parents.extend(
            children
                .iter()
                .map(|(child, _)| child.pid.as_raw_nonzero().get()),
        );
        found.extend(children.into_iter().map(|(child, _)| child));
    }
    found
}

#[cfg(not(target_os = "linux"))]
pub fn descendants() -> Vec<Process> {
    Vec::new()
}

#[cfg(target_os = "linux")]
fn numbers() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// A process and its parent; `None` of one that has ended meanwhile.
#[cfg(target_os = "linux")]
fn process(number: i32) -> Option<(Process, i32)> {
    let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).ok()?;
    let (state, parent) = state_and_parent(&stat)?;
    Some((
        Process {
            pid: Pid::from_raw(number)?,
            is_idle: !matches!(state, 'R' | 'D'),
        },
        parent,
    ))
}

/// The name stands in parentheses and may itself have any; what follows the last one is plain.
#[cfg(target_os = "linux")]
fn state_and_parent(stat: &str) -> Option<(char, i32)> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
    Some((fields.next()?.chars().next()?, fields.next()?.parse().ok()?))
}

/// Sends a signal to processes; those that have ended meanwhile, or are not ours to end, do not get it.
pub fn signal(processes: &[Process], signal: Signal) {
    for process in processes {
        let _ = kill_process(process.pid, signal);
    }
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_look_like_the_fields_after_it() {
        assert_eq!(
            state_and_parent("7 (a) R 9 (b) S 12 7 7 0"),
            Some(('S', 12))
        );
        assert_eq!(state_and_parent("7 (unfinished"), None);
    }

    #[test]
    fn children_of_children_are_found() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "sleep 20 & wait"])
            .spawn()
            .unwrap();
        let pid = Pid::from_child(&child);
        let below = || {
            let found = descendants();
            let own = found.iter().find(|process| process.pid == pid).copied();
            own.zip(
                found
                    .into_iter()
                    .find(|process| process.pid != pid && grandparent(process.pid) == Some(pid)),
            )
        };
        let found = (0..1000).find_map(|_| {
            below().or_else(|| {
                std::thread::sleep(std::time::Duration::from_millis(10));
                None
            })
        });
        let (own, grandchild) = found.unwrap();
        signal(&[own, grandchild], Signal::KILL);
        child.wait().unwrap();
    }

    fn grandparent(pid: Pid) -> Option<Pid> {
        Pid::from_raw(process(pid.as_raw_nonzero().get())?.1)
    }
}
