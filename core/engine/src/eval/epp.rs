//! Templates in EPP: the nodes that write, and calls of whole templates with parameters by name.
//!
//! Follows the reference's `pops/evaluator/epp_evaluator.rb`.

use std::rc::Rc;
use std::sync::Arc;

use super::evaluator::Env;
use super::{Closure, Evaluated, Evaluator, Scope};
use crate::loader::ParsedTemplate;
use bunraku_pcore::convert::joined::Joined;
use bunraku_pcore::convert::string::push_string;
use bunraku_pcore::format::to_s;
use bunraku_pcore::value::Str;
use bunraku_pcore::{Hash, Value};
use bunraku_stacks::COROUTINES;
use bunraku_syntax::ast::{Node, NodeId, Program};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::{Location, Source};
use bunraku_syntax::validate::{ValidateOptions, validate_watched};
use bunraku_syntax::watch::Watch;
use bunraku_syntax::{ParseOptions, parse_watched};

/// The output of a template so far.
#[derive(Debug, Default)]
pub(super) struct Output {
    text: String,
    /// All of it, once something without encoding has been written.
    joined: Option<Joined>,
    is_begun: bool,
    is_sensitive: bool,
}

impl Output {
    fn push_text(&mut self, text: &str) -> Result<(), Error> {
        self.is_begun = true;
        match &mut self.joined {
            Some(joined) => joined.push(&text.into())?,
            None => self.text.push_str(text),
        }
        Ok(())
    }

    fn push(&mut self, value: &Value) -> Result<(), Error> {
        match (&mut self.joined, value) {
            (Some(joined), value) => joined.push(value)?,
            (None, Value::ByteString(_)) => {
                let mut joined = Joined::default();
                if self.is_begun {
                    joined.push(&self.text.as_str().into())?;
                }
                joined.push(value)?;
                self.joined = Some(joined);
            }
            (None, value) => push_string(&mut self.text, value),
        }
        self.is_begun = true;
        Ok(())
    }

    fn len(&self) -> usize {
        self.joined.as_ref().map_or(self.text.len(), Joined::size)
    }
}

