//! Types of resources as their Ruby files describe them when they run: texts and values can be computed.

use super::docstring::{Docstring, scrub};
use super::entry::{Attribute, Provider, ResourceType, ShownValues};
use super::generate::quoted;
use super::module_files::ModuleFiles;
use super::{Documentation, describe};
use bunraku_engine::catalog::resource_types::{self, declared_by_ruby};
use bunraku_host::DeepStacks;
use bunraku_ruby_interpreter::described_type::{
    DescribedAttribute, DescribedProvider, DescribedType, described,
};
use bunraku_syntax::diagnostic::Error;

impl Documentation {
    /// Replaces what was read of a type by its definition for the Resource API, with the texts as they are
    /// written; whether its file has one.
    ///
    /// # Errors
    /// No stack is available.
    pub(super) fn define_type(
        &mut self,
        name: &str,
        file: &str,
        files: &ModuleFiles<'_>,
    ) -> Result<bool, Error> {
        let Some(source) = files.text(file) else { return Ok(false) };
        // The trees of Ruby are as deep as its texts nest.
        let library = |name: &str| files.library(name);
        let definitions =
            DeepStacks::default().run(|| resource_types::definitions_with(file, &source, &library))?;
        let Some(definition) = definitions.iter().find(|one| one["name"] == *name) else { return Ok(false) };
        let (own, _) = self.resource_type(name, file, 0, Docstring::default());
        let docstring = std::mem::take(&mut own.docstring);
        let (file, line) = (std::mem::take(&mut own.file), own.line);
        *own = ResourceType { file, line, docstring, is_declared: true, ..ResourceType::defined(definition) };
        Ok(true)
    }

    /// Replaces what was read of a type by what its files say when they run, and returns what it has; `None`
    /// if they cannot run.
    ///
    /// # Errors
    /// No stack is available.
    pub(super) fn run_type(
        &mut self,
        name: &str,
        file: &str,
        files: &ModuleFiles<'_>,
    ) -> Result<Option<resource_types::ResourceType>, Error> {
        let Some(text) = files.text(file) else { return Ok(None) };
        let mut providers = files.providers(name);
        providers.retain(|path| path.ends_with(".rb"));
        providers.sort();
        // The trees of Ruby are as deep as its texts nest.
        let run = || described(name, file, &text, &providers, files);
        let Some(found) = DeepStacks::default().run(run)? else { return Ok(None) };
        let DescribedType { declared, text, attributes, providers: described } = found;
        let of = resource_type(name, file, &text, attributes);
        match self.resource_types.iter_mut().find(|own| own.name == name) {
            Some(own) => {
                *own = ResourceType { line: own.line, docstring: std::mem::take(&mut own.docstring), ..of }
            }
            None => self.resource_types.push(of),
        }
        let has_providers = !providers.is_empty() || described.as_ref().is_some_and(|own| !own.is_empty());
        if let Some(described) = described {
            self.providers.retain(|one| one.type_name != name);
            self.providers.extend(described.into_iter().map(|one| provider(name, one)));
        }
        Ok(Some(declared_by_ruby(name, declared, has_providers)))
    }
}

fn resource_type(name: &str, file: &str, text: &str, attributes: Vec<DescribedAttribute>) -> ResourceType {
    let mut of = ResourceType {
        name: name.to_owned(),
        file: file.to_owned(),
        own_text: scrub(text),
        is_declared: true,
        ..ResourceType::default()
    };
    for one in attributes {
        let list = if one.is_property { &mut of.properties } else { &mut of.parameters };
        list.push(attribute(one));
    }
    of
}

fn attribute(of: DescribedAttribute) -> Attribute {
    let shown = ShownValues { text: about_values(&of), of: type_of(&of) };
    Attribute {
        name: of.name.to_string(),
        own_text: scrub(&of.text),
        says_namevar: of.is_namevar,
        shown: Some(shown),
        ..Attribute::default()
    }
}

