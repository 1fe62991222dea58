//! Patterns of file names, as in Ruby's `Dir.glob`: `*`, `**/`, `?`, `[a-z]`, `{a,b}`.

use super::Host;

/// The paths that match a pattern, in Ruby's order: the alternatives of braces one after another, the names
/// of a directory sorted, the content of a directory directly after it. A path without special characters
/// matches itself, even if it does not exist.
pub fn glob(host: &dyn Host, pattern: &str) -> Vec<String> {
    if !pattern.contains(['*', '?', '[', '{']) {
        return vec![pattern.to_owned()];
    }
    let mut search = Search { host, steps: MAX_STEPS, found: Vec::new() };
    for pattern in expand_braces(pattern, 8) {
        let mut names: Vec<&str> = pattern.split('/').filter(|name| !name.is_empty()).collect();
        names.dedup_by(|name, before| *name == "**" && *before == "**");
        let root = if pattern.starts_with('/') { "/" } else { "" };
        search.walk(root.to_owned(), &[&names], MAX_DEPTH);
    }
    search.found
}

/// The maximum number of paths that are visited for one pattern.
const MAX_STEPS: usize = 1_000_000;

/// The maximum depth of a search in directories.
const MAX_DEPTH: usize = 128;

struct Search<'h> {
    host: &'h dyn Host,
    steps: usize,
    found: Vec<String>,
}

impl Search<'_> {
    /// Finds the paths below a path that match any of several patterns, as lists of names.
    fn walk(&mut self, path: String, patterns: &[&[&str]], depth: usize) {
        self.steps = self.steps.saturating_sub(1);
        if depth == 0 || self.steps == 0 {
            return;
        }
        if patterns.iter().any(|names| names.is_empty()) && self.host.info(&path).is_some() {
            self.found.push(path.clone());
        }
        let lists = patterns.iter().any(|names| {
            let (anywhere, here) = below(names);
            anywhere || here.first().is_some_and(|first| first.contains(['*', '?', '[']))
        });
        if lists { self.list(&path, patterns, depth) } else { self.follow(&path, patterns, depth) }
    }

    /// Continues with the names in a directory that patterns match.
    fn list(&mut self, directory: &str, patterns: &[&[&str]], depth: usize) {
        for name in self.host.list(directory).unwrap_or_default() {
            let inner = child(directory, &name);
            let is_searched = || {
                !name.starts_with('.')
                    && self.host.info(&inner).is_some_and(|info| info.is_directory)
                    && !self.host.is_link(&inner)
            };
            let mut left: Vec<&[&str]> = Vec::new();
            for names in patterns {
                let (anywhere, here) = below(names);
                if anywhere && is_searched() {
                    left.push(names);
                }
                if let [first, rest @ ..] = here
                    && matches(first, &name)
                {
                    left.push(rest);
                }
            }
            if !left.is_empty() {
                self.walk(inner, &left, depth - 1);
            }
        }
    }

    /// Continues with the literal names in patterns, each once.
    fn follow(&mut self, directory: &str, patterns: &[&[&str]], depth: usize) {
        let mut seen: Vec<&str> = Vec::new();
        for first in patterns.iter().filter_map(|names| names.first()) {
            if !seen.contains(first) {
                seen.push(first);
                let split = patterns.iter().filter_map(|names| names.split_first());
                let left: Vec<&[&str]> =
                    split.filter(|&(name, _)| name == first).map(|(_, left)| left).collect();
                self.walk(child(directory, &first.replace('\\', "")), &left, depth - 1);
            }
        }
    }
}

/// The path of a name in a directory.
fn child(directory: &str, name: &str) -> String {
    match directory {
        "" => name.to_owned(),
        "/" => format!("/{name}"),
        other => format!("{other}/{name}"),
    }
}

