//! A text with what checks ask of it: its tokens, and where resources, classes and defined types stand.

use std::cell::{Cell, OnceCell};

use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Watch;

use crate::LintOptions;
use crate::token::{Kind, Token};

/// After how many tokens the watch is asked.
const TOKENS_BETWEEN_LOOKS: u32 = 64 << 10;

/// Why checks cannot go on.
#[derive(Debug)]
pub(crate) enum CheckError {
    /// The token where the text is broken.
    Syntax(usize),
    /// The work was ended.
    Ended(Box<Error>),
}

/// The text that is checked.
pub(crate) struct Manifest<'t> {
    pub text: &'t str,
    pub tokens: Vec<Token<'t>>,
    pub options: &'t LintOptions,
    watch: &'t Watch<'t>,
    steps: Cell<u32>,
    /// For each token, the token of the language behind it and the one before it.
    next_code: Vec<u32>,
    prev_code: Vec<u32>,
    resources: OnceCell<Vec<Resource>>,
    definitions: OnceCell<Vec<Definition>>,
}

/// A body of a resource: from a colon to the end of its attributes.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    /// The colon.
    pub start: usize,
    /// The `;` or `}`.
    pub end: usize,
    /// The type, in front of the brace.
    pub kind: Option<usize>,
    /// The names of its attributes.
    pub parameters: Vec<usize>,
}

/// A class or a defined type.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub is_class: bool,
    /// The word `class` or `define`.
    pub start: usize,
    /// The brace at its end.
    pub end: usize,
    pub name: usize,
    /// The class behind `inherits`.
    pub inherited: Option<usize>,
    /// The text between the parentheses of its parameters.
    pub parameters: Option<(usize, usize)>,
}

const NONE: u32 = u32::MAX;

impl<'t> Manifest<'t> {
    pub fn new(
        text: &'t str,
        tokens: Vec<Token<'t>>,
        options: &'t LintOptions,
        watch: &'t Watch<'t>,
    ) -> Self {
        let mut prev_code = vec![NONE; tokens.len()];
        let mut next_code = vec![NONE; tokens.len()];
        let mut last = NONE;
        for (at, token) in tokens.iter().enumerate() {
            if token.kind.is_formatting() {
                continue;
            }
            prev_code[at] = last;
            if let Some(next) = next_code.get_mut(last as usize) {
                *next = at as u32;
            }
            last = at as u32;
        }
        let (resources, definitions) = (OnceCell::new(), OnceCell::new());
        let steps = Cell::new(0);
        Self { text, tokens, options, watch, steps, next_code, prev_code, resources, definitions }
    }

    /// Counts a step of work; whether it may go on.
    pub fn step(&self) -> Result<(), CheckError> {
        let steps = self.steps.get() + 1;
        self.steps.set(steps);
        if steps >= TOKENS_BETWEEN_LOOKS {
            self.steps.set(0);
            self.watch.check().map_err(|error| CheckError::Ended(Box::new(error)))?;
        }
        Ok(())
    }

    pub fn kind(&self, at: usize) -> Kind {
        self.tokens[at].kind
    }

    pub fn value(&self, at: usize) -> &str {
        &self.tokens[at].value
    }

    pub fn next_code(&self, at: usize) -> Option<usize> {
        Some(self.next_code[at]).filter(|&next| next != NONE).map(|next| next as usize)
    }

    pub fn prev_code(&self, at: usize) -> Option<usize> {
        Some(self.prev_code[at]).filter(|&prev| prev != NONE).map(|prev| prev as usize)
    }

    pub fn next_kind(&self, at: usize) -> Option<Kind> {
        self.next_code(at).map(|next| self.kind(next))
    }

    pub fn prev_kind(&self, at: usize) -> Option<Kind> {
        self.prev_code(at).map(|prev| self.kind(prev))
    }

    /// How a token is written.
    pub fn written(&self, at: usize) -> String {
        let before = at.checked_sub(1).map(|before| self.kind(before));
        let behind = self.tokens.get(at + 1).map(|token| token.kind);
        self.tokens[at].written(before, self.prev_kind(at), behind)
    }

    /// The tokens of a kind.
    pub fn of_kind(&self, wanted: impl Fn(Kind) -> bool) -> impl Iterator<Item = usize> {
        self.tokens.iter().enumerate().filter(move |(_, token)| wanted(token.kind)).map(|(at, _)| at)
    }

    /// The token of some kinds behind a token, where the text in brackets is stepped over.
    pub fn next_of(&self, at: usize, wanted: &[Kind]) -> Result<Option<usize>, CheckError> {
        let mut closing: Vec<Kind> = Vec::new();
        for at in at + 1..self.tokens.len() {
            self.step()?;
            let kind = self.kind(at);
            match closing.last() {
                Some(&open) if open == kind => {
                    closing.pop();
                    continue;
                }
                None if wanted.contains(&kind) => return Ok(Some(at)),
                _ => {}
            }
            match kind {
                Kind::LBrace => closing.push(Kind::RBrace),
                Kind::LBrack => closing.push(Kind::RBrack),
                Kind::LParen => closing.push(Kind::RParen),
                _ => {}
            }
        }
        Ok(None)
    }

