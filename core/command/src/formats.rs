//! Findings in the forms that other programs read.

use bunraku::source::Location;
use clap::ValueEnum;
use serde_json::{Map, Value as Json, json};
use std::sync::Arc;

use crate::console::{excerpt, in_parentheses, place_of};
use crate::screen::{Colour, Part};
use crate::{CommandError, Session};

/// How findings are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingFormat {
    /// For people.
    #[default]
    Text,
    /// A list of objects.
    Json,
    /// SARIF 2.1.0, for code scanners.
    Sarif,
    /// Commands for GitHub Actions, which shows them beside the source.
    Github,
    /// JUnit's XML, for servers that show tests.
    Junit,
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Error,
    Warning,
    Note,
}

impl Level {
    /// The colour on a terminal.
    pub(crate) const fn colour(self) -> Colour {
        match self {
            Self::Error => Colour::Red,
            Self::Warning => Colour::Yellow,
            Self::Note => Colour::Magenta,
        }
    }

    /// In lower case, as SARIF has it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A finding in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed<'f> {
    pub(crate) level: Level,
    /// The word for the level in texts.
    pub(crate) name: &'static str,
    pub(crate) code: Option<&'f str>,
    pub(crate) message: &'f str,
    pub(crate) file: Option<&'f str>,
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
    pub(crate) end_line: Option<u32>,
    pub(crate) end_column: Option<u32>,
}

impl Session<'_> {
    /// Writes findings: `json` makes the list of objects, `show` one for people.
    pub(crate) fn show_listed<'f>(
        &self,
        told: &[Listed<'f>],
        format: FindingFormat,
        json: &dyn Fn() -> Json,
        mut show: impl FnMut(&Listed<'f>) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        match format {
            FindingFormat::Text => told.iter().try_for_each(&mut show)?,
            FindingFormat::Json => self.console.json(&json())?,
            FindingFormat::Sarif => self.console.json(&sarif(told))?,
            FindingFormat::Github => {
                told.iter().try_for_each(|one| self.console.out().line(&github(one)))?;
            }
            FindingFormat::Junit => self.console.out().text(&junit(told))?,
        }
        Ok(())
    }

    /// Writes a finding for people, with the line that it is about; of files up to this size.
    pub(crate) fn show_finding(&self, told: &Listed<'_>, limit: u64) -> Result<(), CommandError> {
        let location = Location { file: told.file.map(Arc::from), line: told.line, column: told.column };
        let place = place_of(&location).unwrap_or_default();
        let message = format!(": {}{}", told.message, in_parentheses(told.code));
        let severity = Part::Coloured(told.name, told.level.colour());
        let mut out = self.console.out();
        out.parts(&[Part::Plain(&format!("{place}: ")), severity, Part::Plain(&message)])?;
        Ok(excerpt(&location, limit, &mut out)?)
    }
}

/// The rule of findings without a code: messages of the parser without one.
const WITHOUT_CODE: &str = "syntax-error";

/// SARIF 2.1.0, as code scanners exchange it.
pub(crate) fn sarif(findings: &[Listed<'_>]) -> Json {
    let mut codes: Vec<&str> = findings.iter().map(|one| one.code.unwrap_or(WITHOUT_CODE)).collect();
    codes.sort_unstable();
    codes.dedup();
    let rules: Vec<Json> = codes.into_iter().map(rule).collect();
    let results: Vec<Json> = findings.iter().map(result).collect();
    let driver = json!({
        "name": "bunraku", "version": env!("CARGO_PKG_VERSION"), "informationUri": env!("CARGO_PKG_REPOSITORY"),
        "rules": rules,
    });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{ "columnKind": "unicodeCodePoints", "tool": { "driver": driver }, "results": results }],
    })
}

/// The description of a code for scanners.
fn rule(code: &str) -> Json {
    let (title, text) = help(code);
    let full = format!("{title} {text}");
    let mut help = json!({ "text": text });
    if let Some(page) = page_of_check(code) {
        help["markdown"] = page.into();
    }
    json!({
        "id": code,
        "shortDescription": { "text": title },
        "fullDescription": { "text": full },
        "help": help,
    })
}

/// A short description of a code, and the remedy.
fn help(code: &str) -> (String, String) {
    let own = |title: &str, text: &str| (title.to_owned(), text.to_owned());
    match code {
        WITHOUT_CODE => {
            own("The text is not of the language.", "The parser refuses the file; nothing of it can be used.")
        }
        "metaparameter" => own(
            "A parameter has the name of a metaparameter.",
            "Resources have metaparameters such as `tag` and `require` anyway: choose another name.",
        ),
        "node-name" => {
            own("A node has a name that no node can have.", "Host names have letters, digits, - _ and .")
        }
        "duplicate-definition" => own(
            "Two definitions of one name.",
            "A class, defined type, function, type or node is defined twice; loading the second one fails.",
        ),
        "duplicate-definition-across-files" => own(
            "Several files define one name.",
            "Whatever is loaded first counts, or loading the second file fails. Keep one of the definitions.",
        ),
        "invalid-data" => own("The file is no YAML or JSON.", "Lookups that read the file fail."),
        "unreadable" => own("The file cannot be read.", "Nothing is known of it."),
        "limit-exceeded" => own("The file takes too much time or memory.", "Divide it."),
        code => help_of_check(code).unwrap_or_else(|| {
            let text = "`puppet parser validate` says it, too, by this code or with this message.";
            (format!("{code}, an issue of the language."), text.to_owned())
        }),
    }
}

