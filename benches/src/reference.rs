//! The reference as a process that times compilations for comparison.

use std::io::{BufRead, BufReader, Lines, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::Value as Json;

use crate::root;

/// The reference's measurements of a case.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// By the wall's clock.
    pub seconds: f64,
    /// Processor time.
    pub cpu: f64,
}

/// The reference, which waits for cases to time.
#[derive(Debug)]
pub struct Reference {
    process: Child,
    questions: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Reference {
    /// Starts the installed Puppet, or that of `OPENVOX_LIB`.
    ///
    /// # Errors
    /// Ruby is not installed.
    pub fn start() -> Result<Self, String> {
        let mut command = Command::new("ruby");
        command.arg("-W0").args(["-r", "set"]).arg(root().join("benches/reference_catalogs.rb"));
        let process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut process = process.map_err(|error| format!("ruby: {error}"))?;
        match (process.stdin.take(), process.stdout.take()) {
            (Some(questions), Some(answers)) => {
                Ok(Self { process, questions, answers: BufReader::new(answers).lines() })
            }
            _ => Err("ruby: no pipe".to_owned()),
        }
    }

    /// The reference's measurements of the case in this file; `None` if it does not compile.
    pub fn time(&mut self, case: &Path) -> Option<Taken> {
        writeln!(self.questions, "{}", case.display()).ok()?;
        let answer: Json = serde_json::from_str(&self.answers.next()?.ok()?).ok()?;
        Some(Taken { seconds: answer["seconds"].as_f64()?, cpu: answer["cpu"].as_f64()? })
    }

    /// Lets it clean up after itself.
    pub fn end(mut self) {
        drop(self.questions);
        let _ = self.process.wait();
    }
}
