//! A study as one file: the dashboard's page with the answers in it.

mod answers;
mod page;

use std::sync::Arc;

use neuralbo::store::Store;

use crate::api::App;
use crate::error::DashboardError;

/// A study as a self-contained page: no server, no network, nothing beside it.
///
/// Long studies are thinned out, so that the file stays below 5 MB; the best trials and the Pareto front are always in it. The
/// model's views are computed here: slices of all parameters, contours of the most important ones.
///
/// ```
/// use neuralbo::record::{Definition, Direction, Limits};
/// use neuralbo::space::Space;
/// use neuralbo::store::NewStudy;
///
/// let store = neuralbo_store::open("memory://")?;
/// let definition = Definition::new(Space::from_bounds(&[(0.0, 1.0)])?, Direction::Minimize);
/// store.create_study(&NewStudy::new("tuning", definition, Limits::default()))?;
/// let page = neuralbo_dashboard::report(store, "tuning")?;
/// assert!(page.starts_with("<!doctype html>") && page.contains("/api/studies/tuning/progress"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn report(store: Arc<dyn Store>, study: &str) -> Result<String, DashboardError> {
    store.study(study)?;
    let app = App::of_report(store);
    page::page(&answers::answers(&app, study))
}
