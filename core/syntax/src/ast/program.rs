//! A parsed file: the arena of its nodes, their spans, the pools that they refer to, and the comments.

use std::any::Any;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::nodes::Node;
use crate::diagnostic::Diagnostic;
use crate::source::{Location, Source, Span};
use crate::watch::{BYTES_BETWEEN_LOOKS, Watch};

/// The size in bytes from which memory for nodes is requested before it is used.
const LARGE: usize = 1 << 20;

/// The index of a node in its [`Program`]. `Option<NodeId>` is as small as `NodeId`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(NonZeroU32);

impl NodeId {
    /// The id of the node at an index of the arena.
    fn at(index: usize) -> Self {
        Self(NonZeroU32::MIN.saturating_add(index as u32))
    }

    /// The id with this index, counted from 0: the inverse of [`index`](Self::index).
    pub fn from_index(index: u32) -> Option<Self> {
        index.checked_add(1).and_then(NonZeroU32::new).map(Self)
    }

    /// The number of the node, from 0, in the order in which nodes were made.
    pub const fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A list of nodes: a range of the program's pool of ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct List {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

impl List {
    /// The list without members.
    pub const EMPTY: List = List { start: 0, len: 0 };

    /// The number of members.
    pub const fn len(self) -> usize {
        self.len as usize
    }

    /// Whether the list is empty.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// A text of a node: bytes of the source, or of the program's string pool if the value differs from the
/// source (escapes, margins of heredocs).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Text {
    /// The offset; the highest bit marks an offset in the string pool.
    start: u32,
    /// The length plus one, so that an optional text is as small as a text.
    length: NonZeroU32,
}

impl Text {
    pub(crate) const IN_POOL: u32 = 1 << 31;

    /// A text at an offset, with or without the bit [`IN_POOL`](Self::IN_POOL).
    #[inline]
    pub(crate) const fn new(start: u32, length: u32) -> Self {
        Self { start, length: NonZeroU32::MIN.saturating_add(length) }
    }

    /// The offset, with the bit [`IN_POOL`](Self::IN_POOL) or without.
    pub(crate) const fn start(self) -> u32 {
        self.start
    }

    /// The number of bytes.
    #[inline]
    pub const fn len(self) -> u32 {
        self.length.get() - 1
    }

    /// Whether the text is empty.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The text that contains it, and the range.
    #[inline]
    pub(crate) fn find<'t>(self, source: &'t str, pool: &'t str) -> (&'t str, Range<usize>) {
        let text = if self.start & Self::IN_POOL == 0 { source } else { pool };
        let start = (self.start & !Self::IN_POOL) as usize;
        (text, start..start + self.len() as usize)
    }
}

/// A comment: its span, without the line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comment {
    /// From `#` or `/*` to the end of the comment.
    pub span: Span,
}

/// A parsed file. Immutable; share it in an [`Arc`].
#[derive(Debug)]
pub struct Program {
    pub(crate) source: Arc<Source>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) spans: Vec<Span>,
    pub(crate) lists: Vec<NodeId>,
    pub(crate) strings: String,
    pub(crate) comments: Vec<Comment>,
    pub(crate) warnings: Vec<Diagnostic>,
    /// In the order of the ids.
    pub(crate) big_integers: Vec<(NodeId, Text)>,
    pub(crate) definitions: Vec<NodeId>,
    pub(crate) body: NodeId,
    /// Whether there can be variables whose names the validator must check.
    pub(crate) has_odd_variables: bool,
    /// The depth of nested expressions when they were parsed; the maximum if it is unknown.
    pub(crate) depth: u32,
    pub(crate) side_table: OnceLock<Box<dyn Any + Send + Sync>>,
    /// The parent of each node, computed on first use.
    pub(crate) parents: OnceLock<Vec<Option<NodeId>>>,
}

impl Program {
    /// The text it was parsed from.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// The root node of the file.
    pub fn body(&self) -> NodeId {
        self.body
    }

    /// Warnings of the lexer: doubtful escapes.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// The digits of an integer literal that is too large for its node, whose value is then the largest
    /// integer.
    pub fn big_integer(&self, id: NodeId) -> Option<&str> {
        let found = self.big_integers.binary_search_by_key(&id, |&(big, _)| big).ok()?;
        Some(self.text(self.big_integers.get(found)?.1))
    }

