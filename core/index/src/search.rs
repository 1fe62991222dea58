//! Names across files: their definitions and references.

use super::{Definition, FileIndex, Index, Kind, Usage, Use};

/// An item in a file of an index.
#[derive(Debug)]
pub struct Located<'i, T> {
    /// The file.
    pub file: &'i FileIndex,
    /// The item.
    pub item: &'i T,
}

impl<T> Clone for Located<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Located<'_, T> {}

impl Index {
    /// All definitions of a kind with a name, in the form of [`Definition::name`].
    pub fn definitions(&self, kind: Kind, name: &str) -> impl Iterator<Item = Located<'_, Definition>> {
        let places = self.names.get(name).map(Vec::as_slice).unwrap_or_default();
        places.iter().filter_map(move |&(file, index)| {
            let file = self.files.get(file)?;
            let item = file.definitions.get(index)?;
            (item.kind == kind).then_some(Located { file, item })
        })
    }

    /// The first definition of a kind with a name.
    pub fn find(&self, kind: Kind, name: &str) -> Option<Located<'_, Definition>> {
        self.definitions(kind, name).next()
    }

    /// Whether a definition of a kind with a name exists.
    pub fn has(&self, kind: Kind, name: &str) -> bool {
        self.find(kind, name).is_some()
    }

    /// All definitions of a kind.
    pub fn all(&self, kind: Kind) -> impl Iterator<Item = Located<'_, Definition>> {
        self.places().filter(move |place| place.item.kind == kind)
    }

    /// All uses.
    pub fn uses(&self) -> impl Iterator<Item = Located<'_, Use>> {
        self.files.iter().flat_map(|file| file.uses.iter().map(move |item| Located { file, item }))
    }

    /// All references to a name, of any usage. References to a resource type include the declarations of its
    /// resources.
    pub fn references<'i>(&'i self, kind: Kind, name: &'i str) -> impl Iterator<Item = Located<'i, Use>> {
        self.uses().filter(move |place| place.item.refers_to(kind, name))
    }

    /// The names that a definition refers to.
    pub fn callees<'i>(&'i self, of: Located<'i, Definition>) -> impl Iterator<Item = Located<'i, Use>> {
        let inside = of.file.definitions.iter().position(|one| std::ptr::eq(one, of.item));
        let uses = of.file.uses.iter().filter(move |one| inside.is_some() && one.inside == inside);
        uses.map(move |item| Located { file: of.file, item })
    }

    /// Classes, defined types, functions and types without references, and templates that nothing renders.
    pub fn unused(&self) -> Vec<Located<'_, Definition>> {
        let used: rustc_hash::FxHashSet<(Kind, &str)> =
            self.uses().flat_map(|place| place.item.meanings()).collect();
        let can_be = |kind: Kind| {
            matches!(kind, Kind::Class | Kind::DefinedType | Kind::Function | Kind::Type | Kind::Template)
        };
        let is_unused = |place: &Located<'_, Definition>| {
            can_be(place.item.kind) && !used.contains(&(place.item.kind, &*place.item.name))
        };
        self.places().filter(is_unused).collect()
    }

    /// All definitions.
    fn places(&self) -> impl Iterator<Item = Located<'_, Definition>> {
        self.files.iter().flat_map(|file| file.definitions.iter().map(move |item| Located { file, item }))
    }
}

impl Use {
    /// Whether the use refers to a definition of a kind with a name.
    pub fn refers_to(&self, kind: Kind, name: &str) -> bool {
        self.name == name && self.meanings().any(|(meant, _)| meant == kind)
    }

    /// The definitions that the use can refer to.
    fn meanings(&self) -> impl Iterator<Item = (Kind, &str)> {
        let of_resources: &[Kind] = &[Kind::DefinedType, Kind::ResourceType];
        let kinds: &[Kind] = match (self.kind, self.usage) {
            (Kind::Resource, _) => of_resources,
            (Kind::Type, _) => &[Kind::Type, Kind::DefinedType, Kind::ResourceType],
            (Kind::Class, _) => &[Kind::Class],
            (Kind::Function, _) => &[Kind::Function],
            (Kind::Template, _) => &[Kind::Template],
            (Kind::DataKey, Usage::Lookup) => &[Kind::DataKey],
            (Kind::Variable, _) => &[Kind::Variable],
            _ => &[],
        };
        kinds.iter().map(|kind| (*kind, self.name.as_str()))
    }
}
