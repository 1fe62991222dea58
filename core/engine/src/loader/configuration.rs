//! `environment.conf`: the settings of one environment.
//!
//! Follows the reference's `settings/environment_conf.rb`, `settings/config_file.rb` and
//! `settings/ini_file.rb`.

use super::paths::{expand_path, join_path};
use super::setting_values::interpolated;
use bunraku_pcore::format::inspect;
use bunraku_pcore::value::Value;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::Location;

/// The settings that an `environment.conf` may hold.
const VALID_SETTINGS: &[&str] = &[
    "modulepath",
    "manifest",
    "config_version",
    "environment_timeout",
    "environment_data_provider",
    "static_catalogs",
    "rich_data",
];

/// The content of an `environment.conf`, as written.
#[derive(Clone, Debug, Default)]
pub(super) struct EnvironmentConfiguration {
    settings: Vec<(String, String)>,
    /// Errors in the file; logged once in each compilation.
    pub warnings: Vec<String>,
    /// Messages that are logged again when settings become variables: about the interpolation of paths.
    pub of_settings: Vec<String>,
}

impl EnvironmentConfiguration {
    /// Reads the text of a file. Errors: a line that is neither a setting, a section, a comment nor blank;
    /// braces that hold no options of a file.
    pub fn parse(path: &str, text: &str) -> Result<Self, Error> {
        let mut settings = Vec::new();
        let mut sections: Vec<&str> = Vec::new();
        for Section { name, settings: own } in sections_of(path, text)? {
            if name == "main" {
                settings.extend(own);
            } else if !sections.contains(&name) {
                sections.push(name);
            }
        }
        let mut warnings = Vec::new();
        if !sections.is_empty() {
            warnings.push(format!(
                "Invalid sections in environment.conf at '{path}'. Environment conf may not have sections. The following \
                 sections are being ignored: '{}'\n   (file & line not available)",
                sections.join(",")
            ));
        }
        let unknown: Vec<&str> = settings
            .iter()
            .map(|(name, _)| name.as_str())
            .filter(|name| !VALID_SETTINGS.contains(name))
            .collect();
        if !unknown.is_empty() {
            warnings.push(format!(
                "Invalid settings in environment.conf at '{path}'. The following unknown setting(s) are being ignored: {}\n   (file & line not available)",
                unknown.join(", ")
            ));
        }
        Ok(Self { settings, warnings, of_settings: Vec::new() })
    }