    /// The classes, defined types, functions, types and nodes that the file defines, in the order in which
    /// they end: inner definitions precede outer ones.
    pub fn definitions(&self) -> &[NodeId] {
        &self.definitions
    }

    /// The comments, in source order.
    pub fn comments(&self) -> &[Comment] {
        &self.comments
    }

    /// The approximate memory of the program in bytes: its text, its nodes and their data.
    pub fn memory(&self) -> usize {
        let nodes = size_of_val(&*self.nodes) + size_of_val(&*self.spans) + size_of_val(&*self.lists);
        let texts = self.source.text().len() + self.strings.len() + size_of_val(&*self.comments);
        size_of::<Self>() + nodes + texts + self.parents.get().map_or(0, |parents| size_of_val(&**parents))
    }

    /// The number of nodes.
    pub fn node_count(&self) -> usize {
        self.nodes.len()
    }

    /// All nodes.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + '_ {
        (0..self.nodes.len()).map(NodeId::at)
    }

    /// A node.
    #[inline]
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The span of a node, in bytes.
    pub fn span(&self, id: NodeId) -> Span {
        self.spans[id.index()]
    }

    /// The place of a node, as file, line and column.
    pub fn location(&self, id: NodeId) -> Location {
        Location::of(&self.source, self.span(id).start)
    }

    /// The members of a list.
    #[inline]
    pub fn list(&self, list: List) -> &[NodeId] {
        &self.lists[list.start as usize..(list.start + list.len) as usize]
    }

    /// A text.
    #[inline]
    pub fn text(&self, text: Text) -> &str {
        let (text, range) = text.find(self.source.text(), &self.strings);
        &text[range]
    }

    /// The length of a text, and its bytes with everything that follows them: code that reads several bytes
    /// at once can also read those.
    #[inline]
    pub(crate) fn text_with_rest(&self, text: Text) -> (usize, &[u8]) {
        let (text, range) = text.find(self.source.text(), &self.strings);
        (range.len(), text.as_bytes().get(range.start..).unwrap_or_default())
    }

    /// A table that a higher layer has computed for the program, once for all that share it. There is one
    /// such table; a request with another type returns `None`.
    pub fn side_table<T: Any + Send + Sync>(&self, make: impl FnOnce(&Self) -> T) -> Option<&T> {
        self.side_table.get_or_init(|| Box::new(make(self))).downcast_ref()
    }

    /// The source text of a node.
    pub fn source_text(&self, id: NodeId) -> &str {
        self.source.slice(self.span(id))
    }
}

/// The typical number of source bytes for each node.
const COMMON_DENSITY: usize = 18;

/// Collects the nodes of a [`Program`] while it is parsed. It can also build small programs by hand.
#[derive(Debug)]
pub struct ProgramBuilder {
    program: Program,
}

impl ProgramBuilder {
    /// Starts a program of this source.
    pub fn new(source: Arc<Source>) -> Self {
        let expected = source.text().len() / COMMON_DENSITY + 16;
        Self {
            program: Program {
                source,
                nodes: Vec::with_capacity(expected),
                spans: Vec::with_capacity(expected),
                lists: Vec::with_capacity(expected),
                strings: String::new(),
                comments: Vec::new(),
                warnings: Vec::new(),
                big_integers: Vec::new(),
                definitions: Vec::new(),
                body: NodeId::at(0),
                has_odd_variables: true,
                depth: u32::MAX,
                side_table: OnceLock::new(),
                parents: OnceLock::new(),
            },
        }
    }

    /// Adds a node.
    #[inline]
    pub fn node(&mut self, node: Node, span: Span) -> NodeId {
        if self.is_full() {
            self.grow();
        }
        let id = NodeId::at(self.program.nodes.len());
        self.program.nodes.push(node);
        self.program.spans.push(span);
        id
    }