/// Whether a pattern starts with `**/`, so that it applies to all directories below, and the rest of it.
fn below<'n>(names: &'n [&'n str]) -> (bool, &'n [&'n str]) {
    match names {
        ["**", rest @ ..] if !rest.is_empty() => (true, rest),
        names => (false, names),
    }
}

/// The expansions of `{a,b}` in a pattern, outermost first, up to a depth.
fn expand_braces(pattern: &str, depth: usize) -> Vec<String> {
    let whole = || vec![pattern.to_owned()];
    let Some(open) = pattern.find('{') else { return whole() };
    if depth == 0 {
        return whole();
    }
    let (head, braces) = pattern.split_at(open);
    let (mut level, mut parts, mut part) = (0usize, Vec::new(), String::new());
    let mut chars = braces.chars();
    while let Some(char) = chars.next() {
        let (is_inside, is_outermost) = (level > 0, level == 1);
        match char {
            '{' => level += 1,
            ',' if is_outermost => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            '}' if is_outermost => {
                parts.push(part);
                let tail = chars.as_str();
                let expand = |part: &String| expand_braces(&format!("{head}{part}{tail}"), depth - 1);
                return parts.iter().flat_map(expand).collect();
            }
            '}' => level -= 1,
            _ => {}
        }
        if is_inside {
            part.push(char);
        }
    }
    whole()
}

/// Whether a name matches one segment of a pattern. A leading `.` must be literal.
fn matches(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut pattern, mut name) = (pattern.as_slice(), name.as_slice());
    // The pattern after the last star, and the name where it was tried.
    let mut star: Option<(&[char], &[char])> = None;
    loop {
        let Some((&char, left)) = name.split_first() else {
            return pattern.iter().all(|char| *char == '*');
        };
        if let ['*', behind @ ..] = pattern {
            star = Some((behind, name));
            pattern = behind;
            continue;
        }
        match (behind_one(pattern, char), star) {
            (Some(behind), _) => (pattern, name) = (behind, left),
            (None, Some((behind, [_, left @ ..]))) => {
                star = Some((behind, left));
                (pattern, name) = (behind, left);
            }
            (None, _) => return false,
        }
    }
}

/// The rest of a pattern after a part that matches one character, if it matches this one.
fn behind_one(pattern: &[char], char: char) -> Option<&[char]> {
    let (is_it, behind) = match pattern {
        ['?', behind @ ..] => (true, behind),
        ['[', class @ ..] => {
            // A bracket that comes first is a member of the class.
            let end = class.iter().skip(1).position(|char| *char == ']')? + 1;
            let (class, behind) = class.split_at_checked(end)?;
            (in_class(class, char), behind.split_first()?.1)
        }
        ['\\', escaped, behind @ ..] => (*escaped == char, behind),
        [plain, behind @ ..] => (*plain == char, behind),
        [] => return None,
    };
    is_it.then_some(behind)
}

fn in_class(class: &[char], char: char) -> bool {
    let (negated, mut class) = match class {
        ['!' | '^', class @ ..] => (true, class),
        _ => (false, class),
    };
    let mut found = false;
    loop {
        match class {
            [from, '-', to, rest @ ..] => {
                found |= (*from..=*to).contains(&char);
                class = rest;
            }
            [one, rest @ ..] => {
                found |= *one == char;
                class = rest;
            }
            [] => return found != negated,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryHost;

    #[test]
    fn patterns_find_files_in_order() {
        let mut host = MemoryHost::new();
        for path in [
            "/d/a.yaml",
            "/d/b.yaml",
            "/d/x/c.yaml",
            "/d/x/y/d.yaml",
            "/d/z.yaml",
            "/d/.h.yaml",
            "/d/.x/e.yaml",
        ] {
            host.add(path, "");
        }
        assert_eq!(glob(&host, "/d/*.yaml"), ["/d/a.yaml", "/d/b.yaml", "/d/z.yaml"]);
        assert_eq!(
            glob(&host, "/d/**/*.yaml"),
            ["/d/a.yaml", "/d/b.yaml", "/d/x/c.yaml", "/d/x/y/d.yaml", "/d/z.yaml"]
        );
        assert_eq!(glob(&host, "/d/{b,a}.yaml"), ["/d/b.yaml", "/d/a.yaml"]);
        assert_eq!(glob(&host, "/d/{x/*,z.*,z.yaml}"), ["/d/x/c.yaml", "/d/x/y", "/d/z.yaml", "/d/z.yaml"]);
        assert_eq!(glob(&host, "/d/**/x/**/d*"), ["/d/x/y/d.yaml"]);
        assert_eq!(glob(&host, "/d/[!a].yaml"), ["/d/b.yaml", "/d/z.yaml"]);
        assert_eq!(glob(&host, "/d/missing.yaml"), ["/d/missing.yaml"]);
    }

    #[test]
    fn braces_are_expanded_up_to_a_depth() {
        assert_eq!(expand_braces("{a,b}{c,d}", 8), ["ac", "ad", "bc", "bd"]);
        assert_eq!(expand_braces("x{a{b,c}d,e}", 8), ["xabd", "xacd", "xe"]);
        assert_eq!(expand_braces(&"{a,b}".repeat(9), 8).len(), 256);
    }
}
