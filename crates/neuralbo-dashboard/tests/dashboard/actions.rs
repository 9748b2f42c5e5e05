//! What holders of the token may change, and what is stored then.

use std::sync::Arc;

use neuralbo::record::{Limits, State};
use neuralbo::space::Params;
use neuralbo::store::{Claim, Claimed, Store};
use neuralbo_dashboard::{Server, Settings};
use serde_json::{Value, json};

use crate::client::{Answer, ask, request};
use crate::fixture::{serve_as, study};

fn editable() -> (Server, Arc<dyn Store>) {
    let store: Arc<dyn Store> = neuralbo_store::open("memory://").unwrap();
    study(store.as_ref(), "tuning", 20);
    let settings = Settings {
        allow_edit: true,
        ..Settings::default()
    };
    (
        serve_as(Arc::clone(&store), Some(Arc::clone(&store)), settings),
        store,
    )
}

fn post(server: &Server, path: &str, body: &Value) -> Answer {
    let bearer = format!("Bearer {}", server.token().unwrap());
    let lines = [
        ("Authorization", bearer.as_str()),
        ("Content-Type", "application/json"),
    ];
    request(server.address(), "POST", path, &lines, &body.to_string())
}

fn claim(store: &dyn Store) -> Claimed {
    let id = store.study("tuning").unwrap().id;
    let claim = Claim {
        worker: "w".into(),
        token: neuralbo::record::Token::fresh(),
        lease: std::time::Duration::from_secs(60),
    };
    store.claim(id, &claim).unwrap()
}

#[test]
fn a_wanted_trial_is_the_next_one_a_worker_gets() {
    let (server, store) = editable();
    let answer = post(
        &server,
        "/api/studies/tuning/trials",
        &json!({ "params": { "lr": 0.5, "kind": "poly", "degree": 2 } }),
    );
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({ "number": 20 }))
    );
    let Claimed::Trial(trial) = claim(store.as_ref()) else {
        panic!("nothing to do")
    };
    let mut wanted = Params::from_iter([("lr", 0.5)]);
    wanted.insert("kind", "poly");
    wanted.insert("degree", 2);
    assert_eq!(
        (trial.number, trial.params.as_ref(), &trial.state),
        (20, Some(&wanted), &State::Running)
    );
    assert_eq!(trial.provenance.unwrap().origin, "enqueued");
    for (wrong, says) in [
        (json!({ "params": { "lr": 7, "kind": "rbf" } }), "lr"),
        (
            json!({ "params": { "lr": 0.5, "kind": "rbf", "degree": 2 } }),
            "degree",
        ),
        (json!({ "params": { "lr": 0.5 } }), "kind"),
        (json!({ "params": { "x": 1 } }), "x"),
        (json!({ "point": {} }), "params"),
    ] {
        let answer = post(&server, "/api/studies/tuning/trials", &wrong);
        assert_eq!(answer.status, 400, "{wrong}");
        assert!(
            answer.json()["error"].as_str().unwrap().contains(says),
            "{}",
            answer.text()
        );
    }
    let id = store.study("tuning").unwrap().id;
    assert_eq!(
        store.counts(id).unwrap().running,
        1,
        "what is wrong is not stored"
    );
}

#[test]
fn a_stopped_study_gives_no_new_trials_and_goes_on_with_another_limit() {
    let (server, store) = editable();
    assert_eq!(
        post(&server, "/api/studies/tuning/stop", &json!({})).status,
        200
    );
    assert_eq!(store.study("tuning").unwrap().limits.trials, Some(20));
    assert!(matches!(
        claim(store.as_ref()),
        Claimed::Full { running: 0 }
    ));
    let found = ask(server.address(), "/api/studies/tuning");
    assert_eq!(
        (&found["state"], &found["stop_reason"]),
        (&json!("finished"), &json!("all 20 trials are done"))
    );
    let answer = post(
        &server,
        "/api/studies/tuning/limits",
        &json!({ "trials": 21, "patience": 5 }),
    );
    assert_eq!(
        answer.json(),
        json!({ "limits": { "trials": 21, "target": null, "patience": 5 } })
    );
    assert!(matches!(claim(store.as_ref()), Claimed::Trial(_)));
    post(
        &server,
        "/api/studies/tuning/limits",
        &json!({ "trials": null, "target": -3.5 }),
    );
    let limits = store.study("tuning").unwrap().limits;
    assert_eq!(
        limits,
        Limits {
            trials: None,
            target: Some(-3.5),
            patience: Some(5)
        }
    );
    for wrong in [
        json!({ "trials": -1 }),
        json!({ "trials": 1.5 }),
        json!({ "patience": 0 }),
        json!({ "target": "x" }),
        json!({ "time": 3 }),
        json!([]),
    ] {
        assert_eq!(
            post(&server, "/api/studies/tuning/limits", &wrong).status,
            400,
            "{wrong}"
        );
    }
    assert_eq!(store.study("tuning").unwrap().limits, limits);
}

