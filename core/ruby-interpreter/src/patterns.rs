//! `case … in`: what values look like.

use super::class;
use super::failure::{R, Run, Unwind};
use super::interpreter::{Interpreter, put};
use super::tree::{CaseIn, Local, Node, Pattern, Rest};
use super::value::{Entries, Env, Frame, Key, Val};
use bunraku_pcore::value::Str;

/// A key of a hash pattern, what its value must look like, and the variable that it becomes.
type Wanted = (Str, Option<Pattern>, Option<Local>);

impl<'a> Interpreter<'a> {
    /// `case … in … end`
    pub fn case_in(&mut self, case: &'a CaseIn, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        let subject = self.eval(&case.subject, env, frame)?;
        for (pattern, condition, body) in &case.branches {
            if !self.fits(pattern, subject, env, frame)? {
                continue;
            }
            if let Some((condition, wanted)) = condition
                && self.eval(condition, env, frame)?.is_truthy() != *wanted
            {
                continue;
            }
            return self.eval(body, env, frame);
        }
        match &case.otherwise {
            Some(otherwise) => self.eval(otherwise, env, frame),
            None => {
                if let [(pattern, condition, _)] = case.branches.as_slice() {
                    if condition.is_some() {
                        return Err(self.unsupported("message of a pattern that does not fit"));
                    }
                    return Err(self.no_pattern(subject, pattern, env, frame)?);
                }
                let shown = self.inspect(subject)?;
                Err(self.raise(&class::NO_MATCHING_PATTERN_ERROR, shown))
            }
        }
    }