fn provider(type_name: &str, of: DescribedProvider) -> Provider {
    let own = of.text.as_deref().map(scrub);
    let shown = match &own {
        // An empty text has its paragraph, too.
        Some(own) if !of.about.is_empty() => format!("{own}\n\n{}", of.about),
        Some(own) => own.clone(),
        None => of.about.to_string(),
    };
    Provider {
        name: of.name.to_string(),
        type_name: type_name.to_owned(),
        shown: Some(shown),
        own_text: own.unwrap_or_default(),
        ..Provider::default()
    }
}

/// The values of an attribute and the features that it requires.
fn about_values(of: &DescribedAttribute) -> String {
    let words = of.written_values.iter().filter(|value| !value.is_pattern).map(|value| {
        let aliases: Vec<&str> = value.aliases.iter().map(|alias| &**alias).collect();
        describe::value(&value.text, &aliases)
    });
    let patterns =
        of.written_values.iter().filter(|value| value.is_pattern).map(|value| value.text.to_string());
    let features: Vec<&str> = of.required_features.iter().map(|name| &**name).collect();
    describe::values(&words.collect::<Vec<_>>(), &patterns.collect::<Vec<_>>(), &features)
}

/// The type of an attribute's values.
fn type_of(of: &DescribedAttribute) -> String {
    let words = of.values.iter().filter(|value| !value.is_pattern);
    let words = words.flat_map(|value| std::iter::once(&value.text).chain(&value.aliases));
    let words: Vec<String> = words.map(|word| quoted(word)).collect();
    let patterns = of.values.iter().filter(|value| value.is_pattern);
    let patterns: Vec<String> =
        patterns.map(|value| super::generate::with_options_within(&value.text)).collect();
    super::generate::type_of_values(&words, &patterns)
}

#[cfg(test)]
mod tests {
    use bunraku_host::memory::MemoryHost;
    use serde_json::json;

    use crate::documentation::request::{describe, generate_types};

