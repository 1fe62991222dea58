//! Compiles the catalog of a node and prints it as an agent receives it.
//!
//! ```text
//! cargo run -p bunraku --example compile -- ENVIRONMENTPATH ENVIRONMENT NODE [FACTS.json]
//! ```

#![allow(
    clippy::disallowed_methods,
    reason = "a program reads its arguments itself; the library asks its host"
)]

use std::env::args;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;
use std::{fs, path};

use bunraku::{Environment, NodeInput, Value};

fn main() -> ExitCode {
    match compile() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn compile() -> Result<(), Box<dyn Error>> {
    let given: Vec<String> = args().skip(1).collect();
    let [environmentpath, name, node, rest @ ..] = given.as_slice() else {
        return Err("usage: compile ENVIRONMENTPATH ENVIRONMENT NODE [FACTS.json]".into());
    };
    let facts: serde_json::Map<String, serde_json::Value> = match rest.first() {
        Some(path) => serde_json::from_str(&fs::read_to_string(path)?)?,
        None => serde_json::Map::new(),
    };
    let facts: Result<Vec<(String, Value)>, bunraku::Error> =
        facts.into_iter().map(|(name, value)| Ok((name, Value::from_json(&value)?))).collect();

    let environment = Environment::builder(name)
        .environmentpath(path::absolute(environmentpath)?.to_string_lossy())
        .load()?;
    let compiled = environment.compilation(NodeInput::new(node).facts(facts?)).run();
    for entry in &compiled.logs {
        eprintln!("{}: {}", entry.level.name(), entry.message);
    }
    let document = compiled.catalog?.to_json()?;
    Ok(io::stdout().write_all(document.as_bytes())?)
}
