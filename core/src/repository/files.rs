//! The files of a repository: those that are named, and those below directories that are named.

use bunraku_host::disk::{self, DiskHost};
use bunraku_host::{FILE_SIZE, Host, Reading, read};
use bunraku_syntax::diagnostic::Error;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Which files are selected.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// Patterns, as in `.gitignore`, of excluded files and directories. They are relative to the directory
    /// that is searched, and to the working directory.
    pub exclude: Vec<String>,
    /// Whether the files that `.gitignore` names are excluded.
    pub obeys_gitignore: bool,
    /// Whether YAML and JSON files are selected, too.
    pub data: bool,
}

/// A file that was named or found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    /// Its path, which begins with the named directory as the caller wrote it.
    pub path: String,
    /// The index of the given path that led to the file.
    pub argument: usize,
    /// Whether the file itself was named.
    pub is_named: bool,
}

/// Returns the files among the paths and those below the directories among them: manifests (`.pp`), templates
/// (`.epp`) and what `choice` adds. Hidden files are skipped, and links to directories are not followed.
///
/// # Errors
/// A pattern is invalid.
pub fn list_files(paths: &[String], choice: &Choice) -> Result<Vec<ListedFile>, Error> {
    let mut listed = Vec::new();
    let excluded = patterns("", &choice.exclude)?;
    for (argument, path) in paths.iter().enumerate() {
        if !DiskHost.info(path).is_some_and(|info| info.is_directory) {
            if !excluded.matched_path_or_any_parents(relative(path), false).is_ignore() {
                listed.push(ListedFile { path: path.clone(), argument, is_named: true });
            }
            continue;
        }
        let mut walk = Walk {
            base: path.trim_end_matches('/').to_owned(),
            excluded: &excluded,
            rules: if choice.obeys_gitignore { rules_above(path) } else { Vec::new() },
            choice,
            argument,
            found: &mut listed,
        };
        if path.starts_with('/') && walk.base.is_empty() {
            walk.base.push('/');
        }
        walk.directory("");
    }
    Ok(listed)
}

/// Returns whether a path is that of a YAML or JSON file.
pub(super) fn is_data(path: &str) -> bool {
    [".yaml", ".yml", ".eyaml", ".json"].iter().any(|ending| path.ends_with(ending))
}

/// Returns a path in the form that patterns are compared with.
fn relative(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path).trim_start_matches('/')
}

fn patterns(root: &str, patterns: &[String]) -> Result<Gitignore, Error> {
    let mut builder = GitignoreBuilder::new(root);
    for pattern in patterns {
        builder
            .add_line(None, pattern)
            .map_err(|wrong| Error::argument(format!("'{pattern}' is no pattern: {wrong}")))?;
    }
    builder.build().map_err(|wrong| Error::argument(wrong.to_string()))
}

/// Returns the patterns of a file, for what is below a directory. Lines that are not patterns are ignored.
fn rules_of(directory: &str, path: &str) -> Option<Gitignore> {
    let bytes = read(&DiskHost, path, &Reading::of_size(FILE_SIZE)).ok()?;
    let mut builder = GitignoreBuilder::new(directory);
    for line in String::from_utf8_lossy(&bytes).lines() {
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|rules| !rules.is_empty())
}

/// Returns the patterns of the directories above a directory, within its repository, outermost first.
fn rules_above(path: &str) -> Vec<Gitignore> {
    let Ok(directory) = disk::absolute_path(path) else { return Vec::new() };
    let mut above = vec![directory.as_str()];
    let is_top = |directory: &str| DiskHost.info(&format!("{directory}/.git")).is_some();
    while let Some(&last) = above.last()
        && !is_top(last)
    {
        match last.rsplit_once('/') {
            Some((next, _)) if !next.is_empty() => above.push(next),
            _ => return Vec::new(),
        }
    }
    let top = above.last().copied().unwrap_or_default();
    let own = rules_of(top, &format!("{top}/.git/info/exclude"));
    let above = above.iter().skip(1).rev();
    own.into_iter().chain(above.filter_map(|one| rules_of(one, &format!("{one}/.gitignore")))).collect()
}

/// A search through a directory.
struct Walk<'w> {
    base: String,
    excluded: &'w Gitignore,
    /// The patterns of the enclosing directories, outermost first.
    rules: Vec<Gitignore>,
    choice: &'w Choice,
    argument: usize,
    found: &'w mut Vec<ListedFile>,
}

