//! Finds the possible files of a name's definition, and loads them.
//!
//! Follows the reference's `parser/type_loader.rb` (classes and defined types, in manifests) and
//! `pops/loader/module_loaders.rb` (functions, plans and types, each in its own file).

use std::borrow::Cow;
use std::sync::Arc;

use super::collection::definitions;
use super::instantiate::{self, Entity};
use super::module::Module;
use super::paths::join_path;
use super::{Definition, Environment, Loaded, NodeDefinitions, absolute_name};
use bunraku_pcore::value::Str;
use bunraku_syntax::diagnostic::bug::{reading, writing};
use bunraku_syntax::diagnostic::{Error, ErrorKind};
use bunraku_syntax::names::split_first;
use bunraku_syntax::source::Location;

impl Environment {
    /// A class by its full name. Files of modules that may define it are loaded.
    ///
    /// Errors: such a file cannot be parsed or validated, or redefines something.
    pub fn find_class(&self, name: &str, loaded: &Loaded) -> Result<Option<Arc<Definition>>, Error> {
        self.find_or_load(name, loaded, |loaded, name| {
            loaded.tables.borrow().definitions.classes.get(name).cloned()
        })
    }

    /// A defined type by its full name. Files of modules that may define it are loaded.
    ///
    /// Errors: as [`find_class`](Self::find_class).
    pub fn find_define(&self, name: &str, loaded: &Loaded) -> Result<Option<Arc<Definition>>, Error> {
        self.find_or_load(name, loaded, |loaded, name| {
            loaded.tables.borrow().definitions.defines.get(name).cloned()
        })
    }

    /// A function that a loaded manifest defines among other things. It takes precedence over a built-in one.
    pub fn loaded_function(&self, name: &str, loaded: &Loaded) -> Option<Arc<Definition>> {
        loaded.tables.borrow().definitions.functions.get(&absolute_name(name)).cloned()
    }

    /// A function written in Puppet by its full name.
    ///
    /// Errors: its file cannot be parsed or validated, or does not define just this function.
    pub fn find_function(&self, name: &str, loaded: &Loaded) -> Result<Option<Arc<Definition>>, Error> {
        self.import_main(loaded)?;
        let name = absolute_name(name);
        if let Some(function) = loaded.tables.borrow().definitions.functions.get(&name) {
            return Ok(Some(function.clone()));
        }
        let kept = reading(&self.caches.functions).get(&name).cloned();
        let Some(function) = kept.map_or_else(|| self.load_function(&name, loaded), |kept| Ok(Some(kept)))?
        else {
            return Ok(None);
        };
        loaded.tables.borrow_mut().definitions.functions.insert(name, function.clone());
        Ok(Some(function))
    }

    fn load_function(&self, name: &Str, loaded: &Loaded) -> Result<Option<Arc<Definition>>, Error> {
        let Some((path, module)) = self.entity_path(name, |module| &module.functions, &self.functions) else {
            return Ok(None);
        };
        let function = self.instantiate(Entity::Function, name, path, module, loaded)?;
        let is_quiet = reading(&self.parsed).get(path).is_some_and(|file| file.quiet_program().is_some());
        if is_quiet {
            writing(&self.caches.functions).insert(name.clone(), Arc::clone(&function));
        }
        Ok(Some(function))
    }

    /// The node definitions that are loaded, in order.
    ///
    /// Errors: the main manifest cannot be loaded.
    pub fn node_definitions(&self, loaded: &Loaded) -> Result<Arc<NodeDefinitions>, Error> {
        self.import_main(loaded)?;
        Ok(Arc::clone(&loaded.tables.borrow().definitions.nodes))
    }

    /// Whether a resource type of this name is native: one of the core, or one that a module or another
    /// library has in Ruby.
    pub fn has_native_type(&self, name: &str) -> bool {
        let types = self.native_types.get_or_init(|| {
            let mut types: rustc_hash::FxHashMap<Str, ()> =
                CORE_RESOURCE_TYPES.iter().map(|&name| (name.into(), ())).collect();
            if let Some(directory) = &self.directory {
                // The output of `puppet generate types`.
                let generated = join_path(directory, ".resource_types");
                self.note(&generated);
                let names = self.host.list(&generated).unwrap_or_default();
                types.extend(names.iter().filter_map(|name| Some((name.strip_suffix(".pp")?.into(), ()))));
            }
            types
        });
        let name = absolute_name(name);
        types.contains_key(&name) || self.resource_type_file(&name).is_some()
    }

    /// Loads the main manifest, once in each compilation.
    pub(super) fn import_main(&self, loaded: &Loaded) -> Result<(), Error> {
        if let Some(result) = &loaded.tables.borrow().main {
            return result.clone();
        }
        loaded.tables.borrow_mut().main = Some(Ok(()));
        self.log_notices(loaded);
        let result = self.load_main(loaded);
        if result.is_err() {
            loaded.tables.borrow_mut().main = Some(result.clone());
        }
        result
    }

