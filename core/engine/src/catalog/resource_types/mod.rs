//! The types of resources that agents manage: parameters, names and the parsing of titles.
//!
//! [`table`] contains the types of the reference itself. Types of modules are read from the output of `puppet
//! generate types` ([`generated`]), or from their Ruby files (`reader`, with the feature `ruby`).

#[cfg(feature = "ruby")]
mod constant;
mod declared;
pub mod definition;
pub mod generated;
#[cfg(feature = "ruby")]
pub mod reader;
pub mod request;
#[cfg(feature = "ruby")]
mod resource_api;
pub mod table;

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

pub use declared::declared_by_ruby;
#[cfg(feature = "ruby")]
pub use reader::definitions_with;
#[cfg(feature = "ruby")]
pub use resource_api::definitions_in;
pub use table::{METAPARAMETERS, RELATIONSHIPS};

pub use crate::loader::{AttributeKind, ResourceType, Titles};

use crate::eval::module_ruby;
#[cfg(feature = "ruby")]
use crate::eval::ruby_library;
use crate::loader::Environment;
use bunraku_pcore::fuel::BoundedFuel;
use bunraku_pcore::value::{Str, Value, lower_case, shared};
use bunraku_syntax::diagnostic::Error;

/// The parameters from a title, with their values.
pub type TitleParts = SmallVec<[(Str, Str); 1]>;

impl ResourceType {
    /// Whether resources of this type can have a parameter.
    pub fn has_parameter(&self, name: &str) -> bool {
        name == "name" || self.accepts_all || self.attributes.contains_key(name) || is_metaparameter(name)
    }

    /// The reason why a value is not valid for an attribute, if its type is known.
    pub fn mismatch(&self, attribute: &str, value: &Value) -> Option<String> {
        let (_, of) = self.value_types.iter().find(|(name, _)| name == attribute)?;
        of.mismatch(&format!("{}.{attribute}", self.name), value)
    }

    /// The names of the attributes of a kind, in their order.
    pub fn names(&self, kind: AttributeKind) -> impl Iterator<Item = &Str> {
        self.attributes.iter().filter(move |(_, of)| **of == kind).map(|(name, _)| name)
    }

    /// Whether a parameter is accepted only because the type could not be read in full.
    pub fn is_unread(&self, name: &str) -> bool {
        self.accepts_all && name != "name" && !self.attributes.contains_key(name) && !is_metaparameter(name)
    }

    /// The parameter for the title, if there is exactly one; otherwise `name`.
    pub fn namevar(&self) -> &str {
        match self.keys.as_slice() {
            [key] => key,
            _ => "name",
        }
    }

    /// Whether a title certainly sets exactly one identifying parameter, to itself.
    pub fn is_named_by_title(&self, title: &str) -> bool {
        let (name, is_whole) = match &self.titles {
            Titles::Whole(name) => (name, true),
            Titles::Path(name) => (name, !title.ends_with(['/', '\n'])),
            Titles::Patterns(_) | Titles::Unread => return false,
        };
        is_whole && !title.is_empty() && matches!(self.keys.as_slice(), [key] if key == name)
    }

    /// The parameters from a title.
    ///
    /// # Errors
    /// No pattern matches the title.
    pub fn parse_title(&self, title: &str) -> Result<TitleParts, Error> {
        let unmatched = || Error::plain(format!("No set of title patterns matched the title \"{title}\"."));
        match &self.titles {
            Titles::Whole(name) => Ok(smallvec![(name.clone(), shared(title))]),
            Titles::Path(name) => {
                Ok(smallvec![(name.clone(), shared(path_of_title(title).ok_or_else(unmatched)?))])
            }
            Titles::Patterns(patterns) => {
                for (pattern, names) in patterns {
                    let Some(groups) =
                        pattern.regex(&BoundedFuel::default())?.captures(title, &BoundedFuel::default())?
                    else {
                        continue;
                    };
                    let text = |span: (usize, usize)| Some(Str::from(title.get(span.0..span.1)?));
                    let groups = groups.into_iter().skip(1).map(|span| span.and_then(text));
                    let pairs = names.iter().cloned().zip(groups);
                    return Ok(pairs.filter_map(|(name, text)| Some((name, text?))).collect());
                }
                Err(unmatched())
            }
            Titles::Unread => Ok(smallvec![("name".into(), title.into())]),
        }
    }
}

/// A file's path without the slashes at its end; a root directory (`/`, `C:/`) keeps one.
fn path_of_title(title: &str) -> Option<&str> {
    let body = title.strip_suffix('\n').filter(|body| body.ends_with('/')).unwrap_or(title);
    let stripped = body.trim_end_matches('/');
    if title.is_empty() {
        None
    } else if stripped.is_empty() {
        Some("/")
    } else if stripped.ends_with(':') && stripped.len() > 1 && stripped.len() < body.len() {
        body.get(..=stripped.len())
    } else {
        Some(stripped)
    }
}

