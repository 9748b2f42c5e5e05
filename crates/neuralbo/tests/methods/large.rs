//! What not every method can be asked for: a thousand dimensions, rewards beyond single precision.

use neuralbo::strategy::Origin;
use neuralbo::strategy::presets::METHODS;
use neuralbo_testkit::method::search::{TestSearch, cube, smooth};

#[test]
fn a_thousand_dimensions() {
    let able = ["neuralbo", "random", "sobol", "cma-es", "nsga2"];
    for method in METHODS.iter().filter(|method| able.contains(&method.name)) {
        let mut search = TestSearch::new(method, &cube(1000), 3);
        search.run(5, 1, smooth);
        search.assert_next_by_model();
    }
}

#[test]
fn no_rewards_are_too_large() {
    for method in METHODS {
        let mut search = TestSearch::new(method, &cube(2), 3);
        search.tell_all(8, |i| 1e300 * (i as f64 - 3.0));
        let origin = search.next().origin;
        let fallback = matches!(&origin, Origin::Fallback(why) if why.contains("diverged"));
        assert!(!fallback, "{}", method.name);
    }
}
