//! Reads what a module's Ruby file says of a resource type, without running it.
//!
//! Understood are `newtype` with `newparam`, `newproperty`, `ensurable`, `isnamevar`, `isomorphic` and
//! `title_patterns`, and `Puppet::ResourceApi.register_type`. Where a declaration is computed, all attributes are accepted.

use rustc_hash::FxHashSet;

use super::ruby_tokens::{Token, tokens};
use super::{ResourceType, Titles};
use crate::pcore::value::{RegexpValue, Str};
use crate::ruby::title_patterns;

/// The resource type that a file declares. `library` finds the text of a file that it requires.
pub fn read(name: &str, file: &str, text: &str, library: &dyn Fn(&str) -> Option<String>) -> ResourceType {
    let tokens = tokens(text);
    let is_api = tokens.iter().any(|token| *token == Token::Name("ResourceApi".to_owned()));
    let mut facts = if is_api { resource_api(&tokens) } else { newtype(&tokens) };
    if !is_api && text.contains("title_patterns") {
        // What running the method gives is better than what its text looks like.
        if let Some(patterns) = title_patterns::title_patterns(file, text, library) {
            facts.patterns = patterns;
        }
    }
    facts.into_type(name)
}

/// What was found in a file.
#[derive(Default)]
struct Facts {
    attributes: FxHashSet<Str>,
    keys: Vec<Str>,
    is_computed: bool,
    is_not_isomorphic: bool,
    patterns: Vec<(RegexpValue, Vec<Str>)>,
}

impl Facts {
    fn into_type(mut self, name: &str) -> ResourceType {
        // A parameter called `name` identifies the resource, unless another one is said to.
        if self.keys.is_empty() {
            self.keys.push("name".into());
        }
        self.attributes.insert("provider".into());
        let titles = match (self.patterns.is_empty(), self.keys.first()) {
            (false, _) => Titles::Patterns(self.patterns),
            (true, Some(first)) => Titles::Whole(first.clone()),
            (true, None) => Titles::Unread,
        };
        ResourceType {
            name: name.into(),
            keys: self.keys,
            attributes: self.attributes,
            accepts_all: self.is_computed,
            isomorphic: !self.is_not_isomorphic,
            titles,
        }
    }
}

fn newtype(tokens: &[Token]) -> Facts {
    let mut facts = Facts::default();
    // The parameters that the declaration being read is of: several when it stands in a loop, none for a property.
    let mut current: Vec<Str> = Vec::new();
    let mut loops: Vec<(String, Vec<Str>)> = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let next = || tokens.iter().skip(at + 1).find(|token| !matches!(token, Token::Mark('(')));
        let is_called = at == 0 || tokens.get(at - 1) != Some(&Token::Mark('.'));
        match token {
            Token::Name(name) if is_called && (name == "newparam" || name == "newproperty") => {
                let declared = match next() {
                    Some(Token::Symbol(attribute) | Token::Text(attribute)) => {
                        vec![Str::from(attribute.as_str())]
                    }
                    Some(Token::Name(variable)) => {
                        let known = loops.iter().rev().find(|(known, _)| known == variable);
                        known.map(|(_, names)| names.clone()).unwrap_or_default()
                    }
                    _ => Vec::new(),
                };
                facts.is_computed |= declared.is_empty();
                facts.attributes.extend(declared.iter().cloned());
                current = if name == "newparam" { declared } else { Vec::new() };
                if current.iter().any(|attribute| attribute == "name") {
                    add_keys(&mut facts.keys, &["name".into()]);
                }
            }
            Token::Name(name) if name == "each" => loops.extend(loop_over(tokens, at)),
            Token::Name(name) if name == "ensurable" => {
                facts.attributes.insert("ensure".into());
                current.clear();
            }
            Token::Name(name) if name == "isnamevar" => add_keys(&mut facts.keys, &current),
            Token::Key(key) | Token::Symbol(key) if key == "namevar" => {
                let value = tokens.iter().skip(at + 1).find(|token| !matches!(token, Token::Mark('=' | '>')));
                if value == Some(&Token::Name("true".to_owned())) {
                    add_keys(&mut facts.keys, &current);
                }
            }
            Token::Name(name) if name == "@isomorphic" => {
                facts.is_not_isomorphic |= tokens.get(at + 2) == Some(&Token::Name("false".to_owned()));
            }
            Token::Name(name) if name == "title_patterns" && !is_called => {
                facts.patterns = title_patterns(tokens.get(at + 1..).unwrap_or(&[]));
            }
            Token::Name(name)
                if matches!(name.as_str(), "class_eval" | "instance_eval" | "extend" | "module_eval") =>
            {
                facts.is_computed = true;
            }
            _ => {}
        }
    }
    facts
}

