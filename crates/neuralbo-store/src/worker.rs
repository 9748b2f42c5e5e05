//! Names of workers, and takeover of trials of dead processes.
//!
//! A worker that is killed leaves its trials leased until their time runs out. Another process of the same machine can see that it
//! is gone and need not wait.

use std::hash::{DefaultHasher, Hash, Hasher};

use neuralbo::record::Trial;
use neuralbo::store::{Lease, Store, StoreError, StudyId};

use crate::platform::{OperatingSystem, Started, System};

/// Names this process: `host:pid:start:machine`.
///
/// `start` is when it started, as the kernel counts, because numbers of processes are used again; `machine` tells apart machines
/// and containers that have the same name. Where the kernel does not say, the last two are missing.
///
/// ```
/// let me = neuralbo_store::worker::this_process();
/// assert!(!neuralbo_store::worker::is_gone(&me));
/// ```
pub fn this_process() -> String {
    name_of(std::process::id())
}

fn name_of(pid: u32) -> String {
    match (System::start_of(pid), machine()) {
        (Some(Started { ticks, .. }), Some(machine)) => {
            format!("{}:{pid}:{ticks}:{machine}", host())
        }
        _ => format!("{}:{pid}", host()),
    }
}

/// Whether a name of [`this_process`] is that of a process of this machine that is gone. Whenever there is a doubt the answer is
/// no.
pub fn is_gone(worker: &str) -> bool {
    let mut parts = worker.rsplitn(4, ':');
    let (Some(there), Some(ticks), Some(pid), Some(name)) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let (Ok(ticks), Ok(pid)) = (ticks.parse::<u64>(), pid.parse::<u32>()) else {
        return false;
    };
    // The process must be one that we would see if it lived.
    let ours = name == host()
        && machine().is_some_and(|machine| machine == there)
        && System::start_of(std::process::id()).is_some();
    ours && match System::start_of(pid) {
        Some(started) => started.ticks != ticks || started.dead,
        // `/proc` may hide the processes of other users (`hidepid`); then the lease decides.
        None => System::is_free(pid),
    }
}

/// Ends the leases of this machine's dead processes. Returns their trials.
///
/// ```
/// use neuralbo::record::{Definition, Direction, Limits};
/// use neuralbo::space::Space;
/// use neuralbo::store::NewStudy;
///
/// let store = neuralbo_store::open("memory://")?;
/// let definition = Definition::new(Space::from_bounds(&[(0.0, 1.0)])?, Direction::Minimize);
/// let study = store.create_study(&NewStudy::new("tuning", definition, Limits::default()))?;
/// assert!(neuralbo_store::worker::take_over_dead(store.as_ref(), study.id)?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn take_over_dead(store: &dyn Store, study: StudyId) -> Result<Vec<Trial>, StoreError> {
    let running = store.running(study)?;
    let dead: Vec<Trial> = running
        .into_iter()
        .filter(|trial| !trial.is_waiting() && is_gone(&trial.worker))
        .collect();
    dead.iter()
        .try_for_each(|trial| store.expire(&Lease::of(study, trial)))?;
    Ok(dead)
}

/// The machine's name.
fn host() -> String {
    let name = System::host()
        .filter(|name| !name.is_empty())
        .or_else(|| std::env::var("HOSTNAME").ok());
    name.unwrap_or_else(|| "host".to_owned())
}

/// Different for every start of every machine, and for every container with processes of its own.
fn machine() -> Option<String> {
    let mut hasher = DefaultHasher::new();
    System::machine()?.hash(&mut hasher);
    Some(format!("{:08x}", hasher.finish() as u32))
}

#[cfg(all(test, target_os = "linux"))]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::process::Command;
    use std::time::Duration;

    use neuralbo::record::{Definition, Direction, Limits, Token};
    use neuralbo::space::Space;
    use neuralbo::store::{Claim, Claimed, NewStudy};

    use super::*;

    #[test]
    fn a_killed_process_is_gone_and_a_living_one_is_not() {
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let name = name_of(child.id());
        assert!(!is_gone(&name) && !is_gone(&this_process()), "{name}");
        child.kill().unwrap();
        let mut waited = 0;
        // Not yet waited for by its parent, but dead.
        while !is_gone(&name) && waited < 200 {
            std::thread::sleep(Duration::from_millis(10));
            waited += 1;
        }
        assert!(is_gone(&name), "{name}");
        child.wait().unwrap();
        assert!(is_gone(&name), "{name}");
    }

    #[test]
    fn a_number_that_is_used_again_is_another_process() {
        let me = this_process();
        let [machine, ticks, pid, host] = me.rsplitn(4, ':').collect::<Vec<_>>()[..] else {
            panic!("{me}")
        };
        assert!(is_gone(&format!(
            "{host}:{pid}:{}:{machine}",
            ticks.parse::<u64>().unwrap() + 1
        )));
    }

    #[test]
    fn whatever_is_doubtful_is_not_gone() {
        let me = this_process();
        let [machine, ticks, _, host] = me.rsplitn(4, ':').collect::<Vec<_>>()[..] else {
            panic!("{me}")
        };
        let elsewhere = [
            format!("other:999999:{ticks}:{machine}"),
            format!("{host}:999999:{ticks}:00000000"),
        ];
        let unclear = [
            "",
            "vm:22506",
            "worker-3",
            "a:b:c:d",
            &elsewhere[0],
            &elsewhere[1],
        ];
        assert!(unclear.iter().all(|worker| !is_gone(worker)));
    }

    #[test]
    fn only_the_trials_of_the_dead_are_taken_over() {
        let store = crate::open("memory://").unwrap();
        let definition = Definition::new(
            Space::from_bounds(&[(0.0, 1.0)]).unwrap(),
            Direction::Minimize,
        );
        let study = store.create_study(&NewStudy::new("tuning", definition, Limits::default()));
        let study = study.unwrap().id;
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let workers = [name_of(child.id()), this_process(), "somebody:7".to_owned()];
        child.kill().unwrap();
        child.wait().unwrap();
        for worker in &workers {
            let claim = Claim {
                worker: worker.clone(),
                token: Token::fresh(),
                lease: Duration::from_secs(600),
            };
            assert!(matches!(store.claim(study, &claim), Ok(Claimed::Trial(_))));
        }
        let dead = take_over_dead(store.as_ref(), study).unwrap();
        assert_eq!(
            dead.iter()
                .map(|trial| (trial.number, &trial.worker))
                .collect::<Vec<_>>(),
            [(0, &workers[0])]
        );
        let claim = Claim {
            worker: this_process(),
            token: Token::fresh(),
            lease: Duration::from_secs(600),
        };
        let Claimed::Trial(next) = store.claim(study, &claim).unwrap() else {
            panic!("full")
        };
        assert_eq!(
            (next.number, next.attempt),
            (0, 2),
            "at once, without waiting for the lease"
        );
    }
}