impl Evaluator<'_> {
    pub(super) fn epp(&self, env: Env<'_>, body: Option<NodeId>) -> Evaluated {
        self.output.borrow_mut().push(Output::default());
        let result = self.eval_optional(env, body);
        let output = self.output.borrow_mut().pop().unwrap_or_default();
        result?;
        let text = output.joined.map_or_else(|| Value::from(output.text), Joined::finish);
        Ok(if output.is_sensitive { Value::sensitive(text) } else { text })
    }

    pub(super) fn render_string(&self, text: &str) -> Evaluated {
        self.write(|output| output.push_text(text))
    }

    pub(super) fn render(&self, env: Env<'_>, expr: NodeId) -> Evaluated {
        if let Some(value) = self.peek(env, expr) {
            return self.render_value(&value);
        }
        let value = self.eval(env, expr)?;
        self.render_value(&value)
    }

    fn render_value(&self, value: &Value) -> Evaluated {
        self.write(|output| {
            let value = match value {
                Value::Sensitive(inner) => {
                    output.is_sensitive = true;
                    inner
                }
                other => other,
            };
            output.push(value)
        })
    }

    fn write(&self, write: impl FnOnce(&mut Output) -> Result<(), Error>) -> Evaluated {
        let mut outputs = self.output.borrow_mut();
        let Some(output) = outputs.last_mut() else {
            return Err(Error::internal("text is rendered outside of a template").into());
        };
        write(output)?;
        self.usage.check_size(output.len())?;
        Ok(Value::Undef)
    }

    /// Renders the text of a template: `inline_epp`. It sees the variables of the scope.
    ///
    /// # Errors
    /// A text that cannot be parsed or is not valid, parameters that do not fit, and what the template fails
    /// with.
    pub fn inline_epp(&self, scope: &Rc<Scope>, text: &str, arguments: Option<&Hash>) -> Evaluated {
        let source = Source::new(Some("inlined-epp-text"), text);
        self.template(scope, "inline_epp", source, arguments, false)
    }

    /// Renders a template: `epp` (`global`: it sees the variables of the node or top scope) and `inline_epp`.
    /// `function` is what messages call it.
    ///
    /// # Errors
    /// As [`inline_epp`](Self::inline_epp).
    pub fn template(
        &self,
        scope: &Rc<Scope>,
        function: &str,
        source: Source,
        arguments: Option<&Hash>,
        global: bool,
    ) -> Evaluated {
        let program = self.parse_template(source, global).map_err(|error| match error.kind {
            // Not the template is at fault.
            kind if kind.ends_work() => error,
            _ => Error::argument(format!("{function}(): Invalid EPP: {error}")),
        })?;
        let (body, parameters_specified) = match *program.node(program.body()) {
            Node::LambdaExpression { body: Some(body), .. } => match *program.node(body) {
                Node::EppExpression { parameters_specified, .. } => (program.body(), parameters_specified),
                other => {
                    return Err(Error::argument(format!(
                        "{function}(): the parser did not produce an EppExpression, got 'Puppet::Pops::Model::{}'",
                        other.kind().name()
                    ))
                    .into());
                }
            },
            other => {
                return Err(Error::argument(format!(
                    "{function}(): the parser did not produce a LambdaExpression, got 'Puppet::Pops::Model::{}'",
                    other.kind().name()
                ))
                .into());
            }
        };
        if !program.definitions().is_empty() {
            return Err(Error::argument(format!(
                "{function}(): The EPP template contains illegal expressions (definitions)"
            ))
            .into());
        }
        let enforce = parameters_specified || arguments.is_none();
        let mut given: Vec<(Str, Value)> = Vec::new();
        for (name, value) in arguments.into_iter().flatten() {
            let name = Str::from(to_s(name));
            if name.contains("::") {
                scope.set(name.strip_prefix("::").unwrap_or(&name), value.clone())?;
            } else {
                given.push((name, value.clone()));
            }
        }
        if global {
            let scope = Scope::global_of(scope);
            let closure = Closure::new(program, body, Rc::clone(scope));
            scope.without_ephemerals(|| self.call_by_name(&closure, given, enforce))
        } else {
            self.call_by_name(&Closure::new(program, body, Rc::clone(scope)), given, enforce)
        }
    }

    pub(super) fn validate_options(&self) -> ValidateOptions<'_> {
        let settings = &self.environment.settings;
        ValidateOptions {
            strict: settings.strict,
            tasks: settings.tasks,
            stacks: COROUTINES,
            ..ValidateOptions::default()
        }
    }

    /// Parses and validates a template; warnings are logged. Compilations share the program of a file as long
    /// as its text stays the same.
    fn parse_template(&self, source: Source, is_file: bool) -> Result<Arc<Program>, Error> {
        let settings = &self.environment.settings;
        // The outer failure is a limit, which is independent of the template.
        let read = |source: Arc<Source>| -> Result<Result<ParsedTemplate, Error>, Error> {
            let watch = Watch::new(&self.usage.ends);
            let options = ParseOptions { epp: true, tasks: settings.tasks, stacks: COROUTINES };
            let (mut diagnostics, mut logs) = (Vec::new(), Vec::new());
            let program = match parse_watched(source, &options, &mut diagnostics, &watch)? {
                Ok(program) => program,
                Err(diagnostic) => return Ok(Err(diagnostic.into())),
            };
            diagnostics.extend(validate_watched(&program, &self.validate_options(), &mut logs, &watch)?);
            Ok(Ok(ParsedTemplate { program: Arc::new(program), logs, diagnostics }))
        };
        let source = Arc::new(source);
        let path = source.path().filter(|_| is_file);
        let template = match path {
            Some(path) => {
                self.environment.caches.epp_files.try_get(path, source.text(), || read(source.clone()))?
            }
            // The place is that of the call.
            None => Arc::new(read(source).map_err(|error| Error { location: Location::default(), ..error })?),
        };
        let template = Result::as_ref(&template).map_err(Error::clone)?;
        template.logs.iter().for_each(|entry| self.loaded.log.add(entry.clone()));
        crate::loader::assert_and_report(&template.diagnostics, self.loaded)?;
        Ok(template.program.clone())
    }
}
