//! `puppet.conf`: the settings of a server.
//!
//! Follows the reference's `settings.rb`: the section `server` (or `master`) takes precedence over `main`.

use bunraku_pcore::value::Value;
use bunraku_syntax::diagnostic::Error;

use super::configuration::sections_of;
use super::setting_values::text_among;

/// The content of a `puppet.conf` for a server. Names in values (`$codedir`) are replaced by those settings.
#[derive(Clone, Debug, Default)]
pub struct PuppetConf {
    settings: Vec<(String, String)>,
}

impl PuppetConf {
    /// Reads the text of the file in a directory, `$confdir`.
    ///
    /// # Errors
    /// A line that is neither a setting, a section, a comment nor blank.
    pub fn parse(text: &str, confdir: &str) -> Result<Self, Error> {
        let path = super::join_path(confdir, "puppet.conf");
        let mut settings = Vec::new();
        let sections = sections_of(&path, text)?;
        for wanted in ["server", "master", "main"] {
            let own = sections.iter().filter(|section| section.name == wanted);
            settings.extend(own.flat_map(|section| section.settings.iter().cloned()));
        }
        settings.push(("confdir".to_owned(), confdir.to_owned()));
        Ok(Self { settings })
    }

    /// A setting of the file, or its default; `None` if there is neither.
    pub fn get(&self, name: &str) -> Option<String> {
        text_among(&|name| self.written(name).map(Value::from), name)
    }

    /// Whether the file has a setting.
    pub fn has(&self, name: &str) -> bool {
        self.written(name).is_some()
    }

    fn written(&self, name: &str) -> Option<&str> {
        self.settings.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "[main]\nstrict = warning\n[agent]\nstrict = off\n[server]\n\
                        environmentpath = $codedir/sites\nhiera_config = $confdir/hiera.yaml\n";

    #[test]
    fn the_server_goes_before_main_and_nothing_else_counts() {
        let conf = PuppetConf::parse(&format!("{TEXT}strict = error\ncodedir = /c\n"), "/etc/p").unwrap();
        assert_eq!(conf.get("strict").as_deref(), Some("error"));
        assert_eq!(conf.get("environmentpath").as_deref(), Some("/c/sites"));
        assert_eq!(conf.get("hiera_config").as_deref(), Some("/etc/p/hiera.yaml"));
        assert!(!conf.has("basemodulepath"));
        assert!(conf.get("basemodulepath").is_some_and(|path| path.starts_with("/c/modules")));
        assert_eq!(PuppetConf::parse(TEXT, "/etc/p").unwrap().get("strict").as_deref(), Some("warning"));
    }

    #[test]
    fn lines_that_say_nothing_are_errors_with_their_place() {
        let error = PuppetConf::parse("[main]\nwhat is this\n", "/etc/p").unwrap_err();
        assert_eq!(error.location.file.as_deref(), Some("/etc/p/puppet.conf"));
        assert_eq!(error.location.line, Some(2));
    }
}
