//! The syntax tree: nodes declared once in a table ([`nodes`]), stored in one arena per file ([`program`]).
//!
//! A node refers to others by [`NodeId`], an index that is only meaningful with its [`Program`]. Lists of
//! children are ranges of one pool, texts are ranges of the source or of one string pool: parsing allocates
//! per file, not per node.

mod comments;
pub mod label;
pub mod nodes;
mod placement;
pub mod program;
mod tree;

pub use nodes::{Field, FieldValue, Kind, Node};
pub use placement::{PlacedComment, Placement};
pub use program::{Comment, List, NodeId, Program, ProgramBuilder, Text};
pub use tree::NOWHERE;
