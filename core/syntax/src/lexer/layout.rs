//! Braces that are missing or too many, found by the indentation of lines.
//!
//! A text whose braces do not match is read twice if parsing continues after errors. The first time, one
//! missing brace moves everything behind it into another block. The second time, braces are added and skipped
//! where the layout of the text says so ([`repairs`]).

use super::{Detour, Lexer, Token, TokenKind};
use crate::source::{Source, Span};
use crate::watch::Watch;

/// The number of open blocks that are searched for the one that a brace closes.
const MAX_DEPTH: usize = 64;

/// A change of the braces of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repair {
    /// The end of the token before the change.
    at: u32,
    action: Action,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    /// A `{` is added.
    Open,
    /// A `}` is added.
    Close,
    /// The next token, a `}`, is skipped.
    Skip,
}

/// The changes by which the braces of a manifest match, in the order of the text. Empty if they do match, or
/// if the layout says nothing. `error` is the place of the first error.
pub(crate) fn repairs(source: &Source, tasks: bool, error: Option<Span>, watch: &Watch<'_>) -> Vec<Repair> {
    let mut lexer = Lexer::at_start(source, tasks, false, watch);
    let mut layout = Layout { error: error.map_or(u32::MAX, |span| span.start), ..Layout::default() };
    loop {
        let token = lexer.next();
        lexer.forget();
        match token.kind {
            TokenKind::End => break,
            TokenKind::Bad if !lexer.resume() => break,
            TokenKind::Bad => continue,
            _ => {}
        }
        // An expression in a string has braces of its own.
        if lexer.strings.is_empty() {
            let indent = lexer.is_first(&token).then(|| lexer.indent(&token));
            layout.add(&token, indent);
        }
    }
    // A text that ends within a block is being typed: what lacks its end is there.
    let is_cut = layout.open > 0 && !layout.is_behind_brace;
    if layout.is_balanced() || is_cut {
        return Vec::new();
    }
    layout.repairs.sort_by_key(|repair| repair.at);
    layout.repairs
}

impl TokenKind {
    /// Whether something other than a `{` follows this token.
    const fn is_continued(self) -> bool {
        use TokenKind as Kind;
        let opens =
            matches!(self, Kind::LBrace | Kind::SelBrace | Kind::LParen | Kind::LBrack | Kind::ListStart);
        opens || matches!(self, Kind::Comma | Kind::Semic | Kind::FArrow | Kind::Equals)
    }
}

/// A line of the text, or the last of those with its indentation or a larger one.
struct Line {
    number: u32,
    indent: u32,
    /// The end of its last token.
    end: u32,
    /// Whether no `{` can be missing behind its last token.
    continues: bool,
}

/// An open block.
struct Block {
    /// The indentation of the line with its `{`.
    indent: u32,
    line: u32,
}

#[derive(Default)]
struct Layout {
    blocks: Vec<Block>,
    /// The current line, below it the last line with a smaller indentation, and so on.
    lines: Vec<Line>,
    number: u32,
    /// The indentation of blocks that begin on the current line.
    block_indent: u32,
    /// The same of the open parentheses.
    parentheses: Vec<u32>,
    /// The end of the last token.
    end: u32,
    /// Whether the last token was a `}`, and whether that was first on its line.
    is_behind_brace: bool,
    is_behind_closing: bool,
    /// The word of a definition that is first on its line, and the end of the token before it.
    word: Option<(u32, u32)>,
    /// The number of open braces, and whether one was closed that is not open.
    open: u32,
    is_over_closed: bool,
    /// The start of the first error.
    error: u32,
    /// Whether that is on the current line.
    has_error: bool,
    repairs: Vec<Repair>,
    /// The indentation of the block that was closed last without a `}` of its own.
    closed: Option<u32>,
}

impl Layout {
    fn is_balanced(&self) -> bool {
        self.open == 0 && !self.is_over_closed
    }

    fn add(&mut self, token: &Token, indent: Option<u32>) {
        if let Some((indent, end)) = self.word.take()
            && matches!(token.kind, TokenKind::Name | TokenKind::ClassRef | TokenKind::String)
        {
            self.close_to(indent, end);
        }
        if let Some(indent) = indent {
            self.begin_line(indent);
        }
        self.has_error |= token.span.start == self.error;
        let is_behind_closing = std::mem::take(&mut self.is_behind_closing);
        match token.kind {
            TokenKind::LBrace | TokenKind::SelBrace => {
                self.open += 1;
                self.blocks.push(Block { indent: self.block_indent, line: self.number });
            }
            TokenKind::LParen | TokenKind::WsLParen => self.parentheses.push(self.block_indent),
            TokenKind::RParen => {
                // A block behind parameters belongs to the line where they begin.
                let start = self.parentheses.pop();
                if let (Some(start), Some(indent)) = (start, indent) {
                    self.block_indent = start.min(indent);
                }
            }
            TokenKind::RBrace => {
                self.is_over_closed |= self.open == 0;
                self.open = self.open.saturating_sub(1);
                if let Some(indent) = indent {
                    self.close(indent);
                    self.is_behind_closing = true;
                } else if (is_behind_closing || self.has_error) && !self.closes_own_line() {
                    self.repairs.push(Repair { at: self.end, action: Action::Skip });
                } else {
                    self.blocks.pop();
                }
            }
            TokenKind::Class
            | TokenKind::Define
            | TokenKind::Function
            | TokenKind::Node
            | TokenKind::Type
            | TokenKind::Plan => self.word = indent.map(|indent| (indent, self.end)),
            _ => {}
        }
        self.is_behind_brace = token.kind == TokenKind::RBrace;
        self.end = token.span.end;
        if let Some(line) = self.lines.last_mut() {
            line.end = token.span.end;
            line.continues = token.kind.is_continued();
        }
    }

