//! The readers of the command line. They are not public, so their files are included here.
#![allow(dead_code, missing_docs)]

#[path = "../../crates/neuralbo-cli/src/process"]
pub mod process {
    pub mod value;

    /// A stand-in for the module that reads pipes.
    pub mod stream {
        pub struct Printed {
            pub text: String,
            pub is_cut: bool,
            pub limit: usize,
        }
    }
}

#[path = "../../crates/neuralbo-cli/src/run/known.rs"]
pub mod known;