#[test]
fn notes_are_kept_with_trials() {
    let (server, store) = editable();
    let id = store.study("tuning").unwrap().id;
    assert_eq!(
        post(
            &server,
            "/api/studies/tuning/trials/3/note",
            &json!({ "note": "odd <b>" })
        )
        .status,
        200
    );
    assert_eq!(store.trial(id, 3).unwrap().attributes["note"], "odd <b>");
    assert_eq!(
        store.trial(id, 3).unwrap().attributes["tag"],
        json!({ "n": 3 }),
        "and what was there stays"
    );
    assert_eq!(
        ask(server.address(), "/api/studies/tuning/trials/3")["note"],
        "odd <b>"
    );
    assert_eq!(
        post(
            &server,
            "/api/studies/tuning/trials/99/note",
            &json!({ "note": "x" })
        )
        .status,
        404
    );
    assert_eq!(
        post(
            &server,
            "/api/studies/tuning/trials/3/note",
            &json!({ "note": 5 })
        )
        .status,
        400
    );
    assert_eq!(
        post(&server, "/api/studies/none/stop", &json!({})).status,
        404
    );
    assert_eq!(post(&server, "/api/studies/tuning", &json!({})).status, 404);
}

#[test]
fn attributes_and_a_new_name_are_kept_with_the_study() {
    let (server, store) = editable();
    study(store.as_ref(), "other", 5);
    let given = json!({ "attributes": { "note": "odd <b>", "data": { "rows": 3 } } });
    let answer = post(&server, "/api/studies/tuning/attributes", &given);
    assert_eq!(answer.status, 200, "{}", answer.text());
    let more = json!({ "attributes": { "note": "even" } });
    assert_eq!(
        post(&server, "/api/studies/tuning/attributes", &more).status,
        200
    );
    let expected = json!({ "note": "even", "data": { "rows": 3 } });
    let found = ask(server.address(), "/api/studies/tuning");
    assert_eq!(found["attributes"], expected);
    let rename = |name: &str| {
        let answer = post(
            &server,
            "/api/studies/tuning/rename",
            &json!({ "name": name }),
        );
        (answer.status, answer.json())
    };
    assert_eq!(rename("other").0, 409);
    assert_eq!(rename("").0, 400);
    assert_eq!(
        rename("a new, longer name"),
        (200, json!({ "name": "a new, longer name" }))
    );
    let found = ask(server.address(), "/api/studies/a%20new%2C%20longer%20name");
    assert_eq!(
        (&found["attributes"], &found["counts"]["failed"]),
        (&expected, &json!(2))
    );
    let old = request(server.address(), "GET", "/api/studies/tuning", &[], "");
    assert_eq!(old.status, 404);
}

#[test]
fn a_study_is_deleted_only_by_its_name() {
    let (server, store) = editable();
    study(store.as_ref(), "other", 5);
    let path = "/api/studies/tuning/delete";
    for wrong in [json!({}), json!({ "name": "other" }), json!({ "name": "" })] {
        assert_eq!(post(&server, path, &wrong).status, 400, "{wrong}");
    }
    let bare = [("Content-Type", "application/json")];
    let body = json!({ "name": "tuning" });
    let refused = request(server.address(), "POST", path, &bare, &body.to_string());
    assert!([401, 403].contains(&refused.status), "{}", refused.status);
    let id = store.study("tuning").unwrap().id;
    assert_eq!(store.counts(id).unwrap().finished(), 20);
    let answer = post(&server, path, &body);
    assert_eq!(
        (answer.status, answer.json()),
        (200, json!({ "deleted": "tuning", "trials": 20 }))
    );
    let names: Vec<String> = store
        .studies()
        .unwrap()
        .into_iter()
        .map(|study| study.name)
        .collect();
    assert_eq!(names, ["other"]);
    assert_eq!(
        request(server.address(), "GET", "/api/studies/tuning", &[], "").status,
        404
    );
}
