//! References to groups: `\k`, `\1`, and calls by `\g`.

use super::super::ast::Node;
use super::{Options, Parser};

/// The maximum number of groups that the references of a pattern refer to together: each use of a name can
/// refer to all of them.
const MAX_REFERENCES: usize = 1 << 18;
/// The message about a group that does not exist.
pub(crate) const BEYOND: &str = "invalid backref number/name";
/// The message about a condition that is none, or has other than two branches.
pub const CONDITIONAL: &str = "invalid conditional pattern";
/// The message about the number of a group where groups have names.
pub(crate) const NUMBERED: &str = "numbered backref/call is not allowed. (use name)";

/// Errors of references, which the engine finds when the whole pattern is parsed: in this order.
#[derive(Default)]
pub struct Late {
    /// The first reference to a group by its number where groups have names, or beyond the last where not all
    /// have.
    numbered: Option<&'static str>,
    /// The first call of a group that does not exist, or by its number where groups have names.
    call: Option<String>,
    /// A reference to a group beyond the last. It is found together with what look-behinds do not accept.
    pub beyond: bool,
    /// A condition that is the number of a group where groups have names, which is found with them, too.
    pub by_number: bool,
    /// A condition with more than two branches, which is the last to be found.
    pub conditional: bool,
}

/// The bytes of a name that a message shows.
const SHOWN: usize = 47;

/// A name as the engine's messages show it.
pub fn short(name: &str) -> String {
    if name.len() <= SHOWN {
        return name.into();
    }
    let end = (0..=SHOWN).rev().find(|&end| name.is_char_boundary(end)).unwrap_or(0);
    format!("{}...", &name[..end])
}

/// What a name is for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Use {
    Definition,
    /// `\k`, or a condition in brackets or quotes: the name can have a level of recursion behind it.
    Reference,
    /// `\g`, or a condition that is a number.
    Call,
}

/// What the characters of a name are so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Sign,
    Number,
    Name,
}

/// The number of a group; `None` for a name, which can begin with a `+`.
fn number(name: &str) -> Option<i64> {
    if name.starts_with('+') { None } else { name.parse().ok() }
}

/// Whether a name is the number of a group.
pub fn is_number(name: &str) -> bool {
    number(name).is_some()
}

/// What is wrong with a name that is a number up to a character.
fn wrong_digit(c: char) -> &'static str {
    if c.is_alphanumeric() || matches!(c, '_' | ')') {
        "invalid group name"
    } else {
        "invalid char in group name"
    }
}

impl Late {
    /// The first of the errors, but for those that are found later.
    pub fn told(&mut self) -> Result<(), String> {
        if let Some(numbered) = self.numbered {
            return Err(numbered.into());
        }
        self.call.take().map_or(Ok(()), Err)
    }
}

