//! `neuralbo run`.

use neuralbo::record::Limits;
use neuralbo::store::StudyRecord;
use serde_json::json;

use crate::interrupt::Interrupt;
use crate::number::number;
use crate::output::{CommandError, answer, counted};
use crate::run::args::RunArgs;
use crate::run::evaluator::RunObjective;
use crate::run::study::{StudyRequest, continue_study};
use crate::run::study_run::StudyRun;
use crate::run::trace;

impl RunArgs {
    /// Makes or continues the study, works on it and prints the result. Everything given is checked before anything is made.
    pub fn execute(self) -> Result<u8, CommandError> {
        self.refuse_storage_without_study()?;
        self.work.set_threads()?;
        let wanted = StudyRequest::new(&self)?;
        self.trace.as_deref().map_or(Ok(()), trace::check_file)?;
        let interrupt = Interrupt::install()?;
        let (mut study, new) = wanted.open()?;
        if self.command.is_empty() && self.function.is_none() {
            return self.announce(study.record(), new);
        }
        if !new {
            continue_study(&study, &self.storage, self.work.quiet)?;
        }
        // The stored seed, not a new one: programs and noise must see the same one after a restart.
        let mut evaluator = RunObjective::new(&self, study.definition(), &interrupt)?;
        evaluator.keep_checkpoints(&self.work, &mut study);
        let work = StudyRun {
            label: wanted.label,
            evaluator: &evaluator,
            options: self.work.options(self.study.is_some(), interrupt.stop),
            storage: &self.storage,
            stored: self.study.is_some(),
            trace: self.trace.as_deref(),
            work: &self.work,
        };
        work.run(study)
    }

    /// Nothing is to be run: the study waits for `neuralbo worker` and `neuralbo ask`.
    fn announce(&self, record: &StudyRecord, new: bool) -> Result<u8, CommandError> {
        let (name, limits) = (&record.name, &record.limits);
        let data =
            json!({ "study": name, "new": new, "limits": limits, "version": record.version });
        let state = if new { "created" } else { "exists" };
        let text = format!("study `{name}` {state}; {}\n", limits_text(limits));
        answer(self.work.json, &data, &text)
    }
}

/// When a study ends.
fn limits_text(limits: &Limits) -> String {
    let target = |target| format!("target {}", number(target));
    let mut rules = Vec::new();
    rules.extend(limits.trials.map(|count| counted(count, "trial")));
    rules.extend(limits.patience.map(|count| format!("patience {count}")));
    rules.extend(limits.target.map(target));
    match rules.is_empty() {
        true => "no limit".to_owned(),
        false => format!("limits: {}", rules.join(", ")),
    }
}
