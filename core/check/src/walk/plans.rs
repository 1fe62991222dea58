//! Plans: the tasks and plans that they run, with their arguments.

use bunraku_index::Kind;
use bunraku_pcore::types::TypeKind;
use bunraku_syntax::ast::NodeId;

use super::Walker;
use super::calls::Argument;
use super::names::{absolute, texts};
use crate::codes::Code;
use crate::finding::{Finding, Severity};
use crate::suggest::nearest;
use crate::world::Parameter;

/// What a plan runs.
struct Run<'r> {
    /// `task` or `plan`
    what: &'static str,
    name: &'r str,
    /// `None` if it takes any.
    parameters: Option<&'r [Parameter]>,
}

impl Walker<'_, '_> {
    /// `run_task('m::task', $targets, { 'a' => 1 })`, `run_plan('m::plan', { 'a' => 1 })`
    pub(super) fn runs(&mut self, id: NodeId, function: &str, given: &[Argument]) {
        let [(place, of), others @ ..] = given else { return };
        let Ok([name]) = <[String; 1]>::try_from(texts(of)) else { return };
        let name = absolute(&name);
        let module = name.split("::").next().unwrap_or_default();
        // Bolt brings modules with tasks and plans.
        if !self.world.has_module(module) {
            return;
        }
        let what = if function == "run_plan" { "plan" } else { "task" };
        if what == "plan" {
            match self.world.definition(Kind::Plan, &name) {
                Some(plan) => {
                    self.run(id, &Run { what, name: &name, parameters: Some(&plan.parameters) }, others)
                }
                None => self.unknown_run(Kind::Plan, what, &name, *place),
            }
            return;
        }
        match self.world.task(&name) {
            Some(task) => self.run(id, &Run { what, name: &name, parameters: task.as_deref() }, others),
            None => self.unknown_run(Kind::Task, what, &name, *place),
        }
    }

    fn unknown_run(&mut self, kind: Kind, what: &str, name: &str, id: NodeId) {
        let near = self.world.nearest(kind, name);
        let message = format!("there is no {what} '{name}'");
        let finding = Finding::new(Code::UnknownTask, Severity::Error, self.place(id), message);
        self.tell(finding.meant(near.as_deref(), &self.file.source));
    }

    /// Checks the arguments behind the name: targets, a description, and a hash.
    fn run(&mut self, id: NodeId, run: &Run<'_>, others: &[Argument]) {
        let Some(parameters) = run.parameters else { return };
        let mut named = Vec::new();
        let mut has_targets = false;
        for (at, (place, of)) in others.iter().enumerate() {
            match of.kind() {
                TypeKind::Struct { members } => {
                    named.extend(members.iter().map(|one| (one.name.to_string(), one.value.clone(), *place)));
                }
                TypeKind::Hash { size: Some(size), .. } if size.to == Some(0) => {}
                _ if at == 0 => has_targets = true,
                TypeKind::String { .. } => {}
                // A hash of which the keys are not known.
                _ => return,
            }
        }
        // The only argument of a plan may be its hash.
        let is_alone = run.what == "plan" && others.len() == 1;
        if is_alone && others.iter().any(|(_, of)| matches!(of.kind(), TypeKind::Any | TypeKind::Hash { .. }))
        {
            return;
        }
        let is_given = |name: &str| {
            let is_of_targets = run.what == "plan" && has_targets && matches!(name, "targets" | "nodes");
            is_of_targets || named.iter().any(|(given, ..)| given == name)
        };
        for parameter in parameters.iter().filter(|one| one.is_required && !is_given(&one.name)) {
            let message = format!(
                "the {} '{}' needs a value for its parameter '{}'",
                run.what, run.name, parameter.name
            );
            let finding = Finding::new(Code::MissingParameter, Severity::Error, self.place(id), message)
                .related("the parameter is declared here", Some(parameter.place.clone()));
            self.tell(finding);
        }
        // Names with an underscore are options of the function.
        for (name, of, place) in named.iter().filter(|(name, ..)| !name.starts_with('_')) {
            let Some(parameter) = parameters.iter().find(|one| one.name == *name) else {
                let near = nearest(name, parameters.iter().map(|one| one.name.as_str()));
                let message = format!("the {} '{}' has no parameter '{name}'", run.what, run.name);
                let place = self.key_place(*place, name);
                let finding = Finding::new(Code::UnknownParameter, Severity::Error, place, message);
                self.tell(finding.meant(near, &self.file.source));
                continue;
            };
            let place = self.key_place(*place, name);
            self.check_argument(parameter, of, place);
        }
    }
}
