//! Converts the bytes of a file to text, or reports the place of invalid bytes.

use super::{Diagnostic, Issue, Severity};
use crate::source::{Location, Ranges, Source, Span};

impl Source {
    /// The source from the bytes of a file. `path` is the name that errors show.
    ///
    /// # Errors
    /// The bytes are not valid UTF-8: an error at the place of the first invalid sequence, with its bytes as
    /// the span.
    pub fn of_bytes(path: Option<&str>, bytes: Vec<u8>) -> Result<Self, Diagnostic> {
        let error = match String::from_utf8(bytes) {
            Ok(text) => return Ok(Self::new(path, text)),
            Err(error) => error,
        };
        let wrong = error.utf8_error();
        let (valid, bytes) = (wrong.valid_up_to(), error.into_bytes());
        // A character that is truncated at the end of the text has no length of its own.
        let length = wrong.error_len().unwrap_or(bytes.len().saturating_sub(valid));
        let before = String::from_utf8_lossy(bytes.get(..valid).unwrap_or_default()).into_owned();
        let offset = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
        let (start, end) = (offset(valid), offset(valid.saturating_add(length)));
        let before = Self::new(path, before);
        Err(Diagnostic {
            severity: Severity::Error,
            issue: Issue::NONE,
            message: "the text is not valid UTF-8".to_owned(),
            span: Some(Span::new(start, end)),
            location: Location::of(&before, start),
            ranges: Some(Box::new(Ranges::of_no_text(&before, Span::new(start, end)))),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::source::{Source, Span};

    #[test]
    fn what_is_no_text_has_a_place() {
        let wrong = |bytes: &[u8]| Source::of_bytes(Some("a.pp"), bytes.to_vec()).expect_err("no text");
        let latin1 = wrong(b"$a = 1\n$\xc3\xa9 = '\xe9'\n");
        assert_eq!(latin1.span, Some(Span::new(14, 15)));
        assert_eq!((latin1.location.line, latin1.location.column), (Some(2), Some(7)));
        assert_eq!(wrong(b"'\xe2\x82").span, Some(Span::new(1, 3)));
        assert_eq!(Source::of_bytes(None, b"$a".to_vec()).expect("a text").text(), "$a");
    }
}
