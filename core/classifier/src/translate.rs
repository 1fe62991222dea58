//! Rules as queries of PuppetDB: which nodes a rule would match.

use serde_json::{Value as Json, json};

use super::rule::{Component, Operator, Path, Rule};

/// The kind of query for the translation of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// A query of the endpoint `nodes`.
    Nodes,
    /// A query of the endpoint `inventory`, whose fields are facts in dotted notation.
    Inventory,
}

/// Translates a rule.
///
/// # Errors
/// Why it cannot be: the endpoint `nodes` knows neither structured nor trusted facts.
pub(super) fn translate(rule: &Rule, target: Target) -> Result<Json, String> {
    let all = |head: &str, operands: &[Rule]| -> Result<Json, String> {
        let mut form = vec![Json::from(head)];
        for operand in operands {
            form.push(translate(operand, target)?);
        }
        Ok(Json::Array(form))
    };
    match rule {
        Rule::And(operands) => all("and", operands),
        Rule::Or(or) => all("or", or.operands()),
        Rule::Not(operand) => all("not", std::slice::from_ref(operand)),
        Rule::Compare(comparison) => {
            let field = field(comparison.path(), target)?;
            let operator = comparison.operator();
            let value = match operator {
                Operator::Equal | Operator::Match => Json::from(comparison.value()),
                _ => number(comparison.value())?,
            };
            Ok(json!([operator.text(), field, value]))
        }
    }
}

fn number(text: &str) -> Result<Json, String> {
    let number = serde_json::from_str(text.trim()).ok().filter(Json::is_number);
    number.ok_or_else(|| format!("\"{text}\" is no number"))
}

fn field(path: &Path, target: Target) -> Result<Json, String> {
    match (path, target) {
        (Path::Field(name), _) if name == "name" => Ok(Json::from("certname")),
        (Path::Field(name), _) => Err(format!("nodes have no field \"{name}\"")),
        (Path::Fact { is_trusted: true, .. }, Target::Nodes) => {
            Err("PuppetDB's nodes cannot be queried by trusted facts".to_owned())
        }
        (Path::Fact { is_trusted: false, components }, Target::Nodes) => match components.as_slice() {
            [Component::Field(name)] => Ok(json!(["fact", name])),
            _ => Err("PuppetDB's nodes cannot be queried by structured facts".to_owned()),
        },
        (Path::Fact { is_trusted, components }, Target::Inventory) => {
            let mut dotted = if *is_trusted { "trusted" } else { "facts" }.to_owned();
            for component in components {
                match component {
                    Component::Field(name) if is_plain(name) => {
                        dotted.push('.');
                        dotted.push_str(name);
                    }
                    Component::Field(name) => {
                        dotted.push_str(&format!(".\"{}\"", name.replace('"', "\\\"")));
                    }
                    Component::Index(index) => dotted.push_str(&format!("[{index}]")),
                }
            }
            Ok(Json::from(dotted))
        }
    }
}

/// Whether a name needs no quotes in dotted notation.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte))
}
