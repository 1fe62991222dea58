//! Tokens as puppet-lint's own objects, and what its `PuppetLint::Data` finds in them: see
//! `lib/bunraku/drop_in/lint.rb`.

use bunraku::lint::reference::{self, Type};
use magnus::{Error, RArray, RClass, RModule, Ruby, Value, prelude::*};
use rustc_hash::FxHashMap;

use crate::entry::function;
use crate::gvl;
use crate::raw::{self, NewArray, Object, Raw, Variables};

/// The instance variables of a token, in the order in which its constructor sets them, and `@raw`.
const VARIABLES: [&str; 9] = [
    "@value",
    "@type",
    "@line",
    "@column",
    "@next_token",
    "@prev_token",
    "@next_code_token",
    "@prev_code_token",
    "@raw",
];
const TYPE: usize = 1;
const NEXT: usize = 4;
const PREV: usize = 5;
const NEXT_CODE: usize = 6;
const PREV_CODE: usize = 7;

/// `[tokens, line, column]`: the tokens of a text as objects of a class, and where the next one would stand;
/// nil if puppet-lint's own lexer has to read it.
fn tokens(ruby: &Ruby, class: RClass, source: String, types: Vec<String>) -> Result<Value, Error> {
    let types: Vec<&str> = types.iter().map(String::as_str).collect();
    let Some(found) = gvl::without(|| reference::tokens(&source, &types))? else {
        return Ok(ruby.qnil().as_value());
    };
    let variables = Variables::new(ruby, &VARIABLES);
    let nil = ruby.qnil().as_value();
    let objects = NewArray::new(ruby, found.tokens.len());
    let mut symbols: FxHashMap<&str, Value> = FxHashMap::default();
    let (mut last, mut last_code): (Option<Object>, Option<Object>) = (None, None);
    for token in &found.tokens {
        let symbol = match token.kind {
            Type::Named(name) => *symbols.entry(name).or_insert_with(|| ruby.to_symbol(name).as_value()),
            Type::Keyword(word) => ruby.to_symbol(word.to_uppercase()).as_value(),
        };
        let object = Object::new(ruby, class);
        objects.push(object.value());
        let number = |number: i64| ruby.integer_from_i64(number).as_value();
        let prev = last.map_or(nil, Object::value);
        let prev_code = last_code.filter(|_| !token.is_formatting()).map_or(nil, Object::value);
        let values = [
            raw::text(ruby, &token.value),
            symbol,
            number(token.line),
            number(token.column),
            nil,
            prev,
            nil,
            prev_code,
        ];
        for (at, value) in values.into_iter().enumerate() {
            object.set(&variables, at, value);
        }
        if let Some(text) = &token.raw {
            object.set(&variables, VARIABLES.len() - 1, raw::text(ruby, text));
        }
        if let Some(last) = last.replace(object) {
            last.set(&variables, NEXT, object.value());
        }
        if !token.is_formatting()
            && let Some(last) = last_code.replace(object)
        {
            last.set(&variables, NEXT_CODE, object.value());
        }
    }
    let answer = NewArray::new(ruby, 3);
    answer.push(objects.object());
    answer.push(ruby.integer_from_i64(found.end.0).as_value());
    answer.push(ruby.integer_from_i64(found.end.1).as_value());
    Ok(answer.object())
}

/// What is asked of the type of a token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Formatting,
    Space,
    Newline,
    Indent,
    Class,
    Define,
    Node,
    Inherits,
    ClassRef,
    Name,
    FunctionName,
    String,
    Colon,
    Semic,
    Arrow,
    Equals,
    IsEqual,
    QMark,
    LBrace,
    RBrace,
    LBrack,
    RBrack,
    LParen,
    RParen,
    Other,
}

