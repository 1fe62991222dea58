//! A program as bytes, for caches or other languages. `core/docs/binary.md` describes the form.
//!
//! The form follows the table of nodes: for each node its kind, its place, and its fields in order. Reading
//! validates everything: the rest of the library can safely walk every program that [`read`] accepts.

use std::sync::Arc;

use super::ast::nodes::Radix;
use super::ast::{Comment, FieldValue, Kind, List, Node, NodeId, Program, Text};
use crate::diagnostic::{Diagnostic, Issue, Report, Severity};
use crate::source::{Source, Span};

/// The first bytes.
const MAGIC: &[u8; 8] = b"bunraku\0";
/// The version of the form. It changes with the table of nodes.
pub const VERSION: u8 = 1;
/// The maximum height of a tree.
const MAX_HEIGHT: usize = 100_000;
/// The issues of the lexer's warnings.
const WARNINGS: &[Issue] = &[Issue("UNRECOGNIZED_ESCAPE"), Issue("ILLEGAL_UNICODE_ESCAPE")];

/// The bytes are not those of a program, or not of this version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are not a program of this version")]
pub struct BinaryError;

/// The bytes of a program.
pub fn write(program: &Program) -> Vec<u8> {
    let source = program.source();
    let mut output = Encoder { bytes: Vec::with_capacity(source.text().len() * 2 + 64), node: 0 };
    output.bytes.extend_from_slice(MAGIC);
    output.byte(VERSION);
    output.boolean(source.path().is_some());
    if let Some(path) = source.path() {
        output.text(path);
    }
    output.text(source.text());
    output.text(&program.strings);

    output.count(program.lists.len());
    for id in &program.lists {
        output.count(id.index());
    }
    output.count(program.nodes.len());
    let mut place = 0;
    let in_tree = in_tree(program);
    for (number, (node, span)) in program.nodes.iter().zip(&program.spans).enumerate() {
        // Nodes that were replaced while parsing are written as `Nop`.
        let (node, span) = if in_tree[number] {
            (node, *span)
        } else {
            (&Node::Nop {}, Span::new(place as u32, place as u32))
        };
        output.node = number;
        output.byte(node.kind() as u8);
        output.signed(i64::from(span.start) - place);
        output.number(u64::from(span.len()));
        place = i64::from(span.start);
        node.encode(&mut output);
    }
    output.count(program.body.index());
    output.count(program.definitions.len());
    for id in &program.definitions {
        output.count(id.index());
    }
    output.count(program.big_integers.len());
    for (id, digits) in &program.big_integers {
        output.count(id.index());
        digits.encode(&mut output);
    }
    output.count(program.comments.len());
    for comment in &program.comments {
        output.span(comment.span);
    }
    output.count(program.warnings.len());
    for warning in &program.warnings {
        let code = WARNINGS.iter().position(|code| *code == warning.issue).unwrap_or(WARNINGS.len());
        output.count(code);
        output.text(&warning.message);
        output.span(warning.span.unwrap_or_default());
    }
    let sum = checksum(&output.bytes);
    output.bytes.extend_from_slice(&sum.to_le_bytes());
    output.bytes
}

