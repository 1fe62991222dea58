//! The interface of the compilation for the evaluator: the seam between the evaluator and the catalog.

use std::rc::Rc;
use std::sync::Arc;

use super::scope::Source;
use super::{Chance, Closure, Evaluated, Evaluator, Origin, Scope};
use bunraku_host::ForeignResource;
use bunraku_pcore::Named;
use bunraku_pcore::types::Type;
use bunraku_pcore::value::{Hash, Str, Value};
use bunraku_syntax::ast::nodes::ResourceForm;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::Location;

/// A parameter of a resource with its setter and its place.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// The name.
    pub name: Str,
    /// The value.
    pub value: Value,
    /// The setter.
    pub setter: Rc<Setter>,
    /// The line of the parameter.
    pub line: Option<u32>,
    /// `+>`: adds to the existing value.
    pub append: bool,
    /// The origin of the value, if it is recorded.
    pub origin: Option<Arc<Origin>>,
}

/// The setter of parameters, shared by all parameters of a resource expression.
#[derive(Debug)]
pub struct Setter {
    /// Whose code it is.
    pub source: Source,
    /// The file of the code.
    pub file: Option<Arc<str>>,
}

impl Parameter {
    /// A parameter without a place.
    pub fn new(name: impl Into<Str>, value: Value, source: Source) -> Self {
        Self::set_by(&Rc::new(Setter { source, file: None }), name.into(), value)
    }

    /// A parameter without a line.
    pub fn set_by(setter: &Rc<Setter>, name: Str, value: Value) -> Self {
        Self { name, value, setter: Rc::clone(setter), line: None, append: false, origin: None }
    }

    /// The place, for errors.
    pub fn location(&self) -> Location {
        let file = self.setter.file.clone().filter(|file| !file.is_empty());
        Location { file, line: self.line, column: None }
    }
}

/// The common properties of all titles of a resource expression.
#[derive(Clone, Copy, Debug)]
pub struct Declaration<'d> {
    /// The form (real, virtual or exported), and the declaring source.
    pub form: Form,
    /// The type, in lower case.
    pub type_name: &'d str,
    /// The place.
    pub location: &'d Location,
    /// Whether references to the resources are needed.
    pub gives_references: bool,
}

/// The condition of a collector, its values already evaluated.
#[derive(Clone, Debug)]
pub enum Query {
    Equal(Str, Value),
    NotEqual(Str, Value),
    And(Box<Query>, Box<Query>),
    Or(Box<Query>, Box<Query>),
}

/// A collector: `Type <| query |> { … }`.
#[derive(Clone, Debug)]
pub struct Collector {
    /// The resource type's name.
    pub type_name: Str,
    /// Whether exported resources are collected too (`<<| |>>`).
    pub exported: bool,
    /// The condition; none collects all.
    pub query: Option<Query>,
    /// Overrides.
    pub operations: Vec<Parameter>,
    /// The place.
    pub location: Location,
}

/// The number of a collector in its compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CollectorId(pub usize);

/// The arrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RelationshipKind {
    /// `->`, `<-`
    Before,
    /// `~>`, `<~`
    Notify,
}

/// One end of an arrow.
#[derive(Clone, Debug)]
pub enum RelationshipEnd {
    /// A resource: its type's name and title.
    Resource(Type),
    /// All that a collector collects.
    Collector(CollectorId),
}

/// How `include`, `contain` and `require` differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Inclusion {
    Include,
    Contain,
    Require,
}

/// The arguments of `lookup()`.
#[derive(Clone, Debug, Default)]
pub struct LookupRequest {
    /// The keys, tried in order.
    pub names: Vec<Str>,
    /// The required type of the value.
    pub value_type: Option<Type>,
    /// The merge strategy: a name or a hash of options.
    pub merge: Option<Value>,
    /// The default, when one was given.
    pub default: Option<Value>,
    /// Values by key that win over all data.
    pub override_values: Option<Value>,
    /// Values by key that are used when no data is found.
    pub default_values: Option<Value>,
    /// The call of a function that `lookup` has replaced (`hiera` and its like), which sees the global layer
    /// only when the environment has no data of its own.
    pub is_hiera_call: bool,
    /// Levels of the hierarchy that this call puts before the others.
    pub location_overrides: Option<Value>,
}

impl LookupRequest {
    /// The error if no data has any of the keys, and there is no default.
    pub fn not_found(&self) -> Error {
        Error::lookup(match self.names.as_slice() {
            [name] => format!("Function lookup() did not find a value for the name '{name}'"),
            names => {
                let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
                format!("Function lookup() did not find a value for any of the names [{}]", names.join(", "))
            }
        })
    }
}

/// How resources are declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    /// Whether they are virtual or exported.
    pub of: ResourceForm,
    /// Whether a function declares them, and no expression: the reference then leaves unsaid that a resource
    /// is not exported.
    pub by_function: bool,
}

/// The compilation as the evaluator and the functions see it.
pub trait Context: Declarations + CatalogView {
    /// The time and the randomness of the compilation.
    fn chance(&self) -> &Chance;

    /// How the log names a scope: `Scope(Class[main])`.
    fn scope_name(&self, scope: &Rc<Scope>) -> Arc<str>;

