//! The modules that a Puppetfile asks for.

use bunraku_host::Reading;

use super::Environment;

/// The largest Puppetfile that is read, in bytes.
const MAX_SIZE: u64 = 1 << 20;

impl Environment {
    /// The names of the modules that the Puppetfile in the environment's directory asks for, installed or
    /// not; none without a Puppetfile.
    pub fn puppetfile_modules(&self) -> Vec<String> {
        let Some(directory) = &self.directory else { return Vec::new() };
        let text = self.host.read(&format!("{directory}/Puppetfile"), &Reading::of_size(MAX_SIZE));
        let text = String::from_utf8_lossy(text.as_deref().unwrap_or_default()).into_owned();
        text.lines().filter_map(module_of).map(str::to_owned).collect()
    }
}

/// The name of the module that a line of a Puppetfile asks for: `mod 'puppetlabs/stdlib', '9.0.0'`.
fn module_of(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("mod")?.trim_start_matches(['(', ' ', '\t']);
    let quote = rest.chars().next().filter(|char| matches!(char, '\'' | '"'))?;
    let (name, _) = rest.strip_prefix(quote)?.split_once(quote)?;
    name.rsplit(['/', '-']).next().filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn puppetfiles_name_modules() {
        let named = [
            ("mod 'puppetlabs/stdlib', '9.0.0'", Some("stdlib")),
            ("  mod \"puppetlabs-apache\",", Some("apache")),
            ("mod('local', :local => true)", Some("local")),
            ("moduledir 'thirdparty'", None),
            ("forge 'https://forge.example.net'", None),
            ("# mod 'a/b'", None),
            ("mod ''", None),
        ];
        for (line, name) in named {
            assert_eq!(module_of(line), name, "{line}");
        }
    }
}