/// A core type by its name in lower case.
pub fn core_type(name: &str) -> Option<Arc<ResourceType>> {
    static TYPES: LazyLock<FxHashMap<&'static str, Arc<ResourceType>>> =
        LazyLock::new(|| table::CORE_TYPES.iter().map(|row| (row.name, Arc::new(row.read()))).collect());
    TYPES.get(name).cloned()
}

/// The core types that manifests declare, each with what it is for, in a few words.
pub fn core_type_summaries() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = table::CORE_TYPES.iter().map(|row| (row.name, row.summary));
    rows.filter(|(_, summary)| !summary.is_empty())
}

/// A type that agents manage, by its name: one of the core, or one that a module or another library brings,
/// which is read once in an environment.
pub fn find(environment: &Environment, name: &str) -> Option<Arc<ResourceType>> {
    let name = lower_case(name);
    core_type(&name).or_else(|| library_type(environment, &name))
}

/// The text of a file, which the environment then depends on.
fn text_of(environment: &Environment, path: &str) -> Option<String> {
    environment.note(path);
    Some(String::from_utf8_lossy(&environment.read_shared(path).ok()?).into_owned())
}

/// The type that a file in Ruby declares, without a host with Ruby. Nothing where the file cannot be read.
#[cfg(feature = "ruby")]
pub fn read_file(environment: &Environment, name: &str, file: &str) -> Option<ResourceType> {
    let source = reader::Source { name, file, text: &text_of(environment, file)? };
    let library = |path: &str| {
        let relative = format!("{}.rb", path.trim_end_matches(".rb"));
        environment.autoload_candidates(&relative).find_map(|path| text_of(environment, &path))
    };
    let required = |name: &str| ruby_library(environment, name);
    Some(reader::read(&source, &library, &required, environment.has_providers(name)))
}

/// A type that a module or another library has in Ruby, from what `puppet generate types` has written or from
/// its own file.
fn library_type(environment: &Environment, name: &str) -> Option<Arc<ResourceType>> {
    let is_name = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if name.is_empty() || !is_name(name) || !environment.has_native_type(name) {
        return None;
    }
    let mut is_interrupted = false;
    let read = || {
        let path = environment.directory.as_ref().map(|own| format!("{own}/.resource_types/{name}.pp"));
        let generated = path.and_then(|path| generated::read(&path, &text_of(environment, &path)?));
        let read = generated.or_else(|| {
            let file = environment.resource_type_file(name)?;
            #[cfg(feature = "ruby")]
            let read = read_file(environment, name, file)?;
            #[cfg(not(feature = "ruby"))]
            let read = declared::unread(name, environment.has_providers(name));
            if !read.accepts_all {
                return Some(read);
            }
            // If the text is not sufficient, the file is run. A file that cannot be run is known as far as it
            // was read.
            // was read.
            match module_ruby(environment)
                .and_then(|ruby| ruby.map_or(Ok(None), |ruby| ruby.resource_type(name, file)))
            {
                Ok(Some(run)) => Some(declared_by_ruby(name, run, environment.has_providers(name))),
                Err(error) if error.kind.is_limit() => {
                    is_interrupted = true;
                    Some(read)
                }
                Ok(None) | Err(_) => Some(read),
            }
        });
        let read = read.map(Arc::new);
        // The cancellation of one compilation must not be stored for the environment.
        if is_interrupted { Err(read) } else { Ok(read) }
    };
    match environment.caches.resource_types.try_get(name, read) {
        Ok(kept) => Option::clone(&kept),
        Err(read) => read,
    }
}

/// Whether all resources can have this parameter.
pub fn is_metaparameter(name: &str) -> bool {
    METAPARAMETERS.contains(&name)
}

/// Whether a resource precedes those that it names in a relationship parameter; otherwise it follows them.
pub fn comes_first(relationship: &str) -> bool {
    matches!(relationship, "before" | "notify")
}

/// Whether a parameter makes relationships.
pub fn is_relationship(name: &str) -> bool {
    RELATIONSHIPS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_files_lose_slashes_at_their_end() {
        let file = core_type("file").expect("file is a core type");
        let path = |title| file.parse_title(title).map(|pairs| pairs[0].1.to_string());
        assert_eq!(path("/a/b//").unwrap(), "/a/b");
        assert_eq!(path("/").unwrap(), "/");
        assert_eq!(path("C:/").unwrap(), "C:/");
        assert!(path("").is_err());
    }
}
