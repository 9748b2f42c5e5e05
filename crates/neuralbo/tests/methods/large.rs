//! What not every method can be asked for: a thousand dimensions, rewards beyond single precision.

use neuralbo::strategy::Origin;
use neuralbo::strategy::presets::METHODS;
use neuralbo::testkit::method::search::{Search, cube, smooth};

#[test]
fn a_thousand_dimensions() {
    let able = ["neuralbo", "random", "sobol", "cma-es", "nsga2"];
    for method in METHODS.iter().filter(|method| able.contains(&method.name)) {
        let mut search = Search::new(method, &cube(1000), 3);
        search.run(5, 1, smooth);
        search.assert_next_by_model();
    }
}

/// The rewards of the paper's text and of its published code stay in their own units, in a network of single precision.
#[test]
fn only_raw_rewards_can_be_too_large() {
    for method in METHODS {
        let mut search = Search::new(method, &cube(2), 3);
        search.tell_all(8, |i| 1e300 * (i as f64 - 3.0));
        let fallback =
            matches!(&search.next().origin, Origin::Fallback(why) if why.contains("diverged"));
        assert_eq!(
            fallback,
            ["neuralbo-paper", "neuralbo-reference"].contains(&method.name),
            "{}",
            method.name
        );
    }
}
