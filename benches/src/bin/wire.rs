//! Times the writing and reading of catalogs, compared with plain `serde_json`, and with the reference's
//! terminus of PuppetDB.

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::io;
use std::process::Command;
use std::time::Instant;

use bunraku::catalog::{Catalog, Edge, Resource};
use bunraku::loader::{Log, Settings};
use bunraku::pcore::Value;
use bunraku::pcore::fuel::Unmetered;
use bunraku::pcore::types::NoTypes;
use bunraku::wire::puppetdb::{self, Submission, Version};
use bunraku::wire::{agent, agent_reader};
use bunraku_benches::{large_class, program_catalog, root};

const ROUNDS: usize = 9;

/// The number of resources in the catalog whose writing is measured for memory.
const MANY: usize = 100_000;

fn main() -> Result<(), Box<dyn Error>> {
    let code = large_class();
    let catalog = program_catalog(&code)?;
    let submission = Submission {
        producer: Some("server.example.net".to_owned()),
        producer_timestamp: Some("2024-02-29T12:00:00.000Z".to_owned()),
        transaction_uuid: Some("2b7c7ef4-9b1e-4c6f-8f55-0d8b1a0a3c11".to_owned()),
        ..Submission::default()
    };
    let (settings, log) = (Settings::default(), Log::default());
    let mut payload = Vec::new();
    puppetdb::write_catalog(&catalog, &submission, Version::V9, &mut payload)?;
    let mut document = Vec::new();
    agent::write_json(&catalog, &settings, &log, &mut document)?;
    let value: serde_json::Value = serde_json::from_slice(&payload)?;
    println!("a catalog of {} resources, {} kB for PuppetDB", catalog.resources.len(), payload.len() / 1000);

    let size = payload.len();
    let write = median(|| puppetdb::write_catalog(&catalog, &submission, Version::V9, io::sink()));
    print("write for PuppetDB, version 9", write, size);
    let older = median(|| puppetdb::write_catalog(&catalog, &submission, Version::V8, io::sink()));
    print("write for PuppetDB, version 8", older, size);
    print(
        "read and check for PuppetDB",
        median(|| puppetdb::read_bytes(&payload, Version::V9, &Unmetered)),
        size,
    );
    let for_agent = median(|| agent::write_json(&catalog, &settings, &log, io::sink()));
    print("write for an agent", for_agent, document.len());
    print(
        "read and check for an agent",
        median(|| agent_reader::read_json(&document, &NoTypes, &Unmetered)),
        document.len(),
    );
    print("serde_json alone, write", median(|| serde_json::to_writer(io::sink(), &value)), size);
    let parse = median(|| serde_json::from_slice::<serde_json::Value>(&payload));
    print("serde_json alone, read", parse, size);
    match reference(&code)? {
        Some(seconds) => {
            println!(
                "{:<32} {:>9.1} ms   {:>6.0} times as long",
                "the reference's terminus",
                seconds * 1e3,
                seconds / write
            );
        }
        None => {
            println!("the reference's terminus is not installed (puppet-agent, puppet-terminus-puppetdb)")
        }
    }

    let many = repeated(&catalog);
    let before = peak_memory()?;
    puppetdb::write_catalog(&many, &submission, Version::V9, io::sink())?;
    let for_puppetdb = peak_memory()?.saturating_sub(before);
    agent::write_json(&many, &settings, &log, io::sink())?;
    let for_agent = peak_memory()?.saturating_sub(before);
    println!(
        "{} resources in {} MB: writing them adds {} MB for PuppetDB (its edges and their names), {} MB for an agent",
        many.resources.len(),
        before / 1000,
        for_puppetdb / 1000,
        for_agent.saturating_sub(for_puppetdb) / 1000,
    );
    Ok(())
}

/// The median time in seconds.
fn median<T>(work: impl Fn() -> T) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            black_box(work());
            start.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

fn print(what: &str, seconds: f64, bytes: usize) {
    println!("{what:<32} {:>9.3} ms {:>9.0} MB/s", seconds * 1e3, bytes as f64 / 1e6 / seconds);
}

/// A catalog of many resources, which are copies of another one's.
fn repeated(catalog: &Catalog) -> Catalog {
    let mut many = Catalog::default();
    many.name.clone_from(&catalog.name);
    for number in 0..MANY {
        let mut resource = catalog.resources[number % catalog.resources.len()].clone();
        resource.title = format!("{}-{number}", resource.title).as_str().into();
        if let Some(required) = resource.parameters.get_mut("require") {
            *required =
                many.resources.last().map_or(Value::Undef, |before: &Resource| before.reference().into());
        }
        if number > 0 {
            many.edges.push(Edge { source: 0, target: number });
        }
        many.resources.push(resource);
    }
    many
}

/// The most memory that this process had, in kB.
fn peak_memory() -> Result<usize, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    Ok(line.trim().trim_end_matches(" kB").parse()?)
}

/// The seconds of the reference's terminus for the same catalog; `None` if it is not installed.
fn reference(code: &str) -> Result<Option<f64>, Box<dyn Error>> {
    let file = std::env::temp_dir().join(format!("bunraku-wire-{}.pp", std::process::id()));
    fs::write(&file, code)?;
    let output =
        Command::new("ruby").arg("-W0").arg(root().join("benches/reference_wire.rb")).arg(&file).output();
    fs::remove_file(&file)?;
    let output = output?;
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr).trim());
        return Ok(None);
    }
    Ok(Some(String::from_utf8(output.stdout)?.trim().parse()?))
}