impl Walk<'_> {
    /// Collects the files of a directory below the base.
    fn directory(&mut self, below: &str) {
        let directory = self.path(below);
        let own = if self.choice.obeys_gitignore { self.own_rules(&directory) } else { None };
        let depth = self.rules.len();
        self.rules.extend(own);
        for name in DiskHost.list(&directory).unwrap_or_default() {
            if name.starts_with('.') {
                continue;
            }
            let relative = if below.is_empty() { name } else { format!("{below}/{name}") };
            let path = self.path(&relative);
            let is_directory = DiskHost.info(&path).is_some_and(|info| info.is_directory);
            if (!is_directory && !self.is_wanted(&relative)) || self.is_left_out(&relative, is_directory) {
                continue;
            }
            if !is_directory {
                self.found.push(ListedFile { path, argument: self.argument, is_named: false });
            } else if !DiskHost.is_link(&path) {
                self.directory(&relative);
            }
        }
        self.rules.truncate(depth);
    }

    fn own_rules(&self, directory: &str) -> Option<Gitignore> {
        let absolute = disk::absolute_path(directory).ok()?;
        rules_of(&absolute, &format!("{absolute}/.gitignore"))
    }

    fn path(&self, below: &str) -> String {
        match (self.base.as_str(), below) {
            (base, "") => base.to_owned(),
            (".", below) => below.to_owned(),
            ("/", below) => format!("/{below}"),
            (base, below) => format!("{base}/{below}"),
        }
    }

    fn is_wanted(&self, path: &str) -> bool {
        let is_program = [".pp", ".epp"].iter().any(|ending| path.ends_with(ending));
        is_program || (self.choice.data && is_data(path))
    }

    fn is_left_out(&self, below: &str, is_directory: bool) -> bool {
        let path = self.path(below);
        let is_excluded = |path: &str| self.excluded.matched(path, is_directory).is_ignore();
        if is_excluded(below) || is_excluded(relative(&path)) {
            return true;
        }
        if self.rules.is_empty() {
            return false;
        }
        let Ok(absolute) = disk::absolute_path(&path) else { return false };
        let said = self.rules.iter().rev().map(|rules| rules.matched(&absolute, is_directory));
        matches!(said.into_iter().find(|said| !said.is_none()), Some(Match::Ignore(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(root: &str, choice: &Choice) -> Vec<String> {
        let listed = list_files(&[root.to_owned()], choice).expect("the patterns are patterns");
        listed.into_iter().map(|file| file.path[root.len() + 1..].to_owned()).collect()
    }

    #[test]
    fn what_is_ignored_or_excluded_is_left_out() {
        let root = tempfile::tempdir().expect("there is room");
        let path = root.path().to_str().expect("its name is UTF-8");
        for (name, text) in [
            ("a.pp", ""),
            ("b/c.pp", ""),
            ("b/kept.pp", ""),
            ("b/.gitignore", "*.pp\n!kept.pp\n"),
            ("b/.hidden/d.pp", ""),
            ("vendor/x/e.epp", ""),
            (".gitignore", "/vendor/\n"),
            (".git/info/exclude", "local.pp\n"),
            ("local.pp", ""),
            ("data/f.yaml", ""),
            ("readme.md", ""),
        ] {
            disk::write(&format!("{path}/{name}"), text.as_bytes())
                .or_else(|_| {
                    let (directory, _) = name.rsplit_once('/').expect("only those need directories");
                    DiskHost.make_directories(&format!("{path}/{directory}"))?;
                    disk::write(&format!("{path}/{name}"), text.as_bytes())
                })
                .expect("it can be written");
        }
        let all = Choice { data: true, ..Choice::default() };
        let everything =
            ["a.pp", "b/c.pp", "b/kept.pp", "data/f.yaml", "local.pp", "vendor/x/e.epp"].map(str::to_owned);
        assert_eq!(names(path, &all), everything);
        let obedient = Choice { obeys_gitignore: true, ..Choice::default() };
        assert_eq!(names(path, &obedient), ["a.pp", "b/kept.pp"]);
        assert_eq!(names(&format!("{path}/b"), &obedient), ["kept.pp"]);
        let exclude = vec!["b/".to_owned(), "*.epp".to_owned()];
        assert_eq!(names(path, &Choice { exclude, ..Choice::default() }), ["a.pp", "local.pp"]);
    }
}
