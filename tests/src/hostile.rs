//! Hostile programs: the format of their files, and how one is run.
//!
//! A program begins after a line `=== eval NAME` or `=== catalog NAME`, which determines whether it is
//! evaluated or a catalog is compiled. In it, `@100(@` means 100 times `(`, and `##` inside means the number
//! of the repetition, from 0 (`@3(class c## {} @`). A line `--- PATH` begins a file of its environment.

use std::sync::Arc;

use bunraku::compiler::{Compilation, Limits, NodeInput};
use bunraku::diagnostic::Error;
use bunraku::host::memory::MemoryHost;
use bunraku::loader::{Environment, EnvironmentOptions};

use crate::host::DriverHost;

/// The functions of stdlib that the programs call; a module has them in Ruby, so that they are known.
const STDLIB: &[&str] = &[
    "deep_merge",
    "delete",
    "ensure_packages",
    "fqdn_rand_string",
    "join_keys_to_values",
    "member",
    "merge",
    "parsejson",
    "parseyaml",
    "prefix",
    "pw_hash",
    "range",
    "seeded_rand_string",
    "str2saltedpbkdf2",
    "suffix",
    "to_json",
    "to_json_pretty",
    "to_yaml",
    "values_at",
];

/// A program.
pub struct Program {
    /// `eval NAME` or `catalog NAME`.
    pub head: String,
    /// The main manifest.
    text: String,
    /// Other files: path below the environment, and text.
    files: Vec<(String, String)>,
}

/// The programs of a file.
pub fn read(text: &str) -> Vec<Program> {
    let programs = text.split("\n=== ").skip(1).filter_map(|block| {
        let (head, text) = block.split_once('\n')?;
        let mut parts = text.trim_end_matches('\n').split("\n--- ");
        let text = parts.next().unwrap_or_default().to_owned();
        let files = parts.filter_map(|part| part.split_once('\n'));
        let files = files.map(|(path, text)| (path.to_owned(), text.to_owned())).collect();
        Some(Program { head: head.to_owned(), text, files })
    });
    programs.collect()
}

/// The text itself: `@100(@` is written out.
fn written_out(text: &str) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('@') {
        let (before, behind) = rest.split_at(at);
        out += before;
        let inner = &behind[1..];
        let digits = inner.len() - inner.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        match (inner[..digits].parse::<usize>(), inner[digits..].find('@')) {
            (Ok(times), Some(end)) => {
                let repeated = &inner[digits..digits + end];
                if repeated.contains("##") {
                    (0..times).for_each(|turn| out += &repeated.replace("##", &turn.to_string()));
                } else {
                    out += &repeated.repeat(times);
                }
                rest = &inner[digits + end + 1..];
            }
            _ => {
                out.push('@');
                rest = inner;
            }
        }
    }
    out + rest
}

impl Program {
    /// How it ends: `value`, `limit LINE:COLUMN`, or `error LINE:COLUMN MESSAGE`; `-` means an unknown place.
    pub fn run(&self, limits: &Limits) -> String {
        let root = "/env/production";
        let mut files = MemoryHost::new();
        files.add_directory("/env/modules");
        for function in STDLIB {
            files.add(format!("/env/modules/stdlib/lib/puppet/functions/{function}.rb"), "");
        }
        files.add_directory(root);
        for (path, text) in &self.files {
            files.add(format!("{root}/{path}"), written_out(text));
        }
        let options = EnvironmentOptions {
            name: "production".to_owned(),
            environmentpath: vec!["/env".to_owned()],
            base_modulepath: vec!["/env/modules".to_owned()],
            code: Some(written_out(&self.text)),
            ..EnvironmentOptions::default()
        };
        let environment = match Environment::load(Arc::new(DriverHost::in_memory(files, Vec::new())), options)
        {
            Ok(environment) => environment,
            Err(error) => return told(&error),
        };
        let input = NodeInput { name: "node".to_owned(), ..NodeInput::default() };
        let compilation = Compilation::new(&environment, input, limits.clone());
        let failed = if self.head.starts_with("catalog ") {
            compilation.compile().err()
        } else {
            compilation.evaluate_main().err()
        };
        failed.map_or_else(|| "value".to_owned(), |error| told(&error))
    }
}

fn told(error: &Error) -> String {
    let number = |number: Option<u32>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let place = format!("{}:{}", number(error.location.line), number(error.location.column));
    let message: String = error.message.chars().take(160).collect();
    let message = message.replace('\n', " ");
    match error.kind {
        kind if kind.is_limit() => format!("limit {place} {message}"),
        _ => {
            let issue = error.issue.map(|issue| format!("[{}] ", issue.code())).unwrap_or_default();
            format!("error {place} {issue}{message}")
        }
    }
}
