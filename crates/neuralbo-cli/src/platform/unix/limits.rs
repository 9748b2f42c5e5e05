//! What a process may use: Linux limits data segments and processors.

#[cfg(target_os = "linux")]
pub use linux::{apply, cpus};
#[cfg(not(target_os = "linux"))]
pub use none::{apply, cpus};

#[cfg(target_os = "linux")]
mod linux {
    use std::io;

    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    use crate::platform::ProcessLimits;

    /// Makes limits those of this process, and so of all that it starts. A limit of the system below them stays.
    pub fn apply(limits: &ProcessLimits) -> io::Result<()> {
        if let Some(memory) = limits.memory {
            let least = Some(
                getrlimit(Resource::Data)
                    .maximum
                    .map_or(memory, |system| system.min(memory)),
            );
            setrlimit(
                Resource::Data,
                Rlimit {
                    current: least,
                    maximum: least,
                },
            )?;
        }
        if !limits.cpus.is_empty() {
            let mut set = CpuSet::new();
            limits.cpus.iter().for_each(|cpu| set.set(*cpu));
            sched_setaffinity(None, &set)?;
        }
        Ok(())
    }

    pub fn cpus() -> Vec<usize> {
        let set = sched_getaffinity(None);
        set.map(|set| {
            (0..CpuSet::MAX_CPU)
                .filter(|cpu| set.is_set(*cpu))
                .collect()
        })
        .unwrap_or_default()
    }
}

#[cfg(not(target_os = "linux"))]
mod none {
    use std::io;

    use crate::platform::ProcessLimits;

    pub fn apply(_: &ProcessLimits) -> io::Result<()> {
        Ok(())
    }

    pub fn cpus() -> Vec<usize> {
        Vec::new()
    }
}
