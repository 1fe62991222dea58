//! How files are read: with a limit of size, and in pieces, so that reading can be cancelled.

use super::{Host, HostError};
use bunraku_syntax::diagnostic::Error;

/// The default maximum size of a file in bytes.
pub const FILE_SIZE: u64 = 64 << 20;

/// How a file is read.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// The maximum size of the file in bytes.
    pub size: u64,
    check: &'a dyn Fn() -> Result<(), Error>,
}

impl<'a> Reading<'a> {
    /// Files of up to this number of bytes; the reading cannot be cancelled.
    pub const fn of_size(size: u64) -> Self {
        Self { size, check: &|| Ok(()) }
    }

    /// Files of up to this number of bytes; `check` is called before each piece and ends the reading if it
    /// fails.
    pub const fn checked(size: u64, check: &'a dyn Fn() -> Result<(), Error>) -> Self {
        Self { size, check }
    }

    /// Whether the reading can continue.
    ///
    /// # Errors
    /// The reading was cancelled: [`HostError::Ended`].
    pub fn check(&self) -> Result<(), HostError> {
        (self.check)().map_err(|error| HostError::Ended(Box::new(error)))
    }
}

impl Default for Reading<'_> {
    /// Files of up to [`FILE_SIZE`] bytes.
    fn default() -> Self {
        Self::of_size(FILE_SIZE)
    }
}

impl std::fmt::Debug for Reading<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Reading").field("size", &self.size).finish_non_exhaustive()
    }
}

/// Reads a file from a host. A file that the host returns despite the limit is rejected.
///
/// # Errors
/// As [`Host::read`].
pub fn read(host: &dyn Host, path: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
    reading.check()?;
    let bytes = host.read(path, reading)?;
    if bytes.len() as u64 > reading.size { Err(HostError::too_large(path, reading.size)) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryHost;

    #[test]
    fn a_reading_ends_with_the_error_of_its_check() {
        let mut host = MemoryHost::new();
        host.add("/a", "abc");
        assert_eq!(read(&host, "/a", &Reading::of_size(3)).unwrap(), b"abc");
        let ended = read(&host, "/a", &Reading::checked(3, &|| Err(Error::limit("no more"))));
        assert!(matches!(ended, Err(HostError::Ended(error)) if error.message == "no more"));
    }
}
