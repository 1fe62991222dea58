//! The declaration of a resource type in a Ruby file, collected from its text or from running it.

use indexmap::IndexMap;

use super::{AttributeKind, ResourceType, Titles};
use bunraku_host::RubyType;
use bunraku_pcore::types::Type;
use bunraku_pcore::value::{RegexpValue, Str};

/// The resource type that a file has declared when it was run.
pub fn declared_by_ruby(name: &str, run: RubyType, has_providers: bool) -> ResourceType {
    Declared::from_ruby(run).into_type(name, has_providers)
}

/// A resource type of whose file nothing is known but its name: all attributes are accepted.
#[cfg(not(feature = "ruby"))]
pub(super) fn unread(name: &str, has_providers: bool) -> ResourceType {
    Declared { is_computed: true, ..Declared::default() }.into_type(name, has_providers)
}

/// The findings in a file.
#[derive(Default)]
pub(super) struct Declared {
    pub attributes: IndexMap<Str, AttributeKind>,
    pub keys: Vec<Str>,
    pub is_computed: bool,
    pub is_not_isomorphic: bool,
    pub has_providers: bool,
    /// Providers of the Resource API are not providers in Puppet's sense.
    pub is_resource_api: bool,
    pub features: Vec<Str>,
    /// The methods `exists?`, `create` and `destroy`, which make a type ensurable.
    pub methods_of_ensure: u32,
    /// `None` if no method returns them.
    pub patterns: Option<Titles>,
    pub value_types: Vec<(Str, Type)>,
}

impl Declared {
    /// The declaration from running the file.
    pub(super) fn from_ruby(run: RubyType) -> Self {
        let patterns = run.title_patterns.into_iter();
        let patterns: Vec<_> = patterns.map(|(source, names)| (RegexpValue::new(source), names)).collect();
        let mut found = Self {
            keys: run.keys,
            is_not_isomorphic: !run.isomorphic,
            patterns: (!patterns.is_empty()).then_some(Titles::Patterns(patterns)),
            ..Self::default()
        };
        for (attribute, is_property) in run.attributes {
            let kind = if is_property { AttributeKind::Property } else { AttributeKind::Parameter };
            found.declare(kind, &attribute);
        }
        found
    }

    pub(super) fn into_type(mut self, name: &str, has_providers: bool) -> ResourceType {
        if self.methods_of_ensure == 0b111 {
            self.declare(AttributeKind::Property, "ensure");
        }
        if self.is_computed || (!self.is_resource_api && (has_providers || self.has_providers)) {
            self.declare(AttributeKind::Parameter, "provider");
        }
        if self.keys.is_empty() && self.is_computed {
            self.keys.push("name".into());
        }
        let titles = match (self.patterns, self.keys.as_slice()) {
            (Some(patterns), _) => patterns,
            (None, [key]) => Titles::Whole(key.clone()),
            (None, []) => Titles::Patterns(Vec::new()),
            (None, _) => Titles::Unread,
        };
        ResourceType {
            name: name.into(),
            keys: self.keys,
            attributes: self.attributes.into_iter().collect(),
            features: self.features,
            accepts_all: self.is_computed,
            isomorphic: !self.is_not_isomorphic,
            titles,
            value_types: self.value_types,
        }
    }

    pub(super) fn declare(&mut self, kind: AttributeKind, name: &str) {
        // Puppet puts this property before the others.
        if name == "ensure" && kind == AttributeKind::Property && !self.attributes.contains_key(name) {
            self.attributes.shift_insert(0, name.into(), kind);
        }
        self.attributes.entry(name.into()).or_insert(kind);
    }

    #[cfg(feature = "ruby")]
    pub(super) fn add_key(&mut self, name: &str) {
        if !self.keys.iter().any(|key| key == name) {
            self.keys.push(name.into());
        }
    }
}
