//! `conform serve` answers questions, `conform check` and `conform environments` hold answers against the
//! reference's. See `--help`.

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use conform::report::{self, Report};
use conform::{
    cases, corpus, data, environments, kept, manifests, protocol, ratchet, resource_types, seeds, templates,
    vectors, workers,
};

const HELP: &str = "\
conform: asks bunraku what the reference has answered, and compares

  conform serve                     one JSON request a line on standard input,
                                    one JSON reply a line on standard output
  conform check FILE…               golden vectors (.jsonl, .jsonl.gz)
  conform environments DIR…         golden environments: catalogs, errors, lookups
  conform corpus FILE ROOT          what the reference's parser says of the manifests below ROOT
  conform types FILE [DIR]          what Puppet says of the types of resources of its own and of Debian's modules; with DIR,
                                    DIR/generated/.resource_types is read instead of the modules' files
  conform seeds DIR                 seeds of the fuzz targets
  conform erb FILE…                 templates that Ruby has rendered
  conform ruby                      programs of Ruby as JSON texts, one a line on standard input; what they give as JSON, one a
                                    line on standard output (tests/ruby/differential.rb)
  conform templates DIR             how many templates below DIR use only what the built-in Ruby knows
  conform cases [--bless] [NAME…]   the cases of tests/cases; --bless renews their expected output
  conform ruby-files DIR            the same of the files in Ruby that modules below DIR load while a catalog is compiled
  conform kept [--lost] [PLACES] DIR…
                                    how many definitions of the manifests below DIR are kept when one token is removed
                                    or doubled; PLACES tokens of each manifest (40); --lost lists the texts that lose one
  conform scores                    all that the repository holds, counted per topic, as Markdown

Options of check, environments and corpus:
  --through PROGRAM                 environments only: that program is asked for all catalogs that need no exported resources
                                    (ffi/examples/answer.c), and held against the lists of known failures
  --failing FILE                    write the ids that fail, one a line
  --show ID                         print question, expected and actual answer (may be given again)
  --record                          write the lists of known failures (tests/known) anew
  --help                            this text
";

struct Options {
    paths: Vec<PathBuf>,
    failing: Option<PathBuf>,
    show: Vec<String>,
    record: bool,
    through: Option<PathBuf>,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_default();
    let result = match command.as_str() {
        "serve" => serve(),
        "check" | "environments" | "corpus" | "erb" | "types" => {
            parse_options(arguments).and_then(|options| run(&command, &options))
        }
        "ruby" => answer_ruby(),
        "templates" => survey(arguments.next(), templates::Kind::Templates),
        "ruby-files" => survey(arguments.next(), templates::Kind::Files),
        "kept" => kept(&arguments.collect::<Vec<_>>()),
        "scores" => scores(),
        "cases" => cases(&arguments.collect::<Vec<_>>()),
        "seeds" => write_seeds(arguments.next()),
        "--help" | "-h" | "help" => {
            print!("{HELP}");
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            eprint!("{HELP}");
            Ok(ExitCode::from(2))
        }
    };
    result.unwrap_or_else(|error| {
        eprintln!("conform: {error}");
        ExitCode::from(2)
    })
}

