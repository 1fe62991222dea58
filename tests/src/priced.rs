//! Measures the price of steps: an environment in memory, a thousand steps, and the processor time of an
//! answer.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use bunraku::compiler::{Compilation, Limits, NodeInput};
use bunraku::diagnostic::Error;
use bunraku::host::Host;
use bunraku::host::disk::DiskHost;
use bunraku::host::memory::MemoryHost;
use bunraku::loader::{Environment, EnvironmentOptions};
use bunraku::pcore::Value;

use crate::host::DriverHost;

/// The maximum number of steps of the questions.
pub const STEPS: u64 = 1000;

/// The maximum time of a thousand steps: a second, and more for code without optimisation.
pub const LONGEST: Duration = Duration::from_secs(if cfg!(debug_assertions) { 10 } else { 1 });

/// The limits of the questions: a thousand steps.
pub fn narrow() -> Limits {
    Limits { steps: Some(STEPS), ..Limits::default() }
}

/// An environment with this main manifest and these files, below `/env`. The modules that built-in functions
/// belong to have them in Ruby, so that they are known.
///
/// # Errors
/// It cannot be loaded.
pub fn environment(code: &str, files: &[(String, String)]) -> Result<Environment, Error> {
    let mut host = MemoryHost::new();
    host.add_directory("/env/modules");
    for function in bunraku::functions::table().functions() {
        if let Some(module) = function.module {
            let path = function.name.replace("::", "/");
            let path = path
                .strip_prefix(&format!("{module}/"))
                .map_or(path.clone(), |rest| format!("{module}/{rest}"));
            host.add(format!("/env/modules/{module}/lib/puppet/functions/{path}.rb"), "");
        }
    }
    for (path, text) in files {
        host.add(format!("/env/{path}"), text.as_str());
    }
    let options = EnvironmentOptions {
        name: "env".to_owned(),
        environmentpath: vec!["/".to_owned()],
        code: Some(code.to_owned()),
        ..EnvironmentOptions::default()
    };
    Environment::load(Arc::new(DriverHost::in_memory(host, Vec::new())), options)
}

/// A compilation with these variables in its top scope.
pub fn compilation<'e>(
    environment: &'e Environment,
    variables: &[(&str, Value)],
    limits: Limits,
) -> Compilation<'e> {
    let parameters = variables.iter().map(|(name, value)| (Value::from(*name), value.clone())).collect();
    Compilation::new(
        environment,
        NodeInput { name: "node".to_owned(), parameters, ..NodeInput::default() },
        limits,
    )
}

/// The result of work, and its processor time.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begin = DiskHost.cpu_time().unwrap_or_default();
    let result = work();
    (result, DiskHost.cpu_time().unwrap_or_default().saturating_sub(begin))
}

/// How a question ended: `value`, `limit` with its place, `error` with its place and message.
pub fn told<T>(result: Result<T, Error>) -> String {
    let Err(error) = result else { return "value".to_owned() };
    let number = |number: Option<u32>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
    let place = format!("{}:{}", number(error.location.line), number(error.location.column));
    match error.kind {
        kind if kind.is_limit() => format!("limit {place}"),
        _ => {
            let issue = error.issue.map(|issue| format!("[{}] ", issue.code())).unwrap_or_default();
            let message: String = error.message.chars().take(160).collect();
            format!("error {place} {issue}{}", message.replace('\n', " "))
        }
    }
}

/// Fails for what took too long, the slowest first.
pub fn assert_short(mut taken: Vec<(String, Duration)>) {
    taken.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    let line = |(name, time): &(String, Duration)| format!("{:.2} s {name}", time.as_secs_f32());
    for slow in taken.iter().take(12) {
        println!("{}", line(slow));
    }
    let wrong = taken.iter().take_while(|(_, time)| *time > LONGEST).fold(String::new(), |mut all, slow| {
        let _ = writeln!(all, "{}", line(slow));
        all
    });
    assert!(wrong.is_empty(), "took more than {LONGEST:?}:\n{wrong}");
}
