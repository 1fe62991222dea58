//! Type aliases, Object types and TypeSets that modules and manifests define, resolved.
//!
//! Follows the reference's `pops/loader/type_definition_instantiator.rb`, `runtime3_type_loader.rb` and the
//! types part of `module_loaders.rb`. A type that refers to itself, directly or through others, is known by
//! its name while it is being resolved; when the outermost resolution ends, the types that it found in their
//! own files are shared with other compilations.

use std::sync::{Arc, LazyLock};

use super::collection::{Definitions, EndOfWork};
use super::instantiate::Entity;
use super::module::Module;
use super::{Definition, Environment, Loaded, absolute_name};
use bunraku_pcore::types::format::capitalize_segments;
use bunraku_pcore::types::{self, NoTypes, ObjectType, Type, TypeKind, TypeLoader, define};
use bunraku_pcore::value::{Str, Value};
use bunraku_syntax::ast::{Node, NodeId, Program};
use bunraku_syntax::diagnostic::bug::{reading, writing};
use bunraku_syntax::diagnostic::render::log_entry;
use bunraku_syntax::diagnostic::{Error, LogLevel, Severity, Strictness, issues};
use bunraku_syntax::names::split_first;
use bunraku_syntax::watch::Check;

/// The maximum number of types in progress of resolution.
const MAX_DEPTH: usize = 150;

impl Environment {
    /// A type alias, Object type or TypeSet by its full name, resolved. Resource types, native and defined,
    /// are found too, as references to them. Built-in types are not found here.
    ///
    /// Errors: the file of the type cannot be parsed or validated or does not define just this type, or the
    /// definition is wrong.
    pub fn find_type(&self, name: &str, loaded: &Loaded) -> Result<Option<Type>, Error> {
        self.find_type_for(name, Wanted::Itself, None, loaded)
    }

    /// As [`find_type`](Self::find_type), for a type that knows the types of one module only, if there is
    /// one.
    fn find_type_for(
        &self,
        name: &str,
        wanted: Wanted,
        within: Option<&str>,
        loaded: &Loaded,
    ) -> Result<Option<Type>, Error> {
        self.import_main(loaded)?;
        let name = absolute_name(name);
        if let Some(known) = self.known_type(&name, loaded) {
            return Ok(known);
        }
        if let Some(definition) = self.main_type(&name, loaded) {
            return self.resolve(&name, &definition, false, &self.types(loaded)).map(Some);
        }
        if let Some(resource) = self.resource_type(&name, loaded)? {
            loaded.tables.borrow_mut().types.insert(name, resource.clone());
            return Ok(Some(resource));
        }
        if name == "puppet::lookupcontext" {
            return Ok(Some(LOOKUP_CONTEXT.0.clone()));
        }
        // Looking for a defined type may have loaded a manifest that has the type.
        let definition = loaded.tables.borrow().definitions.types.get(&name).cloned();
        if let Some(definition) = definition {
            return self.resolve(&name, &definition, false, &self.types(loaded)).map(Some);
        }
        let found = match self.type_file(&name) {
            Some((path, module)) => Some(self.type_of_file(&name, (path, module), wanted, within, loaded)?),
            None => self.member_of_set(&name, loaded)?,
        };
        let mut tables = loaded.tables.borrow_mut();
        match &found {
            Some(of) => drop(tables.types.insert(name, of.clone())),
            None => drop(tables.no_types.insert(name)),
        }
        Ok(found)
    }

    /// The type of an expression.
    ///
    /// Errors: the expression is not a type.
    pub fn interpret(&self, program: &Program, node: NodeId, loaded: &Loaded) -> Result<Type, Error> {
        types::interpret(program, node, &self.types(loaded))
    }

    /// The types that can be named in the environment: those of its modules too.
    pub fn types<'a>(&'a self, loaded: &'a Loaded) -> Types<'a> {
        Types {
            environment: self,
            loaded,
            end: loaded.ending(&*self.host),
            finds_members: true,
            within: None,
        }
    }

