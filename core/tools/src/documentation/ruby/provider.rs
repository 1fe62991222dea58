//! Providers: `Puppet::Type.type(:name).provide(:other) do … end`.
//!
//! Follows puppet-strings' `handlers/ruby/provider_handler.rb`.

use super::File;
use super::call::{Call, pairs};
use super::resource_type::{description, own_text};
use crate::documentation::Documentation;
use crate::documentation::docstring::Docstring;
use crate::documentation::entry::Provider;

/// Adds a provider.
pub(super) fn provide(file: &File<'_>, documentation: &mut Documentation, call: &Call<'_>) {
    let Some(of) = call.receiver().and_then(Call::of).filter(|of| of.name() == "type") else { return };
    if of.receiver().map(|receiver| file.source(receiver)) != Some("Puppet::Type") {
        return;
    }
    let literal = |call: &Call<'_>| call.argument(0).and_then(|name| file.literal(name));
    let Some((type_name, name)) = literal(&of).zip(literal(call)) else { return };
    let is_own = |other: &Provider| other.name == name && other.type_name == type_name;
    let known = documentation.providers.iter().position(is_own);
    let mut own = known.map(|index| documentation.providers.remove(index)).unwrap_or_else(|| Provider {
        name: name.clone(),
        type_name: type_name.clone(),
        file: file.name.to_owned(),
        line: file.line(call.node),
        ..Provider::default()
    });
    let place = file.place(call.node);
    own.docstring = file.documented(call.node);
    let group = format!("puppet_providers_{type_name}");
    documentation.begin(place, &group, &mut own.docstring);
    let what = format!("Puppet provider '{name}' (resource type '{type_name}')");
    if let Some(text) = description(file, documentation, call.node, &what) {
        own.docstring = Docstring::parse(&text);
        documentation.begin(place, &group, &mut own.docstring);
    }
    own.own_text = own_text(file, call);
    for part in call.body().iter().filter_map(Call::of) {
        let text = |node| file.literal_or_source(node);
        match part.name() {
            "confine" => {
                own.confines.extend(part.pairs(0).into_iter().map(|(key, value)| (text(key), text(value))))
            }
            "has_feature" | "has_features" => own.features.extend(part.arguments().into_iter().map(text)),
            "defaultfor" => {
                let of =
                    |node| pairs(node).into_iter().map(|(key, value)| (text(key), text(value))).collect();
                own.defaults
                    .extend(part.arguments().into_iter().map(of).filter(|of: &Vec<_>| !of.is_empty()));
            }
            "commands" => {
                own.commands.extend(part.pairs(0).into_iter().map(|(key, value)| (text(key), text(value))));
                own.binaries.extend(part.pairs(0).into_iter().map(|(_, value)| text(value)));
            }
            "optional_commands" => {
                own.binaries.extend(part.pairs(0).into_iter().map(|(_, value)| text(value)))
            }
            "has_command" => own.binaries.extend(part.argument(1).map(text)),
            _ => {}
        }
    }
    own.docstring.make_public();
    documentation.warn_of_summary(place, "puppet_provider", &name, &own.docstring);
    documentation.providers.push(own);
}