/// The types whose kind is asked for.
const KINDS: [(&str, Kind); 26] = [
    ("WHITESPACE", Kind::Space),
    ("NEWLINE", Kind::Newline),
    ("INDENT", Kind::Indent),
    ("COMMENT", Kind::Formatting),
    ("MLCOMMENT", Kind::Formatting),
    ("SLASH_COMMENT", Kind::Formatting),
    ("CLASS", Kind::Class),
    ("DEFINE", Kind::Define),
    ("NODE", Kind::Node),
    ("INHERITS", Kind::Inherits),
    ("CLASSREF", Kind::ClassRef),
    ("NAME", Kind::Name),
    ("FUNCTION_NAME", Kind::FunctionName),
    ("STRING", Kind::String),
    ("COLON", Kind::Colon),
    ("SEMIC", Kind::Semic),
    ("FARROW", Kind::Arrow),
    ("EQUALS", Kind::Equals),
    ("ISEQUAL", Kind::IsEqual),
    ("QMARK", Kind::QMark),
    ("LBRACE", Kind::LBrace),
    ("RBRACE", Kind::RBrace),
    ("LBRACK", Kind::LBrack),
    ("RBRACK", Kind::RBrack),
    ("LPAREN", Kind::LParen),
    ("RPAREN", Kind::RParen),
];

/// Tokens whose links agree with their order. A question that puppet-lint's own code would fail at has no
/// answer (`None`): that code then fails.
struct Chain {
    kinds: Vec<Kind>,
    next_code: Vec<Option<usize>>,
    prev_code: Vec<Option<usize>>,
}

/// A row of an answer: places of tokens, or nothing.
type Row = Vec<Option<usize>>;

impl Chain {
    /// Reads the tokens; `None` if there are other objects among them, or links lead elsewhere.
    fn of(ruby: &Ruby, class: RClass, tokens: RArray) -> Option<Self> {
        let variables = Variables::new(ruby, &VARIABLES);
        let known: Vec<(Value, Kind)> =
            KINDS.iter().map(|(name, kind)| (ruby.to_symbol(name).as_value(), *kind)).collect();
        let known: FxHashMap<usize, Kind> =
            known.into_iter().map(|(symbol, kind)| (Raw::new(ruby, symbol).address(), kind)).collect();
        let all = Raw::new(ruby, tokens.as_value());
        let count = tokens.len();
        let mut objects = Vec::with_capacity(count);
        for at in 0..count {
            objects.push(Object::of(class, all.element(at)?.object())?);
        }
        let kind = |object: &Object| {
            let address = Raw::new(ruby, object.get(&variables, TYPE)).address();
            known.get(&address).copied().unwrap_or(Kind::Other)
        };
        let kinds: Vec<Kind> = objects.iter().map(kind).collect();
        let (mut next_code, mut prev_code) = (vec![None; count], vec![None; count]);
        let mut last = None;
        for at in (0..count).filter(|&at| !is_formatting(kinds[at])) {
            prev_code[at] = last;
            if let Some(last) = last.replace(at) {
                next_code[last] = Some(at);
            }
        }
        let leads = |from: &Object, variable: usize, to: Option<usize>| {
            let linked = from.get(&variables, variable);
            match to {
                Some(to) => objects.get(to).is_some_and(|to| to.is(linked)),
                None => linked.is_nil(),
            }
        };
        let is_chain = objects.iter().enumerate().all(|(at, object)| {
            leads(object, NEXT, Some(at + 1).filter(|&next| next < count))
                && leads(object, PREV, at.checked_sub(1))
                && leads(object, NEXT_CODE, next_code[at])
                && leads(object, PREV_CODE, prev_code[at])
        });
        is_chain.then_some(Self { kinds, next_code, prev_code })
    }

    fn of_kind(&self, kind: Kind) -> impl Iterator<Item = usize> {
        (0..self.kinds.len()).filter(move |&at| self.kinds[at] == kind)
    }

    fn next_kind(&self, at: usize) -> Option<Kind> {
        self.next_code[at].map(|next| self.kinds[next])
    }

    fn prev_kind(&self, at: usize) -> Option<Kind> {
        self.prev_code[at].map(|prev| self.kinds[prev])
    }

    /// The token of some kinds from a place on, where what stands in brackets is stepped over.
    fn next_of(&self, from: usize, wanted: &[Kind]) -> Option<usize> {
        let mut closing = Vec::new();
        for at in from..self.kinds.len() {
            let kind = self.kinds[at];
            match closing.last() {
                Some(&open) if open == kind => {
                    closing.pop();
                    continue;
                }
                None if wanted.contains(&kind) => return Some(at),
                _ => {}
            }
            match kind {
                Kind::LBrace => closing.push(Kind::RBrace),
                Kind::LBrack => closing.push(Kind::RBrack),
                Kind::LParen => closing.push(Kind::RParen),
                _ => {}
            }
        }
        None
    }

