//! What people look at: explanations, differences between catalogs, drawings of their graphs.
//!
//! Differences and drawings are made of catalogs as agents receive them (JSON), so that written ones can be compared too.
//!
//! * [`explain`]: where the values of a resource come from, and why it is there, as text
//! * [`model`]: resources and edges of a written catalog
//! * [`diff`], [`fleet`]: differences of two catalogs, and of the catalogs of many nodes, grouped
//! * [`text`], [`html`]: differences to read and to look through
//! * [`request`]: all of that asked for in JSON
//! * [`graph`], [`cycles`], [`dot`], [`svg`]: drawings

pub mod cycles;
pub mod diff;
pub mod dot;
pub mod explain;
pub mod fleet;
pub mod graph;
pub mod html;
pub mod model;
pub mod request;
pub mod svg;
pub mod text;
pub mod value;