    /// The type of a text.
    ///
    /// Errors: the text is not a type.
    pub fn parse_type(&self, text: &str, loaded: &Loaded) -> Result<Type, Error> {
        Type::parse(text, &self.types(loaded))
    }

    /// Resolves the types of this environment, outside of a compilation.
    pub fn type_loader<'a>(&'a self, loaded: &'a Loaded) -> impl TypeLoader + 'a {
        self.types(loaded)
    }

    /// A name that a compilation already knows.
    fn known_type(&self, name: &Str, loaded: &Loaded) -> Option<Option<Type>> {
        let tables = loaded.tables.borrow();
        match tables.types.get(name) {
            Some(of) => Some(Some(of.clone())),
            None => tables.no_types.contains(name).then_some(None),
        }
    }

    /// A type that the main manifest defines; it goes before resource types.
    fn main_type(&self, name: &Str, loaded: &Loaded) -> Option<Arc<Definition>> {
        let tables = loaded.tables.borrow();
        tables.definitions.types.get(name).filter(|definition| definition.module.is_none()).cloned()
    }

    /// A resource type, native or defined, as a reference.
    fn resource_type(&self, name: &Str, loaded: &Loaded) -> Result<Option<Type>, Error> {
        let is_native = !name.contains("::") && self.has_native_type(name);
        if !is_native && self.find_define(name, loaded)?.is_none() {
            return Ok(None);
        }
        Ok(Some(Type::resource(capitalize_segments(name), None)))
    }

    /// The file that a type should have. A name that is that of a module is its TypeSet.
    fn type_file(&self, name: &Str) -> Option<(&str, Option<&Module>)> {
        let found = self.entity_path(name, |module| &module.types, &self.types);
        if found.is_some() || name.contains("::") {
            return found;
        }
        let module = self.find_module(name)?;
        Some((module.types.find(&*self.host, &self.watched, "init_typeset")?, Some(module)))
    }

    /// Whether a name is that of a type in a module's file that is resolved for all compilations, and whose
    /// lookup logs and defines nothing except classes and defined types, which are also found without it.
    pub fn is_settled_type(&self, name: &str) -> bool {
        let name = absolute_name(name);
        let Some((_, rest)) = split_first(&name) else { return false };
        let is_of_main = |definitions: &Definitions| definitions.types.contains_key(&name);
        if self.main_definitions.get().is_some_and(is_of_main)
            || !reading(&self.resolved_types).contains_key(&name)
        {
            return false;
        }
        let Some((path, Some(module))) = self.type_file(&name) else { return false };
        let rest = rest.replace("::", "/");
        let parents = std::iter::successors(Some(rest.as_str()), |path| Some(path.rsplit_once('/')?.0));
        let mut manifests = std::iter::once("init").chain(parents);
        self.is_quiet(path, |_| true)
            && manifests.all(|manifest| {
                let path = module.manifests.find(&*self.host, &self.watched, manifest);
                path.is_none_or(|path| self.is_quiet(path, is_class_or_define))
            })
    }

    /// Whether a file was read without messages, and its definitions pass a test.
    fn is_quiet(&self, path: &str, test: impl Fn(&Node) -> bool) -> bool {
        let file = reading(&self.parsed).get(path).cloned();
        let program = file.as_ref().and_then(|file| file.quiet_program());
        program.is_some_and(|program| program.definitions().iter().all(|&id| test(program.node(id))))
    }

