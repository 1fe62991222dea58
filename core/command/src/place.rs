//! Locates the environment: options, the working directory, `puppet.conf`, the Puppetfile.

use std::sync::Arc;

use bunraku::Host;
use bunraku::compiler::request;
use bunraku::host::disk::{self, DiskHost};
use bunraku::loader::{Environment, PuppetConf};
use clap::Args;
use serde_json::{Map, Value as Json};

use crate::arguments::FileArguments;
use crate::{CommandError, Session};

/// Which environment it is.
#[derive(Args)]
#[command(next_help_heading = "Environment")]
pub(crate) struct EnvironmentArguments {
    /// Directory of the environment, such as a checkout [default: the working directory, when it has
    /// environment.conf or manifests]
    #[arg(long, value_name = "DIR", conflicts_with = "environmentpath")]
    pub(crate) directory: Option<String>,
    /// Directories that hold environments [default: the working directory]
    #[arg(long, value_name = "PATH")]
    pub(crate) environmentpath: Option<String>,
    /// Name of the environment [default: production]
    #[arg(long, value_name = "NAME")]
    pub(crate) environment: Option<String>,
}

/// The parts of the environment.
#[derive(Args)]
#[command(next_help_heading = "Environment")]
pub(crate) struct PathArguments {
    /// Directories of modules [default: from environment.conf]
    #[arg(long, value_name = "PATH")]
    pub(crate) modulepath: Option<String>,
    /// Directories of modules that all environments share
    #[arg(long, value_name = "PATH")]
    pub(crate) basemodulepath: Option<String>,
    /// Main manifest, a file or a directory [default: from environment.conf]
    #[arg(long, value_name = "PATH")]
    pub(crate) manifest: Option<String>,
    /// Directory with puppet.conf, to read environmentpath, basemodulepath, hiera_config, strict and other
    /// settings
    #[arg(long, value_name = "DIR")]
    pub(crate) confdir: Option<String>,
    /// hiera.yaml of the global layer
    #[arg(long, value_name = "FILE")]
    pub(crate) global_hiera: Option<String>,
}

/// An existing environment: by its own directory, or by name in directories.
#[derive(Clone, Debug)]
pub(crate) enum EnvironmentSource {
    Directory { directory: String, name: String },
    Path { path: Vec<String>, name: String },
}

impl EnvironmentSource {
    /// Adds itself to the options of an environment.
    pub(crate) fn add_to(&self, asked: &mut Json) {
        let (key, value, name) = match self {
            Self::Directory { directory, name } => ("directory", Json::from(directory.as_str()), name),
            Self::Path { path, name } => ("environmentpath", Json::from(path.clone()), name),
        };
        asked[key] = value;
        asked["environment"] = name.as_str().into();
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Directory { name, .. } | Self::Path { name, .. } => name,
        }
    }
}

/// Loads the environment of this name with the options of a request.
pub(crate) fn load(host: Arc<dyn Host>, asked: &Json, name: &str) -> Result<Arc<Environment>, CommandError> {
    let environments = request::of_environment(asked)
        .and_then(|asked| request::environments(host, &asked))
        .map_err(CommandError::of_arguments)?;
    Ok(environments.get(name)?)
}

impl EnvironmentArguments {
    /// Whether the options name an environment or a place of environments.
    pub(crate) const fn is_given(&self) -> bool {
        self.directory.is_some() || self.environmentpath.is_some() || self.environment.is_some()
    }

    /// Locates the environment; `classified` is its name if a classifier sets it.
    pub(crate) fn place(
        &self,
        classified: Option<&str>,
        conf: Option<&PuppetConf>,
    ) -> Result<EnvironmentSource, CommandError> {
        let name = classified.or(self.environment.as_deref()).unwrap_or("production").to_owned();
        check_name(&name)?;
        if let Some(path) = &self.directory {
            return Ok(EnvironmentSource::Directory { directory: directory(path)?, name });
        }
        if let Some(path) = &self.environmentpath {
            return Ok(EnvironmentSource::Path { path: directories(path)?, name });
        }
        let of_conf = |conf: &PuppetConf| {
            let path = conf.get("environmentpath")?.split(':').map(str::to_owned).collect();
            Some(EnvironmentSource::Path { path, name: name.clone() })
        };
        if let Some(source) = conf.filter(|conf| conf.has("environmentpath")).and_then(of_conf) {
            return Ok(source);
        }
        let here = disk::absolute_path(".")?;
        let is_named = classified.is_some() || self.environment.is_some();
        if is_directory(&format!("{here}/{name}")) && (is_named || !is_environment(&here)) {
            return Ok(EnvironmentSource::Path { path: vec![here], name });
        }
        if is_environment(&here) {
            return Ok(EnvironmentSource::Directory { directory: here, name });
        }
        if let Some(source) = conf.and_then(of_conf) {
            return Ok(source);
        }
        Err(CommandError::misuse(format!(
            "there is no environment in {here}: it has no environment.conf, no manifests and no directory \
             '{name}' (--directory names an environment's directory, --environmentpath one that holds \
             environments)"
        )))
    }
}