    fn host() -> MemoryHost {
        let mut host = MemoryHost::new();
        let mut add = |path: &str, text: &str| host.add(format!("/m/app/lib/puppet/{path}"), text);
        add(
            "type/gate.rb",
            "class Puppet::Parameter::Place < Puppet::Parameter
               def self.postinit
                 @doc ||= 'Where it is.'
               end
             end
             Puppet::Type.newtype(:gate) do
               @doc = \"A gate of #{[1, 2].sum} wings.\"
               feature :locks, 'Can lock.', methods: [:lock]
               COLOURS = %w[red blue].freeze
               ensurable
               newparam(:path, parent: Puppet::Parameter::Place) { isnamevar }
               newproperty(:colour, required_features: [:locks]) do
                 desc 'Its colour.'
                 newvalues(*COLOURS, /\\A#/)
                 aliasvalue :crimson, :red
               end
             end",
        );
        add(
            "provider/gate/iron.rb",
            "Puppet::Type.type(:gate).provide(:iron) do
               desc 'Iron.'
               commands bolt: 'bolt'
               defaultfor kernel: %i[linux darwin]
               def lock; end
             end",
        );
        // It has no method of the feature, and says of its parent's commands nothing.
        add("provider/gate/wood.rb", "Puppet::Type.type(:gate).provide(:wood, parent: Puppet::Provider)");
        add(
            "provider/gate/tin.rb",
            "require 'rexml/document'
             include REXML
             class Puppet::Provider::Tin < Puppet::Provider
               class << self
                 attr_accessor :home
               end
               def self.found
                 Puppet::Util.which('tin') || 'none'
               end
             end
             Puppet::Type.type(:gate).provide(:tin, parent: Puppet::Provider::Tin, home: '/opt/tin') do
               desc ''
               commands bend: File.join(home, 'bend'), melt: found,
                        cut: if File.exist?(\"#{ENV.fetch('ROOT', nil)}\\\\cut\") then 'here' else 'cut.exe' end
             end",
        );
        host
    }

    #[test]
    fn what_files_compute_is_described() {
        let request = json!({ "modulepath": ["/m"], "types": ["gate"], "providers": true });
        let described = describe(&host(), &request, &|| Ok(())).unwrap();
        let text = described[0].as_str().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        for part in [
            "A gate of 3 wings.",
            "- **path** (*namevar*) Where it is.",
            "- **tin** * Required binaries: `/opt/tin/bend`, `cut.exe`, `none`.",
            "Valid values are `red` (also called `crimson`), `blue`. Values can match `/\\A#/`.",
            "Requires features locks.",
            "The basic property that the resource should be in.",
            "* Required binaries: `bolt`.",
            "* Default for `kernel` == `linux, darwin`.",
            "* Supported features: `locks`.",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        assert_eq!(text.matches("Supported features").count(), 1, "{text}");
    }

    #[test]
    fn what_files_compute_is_generated() {
        let generated = generate_types(&host(), &json!({ "modulepath": ["/m"] }), &|| Ok(())).unwrap();
        let text = generated[0]["text"].as_str().unwrap();
        let colour = "Param(Variant[Enum['red', 'crimson', 'blue'], Pattern[/\\A#/]], 'colour')";
        assert!(text.contains(colour), "{text}");
        assert!(text.contains("Param(Any, 'path', true)"), "{text}");
        // An empty text has its paragraph.
        assert!(text.contains("# tin\n    # : * Required binaries:"), "{text}");
    }

    #[test]
    fn texts_of_definitions_keep_their_lines() {
        let mut host = MemoryHost::new();
        host.add(
            "/m/app/lib/puppet/type/lamp.rb",
            "require 'puppet/resource_api'
             Puppet::ResourceApi.register_type(
               name: 'lamp', docs: 'A lamp.', features: [],
               attributes: {
                 name: { type: 'String', desc: 'Its name.', behaviour: :namevar },
                 light: { type: 'String', desc: <<DESC },
             Its light.
DESC
               }
             )",
        );
        let request = json!({ "modulepath": ["/m"], "types": ["lamp"] });
        let described = describe(&host, &request, &|| Ok(())).unwrap();
        let text = described[0].as_str().unwrap();
        assert!(text.contains("    Its light.\n(a String)"), "{text}");
    }

    #[test]
    fn files_found_by_a_pattern_and_constants_of_other_files_count() {
        let mut host = MemoryHost::new();
        host.add(
            "/m/app/lib/puppet/type/all.rb",
            "Dir[\"#{__dir__}/al*.rb\"].sort.each { |file| require file unless file == __FILE__ }
             Puppet::Type.newtype(:all) do
               newparam(:name)
               Puppet::Type::Alone.words.each { |word| newparam(word) { newvalues(:yes, :no) } }
             end",
        );
        host.add(
            "/m/app/lib/puppet/type/alone.rb",
            "Puppet::Type.newtype(:alone) { newparam(:name)\n def self.words; %i[deep high]; end }",
        );
        host.add(
            "/m/app/lib/puppet/provider/lamp_kinds.rb",
            "module Puppet::Provider::LampKinds\n KINDS = %w[oil gas].freeze\nend",
        );
        host.add(
            "/m/app/lib/puppet/type/lamp.rb",
            "Puppet::ResourceApi.register_type(
               name: 'lamp', docs: 'A lamp.', features: [],
               attributes: {
                 name: { type: 'String', desc: 'Its name.', behaviour: :namevar },
                 kind: { type: \"Enum[#{Puppet::Provider::LampKinds::KINDS.join(', ')}]\", desc: 'Its kind.' },
               }
             )",
        );
        let generated = generate_types(&host, &json!({ "modulepath": ["/m"] }), &|| Ok(())).unwrap();
        let text = |at: usize| generated[at]["text"].as_str().unwrap().to_owned();
        assert!(text(0).contains("Param(Enum['yes', 'no'], 'deep')"), "{}", text(0));
        assert!(text(2).contains("Its kind. (a Enum[oil, gas])"), "{}", text(2));
    }

    #[test]
    fn what_cannot_run_is_read() {
        let mut host = host();
        host.add("/m/app/lib/puppet/type/gate.rb", "`ls`\nPuppet::Type.newtype(:gate) { @doc = 'Read.' }");
        let request = json!({ "modulepath": ["/m"], "types": ["gate"] });
        let described = describe(&host, &request, &|| Ok(())).unwrap();
        assert!(described[0].as_str().unwrap().contains("Read."));
    }
}
