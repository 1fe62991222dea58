//! Templates in ERB: variables and functions that they ask for.

use bunraku_index::{FileIndex, Kind, Role};
use bunraku_syntax::names::split_last;
use bunraku_syntax::source::Span;
use rustc_hash::FxHashSet;

use super::codes::Code;
use super::finding::{Finding, Fix, Place, Severity};
use super::world::{Presence, World};

/// Reports what templates ask for and there is not: of all files, including what their callers lack, or only
/// of some.
pub(crate) fn check(world: &World<'_>, only: Option<&[&str]>, findings: &mut Vec<Finding>) {
    if only.is_none() {
        variables(world, findings);
    }
    let files: Vec<_> = match only {
        Some(only) => only.iter().filter_map(|path| world.index.file(path)).collect(),
        None => world.index.files().iter().collect(),
    };
    for file in files.into_iter().filter(|file| file.role == Role::Erb) {
        let template = Template { world, file };
        let text = file.source.text();
        let tags: Vec<Tag<'_>> = tags(text).collect();
        for tag in &tags {
            template.functions(tag, findings);
            template.qualified(tag, findings);
            template.bare(tag, &tags, findings);
        }
    }
}

/// A tag of a template with Ruby code.
struct Tag<'t> {
    code: &'t str,
    /// Where the code begins.
    start: usize,
    /// Whether the value is written: `<%= … %>`.
    is_written: bool,
}

/// The tags of a template with code.
fn tags<'t>(text: &'t str) -> impl Iterator<Item = Tag<'t>> {
    let mut offset = 0;
    let next = move || {
        let start = offset + text.get(offset..)?.find("<%")? + 2;
        let code = text.get(start..)?;
        let end = code.find("%>").unwrap_or(code.len());
        offset = start + end;
        code.get(..end).map(|code| (code, start))
    };
    let tag = |(code, start): (&'t str, usize)| match code.strip_prefix('=') {
        Some(code) => Tag { code, start: start + 1, is_written: true },
        None => Tag { code, start, is_written: false },
    };
    std::iter::from_fn(next).filter(|(code, _)| !code.starts_with(['#', '%'])).map(tag)
}

/// The variables `@x` that an ERB template reads, with their places.
pub(crate) fn erb_variables(text: &str) -> Vec<(String, Span)> {
    let mut found: Vec<(String, Span)> = Vec::new();
    tags(text).for_each(|tag| variables_of(tag.code, tag.start, &mut found));
    found
}

/// Those of a piece of Ruby code at an offset, except variables that the template sets itself.
fn variables_of(code: &str, start: usize, found: &mut Vec<(String, Span)>) {
    for (at, _) in code.match_indices('@') {
        let before = code.get(..at).and_then(|before| before.chars().next_back());
        let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
        if before.is_some_and(|char| is_name(char) || matches!(char, '@' | ':' | '.')) {
            continue;
        }
        let rest = code.get(at + 1..).unwrap_or_default();
        let name: String = rest.chars().take_while(|&char| is_name(char)).collect();
        if !name.starts_with(|first: char| first.is_ascii_lowercase() || first == '_') {
            continue;
        }
        let at = (start + at) as u32;
        found.push((name.clone(), Span::new(at, at + 1 + name.len() as u32)));
    }
}

/// Variables that templates read and no scope that renders them has.
fn variables(world: &World<'_>, findings: &mut Vec<Finding>) {
    for (name, callers) in world.templates.borrow().iter() {
        let Some(template) = world.index.find(Kind::Template, name) else { continue };
        let Some((first, others)) = callers.split_first() else { continue };
        let text = template.file.source.text();
        let mut told: FxHashSet<String> = FxHashSet::default();
        for (variable, span) in erb_variables(text) {
            let is_set =
                text.contains(&format!("@{variable} =")) || text.contains(&format!("@{variable} ||="));
            let is_missing = first.contains(&variable) && others.iter().all(|one| one.contains(&variable));
            if !is_missing || is_set || !told.insert(variable.clone()) {
                continue;
            }
            let message = format!("no scope that renders '{name}' has the variable '${variable}'");
            let place = Place::of(&template.file.source, span);
            let severity = if is_asked_for(text, &variable) { Severity::Note } else { Severity::Warning };
            findings.push(Finding::new(Code::TemplateVariable, severity, place, message));
        }
    }
}

/// Whether a template asks whether a variable has a value.
fn is_asked_for(text: &str, variable: &str) -> bool {
    let before =
        ["if ", "unless ", "elsif ", "&& ", "|| ", "!", "and ", "or ", "not ", "defined?(", "if(", "if ("];
    let behind = [".nil?", " ||", ".empty?", " ?", " &&", "&."];
    before.iter().any(|word| text.contains(&format!("{word}@{variable}")))
        || behind.iter().any(|word| text.contains(&format!("@{variable}{word}")))
}

/// What every template answers to, apart from its variables: methods of the wrapper and of all objects, and
/// words of Ruby.
const KNOWN: &[&str] = &[
    "__dir__",
    "__method__",
    "abort",
    "all_tags",
    "binding",
    "caller",
    "class",
    "classes",
    "false",
    "file",
    "format",
    "global_variables",
    "hash",
    "inspect",
    "instance_variables",
    "itself",
    "lambda",
    "local_variables",
    "methods",
    "nil",
    "object_id",
    "proc",
    "rand",
    "result",
    "scope",
    "script_line",
    "self",
    "singleton_class",
    "sprintf",
    "string",
    "tags",
    "to_s",
    "true",
    "yield",
];

