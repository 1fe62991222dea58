//! The reference's messages about the definitions of a manifest when it imports them, as in `puppet parser
//! validate`.

use std::sync::Arc;

use bunraku_syntax::ast::{Node, Program};
use bunraku_syntax::diagnostic::{Diagnostic, Error, Issue, Report, Severity};

use super::definitions::{metaparameter_message, parts};
use crate::catalog::resource_types::is_metaparameter;
use crate::loader::{Check, Loaded};

/// A parameter has the name of a metaparameter.
pub const METAPARAMETER: Issue = Issue("metaparameter");
/// Two definitions have one name.
pub const DUPLICATE_DEFINITION: Issue = Issue("duplicate-definition");
/// A node has a name that no node can have.
pub const NODE_NAME: Issue = Issue("node-name");

/// Returns the problems of the definitions in a program that was parsed and validated: parameters with names
/// of metaparameters, then names that are already defined. The issues are of this library, because the
/// reference has none for them.
///
/// # Errors
/// `check`'s, which ends the work.
pub fn check_definitions(program: &Arc<Program>, check: Check<'_>) -> Result<Vec<Diagnostic>, Error> {
    if program.definitions().is_empty() {
        return Ok(Vec::new());
    }
    let mut found = check_parameters(program);
    for (node, error) in Loaded::default().import_sound(program, check)? {
        let is_node_name = error.kind.is_crash();
        let issue = if is_node_name { NODE_NAME } else { DUPLICATE_DEFINITION };
        let report = Report { issue, message: error.message };
        found.push(report.at(Severity::Error, program.source(), program.span(node)));
    }
    Ok(found)
}

fn check_parameters(program: &Program) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for &definition in program.definitions() {
        let name = match *program.node(definition) {
            Node::HostClassDefinition { name, .. } | Node::ResourceTypeDefinition { name, .. } => name,
            _ => continue,
        };
        let (parameters, ..) = parts(program, definition);
        for &id in program.list(parameters) {
            let Node::Parameter { name: parameter, value, .. } = *program.node(id) else { continue };
            let parameter = program.text(parameter);
            if is_metaparameter(parameter) {
                let of = program.text(name);
                let message = metaparameter_message(parameter, of, value.is_some());
                let severity = if value.is_some() { Severity::Warning } else { Severity::Error };
                let report = Report { issue: METAPARAMETER, message };
                found.push(report.at(severity, program.source(), program.span(id)));
            }
        }
    }
    found
}
