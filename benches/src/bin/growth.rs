//! Times warm compilations of shapes in four sizes, ours and the reference's: `make bench-growth`.
//!
//! Each shape ([`bunraku_benches::growth`]) is compiled at n, 2n, 4n and 8n. The table shows the processor
//! milliseconds of the largest, the ratio to the reference, and the exponent of each side: the power of the
//! size by which the time grows from 4n to 8n. Because the constant part of a compilation dominates small
//! sizes, ours is also compiled in larger ones for the exponent. Each compilation is for another node.
//!
//! Arguments are parts of the names of shapes. `--alone` leaves out the reference.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bunraku::compiler::{self, CompileOptions, NodeInput};
use bunraku::loader::Environment;
use bunraku_benches::growth::{Shape, shapes};
use bunraku_benches::reference::Reference;
use conform::{environments, protocol};
use nix::time::{ClockId, clock_gettime};

/// The sizes in which both sides are compiled, as multiples of the smallest.
const SIZES: [usize; 4] = [1, 2, 4, 8];
/// The sizes in which ours is compiled too, until one takes long.
const LARGER: [usize; 3] = [16, 32, 64];
/// Milliseconds from which no larger size is compiled.
const LONG: f64 = 40.0;
/// Milliseconds below which no growth shows.
const SHORT: f64 = 0.4;
/// The number of compilations of each size; the minimum time counts.
const ROUNDS: usize = 9;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("growth: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The measurements of one side: sizes and milliseconds.
type Series = Vec<(usize, f64)>;

fn run() -> Result<(), String> {
    let (flags, names): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument.starts_with("--"));
    let is_alone = flags.iter().any(|flag| flag == "--alone");
    let below = std::env::temp_dir().join(format!("bunraku-growth-{}", std::process::id()));
    let mut reference = if is_alone { None } else { Some(Reference::start()?) };
    println!(
        "{:<48} {:>7} {:>10} {:>12} {:>7} {:>9} {:>9}",
        "shape", "8n", "bunraku ms", "reference ms", "ratio", "exponent", "reference"
    );
    let mut ratios = Vec::new();
    let mut all = shapes();
    all.retain(|shape| names.is_empty() || names.iter().any(|name| shape.name.contains(name.as_str())));
    for shape in &all {
        let (ours, theirs) = measure(shape, &below, reference.as_mut())?;
        ratios.extend(print_row(shape, &ours, &theirs));
    }
    if let Some(reference) = reference {
        reference.end();
    }
    let _ = std::fs::remove_dir_all(&below);
    ratios.sort_by(f64::total_cmp);
    if let (Some(least), Some(median)) = (ratios.first(), ratios.get(ratios.len() / 2)) {
        println!("{} shapes: median {median:.0}x, least {least:.0}x", ratios.len());
    }
    Ok(())
}

/// Prints a shape's row; the ratio at the largest size.
fn print_row(shape: &Shape, ours: &Series, theirs: &Series) -> Option<f64> {
    let size = shape.base * SIZES[SIZES.len() - 1];
    let at = |series: &Series| series.iter().find(|(of, _)| *of == size).map(|(_, ms)| *ms);
    let shown = |value: Option<f64>, digits: usize| match value {
        Some(value) => format!("{value:.digits$}"),
        None => "-".to_owned(),
    };
    let ratio = at(ours).zip(at(theirs)).map(|(ours, theirs)| theirs / ours);
    println!(
        "{:<48} {size:>7} {:>10} {:>12} {:>7} {:>9} {:>9}",
        shape.name,
        shown(at(ours), 2),
        shown(at(theirs), 1),
        shown(ratio, 0),
        shown(exponent(ours), 2),
        shown(exponent(theirs), 2),
    );
    ratio
}

/// With which power of the size the time grows, between the two largest sizes.
fn exponent(series: &Series) -> Option<f64> {
    let [.., (small, before), (large, after)] = series.as_slice() else { return None };
    (*after > SHORT).then(|| (after / before).ln() / (*large as f64 / *small as f64).ln())
}

/// Both sides' times of a shape in all sizes.
fn measure(
    shape: &Shape,
    below: &Path,
    mut reference: Option<&mut Reference>,
) -> Result<(Series, Series), String> {
    let (mut ours, mut theirs) = (Series::new(), Series::new());
    for (times, is_larger) in
        SIZES.map(|times| (times, false)).into_iter().chain(LARGER.map(|times| (times, true)))
    {
        if is_larger && ours.last().is_some_and(|(_, ms)| *ms > LONG) {
            break;
        }
        let size = shape.base * times;
        let directory = shape.write(below, size).map_err(|error| error.to_string())?;
        let (path, environment, node) = load(&directory)?;
        match time(&environment, &node) {
            Ok(taken) => ours.push((size, taken)),
            // Nothing nests for ever.
            Err(_) if is_larger => break,
            Err(error) => return Err(format!("{}: {error}", shape.name)),
        }
        if let Some(taken) = reference.as_mut().filter(|_| !is_larger).and_then(|of| of.time(&path)) {
            theirs.push((size, taken.cpu * 1e3));
        }
        let _ = std::fs::remove_dir_all(&directory);
    }
    Ok((ours, theirs))
}

fn load(directory: &Path) -> Result<(PathBuf, Environment, NodeInput), String> {
    let cases = environments::cases(directory).map_err(|error| error.to_string())?;
    let (path, request) = cases.into_iter().next().ok_or("no case")?;
    let (environment, node) = protocol::environment_on_disk(&request).map_err(|error| error.to_string())?;
    Ok((path, environment, node))
}

/// The processor's milliseconds of a warm compilation.
fn time(environment: &Environment, node: &NodeInput) -> Result<f64, String> {
    let mut least = f64::INFINITY;
    for round in 0..=ROUNDS {
        let node = NodeInput { name: node.name.replace("node0.", &format!("node{round}.")), ..node.clone() };
        let start = cpu()?;
        let result = compiler::compile(environment, node, CompileOptions::default());
        let taken = cpu()? - start;
        std::hint::black_box(&result).outcome.as_ref().map_err(|error| error.to_string())?;
        if round > 0 {
            least = least.min(taken);
        }
    }
    Ok(least)
}

fn cpu() -> Result<f64, String> {
    let now = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).map_err(|error| error.to_string())?;
    Ok(now.tv_sec() as f64 * 1e3 + now.tv_nsec() as f64 / 1e6)
}
