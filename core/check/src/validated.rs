//! What bodies of definitions demand of their parameters: `assert_type`, `validate_legacy` and the functions
//! that it replaces.

use bunraku_engine::loader::{Environment, Loaded};
use bunraku_pcore::types::{NoTypes, Type};
use bunraku_syntax::ast::{Node, NodeId, Program};

use super::includes::is_always;

/// A type that a body demands.
#[derive(Debug)]
pub(crate) struct Demand {
    /// The type of the values that pass.
    pub of: Type,
    /// Whether it is demanded whenever the body is evaluated.
    pub is_always: bool,
}

/// What the functions of the standard library's first versions let pass, which `validate_legacy` also asks.
const VALIDATING: &[(&str, &str)] = &[
    ("validate_absolute_path", "Variant[String, Array]"),
    ("validate_array", "Array"),
    ("validate_bool", "Boolean"),
    ("validate_hash", "Hash"),
    ("validate_integer", "Variant[Numeric, String, Array, Undef]"),
    ("validate_numeric", "Variant[Numeric, String, Array, Undef]"),
    ("validate_re", "Optional[String]"),
    ("validate_string", "Optional[String]"),
];

/// What a function of these lets pass; nothing for others.
fn passing(name: &str) -> Option<Type> {
    let (_, of) = VALIDATING.iter().find(|(known, _)| *known == name)?;
    Type::parse(of, &NoTypes).ok()
}

/// What a definition's body demands, each with the name of the parameter: whenever it is evaluated, or under
/// conditions that do not ask for the parameter itself.
pub(crate) fn demands(
    environment: &Environment,
    loaded: &Loaded,
    program: &Program,
    definition: NodeId,
) -> Vec<(String, Demand)> {
    let mut found = Vec::new();
    for id in program.descendants(definition) {
        // A block gives another value in the place of one that is refused.
        let Node::CallNamedFunctionExpression { functor_expr, arguments, lambda: None, .. } =
            *program.node(id)
        else {
            continue;
        };
        let Node::QualifiedName { value } = *program.node(functor_expr) else { continue };
        let arguments = program.list(arguments);
        let of_first = || {
            let of = environment.interpret(program, *arguments.first()?, loaded).ok()?;
            of.unresolved_reference().is_none().then_some(of)
        };
        let (of, names) = match program.text(value) {
            "assert_type" => (of_first(), arguments.get(1..2)),
            "validate_legacy" | "stdlib::validate_legacy" => {
                let former = arguments.get(1).and_then(|&id| literal(program, id)).and_then(passing);
                let both = former.zip(of_first()).map(|(former, of)| Type::variant([of, former]));
                (both, arguments.get(2..3))
            }
            "validate_re" => (passing("validate_re"), arguments.get(..1)),
            name => (passing(name), Some(arguments)),
        };
        let (Some(of), Some(names)) = (of, names) else { continue };
        let is_always = is_always(program, id, Some(definition));
        for name in names.iter().filter_map(|&id| variable(program, id)) {
            if is_always || !is_asked_for(program, id, definition, name) {
                found.push((name.to_owned(), Demand { of: of.clone(), is_always }));
            }
        }
    }
    found
}

/// Whether a condition around an expression may ask for a variable.
fn is_asked_for(program: &Program, id: NodeId, definition: NodeId, name: &str) -> bool {
    let mut around = program.ancestors(id).take_while(|above| *above != definition);
    around.any(|above| {
        let test = match *program.node(above) {
            Node::IfExpression { test, .. }
            | Node::UnlessExpression { test, .. }
            | Node::CaseExpression { test, .. } => test,
            Node::SelectorExpression { .. }
            | Node::AndExpression { .. }
            | Node::OrExpression { .. }
            | Node::LambdaExpression { .. } => return true,
            _ => return false,
        };
        let variables = program.descendants(test).into_iter();
        variables.filter_map(|id| variable(program, id)).any(|read| read == name)
    })
}

fn literal(program: &Program, id: NodeId) -> Option<&str> {
    match *program.node(id) {
        Node::LiteralString { value } => Some(program.text(value)),
        _ => None,
    }
}

fn variable(program: &Program, id: NodeId) -> Option<&str> {
    let Node::VariableExpression { expr } = *program.node(id) else { return None };
    match *program.node(expr) {
        Node::QualifiedName { value } => Some(program.text(value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_sound() {
        for (name, _) in VALIDATING {
            assert!(passing(name).is_some(), "{name}");
        }
    }
}
