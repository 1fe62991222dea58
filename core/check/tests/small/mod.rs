//! Small environments in memory, and their findings as lines.

use std::sync::Arc;

use bunraku_check::{Options, check};
use bunraku_engine::loader::{Environment, EnvironmentOptions};
use bunraku_host::memory::MemoryHost;

pub const ROOT: &str = "/code/production";

pub fn environment(files: &[(&str, &str)]) -> Environment {
    let mut host = MemoryHost::new();
    for (path, text) in files {
        host.add(format!("{ROOT}/{path}"), *text);
    }
    let options = EnvironmentOptions {
        name: "production".into(),
        environmentpath: vec!["/code".into()],
        ..EnvironmentOptions::default()
    };
    Environment::load(Arc::new(host), options).expect("the environment is loaded")
}

/// The findings, one line each: `file:line:column severity code: message`.
pub fn found_with(files: &[(&str, &str)], options: &Options) -> Vec<String> {
    let findings = check(&environment(files), options, &|| Ok(())).expect("nothing ends it");
    let line = |one: &bunraku_check::Finding| {
        let file = one.place.file.as_deref().unwrap_or_default();
        let file = file.strip_prefix(ROOT).unwrap_or(file).trim_start_matches('/');
        let place = format!("{file}:{}:{}", one.place.line, one.place.column);
        format!("{place} {} {}: {}", one.severity.name(), one.code.name(), one.message)
    };
    findings.iter().map(line).collect()
}

pub fn found(files: &[(&str, &str)]) -> Vec<String> {
    found_with(files, &Options { ignore: vec!["unused".into()], ..Options::default() })
}
