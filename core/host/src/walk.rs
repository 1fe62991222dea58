//! Walks through directories, with limits that links and large numbers of files cannot exceed.

use super::Host;

/// The maximum depth of a walk in directories.
const MAX_DEPTH: usize = 64;

/// The maximum number of links to directories on one path: links that lead back up would multiply everything
/// below them.
const MAX_LINKS: usize = 3;

/// The maximum number of names that a walk visits.
const MAX_NAMES: usize = 1_000_000;

/// What to do with a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Entries {
    /// Inspect it: a directory is walked, a file is reported.
    Any,
    /// Inspect it: only a directory is walked.
    Directory,
    /// Treat it as a file without inspecting it.
    File,
    /// Ignore it.
    Skip,
}

/// Walks the files below a directory in the order of their names; the content of a directory takes its place.
/// `choose` decides what to do with a name; `listed` is called with each directory before it is read.
pub fn walk(
    host: &dyn Host,
    root: &str,
    choose: &dyn Fn(&str) -> Entries,
    listed: &dyn Fn(&str),
    found: &mut dyn FnMut(String),
) {
    let list = |directory: &str| {
        listed(directory);
        host.list(directory).unwrap_or_default().into_iter()
    };
    let mut left = MAX_NAMES;
    let mut open = vec![Open { path: root.to_owned(), links: 0, names: list(root) }];
    while let Some(Open { path, links, names }) = open.last_mut() {
        let Some(name) = names.next() else {
            open.pop();
            continue;
        };
        left -= 1;
        if left == 0 {
            return;
        }
        let choice = choose(&name);
        let path = format!("{path}/{name}");
        match choice {
            Entries::Skip => {}
            Entries::File => found(path),
            Entries::Any | Entries::Directory => match host.info(&path) {
                Some(info) if !info.is_directory && choice == Entries::Any => found(path),
                Some(info) if info.is_directory => {
                    let links = *links + usize::from(host.is_link(&path));
                    if links <= MAX_LINKS && open.len() <= MAX_DEPTH {
                        let names = list(&path);
                        open.push(Open { path, links, names });
                    }
                }
                _ => {}
            },
        }
    }
}

/// A directory in progress.
struct Open {
    path: String,
    /// The number of links that led there.
    links: usize,
    names: std::vec::IntoIter<String>,
}
