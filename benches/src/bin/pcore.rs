//! Times types, values and serialization in Rust, through the gem and in the reference in one run: `make
//! bench-pcore`.
//!
//! All three process the same data: `pcore.rb` runs once with the gem and once with the reference. Times are
//! processor times, so that other work on the machine matters less. They end with the result: dropping it is
//! not timed, as in Ruby, where this waits for the collector, which runs between the rounds. Arguments are
//! parts of names of jobs: only those run. With `--alone` only Rust runs.

use std::any::Any;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;

use bunraku::pcore::Value;
use bunraku::pcore::convert::Surroundings;
use bunraku::pcore::serialize::{
    DataOptions, StreamOptions, from_data, read_stream, read_stream_msgpack, to_data, value_from_data,
    value_to_data, write_stream, write_stream_msgpack,
};
use bunraku::pcore::types::{NoTypes, Type};
use bunraku::pcore::value::Timestamp;
use bunraku_benches::root;
use nix::time::{ClockId, clock_gettime};
use serde_json::{Value as Json, json};

/// The maximum number of rounds of a job; the median counts.
const ROUNDS: usize = 7;

/// The time after which a job is not repeated.
const ENOUGH: f64 = 1.0;

/// The type that the large data is an instance of.
const TYPE: &str = "Hash[String, Array[Struct[{name => String[1], port => Integer[1, 65535], tags => Array[Pattern[/^[a-z]/]], \
                    options => Hash[String, Variant[Integer, Float, Boolean, Undef]], Optional[note] => String}]]]";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("bench: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Hosts with ten parts each, in groups.
fn hosts(count: usize) -> Json {
    let host = |number: usize| {
        json!({
            "name": format!("host{number}.example.net"), "port": 1 + number % 65535, "tags": ["web", "debian"],
            "options": { "weight": number, "ratio": number as f64 / 7.0, "active": number.is_multiple_of(2), "none": null },
        })
    };
    let groups = (0..count.div_ceil(100)).map(|group| {
        let members: Vec<Json> = (group * 100..count.min(group * 100 + 100)).map(host).collect();
        (format!("group{group}"), Json::from(members))
    });
    Json::Object(groups.collect())
}

/// Texts of types, each one once.
fn type_texts() -> Vec<String> {
    let shapes = [
        "Integer[#, 70000]",
        "Array[String[1, #], 1]",
        "Struct[{a# => Integer, Optional[b] => Array[Variant[Float, Enum['x', 'y#']]]}]",
        "Callable[[Integer, String, #, #, Callable[Any]], Boolean]",
        "Hash[Pattern[/^x#/], Tuple[Integer, Optional[String], 1, #]]",
    ];
    (1..=200).flat_map(|number| shapes.map(|shape| shape.replace('#', &number.to_string()))).collect()
}

fn run() -> Result<(), String> {
    let (flags, wanted): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let is_alone = flags.iter().any(|flag| flag == "--alone");
    let is_wanted = |job: &str| wanted.is_empty() || wanted.iter().any(|part| job.contains(part.as_str()));
    let texts = type_texts();
    let elements = hosts(10_000);
    let large = hosts(56_000);
    let rich = with_rich_values(&large);
    // The reference reads a stream with a Fiber for each list, of which a system supports only a limited
    // number.
    let small = with_rich_values(&hosts(2_000));
    let said = |error: bunraku::diagnostic::Error| error.to_string();

    let (elements_value, large_value) = (Value::from(&elements), from_data(&rich).map_err(said)?);
    let small_value = from_data(&small).map_err(said)?;
    let of = Type::parse(TYPE, &NoTypes).map_err(said)?;
    let options = DataOptions { local_reference: true, ..DataOptions::rich() };
    let around =
        Surroundings { types: &NoTypes, now: &Timestamp::default, fuel: &bunraku::pcore::fuel::Unmetered };
    let data = to_data(&large_value, &options).map_err(said)?;
    // As the reference has it: data that nothing else shares.
    let data_value = Value::from(&data);
    let stream = write_stream(&small_value, StreamOptions::default()).map_err(said)?;
    let packed = write_stream_msgpack(&small_value, StreamOptions::default()).map_err(said)?;
    println!(
        "{} types; {:.0} kB of data for instance? and infer; {:.1} MB of data, {:.1} MB of stream",
        texts.len(),
        elements.to_string().len() as f64 / 1e3,
        data.to_string().len() as f64 / 1e6,
        stream.len() as f64 / 1e6
    );
    if !of.is_instance(&elements_value) {
        return Err("the data is no instance of the type".into());
    }

    let jobs: Vec<(&str, Job)> = vec![
        ("parse types", job(|| texts.iter().map(|text| Type::parse(text, &NoTypes)).collect::<Vec<_>>())),
        ("instance?", job(|| of.is_instance(&elements_value))),
        ("infer, detailed", job(|| Type::infer_set(&elements_value))),
        ("infer, reduced", job(|| Type::infer(&elements_value))),
        ("to_data", job(|| value_to_data(&large_value, &options))),
        ("from_data", job(|| value_from_data(&data_value, &around, false))),
        ("stream, write", job(|| write_stream(&small_value, StreamOptions::default()))),
        ("stream, read", job(|| read_stream(&stream, &around))),
        ("MessagePack, write", job(|| write_stream_msgpack(&small_value, StreamOptions::default()))),
        ("MessagePack, read", job(|| read_stream_msgpack(&packed, &around))),
    ];
    let wanted = jobs.iter().filter(|(name, _)| is_wanted(name));
    let own: Vec<(&str, f64)> = wanted.map(|(name, job)| (*name, median(job))).collect();
    if is_alone {
        own.iter().for_each(|(name, seconds)| println!("{name:<18} {:>8.2} ms", seconds * 1e3));
        return Ok(());
    }
    let names: Vec<&str> = own.iter().map(|(name, _)| *name).collect();
    let request = json!({ "jobs": names, "types": texts, "type": TYPE, "elements": elements, "data": rich, "small": small });
    let file = std::env::temp_dir().join(format!("bunraku-bench-pcore-{}.json", std::process::id()));
    fs::write(&file, request.to_string()).map_err(|error| error.to_string())?;
    let (gem, reference) = (ruby("gem", &file), ruby("reference", &file));
    let _ = fs::remove_file(&file);

    print_beside(&own, &gem, &reference);
    Ok(())
}

/// Prints the medians of jobs with those of the gem and the reference.
fn print_beside(own: &[(&str, f64)], gem: &HashMap<String, f64>, reference: &HashMap<String, f64>) {
    println!("{:<18} {:>11} {:>11} {:>11} {:>8} {:>8}", "", "Rust", "gem", "reference", "Rust", "gem");
    for &(name, seconds) in own {
        // The reference writes streams in JSON only.
        let theirs = reference.get(name.replace("MessagePack", "stream").as_str()).copied();
        let time =
            |seconds: Option<f64>| seconds.map_or("-".into(), |seconds| format!("{:.2} ms", seconds * 1e3));
        let ratio = |own: Option<f64>| match (theirs, own) {
            (Some(theirs), Some(own)) => format!("{:.0}x", theirs / own),
            _ => "-".into(),
        };
        let through_gem = gem.get(name).copied();
        println!(
            "{name:<18} {:>11} {:>11} {:>11} {:>8} {:>8}",
            time(Some(seconds)),
            time(through_gem),
            time(theirs),
            ratio(Some(seconds)),
            ratio(through_gem)
        );
    }
}

/// The same data with values in it that JSON has no form for.
fn with_rich_values(data: &Json) -> Json {
    let mut data = data.clone();
    for members in data.as_object_mut().into_iter().flat_map(|groups| groups.values_mut()) {
        for host in members.as_array_mut().into_iter().flatten().step_by(4) {
            host["seen"] = json!({ "__ptype": "Timestamp", "__pvalue": "2020-01-02T03:04:05.000000000 UTC" });
            host["pattern"] = json!({ "__ptype": "Regexp", "__pvalue": "^host" });
        }
    }
    data
}

/// A job, with its result.
type Job<'a> = Box<dyn Fn() -> Box<dyn Any> + 'a>;

fn job<'a, T: 'static>(work: impl Fn() -> T + 'a) -> Job<'a> {
    Box::new(move || Box::new(work()))
}

fn median(work: &Job<'_>) -> f64 {
    std::hint::black_box(work());
    let mut times = Vec::new();
    while times.len() < ROUNDS && times.iter().sum::<f64>() < ENOUGH {
        let start = processor_time();
        let answer = std::hint::black_box(work());
        times.push(processor_time() - start);
        drop(answer);
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The seconds that this process had a processor, by the clock that the benches in Ruby look at.
fn processor_time() -> f64 {
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
        .map_or(f64::NAN, |time| Duration::from(time).as_secs_f64())
}

/// The times of the jobs in Ruby; empty if the gem or the reference is not installed.
fn ruby(who: &str, request: &Path) -> HashMap<String, f64> {
    let library = root().join("ruby-ext/lib");
    let script = root().join("benches/pcore.rb");
    let output =
        Command::new("ruby").arg("-W0").arg("-I").arg(library).arg(script).arg(who).arg(request).output();
    match output {
        Ok(output) if output.status.success() => serde_json::from_slice(&output.stdout).unwrap_or_default(),
        Ok(output) => {
            eprintln!("the {who} is left out: {}", String::from_utf8_lossy(&output.stderr).trim());
            HashMap::new()
        }
        Err(error) => {
            eprintln!("the {who} is left out: {error}");
            HashMap::new()
        }
    }
}
