//! The printer: walks the pieces once and writes them.

use bunraku_syntax::ast::Program;
use bunraku_syntax::source::Span;
use bunraku_syntax::token::TokenKind as Token;

use crate::FormatOptions;
use crate::columns::Columns;
use crate::layout::{Layout, characters};
use crate::pieces::Pieces;
use crate::roles::{Role, Roles};

/// The brackets around the current piece.
#[derive(Clone, Debug)]
struct Frame {
    role: Option<Role>,
    opening: usize,
    closing: usize,
    /// Whether each member has a line of its own.
    broken: bool,
    /// The indentation of its members, and of its end.
    indent: usize,
    base: usize,
    /// For resources: the indentation of attributes, and whether the title follows the bracket.
    attributes: usize,
    is_hugged: bool,
    in_attributes: bool,
    /// The width of the widest name before an arrow.
    widest: usize,
    /// The beginning of the current member: its line and column.
    member: (usize, usize),
    /// For parameters: whether the name of the current one has been written.
    is_named: bool,
    /// For statements: whether the current place is in the condition of an `if` or `unless`.
    in_condition: bool,
    columns: Columns,
    /// The aligned assignments: the piece after their last operator, and the width of the widest variable, if
    /// the author has aligned them.
    assignments: (usize, Option<usize>),
}

/// The separation before a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    Spaces(usize),
    Line { indent: usize, blank: bool },
}

struct Printer<'p> {
    layout: Layout<'p>,
    pieces: &'p Pieces<'p>,
    roles: &'p Roles,
    out: String,
    line_end: &'static str,
    line: usize,
    /// The indentation of the line.
    indent: usize,
    /// The column, as far as it is known: that of a place in the line.
    column: usize,
    frames: Vec<Frame>,
    /// Texts of heredocs that wait for the end of the line, and the number of those written.
    waiting: Vec<Span>,
    heredocs: usize,
    /// Whether the line ends with a comment that would include everything after it.
    in_comment: bool,
    /// The separator that was written before its comments.
    moved: Option<usize>,
    /// The end of a chain of relationships that does not fit on one line.
    long_chain: usize,
}

/// Writes a program.
pub(crate) fn print(pieces: &Pieces<'_>, program: &Program, options: &FormatOptions) -> String {
    print_indented(pieces, program, options, 0)
}

/// Writes a program that takes the place of statements which are indented.
pub(crate) fn print_indented(
    pieces: &Pieces<'_>,
    program: &Program,
    options: &FormatOptions,
    indent: usize,
) -> String {
    let roles = Roles::of(pieces, program);
    let layout = Layout::new(pieces, &roles, options);
    let mut printer = Printer {
        layout,
        pieces,
        roles: &roles,
        out: String::with_capacity(pieces.text.len() + pieces.text.len() / 8),
        line_end: if pieces.has_returns { "\r\n" } else { "\n" },
        line: 0,
        indent,
        column: indent,
        frames: vec![Frame {
            role: None,
            // No piece.
            opening: usize::MAX - 1,
            closing: usize::MAX,
            broken: true,
            indent,
            base: indent,
            attributes: 0,
            is_hugged: false,
            in_attributes: false,
            widest: 0,
            member: (0, 0),
            is_named: false,
            in_condition: false,
            columns: Columns::default(),
            assignments: (0, None),
        }],
        waiting: Vec::new(),
        heredocs: 0,
        in_comment: false,
        moved: None,
        long_chain: 0,
    };
    printer.run();
    printer.out
}

