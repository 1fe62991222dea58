//! Times warm compilations of cases from another program: `make bench-real`.
//!
//! Reads a line of JSON for each case: `environment`, a request for one, and `node`, the data of a node.
//! Answers each with a line: `cpu`, the median of processor seconds, and `resources`, or `error`. An
//! environment is kept as long as the next case uses the same. The node is compiled once before it is timed;
//! if its name begins with `node1.`, each further compilation is for another node. `--rounds N` sets the
//! number of rounds of a case, for counting instructions.

use std::error::Error;
use std::io::{self, BufRead, Write};

use bunraku::compiler::{self, CompileOptions, NodeInput};
use bunraku::loader::Environment;
use conform::protocol;
use nix::time::{ClockId, clock_gettime};
use serde_json::{Value as Json, json};

/// The number of compilations of a case, and the minimum seconds.
const ROUNDS: (usize, f64) = (5, 0.05);

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip_while(|argument| argument != "--rounds").skip(1);
    let rounds = arguments.next().map(|rounds| rounds.parse()).transpose()?;
    let mut loaded: Option<(Json, Environment)> = None;
    for line in io::stdin().lock().lines() {
        let question: Json = serde_json::from_str(&line?)?;
        let answer = time(&question, &mut loaded, rounds)
            .unwrap_or_else(|error| json!({ "error": error.to_string() }));
        let mut out = io::stdout().lock();
        writeln!(out, "{answer}")?;
        out.flush()?;
    }
    Ok(())
}

/// The time of a case, in the loaded environment or in one that replaces it.
fn time(
    question: &Json,
    loaded: &mut Option<(Json, Environment)>,
    rounds: Option<usize>,
) -> Result<Json, Box<dyn Error>> {
    let mut request = question["environment"].clone();
    for (name, value) in question["node"].as_object().ok_or("no node")? {
        request[name] = value.clone();
    }
    let (environment, node) = protocol::environment_on_disk(&request)?;
    let known = loaded.take().filter(|(of, _)| *of == question["environment"]);
    let (_, environment) = loaded.insert(known.unwrap_or((question["environment"].clone(), environment)));
    let mut times = Vec::new();
    let mut resources = 0;
    let is_enough = |times: &[f64]| match rounds {
        Some(rounds) => times.len() > rounds,
        None => times.len() > ROUNDS.0 && times.iter().skip(1).sum::<f64>() >= ROUNDS.1,
    };
    while !is_enough(&times) {
        let name = node.name.replacen("node1.", &format!("node{}.", 1 + times.len() % 9), 1);
        let node = NodeInput { name, ..node.clone() };
        let start = cpu()?;
        let result = compiler::compile(environment, node, CompileOptions::default());
        times.push(cpu()? - start);
        resources = result.outcome?.resources.len();
    }
    let mut warm = times.split_off(1);
    warm.sort_by(f64::total_cmp);
    let median = warm.get(warm.len() / 2).copied().unwrap_or_default();
    Ok(json!({ "cpu": median, "first": times.first(), "resources": resources }))
}

fn cpu() -> Result<f64, Box<dyn Error>> {
    let now = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?;
    Ok(now.tv_sec() as f64 + now.tv_nsec() as f64 / 1e9)
}