fn cases(arguments: &[String]) -> io::Result<ExitCode> {
    let (options, names): (Vec<_>, Vec<_>) = arguments.iter().partition(|one| one.starts_with("--"));
    if let Some(other) = options.iter().find(|option| **option != "--bless") {
        return Err(io::Error::other(format!("unknown option {other}")));
    }
    let mut all_agree = true;
    for case in cases::all()?.iter().filter(|case| names.is_empty() || names.contains(&&case.name)) {
        if options.is_empty() {
            let told = case.check().err();
            all_agree &= told.is_none();
            told.iter().for_each(|told| println!("{told}"));
        } else {
            case.bless()?;
        }
    }
    Ok(if all_agree { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn kept(arguments: &[String]) -> io::Result<ExitCode> {
    let (options, rest): (Vec<_>, Vec<_>) = arguments.iter().partition(|one| one.starts_with("--"));
    let places = rest.iter().find_map(|argument| argument.parse().ok()).unwrap_or(40);
    let roots: Vec<PathBuf> =
        rest.iter().filter(|one| one.parse::<usize>().is_err()).map(PathBuf::from).collect();
    let manifests = manifests::below(&roots);
    let measure = kept::measure(&manifests, places);
    if options.iter().any(|option| *option == "--lost") {
        measure.lost.iter().for_each(|one| println!("{one}"));
    }
    measure.other_errors.iter().for_each(|one| println!("another first error: {one}"));
    for ((damage, token), count) in &measure.counts {
        println!(
            "{damage:?} {token}: {} of {} ({:.1} %), {} with all parameters",
            count.kept,
            count.texts,
            count.percent(),
            count.whole
        );
    }
    let total = measure.total();
    println!(
        "{} manifests: {} of {} damaged texts have all definitions ({:.2} %), {} with all parameters",
        manifests.len(),
        total.kept,
        total.texts,
        total.percent(),
        total.whole
    );
    Ok(if measure.other_errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn answer_ruby() -> io::Result<ExitCode> {
    std::panic::set_hook(Box::new(|_| {}));
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut lines = io::stdin().lock().lines();
    loop {
        let programs = lines.by_ref().take(500).map(|line| Ok(serde_json::from_str(&line?)?));
        let programs = programs.collect::<io::Result<Vec<String>>>()?;
        if programs.is_empty() {
            break;
        }
        for answer in workers::run_all(&programs, |program| templates::run_ruby(program)) {
            writeln!(out, "{}", answer.unwrap_or_else(|panic| serde_json::json!({ "panic": panic })))?;
        }
        out.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}

fn write_seeds(directory: Option<String>) -> io::Result<ExitCode> {
    let directory = directory.ok_or_else(|| io::Error::other("seeds: into which directory?"))?;
    println!("seeds of {} manifests", seeds::write(Path::new(&directory))?);
    Ok(ExitCode::SUCCESS)
}

fn survey(root: Option<String>, kind: templates::Kind) -> io::Result<ExitCode> {
    let root = root.ok_or_else(|| io::Error::other("which directory?"))?;
    print!("{}", templates::survey(Path::new(&root), kind)?.text());
    Ok(ExitCode::SUCCESS)
}

fn parse_options(mut arguments: impl Iterator<Item = String>) -> io::Result<Options> {
    let mut options =
        Options { paths: Vec::new(), failing: None, show: Vec::new(), record: false, through: None };
    let missing = |name: &str| io::Error::other(format!("{name} needs a value"));
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--failing" => {
                options.failing = Some(arguments.next().ok_or_else(|| missing("--failing"))?.into())
            }
            "--show" => options.show.push(arguments.next().ok_or_else(|| missing("--show"))?),
            "--through" => {
                options.through = Some(arguments.next().ok_or_else(|| missing("--through"))?.into())
            }
            "--record" => options.record = true,
            option if option.starts_with("--") => {
                return Err(io::Error::other(format!("unknown option {option}")));
            }
            path => options.paths.push(path.into()),
        }
    }
    Ok(options)
}

fn run(command: &str, options: &Options) -> io::Result<ExitCode> {
    std::panic::set_hook(Box::new(|_| {}));
    let mut reports: Vec<Report> = Vec::new();
    let paths = match (command, options.paths.as_slice()) {
        ("corpus", [file, root]) => {
            let report = corpus::check(file, root)?;
            println!("{}", report.line());
            reports.push(report);
            &[]
        }
        ("types", [file, rest @ ..]) => {
            let generated = rest.first().map(|path| path.to_string_lossy());
            let report = resource_types::check(file, environments::MODULES, generated.as_deref())?;
            println!("{}", report.line());
            reports.push(report);
            &[]
        }
        ("corpus", _) => return Err(io::Error::other("corpus needs a file and a directory")),
        (_, paths) => paths,
    };
    for path in paths {
        let report = match command {
            "check" => vectors::check(path)?,
            "erb" => templates::check(path)?,
            _ => match &options.through {
                Some(program) => environments::check_through(program, path)?,
                None => environments::check(path)?,
            },
        };
        println!("{}", report.line());
        reports.push(report);
    }
    for outcome in reports.iter().flat_map(|report| &report.outcomes) {
        if options.show.contains(&outcome.id) {
            print!("{}", report::show(outcome));
        }
    }
    if let Some(path) = &options.failing {
        let ids: Vec<&str> = reports.iter().flat_map(Report::failing).collect();
        fs::write(path, ids.iter().map(|id| format!("{id}\n")).collect::<String>())?;
    }
    if options.record {
        reports.iter().try_for_each(ratchet::write)?;
    }
    println!("{}", report::closing_line(&reports));
    if options.through.is_some() {
        let unknown = reports.iter().map(ratchet::unlisted).collect::<io::Result<Vec<_>>>()?.concat();
        unknown.iter().for_each(|id| println!("{id} fails and is not listed"));
        return Ok(if unknown.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let all_passed = reports.iter().all(|report| report.passed() == report.outcomes.len());
    Ok(if all_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs everything in `data` and writes the content of `SCORES.md`.
fn scores() -> io::Result<ExitCode> {
    std::panic::set_hook(Box::new(|_| {}));
    let mut reports = Vec::new();
    for path in entries(&data::directory().join("conformance"))? {
        if path.to_string_lossy().ends_with(".jsonl.gz") {
            reports.push(vectors::check(&path)?);
        }
    }
    for path in entries(&data::directory().join("environments"))? {
        if path.is_dir() && !environments::lacks_modules(&path) {
            reports.push(environments::check(&path)?);
        }
    }
    println!("# Scores\n\nHow many of the reference's answers bunraku gives. Written by `make scores`.\n");
    println!("| topic | passed | asked | |\n|---|---:|---:|---:|");
    for report in &reports {
        let (passed, asked) = (report.passed(), report.outcomes.len());
        println!(
            "| {} | {passed} | {asked} | {:.1} % |",
            report.name,
            100.0 * passed as f64 / asked.max(1) as f64
        );
    }
    println!("\n{}", report::closing_line(&reports));
    Ok(ExitCode::SUCCESS)
}

fn entries(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(directory)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}

fn serve() -> io::Result<ExitCode> {
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let reply = workers::run_one(|| protocol::reply(&line))
            .unwrap_or_else(|panic| protocol::failure(&line, &panic).to_string());
        writeln!(output, "{reply}")?;
        output.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}
