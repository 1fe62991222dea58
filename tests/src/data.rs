//! Reads golden data: JSON, JSON Lines, either of them gzipped.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde_json::Value;

/// The directory with the data that the repository holds.
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
}

/// The text of a file, unpacked when its name ends with `.gz`.
pub fn read_text(path: &Path) -> io::Result<String> {
    if path.extension().is_some_and(|extension| extension == "gz") {
        let mut text = String::new();
        GzDecoder::new(fs::File::open(path)?).read_to_string(&mut text)?;
        Ok(text)
    } else {
        fs::read_to_string(path)
    }
}

/// The text of a file, or of the file with the extension `.gz`.
pub fn read_golden(path: &Path) -> io::Result<String> {
    let packed = PathBuf::from(format!("{}.gz", path.display()));
    read_text(if path.exists() || !packed.exists() { path } else { &packed })
}

/// The JSON of a file, or of the file with the extension `.gz`.
pub fn read_json(path: &Path) -> io::Result<Value> {
    serde_json::from_str(&read_golden(path)?).map_err(|error| invalid(path, &error))
}

/// The JSON values of a file with one a line.
pub fn read_lines(path: &Path) -> io::Result<Vec<Value>> {
    let text = read_text(path)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| serde_json::from_str(line).map_err(|error| invalid(path, &error))).collect()
}

/// The ids in a list: the first word of every line that is not empty and does not start with `#`.
pub fn read_ids(path: &Path) -> io::Result<Vec<String>> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other?,
    };
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let ids = lines.filter_map(|line| line.split('\t').next()).map(str::trim).filter(|id| !id.is_empty());
    Ok(ids.map(str::to_owned).collect())
}

fn invalid(path: &Path, error: &serde_json::Error) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{}: {error}", path.display()))
}
