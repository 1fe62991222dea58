//! Interpolations in configurations and data of Hiera: `%{facts.os.family}`, `%{lookup('key')}`.

use bunraku_index::{FileIndex, Kind, Role};
use bunraku_syntax::names::split_last;
use bunraku_syntax::source::{Source, Span};

use super::codes::Code;
use super::facts;
use super::finding::{Finding, Place, Severity};
use super::suggest::nearest;
use super::world::World;

/// Methods of interpolations.
const METHODS: &[&str] = &["alias", "hiera", "literal", "lookup", "scope"];

/// Keys of `$trusted`.
const TRUSTED: &[&str] = &["authenticated", "certname", "domain", "extensions", "external", "hostname"];

/// Variables that Hiera itself sets.
const OF_HIERA: &[&str] = &["calling_class", "calling_class_path", "calling_module"];

/// Reports interpolations in a configuration of Hiera.
pub(crate) fn of_configuration(world: &World<'_>, source: &Source) -> Vec<Finding> {
    let text = Text { world, source, is_configuration: true };
    each(source.text()).filter_map(|(inside, span)| text.check(inside, span)).collect()
}

/// Reports interpolations in a file of data.
pub(crate) fn of_data(world: &World<'_>, source: &Source) -> Vec<Finding> {
    let text = Text { world, source, is_configuration: false };
    each(source.text()).filter_map(|(inside, span)| text.check(inside, span)).collect()
}

/// The configurations of an environment.
pub(crate) fn configurations<'w>(world: &World<'w>) -> impl Iterator<Item = &'w FileIndex> {
    world.index.files().iter().map(|file| &**file).filter(|file| file.role == Role::Hierarchy)
}

/// The interpolations of a text outside of lines of comments: what stands between the braces, with its place.
fn each(text: &str) -> impl Iterator<Item = (&str, Span)> {
    let lines = text.split_inclusive('\n').scan(0, |offset, line| {
        let start = *offset;
        *offset += line.len();
        Some((start, line))
    });
    lines.filter(|(_, line)| !line.trim_start().starts_with('#')).flat_map(|(start, line)| {
        line.match_indices("%{").filter_map(move |(at, mark)| {
            let begin = at + mark.len();
            let inside = line.get(begin..)?.split_once('}')?.0;
            let blank = inside.len() - inside.trim_start().len();
            let begin = (start + begin + blank) as u32;
            let inside = inside.trim();
            Some((inside, Span::new(begin, begin + inside.len() as u32)))
        })
    })
}

struct Text<'t, 'w> {
    world: &'t World<'w>,
    source: &'t Source,
    is_configuration: bool,
}

impl Text<'_, '_> {
    fn check(&self, inside: &str, span: Span) -> Option<Finding> {
        let place = || Place::of(self.source, span);
        if let Some((method, argument)) = method_of(inside) {
            let invalid = |message: String| {
                Some(Finding::new(Code::InvalidInterpolation, Severity::Error, place(), message))
            };
            if self.is_configuration {
                return invalid(format!("a configuration takes no method such as '{method}'"));
            }
            return match method {
                "lookup" | "hiera" | "alias" => self.key(argument, span),
                "scope" => self.variable(argument, span),
                method if METHODS.contains(&method) => None,
                _ => invalid(match nearest(method, METHODS.iter().copied()) {
                    Some(near) => format!("there is no method '{method}'; did you mean '{near}'?"),
                    None => format!("there is no method '{method}'"),
                }),
            };
        }
        self.variable(inside, span)
    }

    /// A key that is looked up for its value.
    fn key(&self, key: &str, span: Span) -> Option<Finding> {
        let root = root_of(key);
        let place = Place::of(self.source, self.within(span, root));
        self.world.missing_key(root, place, self.source)
    }

