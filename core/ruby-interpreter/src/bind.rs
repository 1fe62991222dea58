//! Arguments become the parameters of methods and blocks.

use super::call::{ANY, Args, counts};
use super::class;
use super::failure::Run;
use super::interpreter::Interpreter;
use super::tree::{Parameters, Target};
use super::value::{Entries, Env, Frame, Key, Proc, Val};

impl<'a> Interpreter<'a> {
    /// Binds yielded values: extra ones are dropped, missing ones are `nil`, and an array is expanded if
    /// there are several parameters.
    pub(super) fn bind_loosely(
        &mut self,
        parameters: &'a Parameters,
        env: &'a Env<'a>,
        frame: Frame<'a>,
        args: Args<'a, '_>,
        block: Option<&'a Proc<'a>>,
    ) -> Run<'a, ()> {
        if let Some(count) = parameters.plain
            && !args.keywords
        {
            match (count, args.values) {
                (2.., [Val::Array(list)]) => bind_plainly(count, env, &list.now()),
                (2.., [Val::Object(_)]) => return self.bind_apart(parameters, env, frame, args, block),
                (_, values) => bind_plainly(count, env, values),
            }
            return Ok(());
        }
        self.bind_apart(parameters, env, frame, args, block)
    }

    /// As [`bind_loosely`](Self::bind_loosely), for parameters of all kinds.
    fn bind_apart(
        &mut self,
        parameters: &'a Parameters,
        env: &'a Env<'a>,
        frame: Frame<'a>,
        args: Args<'a, '_>,
        block: Option<&'a Proc<'a>>,
    ) -> Run<'a, ()> {
        if parameters.takes_apart()
            && let [one] = args.values
            && !args.keywords
        {
            let apart = match one {
                Val::Array(list) => Some(list.to_vec()),
                Val::Object(_) if self.responds(*one, "to_ary") => {
                    let list = self.send(*one, "to_ary", &[])?;
                    Some(self.elements(list)?)
                }
                _ => None,
            };
            if let Some(apart) = apart {
                return self.bind(parameters, env, frame, Args::new(&apart), block);
            }
        }
        self.bind(parameters, env, frame, args, block)
    }

    /// Binds arguments of a method or lambda: their number must fit.
    pub(super) fn bind_strictly(
        &mut self,
        parameters: &'a Parameters,
        env: &'a Env<'a>,
        frame: Frame<'a>,
        args: Args<'a, '_>,
        block: Option<&'a Proc<'a>>,
    ) -> Run<'a, ()> {
        let least = parameters.required.len() + parameters.last.len();
        let most = if parameters.rest.is_some() { ANY } else { least + parameters.optional.len() };
        let takes_keywords = !parameters.keywords.is_empty() || parameters.keyword_rest.is_some();
        let has_keywords = takes_keywords && args.keywords && !args.values.is_empty();
        let count = args.values.len() - usize::from(has_keywords);
        if count < least || count > most {
            let needed: Vec<&str> = parameters
                .keywords
                .iter()
                .filter(|(_, _, default)| default.is_none() && !has_keywords)
                .map(|(name, _, _)| name.as_str())
                .collect();
            if !needed.is_empty() {
                let what = if needed.len() == 1 { "keyword" } else { "keywords" };
                let expected = counts(least, most);
                let needed = needed.join(", ");
                let message = format!(
                    "wrong number of arguments (given {count}, expected {expected}; required {what}: {needed})"
                );
                return Err(self.raise(&class::ARGUMENT_ERROR, message));
            }
            return Err(self.wrong_count(count, least, most));
        }
        self.bind(parameters, env, frame, args, block)
    }

    fn bind(
        &mut self,
        parameters: &'a Parameters,
        env: &'a Env<'a>,
        frame: Frame<'a>,
        args: Args<'a, '_>,
        block: Option<&'a Proc<'a>>,
    ) -> Run<'a, ()> {
        let mut values = args.values;
        let takes_keywords = !parameters.keywords.is_empty() || parameters.keyword_rest.is_some();
        let given = match values.split_last() {
            Some((Val::Hash(map), before)) if args.keywords && takes_keywords => {
                values = before;
                map.to_entries()
            }
            _ => Entries::default(),
        };
        let mut at = 0;
        let next = |at: &mut usize| {
            let value = values.get(*at).copied();
            *at += 1;
            value
        };
        for target in &parameters.required {
            let value = next(&mut at).unwrap_or(Val::Nil);
            self.bind_target(target, value, env, frame)?;
        }
        let mut spare = values.len().saturating_sub(parameters.required.len() + parameters.last.len());
        for (local, default) in &parameters.optional {
            let value = if spare > 0 {
                spare -= 1;
                next(&mut at).unwrap_or(Val::Nil)
            } else {
                self.eval(default, env, frame)?
            };
            set(env, local.slot, value);
        }
        if let Some(rest) = &parameters.rest {
            let taken: Vec<Val<'a>> = values.iter().skip(at).take(spare).copied().collect();
            at += taken.len();
            if let Some(local) = rest {
                set(env, local.slot, self.heap.array(taken));
            }
        }
        for target in &parameters.last {
            let value = values.get(at).copied().unwrap_or(Val::Nil);
            at += 1;
            self.bind_target(target, value, env, frame)?;
        }
        if takes_keywords {
            self.bind_keywords(parameters, env, frame, given)?;
        }
        if let Some(local) = parameters.block {
            set(env, local.slot, block.map_or(Val::Nil, Val::Proc));
        }
        Ok(())
    }

    fn bind_target(
        &mut self,
        target: &'a Target,
        value: Val<'a>,
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> Run<'a, ()> {
        match target {
            Target::Local(local) if local.depth == 0 => {
                set(env, local.slot, value);
                Ok(())
            }
            target => self.assign(target, value, env, frame),
        }
    }

    fn bind_keywords(
        &mut self,
        parameters: &'a Parameters,
        env: &'a Env<'a>,
        frame: Frame<'a>,
        mut given: Entries<'a>,
    ) -> Run<'a, ()> {
        let missing: Vec<&str> = parameters
            .keywords
            .iter()
            .filter(|(name, _, default)| default.is_none() && !given.contains_key(&Key(Val::Symbol(name))))
            .map(|(name, _, _)| name.as_str())
            .collect();
        if missing.len() > 1 {
            let message = format!("missing keywords: :{}", missing.join(", :"));
            return Err(self.raise(&class::ARGUMENT_ERROR, message));
        }
        for (name, local, default) in &parameters.keywords {
            let value = match (given.shift_remove(&Key(Val::Symbol(name))), default) {
                (Some(value), _) => value,
                (None, Some(default)) => self.eval(default, env, frame)?,
                (None, None) => {
                    return Err(self.raise(&class::ARGUMENT_ERROR, format!("missing keyword: :{name}")));
                }
            };
            set(env, local.slot, value);
        }
        match parameters.keyword_rest {
            Some(Some(local)) => set(env, local.slot, self.heap.hash(given)),
            Some(None) => {}
            None => self.refuse_keywords(given.keys().map(|key| key.0))?,
        }
        Ok(())
    }

    /// Fails if there are keywords that a method does not take.
    pub(super) fn refuse_keywords(&mut self, unknown: impl Iterator<Item = Val<'a>>) -> Run<'a, ()> {
        let mut shown = Vec::new();
        for key in unknown {
            shown.push(self.inspect(key)?);
        }
        if shown.is_empty() {
            return Ok(());
        }
        let what = if shown.len() == 1 { "keyword" } else { "keywords" };
        Err(self.raise(&class::ARGUMENT_ERROR, format!("unknown {what}: {}", shown.join(", "))))
    }
}

/// Puts values into the first variables; extra ones are dropped.
fn bind_plainly<'a>(count: usize, env: &'a Env<'a>, values: &[Val<'a>]) {
    for (slot, value) in env.slots.iter().take(count).zip(values) {
        slot.set(*value);
    }
}

fn set<'a>(env: &'a Env<'a>, slot: u32, value: Val<'a>) {
    if let Some(place) = env.slots.get(slot as usize) {
        place.set(value);
    }
}
