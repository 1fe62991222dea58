//! Input and hosts that mean no good: no process dies, every limit holds, and an environment goes on as
//! before.

mod bugs;
mod data;
mod documents;
mod edges;
mod ends;
#[cfg(unix)]
mod files;
mod functions;
mod memory;
mod nesting;
mod programs;
mod shared_environment;
