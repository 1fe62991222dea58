//! Files of modules and templates that functions name.

use bunraku_engine::loader::join_path;
use bunraku_index::Kind;
use bunraku_pcore::types::{Type, TypeKind, mismatch};
use bunraku_syntax::ast::{Node, NodeId};
use rustc_hash::FxHashSet;

use super::Walker;
use super::calls::Argument;
use super::names::texts;
use super::scopes::FrameKind;
use crate::codes::Code;
use crate::erb::erb_variables;
use crate::finding::{Finding, Place, Severity};
use crate::suggest::nearest;
use crate::world::Parameter;

/// The file of a path in a module.
enum Named {
    /// It exists, or is not in a module.
    Fine,
    /// Its module is not installed.
    NoModule(String),
    /// The file is not there; the name that is near.
    Missing(Option<String>),
}

impl Walker<'_, '_> {
    /// `file('m/a')`, `template('m/a.erb')`, `epp('m/a.epp', { … })`
    pub(super) fn reads_files(&mut self, id: NodeId, function: &str, given: &[Argument]) {
        let names = match function {
            "epp" => given.get(..1).unwrap_or_default(),
            // The first existing file is read.
            "file" if given.len() > 1 => return,
            _ => given,
        };
        let directory = if function == "file" { "files" } else { "templates" };
        for (place, of) in names {
            let Some(mut name) = texts(of).pop() else { continue };
            // The extension of EPP is optional.
            let is_said = matches!(self.named_file(&name, directory), Named::Fine);
            if function == "epp" && !is_said && !name.ends_with(".epp") {
                name.push_str(".epp");
            }
            match self.named_file(&name, directory) {
                Named::Fine => match function {
                    "template" => self.erb(&name),
                    "epp" => self.epp(id, &name, given.get(1)),
                    _ => {}
                },
                Named::NoModule(module) => {
                    let message = format!("'{name}' is of the module '{module}', which is not installed");
                    let finding =
                        Finding::new(Code::MissingModule, Severity::Warning, self.place(*place), message);
                    self.tell(finding);
                }
                Named::Missing(near) => {
                    let (code, what) = match directory {
                        "files" => (Code::MissingFile, "file"),
                        _ => (Code::MissingTemplate, "template"),
                    };
                    let message = format!("there is no {what} '{name}'");
                    let mut finding = Finding::new(code, Severity::Error, self.place(*place), message);
                    if let Some(near) = near {
                        finding.message.push_str(&format!("; did you mean '{near}'?"));
                    }
                    self.tell(finding);
                }
            }
        }
    }

    /// `source => 'puppet:///modules/m/a'`
    pub(super) fn served(&mut self, id: NodeId) {
        let Node::LiteralString { value } = *self.program.node(id) else { return };
        let text = self.program.text(value);
        let Some(name) = text.strip_prefix("puppet:///modules/") else { return };
        match self.named_file(name.trim_end_matches('/'), "files") {
            Named::Fine => {}
            Named::NoModule(module) => {
                let message = format!("'{text}' is of the module '{module}', which is not installed");
                let finding = Finding::new(Code::MissingModule, Severity::Warning, self.place(id), message);
                self.tell(finding);
            }
            Named::Missing(near) => {
                let mut message = format!("there is no file '{text}'");
                if let Some(near) = near {
                    message.push_str(&format!("; did you mean 'puppet:///modules/{near}'?"));
                }
                let finding = Finding::new(Code::MissingFile, Severity::Warning, self.place(id), message);
                self.tell(finding);
            }
        }
    }

    fn named_file(&self, name: &str, directory: &str) -> Named {
        if name.starts_with('/') || name.contains("://") {
            return Named::Fine;
        }
        let host = &*self.world.environment.host;
        // A name without a module's is not searched for.
        let Some((module, rest)) = name.split_once('/') else { return Named::Missing(None) };
        let own = self.world.environment.directory.as_deref();
        if own.is_some_and(|own| host.info(&join_path(own, &format!("{directory}/{name}"))).is_some()) {
            return Named::Fine;
        }
        let is_installed = self.world.has_module(module);
        let Some(found) = self.world.environment.find_module(module).filter(|_| is_installed) else {
            return Named::NoModule(module.to_owned());
        };
        if host.info(&found.file(&format!("{directory}/{rest}"))).is_some() {
            return Named::Fine;
        }
        let (below, last) = rest.rsplit_once('/').map_or(("", rest), |(below, last)| (below, last));
        let names = host.list(&found.file(&format!("{directory}/{below}"))).unwrap_or_default();
        let near = nearest(last, names.iter().map(String::as_str));
        Named::Missing(near.map(|near| match below {
            "" => format!("{module}/{near}"),
            _ => format!("{module}/{below}/{near}"),
        }))
    }

