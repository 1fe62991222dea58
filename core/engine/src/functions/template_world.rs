//! The compilation as Ruby code in templates sees it: `scope`, the functions, the limits.
//!
//! Follows the reference's `parser/templatewrapper.rb` and `parser/scope.rb`.

use std::cell::Cell;
use std::sync::Arc;

use super::files;
use crate::eval::variable::Variable;
use crate::eval::{Call, Scope, Unwind};
use bunraku_host::ForeignResource;
use bunraku_pcore::Value;
use bunraku_pcore::fuel::Fuel;
use bunraku_pcore::value::{RegexpValue, Str, Timestamp};
use bunraku_ruby_interpreter::tree::Lambda;
use bunraku_ruby_interpreter::{Program, RefusedError, World};
use bunraku_syntax::diagnostic::{Error, LogEntry, LogLevel};
use bunraku_syntax::source::Location;

/// A call of `template` or `inline_template`, as the world of its template.
pub(super) struct TemplateWorld<'c, 's, 'e> {
    call: &'c Call<'s, 'e>,
    /// Whether the template has done what others can see.
    acted: Cell<bool>,
}

impl<'c, 's, 'e> TemplateWorld<'c, 's, 'e> {
    pub(super) const fn new(call: &'c Call<'s, 'e>) -> Self {
        Self { call, acted: Cell::new(false) }
    }

    /// Whether the template has called functions, set variables or written to the log.
    pub(super) fn has_acted(&self) -> bool {
        self.acted.get()
    }

    fn find(&self, name: &str) -> Result<Variable, Error> {
        self.call.evaluator.find_variable(self.call.scope, name).map_err(Unwind::into_error)
    }
}

impl Fuel for TemplateWorld<'_, '_, '_> {
    fn charge(&self, steps: u64) -> Result<(), Error> {
        self.call.evaluator.usage.charge_steps(steps).map_err(|error| *error)
    }

    fn check_size(&self, bytes: usize) -> Result<(), Error> {
        self.call.evaluator.usage.check_size(bytes)
    }
}

