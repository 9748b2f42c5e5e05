//! Exports of version 1, line by line, in the form of version 2.

use neuralbo::record::VALUE;
use serde_json::{Map, Value as Json, json};

/// The first line: one definition, with a direction instead of objectives.
pub(crate) fn head(mut json: Json) -> Result<Json, String> {
    let mut definition = json["definition"].take();
    let fields = definition
        .as_object_mut()
        .ok_or("the first line must describe the study")?;
    let direction = fields
        .remove("direction")
        .ok_or("the study's direction is missing")?;
    fields.insert(
        "objectives".to_owned(),
        json!([{ "name": VALUE, "direction": direction }]),
    );
    json["definitions"] = json!([definition]);
    Ok(json)
}

/// A trial: one value without a name, `proposal` for its provenance, the step of a pruned trial that of its last report.
pub(crate) fn trial(json: Json) -> Result<Json, String> {
    let Json::Object(mut fields) = json else {
        return Err("a trial must be an object".to_owned());
    };
    rename(&mut fields, "proposal", "provenance");
    fields.insert("version".to_owned(), json!(1));
    if let Some(value) = fields.remove("value") {
        fields.insert("values".to_owned(), json!({ VALUE: value }));
    }
    if fields.get("state").is_some_and(|state| state == "pruned") {
        let steps = fields
            .get("reports")
            .and_then(Json::as_array)
            .into_iter()
            .flatten();
        let last = steps.filter_map(|report| report["step"].as_i64()).max();
        fields.insert("step".to_owned(), json!(last));
    }
    Ok(Json::Object(fields))
}

fn rename(fields: &mut Map<String, Json>, from: &str, to: &str) {
    if let Some(value) = fields.remove(from) {
        fields.insert(to.to_owned(), value);
    }
}