/// The variable and the names of a loop such as `[:a, :b].each do |name|`, whose `each` stands at `at`.
fn loop_over(tokens: &[Token], at: usize) -> Option<(String, Vec<Str>)> {
    let variable = match tokens.get(at + 1..at + 5)? {
        [Token::Name(_) | Token::Mark('{'), Token::Mark('|'), Token::Name(variable), Token::Mark('|')] => {
            variable
        }
        _ => return None,
    };
    let before = tokens.get(..at.checked_sub(1)?)?;
    let names = match before.last()? {
        Token::Words(words) => words.iter().map(|word| Str::from(word.as_str())).collect(),
        Token::Mark(']') => {
            let start = before.iter().rposition(|token| *token == Token::Mark('['))?;
            let names = before.get(start..)?.iter().filter_map(|token| match token {
                Token::Symbol(name) | Token::Text(name) => Some(Str::from(name.as_str())),
                _ => None,
            });
            names.collect()
        }
        _ => return None,
    };
    Some((variable.clone(), names))
}

fn add_keys(keys: &mut Vec<Str>, added: &[Str]) {
    for key in added {
        add_key(keys, key);
    }
}

fn add_key(keys: &mut Vec<Str>, key: &Str) {
    if !keys.contains(key) {
        keys.push(key.clone());
    }
}

/// The patterns of a method `title_patterns`: each regular expression with the symbols behind it. Regular expressions in
/// local variables are put in where they are interpolated.
fn title_patterns(tokens: &[Token]) -> Vec<(RegexpValue, Vec<Str>)> {
    let mut variables: Vec<(String, String)> = Vec::new();
    let mut patterns: Vec<(String, Vec<Str>)> = Vec::new();
    let mut depth = 1_usize;
    for (at, token) in tokens.iter().enumerate() {
        let is_line_start = at == 0 || tokens.get(at - 1) == Some(&Token::Newline);
        match token {
            Token::Name(name) if matches!(name.as_str(), "do" | "def" | "case" | "begin") => depth += 1,
            Token::Name(name) if is_line_start && matches!(name.as_str(), "if" | "unless") => depth += 1,
            Token::Name(name) if name == "end" => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            Token::Name(name) if is_line_start && tokens.get(at + 1) == Some(&Token::Mark('=')) => {
                let value = tokens.iter().skip(at + 2).take_while(|token| **token != Token::Newline);
                let source = value.clone().find_map(|token| match token {
                    Token::Regexp(source, options) => Some(embedded(source, options, &variables)),
                    _ => None,
                });
                let other = value.clone().find_map(|token| match token {
                    Token::Name(other) => variables.iter().find(|(known, _)| known == other).cloned(),
                    _ => None,
                });
                if let Some(source) = source.or(other.map(|(_, source)| source)) {
                    variables.push((name.clone(), source));
                }
            }
            Token::Regexp(source, options) => {
                let line = tokens.get(..at).unwrap_or(&[]);
                let line = line.rsplit(|token| *token == Token::Newline).next().unwrap_or(&[]);
                let is_assigned = matches!(line, [Token::Name(_), Token::Mark('='), ..]);
                if !is_assigned {
                    patterns.push((embedded(source, options, &variables), Vec::new()));
                }
            }
            Token::Symbol(name) => {
                if let Some((_, names)) = patterns.last_mut() {
                    names.push(name.as_str().into());
                }
            }
            _ => {}
        }
    }
    let complete = patterns.into_iter().filter(|(source, names)| !names.is_empty() && !source.contains("#{"));
    complete.map(|(source, names)| (RegexpValue::new(source), names)).collect()
}

