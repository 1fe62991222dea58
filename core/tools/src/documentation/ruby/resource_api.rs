//! Types of resources of the Resource API: `Puppet::ResourceApi.register_type(name: …, attributes: { … })`.
//!
//! Follows puppet-strings' `handlers/ruby/rsapi_handler.rb`: a definition that is computed is not documented.

use lib_ruby_parser::Node as Ast;
use serde_json::{Map, Value as Json, json};

use super::File;
use super::call::{Call, pairs};
use crate::documentation::Documentation;
use crate::documentation::docstring::{Docstring, scrub, scrub_literal};
use crate::documentation::entry::{Attribute, ResourceType, ShownValues};
use bunraku_pcore::types::{NoTypes, Type, TypeKind};

/// The maximum nesting of a definition.
const MAX_DEPTH: u32 = 50;

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
    own.define(&schema);
    own.docstring.make_public();
}

impl ResourceType {
    /// The content of a definition of the Resource API.
    pub(in crate::documentation) fn defined(definition: &Json) -> Self {
        let name = definition["name"].as_str().unwrap_or_default().to_owned();
        let mut own = Self { name, ..Self::default() };
        if let Some(schema) = definition.as_object() {
            own.define(schema);
        }
        let says = |list: &Json, what: &str| list.as_array().is_some_and(|list| list.contains(&what.into()));
        let attributes = definition["attributes"].as_object();
        let has_behaviour = |of: &Json| of.get("behaviour").or_else(|| of.get("behavior")).is_some();
        if says(&definition["features"], "custom_insync")
            && attributes.is_some_and(|all| all.values().all(has_behaviour))
        {
            let trigger = json!({ "type": "Enum[do_not_specify_in_manifest]", "desc": TRIGGER });
            own.properties.push(Attribute::defined("rsapi_custom_insync_trigger", &trigger, false));
        }
        own
    }

    fn define(&mut self, schema: &Map<String, Json>) {
        self.is_defined = true;
        let said = schema.get("desc").or_else(|| schema.get("docs")).and_then(Json::as_str);
        self.own_text = said.map(scrub).unwrap_or_default();
        for (name, of) in schema.get("attributes").and_then(Json::as_object).into_iter().flatten() {
            let behaviour = of["behaviour"].as_str().or_else(|| of["behavior"].as_str());
            let attribute = Attribute::defined(name, of, behaviour == Some("namevar"));
            if matches!(of["behaviour"].as_str(), Some("parameter" | "namevar")) {
                self.parameters.push(attribute);
            } else {
                self.properties.push(attribute);
            }
        }
    }
}

impl Attribute {
    fn defined(name: &str, of: &Json, is_namevar: bool) -> Self {
        let description = of["desc"].as_str().unwrap_or_default().to_owned();
        let data_type = of["type"].as_str().unwrap_or_default();
        let own_text = match description.as_str() {
            "" => String::new(),
            text => scrub(&format!("{text} (a {data_type})")),
        };
        Self {
            name: name.to_owned(),
            own_text,
            description,
            data_type: of.get("type").filter(|of| !of.is_null() && of.as_str() != Some("")).cloned(),
            default: of.get("default").filter(|of| !of.is_null() && **of != Json::Bool(false)).cloned(),
            is_namevar,
            says_namevar: is_namevar,
            shown: Some(shown(data_type)),
            ..Self::default()
        }
    }
}

/// The Resource API's text about the property that it adds to types that have none, but compare by
/// themselves.
const TRIGGER: &str = "A hidden property which enables a type with custom insync to perform an insync check without specifying any \
                       insyncable properties";

const NUMERIC: &str = r"/\A[[:blank:]]*([-+]?)[[:blank:]]*((0[xX][0-9A-Fa-f]+)|(0?\d+)((?:\.\d+)?(?:[eE]-?\d+)?))[[:blank:]]*\z/";

/// The values that the Resource API declares to Puppet for a data type, as its `value_creator.rb` does.
fn shown(data_type: &str) -> ShownValues {
    let pattern = |pattern: &str| ShownValues {
        text: format!("Values can match `{pattern}`."),
        of: format!("Pattern[{pattern}]"),
    };
    let any = ShownValues { text: String::new(), of: "Any".to_owned() };
    if data_type == "Enum[present, absent]" {
        let text = "Valid values are `absent`, `present`. ".to_owned();
        return ShownValues { text, of: "Enum['absent', 'present']".to_owned() };
    }
    let Ok(read) = Type::parse(data_type, &NoTypes) else { return any };
    let inner = match read.kind() {
        TypeKind::Optional(Some(inner)) => inner.clone(),
        _ => read,
    };
    match inner.kind() {
        TypeKind::String { .. } => pattern("//"),
        TypeKind::Boolean { .. } => ShownValues {
            text:
                "Valid values are `true` (also called `true, true`), `false` (also called `false, false`). "
                    .to_owned(),
            of: "Variant[Boolean, Enum['true', 'true', 'true', 'false', 'false', 'false']]".to_owned(),
        },
        TypeKind::Integer { .. } => pattern(r"/^-?\d+$/"),
        TypeKind::Float { .. } | TypeKind::Numeric => pattern(NUMERIC),
        _ => any,
    }
}

/// A literal; `None` for a computed value.
fn value(file: &File<'_>, node: &Ast, depth: u32) -> Option<Json> {
    if depth > MAX_DEPTH {
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
