//! How files are read: with a limit of size, and in pieces, so that somebody may end it.

use super::{Host, HostError};
use bunraku_syntax::diagnostic::Error;

/// How many bytes a file may have, unless an environment says otherwise.
pub const FILE_SIZE: u64 = 64 << 20;

/// How a file is read.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// How many bytes the file may have.
    pub size: u64,
    check: &'a dyn Fn() -> Result<(), Error>,
}

impl<'a> Reading<'a> {
    /// Files of up to so many bytes; nobody ends the reading.
    pub const fn of_size(size: u64) -> Self {
        Self { size, check: &|| Ok(()) }
    }

    /// Files of up to so many bytes; `check` is called before each piece and ends the reading when it fails.
    pub const fn checked(size: u64, check: &'a dyn Fn() -> Result<(), Error>) -> Self {
        Self { size, check }
    }

    /// Whether the reading may go on.
    ///
    /// # Errors
    /// Somebody has ended it: [`HostError::Ended`].
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

/// Has a host read a file. What a host gives in spite of the limit is refused.
///
/// # Errors
/// As [`Host::read`].
pub fn read(host: &dyn Host, path: &str, reading: &Reading<'_>) -> Result<Vec<u8>, HostError> {
    reading.check()?;
    let bytes = host.read(path, reading)?;
    if bytes.len() as u64 > reading.size { Err(HostError::too_large(path, reading.size)) } else { Ok(bytes) }
}
