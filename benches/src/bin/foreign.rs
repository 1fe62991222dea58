//! Times calls of a host's function, written in Rust, and of one that is written in Puppet: `make
//! bench-foreign`.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bunraku::compiler::{Limits, NodeInput, compile};
use bunraku::diagnostic::Error;
use bunraku::host::memory::MemoryHost;
use bunraku::host::{DeepStacks, FileInfo, ForeignCall, ForeignFunction, Host, HostError, Reading};
use bunraku::loader::{Environment, EnvironmentOptions};
use bunraku::pcore::Value;
use bunraku::pcore::value::Timestamp;

const CALLS: u32 = 100_000;
const ROUNDS: usize = 9;

/// Programs that call a function for each number.
const PROGRAMS: &[(&str, &str)] = &[
    ("no call", "{ $n }"),
    ("a function in Puppet", "{ next_in_puppet($n) }"),
    ("a function of the host", "{ next_number($n) }"),
    ("a function of the host that takes a lambda", "{ next_with($n) |$x| { $x } }"),
];

/// `next_number(n)`, and `next_with(n)`, which asks its lambda.
struct Next {
    has_block: bool,
}

impl ForeignFunction for Next {
    fn signatures(&self) -> Vec<String> {
        let text = if self.has_block { "Callable[Integer, Callable[Integer]]" } else { "Callable[Integer]" };
        vec![text.to_owned()]
    }

    fn call(&self, _: usize, arguments: &[Value], call: &dyn ForeignCall) -> Result<Value, Error> {
        let [Value::Integer(number)] = arguments else { return Err(Error::argument("a number is wanted")) };
        let next = Value::Integer(number.wrapping_add(1));
        if self.has_block { call.call_block(&[next]) } else { Ok(next) }
    }
}

/// A host without files that brings the functions.
struct FunctionHost(MemoryHost);

impl Host for FunctionHost {
    fn read(&self, path: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
        self.0.read(path, reading)
    }

    fn info(&self, path: &str) -> Option<FileInfo> {
        self.0.info(path)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        self.0.list(path)
    }

    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn cpu_time(&self) -> Option<Duration> {
        self.0.cpu_time()
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), HostError> {
        self.0.random(bytes)
    }

    fn run_on_deep_stack(&self, stacks: &DeepStacks, work: &mut (dyn FnMut() + Send)) -> Result<(), Error> {
        self.0.run_on_deep_stack(stacks, work)
    }

    fn foreign_function(
        &self,
        name: &str,
        _: Option<&str>,
    ) -> Result<Option<Arc<dyn ForeignFunction>>, Error> {
        let function = |has_block| Arc::new(Next { has_block }) as Arc<dyn ForeignFunction>;
        Ok(match name {
            "next_number" => Some(function(false)),
            "next_with" => Some(function(true)),
            _ => None,
        })
    }
}

fn main() -> Result<(), Box<dyn StdError>> {
    let mut without = Duration::ZERO;
    for (index, (name, body)) in PROGRAMS.iter().enumerate() {
        let code = format!(
            "function next_in_puppet(Integer $n) {{ $n + 1 }}\n\
             Integer[1, {CALLS}].map |$n| {body}.reduce |$a, $b| {{ $a + $b }}"
        );
        let options = EnvironmentOptions {
            name: "production".into(),
            modulepath: Some(Vec::new()),
            code: Some(code.as_str().into()),
            ..EnvironmentOptions::default()
        };
        let environment = Environment::load(Arc::new(FunctionHost(MemoryHost::new())), options)?;
        let mut times = Vec::new();
        for _ in 0..=ROUNDS {
            let node = NodeInput { name: "bench.example.net".into(), ..NodeInput::default() };
            let begin = Instant::now();
            compile(&environment, node, Limits::default()).outcome?;
            times.push(begin.elapsed());
        }
        times.sort();
        let time = times.first().copied().unwrap_or_default();
        if index == 0 {
            without = time;
        } else {
            let nanoseconds = time.saturating_sub(without).as_nanos() / u128::from(CALLS);
            println!("{name:<45} {nanoseconds:>6} ns a call");
        }
    }
    Ok(())
}
