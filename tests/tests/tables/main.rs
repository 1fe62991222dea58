//! The tables in the documentation, and the rules of ARCHITECTURE.md that a test can hold.

mod checks;
mod classifier;
mod functions;
mod layers;
mod ruby;
mod sizes;
mod texts;
mod types;