impl Printer<'_> {
    fn run(&mut self) {
        let mut at = 0;
        while at < self.pieces.all.len() {
            let gap = self.gap(at);
            if let Some(next) = self.write_gap(at, gap) {
                at = next;
                continue;
            }
            self.piece(at);
            at += 1;
        }
    }

    fn frame(&self) -> &Frame {
        // The outermost one is never closed.
        &self.frames[self.frames.len() - 1]
    }

    fn frame_mut(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// The separation before a piece, without comments.
    fn gap(&mut self, at: usize) -> Gap {
        let layout = &self.layout;
        let (kind, before) = (layout.kind(at), layout.kind_before(at));
        let line = |indent| Gap::Line { indent, blank: false };
        let frame = self.frame();
        if kind == Token::End {
            return line(0);
        }
        let spaces = Gap::Spaces(usize::from(layout.is_spaced(at)));
        if at == 0 {
            return line(0);
        }
        if frame.closing == at {
            return if frame.broken { line(frame.base) } else { spaces };
        }
        if frame.opening == at - 1 {
            return if frame.broken && !frame.is_hugged { line(frame.indent) } else { spaces };
        }
        let own = Gap::Line { indent: frame.indent, blank: true };
        if self.roles.starts_statement(at) {
            return own;
        }
        if frame.broken
            && frame.role == Some(Role::Parameters)
            && let Some(gap) = self.gap_in_parameter(at)
        {
            return gap;
        }
        match (frame.role, before) {
            (Some(Role::Resource), Token::Colon) if kind == Token::Semic => return spaces,
            (Some(Role::Resource), Token::Colon) if frame.broken && self.is_compact(at) => {
                return Gap::Spaces(self.pad(frame.columns.first));
            }
            (Some(Role::Resource), Token::Colon) if frame.broken => return line(frame.attributes),
            (Some(Role::Resource), Token::Semic) if frame.broken => return own,
            (Some(Role::Resource), Token::Comma) if frame.broken && kind == Token::Semic => {
                return line(frame.indent);
            }
            (Some(Role::Resource | Role::Attributes), Token::Comma) if frame.broken => {
                return Gap::Line { indent: frame.attributes, blank: true };
            }
            (Some(role), Token::Comma) if role.has_commas() => {
                return if frame.broken { own } else { spaces };
            }
            (Some(Role::Case), Token::RBrace) if self.ends_option(at - 1) => return own,
            (_, Token::Comma) if self.pieces.all[at].lines > 0 => {
                let in_case = frame.role == Some(Role::Case);
                return line(if in_case { frame.indent } else { self.continued() });
            }
            (None | Some(Role::Block | Role::SmallBlock), Token::Variable) if kind == Token::Equals => {
                return self.gap_in_assignment(at);
            }
            (Some(Role::Case), Token::Comma) if !self.fits_as_value(at) => return line(self.frame().indent),
            (_, Token::Equals) if !self.fits_behind(at, self.column + 1) => {
                let indent = self.continued();
                // A line of its own is for what fits there; a list breaks within its brackets.
                let is_list = matches!(self.roles.opens(at), Some(Role::List | Role::Hash));
                if !is_list && (self.pieces.all[at].lines > 0 || self.fits_behind(at, indent)) {
                    return line(indent);
                }
            }
            _ if layout.is_edge(at) => self.measure_chain(at),
            _ => {}
        }
        self.gap_in_expression(at, spaces)
    }

    /// The number of spaces before a part that has its own column in all members.
    fn pad(&self, widest: Option<usize>) -> usize {
        let member = self.frame().member;
        let is_here = member.0 == self.line;
        let width = self.column - member.1.min(self.column);
        widest.filter(|_| is_here).map_or(1, |widest| widest.saturating_sub(width) + 1)
    }

    fn gap_in_parameter(&self, at: usize) -> Option<Gap> {
        let frame = self.frame();
        let is_name = !frame.is_named
            && (self.layout.kind(at) == Token::Variable || self.roles.is_prefix(at))
            && !self.roles.is_prefix(at - 1);
        match self.layout.kind(at) {
            _ if self.layout.kind_before(at) == Token::Comma => None,
            _ if is_name => Some(Gap::Spaces(self.pad(frame.columns.first))),
            Token::Equals => Some(Gap::Spaces(self.pad(frame.columns.second))),
            _ => None,
        }
    }

    fn gap_in_assignment(&mut self, at: usize) -> Gap {
        let frame = self.frame();
        let begins = self.roles.starts_statement(at - 1) || frame.opening == at.wrapping_sub(2) || at == 1;
        if !begins {
            return Gap::Spaces(1);
        }
        if at >= frame.assignments.0 {
            self.frame_mut().assignments = self.layout.assignments(at - 1);
        }
        let widest = self.frame().assignments.1;
        Gap::Spaces(widest.map_or(1, |widest| widest.saturating_sub(self.layout.width(at - 1)) + 1))
    }

    /// Whether the attribute after a title can stay on its line, for resources that have one each.
    fn is_compact(&self, at: usize) -> bool {
        let frame = self.frame();
        !frame.is_hugged
            && self.layout.has_one_attribute(at, frame.closing)
            && self.pieces.all[at].lines == 0
            && !self.pieces.has_comments_before(at)
            && self.fits_behind(at, self.column + 1)
    }

    fn gap_in_expression(&self, at: usize, spaces: Gap) -> Gap {
        let (layout, frame) = (&self.layout, self.frame());
        let line = |indent| Gap::Line { indent, blank: false };
        if layout.is_edge(at) {
            let broken = self.is_in_long_chain(at)
                || self.pieces.all[at].lines > 0
                || self
                    .pieces
                    .all
                    .get(at + 1)
                    .is_some_and(|next| next.lines > 0 && !self.pieces.has_comments_before(at + 1));
            let is_statement = frame.role.is_none_or(Role::is_block);
            return match broken {
                true if is_statement => line(frame.indent),
                true => line(self.continued()),
                false => spaces,
            };
        }
        if layout.is_edge(at - 1) {
            return spaces;
        }
        if layout.keeps_line_end(at) {
            return line(self.continued());
        }
        if matches!(layout.kind(at), Token::And | Token::Or | Token::Plus) && !self.fits_to_next(at) {
            return line(self.continued());
        }
        if matches!(layout.kind(at), Token::FArrow | Token::PArrow)
            && frame.broken
            && self.layout.options.align_arrows
            && frame.role.is_some_and(Role::has_arrows)
            && frame.member.0 == self.line
        {
            let width = self.column - frame.member.1.min(self.column);
            return Gap::Spaces(frame.widest.saturating_sub(width) + 1);
        }
        spaces
    }

    /// Whether a value of an option fits on the line, with what is behind it.
    fn fits_as_value(&self, at: usize) -> bool {
        let layout = &self.layout;
        let ends = |&piece: &usize| matches!(layout.kind(piece), Token::Comma | Token::Colon | Token::End);
        let end = layout.behind(at).find(ends).unwrap_or(at);
        // A colon has a brace behind it.
        let rest = if layout.kind(end) == Token::Colon { " {".len() } else { 0 };
        self.column + 1 + layout.flat_width(at, end) + rest <= layout.options.width
    }

    /// Finds out whether a chain of relationships fits on the line from one of its arrows on.
    fn measure_chain(&mut self, at: usize) {
        if at >= self.long_chain && !self.fits_behind(at, self.column + 1) {
            let closing = self.frame().closing;
            let ends = |&piece: &usize| {
                piece == closing
                    || self.layout.kind(piece) == Token::End
                    || self.roles.starts_statement(piece)
            };
            self.long_chain = self.layout.behind(at).find(ends).unwrap_or(at);
        }
    }

    /// Whether a piece is an arrow of a chain of relationships that has all of them on lines of their own.
    fn is_in_long_chain(&self, piece: usize) -> bool {
        piece < self.long_chain && self.layout.is_edge(piece)
    }

    /// Whether a closing brace ends an option of the enclosing case.
    fn ends_option(&self, brace: usize) -> bool {
        let opening = self.roles.partner(brace);
        opening.is_some_and(|opening| self.layout.kind_before(opening) == Token::Colon)
    }

    /// The indentation of a line that continues an expression.
    fn continued(&self) -> usize {
        let frame = self.frame();
        let step = self.layout.options.indentation;
        match frame.role {
            Some(Role::Resource | Role::Attributes) if frame.broken => frame.attributes + step,
            None | Some(Role::Block | Role::SmallBlock) if frame.in_condition => frame.indent,
            None | Some(Role::Block | Role::SmallBlock | Role::Case) => frame.indent + step,
            Some(_) if frame.broken => frame.indent + step,
            Some(_) => frame.indent,
        }
    }

    /// Writes the separation before a piece. If a part of the text is left unchanged, returns the piece with
    /// which to continue.
    fn write_gap(&mut self, at: usize, gap: Gap) -> Option<usize> {
        let comments = self.pieces.comments_before(at);
        if comments.is_empty() && !self.in_comment {
            match gap {
                Gap::Spaces(count) => self.spaces(count),
                Gap::Line { .. } if self.out.is_empty() => {}
                Gap::Line { indent, blank } => self.new_line(blank && self.pieces.all[at].lines > 1, indent),
            }
            return None;
        }
        let is_end = self.layout.kind(at) == Token::End;
        let closes = self.frame().closing == at || is_end;
        let (indent, goes_on) = match gap {
            // The comments stand behind the separator now.
            _ if self.moved == Some(at) && self.frame().broken => (self.next_member(at), true),
            Gap::Line { .. } if closes => (self.members_indent(), false),
            Gap::Line { indent, .. } => (indent, false),
            // A comment may stand where attributes would.
            Gap::Spaces(_) if self.layout.kind(at) == Token::Semic => (self.members_indent(), true),
            Gap::Spaces(_) => (self.fallback(at), true),
        };
        let mut may_be_blank = !self.out.is_empty() && self.frame().opening != at.wrapping_sub(1);
        for number in comments {
            if let Some(next) = self.left_as_it_is(at, number, indent, may_be_blank) {
                return Some(next);
            }
            self.comment(number, indent, may_be_blank);
            may_be_blank |=
                self.pieces.comments[number].lines > 0 || self.frame().opening != at.wrapping_sub(1);
        }
        let lines = self.pieces.all[at].lines;
        match gap {
            _ if self.moved == Some(at) => {}
            Gap::Line { indent, .. } => {
                self.new_line(lines > 1 && !closes && may_be_blank, indent);
            }
            Gap::Spaces(_) if self.in_comment || (goes_on && lines > 0) => {
                let is_next = self.moved.is_some_and(|moved| moved + 1 == at) && self.frame().broken;
                let indent = if is_next { self.next_member(at - 1) } else { self.fallback(at) };
                self.new_line(false, indent);
            }
            Gap::Spaces(count) => self.spaces(count.max(1)),
        }
        None
    }

    fn members_indent(&self) -> usize {
        let frame = self.frame();
        match frame.role {
            Some(Role::Resource) if frame.in_attributes || frame.is_hugged => frame.attributes,
            Some(Role::Attributes) => frame.attributes,
            _ => frame.indent,
        }
    }

    /// The place of what follows a separator, in the brackets around it.
    fn next_member(&self, separator: usize) -> usize {
        match (self.frame().role, self.layout.kind(separator)) {
            (None, _) => self.fallback(separator),
            (_, Token::Semic) => self.frame().indent,
            _ => self.members_indent(),
        }
    }

    /// The place of a piece that a comment has pushed to the next line.
    fn fallback(&self, at: usize) -> usize {
        let frame = self.frame();
        let goes_on =
            !matches!(self.layout.kind(at), Token::LBrace | Token::Else | Token::Elsif | Token::Semic);
        let is_statement = at > 0 && self.layout.is_edge(at - 1) && frame.role.is_none_or(Role::is_block);
        if goes_on && !is_statement && frame.opening != at.wrapping_sub(1) {
            self.continued()
        } else {
            frame.indent
        }
    }

    fn comment(&mut self, number: usize, indent: usize, may_be_blank: bool) {
        let comment = self.pieces.comments[number];
        let text = self.pieces.slice(comment.span);
        if self.out.is_empty() {
        } else if comment.lines == 0 && !self.in_comment {
            self.spaces(1);
        } else {
            self.new_line(comment.lines > 1 && may_be_blank, indent);
        }
        let is_line = text.starts_with('#');
        self.verbatim(if is_line { text.trim_end() } else { text });
        self.in_comment = is_line;
    }

    /// Writes the text between `# bunraku:fmt off` and `# bunraku:fmt on` unchanged, if a comment is the
    /// first of them. Returns the piece after it.
    fn left_as_it_is(
        &mut self,
        at: usize,
        number: usize,
        indent: usize,
        may_be_blank: bool,
    ) -> Option<usize> {
        let says = |number: usize| directive(self.pieces.slice(self.pieces.comments[number].span));
        if says(number) != Some(false) {
            return None;
        }
        let last = (number + 1..self.pieces.comments.len()).find(|&later| says(later) == Some(true));
        self.comment(number, indent, may_be_blank);
        let start = self.pieces.comments[number].span.end;
        let (end, next) = match last {
            Some(last) => {
                let next = self.pieces.all.partition_point(|piece| piece.first_comment as usize <= last) - 1;
                (self.pieces.comments[last].span.end, next)
            }
            None => (self.pieces.text.trim_end().len() as u32, self.pieces.all.len() - 1),
        };
        for piece in at..next {
            self.step_over(piece);
        }
        self.verbatim(self.pieces.slice(Span::new(start, end.max(start))));
        self.in_comment = true;
        // The comments after it belong to the next piece.
        let rest = last.map_or(0..0, |last| last + 1..self.pieces.comments_before(next).end);
        for later in rest {
            let indent = self.frame().indent;
            self.comment(later, indent, true);
        }
        let gap = if next == 0 { Gap::Spaces(0) } else { self.gap(next) };
        let piece = self.pieces.all[next];
        match gap {
            Gap::Line { indent, .. } => self.new_line(
                piece.lines > 1 && self.frame().closing != next && next + 1 < self.pieces.all.len(),
                indent,
            ),
            Gap::Spaces(_) => {
                let indent = self.fallback(next);
                self.new_line(false, indent);
            }
        }
        self.piece(next);
        Some(next + 1)
    }

    /// Records the brackets of a piece that was written unchanged.
    fn step_over(&mut self, at: usize) {
        self.heredocs += usize::from(self.pieces.all[at].heredocs);
        if self.roles.closes(at) {
            if self.frames.len() > 1 {
                self.frames.pop();
            }
        } else if let Some(role) = self.roles.opens(at) {
            let base = self.frame().indent;
            let frame = self.new_frame(at, role, base);
            self.frames.push(Frame { broken: true, ..frame });
        } else if self.layout.kind(at) == Token::Colon {
            self.frame_mut().in_attributes = true;
        } else if self.layout.kind(at) == Token::Semic {
            self.frame_mut().in_attributes = false;
        }
    }

    fn spaces(&mut self, count: usize) {
        for _ in 0..count {
            self.out.push(' ');
        }
        self.column += count;
    }

    fn new_line(&mut self, blank: bool, indent: usize) {
        self.out.push_str(self.line_end);
        self.line += 1;
        for text in std::mem::take(&mut self.waiting) {
            let text = self.pieces.slice(text);
            self.out.push_str(text);
            if !text.ends_with('\n') {
                self.out.push_str(self.line_end);
            }
        }
        if blank {
            self.out.push_str(self.line_end);
        }
        self.out.extend(std::iter::repeat_n(' ', indent));
        (self.indent, self.column, self.in_comment) = (indent, indent, false);
    }

    /// Writes a text that can contain line ends.
    fn verbatim(&mut self, text: &str) {
        self.out.push_str(text);
        match memchr::memrchr(b'\n', text.as_bytes()) {
            None => self.column += characters(text) as usize,
            Some(last) => {
                self.line += 1;
                self.column = characters(text.get(last + 1..).unwrap_or_default()) as usize;
            }
        }
    }

    /// Writes a piece, and opens or closes its brackets.
    fn piece(&mut self, at: usize) {
        if self.moved == Some(at) {
            self.behind_separator(at);
            return;
        }
        let layout = &self.layout;
        let (kind, before) = (layout.kind(at), layout.kind_before(at));
        let (line, column) = (self.line, self.column);
        let frame = self.frame_mut();
        if frame.opening == at.wrapping_sub(1) || matches!(before, Token::Comma | Token::Semic | Token::Colon)
        {
            frame.member = (line, column);
            frame.is_named = false;
        }
        frame.is_named |= kind == Token::Variable;
        frame.in_condition |= matches!(kind, Token::If | Token::Elsif | Token::Unless);
        let is_last = at + 1 == frame.closing;
        if kind == Token::Comma && is_last && !frame.broken && frame.role.is_some_and(Role::has_commas) {
            return;
        }
        if self.roles.closes(at) && self.frames.len() > 1 {
            self.frames.pop();
        }
        self.write_text(at, kind, before);
        let piece = self.pieces.all[at];
        for _ in 0..piece.heredocs {
            self.waiting.extend(self.pieces.heredocs.get(self.heredocs).copied());
            self.heredocs += 1;
        }
        if let Some(role) = self.roles.opens(at) {
            self.open(at, role);
            return;
        }
        self.behind_separator(at);
        self.separate(at, kind);
    }

    fn write_text(&mut self, at: usize, kind: Token, before: Token) {
        let text = self.pieces.text_of(at);
        let frame = self.frame();
        if kind == Token::Semic
            && frame.broken
            && frame.is_hugged
            && at + 1 == frame.closing
            && !matches!(before, Token::Comma | Token::Colon)
        {
            self.verbatim(",");
        } else if kind == Token::String && self.layout.options.single_quotes && may_be_single_quoted(text) {
            let content = text.get(1..text.len() - 1).unwrap_or_default();
            self.verbatim("'");
            self.verbatim(content);
            self.verbatim("'");
        } else if self.layout.is_long(at) {
            self.verbatim(text);
        } else {
            self.out.push_str(text);
            self.column += self.layout.width(at);
        }
    }

    /// Records the effect of a `:` or `;`.
    fn behind_separator(&mut self, at: usize) {
        let kind = self.layout.kind(at);
        if self.frame().role != Some(Role::Resource) || !matches!(kind, Token::Colon | Token::Semic) {
            return;
        }
        let closing = self.frame().closing;
        let in_attributes = kind == Token::Colon;
        let widest = if in_attributes { self.layout.widest_name(at + 1, closing) } else { 0 };
        let frame = self.frame_mut();
        (frame.in_attributes, frame.widest) = (in_attributes, widest);
    }

    /// Writes the separator after a piece that has none, or that has comments before its separator.
    fn separate(&mut self, at: usize, kind: Token) {
        let next = self.pieces.all.get(at + 1).map_or(Token::End, |next| next.kind);
        if matches!(next, Token::Comma | Token::Semic)
            && !matches!(kind, Token::Colon | Token::Comma)
            && self.layout.has_line_comment_before(at + 1)
        {
            let text = self.pieces.text_of(at + 1);
            self.verbatim(text);
            self.moved = Some(at + 1);
            return;
        }
        let frame = self.frame();
        let Some(role) = frame.role else { return };
        if !frame.broken
            || at + 1 != frame.closing
            || !role.ends_with_comma()
            || matches!(kind, Token::Comma | Token::Semic | Token::Colon)
        {
            return;
        }
        let is_one_of_several = role == Role::Resource && !frame.is_hugged;
        self.verbatim(if is_one_of_several { ";" } else { "," });
        if is_one_of_several {
            self.frame_mut().in_attributes = false;
        }
    }

    fn new_frame(&self, at: usize, role: Role, base: usize) -> Frame {
        let indent = base + self.layout.options.indentation;
        Frame {
            role: Some(role),
            opening: at,
            closing: self.roles.partner(at).unwrap_or(at),
            broken: false,
            indent,
            base,
            attributes: indent,
            is_hugged: false,
            in_attributes: false,
            widest: 0,
            member: (self.line, self.column),
            is_named: false,
            in_condition: false,
            columns: Columns::default(),
            assignments: (0, None),
        }
    }

    /// Opens brackets: decides whether their content stays on the line.
    fn open(&mut self, at: usize, role: Role) {
        // The content of a block is not part of an expression that spans several lines.
        self.frame_mut().in_condition &= role != Role::Block;
        let around = self.frame();
        let is_statement = matches!(role, Role::Block | Role::Case) && around.role.is_none_or(Role::is_block);
        let mut frame = self.new_frame(at, role, if is_statement { around.indent } else { self.indent });
        let is_empty = frame.closing == at + 1;
        frame.broken = if is_empty { self.is_broken_empty(at, role) } else { self.breaks(at, role) };
        if role == Role::List && frame.broken {
            self.shift_title(&mut frame);
        }
        if role == Role::Resource {
            let mut members = self.layout.members(at);
            let colons = members.by_ref().filter(|&member| self.layout.kind(member) == Token::Colon).count();
            frame.is_hugged = colons == 1 && !self.pieces.has_comments_before(at + 1);
            if !frame.is_hugged {
                frame.attributes += self.layout.options.indentation;
                frame.columns = Columns::of_titles(&self.layout, at);
            }
        }
        if frame.broken && role == Role::Parameters {
            frame.columns = Columns::of_parameters(&self.layout, at, frame.indent);
        }
        if frame.broken && role.has_arrows() && role != Role::Resource {
            frame.widest = self.layout.widest_name(at + 1, frame.closing);
        }
        self.frames.push(frame);
    }

    /// Whether empty brackets span two lines: a block before an `else` does.
    fn is_broken_empty(&self, at: usize, role: Role) -> bool {
        let behind = at + 2;
        let has_else = role == Role::Block
            && behind < self.pieces.all.len()
            && matches!(self.layout.kind(behind), Token::Else | Token::Elsif)
            && !self.pieces.has_comments_before(behind);
        has_else || self.layout.is_broken(at)
    }

    /// Indents a list of titles that begins on the line of the resource's brace, and the attributes, so that
    /// the brackets of both end in columns of their own.
    fn shift_title(&mut self, list: &mut Frame) {
        let step = self.layout.options.indentation;
        let around = self.frame_mut();
        if around.role == Some(Role::Resource)
            && around.broken
            && around.is_hugged
            && around.opening + 1 == list.opening
        {
            around.attributes = around.indent + step;
            (list.base, list.indent) = (around.indent, around.indent + step);
        }
    }

    fn breaks(&self, at: usize, role: Role) -> bool {
        let layout = &self.layout;
        match role {
            Role::Block | Role::Case => true,
            Role::Query => false,
            Role::Resource | Role::Attributes => layout.has_several_lines(at) || !self.fits(at),
            Role::Parentheses => layout.is_broken(at),
            Role::Access => {
                let several = layout.members(at).any(|member| layout.kind(member) == Token::Comma);
                layout.is_broken(at) || several && !self.fits(at)
            }
            // A statement of several lines does not begin behind a brace.
            Role::SmallBlock if layout.members(at).any(|member| layout.has_several_lines(member)) => true,
            // A list is broken if one in it is, and whether that breaks is not known yet.
            Role::List if layout.is_list_of_lists(at) => {
                layout.is_broken(at) || self.has_line_end_within(at) || !self.fits(at)
            }
            Role::SmallBlock | Role::Selector | Role::Hash | Role::List | Role::Parameters => {
                layout.is_broken(at) || !self.fits(at) && !self.hugs(at, role)
            }
            Role::Pipes | Role::Arguments => {
                let is_one_piece = layout.roles.partner(at) == Some(at + 2);
                layout.is_broken(at) || !is_one_piece && !self.fits(at) && !self.hugs(at, role)
            }
        }
    }

    /// Whether brackets have several lines wherever they are.
    fn has_line_end_within(&self, at: usize) -> bool {
        let layout = &self.layout;
        (at + 1..=layout.roles.partner(at).unwrap_or(at)).any(|piece| {
            layout.is_long(piece)
                || layout.is_broken(piece)
                || layout.has_several_lines(piece)
                || layout.has_line_comment_before(piece)
                || layout.keeps_line_end(piece)
        })
    }

    /// Whether content that does not fit can be broken within the last member, which is a list or a hash.
    fn hugs(&self, at: usize, role: Role) -> bool {
        let layout = &self.layout;
        if !matches!(role, Role::Arguments | Role::List) {
            return false;
        }
        let (mut last, mut count) = (None, 1);
        let mut is_first = true;
        for member in layout.members(at) {
            if layout.kind(member) == Token::Comma {
                if Some(member + 1) != layout.roles.partner(at) {
                    (is_first, count) = (true, count + 1);
                }
                continue;
            }
            last = (is_first && matches!(layout.roles.opens(member), Some(Role::Hash | Role::List)))
                .then_some(member);
            is_first = false;
        }
        let Some(last) = last.filter(|&last| {
            (role == Role::Arguments || count == 1) && layout.roles.partner(last) != Some(last + 1)
        }) else {
            return false;
        };
        let width = (at + 1..=last).map(|piece| layout.width(piece) + usize::from(layout.is_spaced(piece)));
        self.column + width.sum::<usize>() <= layout.options.width
    }

    /// Whether brackets, after the opening one, fit on the line with what follows up to the next possible
    /// line end.
    fn fits(&self, at: usize) -> bool {
        let layout = &self.layout;
        let closing = layout.roles.partner(at).unwrap_or(at);
        let mut column = self.column;
        for piece in at + 1..=closing {
            let before = piece - 1;
            if before > at
                && layout.roles.opens(before).is_some_and(|role| {
                    layout.roles.partner(before) != Some(piece)
                        && (matches!(role, Role::Block | Role::Case) || layout.is_broken(before))
                })
            {
                return true;
            }
            if layout.has_line_comment_before(piece) || layout.keeps_line_end(piece) {
                return true;
            }
            column += layout.width(piece) + usize::from(layout.is_spaced(piece));
            if column > layout.options.width {
                return false;
            }
            if layout.is_long(piece) {
                return true;
            }
        }
        self.fits_behind(closing + 1, column)
    }

    /// Whether what follows fits, up to the next possible line end.
    fn fits_behind(&self, from: usize, mut column: usize) -> bool {
        let (layout, width) = (&self.layout, self.layout.options.width);
        let mut around = self.frames.len() - 1;
        for piece in from..self.pieces.all.len() {
            let frame = &self.frames[around];
            let before = layout.kind_before(piece);
            if layout.kind(piece) == Token::End
                || piece > from && layout.has_line_comment_before(piece)
                || piece > from && layout.keeps_line_end(piece)
                || self.roles.starts_statement(piece)
                || piece > from && (layout.is_broken_edge(piece) || self.is_in_long_chain(piece))
            {
                return true;
            }
            if frame.role == Some(Role::Parameters)
                && layout.kind(piece) == Token::Variable
                && !frame.is_named
            {
                // A type is not broken because of what follows the parameter's name.
                return true;
            }
            if frame.closing == piece {
                if frame.broken {
                    let has_comma = frame.role.is_some_and(Role::ends_with_comma) && before != Token::Comma;
                    return column + usize::from(has_comma) <= width;
                }
                around -= 1;
            } else if frame.broken {
                let is_separator = match before {
                    Token::Comma => frame.role.is_some_and(Role::has_commas),
                    Token::Semic => true,
                    Token::Colon => frame.role == Some(Role::Resource),
                    Token::RBrace => frame.role == Some(Role::Case) && self.ends_option(piece - 1),
                    _ => false,
                };
                if is_separator && piece > from {
                    return true;
                }
            }
            column += layout.width(piece) + usize::from(layout.is_spaced(piece));
            if column > width {
                return false;
            }
            if layout.is_long(piece)
                || layout.roles.opens(piece).is_some_and(|role| match role {
                    Role::Query => false,
                    // Its line ends where the source has broken it.
                    Role::Access => layout.is_broken(piece),
                    _ => layout.roles.partner(piece) != Some(piece + 1),
                })
            {
                return true;
            }
        }
        true
    }

    /// Whether an `and`, `or` or `+` fits on the line with what follows up to the next one.
    fn fits_to_next(&self, at: usize) -> bool {
        let (layout, width) = (&self.layout, self.layout.options.width);
        let mut column = self.column;
        let mut piece = at;
        while piece < self.pieces.all.len() {
            let ends = piece > at
                && (matches!(layout.kind(piece), Token::And | Token::Or | Token::Plus | Token::End)
                    || layout.has_line_end_before(piece)
                    || self.roles.starts_statement(piece)
                    || self.frame().closing == piece);
            if ends {
                return true;
            }
            let last = if layout.roles.opens(piece).is_some() {
                if layout.roles.opens(piece).is_some_and(Role::is_block) || layout.is_broken(piece) {
                    return column + 2 <= width;
                }
                layout.roles.partner(piece).unwrap_or(piece)
            } else {
                piece
            };
            for one in piece..=last {
                column += layout.width(one) + usize::from(layout.is_spaced(one));
                if column > width {
                    return false;
                }
            }
            piece = last + 1;
        }
        true
    }
}

/// The directive of a comment: to begin or to stop formatting.
fn directive(comment: &str) -> Option<bool> {
    match comment.strip_prefix('#')?.trim().strip_prefix("bunraku:fmt")?.trim() {
        "on" => Some(true),
        "off" => Some(false),
        _ => None,
    }
}

/// Whether a string in double quotes has the same meaning in single quotes.
fn may_be_single_quoted(text: &str) -> bool {
    // A `$` that interpolates nothing is text in both.
    text.starts_with('"') && memchr::memchr2(b'\'', b'\\', text.as_bytes()).is_none()
}
