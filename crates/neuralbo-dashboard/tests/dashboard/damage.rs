//! Records that cannot be read are named, and everything else is shown.

use neuralbo_store::Access;
use serde_json::json;

use crate::client::{ask, get};
use crate::fixture::{file, serve, study};

/// Changes a storage as no store would.
fn damage(url: &str, sql: &str) {
    let connection = rusqlite::Connection::open(url).unwrap();
    assert!(connection.execute(sql, []).unwrap() > 0, "{sql}");
}

#[test]
fn a_broken_trial_is_named_and_the_others_are_shown() {
    let (_folder, url) = file();
    study(neuralbo_store::open(&url).unwrap().as_ref(), "tuning", 30);
    damage(
        &url,
        "UPDATE neuralbo_trials SET params = '{\"lr\": ' WHERE number = 3",
    );
    damage(
        &url,
        "UPDATE neuralbo_trials SET version = 'nonsense' WHERE number = 21",
    );
    let server = serve(neuralbo_store::open_for(&url, Access::Watch).unwrap());
    let found = ask(server.address(), "/api/studies/tuning");
    let broken: Vec<_> = found["damage"]
        .as_array()
        .unwrap()
        .iter()
        .map(|damage| damage["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(broken, [22]);
    assert!(
        found["damage"][0]["reason"]
            .as_str()
            .unwrap()
            .contains("a trial"),
        "{}",
        found["damage"]
    );
    let page = ask(server.address(), "/api/studies/tuning/trials");
    assert_eq!(page["total"], 29);
    assert_eq!(
        get(server.address(), "/api/studies/tuning/trials/21").status,
        500
    );
    let third = ask(server.address(), "/api/studies/tuning/trials/3");
    let message = third["trial"]["failure"]["message"].as_str().unwrap();
    assert!(message.starts_with("unreadable record"), "{third}");
    assert_eq!(
        ask(server.address(), "/api/studies/tuning/trials/4")["trial"]["number"],
        4
    );
}

#[test]
fn a_broken_study_does_not_hide_the_others() {
    let (_folder, url) = file();
    let store = neuralbo_store::open(&url).unwrap();
    study(store.as_ref(), "broken", 3);
    study(store.as_ref(), "sound", 3);
    damage(
        &url,
        "UPDATE neuralbo_definitions SET definition = '{}' WHERE study = 1",
    );
    let server = serve(neuralbo_store::open_for(&url, Access::Watch).unwrap());
    let found = ask(server.address(), "/api/studies");
    assert_eq!(found["studies"][0]["name"], "broken");
    assert!(
        found["studies"][0]["error"]
            .as_str()
            .unwrap()
            .contains("cannot be read")
    );
    assert_eq!(found["studies"][1]["counts"]["complete"], json!(3));
    assert_eq!(get(server.address(), "/api/studies/broken").status, 500);
}
