//! Checks of plug-ins of puppet-lint, by their own names. They are off unless they are chosen.

pub(crate) mod commas;
pub(crate) mod indent;
pub(crate) mod names;
pub(crate) mod parameters;
pub(crate) mod resources;
pub(crate) mod spaces;
pub(crate) mod values;
