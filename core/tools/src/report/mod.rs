//! Reports for people: explanations, differences between catalogs, drawings of their graphs.
//!
//! Differences and drawings are made from catalogs in the form for agents (JSON), so that written ones can be
//! compared, too.
//!
//! Without the feature `report`, only [`explain`] and [`value`] are included.
//!
//! * [`explain`]: the origins of a resource's values and its causes, as text
//! * `model`: resources and edges of a written catalog
//! * `diff`, `fleet`: differences of two catalogs, and of the catalogs of many nodes, grouped
//! * `ignore`: expected differences
//! * `text`, `html`: differences as text and as a page
//! * `request`: requests for all of these in JSON
//! * `graph`, `focus`, `cycles`, `dot`, `svg`, `graph_page`: drawings

#[cfg(feature = "report")]
pub mod cycles;
#[cfg(feature = "report")]
pub mod diff;
#[cfg(feature = "report")]
pub mod dot;
#[cfg(feature = "report")]
mod effort;
pub mod explain;
#[cfg(feature = "report")]
pub mod fleet;
#[cfg(feature = "report")]
pub mod focus;
#[cfg(feature = "report")]
pub mod graph;
#[cfg(feature = "report")]
mod graph_page;
#[cfg(feature = "report")]
pub mod html;
#[cfg(feature = "report")]
pub mod ignore;
#[cfg(feature = "report")]
pub mod model;
#[cfg(feature = "report")]
pub mod request;
#[cfg(feature = "report")]
pub mod svg;
#[cfg(feature = "report")]
pub mod text;
pub mod value;
