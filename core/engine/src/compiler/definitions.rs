//! The compiler's data about definitions: parameters with their types and defaults, and resource types by
//! name.
//!
//! Follows the reference's `parser/ast/pops_bridge.rb` and the parts of `resource/type.rb` that declare
//! parameters.

use std::sync::{Arc, LazyLock};

use super::Compilation;
use super::resource::TypeOf;
use crate::catalog::resource_types::{
    METAPARAMETERS, ResourceType, find as find_native_type, is_metaparameter,
};
use crate::eval::{Evaluated, Evaluator, is_constant_with, is_plain_name};
use crate::loader::{Definition, DefinitionParameter, DefinitionSignature, Fresh};
use bunraku_pcore::Named;
use bunraku_pcore::pairs::hash_of;
use bunraku_pcore::types::{StructMember, Type, TypeKind};
use bunraku_pcore::value::{Str, Value};
use bunraku_syntax::ast::{List, Node, NodeId, Program, Text};
use bunraku_syntax::diagnostic::{Error, LogEntry, LogLevel};

impl Compilation<'_> {
    /// A class by name, loading its file when needed.
    pub(super) fn find_class(
        &self,
        evaluator: &Evaluator<'_>,
        name: &str,
    ) -> Evaluated<Option<Arc<Definition>>> {
        let found = self.environment.find_class(name, &self.loaded)?;
        self.prepare_loaded(evaluator)?;
        Ok(found)
    }

    /// A defined type by name, loading its file when needed.
    pub(super) fn find_define(
        &self,
        evaluator: &Evaluator<'_>,
        name: &str,
    ) -> Evaluated<Option<Arc<Definition>>> {
        let found = self.environment.find_define(name, &self.loaded)?;
        self.prepare_loaded(evaluator)?;
        Ok(found)
    }

    /// A resource type by name: one that agents manage, or a defined type.
    pub(super) fn find_resource_type(
        &self,
        evaluator: &Evaluator<'_>,
        name: &str,
    ) -> Evaluated<Option<TypeOf>> {
        Ok(self.find_named_type(evaluator, name)?.map(|(found, _)| found))
    }

    /// As [`find_resource_type`](Self::find_resource_type), with the name as references show it.
    pub(super) fn find_named_type(
        &self,
        evaluator: &Evaluator<'_>,
        name: &str,
    ) -> Evaluated<Option<(TypeOf, Str)>> {
        // A found type stays: everything that is loaded later has another name.
        if let Some(known) = self.resource_types.borrow().get(name) {
            let known = known.clone();
            self.prepare_loaded(evaluator)?;
            return Ok(Some(known));
        }
        let found = match (!name.contains(':')).then(|| self.native_type(name)).flatten() {
            Some(native) => Some(TypeOf::Native(native)),
            None => self.find_define(evaluator, name)?.map(TypeOf::Define),
        };
        let found = found.map(|found| (found.clone(), found.name()));
        if let Some(found) = &found {
            self.resource_types.borrow_mut().insert(name.into(), found.clone());
        }
        Ok(found)
    }

    /// A type that agents manage: one of the core, or one that a module brings.
    pub(super) fn native_type(&self, name: &str) -> Option<Arc<ResourceType>> {
        find_native_type(self.environment, name)
    }

    /// Reads the parameters of all definitions that were loaded since the last time: the reference evaluates
    /// their types when it loads them.
    pub(super) fn prepare_loaded(&self, evaluator: &Evaluator<'_>) -> Evaluated<()> {
        let Fresh { main, own } = self.loaded.take_loaded();
        if let Some(main) = main {
            match main.unsettled.get() {
                Some(unsettled) => {
                    // The environment keeps the parameters of the others.
                    let settled = main.all.len() - unsettled.len();
                    main.all.first().map_or(Ok(()), |first| charge(evaluator, first, settled))?;
                    self.prepare(evaluator, unsettled)?;
                }
                None => {
                    self.prepare(evaluator, &main.all)?;
                    let unsettled = main.all.iter().filter(|definition| !Self::is_kept(definition));
                    main.unsettled.get_or_init(|| unsettled.cloned().collect());
                }
            }
        }
        self.prepare(evaluator, &own)
    }

    fn prepare(&self, evaluator: &Evaluator<'_>, definitions: &[Arc<Definition>]) -> Evaluated<()> {
        for definition in definitions {
            charge(evaluator, definition, 1)?;
            self.signature(evaluator, definition)?;
        }
        Ok(())
    }

    /// Whether the environment keeps the parameters of a definition.
    fn is_kept(definition: &Definition) -> bool {
        definition.findings.signature.get().is_some()
    }

    /// The parameters of a class or defined type.
    pub(super) fn signature(
        &self,
        evaluator: &Evaluator<'_>,
        definition: &Arc<Definition>,
    ) -> Evaluated<Arc<DefinitionSignature>> {
        if let Some(known) = self.known_signature(definition) {
            return Ok(known);
        }
        let made = Arc::new(self.read_signature(evaluator, definition)?);
        if self.is_shared(definition) {
            return Ok(Arc::clone(definition.findings.signature.get_or_init(|| made)));
        }
        self.signatures.borrow_mut().insert(&definition.program, definition.node, Arc::clone(&made));
        Ok(made)
    }

    /// The parameters of a class or defined type that were read before.
    pub(super) fn known_signature(&self, definition: &Definition) -> Option<Arc<DefinitionSignature>> {
        let Definition { program, node, findings, .. } = definition;
        let kept = findings.signature.get().cloned();
        kept.or_else(|| self.signatures.borrow().get(program, *node).cloned())
    }

    /// Whether the parameters of a definition are the same in all compilations in an environment, and were
    /// read without messages.
    fn is_shared(&self, definition: &Definition) -> bool {
        let program = &definition.program;
        let (list, ..) = parts(program, definition.node);
        let is_settled = |name: &str| self.environment.is_settled_type(name);
        program.list(list).iter().all(|&parameter| match *program.node(parameter) {
            Node::Parameter { name, type_expr, .. } => {
                !is_metaparameter(program.text(name))
                    && type_expr.is_none_or(|of| is_constant_with(program, of, &is_settled))
            }
            _ => true,
        })
    }

    fn read_signature(
        &self,
        evaluator: &Evaluator<'_>,
        definition: &Arc<Definition>,
    ) -> Evaluated<DefinitionSignature> {
        let program = &definition.program;
        let (list, body, parent) = parts(program, definition.node);
        let list = program.list(list);
        let mut members = Vec::with_capacity(COMMON_MEMBERS.len() + list.len());
        members.extend(COMMON_MEMBERS.iter().cloned());
        let mut parameters = Vec::with_capacity(list.len());
        let mut names: Named<()> = Named::with_capacity(list.len());
        for &parameter in list {
            let Node::Parameter { name, value: default, type_expr, .. } = *program.node(parameter) else {
                continue;
            };
            let name = Str::from(program.text(name));
            let of = match type_expr {
                Some(expression) => match evaluator.evaluate(&self.top, program, expression)? {
                    Value::Type(of) => of,
                    _ => return Err(Error::internal("a parameter's type is no type").into()),
                },
                None => any(),
            };
            if is_metaparameter(&name) {
                self.warn_of_metaparameter(&name, definition, default.is_some())?;
            }
            if parameters.len() % PARAMETERS_BETWEEN_LOOKS == PARAMETERS_BETWEEN_LOOKS - 1 {
                let span = program.span(parameter);
                evaluator.usage.check().map_err(|error| error.at(program.source(), span))?;
            }
            if !names.insert_new(name.clone(), ()) || name == "name" || is_metaparameter(&name) {
                members.retain(|known: &StructMember| known.name != name);
            }
            members.push(member(&name, default.is_some(), of.clone()));
            let hash = hash_of(name.as_str());
            parameters.push(DefinitionParameter { name, hash, of, default, node: parameter });
        }
        let is_nop = |&body: &NodeId| matches!(program.node(body), Node::Nop {});
        Ok(DefinitionSignature {
            has_metaparameters: parameters.iter().any(|parameter| is_metaparameter(&parameter.name)),
            are_plain: names.len() == parameters.len() && names.keys().all(|name| is_plain_name(name)),
            names: Arc::new(names),
            parameters,
            members: Type::structure(members),
            body: body.filter(|body| !is_nop(body)),
            parent: parent.map(|name| Str::from(program.text(name))).filter(|name| !name.is_empty()),
        })
    }

    fn warn_of_metaparameter(
        &self,
        name: &str,
        definition: &Definition,
        has_default: bool,
    ) -> Result<(), Error> {
        let message = metaparameter_message(name, &definition.name, has_default);
        if !has_default {
            return Err(Error::plain(message));
        }
        self.warn_once(&message.clone(), message);
        Ok(())
    }

    /// Adds a warning of Puppet itself to the log, once.
    pub(super) fn warn_once(&self, key: &str, message: String) {
        self.loaded.log.add_once(key, warning(message));
    }
}

