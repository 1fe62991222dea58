//! Finds groups that call themselves for ever, such as `(\g<1>)`, which the engine rejects. Follows the
//! reference's engine (Onigmo), `subexp_inf_recursive_check` in its `regcomp.c`.

use std::collections::HashMap;

use super::ast::Node;
use super::parse::BEYOND;

/// The maximum depth of calls that are followed.
const MAX_DEPTH: usize = 200;
/// The maximum number of visited nodes: nested calls can visit the same ones repeatedly.
const STEPS: usize = 100_000;

/// Finds calls that never end.
///
/// # Errors
/// The engine's message about one, or that the calls are too many to follow.
pub(super) fn check(root: &Node) -> Result<(), String> {
    let mut groups = vec![root];
    collect(root, &mut groups);
    let numbers =
        groups.iter().enumerate().skip(1).map(|(number, &group)| (std::ptr::from_ref(group), number));
    let numbers = numbers.collect();
    let states = vec![GroupState::default(); groups.len()];
    let mut search = Search { groups, numbers, states, depth: 0, steps: 0 };
    let mut beyond = Ok(());
    for group in 0..search.states.len() {
        search.states[group].mark = Mark::Origin;
        let found = search.calls(search.groups[group], true);
        search.states[group].mark = Mark::None;
        match found {
            Ok(Calls::None) => {}
            Ok(_) => return Err("never ending recursion".into()),
            // Groups that do not call themselves are not looked into by the engine, but are here.
            Err(error) if error == BEYOND => (search.depth, beyond) = (0, Err(error)),
            Err(error) => return Err(error),
        }
    }
    beyond
}

/// Adds the bodies of the capturing groups, in the order in which they open.
pub(super) fn collect<'n>(node: &'n Node, groups: &mut Vec<&'n Node>) {
    match node {
        Node::Capture(body) => {
            groups.push(body);
            collect(body, groups);
        }
        Node::Look { body, .. } | Node::Atomic(body) | Node::Absent(body) | Node::Repeat { body, .. } => {
            collect(body, groups);
        }
        Node::Concat(parts) | Node::Alternatives(parts) => {
            parts.iter().for_each(|part| collect(part, groups));
        }
        Node::Conditional { yes, no, .. } => {
            collect(yes, groups);
            collect(no, groups);
        }
        Node::Empty
        | Node::Literal { .. }
        | Node::Folded(_)
        | Node::Any { .. }
        | Node::Class { .. }
        | Node::Anchor(_)
        | Node::Backreference { .. }
        | Node::Call { .. } => {}
    }
}

/// Whether a part calls the group in question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Calls {
    /// Not on every path.
    None,
    /// On every path.
    Always,
    /// Before anything is matched.
    AtOnce,
}

/// The state of a group.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Mark {
    #[default]
    None,
    /// It is the group in question.
    Origin,
    /// It is being visited.
    Open,
}

#[derive(Clone, Copy, Default)]
struct GroupState {
    mark: Mark,
    /// Whether the group can match the empty text, if that is known.
    can_be_empty: Option<bool>,
}

struct Search<'n> {
    /// The whole, and the groups by number.
    groups: Vec<&'n Node>,
    numbers: HashMap<*const Node, usize>,
    states: Vec<GroupState>,
    depth: usize,
    steps: usize,
}

impl<'n> Search<'n> {
    /// Counts a step downwards.
    fn enter(&mut self) -> Result<(), String> {
        self.depth += 1;
        self.steps += 1;
        if self.depth > MAX_DEPTH || self.steps > STEPS { Err("too deep nest level".into()) } else { Ok(()) }
    }

    /// Whether a part calls the group in question. `at_head` means that nothing is matched before it.
    fn calls(&mut self, node: &'n Node, mut at_head: bool) -> Result<Calls, String> {
        self.enter()?;
        let mut found = Calls::None;
        match node {
            Node::Concat(parts) => {
                for part in parts {
                    found = found.max(self.calls(part, at_head)?);
                    if found == Calls::AtOnce {
                        break;
                    }
                    at_head = at_head && self.can_be_empty(part)?;
                }
            }
            Node::Alternatives(parts) => found = self.calls_in_all(parts.iter(), at_head)?,
            Node::Conditional { yes, no, .. } => {
                // With more than two branches, which are found later, these are all in the first.
                let is_wrong = matches!(&**yes, Node::Alternatives(branches) if branches.len() > 2);
                let parts = [&**yes, &**no].into_iter().take(if is_wrong { 1 } else { 2 });
                found = self.calls_in_all(parts, at_head)?;
            }
            Node::Repeat { body, least, .. } => {
                found = self.calls(body, at_head)?;
                if *least == 0 && found == Calls::Always {
                    found = Calls::None;
                }
            }
            Node::Look { body, .. } | Node::Atomic(body) | Node::Absent(body) => {
                found = self.calls(body, at_head)?;
            }
            Node::Capture(body) => {
                if let Some(&group) = self.numbers.get(&std::ptr::from_ref(&**body)) {
                    found = self.calls_in_group(group, at_head)?;
                }
            }
            Node::Call { group, .. } => found = self.calls_in_group(*group, at_head)?,
            Node::Empty
            | Node::Literal { .. }
            | Node::Folded(_)
            | Node::Any { .. }
            | Node::Class { .. }
            | Node::Anchor(_)
            | Node::Backreference { .. } => {}
        }
        self.depth -= 1;
        Ok(found)
    }