impl PathArguments {
    /// The content of puppet.conf, if its directory is given.
    pub(crate) fn conf(
        &self,
        files: &FileArguments,
        session: &Session<'_>,
    ) -> Result<Option<PuppetConf>, CommandError> {
        let Some(confdir) = &self.confdir else { return Ok(None) };
        let confdir = disk::absolute_path(confdir)?;
        let text = files.text(&format!("{confdir}/puppet.conf"), session)?;
        Ok(Some(PuppetConf::parse(&text, &confdir)?))
    }

    /// Adds the paths to the options of an environment, and the settings of puppet.conf that `settings` does
    /// not have.
    pub(crate) fn add_to(
        &self,
        asked: &mut Json,
        conf: Option<&PuppetConf>,
        mut settings: Map<String, Json>,
    ) -> Result<(), CommandError> {
        let mut base = self.basemodulepath.as_deref().map(directories).transpose()?;
        if let Some(conf) = conf {
            let of_conf = |name| conf.get(name).filter(|_| conf.has(name));
            base = base.or_else(|| {
                of_conf("basemodulepath").map(|path| path.split(':').map(str::to_owned).collect())
            });
            for name in bunraku::loader::setting_names().filter(|name| !PATHS.contains(name)) {
                if let Some(value) = of_conf(name) {
                    settings.entry(name).or_insert(value.into());
                }
            }
        }
        asked["basemodulepath"] = base.unwrap_or_default().into();
        asked["settings"] = settings.into();
        if let Some(path) = &self.modulepath {
            // The environment keeps its own directory: a request has either a module path or a path of
            // environments.
            let name = asked["environment"].as_str().unwrap_or("production").to_owned();
            let paths: Vec<&str> =
                asked["environmentpath"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
            let is_known = asked.get("directory").is_some() || paths.is_empty();
            let found = paths.iter().map(|path| format!("{path}/{name}")).find(|path| is_directory(path));
            // That there is no such environment is told when it is loaded.
            if is_known || found.is_some() {
                asked["modulepath"] = directories(path)?.into();
            }
            if let Some(directory) = found.filter(|_| !is_known) {
                asked["directory"] = directory.into();
            }
        }
        if let Some(path) = &self.manifest {
            let path = disk::absolute_path(path)?;
            if DiskHost.info(&path).is_none() {
                return Err(CommandError::misuse(format!("there is no {path}")));
            }
            asked["manifest"] = path.into();
        }
        Ok(())
    }
}

/// Settings with options of their own.
const PATHS: &[&str] =
    &["environmentpath", "basemodulepath", "hiera_config", "environment", "manifest", "modulepath"];

/// The directories of a path, from the working directory.
///
/// # Errors
/// One of them is not there.
pub(crate) fn directories(path: &str) -> Result<Vec<String>, CommandError> {
    path.split(':').filter(|part| !part.is_empty()).map(directory).collect()
}

/// A directory, from the working directory.
///
/// # Errors
/// It is not there.
pub(crate) fn directory(path: &str) -> Result<String, CommandError> {
    let absolute = disk::absolute_path(path)?;
    if is_directory(&absolute) {
        Ok(absolute)
    } else {
        Err(CommandError::misuse(format!("there is no directory {path}")))
    }
}

pub(crate) fn is_directory(path: &str) -> bool {
    DiskHost.info(path).is_some_and(|info| info.is_directory)
}

/// Whether a directory is an environment's own.
fn is_environment(path: &str) -> bool {
    DiskHost.info(&format!("{path}/environment.conf")).is_some() || is_directory(&format!("{path}/manifests"))
}

/// Refuses what cannot be an environment's name.
pub(crate) fn check_name(name: &str) -> Result<(), CommandError> {
    if !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || char == '_') {
        return Ok(());
    }
    Err(CommandError::misuse(format!("'{name}' is no valid environment name: letters, digits, _")))
}

/// The modules that the environment's Puppetfile names and that are not there.
pub(crate) fn missing_modules(environment: &Environment) -> Vec<String> {
    let mut missing = environment.puppetfile_modules();
    missing.retain(|name| environment.find_module(name).is_none());
    missing
}

/// The directories of the modules that an environment holds itself: those below its directory that its
/// Puppetfile does not name.
pub(crate) fn own_modules(environment: &Environment) -> Vec<String> {
    let Some(directory) = &environment.directory else { return Vec::new() };
    let of_others = environment.puppetfile_modules();
    let own = environment.modulepath.iter().filter(|path| path.starts_with(&format!("{directory}/")));
    own.flat_map(|path| {
        let names = DiskHost.list(path).unwrap_or_default().into_iter();
        names.filter(|name| !of_others.contains(name)).map(move |name| format!("{path}/{name}"))
    })
    .filter(|path| is_directory(path))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_environments_are_words() {
        assert!(check_name("production_2").is_ok());
        for name in ["", "control-repo", "a/b", "a b"] {
            assert!(check_name(name).is_err(), "{name}");
        }
    }
}
