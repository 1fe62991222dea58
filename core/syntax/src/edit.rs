//! Edits of a program's text: what is named changes, all else stays as it is written.

use crate::ast::{NodeId, Program};
use crate::diagnostic::Error;
use crate::source::{Location, Span};

/// Changes of a program's text, which are applied together. Places are those of the text before any change.
///
/// ```
/// use std::sync::Arc;
///
/// use bunraku_syntax::ast::Kind;
/// use bunraku_syntax::edit::Edits;
/// use bunraku_syntax::{ParseOptions, parse, source::Source};
///
/// let text = "$port = 80  # the default\nnotice($port)\n";
/// let program = parse(Arc::new(Source::new(None, text)), &ParseOptions::default())?;
/// let number = program.ids().find(|&id| program.node(id).kind() == Kind::LiteralInteger).unwrap();
/// let mut edits = Edits::new(&program);
/// edits.replace(number, "8080");
/// assert_eq!(edits.apply().unwrap(), "$port = 8080  # the default\nnotice($port)\n");
/// # Ok::<(), bunraku_syntax::diagnostic::Diagnostic>(())
/// ```
#[derive(Clone, Debug)]
pub struct Edits<'p> {
    program: &'p Program,
    edits: Vec<(Span, String)>,
}

impl<'p> Edits<'p> {
    /// No changes of a program's text.
    pub const fn new(program: &'p Program) -> Self {
        Self { program, edits: Vec::new() }
    }

    /// The program whose text changes.
    pub const fn program(&self) -> &'p Program {
        self.program
    }

    /// Whether nothing changes.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Replaces a node, with everything in it, by a text.
    pub fn replace(&mut self, node: NodeId, text: impl Into<String>) -> &mut Self {
        self.replace_span(self.program.extent(node), text)
    }

    /// Replaces a stretch of the source by a text.
    pub fn replace_span(&mut self, span: Span, text: impl Into<String>) -> &mut Self {
        self.edits.push((span, text.into()));
        self
    }

    /// Inserts a text directly before a node.
    pub fn insert_before(&mut self, node: NodeId, text: impl Into<String>) -> &mut Self {
        let start = self.program.extent(node).start;
        self.replace_span(Span::new(start, start), text)
    }

    /// Inserts a text directly after a node.
    pub fn insert_after(&mut self, node: NodeId, text: impl Into<String>) -> &mut Self {
        let end = self.program.extent(node).end;
        self.replace_span(Span::new(end, end), text)
    }

    /// Removes a node, and its lines where nothing else is on them.
    pub fn remove(&mut self, node: NodeId) -> &mut Self {
        let span = self.with_lines(self.program.extent(node));
        self.replace_span(span, "")
    }

    /// A stretch with the white space and the end of the line around it, where only these share its lines.
    fn with_lines(&self, span: Span) -> Span {
        let bytes = self.program.source().text().as_bytes();
        let (start, end) = (span.start as usize, span.end as usize);
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r');
        let before = bytes.get(..start).unwrap_or_default();
        let behind = bytes.get(end..).unwrap_or_default();
        let indentation = before.iter().rev().take_while(is_blank).count();
        let rest = behind.iter().take_while(is_blank).count();
        let begins_line = matches!(before.iter().rev().nth(indentation), None | Some(b'\n'));
        match (begins_line, behind.get(rest)) {
            (true, None) => Span::new(span.start - indentation as u32, span.end + rest as u32),
            (true, Some(b'\n')) => Span::new(span.start - indentation as u32, span.end + rest as u32 + 1),
            _ => span,
        }
    }

    /// The text with all changes. Insertions at one place stand in the order in which they were made.
    ///
    /// # Errors
    /// Two changes overlap, with the place of the second one; a stretch does not begin and end between
    /// characters.
    pub fn apply(&self) -> Result<String, Error> {
        let source = self.program.source();
        let text = source.text();
        let mut edits: Vec<&(Span, String)> = self.edits.iter().collect();
        edits.sort_by_key(|(span, _)| (span.start, span.end));
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (span, new) in edits {
            let refused = |message: &str| Error {
                location: Location::of(source, span.start),
                ..Error::argument(message)
            };
            if span.start < done {
                return Err(refused("edits overlap"));
            }
            let kept = text.get(done as usize..span.start as usize);
            let is_whole = text.get(span.start as usize..span.end as usize).is_some();
            let Some(kept) = kept.filter(|_| is_whole) else {
                return Err(refused("an edit begins or ends inside a character, or beyond the text"));
            };
            out.push_str(kept);
            out.push_str(new);
            done = span.end;
        }
        out.push_str(text.get(done as usize..).unwrap_or_default());
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::ast::Kind;
    use crate::source::Source;
    use crate::{ParseOptions, parse};

    const TEXT: &str = "# é\nclass a {\n  include b  # b\n  include c\n}\n";

    fn program() -> Program {
        parse(Arc::new(Source::new(Some("a.pp"), TEXT)), &ParseOptions::default()).expect("it is one")
    }

    fn calls(program: &Program) -> Vec<NodeId> {
        program.ids().filter(|&id| program.node(id).kind() == Kind::CallNamedFunctionExpression).collect()
    }

    #[test]
    fn what_is_not_named_stays() {
        let program = program();
        let [first, second] = calls(&program)[..] else { panic!("there are two calls") };
        let mut edits = Edits::new(&program);
        edits.remove(second).insert_after(first, " ").insert_after(first, "# x").replace(first, "require b");
        assert_eq!(edits.apply().unwrap(), "# é\nclass a {\n  require b # x  # b\n}\n");
        let mut edits = Edits::new(&program);
        edits.remove(first).insert_before(second, "contain d\n  ");
        assert_eq!(edits.apply().unwrap(), "# é\nclass a {\n    # b\n  contain d\n  include c\n}\n");
        assert_eq!(Edits::new(&program).apply().unwrap(), TEXT);
        let last = parse(Arc::new(Source::new(None, "include a\n  include b  ")), &ParseOptions::default());
        let last = last.expect("it is one");
        let mut edits = Edits::new(&last);
        edits.remove(calls(&last)[1]);
        assert_eq!(edits.apply().unwrap(), "include a\n");
    }

    #[test]
    fn what_overlaps_is_refused() {
        let program = program();
        let [first, _] = calls(&program)[..] else { panic!("there are two calls") };
        let mut edits = Edits::new(&program);
        edits.replace(program.definitions()[0], "").replace(first, "x");
        let error = edits.apply().unwrap_err();
        assert_eq!((error.message.as_str(), error.location.line), ("edits overlap", Some(3)));
        let mut edits = Edits::new(&program);
        edits.replace_span(Span::new(3, 4), "");
        assert!(edits.apply().unwrap_err().message.contains("inside a character"));
    }
}