/// The program of the bytes that [`write()`] made.
///
/// # Errors
/// [`BinaryError`] if [`write()`] of this version did not make the bytes.
pub fn read(bytes: &[u8]) -> Result<Program, BinaryError> {
    let (bytes, sum) = bytes.split_last_chunk::<8>().ok_or(BinaryError)?;
    if !bytes.starts_with(MAGIC) || checksum(bytes) != u64::from_le_bytes(*sum) {
        return Err(BinaryError);
    }
    let mut input = Decoder { bytes: &bytes[MAGIC.len()..], node: 0 };
    if input.byte()? != VERSION {
        return Err(BinaryError);
    }
    let path = if input.boolean()? { Some(input.text()?) } else { None };
    let source = Arc::new(Source::new(path, input.text()?));
    let strings = input.text()?.to_owned();

    let lists = input.ids()?;
    let count = input.count()?;
    let mut nodes = Vec::with_capacity(count);
    let mut spans = Vec::with_capacity(count);
    let mut place = 0;
    for number in 0..count {
        input.node = number;
        let kind = *Kind::ALL.get(usize::from(input.byte()?)).ok_or(BinaryError)?;
        let start = input.signed()?.checked_add(place).ok_or(BinaryError)?;
        let length = input.count_u32()?;
        place = start;
        let start = u32::try_from(start).map_err(|_| BinaryError)?;
        spans.push(Span::new(start, start.checked_add(length).ok_or(BinaryError)?));
        nodes.push(Node::decode(kind, &mut input)?);
    }
    let body = input.id()?;
    let definitions = input.ids()?;
    let mut big_integers = Vec::new();
    for _ in 0..input.count()? {
        big_integers.push((input.id()?, Text::decode(&mut input)?));
    }
    let mut comments = Vec::new();
    for _ in 0..input.count()? {
        comments.push(Comment { span: input.span()? });
    }
    let mut warnings: Vec<Diagnostic> = Vec::new();
    for _ in 0..input.count()? {
        let issue = *WARNINGS.get(input.count()?).ok_or(BinaryError)?;
        let report = Report { issue, message: input.text()?.to_owned() };
        warnings.push(report.at(Severity::Warning, &source, input.span()?));
    }
    if !input.bytes.is_empty() {
        return Err(BinaryError);
    }
    let program = Program {
        source,
        nodes,
        spans,
        lists,
        strings,
        comments,
        warnings,
        big_integers,
        definitions,
        body,
        has_odd_variables: true,
        depth: u32::MAX,
        side_table: Default::default(),
        parents: Default::default(),
    };
    check(&program)?;
    Ok(program)
}

/// Checks that everything that nodes refer to exists, and that the nodes are a tree.
fn check(program: &Program) -> Result<(), BinaryError> {
    let require = |condition: bool| if condition { Ok(()) } else { Err(BinaryError) };
    let in_range = |id: &NodeId| id.index() < program.nodes.len();
    require(program.lists.iter().all(in_range) && program.definitions.iter().all(in_range))?;
    require(in_range(&program.body) && program.big_integers.iter().all(|(id, _)| in_range(id)))?;
    require(program.big_integers.iter().all(|&(_, text)| has_text(program, text)))?;
    require(program.comments.iter().all(|comment| program.source.text().get(range(comment.span)).is_some()))?;

    let mut is_seen = vec![false; program.nodes.len()];
    let mut open = vec![(program.body, 0)];
    while let Some((id, height)) = open.pop() {
        require(in_range(&id) && height < MAX_HEIGHT)?;
        require(!std::mem::replace(&mut is_seen[id.index()], true))?;
        let mut is_whole = true;
        program.nodes[id.index()].fields(|field| match field.value {
            FieldValue::Node(child) => open.push((child, height + 1)),
            FieldValue::Nodes(list) => {
                let range = list.start as usize..list.start as usize + list.len();
                match program.lists.get(range) {
                    Some(children) => open.extend(children.iter().map(|&child| (child, height + 1))),
                    None => is_whole = false,
                }
            }
            FieldValue::Text(text) => is_whole &= has_text(program, text),
            FieldValue::Absent
            | FieldValue::Symbol(_)
            | FieldValue::Integer(_)
            | FieldValue::Float(_)
            | FieldValue::Boolean(_) => {}
        });
        require(is_whole)?;
    }
    require(program.definitions.iter().all(|id| is_seen[id.index()]))?;
    require(program.nodes.iter().zip(&is_seen).all(|(node, &seen)| seen || *node == Node::Nop {}))
}

/// Which nodes are in the tree.
fn in_tree(program: &Program) -> Vec<bool> {
    let mut in_tree = vec![false; program.nodes.len()];
    let mut open = vec![program.body];
    while let Some(id) = open.pop() {
        in_tree[id.index()] = true;
        program.node(id).children(program, |child| open.push(child));
    }
    in_tree
}

