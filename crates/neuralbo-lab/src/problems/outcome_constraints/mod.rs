//! Problems with outcome constraints: quantities that are measured together with the value and must stay within limits.
//!
//! The border of what is feasible decides where the optimum is in all of them but `gardner1`.

mod engineering;
mod g_functions;
mod small;

pub(super) use engineering::{PRESSURE_VESSEL, SPEED_REDUCER, SPRING, WELDED_BEAM};
pub(super) use g_functions::{G04, G06, G07, G09};
pub(super) use small::{GARDNER1, GARDNER2, GRAMACY};
