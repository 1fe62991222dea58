//! Texts from values: interpolated strings and heredocs.

use super::evaluator::Env;
use super::quick::Quick;
use super::{Evaluated, Evaluator};
use bunraku_pcore::Value;
use bunraku_pcore::convert::joined::Joined;
use bunraku_pcore::convert::string::{push_string, to_string};
use bunraku_pcore::fuel::BYTES_IN_STEP;
use bunraku_syntax::ast::{List, Node, NodeId, Text};
use bunraku_syntax::diagnostic::{Error, ErrorKind};
use bunraku_syntax::source::Location;
use bunraku_syntax::validate::external::check_syntax;
use bunraku_syntax::watch::Watch;

/// A buffer of more bytes than this is not kept.
const MAX_BUFFER: usize = 1 << 16;

impl Evaluator<'_> {
    pub(super) fn concatenated_string(&self, env: Env<'_>, id: NodeId, segments: List) -> Evaluated {
        let mut text = self.buffer.take();
        text.clear();
        let value = match self.growing_text(env, id, segments) {
            Some(first) => self.grow(env, id, first, segments, &mut text),
            None => {
                let result = self.concatenate(env, env.list(segments), &mut text);
                let value = result.map(|joined| match joined {
                    Some(joined) => joined.finish(),
                    None => Value::from(text.as_str()),
                });
                value.and_then(|value| Ok(self.usage.charge_value(&value).map(|()| value)?))
            }
        };
        if text.capacity() <= MAX_BUFFER {
            self.buffer.set(text);
        }
        value
    }

    /// Adds all segments but the first, which is a variable that nothing else needs, to its text.
    fn grow(&self, env: Env<'_>, id: NodeId, first: NodeId, segments: List, text: &mut String) -> Evaluated {
        let others = env.list(segments).get(1..).unwrap_or_default();
        let joined = self.concatenate(env, others, text)?;
        let mut value = self.eval(env, first)?;
        self.let_go(env, id, first, &value);
        if let (None, Value::String(start)) = (&joined, &mut value) {
            self.usage.check_size(start.len() + text.len())?;
            let at = start.as_ptr();
            start.push_str(text);
            // A moved text was copied.
            let copied = if start.as_ptr() == at { text.len() } else { start.len() };
            self.charge_steps(copied / BYTES_IN_STEP as usize)?;
            return Ok(value);
        }
        let mut all = Joined::default();
        all.push(&value)?;
        all.push(&joined.map_or_else(|| Value::from(text.as_str()), Joined::finish))?;
        let value = all.finish();
        self.usage.charge_value(&value)?;
        Ok(value)
    }

    /// Adds the segments to a text. From the first one on that has no encoding, they are joined apart.
    fn concatenate(&self, env: Env<'_>, segments: &[NodeId], text: &mut String) -> Evaluated<Option<Joined>> {
        for (index, &segment) in segments.iter().enumerate() {
            match *env.node(segment) {
                Node::LiteralString { value } => text.push_str(env.program.text(value)),
                Node::TextExpression { expr } => {
                    if !self.push_quick(env, expr, text) {
                        match self.eval(env, segment)? {
                            bytes @ Value::ByteString(_) => {
                                let mut joined = Joined::default();
                                if index > 0 {
                                    joined.push(&Value::from(text.as_str()))?;
                                }
                                joined.push(&bytes)?;
                                return Ok(Some(self.join(env, segments, index + 1, joined)?));
                            }
                            value => push_string(text, &value),
                        }
                    }
                }
                _ => push_string(text, &self.eval(env, segment)?),
            }
            self.usage.check_size(text.len())?;
        }
        self.usage.check_size(text.len())?;
        Ok(None)
    }

    fn join(&self, env: Env<'_>, segments: &[NodeId], from: usize, mut joined: Joined) -> Evaluated<Joined> {
        for &segment in segments.iter().skip(from) {
            joined.push(&self.eval(env, segment)?)?;
            self.usage.check_size(joined.size())?;
        }
        Ok(joined)
    }

    /// Appends a value that can be read in place or is simple to compute; returns whether it did.
    fn push_quick(&self, env: Env<'_>, expr: NodeId, text: &mut String) -> bool {
        match *env.node(expr) {
            Node::VariableExpression { .. } | Node::AccessExpression { .. } => match self.peek(env, expr) {
                Some(value) if !matches!(&*value, Value::ByteString(_)) => push_string(text, &value),
                Some(_) => return false,
                None => return self.push_qualified(env, expr, text),
            },
            Node::ArithmeticExpression { .. } | Node::ComparisonExpression { .. } => {
                match self.quick(env, expr) {
                    Quick::Integer(number) => text.push_str(itoa::Buffer::new().format(number)),
                    Quick::Boolean(truth) => text.push_str(if truth { "true" } else { "false" }),
                    Quick::No => return false,
                }
            }
            _ => return false,
        }
        true
    }

    /// As [`push_quick`](Self::push_quick), of a variable of another class.
    fn push_qualified(&self, env: Env<'_>, id: NodeId, text: &mut String) -> bool {
        let Node::VariableExpression { expr } = *env.node(id) else { return false };
        let Node::QualifiedName { value } = *env.node(expr) else { return false };
        let push = |value: &Value| {
            let is_text = !matches!(value, Value::ByteString(_));
            if is_text {
                push_string(text, value);
            }
            is_text
        };
        self.read_qualified(env, id, env.program.text(value), push).unwrap_or(false)
    }

    pub(super) fn text_expression(&self, env: Env<'_>, id: NodeId, expr: NodeId) -> Evaluated {
        let value = match *env.node(expr) {
            Node::QualifiedName { value } => self.variable(env, id, env.program.text(value))?,
            _ => self.eval(env, expr)?,
        };
        Ok(match value {
            text @ (Value::String(_) | Value::ByteString(_)) => text,
            value => {
                self.usage.charge_value(&value)?;
                Value::from(to_string(&value))
            }
        })
    }

    pub(super) fn heredoc(&self, env: Env<'_>, syntax: Option<Text>, text_expr: NodeId) -> Evaluated {
        let result = self.eval(env, text_expr)?;
        // The validator has checked a text without interpolation.
        if let (Some(syntax), Value::String(text)) = (syntax, &result)
            && !matches!(env.node(text_expr), Node::LiteralString { .. })
        {
            let syntax = env.program.text(syntax);
            let options = self.validate_options();
            self.usage.charge_value(&result)?;
            let mut logs = Vec::new();
            let watch = Watch::new(&self.usage.ends);
            let checked = check_syntax(text, syntax, &options, &mut logs, &watch);
            watch.result().map_err(|error| Error { location: Location::default(), ..error })?;
            logs.into_iter().for_each(|entry| self.loaded.log.add(entry));
            checked.map_err(|report| {
                let error = report.into_error().at(env.program.source(), env.program.span(text_expr));
                Error { kind: ErrorKind::Syntax, ..error }
            })?;
        }
        Ok(result)
    }
}
