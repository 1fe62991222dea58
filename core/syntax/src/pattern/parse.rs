//! Parses a pattern in the syntax of Ruby's engine (Onigmo), with its error messages.
//!
//! A first walk counts and names the groups, because a reference can precede its group and plain groups do
//! not capture if there are named ones. `\w`, `\d`, `\s` and `\h` are ASCII unless `(?u)` is on; POSIX
//! brackets, properties and `\b` use Unicode.

mod class;
mod references;

pub(super) use references::BEYOND;
pub(super) use references::NUMBERED;
use references::{CONDITIONAL, Late, Use, short};

use super::ast::{Anchor, Class, ClassItem, Node, RepeatKind};
use super::sequence::{Join, Run, Texts, apart};
use super::text::has_fixed_encoding;
use super::unescape::unescape;
use super::{behind, recursion};
use crate::case;

/// The maximum nesting of groups and sets.
const MAX_DEPTH: usize = 100;
/// The maximum number of nested repetitions.
const REPEATS: usize = 1000;
/// The largest count of a repetition.
const MAX_REPEAT: u32 = 100_000;
/// The maximum number of capturing groups, as in Ruby.
const MAX_GROUPS: usize = 32_767;

/// The options at a place of the pattern.
#[derive(Clone, Copy, Default)]
struct Options {
    ignore_case: bool,
    extended: bool,
    multi_line: bool,
    range: Range,
}

/// The meaning of `\w` and similar escapes and the POSIX brackets: `(?d)`, `(?a)`, `(?u)`.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Range {
    #[default]
    Default,
    Ascii,
    Unicode,
}

/// A parsed pattern.
pub struct Pattern {
    /// The whole.
    pub root: Node,
    /// Numbers and names of the groups that have a name, in order.
    pub names: Vec<(String, usize)>,
    /// Whether groups are called.
    pub has_calls: bool,
}

/// Parses a pattern; the error is the engine's message without the pattern.
pub fn parse(source: &str) -> Result<Pattern, String> {
    read(source, true, Options::default())
}

/// The group of a condition that is a number where groups have names.
pub(super) const BY_NUMBER: usize = usize::MAX;

/// Finds the errors of a pattern. The tree takes many times the memory of the text and is only made if it can
/// contain an error.
pub fn check(source: &str) -> Result<(), String> {
    check_with(source, "")
}

/// Finds the errors of a pattern with some of the options `mix`.
pub fn check_with(source: &str, options: &str) -> Result<(), String> {
    let has = |option| options.contains(option);
    let options =
        Options { ignore_case: has('i'), extended: has('x'), multi_line: has('m'), ..Options::default() };
    read(source, source.contains("(?<") || source.contains("\\g"), options).map(|_| ())
}

fn read(source: &str, keeps: bool, options: Options) -> Result<Pattern, String> {
    let characters = unescape(source)?;
    let (named, names) = survey(&characters);
    let groups = if names.is_empty() { named.len() } else { names.len() };
    let (at, next_group, depth, referred, has_calls, join) = (0, 1, 0, 0, false, Join::Apart);
    let mut parser = Parser {
        text: &characters,
        at,
        names,
        named,
        groups,
        next_group,
        plain: 0,
        depth,
        referred,
        has_calls,
        late: Late::default(),
        keeps,
        join,
        behind: 0,
        is_unicode: has_fixed_encoding(source),
    };
    let mut root = parser.alternatives(options)?;
    if parser.at < parser.text.len() {
        return Err("unmatched close parenthesis".into());
    }
    if groups > MAX_GROUPS {
        return Err("too many capture groups are specified".into());
    }
    parser.late.told()?;
    if parser.has_calls {
        recursion::check(&root)?;
    }
    behind::check(&mut root, parser.has_calls, groups, parser.late.beyond)?;
    if parser.late.by_number {
        return Err(NUMBERED.into());
    }
    if parser.late.beyond {
        return Err(BEYOND.into());
    }
    if parser.late.conditional {
        return Err(CONDITIONAL.into());
    }
    Ok(Pattern { root, names: parser.names, has_calls: parser.has_calls })
}

