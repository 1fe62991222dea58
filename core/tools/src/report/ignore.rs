//! Differences that are expected.

use wildmatch::WildMatch;

use super::diff::{Diff, Sides};
use super::model::Edge;
use bunraku_syntax::diagnostic::Error;

/// Differences that do not count: of resources, or of parameters of resources.
#[derive(Clone, Debug, Default)]
pub struct Ignored {
    rules: Vec<Rule>,
}

/// `File[/etc/motd]`, `File[/etc/motd]/content`, `*/owner`
#[derive(Clone, Debug)]
struct Rule {
    reference: WildMatch,
    parameter: Option<WildMatch>,
}

impl Ignored {
    /// Parses rules: each is the reference of a resource, optionally followed by a slash and the name of a
    /// parameter. `*` matches any text, `?` any character.
    ///
    /// # Errors
    /// A rule is invalid.
    pub fn parse<'t>(rules: impl IntoIterator<Item = &'t str>) -> Result<Self, Error> {
        Ok(Self { rules: rules.into_iter().map(Rule::parse).collect::<Result<_, _>>()? })
    }

    /// Removes ignored differences. The rest of a resource stays; an edge is removed with either of its
    /// resources.
    pub fn take_from(&self, diff: &mut Diff) {
        let is_whole = |reference: &str| {
            self.rules.iter().any(|rule| rule.parameter.is_none() && rule.reference.matches(reference))
        };
        diff.added.retain(|entry| !is_whole(&entry.resource));
        diff.removed.retain(|entry| !is_whole(&entry.resource));
        diff.changed.retain_mut(|changed| {
            let reference = changed.resource.as_str();
            changed
                .parameters
                .retain(|change| !self.rules.iter().any(|rule| rule.has(reference, &change.name)));
            !is_whole(reference) && (!changed.parameters.is_empty() || changed.exported.is_some())
        });
        let Sides { added, removed } = &mut diff.edges;
        for edges in [added, removed] {
            edges.retain(|edge: &Edge| !is_whole(&edge.source) && !is_whole(&edge.target));
        }
    }
}

impl Rule {
    fn parse(text: &str) -> Result<Self, Error> {
        let (reference, parameter) = match text.rsplit_once("]/") {
            Some((before, parameter)) => (format!("{before}]"), Some(parameter)),
            None => match text.strip_prefix("*/") {
                Some(parameter) => ("*".to_owned(), Some(parameter)),
                None => (text.to_owned(), None),
            },
        };
        let is_reference = reference == "*" || (reference.contains('[') && reference.ends_with(']'));
        if !is_reference || parameter.is_some_and(|name| name.is_empty() || name.contains('/')) {
            return Err(Error::argument(format!(
                "'{text}' is no rule: Type[title], Type[title]/parameter or */parameter, with * for any text"
            )));
        }
        Ok(Self { reference: WildMatch::new(&reference), parameter: parameter.map(WildMatch::new) })
    }

    /// Whether it has a parameter of a resource.
    fn has(&self, reference: &str, name: &str) -> bool {
        self.parameter.as_ref().is_some_and(|parameter| parameter.matches(name))
            && self.reference.matches(reference)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bunraku_pcore::fuel::Unmetered;
    use serde_json::{Value as Json, json};

    fn catalog(content: &str, owner: &str, more: &[&str]) -> Json {
        let mut resources = vec![
            json!({ "type": "File", "title": "/etc/motd", "parameters": { "content": content, "owner": owner } }),
            json!({ "type": "File", "title": "/etc/[x]/y", "parameters": { "content": content } }),
        ];
        resources
            .extend(more.iter().map(|title| json!({ "type": "Notify", "title": title, "parameters": {} })));
        json!({ "name": "n", "resources": resources, "edges": [], "classes": [] })
    }

    fn left(rules: &[&str]) -> Vec<String> {
        let (from, to) = (catalog("a", "root", &["gone"]), catalog("b", "me", &["new"]));
        let mut diff = Diff::of_json(&from, &to, &Unmetered).unwrap();
        Ignored::parse(rules.iter().copied()).unwrap().take_from(&mut diff);
        let changed = diff.changed.iter().flat_map(|one| {
            one.parameters.iter().map(move |change| format!("{}/{}", one.resource, change.name))
        });
        let others = diff.added.iter().chain(&diff.removed).map(|entry| entry.resource.clone());
        changed.chain(others).collect()
    }

    #[test]
    fn what_rules_name_does_not_count() {
        let all = ["File[/etc/motd]/content", "File[/etc/motd]/owner", "File[/etc/[x]/y]/content"];
        assert_eq!(left(&["Notify[*]"]), all);
        assert_eq!(left(&["Notify[*]", "*/content"]), ["File[/etc/motd]/owner"]);
        assert_eq!(left(&["*[new]", "File[/etc/[x]/y]/content", "File[/etc/motd]"]), ["Notify[gone]"]);
        assert!(left(&["*"]).is_empty());
    }

    #[test]
    fn what_is_no_rule_is_refused() {
        for text in ["", "motd", "File[/a]/", "File[/a]/b/c", "*/"] {
            assert!(Ignored::parse([text]).is_err(), "{text}");
        }
    }
}
