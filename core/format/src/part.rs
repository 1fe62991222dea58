//! Formats parts of a text: the statements on some lines, and those around what cannot be parsed.
//!
//! A part is a run of statements of one block. It is formatted as a program of its own, indented as its block
//! is, and takes the place of the source. What is not in a part stays as it is.

use std::ops::{Range, RangeInclusive};
use std::sync::Arc;

use bunraku_syntax::ast::{FieldValue, Node, NodeId, Program};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::Source;
use bunraku_syntax::token::TokenKind;
use bunraku_syntax::tokens::{StretchKind, Tokens};
use bunraku_syntax::watch::Watch;
use bunraku_syntax::{ParseOptions, parse_recovering_watched, parse_watched};

use crate::pieces::Pieces;
use crate::{FormatOptions, print, same};

/// The places of a text that parts depend on.
struct Text<'t> {
    text: &'t str,
    program: &'t Program,
    /// The tokens, in order.
    tokens: Vec<(TokenKind, Range<u32>)>,
    /// Strings with interpolations and texts of heredocs: what is in them stays.
    kept: Vec<Range<u32>>,
    /// Tags of heredocs, and their texts.
    heredocs: Vec<(u32, Range<u32>)>,
    /// The starts of tokens and comments.
    content: Vec<u32>,
}

impl<'t> Text<'t> {
    fn new(tokens: &Tokens, program: &'t Program) -> Self {
        let (mut all, mut kept, mut content) = (Vec::new(), Vec::new(), Vec::new());
        let (mut tags, mut texts, mut strings) = (Vec::new(), Vec::new(), Vec::new());
        for stretch in tokens.stretches() {
            let (start, end) = (stretch.span.start, stretch.span.end);
            match stretch.kind {
                StretchKind::HeredocText => {
                    texts.push(start..end);
                    kept.push(start..end);
                }
                StretchKind::Token(kind) => {
                    all.push((kind, start..end));
                    match kind {
                        TokenKind::DqPre => strings.push(start),
                        TokenKind::DqPost => kept.extend(strings.pop().map(|start| start..end)),
                        TokenKind::Heredoc => tags.push(start),
                        _ => {}
                    }
                }
                _ => {}
            }
            if !matches!(stretch.kind, StretchKind::Space | StretchKind::LineEnd) {
                content.push(start);
            }
        }
        let heredocs = tags.into_iter().zip(texts).collect();
        let text = program.source().text();
        Self { text, program, tokens: all, kept, heredocs, content }
    }

    fn start(&self, id: NodeId) -> u32 {
        self.program.extent(id).start
    }

    /// The place of a statement, with the brackets that it closes: the extent of a selector lacks its last
    /// one.
    fn statement(&self, id: NodeId) -> Range<u32> {
        use TokenKind::{LBrace, LBrack, LParen, ListStart, RBrace, RBrack, RParen, SelBrace, WsLParen};
        let extent = self.program.extent(id);
        let first = self.tokens.partition_point(|(_, token)| token.start < extent.start);
        let (mut depth, mut end) = (0_u32, extent.end);
        for (kind, token) in &self.tokens[first..] {
            if token.start >= extent.end && depth == 0 {
                break;
            }
            match kind {
                LBrack | ListStart | LBrace | SelBrace | LParen | WsLParen => depth += 1,
                RBrace | RBrack | RParen => depth = depth.saturating_sub(1),
                _ => {}
            }
            end = end.max(token.end);
        }
        extent.start..end
    }

    /// The blocks of all statements, that of the whole program first.
    fn blocks(&self) -> Vec<Block> {
        let program = self.program;
        let block = |owner: Option<NodeId>, id: NodeId| Block {
            statements: match *program.node(id) {
                Node::BlockExpression { statements } | Node::ApplyBlockExpression { statements } => {
                    program.list(statements).to_vec()
                }
                Node::Nop {} => Vec::new(),
                _ => vec![id],
            },
            owner,
        };
        let mut blocks = vec![block(None, program.body())];
        for id in program.ids() {
            let is_if = |id: NodeId| matches!(program.node(id), Node::IfExpression { .. });
            program.node(id).fields(|field| match (field.name, field.value) {
                ("body" | "then_expr", FieldValue::Node(body)) => blocks.push(block(Some(id), body)),
                // It may be an `elsif`, which is no statement.
                ("else_expr", FieldValue::Node(body)) if !is_if(body) => blocks.push(block(Some(id), body)),
                _ => {}
            });
        }
        let is_kept = |first: u32| self.kept.iter().any(|kept| kept.contains(&first));
        blocks.retain(|block| block.statements.first().is_some_and(|&first| !is_kept(self.start(first))));
        blocks
    }

