//! The program that libFuzzer drives: one target, named by `NEURALBO_FUZZ_TARGET`.
#![no_main]
#![allow(clippy::expect_used)]

use std::sync::LazyLock;

use libfuzzer_sys::{Corpus, fuzz_target};
use neuralbo_fuzz::{Target, target};

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    std::env::var("NEURALBO_FUZZ_TARGET")
        .ok()
        .and_then(|name| target(&name))
        .expect("NEURALBO_FUZZ_TARGET must name a target")
});

fuzz_target!(|input: &[u8]| -> Corpus {
    (TARGET.check)(input);
    Corpus::Keep
});