fn has_text(program: &Program, text: Text) -> bool {
    let (text, range) = text.find(program.source.text(), &program.strings);
    text.get(range).is_some()
}

fn range(span: Span) -> std::ops::Range<usize> {
    span.start as usize..span.end as usize
}

/// FNV-1a, 64 bits.
fn checksum(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Collects the bytes.
pub(crate) struct Encoder {
    bytes: Vec<u8>,
    /// The index of the current node: its children are written as distances from it.
    node: usize,
}

impl Encoder {
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    fn boolean(&mut self, value: bool) {
        self.byte(u8::from(value));
    }

    /// Seven bits in each byte, lowest first; the highest bit marks that more follow.
    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.byte(value as u8 | 0x80);
            value >>= 7;
        }
        self.byte(value as u8);
    }

    fn count(&mut self, value: usize) {
        self.number(value as u64);
    }

    /// The sign in the lowest bit.
    fn signed(&mut self, value: i64) {
        self.number((value << 1 ^ value >> 63) as u64);
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn span(&mut self, span: Span) {
        self.number(u64::from(span.start));
        self.number(u64::from(span.len()));
    }
}

/// Reads the bytes.
pub(crate) struct Decoder<'b> {
    bytes: &'b [u8],
    node: usize,
}

impl<'b> Decoder<'b> {
    pub fn byte(&mut self) -> Result<u8, BinaryError> {
        let (&byte, rest) = self.bytes.split_first().ok_or(BinaryError)?;
        self.bytes = rest;
        Ok(byte)
    }

    fn boolean(&mut self) -> Result<bool, BinaryError> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(BinaryError),
        }
    }

    fn number(&mut self) -> Result<u64, BinaryError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(BinaryError)
    }

    fn signed(&mut self) -> Result<i64, BinaryError> {
        let value = self.number()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// A count of items of at least one byte each, so that an invalid one cannot request much memory.
    fn count(&mut self) -> Result<usize, BinaryError> {
        let count = usize::try_from(self.number()?).map_err(|_| BinaryError)?;
        if count <= self.bytes.len() { Ok(count) } else { Err(BinaryError) }
    }

    fn count_u32(&mut self) -> Result<u32, BinaryError> {
        u32::try_from(self.number()?).map_err(|_| BinaryError)
    }

    fn text(&mut self) -> Result<&'b str, BinaryError> {
        let length = self.count()?;
        let (text, rest) = self.bytes.split_at_checked(length).ok_or(BinaryError)?;
        self.bytes = rest;
        std::str::from_utf8(text).map_err(|_| BinaryError)
    }

    fn span(&mut self) -> Result<Span, BinaryError> {
        let start = self.count_u32()?;
        let length = self.count_u32()?;
        Ok(Span::new(start, start.checked_add(length).ok_or(BinaryError)?))
    }

    fn id(&mut self) -> Result<NodeId, BinaryError> {
        NodeId::from_index(self.count_u32()?).ok_or(BinaryError)
    }

    fn ids(&mut self) -> Result<Vec<NodeId>, BinaryError> {
        let count = self.count()?;
        (0..count).map(|_| self.id()).collect()
    }
}

