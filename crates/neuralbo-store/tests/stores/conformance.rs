//! One list of promises for every store.

mod memory {
    neuralbo::store_conformance!(crate::backends::memory());
}

mod sqlite {
    neuralbo::store_conformance!(crate::backends::sqlite());
}

mod postgres {
    neuralbo::store_conformance!(crate::backends::postgres());
}
