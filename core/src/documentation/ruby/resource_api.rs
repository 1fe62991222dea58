//! Types of resources of the Resource API: `Puppet::ResourceApi.register_type(name: …, attributes: { … })`.
//!
//! Follows puppet-strings' `handlers/ruby/rsapi_handler.rb`: a definition that is computed is not documented.

use lib_ruby_parser::Node as Ast;
use serde_json::{Map, Value as Json};

use super::File;
use super::call::{Call, pairs};
use crate::documentation::Documentation;
use crate::documentation::docstring::{Docstring, scrub_literal};
use crate::documentation::entry::Attribute;

/// How deep a definition may nest.
const DEEPEST: u32 = 50;

/// Adds a type.
pub(super) fn register_type(file: &File<'_>, documentation: &mut Documentation, call: &Call<'_>) {
    let Some(definition @ Ast::Kwargs(_)) = call.argument(0) else { return };
    let Some(Json::Object(schema)) = value(file, definition, 0) else { return };
    let Some(name) = schema.get("name").and_then(Json::as_str) else { return };
    let (place, mut docstring) = (file.place(call.node), file.documented(call.node));
    documentation.begin(place, "puppet_types", &mut docstring);
    let description = schema.get("docs").and_then(Json::as_str).map(scrub_literal);
    match &description {
        Some(text) => {
            docstring = Docstring::parse(text);
            documentation.begin(place, "puppet_types", &mut docstring);
        }
        None => {
            let what = format!("Missing a description for Puppet resource type '{name}' at {place}.");
            documentation.warn(place, what);
        }
    }
    documentation.warn_of_summary(place, "puppet_type", name, &docstring);
    let (own, _) = documentation.resource_type(name, file.name, place.line, Docstring::default());
    own.is_declared = true;
    own.docstring = docstring;
    own.description = description.unwrap_or_default();
    for (name, of) in schema.get("attributes").and_then(Json::as_object).into_iter().flatten() {
        let behaviour = of["behaviour"].as_str();
        let attribute = Attribute {
            name: name.clone(),
            description: of["desc"].as_str().unwrap_or_default().to_owned(),
            data_type: of.get("type").filter(|of| !of.is_null() && of.as_str() != Some("")).cloned(),
            default: of.get("default").filter(|of| !of.is_null() && **of != Json::Bool(false)).cloned(),
            is_namevar: behaviour == Some("namevar"),
            says_namevar: behaviour == Some("namevar"),
            ..Attribute::default()
        };
        if matches!(behaviour, Some("parameter" | "namevar")) {
            own.parameters.push(attribute);
        } else {
            own.properties.push(attribute);
        }
    }
    own.docstring.make_public();
}

/// A literal; none of what is computed.
fn value(file: &File<'_>, node: &Ast, depth: u32) -> Option<Json> {
    if depth > DEEPEST {
        return None;
    }
    Some(match node {
        Ast::Nil(_) => Json::Null,
        Ast::True(_) => true.into(),
        Ast::False(_) => false.into(),
        Ast::Int(number) => number.value.replace('_', "").parse::<i64>().ok()?.into(),
        Ast::Array(array) => {
            array.elements.iter().map(|one| value(file, one, depth + 1)).collect::<Option<Vec<_>>>()?.into()
        }
        Ast::Hash(_) | Ast::Kwargs(_) => {
            let member = |(key, of)| {
                let key = value(file, key, depth + 1)?;
                Some((
                    key.as_str().map_or_else(|| key.to_string(), str::to_owned),
                    value(file, of, depth + 1)?,
                ))
            };
            Json::Object(pairs(node).into_iter().map(member).collect::<Option<Map<_, _>>>()?)
        }
        other => file.literal(other)?.into(),
    })
}
