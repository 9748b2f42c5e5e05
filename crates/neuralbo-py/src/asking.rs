//! Asking for trials while the interpreter listens: they are given back if it is interrupted.

use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use neuralbo::record::Trial as Record;
use neuralbo::space::Space;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::errors::{EngineResult, detached};
use crate::guard::guarded;
use crate::listening::listen;
use crate::lock;
use crate::point_form::PointForm;
use crate::shared_study::SharedStudy;
use crate::study::PyStudy;

/// Finished trials up to which a model is fitted at once.
const FEW: u64 = 100;
/// A study whose last ask took no longer is asked at once, however many trials it has: a thread would cost more.
const QUICK: Duration = Duration::from_millis(1);

type AskedTrials = (Vec<Record>, Arc<Space>);

/// How far an ask has come that runs beside the interpreter.
enum AskProgress {
    Thinking,
    Done(PyResult<AskedTrials>),
    /// The asking thread has gone.
    Abandoned,
}

impl PyStudy {
    /// Up to `count` trials and the space they are of. They are asked for beside the interpreter, and given back if it is
    /// interrupted; a single one of a study with few trials, or that was quick before, is asked for at once.
    pub(crate) fn asked(
        &self,
        py: Python<'_>,
        count: usize,
        lease: Duration,
    ) -> PyResult<AskedTrials> {
        let (shared, form) = (Arc::clone(&self.shared), self.form);
        let (flag, soon) = shared.held(py, |kept| {
            let few = kept.study.counts().finished() <= FEW;
            let quick = kept.last_ask.is_some_and(|took| took < QUICK);
            Ok((kept.study.cancel_flag(), few || quick))
        })?;
        if count <= 1 && soon {
            return Ok(detached(py, move || ask(&shared, form, count, lease))??);
        }
        let progress = Arc::new(Mutex::new(AskProgress::Thinking));
        let (done, mut ended) = channel();
        let (theirs, lowered) = (Arc::clone(&progress), flag.clone());
        thread::spawn(move || {
            let answer = guarded(|| ask(&shared, form, count, lease))
                .map_err(PyRuntimeError::new_err)
                .and_then(|asked| Ok(asked?));
            let mut progress = lock(&theirs);
            match *progress {
                AskProgress::Abandoned => {
                    lowered.lower();
                    give_back(&shared, answer);
                }
                _ => *progress = AskProgress::Done(answer),
            }
            drop(progress);
            // Nobody listens any more when the ask was abandoned.
            let _ = done.send(());
        });
        let heard = listen(py, &mut ended);
        let mut progress = lock(&progress);
        let answer = match std::mem::replace(&mut *progress, AskProgress::Abandoned) {
            AskProgress::Done(answer) => Some(answer),
            AskProgress::Thinking | AskProgress::Abandoned => {
                flag.raise();
                None
            }
        };
        match (heard, answer) {
            (Ok(_), Some(answer)) => answer,
            (Ok(_), None) => Err(PyRuntimeError::new_err(
                "the engine's thread ended without an answer",
            )),
            (Err(signal), answer) => {
                let shared = &self.shared;
                answer.map_or(Ok(()), |answer| detached(py, || give_back(shared, answer)))?;
                Err(signal)
            }
        }
    }
}

fn ask(
    shared: &SharedStudy,
    form: PointForm,
    count: usize,
    lease: Duration,
) -> EngineResult<AskedTrials> {
    let mut kept = shared.lock()?;
    let began = Instant::now();
    let records = kept.ask(count, lease)?;
    kept.last_ask = Some(began.elapsed());
    kept.remember(form, &records);
    let space = Arc::clone(kept.space().0);
    Ok((records, space))
}

fn give_back(shared: &SharedStudy, answer: PyResult<AskedTrials>) {
    if let (Ok(mut kept), Ok((records, _))) = (shared.lock(), answer) {
        kept.forget(&records);
        kept.give_back(&records);
    }
}
