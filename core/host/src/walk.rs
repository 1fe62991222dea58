//! Walks through directories, which links and sheer numbers cannot keep going for ever.

use super::Host;

/// How many directories deep a walk goes.
const MAX_DEPTH: usize = 64;

/// How many links to directories are followed on one way down: some that lead back up would multiply what is
/// below them.
const MAX_LINKS: usize = 3;

/// How many names a walk looks at.
const MAX_NAMES: usize = 1_000_000;

/// What to do with a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Entries {
    /// Look at what is there: a directory is gone through, a file is told of.
    Any,
    /// Look at what is there: a directory is gone through.
    Directory,
    /// It is a file, whatever is there.
    File,
    /// Nothing.
    Skip,
}

/// Goes through the files below a directory in the order of their names, what is in a directory in its place.
/// `choose` says what to do with a name; `listed` is told of each directory before it is read.
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

/// A directory that is gone through.
struct Open {
    path: String,
    /// How many links led there.
    links: usize,
    names: std::vec::IntoIter<String>,
}
