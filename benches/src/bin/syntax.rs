//! Times the parsing of texts: `make bench-syntax`.
//!
//! All available real manifests are parsed, parsed and validated, and read from their binary form, in turns
//! with the crate `tree-sitter-puppet`; their memory is counted; texts of one shape in several sizes show
//! that the cost is linear in the size. `make bench` times the reference's parser.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bunraku::memory;
use bunraku::source::Source;
use bunraku::syntax::ast::Program;
use bunraku::syntax::binary;
use bunraku::syntax::validate::{ValidateOptions, validate};
use bunraku::syntax::{ParseOptions, parse};

/// The number of rounds of the slowest parser.
const ROUNDS: usize = 15;
/// The number of rounds of the others in the same time.
const TIMES: usize = 4;

fn main() {
    let texts = manifests();
    let sources: Vec<Arc<Source>> =
        texts.iter().map(|text| Arc::new(Source::new(None, text.as_str()))).collect();
    real_manifests(&sources);
    files();
    memory(&sources);
    shapes();
}

/// The texts of the available manifests.
fn manifests() -> Vec<String> {
    let paths = manifest_paths();
    let texts = paths.iter().filter_map(|path| std::fs::read_to_string(path).ok());
    texts.filter(|text| parsed(&Arc::new(Source::new(None, text.as_str()))).is_some()).collect()
}

/// The available manifests: those of Debian's modules, or else of the repository.
fn manifest_paths() -> BTreeSet<PathBuf> {
    let mut paths = BTreeSet::new();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests");
    for root in [Path::new("/usr/share/puppet/modules.available"), Path::new("/usr/share/puppet/modules")] {
        below(root, &mut paths);
    }
    if paths.is_empty() {
        below(&repository, &mut paths);
    }
    paths
}

/// Modules are linked from one directory into another: every file is taken once.
fn below(directory: &Path, paths: &mut BTreeSet<PathBuf>) {
    for entry in std::fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok) {
        let Ok(path) = entry.path().canonicalize() else { continue };
        if path.is_dir() {
            below(&path, paths);
        } else if path.extension().is_some_and(|extension| extension == "pp") {
            paths.insert(path);
        }
    }
}

fn parsed(source: &Arc<Source>) -> Option<Program> {
    parse(Arc::clone(source), &ParseOptions::default()).ok()
}

fn complaints(program: &Program) -> usize {
    validate(program, &ValidateOptions::default()).len()
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(work());
    start.elapsed()
}

/// Seconds: the median, and the best.
fn summary(mut times: Vec<Duration>) -> (f64, f64) {
    times.sort();
    (times[times.len() / 2].as_secs_f64(), times[0].as_secs_f64())
}

/// Parsing, with and without validation, and another parser, in turns.
fn real_manifests(sources: &[Arc<Source>]) {
    let bytes: usize = sources.iter().map(|source| source.text().len()).sum();
    let megabytes = bytes as f64 / 1e6;
    println!(
        "{} manifests, {megabytes:.2} MB, one thread, {} rounds in turns: median (best)",
        sources.len(),
        ROUNDS * TIMES
    );
    let mut tree_sitter = tree_sitter::Parser::new();
    let language = tree_sitter_puppet::LANGUAGE.into();
    let has_tree_sitter = tree_sitter.set_language(&language).is_ok();
    let written: Vec<Vec<u8>> =
        sources.iter().filter_map(parsed).map(|program| binary::write(&program)).collect();
    let (mut parsing, mut both, mut others) = (Vec::new(), Vec::new(), Vec::new());
    let mut reading = Vec::new();
    for _ in 0..ROUNDS {
        for _ in 0..TIMES {
            parsing.push(timed(|| sources.iter().filter_map(parsed).count()));
            both.push(timed(|| {
                sources.iter().filter_map(parsed).map(|program| complaints(&program)).sum::<usize>()
            }));
            reading.push(timed(|| written.iter().filter_map(|bytes| binary::read(bytes).ok()).count()));
        }
        if has_tree_sitter {
            others.push(timed(|| {
                sources.iter().filter_map(|source| tree_sitter.parse(source.text(), None)).count()
            }));
        }
    }
    let (parsing, both, others) = (summary(parsing), summary(both), summary(others));
    let show = |name: &str, (median, best): (f64, f64)| {
        println!("{name:<28} {:>7.0} MB/s ({:.0})", megabytes / median, megabytes / best);
    };
    show("parse", parsing);
    show("parse and validate", both);
    show("read the binary form", summary(reading));
    show("tree-sitter-puppet", others);
    let added = |parsing: f64, both: f64| (both / parsing - 1.0) * 100.0;
    println!(
        "{:<28} {:>7.0} % ({:.0})",
        "validation adds",
        added(parsing.0, both.0),
        added(parsing.1, both.1)
    );
    println!("{:<28} {:>7.1} x ({:.1})", "tree-sitter takes", others.0 / parsing.0, others.1 / parsing.1);
}

