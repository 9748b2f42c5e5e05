//! A study as one file.

use std::sync::Arc;

use neuralbo::store::Store;
use serde_json::Value;

use crate::client::get;
use crate::fixture::{best, serve, study};

fn data(page: &str) -> Value {
    let script = page
        .split("id=\"data\">")
        .nth(1)
        .unwrap()
        .split("</script>")
        .next()
        .unwrap();
    serde_json::from_str(script).unwrap()
}

#[test]
fn a_report_has_the_answers_that_the_server_would_give() {
    let store: Arc<dyn Store> = neuralbo_store::open("memory://").unwrap();
    study(store.as_ref(), "tuning", 60);
    let page = neuralbo_dashboard::report(Arc::clone(&store), "tuning").unwrap();
    let found = data(&page);
    let server = serve(store);
    for rest in [
        "/outcome-constraints",
        "/failures",
        "/time",
        "/calibration",
        "/trials/0",
        "/slice?param=lr",
        "/importance",
    ] {
        let path = format!("/api/studies/tuning{rest}");
        // The grid of a slice is coarser in a file.
        let asked = if rest.contains("slice") {
            format!("{path}&grid=40")
        } else {
            path.clone()
        };
        assert_eq!(found[&path], get(server.address(), &asked).json(), "{rest}");
    }
    assert_eq!(found["/api/studies/tuning"]["best"]["number"], best(60));
    assert_eq!(found["/api/studies"]["studies"][0]["name"], "tuning");
    assert_eq!(found["/api/info"]["report"], true);
    assert_eq!(
        found["/api/studies/tuning/trials"]["trials"]
            .as_array()
            .unwrap()
            .len(),
        60
    );
    assert!(
        found
            .get("/api/studies/tuning/contour?x=lr&y=kind")
            .is_some()
    );
    let head = page.split("<body>").next().unwrap();
    assert!(
        head.contains("Content-Security-Policy")
            && !head.contains("src=\"")
            && !head.contains("href=\"assets")
    );
}

#[test]
fn an_unknown_study_has_no_report_and_an_empty_one_has() {
    let store: Arc<dyn Store> = neuralbo_store::open("memory://").unwrap();
    study(store.as_ref(), "empty </script>", 0);
    assert!(
        neuralbo_dashboard::report(Arc::clone(&store), "none")
            .unwrap_err()
            .to_string()
            .contains("none")
    );
    let found = data(&neuralbo_dashboard::report(store, "empty </script>").unwrap());
    assert_eq!(
        found["/api/studies/empty%20%3C%2Fscript%3E"]["name"],
        "empty </script>"
    );
}
