//! Paths as text: joining and expanding, as Ruby's `File.join` and `File.expand_path` do, without accessing
//! files.

/// Joins two parts of a path with exactly one `/`.
pub fn join_path(base: &str, rest: &str) -> String {
    if base.is_empty() {
        return rest.to_owned();
    }
    let (base, rest) = (base.trim_end_matches('/'), rest.trim_start_matches('/'));
    let mut path = String::with_capacity(base.len() + 1 + rest.len());
    path.push_str(base);
    path.push('/');
    path.push_str(rest);
    path
}

/// The absolute form of a path, without `.` and `..`; a relative one starts at `base`.
pub fn expand_path(path: &str, base: &str) -> String {
    let joined = if path.starts_with('/') { path.to_owned() } else { join_path(base, path) };
    let mut names: Vec<&str> = Vec::new();
    for name in joined.split('/') {
        match name {
            "" | "." => {}
            ".." => {
                names.pop();
            }
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

/// The directory that holds a path.
pub fn parent_path(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) | None => "/",
        Some((parent, _)) => parent,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expansion_resolves_dots_and_doubled_slashes() {
        assert_eq!(expand_path("../b/./c//d", "/a/x"), "/a/b/c/d");
        assert_eq!(expand_path("/../..", "/a"), "/");
        assert_eq!(join_path("/a/", "/b"), "/a/b");
        assert_eq!(parent_path("/a/b"), "/a");
    }
}