    fn calls_in_all(
        &mut self,
        parts: impl Iterator<Item = &'n Node>,
        at_head: bool,
    ) -> Result<Calls, String> {
        let mut found = Calls::Always;
        for part in parts {
            match self.calls(part, at_head)? {
                Calls::AtOnce => return Ok(Calls::AtOnce),
                calls => found = found.min(calls),
            }
        }
        Ok(found)
    }

    fn calls_in_group(&mut self, group: usize, at_head: bool) -> Result<Calls, String> {
        let (Some(&body), Some(state)) = (self.groups.get(group), self.states.get_mut(group)) else {
            return Ok(Calls::None);
        };
        match state.mark {
            Mark::Open => Ok(Calls::None),
            Mark::Origin => Ok(if at_head { Calls::AtOnce } else { Calls::Always }),
            Mark::None => {
                state.mark = Mark::Open;
                let found = self.calls(body, at_head);
                self.states[group].mark = Mark::None;
                found
            }
        }
    }

    /// Whether a part can match the empty text, as far as that is known for recursive groups. All parts are
    /// looked at, because one of them can be wrong.
    fn can_be_empty(&mut self, node: &'n Node) -> Result<bool, String> {
        self.enter()?;
        let found = match node {
            Node::Literal { .. } | Node::Folded(_) | Node::Any { .. } | Node::Class { .. } => false,
            Node::Empty | Node::Anchor(_) | Node::Look { .. } | Node::Absent(_) => true,
            Node::Atomic(body) => self.can_be_empty(body)?,
            Node::Capture(body) => match self.numbers.get(&std::ptr::from_ref(&**body)) {
                Some(&group) => self.group_can_be_empty(group)?,
                None => true,
            },
            Node::Call { group, .. } => self.group_can_be_empty(*group)?,
            Node::Backreference { groups, .. } => {
                let mut some = false;
                for &group in groups {
                    if group >= self.groups.len() {
                        return Err(BEYOND.into());
                    }
                    some |= self.group_can_be_empty(group)?;
                }
                some
            }
            Node::Concat(parts) => {
                let mut all = true;
                for part in parts {
                    all &= self.can_be_empty(part)?;
                }
                all
            }
            Node::Alternatives(parts) => {
                let mut some = false;
                for part in parts {
                    some |= self.can_be_empty(part)?;
                }
                some
            }
            Node::Conditional { yes, no, .. } => self.can_be_empty(yes)? | self.can_be_empty(no)?,
            Node::Repeat { body, least, .. } => *least == 0 || self.can_be_empty(body)?,
        };
        self.depth -= 1;
        Ok(found)
    }

    fn group_can_be_empty(&mut self, group: usize) -> Result<bool, String> {
        let (Some(&body), Some(state)) = (self.groups.get(group), self.states.get_mut(group)) else {
            return Ok(true);
        };
        if let Some(known) = state.can_be_empty {
            return Ok(known);
        }
        if state.mark == Mark::Origin {
            return Ok(true);
        }
        // While it is visited it counts as empty.
        state.can_be_empty = Some(true);
        let found = self.can_be_empty(body)?;
        self.states[group].can_be_empty = Some(found);
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    #[test]
    fn calls_that_never_end_are_refused() {
        for pattern in [
            r"\g<0>",
            r"(\g<1>)",
            r"a\g<0>",
            r"(a\g<1>)",
            r"(?<a>x|\g<a>y)",
            r"(?<a>\g<b>)(?<b>\g<a>)",
            r"(?<a>(?=\g<a>)x)",
            r"(?<a>y*\g<a>?x)",
            r"(|\g<1>)",
            r"(a\g<1>){0}",
            r"(?<a>x\g<a>{2,3})",
            r"(?<a>(?(<a>)\g<a>))",
        ] {
            assert_eq!(parse(pattern).err().as_deref(), Some("never ending recursion"), "{pattern}");
        }
        for pattern in
            [r"\((?:[^()]|\g<0>)*\)", r"(?<a>x\g<a>?y)", r"(a|b\g<1>)", r"(a)\g<1>", r"(?<a>\g<b>)(?<b>x)"]
        {
            assert_eq!(parse(pattern).err(), None, "{pattern}");
        }
        let chain: String = (1..5000).map(|group| format!(r"(\g<{}>)", group + 1)).collect();
        assert!(parse(&(chain + "(a)")).is_err());
        let twice: String = (1..90).map(|group| format!(r"(\g<{0}>\g<{0}>)", group + 1)).collect();
        assert!(parse(&(twice + "(a)")).is_err());
    }
}