    /// The complaint that nothing fits.
    fn no_pattern(
        &mut self,
        value: Val<'a>,
        pattern: &'a Pattern,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, Unwind<'a>> {
        let Pattern::Value(wanted) = pattern else {
            return Err(self.unsupported("message of a pattern that does not fit"));
        };
        let wanted = self.eval(wanted, env, frame)?;
        let (shown, wanted) = (self.inspect(value)?, self.inspect(wanted)?);
        let message = format!("{shown}: {wanted} === {shown} does not return true");
        Ok(self.raise(&class::NO_MATCHING_PATTERN_ERROR, message))
    }

    /// `value => pattern`
    pub fn must_fit(
        &mut self,
        value: Val<'a>,
        pattern: &'a Pattern,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> R<'a> {
        if self.fits(pattern, value, env, frame)? {
            return Ok(Val::Nil);
        }
        Err(self.no_pattern(value, pattern, env, frame)?)
    }

    /// Whether a value looks like a pattern; variables of the pattern get their values.
    pub fn fits(
        &mut self,
        pattern: &'a Pattern,
        value: Val<'a>,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, bool> {
        self.step()?;
        match pattern {
            Pattern::Value(wanted) => self.is_case(wanted, value, env, frame),
            Pattern::Bind(local) => {
                put(env, *local, value);
                Ok(true)
            }
            Pattern::Either(patterns) => {
                for pattern in patterns {
                    if self.fits(pattern, value, env, frame)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Pattern::Named(pattern, local) => {
                let fits = self.fits(pattern, value, env, frame)?;
                if fits {
                    put(env, *local, value);
                }
                Ok(fits)
            }
            Pattern::Of(wanted) => {
                if !self.is_case(wanted, value, env, frame)? {
                    return Ok(false);
                }
                Ok(self.deconstructed(value)?.is_some_and(|values| values.is_empty()))
            }
            Pattern::Array(of, first, rest, last) => {
                if !self.is_of(of.as_ref(), value, env, frame)? {
                    return Ok(false);
                }
                let Some(values) = self.deconstructed(value)? else { return Ok(false) };
                let least = first.len() + last.len();
                if values.len() < least || (rest.is_none() && values.len() > least) {
                    return Ok(false);
                }
                let middle = values.len() - least;
                let behind = values.iter().skip(first.len() + middle);
                for (pattern, value) in first.iter().zip(&values).chain(last.iter().zip(behind)) {
                    if !self.fits(pattern, *value, env, frame)? {
                        return Ok(false);
                    }
                }
                if let Some(Some(local)) = rest {
                    let taken = values.iter().skip(first.len()).take(middle).copied().collect();
                    put(env, *local, self.heap.array(taken));
                }
                Ok(true)
            }
            Pattern::Find(of, before, wanted, behind) => {
                if !self.is_of(of.as_ref(), value, env, frame)? {
                    return Ok(false);
                }
                let Some(values) = self.deconstructed(value)? else { return Ok(false) };
                self.finds(&values, (*before, wanted, *behind), env, frame)
            }
            Pattern::Hash(of, pairs, rest) => {
                if !self.is_of(of.as_ref(), value, env, frame)? {
                    return Ok(false);
                }
                self.has_pairs(value, pairs, *rest, env, frame)
            }
        }
    }

    fn finds(
        &mut self,
        values: &[Val<'a>],
        (before, wanted, behind): (Option<Local>, &'a [Pattern], Option<Local>),
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, bool> {
        for at in 0..=values.len().saturating_sub(wanted.len()) {
            let Some(part) = values.get(at..at + wanted.len()) else { break };
            let mut fits = true;
            for (pattern, value) in wanted.iter().zip(part) {
                fits = fits && self.fits(pattern, *value, env, frame)?;
            }
            if fits {
                if let Some(local) = before {
                    put(env, local, self.heap.array(values.get(..at).unwrap_or_default().to_vec()));
                }
                if let Some(local) = behind {
                    let rest = values.get(at + wanted.len()..).unwrap_or_default().to_vec();
                    put(env, local, self.heap.array(rest));
                }
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn has_pairs(
        &mut self,
        value: Val<'a>,
        pairs: &'a [Wanted],
        rest: Rest,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, bool> {
        let map = match value {
            Val::Hash(map) => map,
            Val::Object(_) if self.responds(value, "deconstruct_keys") => {
                let asked = match rest {
                    Rest::Any => {
                        let names = pairs.iter().map(|(name, _, _)| Val::Symbol(name.as_str())).collect();
                        self.heap.array(names)
                    }
                    Rest::Named(_) | Rest::Nothing => Val::Nil,
                };
                match self.send(value, "deconstruct_keys", &[asked])? {
                    Val::Hash(map) => map,
                    _ => return Err(self.raise(&class::TYPE_ERROR, "deconstruct_keys must return Hash")),
                }
            }
            _ => return Ok(false),
        };
        let entries = map.to_entries();
        // `in {}` fits nothing but an empty hash.
        if pairs.is_empty() && matches!(rest, Rest::Any) {
            return Ok(entries.is_empty());
        }
        let mut left: Entries<'a> = entries.clone();
        for (name, pattern, local) in pairs {
            let Some(found) = entries.get(&Key(Val::Symbol(name))).copied() else { return Ok(false) };
            left.shift_remove(&Key(Val::Symbol(name)));
            if let Some(pattern) = pattern
                && !self.fits(pattern, found, env, frame)?
            {
                return Ok(false);
            }
            if let Some(local) = local {
                put(env, *local, found);
            }
        }
        match rest {
            Rest::Any => {}
            Rest::Nothing if !left.is_empty() => return Ok(false),
            Rest::Nothing => {}
            Rest::Named(local) => put(env, local, self.heap.hash(left)),
        }
        Ok(true)
    }

    fn is_case(
        &mut self,
        wanted: &'a Node,
        value: Val<'a>,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, bool> {
        let wanted = self.eval(wanted, env, frame)?;
        Ok(self.send(wanted, "===", &[value])?.is_truthy())
    }

    fn is_of(
        &mut self,
        of: Option<&'a Node>,
        value: Val<'a>,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, bool> {
        of.map_or(Ok(true), |of| self.is_case(of, value, env, frame))
    }

    fn deconstructed(&mut self, value: Val<'a>) -> Run<'a, Option<Vec<Val<'a>>>> {
        match value {
            Val::Array(list) => Ok(Some(list.to_vec())),
            Val::Object(_) if self.responds(value, "deconstruct") => {
                match self.send(value, "deconstruct", &[])? {
                    Val::Array(list) => Ok(Some(list.to_vec())),
                    _ => Err(self.raise(&class::TYPE_ERROR, "deconstruct must return Array")),
                }
            }
            _ => Ok(None),
        }
    }
}