    /// The arguments of an EPP template.
    fn epp(&mut self, id: NodeId, name: &str, given: Option<&Argument>) {
        let Some(template) = self.world.definition(Kind::Template, name) else { return };
        let members = match given {
            None => Vec::new(),
            Some((_, of)) => match of.kind() {
                TypeKind::Struct { members } => {
                    members.iter().map(|member| (member.name.to_string(), member.value.clone())).collect()
                }
                TypeKind::Hash { size: Some(size), .. } if size.to == Some(0) => Vec::new(),
                _ => return,
            },
        };
        let source = given.map_or(id, |(id, _)| *id);
        let is_specified = template.file.program.as_deref().is_some_and(|program| {
            program
                .ids()
                .any(|id| matches!(program.node(id), Node::EppExpression { parameters_specified: true, .. }))
        });
        for (key, of) in &members {
            self.epp_argument(&template, name, key, of, source, is_specified);
        }
        for parameter in template.parameters.iter().filter(|one| one.is_required) {
            if !members.iter().any(|(name, _)| *name == parameter.name) {
                let message =
                    format!("the template '{name}' needs a value for its parameter '{}'", parameter.name);
                let finding =
                    Finding::new(Code::MissingParameter, Severity::Error, self.place(source), message)
                        .related("the parameter is declared here", Some(parameter.place.clone()));
                self.tell(finding);
            }
        }
    }

    fn epp_argument(
        &mut self,
        template: &crate::world::Declarable<'_>,
        name: &str,
        key: &str,
        of: &Type,
        source: NodeId,
        is_specified: bool,
    ) {
        let Some(parameter) = template.parameter(key) else {
            // A template without a list of parameters takes all.
            if is_specified {
                let near = nearest(key, template.parameters.iter().map(|one| one.name.as_str()));
                let message = format!("the template '{name}' has no parameter '{key}'");
                let place = self.key_place(source, key);
                let finding = Finding::new(Code::UnknownParameter, Severity::Error, place, message)
                    .meant(near, &self.file.source);
                self.tell(finding);
            }
            return;
        };
        let place = self.key_place(source, key);
        self.check_argument(parameter, of, place);
    }

    /// Reports a value that a parameter of a template, task or plan refuses, or some of whose values it does.
    pub(super) fn check_argument(&mut self, parameter: &Parameter, of: &Type, place: Place) {
        let severity = match parameter.takes(of) {
            false => Severity::Error,
            true if parameter.refuses_some(of) => Severity::Note,
            true => return,
        };
        let message = mismatch::describe(&format!("parameter '{}'", parameter.name), &parameter.of, of);
        let finding = Finding::new(Code::WrongType, severity, place, message)
            .related("the parameter is declared here", Some(parameter.place.clone()));
        self.tell(finding);
    }

    /// An ERB template is rendered here: records the variables that it reads and that this scope lacks.
    fn erb(&mut self, name: &str) {
        let template = self.world.index.find(Kind::Template, name).filter(|_| self.trial.is_none());
        let Some(template) = template else { return };
        let missing: FxHashSet<String> = erb_variables(template.file.source.text())
            .into_iter()
            .map(|(name, _)| name)
            .filter(|name| !self.is_visible(name))
            .collect();
        self.world.templates.borrow_mut().entry(name.to_owned()).or_default().push(missing);
    }

    /// Whether the scope in hand sees a variable, or may.
    fn is_visible(&self, name: &str) -> bool {
        const OWN: &[&str] = &["title", "name", "module_name", "scope", "_erbout"];
        if OWN.contains(&name) || self.world.has_top_variable(name) {
            return true;
        }
        for frame in self.frames.iter().rev() {
            if frame.names.contains_key(name) {
                return true;
            }
            match &frame.kind {
                FrameKind::Class(Some(parent)) => {
                    let class = self.world.class(parent);
                    return class
                        .is_none_or(|class| self.world.class_has_variable(&class, name).unwrap_or(true));
                }
                FrameKind::Template => return true,
                FrameKind::Function | FrameKind::Class(None) | FrameKind::Define => return false,
                _ => {}
            }
        }
        false
    }
}