/// Finds the groups, with whether they have names, and the names, without parsing the rest.
fn survey(text: &[char]) -> (Vec<bool>, Vec<(String, usize)>) {
    let (mut named, mut names, mut at, mut in_class) = (Vec::new(), Vec::new(), 0, 0_usize);
    while let Some(&c) = text.get(at) {
        match c {
            '\\' => {
                at += 1;
                let (letter, open) = (text.get(at), text.get(at + 1));
                if let (Some('g' | 'k'), Some('<' | '\''), 0) = (letter, open, in_class) {
                    let prefix =
                        usize::from(matches!(text.get(at + 2), Some('0' | '+')) && letter == Some(&'g'));
                    at += 1 + prefix + name_length(text, at + 2 + prefix, open == Some(&'<'));
                }
            }
            '[' => in_class += 1,
            ']' => in_class = in_class.saturating_sub(1),
            '(' if in_class == 0 => match (text.get(at + 1), text.get(at + 2), text.get(at + 3)) {
                (Some('?'), Some('#'), _) => {
                    while text.get(at).is_some_and(|&c| c != ')') {
                        at += 1;
                    }
                }
                (Some('?'), Some('<'), Some('=' | '!')) => {}
                // The condition of `(?(1)…)`.
                (Some('?'), Some('('), _) => at += 2,
                (Some('?'), Some(open @ ('<' | '\'')), _) => {
                    let length = name_length(text, at + 3, *open == '<');
                    let name = text.iter().skip(at + 3).take(length).collect();
                    at += 3 + length;
                    if text.get(at).is_none_or(|&end| end == ')') {
                        // It is refused.
                        break;
                    }
                    names.push((name, names.len() + 1));
                    named.push(true);
                }
                (Some('?'), _, _) => {}
                _ => named.push(false),
            },
            _ => {}
        }
        at += 1;
    }
    (named, names)
}

/// The length of a name in brackets or quotes; only its first character can be a parenthesis.
fn name_length(text: &[char], start: usize, in_brackets: bool) -> usize {
    let close = if in_brackets { '>' } else { '\'' };
    let rest = text.iter().skip(start).enumerate();
    rest.take_while(|&(at, &c)| c != close && (at == 0 || c != ')')).count()
}

struct Parser<'a> {
    text: &'a [char],
    at: usize,
    names: Vec<(String, usize)>,
    /// Of each group in parentheses, whether it has a name.
    named: Vec<bool>,
    groups: usize,
    next_group: usize,
    /// The number of groups so far that do not capture because others have names.
    plain: usize,
    depth: usize,
    /// The number of groups that the references so far refer to.
    referred: usize,
    has_calls: bool,
    /// Errors that count if the rest can be parsed.
    late: Late,
    /// Whether the tree is kept.
    keeps: bool,
    /// The relation of the last atom to the preceding text.
    join: Join,
    /// The number of enclosing look-behinds.
    behind: usize,
    /// Whether the pattern is tied to UTF-8, where characters can fold to several ones.
    is_unicode: bool,
}

