//! The Ruby of an environment's modules: the core's access to what `Bunraku::Registry` (in
//! `lib/bunraku/registry.rb`) has loaded.
//!
//! A registry is created when the environment first needs one. It belongs to this load of the environment and
//! is dropped with it. The owner of the host marks it for Ruby's garbage collector.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

use bunraku::diagnostic;
use bunraku::host::{
    Declaration, ErbFailure, ErbTemplate, ForeignCall, ForeignFunction, FunctionApi, LegacyApi, ModuleRuby,
    RubySurroundings, RubyType,
};
use bunraku::pcore::Value;
use bunraku::pcore::value::Str;
use magnus::value::{LazyId, Opaque, ReprValue as _};
use magnus::{Error, RArray, Ruby, TryConvert as _, gc};

use crate::convert::{Classes, to_ruby};
use crate::crossing;
use crate::host::run_function;

/// A registry.
pub(crate) struct Registry {
    object: Opaque<magnus::Value>,
    /// The loaded functions, by name and file.
    functions: RwLock<HashMap<(String, String), Arc<ModuleFunction>>>,
}

impl Registry {
    /// Lets `setup` create a registry; `None` if it creates none.
    pub(crate) fn open(
        ruby: &Ruby,
        setup: magnus::Value,
        around: &RubySurroundings<'_>,
    ) -> Result<Option<Self>, Error> {
        let modules = ruby.hash_new();
        for (name, path) in around.modules {
            modules.aset(*name, *path)?;
        }
        let settings = ruby.hash_new();
        for (name, value) in around.settings {
            settings.aset(name.as_str(), to_ruby(ruby, value)?)?;
        }
        let modulepath = ruby.ary_from_iter(around.modulepath.iter().map(String::as_str));
        let paths = |paths: &[String]| ruby.ary_from_iter(paths.iter().map(String::as_str));
        let libraries = ruby.ary_from_iter([
            paths(around.gems),
            ruby.ary_from_iter(around.libdir),
            paths(around.load_path),
            paths(around.vendored),
        ]);
        let arguments = (around.name, around.directory, modulepath, modules, libraries, settings);
        let object: magnus::Value = setup.funcall("module_ruby", arguments)?;
        if object.is_nil() {
            return Ok(None);
        }
        Ok(Some(Self { object: object.into(), functions: RwLock::default() }))
    }

    /// Marks the Ruby objects in use for the garbage collector.
    pub(crate) fn mark(&self, marker: &gc::Marker) {
        marker.mark(self.object);
        // The registry keeps them alive, but allows them to be moved. No thread holds the lock while Ruby
        // runs.
        if let Ok(functions) = self.functions.read() {
            functions.values().for_each(|function| marker.mark(function.object));
        }
    }
}

impl ModuleRuby for Registry {
    fn function(
        &self,
        name: &str,
        file: &str,
        api: FunctionApi,
    ) -> Result<Arc<dyn ForeignFunction>, diagnostic::Error> {
        let key = (name.to_owned(), file.to_owned());
        if let Some(known) = self.functions.read().ok().and_then(|known| known.get(&key).cloned()) {
            return Ok(known);
        }
        let function = crossing::call_ruby(|ruby| {
            let object: magnus::Value =
                ruby.get_inner(self.object).funcall("function", (name, file, api == FunctionApi::Legacy))?;
            Ok(Arc::new(ModuleFunction::new(ruby, self.object, object)?))
        })?;
        if let Ok(mut known) = self.functions.write() {
            known.insert(key, Arc::clone(&function));
        }
        Ok(function)
    }

    fn render_erb(
        &self,
        template: &ErbTemplate<'_>,
        call: &dyn ForeignCall,
    ) -> Option<Result<String, ErbFailure>> {
        // The template line of an exception; `None` for an exception that no template can rescue.
        let line = Mutex::new(None);
        let classes = Classes::of_opaque(self.object, true);
        let result = run_function(call, classes, &[], |ruby, _, call| {
            let registry = ruby.get_inner(self.object);
            let arguments = (template.path, template.text, call);
            let result: Result<magnus::Value, Error> = registry.funcall("render_template", arguments);
            if let Some(raised) = result.as_ref().err().and_then(Error::value)
                && let Ok(mut line) = line.lock()
            {
                *line = registry.funcall("template_line", (raised, template.path))?;
            }
            result
        });
        let line = line.into_inner().ok().flatten();
        Some(match result {
            Ok(Value::Binary(bytes)) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
            Ok(rendered) => Ok(rendered.as_str().unwrap_or_default().to_owned()),
            Err(error) => Err(ErbFailure { error, line }),
        })
    }

    fn resource_type(&self, name: &str, file: &str) -> Result<Option<RubyType>, diagnostic::Error> {
        crossing::call_ruby(|ruby| {
            let facts: Option<RArray> = ruby.get_inner(self.object).funcall("resource_type", (name, file))?;
            let Some(facts) = facts else { return Ok(None) };
            let (keys, all): (Vec<String>, RArray) = (facts.entry(0)?, facts.entry(1)?);
            let mut attributes = Vec::new();
            for attribute in all {
                let attribute = RArray::try_convert(attribute)?;
                attributes.push((attribute.entry::<String>(0)?.into(), attribute.entry(1)?));
            }
            let names = |list: Vec<String>| list.into_iter().map(Str::from).collect();
            let mut title_patterns = Vec::new();
            for pattern in facts.entry::<RArray>(3)? {
                let pattern = RArray::try_convert(pattern)?;
                let source: String = pattern.entry(0)?;
                title_patterns.push((source.into(), names(pattern.entry(1)?)));
            }
            Ok(Some(RubyType { keys: names(keys), attributes, isomorphic: facts.entry(2)?, title_patterns }))
        })
    }
}

static INVOKE: LazyId = LazyId::new("invoke");

/// Prepares names for later use, with the GVL held.
pub(crate) fn prepare(ruby: &Ruby) {
    LazyId::force(&INVOKE, ruby);
}

/// A function of a module. The registry keeps its Ruby object.
struct ModuleFunction {
    object: Opaque<magnus::Value>,
    classes: Classes,
    declaration: Declaration,
}

impl ModuleFunction {
    fn new(ruby: &Ruby, registry: Opaque<magnus::Value>, object: magnus::Value) -> Result<Self, Error> {
        let mut declaration = Declaration {
            signatures: object.funcall("signatures", ())?,
            mismatches: object.funcall("mismatches", ())?,
            local_types: object.funcall("local_types", ())?,
            subjects: object.funcall("subjects", ())?,
            legacy: None,
        };
        let legacy: Option<RArray> = object.funcall("legacy", ())?;
        if let Some(legacy) = legacy {
            declaration.legacy =
                Some(LegacyApi { arity: i32::try_convert(legacy.entry(0)?)?, is_rvalue: legacy.entry(1)? });
        }
        let classes = Classes::of(ruby.get_inner(registry), declaration.legacy.is_some());
        Ok(Self { object: object.into(), classes, declaration })
    }
}

impl ForeignFunction for ModuleFunction {
    fn signatures(&self) -> Vec<String> {
        Vec::new()
    }

    fn declaration(&self) -> Option<Declaration> {
        Some(self.declaration.clone())
    }

    fn call(
        &self,
        signature: usize,
        arguments: &[Value],
        call: &dyn ForeignCall,
    ) -> Result<Value, diagnostic::Error> {
        let has_block = call.has_block();
        run_function(call, self.classes, arguments, |ruby, given, call| {
            ruby.get_inner(self.object).funcall(*INVOKE, (signature, given, call, has_block))
        })
    }
}
