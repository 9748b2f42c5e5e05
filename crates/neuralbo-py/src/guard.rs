//! Panics made values, so that none reaches Python.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What `work` returns, or what its panic said.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work))
        .map_err(|panic| format!("the engine failed: {}; please report this", said(&*panic)))
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("without a message")
}
