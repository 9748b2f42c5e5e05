//! A spool beside hostile neighbours: only what this user wrote for this very claim is told, and nothing is written through a link.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::PathBuf;

use neuralbo::record::{Definition, Direction, Ending, Limits, Outcome, Token};
use neuralbo::space::Space;
use neuralbo::store::{Claim, Claimed, NewStudy, StoreError, StudyRecord};
use neuralbo_store::{Spool, Spooled, open};

use crate::backends::directory;

/// A user without rights.
const NOBODY: u32 = 65534;

/// A claimed trial of a study in memory, a result of it, and a spool.
struct Fixture {
    store: std::sync::Arc<dyn neuralbo::store::Store>,
    study: StudyRecord,
    result: Spooled,
    folder: tempfile::TempDir,
    spool: Spool,
}

fn fixture() -> Fixture {
    let store = open("memory://").unwrap();
    let definition = Definition::new(
        Space::from_bounds(&[(0.0, 1.0)]).unwrap(),
        Direction::Minimize,
    );
    let study = NewStudy::new("s", definition, Limits::default());
    let study = store.create_study(&study).unwrap();
    let claim = Claim {
        worker: "w".to_owned(),
        token: Token::fresh(),
        lease: std::time::Duration::from_secs(60),
    };
    let Claimed::Trial(trial) = store.claim(study.id, &claim).unwrap() else {
        panic!("full")
    };
    let result = Spooled::new("memory", &study, &trial, &ending(&study, 0.5), &[]);
    let folder = directory();
    let spool = Spool::new(folder.path().join("spool"));
    Fixture {
        store,
        study,
        result,
        folder,
        spool,
    }
}

fn ending(study: &StudyRecord, value: f64) -> Ending {
    study.definition.ending(Outcome::Value(value)).unwrap()
}

impl Fixture {
    fn in_spool(&self, name: String) -> PathBuf {
        self.spool.folder().join(name)
    }

    fn make_folder(&self) {
        self.spool.write(&self.result).unwrap();
        fs::remove_file(self.in_spool(format!("{}.json", self.result.lease.token))).unwrap();
    }

    /// The error of the only entry.
    fn refused(&self) -> String {
        let entries = self.spool.read().unwrap();
        assert_eq!(entries.len(), 1);
        entries[0].1.as_ref().unwrap_err().to_string()
    }
}

#[test]
fn what_is_written_is_private_and_read_again() {
    let at = fixture();
    let file = at.spool.write(&at.result).unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(at.spool.folder()), mode(&file)), (0o700, 0o600));
    let entries = at.spool.read().unwrap();
    assert_eq!(entries[0].1.as_ref().unwrap(), &at.result);
}

#[test]
fn a_forged_result_with_another_token_is_refused() {
    let at = fixture();
    let mut forged = at.result.clone();
    forged.lease.token = Token::fresh();
    forged.ending = ending(&at.study, -666.0);
    let told = forged.tell(at.store.as_ref());
    assert!(
        matches!(told, Err(StoreError::LeaseLost { .. })),
        "{told:?}"
    );
    at.result.tell(at.store.as_ref()).unwrap();
    let trial = at.store.trial(at.study.id, 0).unwrap();
    assert_eq!(trial.value("value"), Some(0.5));
}

#[test]
fn no_link_is_followed() {
    let at = fixture();
    at.make_folder();
    let precious = at.folder.path().join("precious");
    fs::write(&precious, "precious").unwrap();
    let token = at.result.lease.token;
    symlink(&precious, at.in_spool(format!("{token}.part"))).unwrap();
    at.spool.write(&at.result).unwrap();
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");

    let file = at.in_spool(format!("{token}.json"));
    fs::rename(&file, &precious).unwrap();
    symlink(&precious, &file).unwrap();
    assert!(at.refused().contains("symbolic link"), "{}", at.refused());

    let elsewhere = at.folder.path().join("elsewhere");
    fs::rename(at.spool.folder(), &elsewhere).unwrap();
    symlink(&elsewhere, at.spool.folder()).unwrap();
    let refused = at.spool.write(&at.result).unwrap_err().to_string();
    assert_eq!(refused, "it is a symbolic link");
    at.spool.read().unwrap_err();
}

#[test]
fn folders_and_files_of_others_are_refused() {
    let at = fixture();
    let file = at.spool.write(&at.result).unwrap();
    if let Err(error) = chown(&file, Some(NOBODY), None) {
        eprintln!("SKIPPED: only root can give files away: {error}");
        return;
    }
    assert_eq!(at.refused(), "it belongs to user 65534");
    chown(at.spool.folder(), Some(NOBODY), None).unwrap();
    let refused = at.spool.write(&at.result).unwrap_err().to_string();
    assert!(refused.contains("it belongs to user 65534"), "{refused}");
    at.spool.read().unwrap_err();
}

#[test]
fn a_folder_that_others_may_use_is_refused() {
    for mode in [0o755, 0o770, 0o701, 0o1777] {
        let at = fixture();
        at.make_folder();
        fs::set_permissions(at.spool.folder(), fs::Permissions::from_mode(mode)).unwrap();
        let refused = at.spool.write(&at.result).unwrap_err().to_string();
        assert!(refused.contains("others may use it"), "{refused}");
        at.spool.check().unwrap_err();
    }
}

#[test]
fn a_pipe_in_place_of_a_result_does_not_hang() {
    let at = fixture();
    at.make_folder();
    let pipe = at.in_spool("x.json".to_owned());
    let made = std::process::Command::new("mkfifo").arg(pipe).status();
    assert!(made.unwrap().success());
    assert_eq!(at.refused(), "it is not a file");
}