    fn load_main(&self, loaded: &Loaded) -> Result<(), Error> {
        if loaded.tables.borrow().is_without_main {
            return Ok(());
        }
        let check = loaded.ending(&*self.host);
        for file in self.main_files(&check)? {
            file.report(loaded).map_err(|error| self.for_environment(error))?;
        }
        // Nothing else was loaded before as a rule: then all compilations begin with the same definitions.
        let is_first = loaded.tables.borrow().is_untouched();
        if is_first && let Some(definitions) = self.main_definitions.get() {
            loaded.tables.borrow_mut().definitions = definitions.clone();
            return Ok(());
        }
        let mut programs = self.main_files(&check)?.iter().filter_map(|file| file.program());
        programs.try_for_each(|program| loaded.import(program, None, &check))?;
        if is_first {
            let mut tables = loaded.tables.borrow_mut();
            let own = std::mem::take(&mut tables.definitions);
            tables.definitions = self.main_definitions.get_or_init(|| own.shared()).clone();
        }
        Ok(())
    }

    /// An error of the main manifest that has no code, as the reference wraps it.
    fn for_environment(&self, error: Error) -> Error {
        if error.issue.is_some()
            || error.kind.ends_work()
            || error.message.starts_with("Language validation logged")
        {
            return error;
        }
        Error {
            kind: if error.kind.is_crash() { error.kind } else { ErrorKind::Puppet },
            message: format!("Could not parse for environment {}: {error}", self.name),
            location: Location::default(),
            ..error
        }
    }

    /// The result of `find`, now or after loading the files that may define the name.
    fn find_or_load(
        &self,
        name: &str,
        loaded: &Loaded,
        find: impl Fn(&Loaded, &str) -> Option<Arc<Definition>>,
    ) -> Result<Option<Arc<Definition>>, Error> {
        self.import_main(loaded)?;
        let name = absolute_name(name);
        if let Some(found) = find(loaded, &name) {
            return Ok(Some(found));
        }
        if name.is_empty() {
            return Ok(None);
        }
        let (module, mut rest) = match split_first(&name) {
            Some((module, rest)) => (module, Some(relative_path(rest).into_owned())),
            None => (name.as_str(), None),
        };
        let Some(module) = self.find_module(module) else { return Ok(None) };
        loop {
            self.load_manifest(module, "init", loaded)?;
            if let Some(path) = &rest {
                self.load_manifest(module, path, loaded)?;
            }
            if let Some(found) = find(loaded, &name) {
                return Ok(Some(found));
            }
            rest = match rest {
                Some(path) => path.rsplit_once('/').map(|(parent, _)| parent.to_owned()),
                None => return Ok(None),
            };
        }
    }

    /// Loads a manifest of a module, once in each compilation.
    fn load_manifest(&self, module: &Module, name: &str, loaded: &Loaded) -> Result<(), Error> {
        let Some(path) = module.manifests.find(&*self.host, &self.watched, name) else { return Ok(()) };
        if loaded.tables.borrow().files.contains(path) {
            return Ok(());
        }
        let check = loaded.ending(&*self.host);
        let Some(file) = self.parse_file(path, &check)? else { return Ok(()) };
        let program = file.report(loaded)?;
        loaded.tables.borrow_mut().files.insert(path.to_owned());
        let (of, definitions) = file.definitions.get_or_init(|| {
            let name = Str::from(module.name.as_str());
            let all = definitions(program, Some(&name)).collect();
            (name, all)
        });
        match *of == module.name {
            true => loaded.import_definitions(program, definitions.iter().cloned(), &check),
            false => loaded.import(program, Some(&module.name), &check),
        }
    }

    /// The file that a function, plan or type should have, and its module. The environment's own directory
    /// holds names without a namespace and those of the namespace `environment`.
    pub(super) fn entity_path<'e>(
        &'e self,
        name: &str,
        index: impl Fn(&Module) -> &super::module::FileIndex,
        own: &'e Option<super::module::FileIndex>,
    ) -> Option<(&'e str, Option<&'e Module>)> {
        let find_own = || Some((own.as_ref()?.find(&*self.host, &self.watched, &relative_path(name))?, None));
        match split_first(name) {
            None | Some(("environment", _)) => find_own(),
            Some((module, rest)) => {
                let module = self.find_module(module)?;
                let path = index(module).find(&*self.host, &self.watched, &relative_path(rest))?;
                Some((path, Some(module)))
            }
        }
    }

    /// The one definition in a file for this name.
    pub(super) fn instantiate(
        &self,
        entity: Entity,
        name: &Str,
        path: &str,
        module: Option<&Module>,
        loaded: &Loaded,
    ) -> Result<Arc<Definition>, Error> {
        let file = self
            .parse_file(path, &loaded.ending(&*self.host))?
            .ok_or_else(|| Error::io(format!("No such file or directory @ rb_sysopen - {path}")))?;
        let program = file.report(loaded)?;
        if let Some(kept) = file.only_definition.get().filter(|kept| kept.name == *name) {
            return Ok(Arc::clone(kept));
        }
        let node = instantiate::only_definition(entity, program, name, path)?;
        let module = module.map(|module| Str::from(module.name.as_str()));
        let made = Definition::new(name.clone(), program, node, module);
        let _ = file.only_definition.set(Arc::clone(&made));
        Ok(made)
    }
}

/// The path that a name without its first part has below the directory for it, without an ending.
fn relative_path(name: &str) -> Cow<'_, str> {
    if name.as_bytes().contains(&b':') { name.replace("::", "/").into() } else { name.into() }
}

/// The resource types that are always there.
const CORE_RESOURCE_TYPES: &[&str] = &[
    "component",
    "exec",
    "file",
    "filebucket",
    "group",
    "notify",
    "package",
    "resources",
    "schedule",
    "service",
    "stage",
    "tidy",
    "user",
    "whit",
];
