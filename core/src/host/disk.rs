//! The host of ordinary programs: the file system, the clock and the commands of this machine. The only file of the library
//! that touches `std::fs` and `std::process`.
#![allow(clippy::disallowed_methods)]

use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cpu_time::ThreadTime;

use super::{DeepStacks, FileInfo, Host, HostError};
use crate::diagnostic::Error;
use crate::pcore::value::Timestamp;

/// The file system, the clock and the commands of this machine; no foreign functions.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskHost;

impl Host for DiskHost {
    fn read(&self, path: &str) -> Result<Vec<u8>, HostError> {
        std::fs::read(path).map_err(|error| host_error(&error, path))
    }

    fn info(&self, path: &str) -> Option<FileInfo> {
        let metadata = std::fs::metadata(path).ok()?;
        let modified = metadata.modified().map_or(Timestamp::default(), timestamp);
        Some(FileInfo { is_directory: metadata.is_dir(), size: metadata.len(), modified })
    }

    fn is_link(&self, path: &str) -> bool {
        std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        let entries = std::fs::read_dir(path).map_err(|error| host_error(&error, path))?;
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.sort();
        Ok(names)
    }

    fn run_on_deep_stack(&self, stacks: &DeepStacks, work: &mut (dyn FnMut() + Send)) -> Result<(), Error> {
        stacks.run(work)
    }

    fn now(&self) -> Timestamp {
        timestamp(SystemTime::now())
    }

    fn cpu_time(&self) -> Option<Duration> {
        ThreadTime::try_now().ok().map(|time| time.as_duration())
    }

    fn run_command(&self, command: &[&str]) -> Result<String, HostError> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(HostError::commands_refused(command));
        };
        let told = command.join(" ");
        let (mut output, writer) = std::io::pipe().map_err(|error| host_error(&error, program))?;
        let mut started = Command::new(program);
        started.args(arguments).env("LANG", "C").env("LC_ALL", "C").stdin(Stdio::null());
        // What is said as an error is part of the output, in the order in which it is said.
        let errors = writer.try_clone().map_err(|error| host_error(&error, program))?;
        let child = started.stdout(writer).stderr(errors).spawn();
        drop(started);
        let failed = |status: i32, said: &str| {
            HostError::Failed(format!("Execution of '{told}' returned {status}: {said}"))
        };
        // The reference starts the program in a process of its own, which ends with 1.
        let mut child = child.map_err(|_| failed(1, ""))?;
        let mut bytes = Vec::new();
        let read = output.read_to_end(&mut bytes);
        let status = child.wait().map_err(|error| host_error(&error, program))?;
        read.map_err(|error| host_error(&error, program))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if status.success() { Ok(text) } else { Err(failed(status.code().unwrap_or(1), &text)) }
    }

    fn environment_variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}

fn host_error(error: &io::Error, path: &str) -> HostError {
    match error.kind() {
        io::ErrorKind::NotFound => HostError::NotFound(path.to_owned()),
        io::ErrorKind::PermissionDenied => HostError::PermissionDenied(path.to_owned()),
        _ => HostError::Failed(format!("{error} - {path}")),
    }
}

fn timestamp(time: SystemTime) -> Timestamp {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => Timestamp { seconds: since.as_secs() as i64, nanoseconds: since.subsec_nanos() },
        Err(before) => {
            let before = before.duration();
            let nanoseconds = (1_000_000_000 - before.subsec_nanos()) % 1_000_000_000;
            let seconds = -(before.as_secs() as i64) - i64::from(nanoseconds != 0);
            Timestamp { seconds, nanoseconds }
        }
    }
}