    /// The bodies of resources.
    pub fn resources(&self) -> Result<&[Resource], CheckError> {
        if let Some(known) = self.resources.get() {
            return Ok(known);
        }
        let found = self.find_resources()?;
        Ok(self.resources.get_or_init(|| found))
    }

    fn find_resources(&self) -> Result<Vec<Resource>, CheckError> {
        let mut found = Vec::new();
        let mut marker = 0;
        // Whether the last name or type was a type, and the text before the last brace.
        let (mut is_behind_class_ref, mut brace) = (false, None);
        for (at, token) in self.tokens.iter().enumerate() {
            self.step()?;
            match token.kind {
                Kind::ClassRef => is_behind_class_ref = true,
                Kind::Name => is_behind_class_ref = false,
                Kind::LBrace if self.prev_kind(at) != Some(Kind::QMark) => brace = Some(at),
                _ => {}
            }
            let is_title_end = token.kind == Kind::Colon
                && self.next_kind(at).is_some_and(|next| next != Kind::LBrace)
                && !is_behind_class_ref;
            if !is_title_end {
                continue;
            }
            if at < marker {
                break;
            }
            let end = self.next_of(at, &[Kind::Semic, Kind::RBrace])?.ok_or(CheckError::Syntax(at))?;
            marker = end;
            let brace = brace.ok_or(CheckError::Syntax(at))?;
            let parameters = self.attributes(at, end, &[Kind::Name])?;
            found.push(Resource { start: at, end, kind: self.prev_code(brace), parameters });
        }
        Ok(found)
    }

    /// The names before arrows from a colon on, up to the end of the attributes; of these kinds.
    pub fn attributes(&self, start: usize, end: usize, kinds: &[Kind]) -> Result<Vec<usize>, CheckError> {
        let mut found = Vec::new();
        let mut at = start;
        if at == 0 {
            return Ok(found);
        }
        while let Some(name) = self.next_of(at, kinds)?.filter(|&name| name <= end) {
            if self.next_kind(name) == Some(Kind::FArrow) {
                found.push(name);
            }
            at = name;
        }
        Ok(found)
    }

    /// Classes, and behind them defined types.
    pub fn definitions(&self) -> Result<&[Definition], CheckError> {
        if let Some(known) = self.definitions.get() {
            return Ok(known);
        }
        let mut found = Vec::new();
        for wanted in [Kind::Class, Kind::Define] {
            for at in self.of_kind(|kind| kind == wanted) {
                found.extend(self.definition(at)?);
            }
        }
        Ok(self.definitions.get_or_init(|| found))
    }

    pub fn classes(&self) -> Result<impl Iterator<Item = &Definition>, CheckError> {
        Ok(self.definitions()?.iter().filter(|one| one.is_class))
    }

    fn definition(&self, start: usize) -> Result<Option<Definition>, CheckError> {
        let Some(name) = self.next_code(start).filter(|&name| self.kind(name) != Kind::LBrace) else {
            return Ok(None);
        };
        let (mut braces, mut parens, mut in_parameters) = (0_i64, 0_i64, false);
        let mut inherited = None;
        for at in start + 1..self.tokens.len() {
            self.step()?;
            match self.kind(at) {
                Kind::Inherits => inherited = self.next_code(at),
                Kind::LParen => {
                    in_parameters |= parens == 0;
                    parens += 1;
                }
                Kind::RParen => {
                    in_parameters &= parens != 1;
                    parens -= 1;
                }
                Kind::LBrace => braces += 1,
                Kind::RBrace => {
                    braces -= 1;
                    if braces == 0 && !in_parameters {
                        let is_class = self.kind(start) == Kind::Class;
                        let parameters = self.parameters(start, at);
                        return Ok(Some(Definition {
                            is_class,
                            start,
                            end: at,
                            name,
                            inherited,
                            parameters,
                        }));
                    }
                }
                _ => {}
            }
        }
        Ok(None)
    }

    /// The text between the first parentheses of a definition, before its body.
    fn parameters(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let (mut depth, mut first) = (0_i64, None);
        for at in start..=end {
            match self.kind(at) {
                Kind::LParen => {
                    depth += 1;
                    if depth == 1 {
                        first = Some(at + 1);
                    }
                }
                Kind::RParen => {
                    depth -= 1;
                    if depth == 0 {
                        return first.map(|first| (first, at));
                    }
                }
                Kind::LBrace if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }

    /// The titles of resources that stand in front of colons. Of titles in brackets only those of the last
    /// brackets of the text are looked at, as puppet-lint does.
    pub fn titles(&self) -> Vec<usize> {
        let last_bracket = self.tokens.iter().rposition(|token| token.kind == Kind::LBrack);
        let mut found = Vec::new();
        for at in self.of_kind(|kind| kind == Kind::Colon) {
            let Some(before) = at.checked_sub(1) else { continue };
            if self.kind(before) == Kind::RBrack {
                let from = last_bracket.map_or(before, |bracket| bracket + 1);
                let titles = (from..before)
                    .filter(|&title| matches!(self.kind(title), Kind::DoubleQuoted | Kind::Name));
                found.extend(titles);
            } else if self.next_kind(at).is_some_and(|next| next != Kind::LBrace) {
                found.push(before);
            }
        }
        found
    }
}