#[cfg(feature = "check")]
fn help_of_check(code: &str) -> Option<(String, String)> {
    let code = bunraku::check::CODES.iter().find(|one| one.name() == code)?;
    Some((code.title().to_owned(), code.text().to_owned()))
}

#[cfg(not(feature = "check"))]
fn help_of_check(_: &str) -> Option<(String, String)> {
    None
}

/// The page of a code, with its example.
#[cfg(feature = "check")]
fn page_of_check(code: &str) -> Option<String> {
    bunraku::check::CODES.iter().find(|one| one.name() == code).map(|code| bunraku::check::page(*code))
}

#[cfg(not(feature = "check"))]
fn page_of_check(_: &str) -> Option<String> {
    None
}

fn result(finding: &Listed<'_>) -> Json {
    let mut place = json!({ "artifactLocation": { "uri": uri(finding.file.unwrap_or_default()) } });
    let mut region = Map::new();
    let numbers = [
        ("startLine", finding.line),
        ("startColumn", finding.column),
        ("endLine", finding.end_line),
        ("endColumn", finding.end_column),
    ];
    for (name, number) in numbers {
        region.extend(number.map(|number| (name.to_owned(), number.into())));
    }
    if !region.is_empty() {
        place["region"] = region.into();
    }
    json!({
        "ruleId": finding.code.unwrap_or(WITHOUT_CODE),
        "level": finding.level.name(),
        "message": { "text": finding.message },
        "locations": [{ "physicalLocation": place }],
    })
}

/// A path in SARIF's form: a URI reference with special characters escaped.
fn uri(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'~' | b'-' => {
                out.push(byte.into());
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// A line for GitHub Actions, which shows it beside the source.
pub(crate) fn github(finding: &Listed<'_>) -> String {
    let level = match finding.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note => "notice",
    };
    let number = |number: Option<u32>| number.map(|number| number.to_string());
    let properties = [
        ("file", finding.file.map(str::to_owned)),
        ("line", number(finding.line)),
        ("endLine", number(finding.end_line)),
        ("col", number(finding.column)),
        ("endColumn", number(finding.end_column)),
        ("title", finding.code.map(str::to_owned)),
    ];
    let properties: Vec<String> = properties
        .into_iter()
        .filter_map(|(name, value)| {
            Some(format!("{name}={}", escaped(&value?, &['%', '\r', '\n', ':', ','])))
        })
        .collect();
    format!("::{level} {}::{}", properties.join(","), escaped(finding.message, &['%', '\r', '\n']))
}

fn escaped(text: &str, special: &[char]) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if special.contains(&char) {
            out.push_str(&format!("%{:02X}", u32::from(char)));
        } else {
            out.push(char);
        }
    }
    out
}

/// JUnit's XML, one case for each finding, by file.
pub(crate) fn junit(findings: &[Listed<'_>]) -> String {
    let mut files: Vec<&str> = findings.iter().map(|one| one.file.unwrap_or_default()).collect();
    files.sort_unstable();
    files.dedup();
    let failures = |of: &[&Listed<'_>]| of.iter().filter(|one| one.level == Level::Error).count();
    let all: Vec<&Listed<'_>> = findings.iter().collect();
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"bunraku\" tests=\"{}\" failures=\"{}\">\n",
        all.len(),
        failures(&all)
    );
    for file in files {
        let own: Vec<&Listed<'_>> =
            all.iter().copied().filter(|one| one.file.unwrap_or_default() == file).collect();
        out.push_str(&format!(
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n",
            xml(file),
            own.len(),
            failures(&own)
        ));
        for one in own {
            let (code, line) = (one.code.unwrap_or(WITHOUT_CODE), one.line.unwrap_or_default());
            let place = format!("{file}:{line}:{}", one.column.unwrap_or_default());
            out.push_str(&format!("    <testcase name=\"{}\" classname=\"{}\">", xml(&place), xml(code)));
            let message = xml(one.message);
            out.push_str(&match one.level {
                Level::Error => format!("<failure type=\"{}\" message=\"{message}\"/>", xml(code)),
                level => format!("<system-out>{}: {message}</system-out>", level.name()),
            });
            out.push_str("</testcase>\n");
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// A text in XML; what XML has no characters for becomes `?`.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            char if char < ' ' || matches!(char, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            char => out.push(char),
        }
    }
    out
}