    fn titles(&self) -> Option<Vec<Row>> {
        let count = self.kinds.len();
        let mut found = Vec::new();
        for at in self.of_kind(Kind::Colon) {
            // What stands before the first token is the last one, as Ruby counts.
            let before = at.checked_sub(1).unwrap_or(count - 1);
            if self.kinds[before] == Kind::RBrack {
                let from = self.kinds.iter().rposition(|&kind| kind == Kind::LBrack)? + 1;
                let end = if at >= 2 { at - 1 } else { count + at - 1 };
                let titles =
                    (from..end).filter(|&title| matches!(self.kinds[title], Kind::String | Kind::Name));
                found.extend(titles);
            } else if self.next_kind(at)? != Kind::LBrace {
                found.push(before);
            }
        }
        Some(found.into_iter().map(|at| vec![Some(at)]).collect())
    }

    /// Whether a type stands before a token, and no name behind it.
    fn is_behind_class_ref(&self, at: usize) -> bool {
        let before = std::iter::successors(self.prev_code[at], |&at| self.prev_code[at]);
        let mut kinds = before.map(|at| self.kinds[at]);
        kinds.find(|kind| matches!(kind, Kind::ClassRef | Kind::Name)) == Some(Kind::ClassRef)
    }

    /// Bodies of resources: colon, end, type, names of attributes.
    fn resources(&self, skips_class_refs: bool) -> Option<Vec<Row>> {
        let (mut found, mut marker) = (Vec::new(), 0);
        for start in self.of_kind(Kind::Colon) {
            let is_body = self.next_kind(start).is_some_and(|next| next != Kind::LBrace);
            if !is_body || (skips_class_refs && self.is_behind_class_ref(start)) {
                continue;
            }
            if start < marker {
                break;
            }
            let end = self.next_of(start + 1, &[Kind::Semic, Kind::RBrace])?;
            marker = end;
            let mut brace = None;
            for at in (0..=start).rev().filter(|&at| self.kinds[at] == Kind::LBrace) {
                if self.prev_kind(at)? != Kind::QMark {
                    brace = Some(at);
                    break;
                }
            }
            let mut row = vec![Some(start), Some(end), self.prev_code[brace?]];
            let mut from = if start == 0 { None } else { Some(start) };
            while let Some(name) =
                from.and_then(|from| self.next_of(from, &[Kind::Name])).filter(|&at| at <= end)
            {
                if self.next_kind(name)? == Kind::Arrow {
                    row.push(Some(name));
                }
                from = Some(name + 1);
            }
            found.push(row);
        }
        Some(found)
    }

    /// Classes, defined types or node definitions: start, end, parameters from and to, name, parent.
    fn definitions(&self, wanted: Kind) -> Vec<Row> {
        self.of_kind(wanted).filter_map(|start| self.definition(start)).collect()
    }