/// A type of field that can be written.
pub(crate) trait Coded: Sized {
    fn encode(&self, output: &mut Encoder);
    fn decode(input: &mut Decoder<'_>) -> Result<Self, BinaryError>;
}

impl Coded for NodeId {
    fn encode(&self, output: &mut Encoder) {
        output.signed(output.node as i64 - self.index() as i64);
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, BinaryError> {
        let index = (input.node as i64).checked_sub(input.signed()?).ok_or(BinaryError)?;
        u32::try_from(index).ok().and_then(NodeId::from_index).ok_or(BinaryError)
    }
}

impl Coded for List {
    fn encode(&self, output: &mut Encoder) {
        output.number(u64::from(self.len));
        if self.len > 0 {
            output.number(u64::from(self.start));
        }
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, BinaryError> {
        let len = input.count_u32()?;
        let start = if len > 0 { input.count_u32()? } else { 0 };
        start.checked_add(len).ok_or(BinaryError)?;
        Ok(List { start, len })
    }
}

impl Coded for Text {
    /// The lowest bit of the start marks a text in the pool.
    fn encode(&self, output: &mut Encoder) {
        let in_pool = self.start() & Text::IN_POOL != 0;
        output.number(u64::from(self.start() & !Text::IN_POOL) << 1 | u64::from(in_pool));
        output.number(u64::from(self.len()));
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, BinaryError> {
        let value = input.number()?;
        let start =
            u32::try_from(value >> 1).ok().filter(|start| start & Text::IN_POOL == 0).ok_or(BinaryError)?;
        let pool = if value & 1 == 0 { 0 } else { Text::IN_POOL };
        Ok(Text::new(start | pool, input.count_u32()?))
    }
}

impl<T: Coded> Coded for Option<T> {
    fn encode(&self, output: &mut Encoder) {
        output.boolean(self.is_some());
        if let Some(value) = self {
            value.encode(output);
        }
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, BinaryError> {
        if input.boolean()? { T::decode(input).map(Some) } else { Ok(None) }
    }
}

impl Coded for bool {
    fn encode(&self, output: &mut Encoder) {
        output.boolean(*self);
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, BinaryError> {
        input.boolean()
    }
}

impl Coded for i64 {
    fn encode(&self, output: &mut Encoder) {
        output.signed(*self);
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, BinaryError> {
        input.signed()
    }
}

impl Coded for f64 {
    fn encode(&self, output: &mut Encoder) {
        output.bytes.extend_from_slice(&self.to_bits().to_le_bytes());
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, BinaryError> {
        let (bits, rest) = input.bytes.split_first_chunk::<8>().ok_or(BinaryError)?;
        input.bytes = rest;
        Ok(f64::from_bits(u64::from_le_bytes(*bits)))
    }
}

impl Coded for Radix {
    fn encode(&self, output: &mut Encoder) {
        output.byte(*self as u8);
    }

    fn decode(input: &mut Decoder<'_>) -> Result<Self, BinaryError> {
        match input.byte()? {
            8 => Ok(Radix::Octal),
            10 => Ok(Radix::Decimal),
            16 => Ok(Radix::Hexadecimal),
            _ => Err(BinaryError),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse, pn};

    const TEXT: &str = "# comment\nclass a($x = 0x1F, Integer *$y = 1.5) inherits b {\n  file { \"/${x}\\q\": ensure => true }\n\
        }\n$z = 99999999999999999999 ? { default => @(\"E\"/L) }\n  h ${y.map |$v| { -$v }}\\\n  | E\n";

    fn program() -> Program {
        parse(Arc::new(Source::new(Some("a.pp"), TEXT)), &ParseOptions::default()).expect("the text parses")
    }

    #[test]
    fn a_program_is_read_as_it_was_written() {
        let program = program();
        let bytes = write(&program);
        let read = read(&bytes).expect("the bytes are whole");
        assert_eq!(pn::to_text(&read, read.body()), pn::to_text(&program, program.body()));
        assert_eq!(read.spans, program.spans);
        assert_eq!(read.comments, program.comments);
        assert_eq!(read.warnings, program.warnings);
        assert_eq!(write(&read), bytes);
    }

    #[test]
    fn damage_is_an_error() {
        let bytes = write(&program());
        for at in 0..bytes.len() {
            assert!(read(&bytes[..at]).is_err(), "cut at {at}");
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(read(&damaged).is_err(), "flipped at {at}");
            // Reading must also fail cleanly with a valid checksum.
            let (body, _) = damaged.split_at(bytes.len() - 8);
            let mut damaged = body.to_vec();
            damaged.extend_from_slice(&checksum(body).to_le_bytes());
            if let Ok(program) = read(&damaged) {
                let _ = pn::to_text(&program, program.body());
            }
        }
    }
}
