//! The host of ordinary programs: the file system, the clock, the randomness and the commands of this
//! machine. This is the only file of the library that uses `std::fs` and `std::process`.
#![expect(clippy::disallowed_methods, reason = "this is the door outside")]

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, PipeReader, Read, Write};
#[cfg(unix)]
use std::os::fd::AsFd;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cpu_time::ThreadTime;
#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};
#[cfg(unix)]
use rustix::io::Errno;

use super::{DeepStacks, FileInfo, Host, HostError, Machine, Reading};
use bunraku_pcore::value::Timestamp;
use bunraku_syntax::diagnostic::Error;

/// The file system, the clock, the randomness and the commands of this machine; no foreign functions.
#[derive(Clone, Copy, Debug, Default)]
pub struct DiskHost;

#[cfg(unix)]
fn inode(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
fn inode(_: &std::fs::Metadata) -> u64 {
    0
}

impl Host for DiskHost {
    fn read(&self, path: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
        let Some((file, size)) = open_regular(path)? else { return Ok(Vec::new()) };
        if size > reading.size {
            return Err(HostError::too_large(path, reading.size));
        }
        read_pieces(file, path, size, reading)
    }

    fn info(&self, path: &str) -> Option<FileInfo> {
        let metadata = std::fs::metadata(path).ok()?;
        let modified = metadata.modified().map_or(Timestamp::default(), timestamp);
        Some(FileInfo {
            is_directory: metadata.is_dir(),
            size: metadata.len(),
            modified,
            inode: inode(&metadata),
        })
    }

    fn is_link(&self, path: &str) -> bool {
        std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_symlink())
    }

    fn list(&self, path: &str) -> Result<Vec<String>, HostError> {
        let entries = std::fs::read_dir(path).map_err(|error| host_error(&error, path))?;
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        let mut names: Vec<String> = names.take(MAX_NAMES + 1).collect();
        if names.len() > MAX_NAMES {
            let message = format!("Directory too large: it has more than {MAX_NAMES} names - {path}");
            return Err(HostError::Failed(message));
        }
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

    fn machine(&self) -> Machine {
        Machine::of_process()
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), HostError> {
        getrandom::fill(bytes).map_err(|error| HostError::Failed(format!("no random bytes: {error}")))
    }

    fn run_command(&self, command: &[&str], reading: &Reading<'_>) -> Result<String, HostError> {
        let Some((program, arguments)) = command.split_first() else {
            return Err(HostError::commands_refused(command));
        };
        let told = command.join(" ");
        let (output, writer) = std::io::pipe().map_err(|error| host_error(&error, program))?;
        let mut started = Command::new(program);
        started.args(arguments).env("LANG", "C").env("LC_ALL", "C").stdin(Stdio::null());
        // Standard error is part of the output, in the order in which it is written.
        let errors = writer.try_clone().map_err(|error| host_error(&error, program))?;
        let child = started.stdout(writer).stderr(errors).spawn();
        drop(started);
        let failed = |status: i32, said: &str| {
            HostError::Failed(format!("Execution of '{told}' returned {status}: {}", said.trim()))
        };
        // The reference starts the program in a child process, which then exits with 1.
        let mut child = child.map_err(|_| failed(1, ""))?;
        let ended = output_of(output, program, reading)
            .and_then(|bytes| Ok((bytes, status_of(&mut child, program, reading)?)));
        let (bytes, status) = match ended {
            Ok(ended) => ended,
            Err(error) => {
                // It may already have ended by itself.
                let _ = child.kill();
                let _ = child.wait();
                return Err(error);
            }
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if status.success() { Ok(text) } else { Err(failed(status.code().unwrap_or(1), &text)) }
    }

    fn write(&self, path: &str, bytes: &[u8]) -> Result<(), HostError> {
        let failed = |error: io::Error| host_error(&error, path);
        if let Some((directory, _)) = path.rsplit_once('/') {
            self.make_directories(directory)?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        options.open(path).and_then(|mut file| file.write_all(bytes)).map_err(failed)
    }

    fn make_directories(&self, path: &str) -> Result<(), HostError> {
        std::fs::create_dir_all(path).map_err(|error| host_error(&error, path))
    }

    fn environment_variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}

/// Reads a file that the user has named. It can be a pipe or a terminal, for which this waits.
///
/// # Errors
/// The file cannot be read, or is too large.
pub fn read_named(path: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
    let failed = |error: io::Error| host_error(&error, path);
    let file = open_named(path, reading)?;
    let metadata = file.metadata().map_err(failed)?;
    if metadata.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    if metadata.is_file() { read_pieces(file, path, 0, reading) } else { read_waiting(file, path, reading) }
}

/// Reads standard input to its end.
///
/// # Errors
/// It cannot be read, or is too large.
pub fn read_standard_input(reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
    read_waiting(io::stdin().lock(), "standard input", reading)
}

/// Opens a file that the user has named. A named pipe opens when another process writes to it. A separate
/// thread waits for that, and keeps waiting if the reading ends before.
fn open_named(path: &str, reading: &Reading<'_>) -> Result<File, HostError> {
    let failed = |error: io::Error| host_error(&error, path);
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if metadata.is_file() || metadata.is_dir() {
        return File::open(path).map_err(failed);
    }
    let (sender, opened) = mpsc::sync_channel(1);
    let named = path.to_owned();
    let open = move || {
        // The receiver is gone if it has stopped waiting.
        let _ = sender.send(File::open(named));
    };
    thread::Builder::new().spawn(open).map_err(failed)?;
    loop {
        match opened.recv_timeout(LOOK) {
            Ok(file) => return file.map_err(failed),
            Err(RecvTimeoutError::Timeout) => reading.check()?,
            Err(RecvTimeoutError::Disconnected) => return Err(failed(io::ErrorKind::BrokenPipe.into())),
        }
    }
}

/// Reads a pipe, a terminal or a device to its end. Waits for data; the reading can be cancelled meanwhile.
fn read_waiting(mut file: impl Read + AsFd, path: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
    let failed = |error: io::Error| host_error(&error, path);
    let mut bytes = Vec::new();
    let mut piece = vec![0; 1 << 16];
    loop {
        reading.check()?;
        if !is_ready(&file).map_err(failed)? {
            continue;
        }
        match file.read(&mut piece) {
            Ok(0) => return Ok(bytes),
            Ok(size) => bytes.extend_from_slice(piece.get(..size).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
        if bytes.len() as u64 > reading.size {
            return Err(HostError::too_large(path, reading.size));
        }
    }
}

/// Whether a read does not block: waits at most [`LOOK`].
#[cfg(unix)]
fn is_ready(file: &impl AsFd) -> io::Result<bool> {
    let timeout = Timespec { tv_sec: 0, tv_nsec: LOOK.subsec_nanos().into() };
    match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&timeout)) {
        Ok(count) => Ok(count > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(unix))]
fn is_ready(_file: &impl AsFd) -> io::Result<bool> {
    Ok(true)
}

#[cfg(not(unix))]
trait AsFd {}

#[cfg(not(unix))]
impl<T> AsFd for T {}

/// The standard output of a program that has ended.
#[derive(Debug)]
pub struct ProgramOutput {
    /// What it wrote.
    pub bytes: Vec<u8>,
    /// How it ended.
    pub status: ExitStatus,
}

/// Runs a program and returns its standard output, up to a size; `errors` is its standard error.
///
/// # Errors
/// The program cannot be started, or prints more.
pub fn output_of_program(
    command: &[&str],
    errors: Stdio,
    reading: &Reading<'_>,
) -> Result<ProgramOutput, HostError> {
    let Some((program, arguments)) = command.split_first() else {
        return Err(HostError::commands_refused(command));
    };
    let failed = |error: &io::Error| host_error(error, program);
    let (output, writer) = std::io::pipe().map_err(|error| failed(&error))?;
    let mut started = Command::new(program);
    started.args(arguments).stdin(Stdio::null()).stderr(errors).stdout(writer);
    let child = started.spawn();
    // Only the program holds the write end.
    drop(started);
    let mut child = child.map_err(|error| failed(&error))?;
    let ended = output_of(output, program, reading)
        .and_then(|bytes| Ok((bytes, status_of(&mut child, program, reading)?)));
    match ended {
        Ok((bytes, status)) => Ok(ProgramOutput { bytes, status }),
        Err(error) => {
            // It may already have ended by itself.
            let _ = child.kill();
            let _ = child.wait();
            Err(error)
        }
    }
}

/// Writes a file, and replaces an existing one.
///
/// # Errors
/// The file cannot be written.
pub fn write(path: &str, bytes: &[u8]) -> Result<(), HostError> {
    std::fs::write(path, bytes).map_err(|error| host_error(&error, path))
}

/// Creates a directory if it does not exist.
///
/// # Errors
/// The directory cannot be created.
pub fn make_directory(path: &str) -> Result<(), HostError> {
    match std::fs::create_dir(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(host_error(&error, path)),
        _ => Ok(()),
    }
}

/// Copies the modification time of one file to another.
///
/// # Errors
/// One of the files does not exist, or must not be changed.
pub fn copy_time(from: &str, to: &str) -> Result<(), HostError> {
    let time = std::fs::metadata(from).and_then(|metadata| metadata.modified());
    let time = time.map_err(|error| host_error(&error, from))?;
    let file = OpenOptions::new().write(true).open(to);
    file.and_then(|file| file.set_modified(time)).map_err(|error| host_error(&error, to))
}

/// The absolute form of a path, without `.` and `..`, from the working directory; `~` is the home directory.
///
/// # Errors
/// The working directory no longer exists, or its name is not UTF-8.
pub fn absolute_path(path: &str) -> Result<String, HostError> {
    let home = || DiskHost.environment_variable("HOME").filter(|home| home.starts_with('/'));
    let path = match path.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(rest) => home().map_or_else(|| path.to_owned(), |home| home + rest),
        None => path.to_owned(),
    };
    if path.starts_with('/') {
        return Ok(plain_path(&path));
    }
    let here = std::env::current_dir().map_err(|error| host_error(&error, "."))?;
    match here.to_str() {
        Some(here) => Ok(plain_path(&format!("{here}/{path}"))),
        None => Err(HostError::Failed(format!("the path is not UTF-8 - {}", here.display()))),
    }
}

/// An absolute path without `.` and `..`.
fn plain_path(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

/// The number of threads that can run in parallel.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// The longest wait between two checks for cancellation.
const LOOK: Duration = Duration::from_millis(50);

/// The output of a command.
fn output_of(mut output: PipeReader, program: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
    let failed = |error: io::Error| host_error(&error, program);
    let (sender, pieces) = mpsc::sync_channel(1);
    // A thread that waits for a pipe cannot be cancelled, so another thread reads. It ends with the pipe, or
    // with the first piece that is not wanted.
    let read = move || {
        loop {
            let mut piece = vec![0; 1 << 16];
            let read = match output.read(&mut piece) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read,
            };
            let is_last = !matches!(read, Ok(1..));
            let read = read.map(|size| {
                piece.truncate(size);
                piece
            });
            if sender.send(read).is_err() || is_last {
                break;
            }
        }
    };
    thread::Builder::new().spawn(read).map_err(failed)?;
    let mut bytes = Vec::new();
    loop {
        match pieces.recv_timeout(LOOK) {
            Ok(Ok(piece)) if !piece.is_empty() => bytes.extend_from_slice(&piece),
            Ok(Err(error)) => return Err(failed(error)),
            Ok(Ok(_)) | Err(RecvTimeoutError::Disconnected) => return Ok(bytes),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if bytes.len() as u64 > reading.size {
            return Err(HostError::Failed(format!("'{program}' printed more than {} bytes", reading.size)));
        }
        reading.check()?;
    }
}

/// The exit status of a command that prints no more. It can continue to run for a while.
fn status_of(child: &mut Child, program: &str, reading: &Reading<'_>) -> Result<ExitStatus, HostError> {
    let mut pause = Duration::from_millis(1);
    loop {
        if let Some(status) = child.try_wait().map_err(|error| host_error(&error, program))? {
            return Ok(status);
        }
        reading.check()?;
        thread::sleep(pause);
        pause = (pause * 2).min(LOOK);
    }
}

/// The number of bytes that are read at once.
const PIECE: u64 = 1 << 20;

/// The maximum number of names in a directory.
const MAX_NAMES: usize = 1_000_000;

/// Opens a regular file and returns its size; `None` for `/dev/null`, which is empty. The path is checked
/// before it is opened, because opening alone triggers some devices, and again afterwards, because the file
/// may have been replaced meanwhile: a pipe then does not block.
fn open_regular(path: &str) -> Result<Option<(File, u64)>, HostError> {
    let failed = |error: io::Error| host_error(&error, path);
    let mut metadata = std::fs::metadata(path).map_err(failed)?;
    if metadata.is_file() {
        let mut options = OpenOptions::new();
        without_blocking(options.read(true));
        let file = options.open(path).map_err(failed)?;
        metadata = file.metadata().map_err(failed)?;
        if metadata.is_file() {
            return Ok(Some((file, metadata.len())));
        }
    }
    if is_null_device(&metadata) {
        return Ok(None);
    }
    if metadata.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    Err(HostError::Failed(format!("It is {}, not a regular file - {path}", kind_of(&metadata))))
}

/// The bytes of a file. Its size is only a hint: it can grow, and files of `/proc` report none.
fn read_pieces(
    mut file: impl Read,
    path: &str,
    size: u64,
    reading: &Reading<'_>,
) -> Result<Vec<u8>, HostError> {
    let mut bytes = Vec::with_capacity(usize::try_from(size.min(PIECE)).unwrap_or_default());
    loop {
        reading.check()?;
        let left = reading.size.saturating_add(1).saturating_sub(bytes.len() as u64);
        let piece = left.min(PIECE);
        let read =
            file.by_ref().take(piece).read_to_end(&mut bytes).map_err(|error| host_error(&error, path))?;
        if bytes.len() as u64 > reading.size {
            return Err(HostError::too_large(path, reading.size));
        }
        if (read as u64) < piece {
            return Ok(bytes);
        }
    }
}

#[cfg(unix)]
fn without_blocking(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY);
}

#[cfg(not(unix))]
fn without_blocking(_options: &mut OpenOptions) {}

#[cfg(unix)]
fn is_null_device(metadata: &Metadata) -> bool {
    use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
    let is_device = |metadata: &Metadata| metadata.file_type().is_char_device();
    let null = std::fs::metadata("/dev/null");
    is_device(metadata) && null.is_ok_and(|null| is_device(&null) && null.rdev() == metadata.rdev())
}

#[cfg(not(unix))]
fn is_null_device(_metadata: &Metadata) -> bool {
    false
}

/// The kind of the file that is not a regular one.
#[cfg(unix)]
fn kind_of(metadata: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = metadata.file_type();
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn kind_of(_metadata: &Metadata) -> &'static str {
    "something else"
}

fn host_error(error: &io::Error, path: &str) -> HostError {
    match error.kind() {
        io::ErrorKind::NotFound => HostError::NotFound(path.to_owned()),
        io::ErrorKind::PermissionDenied => HostError::PermissionDenied(path.to_owned()),
        io::ErrorKind::IsADirectory => HostError::IsDirectory(path.to_owned()),
        _ => HostError::Failed(format!("{error} - {path}")),
    }
}

fn timestamp(time: SystemTime) -> Timestamp {
    match time.duration_since(UNIX_EPOCH) {
        Ok(since) => Timestamp { seconds: i128::from(since.as_secs()), nanoseconds: since.subsec_nanos() },
        Err(before) => {
            let before = before.duration();
            let nanoseconds = (1_000_000_000 - before.subsec_nanos()) % 1_000_000_000;
            let seconds = -i128::from(before.as_secs()) - i128::from(nanoseconds != 0);
            Timestamp { seconds, nanoseconds }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_before_1970_have_a_fraction_behind_them() {
        let before = |seconds, nanoseconds| timestamp(UNIX_EPOCH - Duration::new(seconds, nanoseconds));
        assert_eq!(before(1, 250_000_000), Timestamp { seconds: -2, nanoseconds: 750_000_000 });
        assert_eq!(before(3, 0), Timestamp { seconds: -3, nanoseconds: 0 });
        let after = timestamp(UNIX_EPOCH + Duration::new(1, 5));
        assert_eq!(after, Timestamp { seconds: 1, nanoseconds: 5 });
    }

    /// A directory of one test, which goes with it.
    struct Directory(String);

    impl Directory {
        fn new(test: &str) -> Self {
            let path = std::env::temp_dir().join(format!("bunraku-host-{}-{test}", std::process::id()));
            std::fs::create_dir(&path).unwrap();
            Self(path.to_str().unwrap().to_owned())
        }

        fn path(&self, name: &str) -> String {
            format!("{}/{name}", self.0)
        }
    }

    impl Drop for Directory {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn files_are_read_up_to_a_size() {
        let directory = Directory::new("sizes");
        let file = directory.path("a/b.txt");
        DiskHost.write(&file, b"abc").unwrap();
        for read in [DiskHost.read(&file, &Reading::of_size(3)), read_named(&file, &Reading::of_size(3))] {
            assert_eq!(read.unwrap(), b"abc");
        }
        for read in [DiskHost.read(&file, &Reading::of_size(2)), read_named(&file, &Reading::of_size(2))] {
            assert_eq!(read.unwrap_err().to_string(), HostError::too_large(&file, 2).to_string());
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_refused_by_its_kind() {
        let directory = Directory::new("kinds");
        let socket = directory.path("socket");
        let _listening = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        let refused = |path: &str| DiskHost.read(path, &Reading::of_size(9)).unwrap_err().to_string();
        assert_eq!(refused(&socket), format!("It is a socket, not a regular file - {socket}"));
        assert_eq!(refused("/dev/zero"), "It is a device, not a regular file - /dev/zero");
        assert_eq!(refused(&directory.0), HostError::IsDirectory(directory.0.clone()).to_string());
        assert_eq!(DiskHost.read("/dev/null", &Reading::of_size(9)).unwrap(), b"");
    }

    /// Reads a pipe with a text in it; the reading ends when it has been checked this often.
    #[cfg(unix)]
    fn from_pipe(text: &[u8], size: u64, checks: u32, is_closed: bool) -> Result<Vec<u8>, HostError> {
        let (pipe, mut writer) = io::pipe().unwrap();
        writer.write_all(text).unwrap();
        let open = (!is_closed).then_some(writer);
        let left = std::cell::Cell::new(checks);
        let check = || {
            let next = left.get().checked_sub(1).ok_or_else(|| Error::limit("no more"))?;
            left.set(next);
            Ok(())
        };
        let read = read_waiting(pipe, "a pipe", &Reading::checked(size, &check));
        drop(open);
        read
    }

    #[cfg(unix)]
    #[test]
    fn pipes_are_read_to_their_end_unless_the_reading_ends_before() {
        assert_eq!(from_pipe(b"abc", 3, 1000, true).unwrap(), b"abc");
        assert!(matches!(from_pipe(b"abc", 3, 2, false), Err(HostError::Ended(_))));
        let error = from_pipe(b"abc", 2, 1000, true).unwrap_err();
        assert_eq!(error.to_string(), HostError::too_large("a pipe", 2).to_string());
    }

    #[test]
    fn directories_are_made_once_and_times_are_copied() {
        let directory = Directory::new("times");
        let [old, new] = ["old", "new"].map(|name| directory.path(name));
        make_directory(&directory.path("inner")).unwrap();
        make_directory(&directory.path("inner")).unwrap();
        assert!(DiskHost.info(&directory.path("inner")).unwrap().is_directory);
        assert!(make_directory(&directory.path("no/inner")).is_err());
        write(&old, b"a").unwrap();
        write(&new, b"b").unwrap();
        File::options()
            .write(true)
            .open(&old)
            .unwrap()
            .set_modified(UNIX_EPOCH + Duration::new(5, 0))
            .unwrap();
        copy_time(&old, &new).unwrap();
        assert_eq!(DiskHost.info(&new).unwrap().modified, Timestamp { seconds: 5, nanoseconds: 0 });
        assert!(copy_time(&directory.path("none"), &new).is_err());
    }

    #[test]
    fn the_clock_and_the_variables_are_those_of_the_process() {
        let before = timestamp(SystemTime::now());
        let now = DiskHost.now();
        let after = timestamp(SystemTime::now());
        assert!((before.seconds..=after.seconds).contains(&now.seconds));
        assert_eq!(DiskHost.environment_variable("PATH"), std::env::var("PATH").ok());
        assert_eq!(DiskHost.environment_variable("BUNRAKU_IS_NOT_SET"), None);
    }

    #[test]
    fn paths_are_absolute_from_the_home_or_the_working_directory() {
        let here = std::env::current_dir().unwrap().to_str().unwrap().to_owned();
        let home =
            std::env::var("HOME").ok().filter(|home| home.starts_with('/')).map(|home| plain_path(&home));
        assert_eq!(absolute_path("/a/./b/../c").unwrap(), "/a/c");
        assert_eq!(absolute_path("a").unwrap(), format!("{here}/a"));
        assert_eq!(absolute_path("~a").unwrap(), format!("{here}/~a"));
        assert_eq!(absolute_path("~").unwrap(), home.clone().unwrap_or_else(|| format!("{here}/~")));
        assert_eq!(
            absolute_path("~/a").unwrap(),
            format!("{}/a", home.unwrap_or_else(|| format!("{here}/~")))
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_walk_follows_links_that_lead_back_up_three_times() {
        use crate::walk::{Entries, walk};
        let directory = Directory::new("links");
        write(&directory.path("a"), b"").unwrap();
        DiskHost.write(&directory.path("inner/b"), b"").unwrap();
        std::os::unix::fs::symlink("..", directory.path("inner/up")).unwrap();
        let mut found = Vec::new();
        walk(&DiskHost, &directory.0, &|_| Entries::Any, &|_| (), &mut |path| found.push(path));
        let up = |times: usize| "inner/up/".repeat(times);
        let names = |times: usize| [format!("{}a", up(times)), format!("{}inner/b", up(times))];
        let mut wanted: Vec<String> = (0..4).flat_map(names).map(|name| directory.path(&name)).collect();
        wanted.sort();
        found.sort();
        assert_eq!(found, wanted);
    }
}
