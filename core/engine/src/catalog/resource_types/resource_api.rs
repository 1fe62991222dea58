//! Types that are declared by `Puppet::ResourceApi.register_type(name: …, attributes: {…}, title_patterns:
//! […])`.

use lib_ruby_parser::traverse::visitor::{Visitor, visit_send};
use lib_ruby_parser::{Node as Ast, nodes};
use serde_json::Value as Json;

use super::constant::{Constant, Scope};
use super::declared::Declared;
use super::reader::pattern;
use super::{AttributeKind, Titles};
use bunraku_pcore::fuel::BoundedFuel;
use bunraku_pcore::types::{NoTypes, Type};
use bunraku_pcore::value::Str;

/// The definitions that a file in Ruby registers; one that is computed is null.
pub fn definitions_in(file: &str, text: &str) -> Vec<Json> {
    super::reader::definitions_with(file, text, &|_| None)
}

/// The definitions in a tree, with the constants of a scope.
pub(super) fn definitions(tree: &Ast, scope: &Scope<'_>) -> Vec<Json> {
    struct Calls<'s, 't>(Vec<Json>, &'s Scope<'t>);
    impl Visitor for Calls<'_, '_> {
        fn on_send(&mut self, call: &nodes::Send) {
            if call.method_name == "register_type" && call.recv.is_some() {
                let known = call.args.first().and_then(|definition| self.1.clone().value(definition));
                self.0.push(known.as_ref().map_or(Json::Null, written));
            }
            visit_send(self, call);
        }
    }
    let mut calls = Calls(Vec::new(), scope);
    calls.visit(tree);
    calls.0
}

fn written(known: &Constant) -> Json {
    match known {
        Constant::Nil | Constant::Identity => Json::Null,
        Constant::Boolean(truth) => (*truth).into(),
        Constant::Integer(number) => (*number).into(),
        Constant::Text(text) => text.as_str().into(),
        Constant::Pattern(source, options) => (*pattern(source, options).source).into(),
        Constant::List(list) => list.iter().map(written).collect(),
        Constant::Hash(pairs) => {
            let member = |(key, value): &(Constant, Constant)| Some((key.text()?.to_owned(), written(value)));
            Json::Object(pairs.iter().filter_map(member).collect())
        }
    }
}

/// The declaration in the definition of a type; all attributes are accepted if it is unknown.
pub(super) fn declared(definition: Option<&Constant>) -> Declared {
    let mut found = Declared { is_resource_api: true, ..Declared::default() };
    let attributes = definition.and_then(|definition| definition.member("attributes"));
    let Some(Constant::Hash(attributes)) = attributes else {
        found.is_computed = true;
        return found;
    };
    let behaviour = |of: &Constant| {
        of.member("behaviour").or_else(|| of.member("behavior")).and_then(Constant::text).map(str::to_owned)
    };
    if let Some(Constant::List(features)) = definition.and_then(|definition| definition.member("features")) {
        found.features = features.iter().filter_map(|feature| feature.text().map(Str::from)).collect();
    }
    let is_custom = found.features.iter().any(|feature| feature == "custom_insync");
    if is_custom && attributes.iter().all(|(_, of)| behaviour(of).is_some()) {
        found.declare(AttributeKind::Property, "rsapi_custom_insync_trigger");
    }
    for (name, of) in attributes {
        let Some(name) = name.text() else {
            found.is_computed = true;
            continue;
        };
        let of_values =
            of.member("type").and_then(Constant::text).and_then(|text| Type::parse(text, &NoTypes).ok());
        found.value_types.extend(of_values.map(|of| (Str::from(name), of)));
        match behaviour(of).as_deref() {
            Some("namevar") => {
                found.declare(AttributeKind::Parameter, name);
                found.add_key(name);
            }
            Some("parameter" | "read_only") => found.declare(AttributeKind::Parameter, name),
            _ => found.declare(AttributeKind::Property, name),
        }
    }
    let patterns = definition.and_then(|definition| definition.member("title_patterns"));
    found.patterns = patterns.map(|patterns| titles(patterns).unwrap_or(Titles::Unread));
    // Without patterns a title is the first of the keys.
    if let (None, Some(key)) = (&found.patterns, found.keys.first()) {
        found.patterns = Some(Titles::Whole(key.clone()));
    }
    found
}

/// `[{ pattern: /(?<name>…)/, desc: … }]`: the groups have the names of attributes.
fn titles(patterns: &Constant) -> Option<Titles> {
    let patterns = patterns.list()?.iter().map(|entry| {
        let Constant::Pattern(source, options) = entry.member("pattern")? else { return None };
        let pattern = pattern(source, options);
        let names = pattern
            .regex(&BoundedFuel::default())
            .ok()?
            .names()
            .iter()
            .map(|(name, _)| Str::from(name.as_str()))
            .collect();
        Some((pattern, names))
    });
    Some(Titles::Patterns(patterns.collect::<Option<_>>()?))
}
