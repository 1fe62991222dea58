//! Hostile input and hosts: no process dies, every limit holds, and an environment continues as before.

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
mod reloading;
mod shared_environment;