    /// The text of a setting.
    fn get(&self, name: &str) -> Option<&str> {
        self.settings.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The directories of modules, in order, with variables replaced by `variable`. Globs stay as they are.
    pub fn modulepath(
        &mut self,
        directory: &str,
        base: &[String],
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Vec<String>, Error> {
        let Some(text) = self.get("modulepath").map(str::to_owned) else {
            let own = std::iter::once(join_path(directory, "modules"));
            return Ok(own.chain(base.iter().cloned()).collect());
        };
        let parts: Vec<String> = text.split(':').map(|part| absolute(part, directory)).collect();
        let joined = self.interpolate("modulepath", &parts.join(":"), variable)?;
        Ok(joined
            .split(':')
            .filter(|part| !part.is_empty())
            .map(|part| expand_path(part, directory))
            .collect())
    }

    /// The main manifest: a file or a directory.
    pub fn manifest(
        &mut self,
        directory: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<String, Error> {
        let Some(text) = self.get("manifest").map(|text| absolute(text, directory)) else {
            return Ok(join_path(directory, "manifests"));
        };
        let path = self.interpolate("manifest", &text, variable)?;
        Ok(expand_path(&path, directory))
    }

    /// The command for the version of a configuration.
    pub fn config_version(
        &mut self,
        directory: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Option<String>, Error> {
        let Some(text) = self.get("config_version").map(|text| absolute(text, directory)) else {
            return Ok(None);
        };
        self.interpolate("config_version", &text, variable).map(Some)
    }

    /// The maximum age of the environment, as written.
    pub fn environment_timeout(&self) -> Option<&str> {
        self.get("environment_timeout")
    }

    /// The old way to configure the environment's data.
    pub fn data_provider(&self) -> Option<&str> {
        self.get("environment_data_provider").filter(|name| !name.is_empty())
    }

    /// Whether catalogs contain rich data, if the file sets it. Errors: the value is neither `true` nor
    /// `false`.
    pub fn rich_data(&self) -> Result<Option<bool>, Error> {
        let Some(text) = self.get("rich_data") else { return Ok(None) };
        match text.to_ascii_lowercase().as_str() {
            "true" => Ok(Some(true)),
            "false" => Ok(Some(false)),
            _ => {
                let text = inspect(&Value::from(text));
                Err(Error::plain(format!("Invalid value '{text}' for boolean parameter: rich_data")))
            }
        }
    }

    /// Replaces `$name` and `${name}`. `$environment` is known to `config_version` only.
    fn interpolate(
        &mut self,
        setting: &str,
        text: &str,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<String, Error> {
        let mut refused = false;
        let result = interpolated(text, |expression, name| {
            if name == "environment" && setting != "config_version" {
                refused = true;
                return Ok(expression.to_owned());
            }
            variable(name).ok_or_else(|| Error::plain(format!("Could not find value for {expression}")))
        })?;
        if refused {
            let warning = format!(
                "You cannot interpolate $environment within '{setting}' when using directory environments. Its value will \
                 remain {result}."
            );
            // The manifest, which is interpolated last, is the first setting of the two.
            self.of_settings.insert(0, warning.clone());
            self.warnings.push(warning);
        }
        Ok(result)
    }
}

/// A section of a settings file: the content below its name.
pub(super) struct Section<'t> {
    pub name: &'t str,
    pub settings: Vec<(String, String)>,
}

/// The sections of a settings file, in order; content before the first section is in `main`. A name can be
/// repeated.
///
/// Errors: a line is neither a setting, a section, a comment nor blank, or braces contain no options of a
/// file.
pub(super) fn sections_of<'t>(path: &str, text: &'t str) -> Result<Vec<Section<'t>>, Error> {
    let mut sections = Vec::new();
    let mut current = Section { name: "main", settings: Vec::new() };
    for (index, line) in text.lines().enumerate() {
        if let Some(name) = section_name(line) {
            sections.push(std::mem::replace(&mut current, Section { name, settings: Vec::new() }));
        } else if let Some((name, value)) = setting(line) {
            current.settings.push((name.to_owned(), without_file_options(unquoted(value))?));
        } else if !(line.trim().is_empty() || line.trim_start().starts_with('#')) {
            let location = Location { file: Some(path.into()), line: Some(index as u32 + 1), column: None };
            return Err(Error { location, ..Error::plain(format!("Could not match line {line}\n")) });
        }
    }
    sections.push(current);
    Ok(sections)
}

/// A path of a setting: one that starts with a variable stays, others start at the environment's directory.
fn absolute(path: &str, directory: &str) -> String {
    if path.starts_with('$') { path.to_owned() } else { expand_path(path, directory) }
}

fn section_name(line: &str) -> Option<&str> {
    let name = line.trim().strip_prefix('[')?.strip_suffix(']')?;
    (!name.is_empty() && name.chars().all(is_word)).then_some(name)
}

fn setting(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim();
    (!name.is_empty() && name.chars().all(is_word)).then(|| (name, value.trim()))
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// A value without the quotes around it.
fn unquoted(value: &str) -> &str {
    let value = value.strip_prefix(['"', '\'']).unwrap_or(value);
    value.strip_suffix(['"', '\'']).unwrap_or(value).trim_end()
}

/// A value without the `{owner = …, group = …, mode = …}` that settings about files may end with.
fn without_file_options(value: &str) -> Result<String, Error> {
    let options = value.match_indices('{').find_map(|(open, _)| {
        let length = value[open..].find('}')?;
        (length > 1).then_some((open, open + length))
    });
    let Some((open, close)) = options else { return Ok(value.trim_end().to_owned()) };
    for option in value[open + 1..close].split(',') {
        let is_name = |text: &str| !text.is_empty() && text.chars().all(is_word);
        let parts = option.split_once('=').map(|(name, given)| (name.trim(), given.trim()));
        let Some((name, given)) = parts.filter(|(name, given)| is_name(name) && is_name(given)) else {
            return Err(Error::argument(format!("Could not parse '{value}'")));
        };
        if !["owner", "group", "mode"].contains(&name) {
            return Err(Error::argument(format!("Invalid file option '{name}'")));
        }
        if name == "mode" && !given.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Error::argument("File modes must be numbers"));
        }
    }
    Ok(format!("{}{}", &value[..open], &value[close + 1..]).trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_about_files_end_with_options() {
        for (value, wanted) in [
            ("/a", Ok("/a")),
            ("/a{} ", Ok("/a{}")),
            ("/a {mode = 640, owner=root}", Ok("/a")),
            ("/a {size = 1}", Err("Invalid file option 'size'")),
            ("/a {mode = u+x}", Err("Could not parse '/a {mode = u+x}'")),
            ("/a {mode = rw}", Err("File modes must be numbers")),
        ] {
            let found = without_file_options(value).map_err(|error| error.message);
            assert_eq!(found.as_deref().map_err(String::as_str), wanted, "{value}");
        }
    }
}