    /// The type in a file of its own.
    fn type_of_file(
        &self,
        name: &Str,
        (path, module): (&str, Option<&Module>),
        wanted: Wanted,
        within: Option<&str>,
        loaded: &Loaded,
    ) -> Result<Type, Error> {
        let is_set_file = module.is_some() && !name.contains("::");
        let definition = self.instantiate(Entity::Type, name, path, module, loaded)?;
        let shared = reading(&self.resolved_types).get(name).cloned();
        let of = match shared.filter(|_| within.is_none()) {
            Some(of) => of,
            None => {
                // In the reference, a set that was asked for by its own name is resolved by a loader that
                // does not know its members; for one of its members, by the loader of its module, which
                // knows no other modules. How it is resolved depends on the compilation, so that it is not
                // shared.
                let finds_members = !is_set_file || wanted == Wanted::Member;
                let is_shareable = !is_set_file && within.is_none();
                let own = module.filter(|_| is_set_file && finds_members).map(|module| &*module.name);
                let types = Types { finds_members, within: within.or(own), ..self.types(loaded) };
                self.resolve(name, &definition, is_shareable, &types)?
            }
        };
        if is_set_file && !matches!(of.kind(), TypeKind::TypeSet(_)) {
            let set = capitalize_segments(name);
            return Err(Error::argument(format!(
                "The code loaded from {path} does not define the TypeSet '{set}'"
            )));
        }
        Ok(of)
    }

    /// A member of a TypeSet whose name is a prefix of the name.
    fn member_of_set(&self, name: &Str, loaded: &Loaded) -> Result<Option<Type>, Error> {
        let mut prefix = name.as_str();
        while let Some((parent, _)) = prefix.rsplit_once("::") {
            prefix = parent;
            let known = loaded.tables.borrow().types.get(prefix).cloned();
            // The members of a set in the main manifest are not known before the set itself was asked for.
            let set = match known {
                Some(of) => Some(of).filter(|_| self.is_defined_type(prefix, loaded)),
                None if self.type_file(&Str::from(prefix)).is_some() => {
                    self.find_type_for(prefix, Wanted::Member, None, loaded)?
                }
                None => None,
            };
            // A set makes the names of its own members known, and not those of the members of sets in it.
            let own = name.get(prefix.len() + 2..).filter(|rest| !rest.contains("::"));
            if let Some(found) = set.zip(own).and_then(|(set, own)| member(&set, own)) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// Whether a type has a definition of its own, in a file or a manifest.
    fn is_defined_type(&self, name: &str, loaded: &Loaded) -> bool {
        loaded.tables.borrow().definitions.types.contains_key(name)
            || self.type_file(&Str::from(name)).is_some()
    }

    /// Resolves the type of a definition. Meanwhile the type is known by its name.
    fn resolve(
        &self,
        name: &Str,
        definition: &Definition,
        is_shareable: bool,
        types: &Types<'_>,
    ) -> Result<Type, Error> {
        let loaded = types.loaded;
        let program = &*definition.program;
        let (cased, expression) = match *program.node(definition.node) {
            Node::TypeAlias { name, type_expr: Some(expression) } => (program.text(name), expression),
            Node::TypeDefinition { name, body: Some(body), .. } => (program.text(name), body),
            _ => return Err(Error::internal(format!("{name} defines no type"))),
        };
        let of = define::create(cased, program, expression);
        {
            let mut tables = loaded.tables.borrow_mut();
            if tables.resolving.len() >= MAX_DEPTH {
                return Err(Error::internal("Types refer to each other too deeply"));
            }
            tables.resolving.push(name.clone());
            tables.types.insert(name.clone(), of.clone());
        }
        let result = define::resolve(&of, program, expression, types);
        let mut tables = loaded.tables.borrow_mut();
        tables.resolving.pop();
        match result {
            Err(error) => {
                tables.types.remove(name);
                tables.resolved.clear();
                Err(error)
            }
            Ok(()) => {
                if is_shareable {
                    tables.resolved.push((name.clone(), of.clone()));
                }
                if tables.resolving.is_empty() {
                    let resolved = std::mem::take(&mut tables.resolved);
                    let mut shared = writing(&self.resolved_types);
                    for (name, of) in resolved {
                        shared.entry(name).or_insert(of);
                    }
                }
                Ok(of)
            }
        }
    }
}

const fn is_class_or_define(node: &Node) -> bool {
    matches!(node, Node::HostClassDefinition { .. } | Node::ResourceTypeDefinition { .. })
}

/// The member of a TypeSet with a name in lower case.
fn member(set: &Type, name: &str) -> Option<Type> {
    let TypeKind::TypeSet(set) = set.kind() else { return None };
    let types = &set.definition.get()?.types;
    types.iter().find(|(member, _)| member.eq_ignore_ascii_case(name)).map(|(_, of)| of.clone())
}

/// The types that a compilation finds in its environment; see [`Environment::types`].
pub struct Types<'a> {
    environment: &'a Environment,
    loaded: &'a Loaded,
    end: EndOfWork<'a>,
    finds_members: bool,
    /// The name of the only module whose types are found.
    within: Option<&'a str>,
}

/// What a type is looked up for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Itself,
    /// A type in it, if it is a TypeSet.
    Member,
}