/// Counts steps of reading definitions, at the place of one.
fn charge(evaluator: &Evaluator<'_>, at: &Definition, steps: usize) -> Result<(), Error> {
    let (source, span) = (at.program.source(), at.program.span(at.node));
    evaluator.charge_steps(steps).map_err(|error| error.at(source, span))
}

/// The diagnostic for a parameter with the name of a metaparameter: an error if it has no default.
pub(super) fn metaparameter_message(name: &str, of: &str, has_default: bool) -> String {
    if has_default {
        format!(
            "{name} is a metaparam; this value will inherit to all contained resources in the {of} definition"
        )
    } else {
        format!("{name} is a metaparameter; please choose another parameter name in the {of} definition")
    }
}

/// A warning of Puppet itself, without a place.
pub(super) fn warning(message: String) -> LogEntry {
    LogEntry::of_puppet(LogLevel::Warning, message)
}

/// The parameters, the body and the parent class of a definition.
pub(super) fn parts(program: &Program, definition: NodeId) -> (List, Option<NodeId>, Option<Text>) {
    match *program.node(definition) {
        Node::HostClassDefinition { parameters, body, parent_class, .. } => (parameters, body, parent_class),
        Node::ResourceTypeDefinition { parameters, body, .. } => (parameters, body, None),
        Node::NodeDefinition { body, .. } => (List::EMPTY, body, None),
        _ => (List::EMPTY, None, None),
    }
}

/// The number of parameters between two checks whether the compilation can continue.
const PARAMETERS_BETWEEN_LOOKS: usize = 1024;

/// The parameters of all definitions: a name and the metaparameters.
static COMMON_MEMBERS: LazyLock<Vec<StructMember>> = LazyLock::new(|| {
    let names = std::iter::once("name").chain(METAPARAMETERS.iter().copied());
    names.map(|name| member(name, true, any())).collect()
});

fn any() -> Type {
    TypeKind::Any.into()
}

/// A member of the Struct of parameters.
fn member(name: &str, is_optional: bool, value: Type) -> StructMember {
    let key: Type = TypeKind::String { size: None, value: Some(name.into()) }.into();
    let key = if is_optional { TypeKind::Optional(Some(key)).into() } else { key };
    StructMember { name: name.into(), key, value }
}