impl Parser<'_> {
    /// Notes a reference to a group by its number.
    pub fn numbered(&mut self, number: usize) -> usize {
        if !self.names.is_empty() {
            self.late.numbered.get_or_insert(NUMBERED);
        }
        self.late.beyond |= number > self.groups;
        number
    }

    /// A name, or for references a number with or without a sign, and what closes it.
    pub fn name(&mut self, close: char, used: Use) -> Result<String, String> {
        let start = self.at;
        let first = self.next().filter(|first| *first != close).ok_or("group name is empty")?;
        let mut sort = match first {
            '0'..='9' => Sort::Number,
            '-' => Sort::Sign,
            _ => Sort::Name,
        };
        let name = match used {
            Use::Definition if sort != Sort::Name => {
                return Err(self.refused("invalid group name", start, close));
            }
            Use::Reference => self.name_with_level(start, close, &mut sort)?,
            Use::Definition | Use::Call => loop {
                let end = self.at;
                match self.next() {
                    Some(c) if c == close && sort != Sort::Sign => break self.from(start, end),
                    Some(')') | None if sort != Sort::Sign => {
                        return Err(self.invalid(start, self.text.len()));
                    }
                    Some(_) if sort == Sort::Name => {}
                    Some('0'..='9') => sort = Sort::Number,
                    c => {
                        let wrong = c.filter(|&c| c != close).map_or("invalid group name", wrong_digit);
                        return Err(self.refused(wrong, start, close));
                    }
                }
            },
        };
        if sort == Sort::Number {
            match name.trim_start_matches('-').parse::<i32>() {
                Err(_) => return Err("too big number".into()),
                Ok(0) if used == Use::Reference => return Err(self.invalid(start, self.text.len())),
                Ok(0) => return Err(self.invalid(start, self.at - 1)),
                Ok(_) => {}
            }
        }
        Ok(name)
    }

    /// The rest of a name that `+` or `-` and the number of a level may follow.
    fn name_with_level(&mut self, start: usize, close: char, sort: &mut Sort) -> Result<String, String> {
        let mut wrong = None;
        let (end, last) = loop {
            let end = self.at;
            let Some(c) = self.next() else {
                let last = self.text.get(end - 1).copied().unwrap_or_default();
                match wrong {
                    // The last character is the one that would have ended the name.
                    Some(_) => break (end - 1, last),
                    // A sign without anything is one of a level.
                    None if end == start + 1 && matches!(last, '+' | '-') => break (end, last),
                    None => return Err(self.invalid(start, self.text.len())),
                }
            };
            if c == close || matches!(c, ')' | '+' | '-') {
                if *sort == Sort::Sign {
                    wrong = Some("invalid group name");
                }
                break (end, c);
            }
            // Ruby refuses no character here.
            if *sort == Sort::Name {
                continue;
            }
            if c.is_ascii_digit() {
                *sort = Sort::Number;
            } else {
                *sort = Sort::Name;
                wrong = Some("invalid group name");
            }
        };
        if let Some(wrong) = wrong {
            return Err(format!("{wrong} <{}>", short(&self.from(start, end))));
        }
        if last != close {
            if last != ')' && self.peek().is_none() {
                return Err(format!("invalid char in group name <{}>", short(&self.from(start, end))));
            }
            let level = self.at;
            while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                self.at += 1;
            }
            if last == ')' || self.at == level || self.next() != Some(close) {
                return Err(self.invalid(start, self.text.len()));
            }
        }
        Ok(self.from(start, end))
    }

    fn from(&self, start: usize, end: usize) -> String {
        self.text.get(start..end).unwrap_or_default().iter().collect()
    }

    fn invalid(&self, start: usize, end: usize) -> String {
        format!("invalid group name <{}>", short(&self.from(start, end)))
    }

    /// The error about a name that is read on up to what closes it, or to the end if nothing follows that.
    fn refused(&mut self, wrong: &str, start: usize, close: char) -> String {
        let mut end = self.at;
        while let Some(c) = self.next() {
            if c == close || c == ')' {
                break;
            }
            end = self.at;
        }
        if self.peek().is_none() {
            end = self.text.len();
        }
        format!("{wrong} <{}>", short(&self.from(start, end)))
    }

    /// The groups that a name or number refers to; a number can be beyond the last group. A name is that of
    /// groups which have begun.
    pub fn references(&mut self, name: &str) -> Result<Vec<usize>, String> {
        let next = self.next_group;
        match number(name) {
            Some(number) => Ok(vec![self.group_number(number, number < 0)?]),
            None => self.groups_named(name, next),
        }
    }

    /// The group of a condition. Its number counts all groups in parentheses, of which those without names do
    /// not capture where others have names: 0 stands for these.
    pub fn condition(&mut self, name: &str) -> Result<usize, String> {
        let Some(number) = number(name) else {
            return Ok(self.groups_named(name, self.next_group)?.first().copied().unwrap_or(0));
        };
        let number = self.absolute(number, number < 0)?;
        if number > self.named.len() {
            if !self.names.is_empty() && self.named.contains(&false) {
                self.late.numbered.get_or_insert(BEYOND);
            }
            self.late.beyond = true;
        }
        let earlier = self.named.get(..number - 1).unwrap_or_default();
        Ok(match self.named.get(number - 1) {
            Some(false) if !self.names.is_empty() => 0,
            _ if self.names.is_empty() => number,
            _ => 1 + earlier.iter().filter(|is_named| **is_named).count(),
        })
    }

    /// The number of a group, which can be relative to the next one: -1 is the one before it.
    fn group_number(&self, number: i64, is_relative: bool) -> Result<usize, String> {
        let number = self.absolute(number, is_relative)?;
        // What has a number is refused when all is parsed.
        Ok(if self.names.is_empty() { number } else { 1 })
    }

    fn absolute(&self, number: i64, is_relative: bool) -> Result<usize, String> {
        let next = i64::try_from(self.next_group + self.plain).unwrap_or(i64::MAX);
        let number = if is_relative { next.saturating_add(number) } else { number };
        usize::try_from(number).ok().filter(|&number| number >= 1).ok_or_else(|| BEYOND.into())
    }

    /// The groups of a name below a number.
    fn groups_named(&mut self, name: &str, next: usize) -> Result<Vec<usize>, String> {
        let groups: Vec<usize> = self
            .names
            .iter()
            .filter(|(n, group)| n == name && *group < next)
            .map(|(_, group)| *group)
            .collect();
        self.referred += groups.len();
        if self.referred > MAX_REFERENCES {
            return Err("too many references to groups".into());
        }
        if groups.is_empty() {
            Err(format!("undefined name <{}> reference", short(name)))
        } else {
            Ok(groups)
        }
    }

    /// The rest of `\k`: the name of a group in brackets or quotes.
    pub fn named_backreference(&mut self, fold: bool) -> Result<Node, String> {
        let close = if self.next() == Some('<') { '>' } else { '\'' };
        let name = self.name(close, Use::Reference)?;
        let groups = self.references(&name)?;
        if is_number(&name) {
            groups.iter().for_each(|&group| {
                self.numbered(group);
            });
        }
        Ok(Node::Backreference { groups, fold })
    }

    /// The rest of `\g`: the name of a called group, in brackets or quotes. A zero before it is nothing, or
    /// the whole pattern if it is alone. With a `+`, a name is the next group.
    pub fn named_call(&mut self) -> Result<Node, String> {
        let close = if self.next() == Some('<') { '>' } else { '\'' };
        self.has_calls = true;
        let first = self.peek().filter(|first| matches!(first, '0' | '+'));
        self.at += usize::from(first.is_some());
        if first == Some('0') && self.peek() == Some(close) {
            self.at += 1;
            return Ok(Node::Call { group: 0, length: None });
        }
        let name = self.name(close, Use::Call)?;
        let number = match (first, number(&name)) {
            (Some('+'), number) => {
                let ahead = number.unwrap_or(0);
                Some(self.group_number(if ahead > 0 { ahead - 1 } else { ahead }, true)?)
            }
            (_, Some(number)) => Some(self.group_number(number, number < 0)?),
            _ => None,
        };
        let late = match number {
            Some(_) if !self.names.is_empty() => NUMBERED.into(),
            Some(group) if group > self.groups => format!("undefined group <{}> reference", short(&name)),
            Some(group) => return Ok(Node::Call { group, length: None }),
            None => match self.groups_named(&name, usize::MAX) {
                Ok(groups) => match *groups {
                    [group] => return Ok(Node::Call { group, length: None }),
                    _ => format!("multiplex definition name <{}> call", short(&name)),
                },
                Err(error) => error,
            },
        };
        self.late.call.get_or_insert(late);
        Ok(Node::Empty)
    }

    /// A backslash and a digit: a group, or a character in octal digits.
    pub fn numbered_backreference(&mut self, c: char, options: Options) -> Result<Node, String> {
        let start = self.at - 1;
        self.at = start;
        let number = self.number().unwrap_or(None).unwrap_or(u32::MAX) as usize;
        if number <= self.groups || number <= 9 {
            let groups = vec![self.numbered(number)];
            return Ok(Node::Backreference { groups, fold: options.ignore_case });
        }
        self.at = start + 1;
        if c >= '8' {
            return Ok(self.literal(c, options));
        }
        self.at = start;
        let c = self.octal_escape()?;
        Ok(self.literal(c, options))
    }
}
