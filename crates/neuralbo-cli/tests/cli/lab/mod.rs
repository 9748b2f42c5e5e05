//! `neuralbo lab`, end to end.

mod controls;
mod eval;
mod experiments;
mod external;
mod overhead;
mod report;
mod resume;
mod shards;
mod traces;
