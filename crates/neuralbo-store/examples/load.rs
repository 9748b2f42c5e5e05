//! One worker of bench/system/load.py: asks and tells for a while, and evaluates nothing.
//!
//!     load make URL STUDY
//!     load work URL STUDY FROM UNTIL      (seconds since 1970)

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use neuralbo::Registry;
use neuralbo::record::{Definition, Direction, Limits};
use neuralbo::space::Space;
use neuralbo::store::NewStudy;
use neuralbo::study::{Asked, Study, Worker};
use neuralbo_store::open;

type Failure = Box<dyn std::error::Error>;

fn make(url: &str, name: &str) -> Result<(), Failure> {
    let space = Space::from_bounds(&[(0.0, 1.0); 5])?;
    let definition = Definition {
        method: "random".to_owned(),
        seed: 1,
        ..Definition::new(space, Direction::Minimize)
    };
    open(url)?.create_study(&NewStudy::new(name, definition, Limits::default()))?;
    Ok(())
}

fn now() -> f64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs_f64()
}

/// Prints how many trials were told.
fn work(url: &str, name: &str, from: f64, until: f64) -> Result<(), Failure> {
    let store = open(url)?;
    let record = store.study(name)?;
    let mut study = Study::open(store, record, Registry::standard())?;
    let worker = Worker {
        name: neuralbo_store::worker::this_process(),
        lease: Duration::from_secs(60),
    };
    std::thread::sleep(Duration::from_secs_f64((from - now()).max(0.0)));
    let mut told = 0;
    while now() < until {
        let Asked::Trials(trials) = study.ask(&worker, 1)? else {
            return Err("nothing to ask for".into());
        };
        for trial in &trials {
            study.tell(trial, trial.number as f64)?;
            told += 1;
        }
    }
    println!("{told}");
    Ok(())
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["make", url, name] => make(url, name),
        ["work", url, name, from, until] => work(url, name, from.parse()?, until.parse()?),
        _ => Err("load make URL STUDY, or load work URL STUDY FROM UNTIL".into()),
    }
}