    /// Whether the innermost block begins on the current line, or on one with its indentation.
    fn closes_own_line(&self) -> bool {
        let is_own = |block: &Block| block.line == self.number || block.indent >= self.indent();
        self.blocks.last().is_some_and(is_own)
    }

    /// The indentation of the current line.
    fn indent(&self) -> u32 {
        self.lines.last().map_or(0, |line| line.indent)
    }

    fn begin_line(&mut self, indent: u32) {
        self.number += 1;
        self.has_error = false;
        self.block_indent = indent;
        while self.lines.last().is_some_and(|line| line.indent > indent) {
            self.lines.pop();
        }
        self.lines.push(Line { number: self.number, indent, end: self.end, continues: false });
    }

    /// Closes the blocks with at least this indentation, behind the token that ends at `end`.
    fn close_to(&mut self, indent: u32, end: u32) {
        while self.blocks.last().is_some_and(|block| block.indent >= indent && block.line < self.number) {
            self.blocks.pop();
            self.repairs.push(Repair { at: end, action: Action::Close });
        }
    }

    /// A `}` that is first on its line.
    fn close(&mut self, indent: u32) {
        let own = self.blocks.iter().rev().take(MAX_DEPTH).take_while(|block| block.indent >= indent);
        let unclosed = own.clone().position(|block| block.indent == indent);
        if let Some(unclosed) = unclosed {
            for block in self.blocks.iter().rev().take(unclosed) {
                self.closed = Some(block.indent);
                self.repairs.push(Repair { at: self.end, action: Action::Close });
            }
            self.blocks.truncate(self.blocks.len() - unclosed - 1);
            return;
        }
        if own.count() > 0 {
            self.blocks.pop();
        } else if let Some(at) = self.unopened(indent) {
            self.repairs.push(Repair { at, action: Action::Open });
        } else if self.closed == Some(indent) {
            // The block was not closed by the `}` before, which is only badly indented.
            self.repairs.pop_if(|last| last.action == Action::Close);
            self.closed = None;
        } else {
            self.blocks.pop();
        }
    }

    /// The end of the line that lacks the `{` of a `}` with this indentation: the last line with the same
    /// one, in the same block, unless something else follows its end.
    fn unopened(&self, indent: u32) -> Option<u32> {
        let [.., line, _] = self.lines.as_slice() else { return None };
        let block = self.blocks.last().map_or(0, |block| block.line);
        (line.indent == indent && line.number > block && !line.continues).then_some(line.end)
    }
}

impl<'s> Lexer<'s> {
    /// Changes braces from now on.
    pub fn repair(&mut self, repairs: &'s [Repair]) {
        self.repairs = repairs;
        self.next_look = 0;
    }

    /// The number of bytes before an offset on its line.
    pub fn column(&self, at: u32) -> usize {
        let before = self.bytes.get(..at as usize).unwrap_or_default();
        before.len() - memchr::memrchr(b'\n', before).map_or(0, |end| end + 1)
    }

    /// The end of the text before a token, without the space before it.
    pub fn end_before(&self, token: &Token) -> u32 {
        let before = self.text.get(..token.span.start as usize).unwrap_or_default();
        before.trim_end().len() as u32
    }

    /// The columns before a token that is first on its line.
    fn indent(&self, token: &Token) -> u32 {
        let before = self.bytes.get(..token.span.start as usize).unwrap_or_default();
        let space = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
        space.map(|&byte| if byte == b'\t' { 8 } else { 1 }).sum()
    }

    /// Checks whether lexing can continue, and whether braces change here. Returns the next token in both
    /// cases.
    #[cold]
    pub(super) fn look(&mut self) -> Option<Token> {
        if !self.may_go_on() {
            return Some(self.token_at(TokenKind::Bad, self.pos, self.pos));
        }
        let changed = self.changed_brace();
        self.next_look = self.next_look.min(self.next_repair());
        changed
    }

    /// The offset of the next change of braces.
    pub(super) fn next_repair(&self) -> usize {
        self.repairs.first().map_or(usize::MAX, |repair| repair.at as usize)
    }

    fn changed_brace(&mut self) -> Option<Token> {
        let (&Repair { at, action }, rest) = self.repairs.split_first()?;
        let is_here = at as usize <= self.pos && self.strings.is_empty();
        if !is_here || !matches!(self.detour, Detour::None) {
            return None;
        }
        self.repairs = rest;
        let kind = match action {
            Action::Open => TokenKind::LBrace,
            Action::Close => TokenKind::RBrace,
            Action::Skip => {
                let skipped = self.code();
                if skipped.kind != TokenKind::RBrace {
                    return Some(skipped);
                }
                self.braces += 1;
                return None;
            }
        };
        self.braces = match kind {
            TokenKind::LBrace => self.braces + 1,
            _ => self.braces.saturating_sub(1),
        };
        Some(self.emit(kind, self.pos, 0))
    }
}
