//! Functions and types that have a file of their own: the file must define just that.
//!
//! Follows the reference's `pops/loader/puppet_function_instantiator.rb` and
//! `type_definition_instantiator.rb`.

use bunraku_syntax::ast::{Node, NodeId, Program};
use bunraku_syntax::diagnostic::Error;

/// The expected definition of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entity {
    Function,
    Type,
}

impl Entity {
    fn word(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Type => "type",
        }
    }
}

/// The only definition in a program from the file for this name.
///
/// Errors: the file defines nothing, several things, another thing or another name, or contains other code.
pub(super) fn only_definition(
    entity: Entity,
    program: &Program,
    name: &str,
    path: &str,
) -> Result<NodeId, Error> {
    let word = entity.word();
    let refuse = |what: String| Err(Error::argument(format!("The code loaded from {path} {what}")));
    let mut definitions = program.definitions().iter().copied();
    let Some(definition) = definitions.next() else {
        return refuse(format!("does not define the {word} '{name}' - it is empty."));
    };
    if definitions.next().is_some() {
        return refuse(format!("must contain only the {word} '{name}' - it has additional definitions."));
    }
    let actual = match (entity, *program.node(definition)) {
        (Entity::Function, Node::FunctionDefinition { name, .. }) => name,
        (Entity::Type, Node::TypeAlias { name, .. } | Node::TypeDefinition { name, .. }) => name,
        (Entity::Type, _) => {
            return refuse(format!(
                "does not define the type '{name}' - no type alias or type definition found."
            ));
        }
        (Entity::Function, _) => {
            return refuse(format!("does not define the {word} '{name}' - no {word} found."));
        }
    };
    let actual = program.text(actual);
    match entity {
        Entity::Type if actual.to_lowercase() != name => {
            return refuse(format!(
                "produced type with the wrong name, expected '{name}', actual '{actual}'"
            ));
        }
        Entity::Function if actual != name => {
            return refuse(format!("produced {word} with the wrong name, expected {name}, actual {actual}"));
        }
        Entity::Function | Entity::Type => {}
    }
    if program.body() != definition {
        let quoted = if entity == Entity::Type { format!("'{name}'") } else { name.to_owned() };
        return refuse(format!("contains additional logic - can only contain the {word} {quoted}"));
    }
    Ok(definition)
}
