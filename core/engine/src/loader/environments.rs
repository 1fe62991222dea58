//! Environments by name, which are kept and loaded again when necessary.
//!
//! Follows the reference's `environments.rb` (`Directories`, `Cached`).

use std::sync::{Arc, Mutex};

use rustc_hash::FxHashMap;

use super::{Check, Environment, EnvironmentOptions};
use bunraku_host::Host;
use bunraku_pcore::format::inspect;
use bunraku_pcore::value::Value;
use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::diagnostic::bug::locked;
use bunraku_syntax::watch::Never;

/// When a loaded environment is loaded again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reload {
    /// Never: `unlimited`.
    #[default]
    Never,
    /// Each time it is asked for: `always`, `0`.
    Always,
    /// When a file or directory that was read has another size or time, is gone or has come: `changed`.
    WhenChanged,
    /// When it is this many seconds old: a number, or one with a unit, `90s`, `5m`, `12h`, `7d`, `1y`.
    After(u64),
    /// As `environment_timeout` in its `environment.conf` says, or each time without it: `configured`.
    AsConfigured,
}

impl Reload {
    /// Parses the text of an option.
    ///
    /// # Errors
    /// The text is unknown.
    pub fn parse(text: &str) -> Result<Self, Error> {
        match text {
            "never" => Ok(Self::Never),
            "always" => Ok(Self::Always),
            "changed" => Ok(Self::WhenChanged),
            "configured" => Ok(Self::AsConfigured),
            timeout => Self::of_timeout(timeout),
        }
    }

    /// Parses the setting `environment_timeout`.
    ///
    /// # Errors
    /// The text is not a time.
    pub(super) fn of_timeout(text: &str) -> Result<Self, Error> {
        if text == "unlimited" {
            return Ok(Self::Never);
        }
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let factor = match &text[digits..] {
            "" | "s" => 1,
            "m" => 60,
            "h" => 3_600,
            "d" => 86_400,
            "y" => 31_536_000,
            _ => 0,
        };
        match text[..digits].parse::<u64>() {
            Ok(_) | Err(_) if factor == 0 => Err(invalid_timeout(text)),
            Ok(0) => Ok(Self::Always),
            Ok(number) => Ok(Self::After(number.saturating_mul(factor))),
            Err(_) => Err(invalid_timeout(text)),
        }
    }
}

fn invalid_timeout(text: &str) -> Error {
    let text = inspect(&Value::from(text));
    Error::argument(format!("Invalid 'time to live' format '{text}' for parameter: environment_timeout"))
}

/// The environments of an environment path. Any number of threads may ask; a compilation keeps the
/// environment that it was given, whatever is read meanwhile.
#[derive(Debug)]
pub struct Environments {
    host: Arc<dyn Host>,
    options: EnvironmentOptions,
    reload: Reload,
    kept: Mutex<FxHashMap<String, CachedEnvironment>>,
}

#[derive(Clone, Debug)]
struct CachedEnvironment {
    environment: Arc<Environment>,
    loaded: i64,
}

impl Environments {
    /// Environments with these options, except for the name.
    pub fn new(host: Arc<dyn Host>, options: EnvironmentOptions, reload: Reload) -> Self {
        let options = EnvironmentOptions { watch: reload == Reload::WhenChanged, ..options };
        Self { host, options, reload, kept: Mutex::default() }
    }

    /// The environment with this name: the loaded one, or a new one if that is out of date.
    ///
    /// # Errors
    /// The environment does not exist, or cannot be loaded.
    pub fn get(&self, name: &str) -> Result<Arc<Environment>, Error> {
        self.get_watched(name, &Never)
    }

    /// As [`get`](Self::get), as long as `check` allows.
    ///
    /// # Errors
    /// As there; and `check`'s.
    pub fn get_watched(&self, name: &str, check: Check<'_>) -> Result<Arc<Environment>, Error> {
        let kept = locked(&self.kept).get(name).cloned();
        if let Some(kept) = kept
            && self.is_current(&kept)?
        {
            return Ok(kept.environment);
        }
        let loaded = self.host.now().clock_seconds();
        let options = EnvironmentOptions { name: name.to_owned(), ..self.options.clone() };
        let environment = Arc::new(Environment::load_watched(self.host.clone(), options, check)?);
        locked(&self.kept)
            .insert(name.to_owned(), CachedEnvironment { environment: environment.clone(), loaded });
        Ok(environment)
    }

    /// The names of the environments that the environment path has, sorted.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for path in &self.options.environmentpath {
            let listed = self.host.list(path).unwrap_or_default();
            names.extend(listed.into_iter().filter(|name| {
                let is_name = name.chars().all(|char| char.is_alphanumeric() || char == '_');
                let path = super::join_path(path, name);
                is_name && self.host.info(&path).is_some_and(|info| info.is_directory)
            }));
        }
        names.sort();
        names.dedup();
        names
    }

    /// Drops an environment, or all: they are loaded again on the next request.
    pub fn clear(&self, name: Option<&str>) {
        let mut kept = locked(&self.kept);
        match name {
            Some(name) => drop(kept.remove(name)),
            None => kept.clear(),
        }
    }

    fn is_current(&self, kept: &CachedEnvironment) -> Result<bool, Error> {
        let reload = match (self.reload, &kept.environment.environment_timeout) {
            (Reload::AsConfigured, Some(timeout)) => Reload::of_timeout(timeout)?,
            (Reload::AsConfigured, None) => Reload::Always,
            (reload, _) => reload,
        };
        Ok(match reload {
            Reload::Never => true,
            Reload::Always | Reload::AsConfigured => false,
            Reload::WhenChanged => kept.environment.is_unchanged(),
            Reload::After(seconds) => {
                let age = self.host.now().clock_seconds().saturating_sub(kept.loaded);
                u64::try_from(age).is_ok_and(|age| age < seconds)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timeouts_read_as_settings_of_the_reference() {
        let read = |text| Reload::parse(text).ok();
        assert_eq!(read("unlimited"), Some(Reload::Never));
        assert_eq!(read("0"), Some(Reload::Always));
        assert_eq!(read("90"), Some(Reload::After(90)));
        assert_eq!(read("5m"), Some(Reload::After(300)));
        assert_eq!(read("changed"), Some(Reload::WhenChanged));
        assert_eq!(read("5 minutes"), None);
        assert_eq!(read(""), None);
    }
}