    /// The end of what begins at a place and ends at another one, with its texts of heredocs.
    fn end(&self, start: u32, end: u32) -> u32 {
        let own = self.heredocs.iter().filter(|(tag, _)| (start..end).contains(tag));
        own.map(|(_, text)| text.end).max().unwrap_or(end).max(end)
    }

    /// Statements of a block with the assignments above and below that share columns with them.
    fn with_columns(&self, block: &[NodeId], run: RangeInclusive<usize>) -> RangeInclusive<usize> {
        let is_assignment =
            |at: usize| matches!(self.program.node(block[at]), Node::AssignmentExpression { .. });
        let joins = |at: usize| {
            let (end, start) = (self.statement(block[at]).end, self.start(block[at + 1]));
            let between = self.text.get(end as usize..start as usize).unwrap_or_default();
            is_assignment(at) && is_assignment(at + 1) && between.matches('\n').count() < 2
        };
        let (mut from, mut to) = (*run.start(), *run.end());
        while from > 0 && joins(from - 1) {
            from -= 1;
        }
        while to + 1 < block.len() && joins(to) {
            to += 1;
        }
        from..=to
    }

    /// The part of some statements. `None` if texts of heredocs belong to it and to what is around it.
    fn part(&self, run: &[NodeId], block: &Block, options: &FormatOptions) -> Option<Part> {
        let (first, last) = (*run.first()?, *run.last()?);
        let start = self.start(first);
        let statements = self.statement(last).end;
        let end = self.end(start, statements);
        let is_own = |tag: u32| (start..statements).contains(&tag);
        let is_between = |at: u32| at > statements && at <= end;
        let others =
            self.heredocs.iter().any(|(tag, text)| !is_own(*tag) && text.start >= start && text.start < end);
        if others || self.tokens.iter().any(|(_, token)| is_between(token.end)) {
            return None;
        }
        let indent = self.indentation(block, options);
        Some(Part { range: start..end, indent })
    }

    /// How far the statements of a block are indented: more than the line where what they belong to begins.
    fn indentation(&self, block: &Block, options: &FormatOptions) -> usize {
        let Some((owner, &first)) = block.owner.zip(block.statements.first()) else { return 0 };
        let at = match *self.program.node(owner) {
            // The line of the brace.
            Node::LambdaExpression { .. } => {
                let before = self.tokens.partition_point(|(_, token)| token.end <= self.start(first));
                before.checked_sub(1).map_or(0, |before| self.tokens[before].1.end)
            }
            _ => self.start(owner),
        };
        let before = &self.text[..at as usize];
        let line = &self.text[before.rfind('\n').map_or(0, |end| end + 1)..];
        let width = |sign: char| if sign == '\t' { options.indentation } else { 1 };
        let blank = line.chars().take_while(|&sign| matches!(sign, ' ' | '\t'));
        blank.map(width).sum::<usize>() + options.indentation
    }

    /// The text with parts formatted. A part that is no program of its own stays as it is.
    fn written(&self, parts: &[Part], options: &FormatOptions, watch: &Watch<'_>) -> Result<String, Error> {
        let mut out = String::with_capacity(self.text.len());
        let mut at = 0;
        for part in parts {
            let (start, end) = (part.range.start as usize, part.range.end as usize);
            if start < at {
                continue;
            }
            let Some(written) = part.written(&self.text[start..end], options, watch)? else { continue };
            let before = &self.text[at..start];
            let margin = before.len() - before.trim_end_matches([' ', '\t']).len();
            // White space at the start of a line is replaced.
            let starts_line =
                before.len() == margin && at == 0 || before[..before.len() - margin].ends_with('\n');
            if starts_line {
                out.push_str(&before[..before.len() - margin]);
                out.extend(std::iter::repeat_n(' ', part.indent));
            } else {
                out.push_str(before);
            }
            out.push_str(&written);
            at = end;
        }
        out.push_str(&self.text[at..]);
        Ok(out)
    }
}

/// The statements of a block, and the node that has it.
struct Block {
    statements: Vec<NodeId>,
    owner: Option<NodeId>,
}

/// A run of statements.
struct Part {
    range: Range<u32>,
    indent: usize,
}