    /// The declared result type of the function of a Deferred. A missing declaration is logged as a warning,
    /// once.
    ///
    /// # Errors
    /// The function does not exist, or does not accept the arguments of the Deferred.
    fn deferred_type(&self, evaluator: &Evaluator<'_>, deferred: &Value) -> Result<Option<Type>, Error>;

    /// Looks up data: `lookup()` and the `hiera` functions. `None` when nothing was found and no default was
    /// given.
    fn lookup(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        request: &LookupRequest,
        default_block: Option<&Closure>,
    ) -> Evaluated<Option<Value>>;

    /// Calls a function of an object that the compilation has made (`Puppet::LookupContext`). `None` if it
    /// has not made this object, or the object has no such function.
    fn call_member(
        &self,
        evaluator: &Evaluator<'_>,
        object: &Value,
        name: &str,
        arguments: &[Value],
        block: Option<&Closure>,
    ) -> Option<Evaluated> {
        let _ = (evaluator, object, name, arguments, block);
        None
    }

    /// The facts of the node.
    fn facts(&self) -> &Arc<Hash>;

    /// The certname of the node.
    fn node_name(&self) -> &str;
}

/// The declarations of programs.
pub trait Declarations {
    /// Converts the value of an attribute for a resource: references become canonical, an iterator is
    /// rejected. It must be called for every attribute operation, so that an error has its place.
    fn convert_attribute(&self, evaluator: &Evaluator<'_>, value: Value) -> Evaluated;

    /// The canonical form of a reference to a resource or a class, as resources and functions of the 3.x API
    /// get it.
    fn canonical_reference(&self, evaluator: &Evaluator<'_>, of: &Type) -> Evaluated<Type>;

    /// Puts another value in place of a list or hash among the parameters of the resource that a scope
    /// belongs to.
    fn replace_parameter(&self, scope: &Rc<Scope>, old: &Value, new: &Value);

    /// Adds resources of one type: a `type { title: … }` expression's body with all its titles. Gives
    /// references.
    fn create_resources(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        declaration: &Declaration<'_>,
        titles: &[Value],
        parameters: Named<Parameter>,
    ) -> Evaluated<Vec<Value>>;

    /// Sets defaults for a resource type from here on in this scope: `Type { … }`.
    fn set_defaults(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        type_name: &str,
        parameters: &[Parameter],
        location: &Location,
    ) -> Evaluated<()>;

    /// Overrides parameters of a resource: `Type[title] { … }`.
    fn override_resource(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        reference: &Type,
        parameters: &[Parameter],
        location: &Location,
    ) -> Evaluated<()>;

    /// Adds a collector.
    fn add_collector(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        collector: Collector,
    ) -> Evaluated<CollectorId>;

    /// Adds arrows from each source to each target.
    fn add_relationships(
        &self,
        evaluator: &Evaluator<'_>,
        sources: Vec<RelationshipEnd>,
        targets: Vec<RelationshipEnd>,
        kind: RelationshipKind,
        location: &Location,
    ) -> Evaluated<()>;

    /// Sets the replacement for a collector on the left of an arrow if it collects nothing: in `A -> C <| |>
    /// -> B` that is `A`. It must be called if the right side of an arrow is only a collector, with the ends
    /// of the left side.
    fn set_empty_alternative(
        &self,
        evaluator: &Evaluator<'_>,
        collector: CollectorId,
        alternative: Vec<RelationshipEnd>,
    );

    /// Declares classes by name: `include`, `contain`, `require`. Names are absolute (`::a::b`), as the
    /// functions make them.
    fn include_classes(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        names: &[Str],
        how: Inclusion,
        location: &Location,
    ) -> Evaluated<()>;

    /// Makes virtual resources real: `realize`. A reference is a type or a text (`Notify[a]`).
    fn realize(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        references: &[Value],
        location: &Location,
    ) -> Evaluated<()>;

    /// Adds tags to the resource of a scope: `tag`.
    fn add_tags(&self, scope: &Rc<Scope>, tags: &[Str]) -> Evaluated<()>;
}

/// The current catalog, and its definitions.
pub trait CatalogView {
    /// The scope of a class that was evaluated, for `$class::variable`.
    fn class_scope(&self, name: &str) -> Option<Rc<Scope>>;

    /// Whether a class was declared.
    fn has_class(&self, name: &str) -> bool;

    /// The names of the classes in the catalog, in the order in which they were evaluated.
    fn classes(&self) -> Vec<Str> {
        Vec::new()
    }

    /// The tags of the catalog.
    fn catalog_tags(&self) -> Vec<Str> {
        Vec::new()
    }

    /// Whether a resource is in the catalog.
    fn has_resource(&self, type_name: &str, title: &str) -> bool;

    /// The parameter of a resource in the catalog, or its default: `Type[title][parameter]`.
    fn resource_parameter(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        reference: &Type,
        parameter: &str,
    ) -> Evaluated;

    /// The parameters that a resource in the catalog has so far, without defaults. The resource whose body is
    /// evaluated in the scope is not found.
    fn resource_values(&self, scope: &Rc<Scope>, type_name: &str, title: &str) -> Option<Vec<(Str, Value)>>;

    /// The resource of this type and title in the catalog.
    fn resource(&self, type_name: &str, title: &str) -> Option<ForeignResource> {
        let _ = (type_name, title);
        None
    }

    /// The resources of the catalog, in the order in which they were declared.
    fn resources(&self) -> Vec<ForeignResource> {
        Vec::new()
    }

    /// The defaults that hold in a scope for a resource type.
    fn resource_defaults(&self, _scope: &Rc<Scope>, _type_name: &str) -> Vec<(Str, Value)> {
        Vec::new()
    }

    /// Whether a resource type (native or defined) of this name is known.
    fn has_resource_type(&self, evaluator: &Evaluator<'_>, name: &str) -> Evaluated<bool>;

    /// Whether the resource of a scope has all tags: `tagged`.
    fn has_tags(&self, scope: &Rc<Scope>, tags: &[Str]) -> bool;
}
