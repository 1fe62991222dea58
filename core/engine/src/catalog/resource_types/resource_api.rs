//! Types that are declared by `Puppet::ResourceApi.register_type(name: …, attributes: {…}, title_patterns: […])`.

use super::known::Known;
use super::reader::{Declared, pattern};
use super::{AttributeKind, Titles};
use bunraku_pcore::meter::Bounded;
use bunraku_pcore::types::{NoTypes, Type};
use bunraku_pcore::value::Str;

/// What the definition of a type says; all attributes are accepted when it is not known.
pub(super) fn declared(definition: Option<&Known>) -> Declared {
    let mut found = Declared { is_resource_api: true, ..Declared::default() };
    let attributes = definition.and_then(|definition| definition.member("attributes"));
    let Some(Known::Hash(attributes)) = attributes else {
        found.is_computed = true;
        return found;
    };
    let behaviour = |of: &Known| {
        of.member("behaviour").or_else(|| of.member("behavior")).and_then(Known::text).map(str::to_owned)
    };
    if let Some(Known::List(features)) = definition.and_then(|definition| definition.member("features")) {
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
            of.member("type").and_then(Known::text).and_then(|text| Type::parse(text, &NoTypes).ok());
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
fn titles(patterns: &Known) -> Option<Titles> {
    let patterns = patterns.list()?.iter().map(|entry| {
        let Known::Pattern(source, options) = entry.member("pattern")? else { return None };
        let pattern = pattern(source, options);
        let names = pattern
            .regex(&Bounded::default())
            .ok()?
            .names()
            .iter()
            .map(|(name, _)| Str::from(name.as_str()))
            .collect();
        Some((pattern, names))
    });
    Some(Titles::Patterns(patterns.collect::<Option<_>>()?))
}