/// An item of a sequence.
enum Atom {
    Node(Node),
    /// `(?i)`: options for the rest of the group, over `|`.
    Options(Options),
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn peek_at(&self, offset: usize) -> Option<char> {
        self.text.get(self.at + offset).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn accept(&mut self, wanted: &str) -> bool {
        if wanted.chars().enumerate().all(|(i, c)| self.peek_at(i) == Some(c)) {
            self.at += wanted.chars().count();
            return true;
        }
        false
    }

    /// Alternatives up to `)` or the end.
    fn alternatives(&mut self, options: Options) -> Result<Node, String> {
        let mut branches = self.branches(options)?;
        Ok(if branches.len() == 1 { branches.remove(0) } else { Node::Alternatives(branches) })
    }

    fn branches(&mut self, options: Options) -> Result<Vec<Node>, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("too deep nest level".into());
        }
        let mut branches = vec![self.sequence(options)?];
        while self.accept("|") {
            branches.push(self.sequence(options)?);
        }
        self.depth -= 1;
        Ok(branches)
    }

    fn sequence(&mut self, options: Options) -> Result<Node, String> {
        let mut run = Run::new(match (self.behind > 0, self.is_unicode) {
            (false, _) => Texts::Fold,
            (true, false) => Texts::Keep,
            (true, true) => Texts::Expand,
        });
        loop {
            self.skip_unread(options)?;
            match self.peek() {
                None | Some('|' | ')') => break,
                Some(_) => {}
            }
            self.join = Join::Apart;
            let atom = match self.atom(options)? {
                Atom::Node(node) => node,
                // `a(?i)b|c` is `a(?i:b|c)`.
                Atom::Options(options) => {
                    let rest = self.alternatives(options)?;
                    run.push(apart(rest), Join::Apart);
                    break;
                }
            };
            let join = self.join;
            let (atom, is_repeated) = self.quantified(atom, options)?;
            if self.keeps {
                run.push(atom, if is_repeated { Join::Apart } else { join });
            }
        }
        Ok(run.finish())
    }

    /// Skips comments and, in extended patterns, white space.
    fn skip_unread(&mut self, options: Options) -> Result<(), String> {
        loop {
            match self.peek() {
                Some('(') if self.accept("(?#") => loop {
                    match self.next() {
                        None => return Err("end pattern in group".into()),
                        Some('\\') => self.at += 1,
                        Some(')') => break,
                        Some(_) => {}
                    }
                },
                Some(c) if options.extended && (c.is_ascii_whitespace() || c == '\u{b}') => self.at += 1,
                Some('#') if options.extended => while self.next().is_some_and(|c| c != '\n') {},
                _ => return Ok(()),
            }
        }
    }

    /// An atom with its quantifiers, and whether it has any.
    fn quantified(&mut self, mut atom: Node, options: Options) -> Result<(Node, bool), String> {
        for count in 0..REPEATS {
            self.skip_unread(options)?;
            let Some((least, most, is_interval)) = self.quantifier()? else { return Ok((atom, count > 0)) };
            if let Node::Literal { character, fold: true } = atom
                && self.behind > 0
                && self.is_unicode
            {
                atom = Node::Concat(behind::expanded(&[character]));
            }
            let mut kind = RepeatKind::Greedy;
            match self.peek() {
                // `a{n}?` is an optional `a{n}` in Ruby, `a{n,m}+` a repeated `a{n,m}`.
                Some('?') if !(is_interval && most == Some(least)) => {
                    self.at += 1;
                    kind = RepeatKind::Lazy;
                }
                Some('+') if !is_interval => {
                    self.at += 1;
                    kind = RepeatKind::Possessive;
                }
                _ => {}
            }
            atom = Node::Repeat { body: Box::new(atom), least, most, kind };
        }
        Err("too deep nest level".into())
    }

    /// A quantifier, if there is one here: bounds, and whether it is `{…}`.
    fn quantifier(&mut self) -> Result<Option<(u32, Option<u32>, bool)>, String> {
        let found = match self.peek() {
            Some('*') => (0, None, false),
            Some('+') => (1, None, false),
            Some('?') => (0, Some(1), false),
            Some('{') => return self.interval(),
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(found))
    }

    fn interval(&mut self) -> Result<Option<(u32, Option<u32>, bool)>, String> {
        let start = self.at;
        self.at += 1;
        let least = self.number()?;
        let (least, most) = if self.accept(",") {
            let most = self.number()?;
            if least.is_none() && most.is_none() {
                self.at = start;
                return Ok(None);
            }
            (least.unwrap_or(0), most)
        } else {
            match least {
                Some(least) => (least, Some(least)),
                None => {
                    self.at = start;
                    return Ok(None);
                }
            }
        };
        if !self.accept("}") {
            self.at = start;
            return Ok(None);
        }
        if most.is_some_and(|most| most < least) {
            return Err("upper is smaller than lower in repeat range".into());
        }
        Ok(Some((least, most, true)))
    }

    fn number(&mut self) -> Result<Option<u32>, String> {
        let mut value: Option<u32> = None;
        while let Some(digit) = self.peek().and_then(|c| c.to_digit(10)) {
            self.at += 1;
            let next = value.unwrap_or(0).saturating_mul(10).saturating_add(digit);
            if next > MAX_REPEAT {
                return Err("too big number for repeat range".into());
            }
            value = Some(next);
        }
        Ok(value)
    }

    /// An item that a quantifier can follow, or options.
    fn atom(&mut self, options: Options) -> Result<Atom, String> {
        let start = self.at;
        let Some(c) = self.next() else { return Ok(Atom::Node(Node::Empty)) };
        Ok(Atom::Node(match c {
            '(' => {
                let group = self.group(options);
                self.join = Join::Apart;
                return group;
            }
            '[' => {
                let class = self.class(options)?;
                match class.only() {
                    Some(character) => {
                        self.join = Join::Begin;
                        self.literal(character, options)
                    }
                    None if options.ignore_case && self.behind > 0 && self.is_unicode => {
                        behind::expanded_set(class)
                    }
                    None => Node::Class { class, fold: options.ignore_case },
                }
            }
            '.' => Node::Any { newline: options.multi_line },
            '^' => Node::Anchor(Anchor::LineStart),
            '$' => Node::Anchor(Anchor::LineEnd),
            '\\' => return self.escape(options).map(Atom::Node),
            '*' | '+' | '?' => return Err("target of repeat operator is not specified".into()),
            '{' => {
                self.at = start;
                if self.interval()?.is_some() {
                    return Err("target of repeat operator is not specified".into());
                }
                self.at = start + 1;
                self.join = Join::Go;
                self.literal(c, options)
            }
            _ => {
                self.join = Join::Go;
                self.literal(c, options)
            }
        }))
    }

    fn literal(&self, character: char, options: Options) -> Node {
        if options.ignore_case
            && self.behind == 0
            && let Some(folded) = case::folds_to_several(character)
        {
            return Node::Folded(folded);
        }
        Node::Literal { character, fold: options.ignore_case }
    }

    fn close(&mut self) -> Result<(), String> {
        if self.accept(")") { Ok(()) } else { Err("end pattern with unmatched parenthesis".into()) }
    }

    fn group(&mut self, options: Options) -> Result<Atom, String> {
        if !self.accept("?") {
            if self.names.is_empty() {
                self.next_group += 1;
                let body = Box::new(self.alternatives(options)?);
                self.close()?;
                return Ok(Atom::Node(Node::Capture(body)));
            }
            self.plain += 1;
            let body = self.alternatives(options)?;
            self.close()?;
            return Ok(Atom::Node(body));
        }
        let Some(c) = self.next() else { return Err("end pattern in group".into()) };
        let look = |behind, negated, body| Node::Look { behind, negated, body: Box::new(body) };
        let node = match c {
            ':' => self.alternatives(options)?,
            '=' => look(false, false, self.alternatives(options)?),
            '!' => look(false, true, self.alternatives(options)?),
            '>' => Node::Atomic(Box::new(self.alternatives(options)?)),
            '~' => Node::Absent(Box::new(self.alternatives(options)?)),
            '<' if matches!(self.peek(), Some('=' | '!')) => {
                let negated = self.next() == Some('!');
                self.behind += 1;
                let body = self.alternatives(options)?;
                self.behind -= 1;
                look(true, negated, body)
            }
            '<' | '\'' => {
                if self.peek().is_none() {
                    return Err("end pattern with unmatched parenthesis".into());
                }
                self.name(if c == '<' { '>' } else { '\'' }, Use::Definition)?;
                self.next_group += 1;
                Node::Capture(Box::new(self.alternatives(options)?))
            }
            '(' => self.conditional(options)?,
            _ => {
                self.at -= 1;
                return self.options(options);
            }
        };
        self.close()?;
        Ok(Atom::Node(node))
    }

    fn conditional(&mut self, options: Options) -> Result<Node, String> {
        let group = match self.peek() {
            None => return Err("undefined group option".into()),
            Some('0'..='9') => {
                let number = self.name(')', Use::Call)?;
                self.at -= 1;
                let group = self.condition(&number)?;
                self.late.by_number |= !self.names.is_empty();
                if self.names.is_empty() { group } else { BY_NUMBER }
            }
            Some(open @ ('<' | '\'')) => {
                self.at += 1;
                let name = self.name(if open == '<' { '>' } else { open }, Use::Reference)?;
                if self.peek() != Some(')') {
                    return Err("undefined group option".into());
                }
                self.condition(&name)?
            }
            Some(_) => return Err(CONDITIONAL.into()),
        };
        self.close().map_err(|_| CONDITIONAL)?;
        let mut branches = self.branches(options)?;
        self.late.conditional |= branches.len() > 2;
        let no = if branches.len() == 2 { branches.pop().unwrap_or(Node::Empty) } else { Node::Empty };
        let yes = if branches.len() == 1 { branches.remove(0) } else { Node::Alternatives(branches) };
        Ok(Node::Conditional { group, yes: Box::new(yes), no: Box::new(no) })
    }

    /// `(?imx-imx)` for the rest of the group, `(?imx-imx:…)` for its own.
    fn options(&mut self, outer: Options) -> Result<Atom, String> {
        let (mut options, mut on) = (outer, true);
        let start = self.at;
        loop {
            match self.next() {
                None => return Err("end pattern in group".into()),
                Some('-') => on = false,
                Some('i') => options.ignore_case = on,
                Some('m') => options.multi_line = on,
                Some('x') => options.extended = on,
                Some('a') if on => options.range = Range::Ascii,
                Some('u') if on => options.range = Range::Unicode,
                Some('d') if on => options.range = Range::Default,
                Some(')') if self.at > start + 1 => return Ok(Atom::Options(options)),
                Some(':') => {
                    let body = self.alternatives(options)?;
                    self.close()?;
                    return Ok(Atom::Node(apart(body)));
                }
                Some(_) => return Err("undefined group option".into()),
            }
        }
    }

    /// The rest of an escape, outside of a set.
    fn escape(&mut self, options: Options) -> Result<Node, String> {
        let Some(c) = self.next() else { return Err("too short escape sequence".into()) };
        let fold = options.ignore_case;
        let anchor = match c {
            'A' => Some(Anchor::TextStart),
            'z' => Some(Anchor::TextEnd),
            'Z' => Some(Anchor::TextEndOrNewline),
            'b' => Some(Anchor::WordBoundary),
            'B' => Some(Anchor::NotWordBoundary),
            'G' => Some(Anchor::SearchStart),
            'K' => Some(Anchor::Keep),
            _ => None,
        };
        if let Some(anchor) = anchor {
            return Ok(Node::Anchor(anchor));
        }
        if matches!(c, 'p' | 'P') && self.peek() == Some('{') {
            let (set, negated) = self.property(c == 'P')?;
            let class = Class { negated, operands: vec![vec![ClassItem::Named(set)]] };
            let is_expanded = fold && self.behind > 0 && self.is_unicode;
            return Ok(if is_expanded { behind::expanded_set(class) } else { Node::Class { class, fold } });
        }
        if let Some(item) = self.class_escape(c, options)? {
            let class = Class { negated: false, operands: vec![vec![item]] };
            return Ok(Node::Class { class, fold: false });
        }
        match c {
            'R' => Ok(line_break()),
            'X' => Ok(grapheme()),
            'k' if matches!(self.peek(), Some('<' | '\'')) => self.named_backreference(fold),
            'g' if matches!(self.peek(), Some('<' | '\'')) => self.named_call(),
            '1'..='9' => self.numbered_backreference(c, options),
            _ => {
                let character = self.character_escape(c)?;
                if character == c {
                    self.join = Join::Go;
                }
                Ok(self.literal(character, options))
            }
        }
    }

    /// `\d`, `\p{…}` and other escapes that mean a set.
    fn class_escape(&mut self, c: char, options: Options) -> Result<Option<ClassItem>, String> {
        let is_unicode = options.range == Range::Unicode;
        let set = match (c, is_unicode) {
            ('w', false) => "[0-9A-Za-z_]",
            ('W', false) => "[^0-9A-Za-z_]",
            ('d', false) => "[0-9]",
            ('D', false) => "[^0-9]",
            ('s', false) => r"[\t\n\x0B\x0C\r ]",
            ('S', false) => r"[^\t\n\x0B\x0C\r ]",
            ('w', true) => r"\w",
            ('W', true) => r"\W",
            ('d', true) => r"\d",
            ('D', true) => r"\D",
            ('s', true) => r"\s",
            ('S', true) => r"\S",
            ('h', _) => "[0-9A-Fa-f]",
            ('H', _) => "[^0-9A-Fa-f]",
            ('p' | 'P', _) if self.peek() == Some('{') => {
                let (set, negated) = self.property(c == 'P')?;
                return Ok(Some(ClassItem::Named(if negated { format!("[^{set}]") } else { set })));
            }
            _ => return Ok(None),
        };
        Ok(Some(match c {
            'w' | 'W' => ClassItem::Narrow(set.into()),
            _ => ClassItem::Named(set.into()),
        }))
    }

    /// The set of a property, and whether its complement is meant.
    fn property(&mut self, negated: bool) -> Result<(String, bool), String> {
        self.at += 1;
        let inverted = self.accept("^");
        let start = self.at;
        let refused = |name: &str| format!("invalid character property name {{{}}}", short(name));
        let name = loop {
            let name: String = self.text.get(start..self.at).unwrap_or_default().iter().collect();
            match self.next() {
                Some('}') => break name,
                Some('(' | ')' | '{' | '|') => return Err(refused(&name)),
                Some(_) if self.peek().is_some() => {}
                _ => return Err(refused(&name)),
            }
        };
        let plain: String =
            name.chars().filter(|c| !matches!(c, ' ' | '-' | '_')).flat_map(char::to_lowercase).collect();
        let set = match posix(&plain, false) {
            Some(set) => set.to_string(),
            None => {
                let safe =
                    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || " -_".contains(c));
                let set = format!("\\p{{{}}}", name.replace([' ', '-'], "_"));
                if !safe || regex_syntax::parse(&set).is_err() {
                    return Err(refused(&name));
                }
                set
            }
        };
        Ok((set, negated != inverted))
    }

    /// A single escaped character; `c` follows the backslash.
    fn character_escape(&mut self, c: char) -> Result<char, String> {
        Ok(match c {
            't' => '\t',
            'n' => '\n',
            'r' => '\r',
            'f' => '\u{c}',
            'v' => '\u{b}',
            'a' => '\u{7}',
            'e' => '\u{1b}',
            '0'..='7' => {
                self.at -= 1;
                self.octal_escape()?
            }
            'x' => self.hex(),
            other => other,
        })
    }

    /// Up to three octal digits.
    fn octal_escape(&mut self) -> Result<char, String> {
        let mut value = 0;
        for _ in 0..3 {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(8)) else { break };
            value = value * 8 + digit;
            self.at += 1;
        }
        // What is beyond ASCII is no escape any more.
        char::from_u32(value).filter(char::is_ascii).ok_or_else(|| "invalid escape code".into())
    }

    /// The two digits of an ASCII character.
    fn hex(&mut self) -> char {
        let mut value = 0;
        for _ in 0..2 {
            let Some(digit) = self.peek().and_then(|c| c.to_digit(16)) else { break };
            value = value * 16 + digit;
            self.at += 1;
        }
        char::from_u32(value).unwrap_or_default()
    }
}

