//! The parts of the command line that read what others wrote. The command line is a program and no library, so its files are taken
//! as they are.
#![allow(dead_code, missing_docs)]

#[path = "../../neuralbo-cli/src/process"]
pub mod process {
    pub mod printed;
    pub mod value;
}

#[path = "../../neuralbo-cli/src/run/known.rs"]
pub mod known;
