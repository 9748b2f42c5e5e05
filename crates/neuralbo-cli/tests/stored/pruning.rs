//! Intermediate values and the median rule.

use crate::folder::{Folder, json};

/// Four good programs, then bad ones that would take a minute.
const SCRIPT: &str = "
if [ $NEURALBO_TRIAL -lt 4 ]; then
    echo '{\"step\": 0, \"value\": 0.2, \"loss\": 7}'
    echo '{\"step\": 1, \"value\": 0.1}'
    exit
fi
echo '{\"step\": 0, \"value\": 5.5}'
sleep 60
echo 0";

#[test]
fn a_bad_trial_is_stopped_and_counts_as_pruned_with_its_last_value() {
    let folder = Folder::new();
    folder.write("script.sh", SCRIPT);
    let options = ["run", "--study", "s", "--method", "random", "--param", "x=float(0,1)", "--trials", "6", "--prune", "median"];
    let result = json(&folder.neuralbo(&options).args(["--json", "--", "sh", "script.sh"]).output().unwrap());
    assert_eq!((&result["trials"], &result["failed"], &result["best"]["value"]), (&6.into(), &0.into(), &0.1.into()));
    let trials = json(&folder.neuralbo(&["trials", "s", "--json"]).output().unwrap());
    assert_eq!((&trials[4]["state"], &trials[4]["value"]), (&"pruned".into(), &5.5.into()));
    assert_eq!(trials[0]["reports"].as_array().unwrap().len(), 3);
    let table = String::from_utf8(folder.neuralbo(&["trials", "s"]).output().unwrap().stdout).unwrap();
    assert!(table.contains("pruned") && table.contains("5.5@0"), "{table}");
}