    /// Whether the next node needs more memory.
    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.program.nodes.len() == self.program.nodes.capacity()
    }

    /// The number of further nodes to reserve memory for: as many as the whole text has at the density so
    /// far, and a few more. Doubling would often waste half of the memory.
    fn wanted_room(&self) -> usize {
        let count = self.program.nodes.len();
        let length = self.program.source.text().len();
        let read = self.program.spans.iter().map(|span| span.end as usize).max().unwrap_or(0);
        let expected = count.saturating_mul(length) / read.clamp(1, length.max(1));
        (expected + expected / 16).clamp(count + count / 8, count * 4) - count + 16
    }

    #[cold]
    fn grow(&mut self) {
        self.reserve(self.wanted_room());
    }

    /// Reserves memory for many more nodes if it is available. Otherwise the remaining capacity lasts until
    /// the lexer is told to end.
    #[cold]
    pub(crate) fn grow_watched(&mut self, watch: &Watch<'_>, start: u32) {
        let bytes = |room: usize| room.saturating_mul(size_of::<Node>() + size_of::<Span>());
        let (wanted, least) = (self.wanted_room(), self.program.nodes.len() / 8 + BYTES_BETWEEN_LOOKS);
        let room = if bytes(wanted) < LARGE || watch.has_room(bytes(wanted)) {
            wanted
        } else if watch.may_take(bytes(least), || Location::of(&self.program.source, start)) {
            least
        } else {
            BYTES_BETWEEN_LOOKS
        };
        self.reserve(room);
    }

    fn reserve(&mut self, room: usize) {
        self.program.nodes.reserve_exact(room);
        self.program.spans.reserve_exact(room);
    }

    /// Adds a list of nodes.
    pub fn list(&mut self, members: &[NodeId]) -> List {
        let start = self.program.lists.len() as u32;
        self.program.lists.extend_from_slice(members);
        List { start, len: members.len() as u32 }
    }

    /// A text that the source contains unchanged.
    pub fn source_text(&self, span: Span) -> Text {
        Text::new(span.start, span.len())
    }

    /// A text that differs from the source.
    pub fn pooled_text(&mut self, text: &str) -> Text {
        let start = self.program.strings.len() as u32 | Text::IN_POOL;
        self.program.strings.push_str(text);
        Text::new(start, text.len() as u32)
    }

    /// Records a comment.
    pub fn comment(&mut self, span: Span) {
        self.program.comments.push(Comment { span });
    }

    /// Records a definition.
    pub fn definition(&mut self, id: NodeId) {
        self.program.definitions.push(id);
    }

    /// The program so far: nodes can be read and corrected while parsing.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Replaces a node that was added before (such as a name that becomes a call).
    pub fn replace(&mut self, id: NodeId, node: Node, span: Span) {
        self.program.nodes[id.index()] = node;
        self.program.spans[id.index()] = span;
    }

    /// Records a definition before those from the `at`th on.
    pub(crate) fn definition_before(&mut self, id: NodeId, at: usize) {
        self.program.definitions.insert(at.min(self.program.definitions.len()), id);
    }

    /// Removes all definitions but the first ones.
    pub(crate) fn forget_definitions(&mut self, kept: usize) {
        self.program.definitions.truncate(kept);
    }

    /// Records the digits of an integer that is too large for its node.
    pub(crate) fn big_integer(&mut self, id: NodeId, digits: Text) {
        self.program.big_integers.push((id, digits));
    }

    /// Moves all nodes from the `first`th on.
    pub(crate) fn move_spans(&mut self, first: usize, place: impl Fn(Span) -> Span) {
        for span in self.program.spans.iter_mut().skip(first) {
            *span = place(*span);
        }
    }

    /// Records the depth of nested expressions.
    pub(crate) fn set_depth(&mut self, depth: u32) {
        self.program.depth = depth;
    }

    /// The finished program with this body, and the other output of the lexer.
    pub(crate) fn finish_parsed(
        mut self,
        body: NodeId,
        strings: String,
        mut comments: Vec<Comment>,
        warnings: Vec<Diagnostic>,
        has_odd_variables: bool,
    ) -> Program {
        // Comments in heredocs are lexed before those after the heredoc's tag.
        if !comments.is_sorted_by_key(|comment| comment.span.start) {
            comments.sort_by_key(|comment| comment.span.start);
        }
        self.program.strings = strings;
        self.program.comments = comments;
        self.program.warnings = warnings;
        self.program.has_odd_variables = has_odd_variables;
        self.finish(body)
    }

    /// The finished program with this body.
    pub fn finish(mut self, body: NodeId) -> Program {
        self.program.body = body;
        self.program.nodes.shrink_to_fit();
        self.program.spans.shrink_to_fit();
        self.program.lists.shrink_to_fit();
        self.program
    }
}

const _: () = assert!(size_of::<Node>() <= 32, "nodes are small");
const _: () = assert!(size_of::<Option<NodeId>>() == 4);