/// Reading and parsing the files on several threads.
fn files() {
    let paths: Vec<String> =
        manifest_paths().into_iter().map(|path| path.to_string_lossy().into_owned()).collect();
    let bytes: u64 =
        paths.iter().filter_map(|path| std::fs::metadata(path).ok()).map(|info| info.len()).sum();
    let megabytes = bytes as f64 / 1e6;
    let mut one = None;
    for threads in [1, 2, 4] {
        let options = bunraku::FileOptions { threads: NonZeroUsize::new(threads), ..Default::default() };
        let round = || timed(|| bunraku::parse_files(paths.clone(), &options).count());
        let (median, best) = summary((0..ROUNDS).map(|_| round()).collect());
        let one = *one.get_or_insert(best);
        println!(
            "parse_files, {threads} threads       {:>7.0} MB/s ({:.0}), {:.2} x",
            megabytes / median,
            megabytes / best,
            one / best
        );
    }
}

/// The memory of a program, except for its source.
fn memory(sources: &[Arc<Source>]) {
    let (mut kept, mut peak, mut worst, mut bytes) = (0, 0, 0.0f64, 0);
    for source in sources {
        let before = memory::live();
        bunraku_allocator::reset_peak();
        let Some(program) = parsed(source) else { continue };
        kept += memory::live() - before;
        let high = bunraku_allocator::peak() - before;
        drop(program);
        peak += high;
        bytes += source.text().len();
        if source.text().len() > 1000 {
            worst = worst.max(high as f64 / source.text().len() as f64);
        }
    }
    let ratio = |memory: isize| memory as f64 / bytes.max(1) as f64;
    println!();
    println!(
        "memory by bytes of source: {:.1} kept, {:.1} while parsing, {worst:.1} in the worst file of more than 1 kB",
        ratio(kept),
        ratio(peak)
    );
}

/// A shape of a text: its name, and the text of approximately this number of bytes.
type Shape = (&'static str, fn(usize) -> String);

const SHAPES: &[Shape] = &[
    ("classes with resources", |size| {
        let class = "# A class.\nclass example::part($a = 1, String $b = \"x${a}\") {\n  \
                     file { \"/etc/${b}\":\n    ensure  => file,\n    content => template('a/b.erb'),\n  }\n}\n";
        class.repeat(size / class.len())
    }),
    ("a long array", |size| format!("$a = [{}]", "'item', ".repeat(size / 8))),
    ("a long hash", |size| {
        let entries: Vec<String> = (0..size / 20).map(|number| format!("'k{number:08}' => 1")).collect();
        format!("$a = {{ {} }}", entries.join(", "))
    }),
    ("a long string", |size| format!("$a = '{}'", "x".repeat(size))),
    ("a string with escapes", |size| format!("$a = \"{}\"", "x\\n".repeat(size / 3))),
    ("a string with variables", |size| format!("$a = \"{}\"", "x${b}".repeat(size / 5))),
    ("many heredocs", |size| "$a = @(E)\n  text\n  | E\n".repeat(size / 23)),
    ("heredocs with variables", |size| "$a = @(\"E\")\n  t ${b}\n  | E\n".repeat(size / 26)),
    ("nested 200 deep", |size| {
        let nested = "[".repeat(200) + &"]".repeat(200) + "\n";
        format!("$a = [{}]", (nested + ", ").repeat(size / 403))
    }),
    ("conditions, 40 deep", |size| {
        let nested = "if $a { f(1) ".repeat(40) + &"}".repeat(40) + "\n";
        nested.repeat(size / nested.len())
    }),
    ("parameters", |size| {
        let parameters: Vec<String> = (0..size / 12).map(|number| format!("$p{number:08}")).collect();
        format!("class a({}) {{ }}", parameters.join(", "))
    }),
    ("comments", |size| "# a comment\n".repeat(size / 12)),
];

/// Time by byte, which stays the same when texts grow.
fn shapes() {
    println!(
        "\n{:<26} {:>34} {:>36}",
        "ns by byte", "parse: 1 kB, 100 kB, 10 MB, 40 MB", "validate: the same"
    );
    for (name, text) in SHAPES {
        let (mut parsing, mut validating) = (Vec::new(), Vec::new());
        for (size, rounds) in [(1_000, 200), (100_000, 9), (10_000_000, 3), (40_000_000, 1)] {
            let text = text(size);
            let length = text.len() as f64;
            let source = Arc::new(Source::new(None, text));
            let Some(program) = parsed(&source) else { continue };
            let best = |work: &dyn Fn() -> usize| {
                summary((0..rounds).map(|_| timed(work)).collect()).1 * 1e9 / length
            };
            parsing.push(best(&|| usize::from(parsed(&source).is_some())));
            validating.push(best(&|| complaints(&program)));
        }
        let show = |times: &[f64]| times.iter().map(|time| format!("{time:>8.2}")).collect::<String>();
        println!("{name:<26} {:>34} {:>36}", show(&parsing), show(&validating));
    }
}
