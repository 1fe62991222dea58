//! The events of a YAML text: libyaml's grammar over the tokens of [`Scanner`], with its messages.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::scanner::{Fault, Mark, Result, Scanner, Token};

/// An event of a YAML text. Tags are expanded: `!!str` is `tag:yaml.org,2002:str`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event<'t> {
    StreamStart,
    StreamEnd,
    DocumentStart,
    DocumentEnd,
    Alias(&'t str),
    Scalar {
        anchor: Option<&'t str>,
        tag: Option<String>,
        value: Cow<'t, str>,
        /// The text is literal: it is quoted, and has no tag.
        is_text: bool,
    },
    SequenceStart {
        anchor: Option<&'t str>,
        tag: Option<String>,
    },
    SequenceEnd,
    MappingStart {
        anchor: Option<&'t str>,
        tag: Option<String>,
    },
    MappingEnd,
}

/// The expected input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    StreamStart,
    ImplicitDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceFirstEntry,
    BlockSequenceEntry,
    IndentlessSequenceEntry,
    BlockMappingFirstKey,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirstEntry,
    FlowSequenceEntry,
    FlowSequenceEntryMappingKey,
    FlowSequenceEntryMappingValue,
    FlowSequenceEntryMappingEnd,
    FlowMappingFirstKey,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingEmptyValue,
    End,
}

pub struct Parser<'t> {
    scanner: Scanner<'t>,
    state: State,
    states: Vec<State>,
    /// The beginnings of the collections in progress.
    marks: Vec<Mark>,
    /// The prefixes of handles.
    tags: FxHashMap<String, String>,
}

fn fault<T>(context: &'static str, mark: Mark, problem: &'static str) -> Result<T> {
    Err(Fault { problem, context, mark })
}

/// An error without a context is reported at the beginning of the text.
fn fault_of_text<T>(problem: &'static str) -> Result<T> {
    fault("", Mark::default(), problem)
}

impl<'t> Parser<'t> {
    pub fn new(text: &'t str) -> Self {
        Self {
            scanner: Scanner::new(text),
            state: State::StreamStart,
            states: Vec::new(),
            marks: Vec::new(),
            tags: FxHashMap::default(),
        }
    }

    /// The next event and where it begins; after the last one, the end of the stream repeatedly.
    ///
    /// # Errors
    /// The text is not YAML.
    pub fn next_event(&mut self) -> Result<(Event<'t>, Mark)> {
        match self.state {
            State::StreamStart => {
                let (_, mark) = self.scanner.peek()?;
                self.scanner.skip_token();
                self.state = State::ImplicitDocumentStart;
                Ok((Event::StreamStart, mark))
            }
            State::ImplicitDocumentStart => self.document_start(true),
            State::DocumentStart => self.document_start(false),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(true, false),
            State::BlockSequenceFirstEntry => self.begin(Self::block_sequence_entry),
            State::BlockSequenceEntry => self.block_sequence_entry(false),
            State::IndentlessSequenceEntry => self.indentless_sequence_entry(),
            State::BlockMappingFirstKey => self.begin(Self::block_mapping_key),
            State::BlockMappingKey => self.block_mapping_key(false),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirstEntry => self.begin(Self::flow_sequence_entry),
            State::FlowSequenceEntry => self.flow_sequence_entry(false),
            State::FlowSequenceEntryMappingKey => self.pair_key(),
            State::FlowSequenceEntryMappingValue => {
                self.flow_value(State::FlowSequenceEntryMappingEnd, &Token::FlowSequenceEnd)
            }
            State::FlowSequenceEntryMappingEnd => {
                let (_, mark) = self.scanner.peek()?;
                self.state = State::FlowSequenceEntry;
                Ok((Event::MappingEnd, mark))
            }
            State::FlowMappingFirstKey => self.begin(Self::flow_mapping_key),
            State::FlowMappingKey => self.flow_mapping_key(false),
            State::FlowMappingValue => self.flow_value(State::FlowMappingKey, &Token::FlowMappingEnd),
            State::FlowMappingEmptyValue => {
                let (_, mark) = self.scanner.peek()?;
                Ok(self.empty_scalar(mark, State::FlowMappingKey))
            }
            State::End => Ok((Event::StreamEnd, Mark::default())),
        }
    }

