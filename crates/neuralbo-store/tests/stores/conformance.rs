//! One list of promises for every store.

mod memory {
    neuralbo_testkit::store_conformance!(crate::backends::memory());
}

mod sqlite {
    neuralbo_testkit::store_conformance!(crate::backends::sqlite());
}

mod postgres {
    neuralbo_testkit::store_conformance!(crate::backends::postgres());
}
