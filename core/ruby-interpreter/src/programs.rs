//! The programs of files that other programs load: they are parsed once, not for each run.

use std::sync::{Arc, RwLock};

use rustc_hash::FxHashMap;

use super::RefusedError;
use super::tree::Program;
use bunraku_syntax::diagnostic::bug::{reading, writing};

/// Programs by the paths of their files, each for the last text of the file. All threads can use them.
#[derive(Debug, Default)]
pub struct Programs {
    by_path: RwLock<FxHashMap<String, OfText>>,
}

#[derive(Debug)]
struct OfText {
    text: Box<str>,
    program: Arc<Program>,
}

impl Programs {
    /// The program of a file with this text; `make` makes it if it is missing, or of another text. What is
    /// refused is not kept.
    ///
    /// # Errors
    /// As `make`.
    pub fn get(
        &self,
        path: &str,
        text: &str,
        make: impl FnOnce() -> Result<Program, RefusedError>,
    ) -> Result<Arc<Program>, RefusedError> {
        if let Some(known) = reading(&self.by_path).get(path).filter(|known| *known.text == *text) {
            return Ok(Arc::clone(&known.program));
        }
        let program = Arc::new(make()?);
        let of_text = OfText { text: text.into(), program: Arc::clone(&program) };
        writing(&self.by_path).insert(path.to_owned(), of_text);
        Ok(program)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_kept_as_long_as_its_file_has_the_text() {
        let programs = Programs::default();
        let get = |text: &str| programs.get("a.rb", text, || crate::parse("a.rb", text));
        let first = get("1").unwrap();
        assert!(Arc::ptr_eq(&first, &get("1").unwrap()));
        assert!(!Arc::ptr_eq(&first, &get("2").unwrap()));
        assert!(get("(").is_err());
        assert!(Arc::ptr_eq(&get("2").unwrap(), &get("2").unwrap()));
    }
}