    /// Consumes the token that begins a collection, and reads its first element.
    fn begin(
        &mut self,
        first: fn(&mut Self, bool) -> Result<(Event<'t>, Mark)>,
    ) -> Result<(Event<'t>, Mark)> {
        let (_, mark) = self.scanner.peek()?;
        self.marks.push(mark);
        self.scanner.skip_token();
        first(self, true)
    }

    /// Consumes the token that ends a collection.
    fn end(&mut self, event: Event<'t>, mark: Mark) -> (Event<'t>, Mark) {
        self.pop_state();
        self.marks.pop();
        self.scanner.skip_token();
        (event, mark)
    }

    fn pop_state(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    /// Reads a node, followed by the state `then`.
    fn node_then(&mut self, then: State, in_block: bool, indentless: bool) -> Result<(Event<'t>, Mark)> {
        self.states.push(then);
        self.node(in_block, indentless)
    }

    fn empty_scalar(&mut self, mark: Mark, then: State) -> (Event<'t>, Mark) {
        self.state = then;
        let value = Cow::Borrowed("");
        (Event::Scalar { anchor: None, tag: None, value, is_text: false }, mark)
    }

    /// The mark of the innermost collection, for messages about what follows.
    fn collection(&mut self) -> Mark {
        self.marks.pop().unwrap_or_default()
    }

    fn document_start(&mut self, implicit: bool) -> Result<(Event<'t>, Mark)> {
        if !implicit {
            while matches!(self.scanner.peek()?.0, Token::DocumentEnd) {
                self.scanner.skip_token();
            }
        }
        let (token, mark) = self.scanner.peek()?;
        match token {
            Token::StreamEnd => {
                self.state = State::End;
                self.scanner.skip_token();
                return Ok((Event::StreamEnd, mark));
            }
            Token::Version(..) | Token::TagDirective(..) | Token::DocumentStart => {}
            _ if implicit => {
                self.directives()?;
                self.states.push(State::DocumentEnd);
                self.state = State::BlockNode;
                return Ok((Event::DocumentStart, mark));
            }
            _ => {}
        }
        self.directives()?;
        if !matches!(self.scanner.peek()?.0, Token::DocumentStart) {
            return fault_of_text("did not find expected <document start>");
        }
        self.states.push(State::DocumentEnd);
        self.state = State::DocumentContent;
        self.scanner.skip_token();
        Ok((Event::DocumentStart, mark))
    }

    fn directives(&mut self) -> Result<()> {
        let mut has_version = false;
        loop {
            match self.scanner.peek()?.0 {
                Token::Version(..) if has_version => return fault_of_text("found duplicate %YAML directive"),
                Token::Version(1, 1 | 2) => has_version = true,
                Token::Version(..) => return fault_of_text("found incompatible YAML document"),
                Token::TagDirective(handle, prefix) => {
                    let (handle, prefix) = (std::mem::take(handle), std::mem::take(prefix));
                    if self.tags.insert(handle, prefix).is_some() {
                        return fault_of_text("found duplicate %TAG directive");
                    }
                }
                _ => break,
            }
            self.scanner.skip_token();
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            self.tags.entry(handle.to_owned()).or_insert_with(|| prefix.to_owned());
        }
        Ok(())
    }

    fn document_content(&mut self) -> Result<(Event<'t>, Mark)> {
        let (token, mark) = self.scanner.peek()?;
        if matches!(
            token,
            Token::Version(..)
                | Token::TagDirective(..)
                | Token::DocumentStart
                | Token::DocumentEnd
                | Token::StreamEnd
        ) {
            let then = self.states.pop().unwrap_or(State::End);
            return Ok(self.empty_scalar(mark, then));
        }
        self.node(true, false)
    }

    fn document_end(&mut self) -> Result<(Event<'t>, Mark)> {
        let (token, mark) = self.scanner.peek()?;
        if matches!(token, Token::DocumentEnd) {
            self.scanner.skip_token();
        }
        self.tags.clear();
        self.state = State::DocumentStart;
        Ok((Event::DocumentEnd, mark))
    }

    /// Consumes an anchor if one is next.
    fn anchor(&mut self) -> Result<Option<&'t str>> {
        let Token::Anchor(name) = *self.scanner.peek()?.0 else { return Ok(None) };
        self.scanner.skip_token();
        Ok(Some(name))
    }

    /// Consumes a tag if one is next, and expands it if its handle is known.
    fn tag(&mut self) -> Result<Option<Option<String>>> {
        let Token::Tag(handle, suffix) = self.scanner.peek()?.0 else { return Ok(None) };
        let (handle, suffix) = (std::mem::take(handle), std::mem::take(suffix));
        self.scanner.skip_token();
        if handle.is_empty() {
            return Ok(Some(Some(suffix)));
        }
        Ok(Some(self.tags.get(&handle).map(|prefix| format!("{prefix}{suffix}"))))
    }

    fn node(&mut self, in_block: bool, indentless: bool) -> Result<(Event<'t>, Mark)> {
        let (token, mark) = self.scanner.peek()?;
        if let Token::Alias(name) = *token {
            self.pop_state();
            self.scanner.skip_token();
            return Ok((Event::Alias(name), mark));
        }
        let mut anchor = self.anchor()?;
        let tag = self.tag()?;
        if anchor.is_none() && tag.is_some() {
            anchor = self.anchor()?;
        }
        let tag = match tag {
            Some(None) => return fault("while parsing a node", mark, "found undefined tag handle"),
            Some(tag) => tag,
            None => None,
        };
        let is_bare = anchor.is_none() && tag.is_none();
        let (token, here) = self.scanner.peek()?;
        let mark = if is_bare { here } else { mark };
        match token {
            Token::BlockEntry if indentless => {
                self.state = State::IndentlessSequenceEntry;
                Ok((Event::SequenceStart { anchor, tag }, mark))
            }
            Token::Scalar { value, plain } => {
                let (value, plain) = (std::mem::take(value), *plain);
                // A single `!` does not determine the type of a scalar.
                let is_text = !plain && tag.is_none();
                let tag = tag.filter(|tag| tag != "!");
                self.pop_state();
                self.scanner.skip_token();
                Ok((Event::Scalar { anchor, tag, value, is_text }, mark))
            }
            Token::FlowSequenceStart => {
                self.state = State::FlowSequenceFirstEntry;
                Ok((Event::SequenceStart { anchor, tag }, mark))
            }
            Token::FlowMappingStart => {
                self.state = State::FlowMappingFirstKey;
                Ok((Event::MappingStart { anchor, tag }, mark))
            }
            Token::BlockSequenceStart if in_block => {
                self.state = State::BlockSequenceFirstEntry;
                Ok((Event::SequenceStart { anchor, tag }, mark))
            }
            Token::BlockMappingStart if in_block => {
                self.state = State::BlockMappingFirstKey;
                Ok((Event::MappingStart { anchor, tag }, mark))
            }
            _ if is_bare => {
                let context =
                    if in_block { "while parsing a block node" } else { "while parsing a flow node" };
                fault(context, mark, "did not find expected node content")
            }
            _ => {
                self.pop_state();
                Ok((Event::Scalar { anchor, tag, value: Cow::Borrowed(""), is_text: false }, mark))
            }
        }
    }

    fn block_sequence_entry(&mut self, _first: bool) -> Result<(Event<'t>, Mark)> {
        let (token, mark) = self.scanner.peek()?;
        match token {
            Token::BlockEntry => {
                self.scanner.skip_token();
                match self.scanner.peek()?.0 {
                    Token::BlockEntry | Token::BlockEnd => {
                        Ok(self.empty_scalar(mark, State::BlockSequenceEntry))
                    }
                    _ => self.node_then(State::BlockSequenceEntry, true, false),
                }
            }
            Token::BlockEnd => Ok(self.end(Event::SequenceEnd, mark)),
            _ => {
                let context = "while parsing a block collection";
                fault(context, self.collection(), "did not find expected '-' indicator")
            }
        }
    }

    fn indentless_sequence_entry(&mut self) -> Result<(Event<'t>, Mark)> {
        let (token, mark) = self.scanner.peek()?;
        if !matches!(token, Token::BlockEntry) {
            self.pop_state();
            return Ok((Event::SequenceEnd, mark));
        }
        self.scanner.skip_token();
        match self.scanner.peek()?.0 {
            Token::BlockEntry | Token::Key | Token::Value | Token::BlockEnd => {
                Ok(self.empty_scalar(mark, State::IndentlessSequenceEntry))
            }
            _ => self.node_then(State::IndentlessSequenceEntry, true, false),
        }
    }

    fn block_mapping_key(&mut self, _first: bool) -> Result<(Event<'t>, Mark)> {
        let (token, mark) = self.scanner.peek()?;
        match token {
            Token::Key => {
                self.scanner.skip_token();
                self.block_mapping_part(mark, State::BlockMappingValue)
            }
            Token::BlockEnd => Ok(self.end(Event::MappingEnd, mark)),
            _ => {
                let context = "while parsing a block mapping";
                fault(context, self.collection(), "did not find expected key")
            }
        }
    }

    fn block_mapping_value(&mut self) -> Result<(Event<'t>, Mark)> {
        let (token, mark) = self.scanner.peek()?;
        if !matches!(token, Token::Value) {
            return Ok(self.empty_scalar(mark, State::BlockMappingKey));
        }
        self.scanner.skip_token();
        self.block_mapping_part(mark, State::BlockMappingKey)
    }

    /// The part after `?` or `:`, which can be empty.
    fn block_mapping_part(&mut self, mark: Mark, then: State) -> Result<(Event<'t>, Mark)> {
        match self.scanner.peek()?.0 {
            Token::Key | Token::Value | Token::BlockEnd => Ok(self.empty_scalar(mark, then)),
            _ => self.node_then(then, true, true),
        }
    }

    /// Consumes the comma before an entry that is not the first one.
    fn flow_entry(&mut self, first: bool, end: &Token<'t>, context: &'static str) -> Result<()> {
        let (token, _) = self.scanner.peek()?;
        if first || token == end {
            return Ok(());
        }
        if !matches!(token, Token::FlowEntry) {
            let problem = match end {
                Token::FlowSequenceEnd => "did not find expected ',' or ']'",
                _ => "did not find expected ',' or '}'",
            };
            return fault(context, self.collection(), problem);
        }
        self.scanner.skip_token();
        Ok(())
    }

    fn flow_sequence_entry(&mut self, first: bool) -> Result<(Event<'t>, Mark)> {
        self.flow_entry(first, &Token::FlowSequenceEnd, "while parsing a flow sequence")?;
        let (token, mark) = self.scanner.peek()?;
        match token {
            Token::FlowSequenceEnd => Ok(self.end(Event::SequenceEnd, mark)),
            Token::Key => {
                self.state = State::FlowSequenceEntryMappingKey;
                self.scanner.skip_token();
                Ok((Event::MappingStart { anchor: None, tag: None }, mark))
            }
            _ => self.node_then(State::FlowSequenceEntry, false, false),
        }
    }

    /// The key of a single-pair mapping in a sequence: `[a: 1]`.
    fn pair_key(&mut self) -> Result<(Event<'t>, Mark)> {
        let (token, mark) = self.scanner.peek()?;
        match token {
            Token::Value | Token::FlowEntry | Token::FlowSequenceEnd => {
                self.scanner.skip_token();
                Ok(self.empty_scalar(mark, State::FlowSequenceEntryMappingValue))
            }
            _ => self.node_then(State::FlowSequenceEntryMappingValue, false, false),
        }
    }

    /// The value of a key in a flow collection, which can be empty.
    fn flow_value(&mut self, then: State, end: &Token<'t>) -> Result<(Event<'t>, Mark)> {
        let (token, mut mark) = self.scanner.peek()?;
        if matches!(token, Token::Value) {
            self.scanner.skip_token();
            let (token, after) = self.scanner.peek()?;
            mark = after;
            if !matches!(token, Token::FlowEntry) && *token != *end {
                return self.node_then(then, false, false);
            }
        }
        Ok(self.empty_scalar(mark, then))
    }

    fn flow_mapping_key(&mut self, first: bool) -> Result<(Event<'t>, Mark)> {
        self.flow_entry(first, &Token::FlowMappingEnd, "while parsing a flow mapping")?;
        let (token, mark) = self.scanner.peek()?;
        match token {
            Token::FlowMappingEnd => Ok(self.end(Event::MappingEnd, mark)),
            Token::Key => {
                self.scanner.skip_token();
                let (token, mark) = self.scanner.peek()?;
                match token {
                    Token::Value | Token::FlowEntry | Token::FlowMappingEnd => {
                        Ok(self.empty_scalar(mark, State::FlowMappingValue))
                    }
                    _ => self.node_then(State::FlowMappingValue, false, false),
                }
            }
            _ => self.node_then(State::FlowMappingEmptyValue, false, false),
        }
    }
}