const POSIX_NAMES: [&str; 14] = [
    "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper",
    "xdigit", "ascii", "word",
];
/// The shortest name with the colon, the bracket and the end of the set.
const SHORTEST_POSIX: usize = 7;
/// The most characters that are searched for the colon after a name.
const LONGEST_POSIX: usize = 20;

/// The sets of POSIX brackets, in the syntax of the `regex` crate. Texts are UTF-8, which has no surrogates.
fn posix(name: &str, ascii: bool) -> Option<&'static str> {
    Some(match (name, ascii) {
        ("alnum", false) => r"[\p{Alphabetic}\p{Nd}]",
        ("alpha", false) => r"\p{Alphabetic}",
        ("blank", false) => r"[\p{Zs}\t]",
        ("cntrl", false) => r"\p{Cc}",
        ("digit", false) => r"\p{Nd}",
        ("graph", false) => r"[^\p{White_Space}\p{Cc}\p{Cn}]",
        ("lower", false) => r"\p{Lowercase}",
        ("print", false) => r"[[^\p{White_Space}\p{Cc}\p{Cn}]\p{Zs}]",
        ("punct", false) => r"[\p{P}$+<=>^`|~]",
        ("space", false) => r"\p{White_Space}",
        ("upper", false) => r"\p{Uppercase}",
        ("word", false) => r"\w",
        ("alnum", true) => "[0-9A-Za-z]",
        ("alpha", true) => "[A-Za-z]",
        ("blank", true) => r"[ \t]",
        ("cntrl", true) => r"[\x00-\x1F\x7F]",
        ("digit", true) => "[0-9]",
        ("graph", true) => r"[\x21-\x7E]",
        ("lower", true) => "[a-z]",
        ("print", true) => r"[\x20-\x7E]",
        ("punct", true) => r"[\x21-\x2F\x3A-\x40\x5B-\x60\x7B-\x7E]",
        ("space", true) => r"[\t\n\x0B\x0C\r ]",
        ("upper", true) => "[A-Z]",
        ("word", true) => "[0-9A-Za-z_]",
        ("xdigit", _) => "[0-9A-Fa-f]",
        ("ascii", _) => r"[\x00-\x7F]",
        _ => return None,
    })
}

