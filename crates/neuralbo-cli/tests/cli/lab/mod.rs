//! `neuralbo lab`, end to end.

mod eval;
mod experiments;
mod external;
mod overhead;
mod report;
mod resume;
mod traces;