impl Part {
    fn written(
        &self,
        text: &str,
        options: &FormatOptions,
        watch: &Watch<'_>,
    ) -> Result<Option<String>, Error> {
        let source = Arc::new(Source::new(None, text));
        let parse_options = ParseOptions { tasks: options.tasks, ..ParseOptions::default() };
        let Ok(program) = parse_watched(Arc::clone(&source), &parse_options, &mut Vec::new(), watch)? else {
            return Ok(None);
        };
        let tokens = Tokens::new(Arc::clone(&source), &parse_options);
        let Some(pieces) = Pieces::of(source.text(), &tokens) else { return Ok(None) };
        let mut written = print::print_indented(&pieces, &program, options, self.indent);
        if !text.ends_with('\n') {
            written.truncate(written.trim_end_matches(['\r', '\n']).len());
        }
        Ok(Some(written))
    }
}

/// Formats the statements on some lines, from 1. What they contain is formatted whole.
pub(crate) fn lines(
    program: &Program,
    tokens: &Tokens,
    lines: &RangeInclusive<u32>,
    options: &FormatOptions,
    watch: &Watch<'_>,
) -> Result<String, Error> {
    let text = Text::new(tokens, program);
    let source = program.source();
    let line_of = |offset: u32| source.line(offset);
    // What is on the lines, without white space.
    let mut content = text.content.iter().copied().filter(|&start| lines.contains(&line_of(start)));
    let Some(first) = content.next() else { return Ok(text.text.to_owned()) };
    let last = content.next_back().unwrap_or(first);
    let mut best: Option<Part> = None;
    for block in text.blocks() {
        watch.check()?;
        let touches = |&id: &NodeId| {
            let statement = text.statement(id);
            let end = text.end(statement.start, statement.end).saturating_sub(1);
            line_of(statement.start) <= *lines.end() && line_of(end) >= *lines.start()
        };
        let statements = &block.statements;
        let Some(from) = statements.iter().position(touches) else { continue };
        let to = statements.iter().rposition(touches).unwrap_or(from);
        let run = text.with_columns(statements, from..=to);
        let Some(part) = text.part(&statements[run], &block, options) else { continue };
        let covers = part.range.start <= first && part.range.end > last;
        // The statements of the program come first, and cover the lines but for comments around them.
        let is_better = best.as_ref().is_none_or(|best| covers && part.range.len() < best.range.len());
        if is_better {
            best = Some(part);
        }
    }
    text.written(&best.into_iter().collect::<Vec<_>>(), options, watch)
}

/// Formats the statements that can be parsed; the others stay as they are.
pub(crate) fn around_damage(
    source: &Arc<Source>,
    options: &FormatOptions,
    watch: &Watch<'_>,
) -> Result<String, Error> {
    let parse_options = ParseOptions { tasks: options.tasks, ..ParseOptions::default() };
    let before = parse_recovering_watched(Arc::clone(source), &parse_options, watch)?;
    let program = &before.program;
    let tokens = Tokens::new(Arc::clone(source), &parse_options);
    let text = Text::new(&tokens, program);
    let damaged = damaged(program);
    let mut parts = Vec::new();
    for block in text.blocks() {
        watch.check()?;
        for run in block.statements.split(|id| damaged[id.index()]).filter(|run| !run.is_empty()) {
            parts.extend(text.part(run, &block, options));
        }
    }
    parts.sort_by_key(|part| (part.range.start, std::cmp::Reverse(part.range.end)));
    let written = text.written(&parts, options, watch)?;
    let again = Arc::new(Source::new(source.path().map(|path| &**path), written));
    let after = parse_recovering_watched(Arc::clone(&again), &parse_options, watch)?;
    let is_same = before.errors.len() == after.errors.len() && same::is_same(program, &after.program);
    // What is damaged may be read otherwise when what is around it moves.
    Ok(if is_same { again.text().to_owned() } else { source.text().to_owned() })
}

/// Whether each node has an invalid part in it.
fn damaged(program: &Program) -> Vec<bool> {
    let mut damaged = vec![false; program.node_count()];
    // Nodes are made after their children, with few exceptions.
    for _ in 0..2 {
        for id in program.ids() {
            let mut is_damaged = matches!(program.node(id), Node::Error {});
            program.node(id).children(program, |child| is_damaged |= damaged[child.index()]);
            damaged[id.index()] |= is_damaged;
        }
    }
    damaged
}
