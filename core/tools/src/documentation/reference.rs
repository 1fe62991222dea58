//! References in comments: `(see x)` and `@param a (see x)`.
//!
//! Follows YARD's `docstring.rb`, `ref_tag_list.rb` and `code_objects/proxy.rb`. Definitions are kept in
//! groups such as `puppet_classes`; a plain name is searched for in the group of the referring definition.
//! Later definitions are only found by names without `::`.

use super::warning::Place;
use super::{Docstring, Documentation, FunctionKind, Tag};
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::watch::Watch;

/// A tag that refers to another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Such as `param`.
    pub tag_name: String,
    /// Only those about it.
    pub name: Option<String>,
    /// The target.
    pub path: String,
}

/// The group of the functions of a kind.
pub(super) const fn group_of(kind: FunctionKind) -> &'static str {
    match kind {
        FunctionKind::Puppet => "puppet_functions_puppet",
        FunctionKind::Ruby3x => "puppet_functions_ruby3x",
        FunctionKind::Ruby4x => "puppet_functions_ruby4x",
    }
}

impl Documentation {
    /// Records the problems of a definition's docstring, and adds the parts that it takes from earlier
    /// definitions.
    pub(super) fn begin(&mut self, place: Place<'_>, group: &str, docstring: &mut Docstring) {
        self.warn_of_docstring(place, docstring);
        let whole = docstring.reference.clone().filter(|path| !path.contains("::"));
        if let Some(other) = whole.and_then(|path| self.documented(group, &path)) {
            *docstring = Docstring::parse(&format!("{}\n{}", other.all, docstring.all));
            self.warn_of_docstring(place, docstring);
        }
        let references = std::mem::take(&mut docstring.references);
        for reference in references {
            match self.before(group, &reference.path) {
                Some(other) => docstring.refer(&reference, other),
                None => docstring.references.push(reference),
            }
        }
    }

    /// Adds what definitions take from others that came later.
    ///
    /// Errors: what watches has ended it.
    pub(super) fn resolve_references(&mut self, watch: &Watch<'_>) -> Result<(), Error> {
        let known = self.clone();
        for (group, docstring) in self.docstrings() {
            watch.check()?;
            let path = docstring.reference.take();
            if let Some(other) = path.and_then(|path| known.later(&group, &path)) {
                *docstring = Docstring::parse(&format!("{}\n{}", other.all, docstring.all));
            }
            for reference in std::mem::take(&mut docstring.references) {
                watch.check()?;
                if let Some(other) = known.later(&group, &reference.path) {
                    docstring.refer(&reference, other);
                }
            }
        }
        Ok(())
    }

    /// The immediate target of a path: a name in the group, or one with its group before it.
    fn before(&self, group: &str, path: &str) -> Option<&Docstring> {
        let in_group = if path.starts_with("::") { None } else { self.documented(group, path) };
        in_group.or_else(|| {
            let (group, name) = path.trim_start_matches("::").split_once("::")?;
            self.documented(group, name)
        })
    }

    /// The final target of a path.
    fn later(&self, group: &str, path: &str) -> Option<&Docstring> {
        match path.trim_start_matches("::").rsplit_once("::") {
            Some((group, name)) => self.documented(group, name),
            None if path.starts_with("::") => None,
            None => self.documented(group, path),
        }
    }

    fn documented(&self, group: &str, name: &str) -> Option<&Docstring> {
        let classes = self.classes.iter().map(|own| ("puppet_classes", &own.name, &own.docstring));
        let defines =
            self.defined_types.iter().map(|own| ("puppet_defined_types", &own.name, &own.docstring));
        let plans = self.plans.iter().map(|own| ("puppet_plans", &own.name, &own.docstring));
        let aliases = self.type_aliases.iter();
        let aliases = aliases.map(|own| ("puppet_data_type_aliases", &own.name, &own.docstring));
        let functions = self.functions.iter().map(|own| (group_of(own.kind), &own.name, &own.docstring));
        let types = self.resource_types.iter().map(|own| ("puppet_types", &own.name, &own.docstring));
        let data_types = self.data_types.iter().map(|own| ("puppet_data_types", &own.name, &own.docstring));
        let mut all = classes.chain(defines).chain(plans).chain(aliases);
        let mut others = functions.chain(types).chain(data_types);
        let is_it = |(own_group, own, _): &(&str, &String, &Docstring)| *own_group == group && *own == name;
        let found = all.find(is_it).or_else(|| others.find(is_it)).map(|(_, _, docstring)| docstring);
        found.or_else(|| {
            let type_name = group.strip_prefix("puppet_providers_")?;
            let is_it = |own: &&super::Provider| own.type_name == type_name && own.name == name;
            self.providers.iter().find(is_it).map(|own| &own.docstring)
        })
    }

    /// All docstrings with the groups that they are of.
    fn docstrings(&mut self) -> impl Iterator<Item = (String, &mut Docstring)> {
        let classes = self.classes.iter_mut().map(|own| ("puppet_classes".to_owned(), &mut own.docstring));
        let defines =
            self.defined_types.iter_mut().map(|own| ("puppet_defined_types".to_owned(), &mut own.docstring));
        let plans = self.plans.iter_mut().map(|own| ("puppet_plans".to_owned(), &mut own.docstring));
        let aliases = self.type_aliases.iter_mut();
        let aliases = aliases.map(|own| ("puppet_data_type_aliases".to_owned(), &mut own.docstring));
        let functions =
            self.functions.iter_mut().map(|own| (group_of(own.kind).to_owned(), &mut own.docstring));
        let types = self.resource_types.iter_mut().map(|own| ("puppet_types".to_owned(), &mut own.docstring));
        let data_types =
            self.data_types.iter_mut().map(|own| ("puppet_data_types".to_owned(), &mut own.docstring));
        let providers = self.providers.iter_mut();
        let providers =
            providers.map(|own| (format!("puppet_providers_{}", own.type_name), &mut own.docstring));
        let all = classes.chain(defines).chain(plans).chain(aliases);
        all.chain(functions).chain(types).chain(data_types).chain(providers)
    }
}

impl Docstring {
    /// Adds a tag; those that are taken from others stay after it.
    pub(super) fn add_tag(&mut self, tag: Tag) {
        let at = self.tags.iter().position(|own| own.is_referred).unwrap_or(self.tags.len());
        self.tags.insert(at, tag);
    }

    fn refer(&mut self, reference: &Reference, other: &Self) {
        let is_meant = |tag: &&Tag| reference.name.is_none() || tag.name == reference.name;
        let tags = other.tags_named(&reference.tag_name).filter(is_meant);
        self.tags.extend(tags.map(|tag| Tag { is_referred: true, ..tag.clone() }));
    }
}
