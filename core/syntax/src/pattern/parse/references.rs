//! References to groups: `\k`, `\1`, and calls by `\g`.

use super::super::ast::Node;
use super::{Options, Parser};

/// The maximum number of groups that the references of a pattern refer to together: each use of a name can
/// refer to all of them.
const MAX_REFERENCES: usize = 1 << 18;
/// The message about a group that does not exist.
pub(crate) const BEYOND: &str = "invalid backref number/name";
/// The message about the number of a group where groups have names.
const NUMBERED: &str = "numbered backref/call is not allowed. (use name)";

/// Errors of references, which the engine finds when the whole pattern is parsed: in this order.
#[derive(Default)]
pub struct Late {
    /// A group with a name is there, and a group is referred to by its number.
    pub numbered: bool,
    /// The first call of a group that does not exist.
    call: Option<String>,
    /// A reference to a group beyond the last. It is found together with what look-behinds do not accept.
    pub beyond: bool,
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
    /// `\k`: the name can have a level of recursion behind it.
    Reference,
    /// `\g`, or a condition.
    Call,
}

/// What the characters of a name are so far.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Sign,
    Number,
    Name,
}

/// Whether a name is the number of a group.
pub fn is_number(name: &str) -> bool {
    name.parse::<i64>().is_ok()
}

impl Late {
    /// The first of the errors, but for `beyond`.
    pub fn told(&mut self) -> Result<(), String> {
        if self.numbered {
            return Err(NUMBERED.into());
        }
        self.call.take().map_or(Ok(()), Err)
    }
}

impl Parser<'_> {
    /// Notes a reference to a group by its number.
    pub fn numbered(&mut self, number: usize) -> usize {
        self.late.numbered |= !self.names.is_empty();
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
            '+' if used == Use::Call => Sort::Sign,
            _ => Sort::Name,
        };
        let name = match used {
            Use::Definition if sort != Sort::Name => return Err(self.refused(start, close)),
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
                    _ => return Err(self.refused(start, close)),
                }
            },
        };
        let digits = name.trim_start_matches(['-', '+']);
        if sort == Sort::Number {
            match digits.parse::<i32>() {
                Err(_) => return Err("too big number".into()),
                Ok(0) if used == Use::Reference => return Err(self.invalid(start, self.text.len())),
                // The whole pattern can be called.
                Ok(0) if name != "0" || close == ')' => return Err(self.invalid(start, self.at - 1)),
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
            let Some(c) = self.next() else { return Err(self.invalid(start, self.text.len())) };
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
    fn refused(&mut self, start: usize, close: char) -> String {
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
        self.invalid(start, end)
    }

    /// The groups that a name or number refers to; a number can be beyond the last group. A name is that of
    /// groups which have begun.
    pub fn references(&mut self, name: &str) -> Result<Vec<usize>, String> {
        let next = self.next_group;
        self.references_below(name, next)
    }

    /// Those below a number of a group.
    fn references_below(&mut self, name: &str, next: usize) -> Result<Vec<usize>, String> {
        if let Ok(number) = name.parse::<i64>() {
            let base = i64::try_from(self.next_group + self.plain).unwrap_or(i64::MAX);
            let number = match name.as_bytes() {
                [b'-', ..] => base + number,
                [b'+', ..] => base.saturating_add(number) - 1,
                _ => number,
            };
            // It is refused when all is parsed.
            if !self.names.is_empty() && number >= 1 {
                return Ok(vec![1]);
            }
            return match usize::try_from(number) {
                Ok(number) if number >= 1 => Ok(vec![number]),
                _ => Err(BEYOND.into()),
            };
        }
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

    /// The rest of `\g`: the name of a called group, in brackets or quotes.
    pub fn named_call(&mut self) -> Result<Node, String> {
        let close = if self.next() == Some('<') { '>' } else { '\'' };
        let name = self.name(close, Use::Call)?;
        self.has_calls = true;
        if name == "0" {
            return Ok(Node::Call { group: 0, length: None });
        }
        let is_number = is_number(&name);
        let late = match self.references_below(&name, usize::MAX) {
            Ok(groups) => match *groups {
                [_] if is_number && !self.names.is_empty() => {
                    self.late.numbered = true;
                    return Ok(Node::Empty);
                }
                [group] if group > self.groups => {
                    format!("undefined group <{}> reference", name.strip_prefix('+').unwrap_or(&name))
                }
                [group] => return Ok(Node::Call { group, length: None }),
                _ => format!("multiplex definition name <{}> call", short(&name)),
            },
            Err(error) if is_number => return Err(error),
            Err(error) => error,
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