fn line_break() -> Node {
    let character = |character| Node::Literal { character, fold: false };
    let single = Node::Class { class: Class::named(r"[\n\x0B\x0C\r\x{85}\x{2028}\x{2029}]"), fold: false };
    Node::Atomic(Box::new(Node::Alternatives(vec![
        Node::Concat(vec![character('\r'), character('\n')]),
        single,
    ])))
}

/// A grapheme cluster: a base with its marks, joined emoji, pairs of regional indicators.
fn grapheme() -> Node {
    let set = |set: &str| Node::Class { class: Class::named(set), fold: false };
    let many =
        |body: Node, most| Node::Repeat { body: Box::new(body), least: 0, most, kind: RepeatKind::Greedy };
    let joined = Node::Concat(vec![set(r"\x{200D}"), set(r"\p{Extended_Pictographic}")]);
    let extend = Node::Alternatives(vec![joined, set(r"[\p{M}\x{200C}\x{200D}\x{1F3FB}-\x{1F3FF}]")]);
    Node::Atomic(Box::new(Node::Alternatives(vec![
        line_break(),
        Node::Concat(vec![set(r"\p{Regional_Indicator}"), set(r"\p{Regional_Indicator}")]),
        Node::Concat(vec![Node::Any { newline: true }, many(extend, None)]),
    ])))
}