    /// A variable, with keys below it behind dots.
    fn variable(&self, name: &str, span: Span) -> Option<Finding> {
        let root = root_of(name);
        let name_of = root.strip_prefix("::").unwrap_or(root);
        let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | ':');
        if name_of.is_empty() || !name_of.chars().all(is_name) {
            return None;
        }
        let below = name.get(root.len() + 1..).map(root_of).filter(|key| !key.is_empty());
        match (name_of, below) {
            ("facts", Some(key)) => self.fact(key, span),
            ("trusted", Some(key)) if !TRUSTED.contains(&key) => {
                let near = nearest(key, TRUSTED.iter().copied());
                Some(self.unknown(Code::UnknownFact, &format!("'trusted' has no '{key}'"), key, near, span))
            }
            ("facts" | "trusted", _) => None,
            (name, _) if name.contains("::") => self.qualified(name, span),
            (name, _) => self.top(name, span),
        }
    }

    fn fact(&self, name: &str, span: Span) -> Option<Finding> {
        if facts::is_fact(name) || self.world.index.has(Kind::Fact, name) {
            return None;
        }
        let near = nearest(name, self.facts());
        Some(self.unknown(Code::UnknownFact, &format!("no fact '{name}' is known"), name, near, span))
    }

    /// The names of the facts of modules and of Facter.
    fn facts(&self) -> impl Iterator<Item = &str> {
        let own = self.world.index.all(Kind::Fact).map(|one| one.item.name.as_str());
        own.chain(facts::names())
    }

    /// A variable of a class.
    fn qualified(&self, name: &str, span: Span) -> Option<Finding> {
        let (class, variable) = split_last(name)?;
        let Some(known) = self.world.class(class) else {
            let module = class.split("::").next().unwrap_or_default();
            if !self.world.has_module(module) {
                return None;
            }
            let near = self.world.nearest(Kind::Class, class).map(|near| format!("{near}::{variable}"));
            let message = format!("no class '{class}' is there whose variable this could be");
            return Some(self.warning(&message, name, near.as_deref(), span));
        };
        if self.world.class_has_variable(&known, variable) != Some(false) {
            return None;
        }
        let near = self.world.nearest_variable(&known, variable);
        let message = format!("the class '{class}' has no variable '${variable}'");
        Some(self.warning(&message, name, near.as_deref(), span))
    }

    /// A variable of the top scope, or a fact.
    fn top(&self, name: &str, span: Span) -> Option<Finding> {
        if self.world.has_top_variable(name) || OF_HIERA.contains(&name) {
            return None;
        }
        let near = nearest(name, self.facts().chain(self.world.top_variables()));
        let message = format!("no scope sets the variable '${name}', and it is no known fact");
        Some(self.unknown(Code::UnknownVariable, &message, name, near, span))
    }

    /// A name that external facts and classifiers may bring: it is a warning where it resembles a known one.
    fn unknown(&self, code: Code, message: &str, name: &str, near: Option<&str>, span: Span) -> Finding {
        let severity = if near.is_some() { Severity::Warning } else { Severity::Note };
        let place = Place::of(self.source, self.within(span, name));
        Finding::new(code, severity, place, message).meant(near, self.source)
    }

    fn warning(&self, message: &str, name: &str, near: Option<&str>, span: Span) -> Finding {
        let place = Place::of(self.source, self.within(span, name));
        Finding::new(Code::UnknownVariable, Severity::Warning, place, message).meant(near, self.source)
    }

    /// The place of a part of an interpolation.
    fn within(&self, span: Span, part: &str) -> Span {
        let at = self.source.slice(span).find(part).unwrap_or_default() as u32;
        Span::new(span.start + at, span.start + at + part.len() as u32)
    }
}

/// The method and its argument: `lookup('key')`.
fn method_of(inside: &str) -> Option<(&str, &str)> {
    let (method, rest) = inside.split_once('(')?;
    let argument = rest.strip_suffix(')')?;
    let quoted = |quote: &str| argument.strip_prefix(quote)?.strip_suffix(quote);
    // Within a text in quotes they are escaped.
    let argument = ["\"", "'", "\\\""].iter().find_map(|quote| quoted(quote))?;
    let is_word =
        !method.is_empty() && method.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    (is_word && !argument.is_empty() && !argument.contains(['"', '\''])).then_some((method, argument))
}

/// The first part of a key with dots.
pub(crate) fn root_of(key: &str) -> &str {
    match key.chars().next() {
        Some(quote @ ('"' | '\'')) => key.get(1..).and_then(|rest| rest.split(quote).next()).unwrap_or(key),
        _ => key.split('.').next().unwrap_or(key).trim(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolations_stand_in_lines_without_comments() {
        let text = "a: '%{x} %{ facts.os }'\n# %{y}\nb: %{lookup('z')}\n";
        let found: Vec<_> = each(text).map(|(inside, span)| (inside, span.start)).collect();
        assert_eq!(found, [("x", 6), ("facts.os", 12), ("lookup('z')", 36)]);
    }

    #[test]
    fn methods_have_a_quoted_argument() {
        assert_eq!(method_of("lookup('a.b')"), Some(("lookup", "a.b")));
        assert_eq!(method_of("foo(\"a\")"), Some(("foo", "a")));
        assert_eq!(method_of(r#"foo(\"a\")"#), Some(("foo", "a")));
        for other in ["a", "lookup(a)", "('a')", "lookup('a', 'b')"] {
            assert_eq!(method_of(other), None, "{other}");
        }
        assert_eq!(root_of("a.b.c"), "a");
        assert_eq!(root_of("'a.b'.c"), "a.b");
    }
}