/// A template whose code is looked at.
struct Template<'f, 'w> {
    world: &'f World<'w>,
    file: &'w FileIndex,
}

impl Template<'_, '_> {
    fn place(&self, at: usize, length: usize) -> Place {
        Place::of(&self.file.source, Span::new(at as u32, (at + length) as u32))
    }

    /// `scope.function_x([…])`, `scope.call_function('x', …)`
    fn functions(&self, tag: &Tag<'_>, findings: &mut Vec<Finding>) {
        let legacy = following(tag.code, "scope.function_");
        let modern = ["scope.call_function('", "scope.call_function(\"", "scope.call_function(:"];
        let modern = modern.iter().flat_map(|start| following(tag.code, start));
        for (at, name) in legacy.chain(modern) {
            let name = name.trim_end_matches(':');
            let place = self.place(tag.start + at, name.len());
            let finding = match self.world.presence(Kind::Function, name) {
                _ if name.is_empty() => continue,
                Presence::Here => continue,
                Presence::NoModule(module) => {
                    let message =
                        format!("the function '{name}' is of the module '{module}', which is not installed");
                    Finding::new(Code::MissingModule, Severity::Warning, place, message)
                }
                Presence::Nowhere => {
                    let is_sure = self.world.is_complete(self.file);
                    let severity = if is_sure { Severity::Error } else { Severity::Warning };
                    let near = self.world.nearest(Kind::Function, name);
                    let message = format!("there is no function '{name}'");
                    Finding::new(Code::UnknownFunction, severity, place, message)
                        .meant(near.as_deref(), &self.file.source)
                }
            };
            findings.push(finding);
        }
    }

    /// `scope['a::b']`, `scope.lookupvar('a::b')`
    fn qualified(&self, tag: &Tag<'_>, findings: &mut Vec<Finding>) {
        let starts = ["scope['", "scope[\"", "scope.lookupvar('", "scope.lookupvar(\""];
        for (at, name) in starts.iter().flat_map(|start| following(tag.code, start)) {
            let absolute = name.strip_prefix("::").unwrap_or(name);
            let Some((class, variable)) = split_last(absolute) else { continue };
            let Some(known) = self.world.class(class) else { continue };
            if variable.is_empty() || self.world.class_has_variable(&known, variable) != Some(false) {
                continue;
            }
            let near = self.world.nearest_variable(&known, variable);
            let message = format!("the class '{class}' has no variable '${variable}'");
            let place = self.place(tag.start + at, name.len());
            let finding = Finding::new(Code::TemplateVariable, Severity::Warning, place, message);
            let finding = finding.related(format!("'{class}' is defined here"), Some(known.place()));
            findings.push(finding.meant(near.as_deref(), &self.file.source));
        }
    }

    /// `<%= x %>`: variables of Puppet are `@x`, and the template sets none of its own.
    fn bare(&self, tag: &Tag<'_>, tags: &[Tag<'_>], findings: &mut Vec<Finding>) {
        let code = tag.code.trim().trim_end_matches('-').trim_end();
        let length =
            code.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(code.len());
        let Some((name, behind)) = code.split_at_checked(length) else { return };
        let is_name = name.starts_with(|char: char| char.is_ascii_lowercase());
        let is_alone = behind.is_empty() || behind.starts_with(['.', '[']);
        if !tag.is_written || !is_name || !is_alone || KNOWN.contains(&name) {
            return;
        }
        let others = tags.iter().filter(|other| !other.is_written);
        if others.into_iter().any(|other| names(other.code, name)) || names(behind, name) {
            return;
        }
        let message = format!("the template has no local variable or method '{name}'");
        let at = tag.start + tag.code.len() - tag.code.trim_start().len();
        let place = self.place(at, name.len());
        let mut finding = Finding::new(Code::TemplateVariable, Severity::Error, place.clone(), message);
        finding.message.push_str(&format!("; did you mean '@{name}'?"));
        let message = format!("write '@{name}'");
        finding.fix = Some(Fix { message, place, text: format!("@{name}") });
        findings.push(finding);
    }
}

/// The names behind each place of a text in code, with their offsets.
fn following<'c>(code: &'c str, start: &'c str) -> impl Iterator<Item = (usize, &'c str)> {
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | ':');
    code.match_indices(start).filter_map(move |(at, _)| {
        let at = at + start.len();
        let rest = code.get(at..)?;
        let end = rest.find(|char| !is_name(char)).unwrap_or(rest.len());
        // A name that is put together is not known.
        let is_whole = !rest.get(end..)?.starts_with(['#', '$', '%']);
        is_whole.then_some((at, rest.get(..end)?))
    })
}

/// Whether code has a word that is no variable of Puppet.
fn names(code: &str, word: &str) -> bool {
    let is_part = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '@');
    code.match_indices(word).any(|(at, _)| {
        let before = code.get(..at).and_then(|before| before.chars().next_back());
        let behind = code.get(at + word.len()..).and_then(|behind| behind.chars().next());
        !before.is_some_and(is_part) && !behind.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_of_templates_stand_in_tags() {
        let text = "@a <%= @b -%> <%# @c %> <% @list.each do |x| %><%= a@b.c %> <%= scope['@@x'] %>";
        let names: Vec<_> = erb_variables(text).into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["b", "list"]);
    }
}
