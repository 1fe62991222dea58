//! Compiles many nodes of one environment on some threads: `fleet REQUESTS COMPILATIONS THREADS [--hold]`.
//!
//! `REQUESTS` is a file of JSON: `environment` (what [`request::load_environment`] reads) and `nodes` (what
//! [`request::node_input`] reads), which take turns. Prints a line of JSON: seconds, failures, the bytes of
//! the catalogs and the peak of resident memory in kB. With `--hold`, the catalogs are kept instead of
//! written, and the growth of private memory over them is printed.

use std::fs;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use bunraku::compiler::{self, Limits, request};
use bunraku::host::disk::DiskHost;
use bunraku::loader::Log;
use bunraku::wire;
use serde_json::{Value as Json, json};

fn main() -> ExitCode {
    match run() {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("fleet: {message}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<Json, String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (requests, compilations, threads, holds) = match arguments.as_slice() {
        [requests, compilations, threads] => (requests, compilations, threads, false),
        [requests, compilations, threads, flag] if flag == "--hold" => {
            (requests, compilations, threads, true)
        }
        _ => return Err("expected REQUESTS COMPILATIONS THREADS [--hold]".into()),
    };
    let number = |text: &str| text.parse::<usize>().map_err(|_| format!("{text:?} is no number"));
    let (compilations, threads) = (number(compilations)?, number(threads)?);
    let text = fs::read_to_string(requests).map_err(|error| format!("{requests}: {error}"))?;
    let requests: Json = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    let nodes = requests["nodes"].as_array().filter(|nodes| !nodes.is_empty()).ok_or("there are no nodes")?;
    let environment = request::of_environment(&requests["environment"])
        .and_then(|request| request::load_environment(Arc::new(DiskHost), &request))
        .map_err(|error| error.to_string())?;

    let (next, failures, bytes) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    let held = Mutex::new(Vec::new());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= compilations {
                return;
            }
            let compiled = request::of_catalog(&nodes[number % nodes.len()])
                .and_then(|node| request::node_input(&node))
                .and_then(|node| compiler::compile(&environment, node, Limits::default()).outcome)
                .and_then(|catalog| {
                    if holds {
                        held.lock().unwrap_or_else(|held| held.into_inner()).push(catalog);
                        return Ok(0);
                    }
                    let mut text = Vec::new();
                    wire::agent::write_json(&catalog, &environment.settings, &Log::default(), &mut text)?;
                    Ok(text.len())
                });
            match compiled {
                Ok(length) => bytes.fetch_add(length, Ordering::Relaxed),
                Err(_) => failures.fetch_add(1, Ordering::Relaxed),
            };
        }
    };
    if holds {
        // What is loaded with the first compilation is not counted.
        let node = request::of_catalog(&nodes[0]).and_then(|node| request::node_input(&node));
        let node = node.map_err(|error| error.to_string())?;
        let first = compiler::compile(&environment, node, Limits::default());
        first.outcome.map_err(|error| error.to_string())?;
    }
    let before = memory("RssAnon:");
    let start = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let seconds = start.elapsed().as_secs_f64();
    let growth = memory("RssAnon:").zip(before).map(|(after, before)| after.saturating_sub(before));
    Ok(json!({
        "seconds": seconds,
        "failures": failures.into_inner(),
        "bytes": bytes.into_inner(),
        "held": held.into_inner().map(|held| held.len()).unwrap_or_default(),
        "held_kb": growth,
        "peak_kb": memory("VmHWM:"),
    }))
}

/// An amount of this process's memory in kB, if the system reports it.
fn memory(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}
