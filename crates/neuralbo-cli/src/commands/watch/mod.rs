//! `neuralbo watch`.

mod frame;
mod state;

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::Args;
use neuralbo_store::Access;

use crate::duration;
use crate::exit::{CommandError, EXIT_OK};
use crate::output::{print_data, wrote};
use crate::platform::{Platform, System};
use crate::run::args::StorageArgs;
use crate::table::{cut, terminal_width};
use frame::{frame, line};
use state::Watched;

/// How long an interrupt may go unnoticed.
const NAP: Duration = Duration::from_millis(50);
/// The width of a frame that is not shown on a terminal.
const WIDTH: usize = 100;

/// Another screen without a cursor, and back.
const ENTER: &str = "\u{1b}[?1049h\u{1b}[?25l";
const LEAVE: &str = "\u{1b}[?25h\u{1b}[?1049l";
/// To the first line; the rest of a line; everything below.
const HOME: &str = "\u{1b}[H";
const REST: &str = "\u{1b}[K";
const BELOW: &str = "\u{1b}[J";

/// Follow a stored study: how far it is, the best so far, its workers, last trials and failures.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  neuralbo watch tuning\n  neuralbo watch tuning --once\n\nEnds with the study, or on Ctrl-C."
)]
pub struct WatchCommand {
    /// The study
    study: String,
    #[command(flatten)]
    storage: StorageArgs,
    /// How often to look
    #[arg(long, value_name = "DURATION", default_value = "1s", value_parser = duration::parse)]
    every: Duration,
    /// Show how things are now, and end
    #[arg(long)]
    once: bool,
}

impl WatchCommand {
    /// Shows the study until it ends.
    pub fn execute(self) -> Result<u8, CommandError> {
        let (store, record) = self.storage.study(&self.study, Access::Read)?;
        let mut watched = Watched::new(store, record);
        watched.refresh()?;
        if self.once {
            print_data(&frame(
                &watched,
                terminal_width().unwrap_or(WIDTH),
                usize::MAX,
            ))?;
            return Ok(EXIT_OK);
        }
        let stop = stop_flag()?;
        if std::io::stdout().is_terminal() {
            self.live(&mut watched, &stop)
        } else {
            self.lines(&mut watched, &stop)
        }?;
        Ok(EXIT_OK)
    }

    /// One frame over the other; what is left at the end stays on the screen.
    fn live(&self, watched: &mut Watched, stop: &AtomicBool) -> Result<(), CommandError> {
        draw(ENTER)?;
        let shown = self.until_the_end(watched, stop, |watched| {
            let (width, height) = size();
            draw(&over(&frame(watched, width, height), width))
        });
        draw(LEAVE)?;
        shown?;
        let (width, _) = size();
        print_data(&frame(watched, width, usize::MAX))
    }

    /// One line each time that something has changed.
    fn lines(&self, watched: &mut Watched, stop: &AtomicBool) -> Result<(), CommandError> {
        let mut last = String::new();
        self.until_the_end(watched, stop, |watched| {
            let now = line(watched);
            if now != last {
                print_data(&format!("{now}\n"))?;
                last = now;
            }
            Ok(())
        })
    }

    fn until_the_end(
        &self,
        watched: &mut Watched,
        stop: &AtomicBool,
        mut show: impl FnMut(&Watched) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        loop {
            watched.refresh()?;
            show(watched)?;
            let next = Instant::now() + self.every;
            while Instant::now() < next && !watched.has_ended() {
                if stop.load(Ordering::Relaxed) {
                    return Ok(());
                }
                sleep(NAP.min(next.saturating_duration_since(Instant::now())));
            }
            if watched.has_ended() || stop.load(Ordering::Relaxed) {
                return Ok(());
            }
        }
    }
}

/// Is set by Ctrl-C.
fn stop_flag() -> Result<Arc<AtomicBool>, CommandError> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut interruptions =
        System::interruptions().map_err(|error| CommandError::failure("signals", error))?;
    let flag = Arc::clone(&stop);
    std::thread::spawn(move || {
        interruptions
            .next()
            .into_iter()
            .for_each(|_| flag.store(true, Ordering::Relaxed))
    });
    Ok(stop)
}

/// A frame in place of the one before: each line over the old one, so that nothing flickers.
fn over(frame: &str, width: usize) -> String {
    let lines: Vec<String> = frame
        .lines()
        .map(|line| {
            if line.contains('\u{1b}') {
                line.to_owned()
            } else {
                cut(line, width)
            }
        })
        .collect();
    format!("{HOME}{}{REST}{BELOW}", lines.join(&format!("{REST}\r\n")))
}

fn draw(text: &str) -> Result<(), CommandError> {
    let mut stdout = std::io::stdout().lock();
    wrote(
        "standard output",
        stdout
            .write_all(text.as_bytes())
            .and_then(|()| stdout.flush()),
    )
}

fn size() -> (usize, usize) {
    System::terminal_size().unwrap_or((WIDTH, 24))
}