    fn definition(&self, start: usize) -> Option<Row> {
        let (mut braces, mut parens, mut in_parameters) = (0_i64, 0_i64, false);
        let mut inherited = None;
        for at in start + 1..self.kinds.len() {
            match self.kinds[at] {
                Kind::Inherits => inherited = self.next_code[at],
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
                    if braces == 0 && !in_parameters && self.next_kind(start) != Some(Kind::LBrace) {
                        let (from, to) = self.parameters(start, at).unzip();
                        return Some(vec![Some(start), Some(at), from, to, self.next_code[start], inherited]);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// What stands between the first parentheses of a definition, before its body.
    fn parameters(&self, start: usize, end: usize) -> Option<(usize, usize)> {
        let (mut depth, mut first) = (0_i64, None);
        for at in start..=end {
            match self.kinds[at] {
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

    /// Calls of functions; `wanted` is the kind of their names.
    fn functions(&self, wanted: Kind) -> Vec<Row> {
        let is_call = |at: usize| {
            let is_first = at == 0
                || (at == 1 && self.kinds[0] == Kind::Space)
                || matches!(self.kinds[at - 1], Kind::Newline | Kind::Indent)
                || self.prev_kind(at) == Some(Kind::LParen);
            is_first && self.next_kind(at) != Some(Kind::Arrow)
        };
        let call = |start: usize| {
            let (mut level, mut end, mut in_parens) = (0_i64, 0, false);
            for at in start + 1..self.kinds.len() {
                if level == 0 && (in_parens || self.kinds[at] == Kind::Newline) {
                    break;
                }
                match self.kinds[at] {
                    Kind::LParen => (level, in_parens) = (level + 1, true),
                    Kind::RParen => level -= 1,
                    _ => {}
                }
                end = at;
            }
            vec![Some(start), Some(end)]
        };
        self.of_kind(wanted).filter(|&at| is_call(at)).map(call).collect()
    }

    /// What begins at tokens that `is_start` accepts, up to the token that `ends` accepts.
    fn stretches(
        &self,
        start: Kind,
        is_start: impl Fn(usize) -> bool,
        ends: impl Fn(&mut i64, Kind) -> bool,
    ) -> Vec<Row> {
        let stretch = |start: usize| {
            let (mut level, mut end) = (0, 0);
            for at in start + 1..self.kinds.len() {
                end = at;
                if ends(&mut level, self.kinds[at]) {
                    break;
                }
            }
            vec![Some(start), Some(end)]
        };
        self.of_kind(start).filter(|&at| is_start(at)).map(stretch).collect()
    }

    fn arrays(&self) -> Vec<Row> {
        let is_array = |at: usize| self.prev_kind(at) != Some(Kind::ClassRef);
        self.stretches(Kind::LBrack, is_array, |_, kind| kind == Kind::RBrack)
    }

    fn hashes(&self) -> Vec<Row> {
        let before = [Kind::Equals, Kind::IsEqual, Kind::Arrow, Kind::LParen];
        let is_hash = |at: usize| self.prev_kind(at).is_some_and(|kind| before.contains(&kind));
        self.stretches(Kind::LBrace, is_hash, |level, kind| {
            match kind {
                Kind::LBrace => *level += 1,
                Kind::RBrace => *level -= 1,
                _ => {}
            }
            *level < 0
        })
    }

    fn defaults(&self) -> Vec<Row> {
        let is_default = |at: usize| self.next_kind(at) == Some(Kind::LBrace);
        self.stretches(Kind::ClassRef, is_default, |_, kind| kind == Kind::RBrace)
    }
}

const fn is_formatting(kind: Kind) -> bool {
    matches!(kind, Kind::Formatting | Kind::Space | Kind::Newline | Kind::Indent)
}

/// Where things stand in tokens, as rows of their places; nil if puppet-lint's own code has to look.
fn places(ruby: &Ruby, class: RClass, tokens: RArray, what: String) -> Result<Value, Error> {
    let nil = ruby.qnil().as_value();
    let Some(chain) = Chain::of(ruby, class, tokens) else { return Ok(nil) };
    let rows = match what.as_str() {
        "titles" => chain.titles(),
        "resources" => chain.resources(false),
        "resources but not defaults" => chain.resources(true),
        "classes" => Some(chain.definitions(Kind::Class)),
        "defined types" => Some(chain.definitions(Kind::Define)),
        "nodes" => Some(chain.definitions(Kind::Node)),
        "calls" => Some(chain.functions(Kind::FunctionName)),
        "statements" => Some(chain.functions(Kind::Name)),
        "arrays" => Some(chain.arrays()),
        "hashes" => Some(chain.hashes()),
        "defaults" => Some(chain.defaults()),
        _ => None,
    };
    let Some(rows) = rows else { return Ok(nil) };
    let all = NewArray::new(ruby, rows.len());
    for row in rows {
        let places = NewArray::new(ruby, row.len());
        all.push(places.object());
        for place in row {
            places.push(place.map_or(nil, |place| ruby.integer_from_u64(place as u64).as_value()));
        }
    }
    Ok(all.object())
}

/// Defines the functions.
pub(crate) fn define(module: RModule) -> Result<(), Error> {
    module.define_singleton_method("native_puppet_lint_tokens", function!(tokens, 3))?;
    module.define_singleton_method("native_puppet_lint_places", function!(places, 3))
}