impl World for TemplateWorld<'_, '_, '_> {
    fn enter(&self) -> Result<(), Error> {
        self.call.evaluator.usage.enter().map_err(|error| *error)
    }

    fn leave(&self) {
        self.call.evaluator.usage.leave();
    }

    fn now(&self) -> Timestamp {
        self.call.evaluator.now()
    }

    fn lookup_variable(&self, name: &str) -> Result<Option<Value>, Error> {
        self.call.evaluator.look_up_variable(self.call.scope, name).map_err(Unwind::into_error)
    }

    fn has_variable(&self, name: &str) -> bool {
        matches!(self.find(name), Ok(Variable::Known(_)))
    }

    fn variables(&self) -> Vec<(Str, Value)> {
        self.call.scope.to_variables().into_iter().filter(|(_, value)| !value.is_undef()).collect()
    }

    fn variable(&self, name: &str) -> Option<Value> {
        self.call.scope.variable(name)
    }

    fn names_variables_as_ruby(&self) -> bool {
        !self.call.scope.has_odd_names()
    }

    fn keep_method(&self, name: &str, method: &Arc<Lambda>) {
        self.call.evaluator.template_methods.borrow_mut().insert(name.into(), Arc::clone(method));
    }

    fn kept_method(&self, name: &str) -> Option<Arc<Lambda>> {
        self.call.evaluator.template_methods.borrow().get(name).map(Arc::clone)
    }

    fn regexp(&self, source: Str) -> Arc<RegexpValue> {
        self.call.evaluator.environment.regexp_in_text(&source)
    }

    fn set_variable(&self, name: &str, value: Value) -> Result<(), Error> {
        self.acted.set(true);
        self.call.scope.set(name, value)
    }

    fn change_variable(&self, name: &str, old: &Value, new: &Value) {
        self.acted.set(true);
        self.call.evaluator.change_variable(self.call.scope, name, old, new);
    }

    fn changes(&self) -> usize {
        self.call.evaluator.changes.get()
    }

    fn call_function(
        &self,
        name: &str,
        arguments: &[Value],
        is_legacy: bool,
    ) -> Result<Option<Value>, Error> {
        self.acted.set(true);
        let Call { evaluator, scope, site, .. } = *self.call;
        if is_legacy && evaluator.functions.get(name).is_some_and(|function| function.only_in_4x) {
            return Err(Error::plain(format!(
                "{name}() can only be called using the 4.x function API. See Scope#call_function"
            )));
        }
        if is_legacy && !evaluator.can_call(name).map_err(Unwind::into_error)? {
            return Ok(None);
        }
        evaluator.call_external(scope, name, arguments, None, site).map(Some).map_err(Unwind::into_error)
    }

    fn classes(&self) -> Vec<Str> {
        self.call.evaluator.context.classes()
    }

    fn catalog_tags(&self) -> Vec<Str> {
        self.call.evaluator.context.catalog_tags()
    }

    fn environment(&self) -> Str {
        self.call.evaluator.environment.name.as_str().into()
    }

    fn node(&self) -> Str {
        self.call.evaluator.context.node_name().into()
    }

    fn module(&self) -> Option<Str> {
        self.call.scope.module.clone()
    }

    fn scope_name(&self) -> Str {
        (*self.call.evaluator.context.scope_name(self.call.scope)).into()
    }

    fn read_file(&self, path: &str) -> Result<Option<String>, Error> {
        match self.file_kind(path) {
            Some(false) => files::read_text(self.call, path).map(Some),
            _ => Ok(None),
        }
    }

    fn file_kind(&self, path: &str) -> Option<bool> {
        self.call.evaluator.environment.host.info(path).map(|info| info.is_directory)
    }

    fn environment_variable(&self, name: &str) -> Result<Option<String>, Error> {
        Ok(self.call.evaluator.environment.host.environment_variable(name))
    }

    fn glob(&self, pattern: &str) -> Result<Vec<String>, Error> {
        Ok(bunraku_host::glob(&*self.call.evaluator.environment.host, pattern))
    }

    fn list(&self, path: &str) -> Result<Option<Vec<String>>, Error> {
        Ok(self.call.evaluator.environment.host.list(path).ok())
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), Error> {
        let evaluator = self.call.evaluator;
        for part in bytes.chunks_mut(32) {
            let drawn = evaluator.context.chance().draw(&*evaluator.environment.host)?;
            for (byte, drawn) in part.iter_mut().zip(drawn) {
                *byte = drawn;
            }
        }
        Ok(())
    }

    fn log_once(&self, key: &str, level: LogLevel, message: String) {
        self.acted.set(true);
        self.call.evaluator.loaded.log.add_once(key, LogEntry::of_puppet(level, message));
    }

    fn stack(&self) -> Vec<Location> {
        let Call { evaluator, site, .. } = *self.call;
        std::iter::once(site.location()).chain(evaluator.calls_around(site)).collect()
    }

    fn has_function(&self, name: &str) -> Result<bool, Error> {
        self.call.evaluator.can_call(name).map_err(Unwind::into_error)
    }

    fn log(&self, level: LogLevel, message: String) {
        self.acted.set(true);
        // An entry that exceeds the log's limit is dropped; the template's own limits end it.
        drop(self.call.log(level, message));
    }

    fn lookup_top_variable(&self, name: &str) -> Result<Option<Value>, Error> {
        let top = Scope::global_of(self.call.scope);
        self.call.evaluator.look_up_variable(top, name).map_err(Unwind::into_error)
    }

    fn set_top_variable(&self, name: &str, value: Value) -> Result<(), Error> {
        self.acted.set(true);
        Scope::global_of(self.call.scope).set(name, value)
    }

    fn call_from_top(&self, name: &str, arguments: &[Value]) -> Result<Value, Error> {
        self.acted.set(true);
        let Call { evaluator, scope, site, .. } = *self.call;
        evaluator
            .call_external(Scope::global_of(scope), name, arguments, None, site)
            .map_err(Unwind::into_error)
    }

    fn module_directory(&self, name: &str) -> Option<Str> {
        self.call.evaluator.environment.find_module(name).map(|module| module.path.as_str().into())
    }

    fn resource(&self, type_name: &str, title: &str) -> Option<ForeignResource> {
        self.call.evaluator.context.resource(type_name, title)
    }

    fn library(&self, name: &str) -> Result<Option<(Str, Str)>, Error> {
        crate::eval::ruby_library(self.call.evaluator.environment, name)
    }

    fn program(
        &self,
        path: &str,
        text: &str,
        make: &dyn Fn() -> Result<Program, RefusedError>,
    ) -> Result<Arc<Program>, RefusedError> {
        self.call.evaluator.environment.caches.ruby_programs.get(path, text, make)
    }
}