impl TypeLoader for Types<'_> {
    fn load_type(&self, name: &str) -> Result<Option<Type>, Error> {
        let name = absolute_name(name);
        if self.within.is_some_and(|module| split_first(&name).map_or(&*name, |(first, _)| first) != module) {
            return self.environment.resource_type(&name, self.loaded);
        }
        self.environment.find_type_for(&name, Wanted::Itself, self.within, self.loaded)
    }

    fn finds_members(&self) -> bool {
        self.finds_members
    }

    fn key_given_twice(&self, key: &str, program: &Program, node: NodeId) -> Result<(), Error> {
        let (source, span) = (program.source(), program.span(node));
        let report = issues::duplicate_key(key);
        match self.environment.settings.strict {
            Strictness::Off => {}
            Strictness::Warning => {
                let warning = report.at(Severity::Warning, source, span);
                self.loaded.log.add(log_entry(LogLevel::Warning, &warning));
            }
            Strictness::Error => {
                let error = Error { issue: Some(report.issue), ..Error::plain(report.message) };
                return Err(error.at(source, span));
            }
        }
        Ok(())
    }

    fn end(&self) -> &dyn Check {
        &self.end
    }
}

/// `Puppet::LookupContext`, as a type and as its Object type.
static LOOKUP_CONTEXT: LazyLock<(Type, Arc<ObjectType>)> = LazyLock::new(|| {
    let definition = "{parent => Any, attributes => {\
        environment_name => {type => String[1], kind => derived}, \
        module_name => Variant[String[1], Undef]}, \
      functions => {\
        not_found => Callable[[0, 0], Undef], \
        explain => Callable[[0, 0, Callable[0, 0]], Undef], \
        interpolate => Callable[1, 1], \
        cache => Callable[[Optional[Scalar], Any], Any], \
        cache_all => Callable[[Hash[Optional[Scalar], Any]], Undef], \
        cache_has_key => Callable[[Optional[Scalar]], Boolean], \
        cached_value => Callable[[Optional[Scalar]], Any], \
        cached_entries => Variant[Callable[[0, 0, Callable[1, 1]], Undef], Callable[[0, 0, Callable[2, 2]], Undef], \
          Callable[[0, 0], Iterable[Tuple[Optional[Scalar], Any]]]], \
        cached_file_data => Callable[String, Optional[Callable[Array[Integer]]]]}}";
    let object = types::object_definition::unresolved("Puppet::LookupContext");
    if let Ok(Value::Hash(hash)) = Type::parse_literal(definition, &NoTypes) {
        let _ = types::object_definition::define(&object, &hash);
    }
    (Type::from(TypeKind::Object(object.clone())), object)
});

/// `Puppet::LookupContext`: the type of what functions get that give data to Hiera.
pub fn lookup_context_type() -> Arc<ObjectType> {
    LOOKUP_CONTEXT.1.clone()
}
