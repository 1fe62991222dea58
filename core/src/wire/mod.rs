//! Catalogs as they leave the server: the form for agents and the form for PuppetDB.

pub mod agent;
