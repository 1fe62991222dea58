//! Functions that declare resources.

use bunraku_pcore::types::{Member, Members, Type, TypeKind};
use bunraku_syntax::ast::NodeId;

use super::calls::Argument;
use super::names::{absolute, texts};
use super::resources::{Given, Target};
use super::{Walker, any};
use crate::finding::Severity;

impl<'w> Walker<'_, 'w> {
    /// `create_resources('type', { 'title' => { … } }, { … })`
    pub(super) fn create_resources(&mut self, given: &[Argument]) {
        let Some((type_place, of)) = given.first() else { return };
        let Some(name) = texts(of).pop() else { return };
        let name = absolute(name.trim_start_matches('@'));
        if name == "class" {
            return;
        }
        let Some(target) = self.target(&name, *type_place) else { return };
        if let Some((place, defaults)) = given.get(2) {
            self.check_defaults(&target, *place, defaults, given.get(1).map(|(_, of)| of));
        }
        let (defaults, is_open) = match given.get(2).map(|(_, of)| of.kind()) {
            None => (Vec::new(), false),
            Some(TypeKind::Struct { members }) => {
                (members.iter().map(|member| member.name.to_string()).collect(), false)
            }
            Some(_) => (Vec::new(), true),
        };
        let Some((place, resources)) = given.get(1) else { return };
        let TypeKind::Struct { members } = resources.kind() else { return };
        for member in members {
            let TypeKind::Struct { members } = member.value.kind() else { continue };
            self.check_struct(&target, &name, members, *place, &defaults, is_open);
        }
    }

    /// `ensure_resource('type', 'title', { … })`
    pub(super) fn ensure_resource(&mut self, given: &[Argument]) {
        let Some((type_place, of)) = given.first() else { return };
        let Some(name) = texts(of).pop().map(|name| absolute(&name)) else { return };
        let Some(target) = self.target(&name, *type_place) else { return };
        let Some((place, parameters)) = given.get(2) else { return };
        if let TypeKind::Struct { members } = parameters.kind() {
            self.check_struct(&target, &name, members, *place, &[], true);
        }
    }

    /// `ensure_packages(['a'], { … })`
    pub(super) fn ensure_packages(&mut self, id: NodeId, given: &[Argument]) {
        let Some((titles_place, titles)) = given.first() else { return };
        if matches!(titles.kind(), TypeKind::Array { .. } | TypeKind::Tuple { .. }) {
            self.check_title(Some(*titles_place), titles);
        }
        let Some(target) = self.target("package", id) else { return };
        if let Some((place, defaults)) = given.get(1) {
            self.check_defaults(&target, *place, defaults, Some(titles));
        }
    }

    /// Parameters that a function gives to all resources that it declares, of which there may be none.
    fn check_defaults(
        &mut self,
        target: &Target<'w>,
        place: NodeId,
        defaults: &Type,
        resources: Option<&Type>,
    ) {
        let TypeKind::Struct { members } = defaults.kind() else { return };
        let before = self.findings.len();
        // Each resource can have another value.
        let given = self.in_struct(members, place).into_iter().map(|one| Given { of: any(), ..one });
        self.check_given(target, &given.collect::<Vec<_>>());
        let is_any = resources.is_some_and(|of| match of.kind() {
            TypeKind::Struct { members } => !members.is_empty(),
            TypeKind::Tuple { types, .. } => !types.is_empty(),
            TypeKind::String { .. } => true,
            _ => false,
        });
        for finding in self.findings.iter_mut().skip(before).filter(|_| !is_any) {
            finding.severity = finding.severity.max(Severity::Warning);
        }
    }

    /// Parameters in a hash.
    fn check_struct(
        &mut self,
        target: &Target<'w>,
        name: &str,
        members: &Members,
        place: NodeId,
        defaults: &[String],
        is_open: bool,
    ) {
        let given = self.in_struct(members, place);
        self.check_given(target, &given);
        if !is_open {
            self.check_missing(target, name, &given, defaults, self.place(place), Severity::Error);
        }
        self.check_body(target, &given, defaults, is_open, place);
    }

    /// The members of a hash as values of parameters.
    fn in_struct(&self, members: &Members, place: NodeId) -> Vec<Given> {
        let given = |member: Member<'_>| Given {
            name: member.name.to_string(),
            of: member.value.clone(),
            name_place: self.key_place(place, member.name),
            value: place,
        };
        members.iter().map(given).collect()
    }
}