/// A regular expression with its options in it, and with the variables put in.
fn embedded(source: &str, options: &str, variables: &[(String, String)]) -> String {
    let mut source = source.to_owned();
    for (name, value) in variables.iter().rev() {
        source = source.replace(&format!("#{{{name}}}"), value);
    }
    let on: String = ["m", "i", "x"].iter().filter(|option| options.contains(**option)).copied().collect();
    if on.is_empty() { source } else { format!("(?{on}:{source})") }
}

/// `Puppet::ResourceApi.register_type(name: …, attributes: { a: { behaviour: :namevar } }, title_patterns: […])`
fn resource_api(tokens: &[Token]) -> Facts {
    let mut facts = Facts::default();
    let mut depth = 0_usize;
    let mut attributes_at: Option<usize> = None;
    let mut current: Option<Str> = None;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('{') => depth += 1,
            Token::Mark('}') => {
                depth = depth.saturating_sub(1);
                if attributes_at.is_some_and(|outer| depth <= outer) {
                    attributes_at = None;
                }
            }
            Token::Key(key) | Token::Symbol(key) if key == "attributes" => attributes_at = Some(depth),
            Token::Key(key) | Token::Symbol(key) | Token::Text(key)
                if attributes_at.is_some_and(|outer| depth == outer + 1) =>
            {
                let attribute = Str::from(key.as_str());
                facts.attributes.insert(attribute.clone());
                current = Some(attribute);
            }
            Token::Key(key) | Token::Symbol(key) if key == "behaviour" || key == "behavior" => {
                let value = tokens.iter().skip(at + 1).find(|token| !matches!(token, Token::Mark('=' | '>')));
                if value == Some(&Token::Symbol("namevar".to_owned()))
                    && let Some(attribute) = &current
                {
                    add_key(&mut facts.keys, attribute);
                }
            }
            Token::Key(key) | Token::Symbol(key) if key == "pattern" => {
                let value = tokens.iter().skip(at + 1).find(|token| !matches!(token, Token::Mark('=' | '>')));
                if let Some(Token::Regexp(source, options)) = value {
                    let pattern = RegexpValue::new(embedded(source, options, &[]));
                    let names = pattern.regex().map(|regex| regex.names().to_vec()).unwrap_or_default();
                    let names = names.into_iter().map(|(name, _)| Str::from(name)).collect();
                    facts.patterns.push((pattern, names));
                }
            }
            _ => {}
        }
    }
    facts.is_computed |= facts.attributes.is_empty();
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_here(name: &str, text: &str) -> ResourceType {
        read(name, "", text, &|_| None)
    }

    #[test]
    fn declarations_are_read_and_texts_are_not() {
        let text = "Puppet::Type.newtype(:x) do\n  desc <<-DOC\n  newparam(:no)\n  DOC\n  ensurable\n  \
                    newparam(:key, namevar: true) do\n    desc 'isnamevar'\n  end\n  newproperty :p\nend\n";
        let of = read_here("x", text);
        assert_eq!(of.keys, ["key"]);
        assert!(of.has_parameter("p") && of.has_parameter("ensure") && !of.has_parameter("no"));
    }

    #[test]
    fn title_patterns_take_titles_apart() {
        let text = "newtype(:x) do\n def self.title_patterns\n  n = /[^@]+/\n  [[/^(#{n})@(.*)$/, [[:name], [:type]]],\n  \
                    [%r{^([^@]+)$}, [[:name]]]]\n end\n newparam(:name) { isnamevar }\n newparam(:type) { isnamevar }\nend";
        let of = read_here("x", text);
        let pairs = of.parse_title("a@b").unwrap_or_default();
        assert_eq!(pairs, [("name".into(), "a".into()), ("type".into(), "b".into())]);
    }
}
