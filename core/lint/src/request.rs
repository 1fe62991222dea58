//! Requests and answers in JSON.

use bunraku_syntax::diagnostic::{Error, ErrorKind};
use bunraku_syntax::watch::Watch;
use serde_json::{Map, Value as Json, json};

use crate::{
    CHECKS, Check, Finding, Kind, LintOptions, SYNTAX, check_named, checks_of_plugin, lint_data, lint_watched,
};

/// Checks a text. `request` is an object: "path" (the absolute path of the file), "relative", "fix",
/// "plugins" (names of plug-ins of puppet-lint whose checks run, too, or "voxpupuli-puppet-lint-plugins"),
/// "only_checks" (names of the checks that run), "checks" (an object: names of checks, and whether they run),
/// "top_scope_variables" (a list of names), "docs_allowed_styles" (of "doc", "kafo", "strings"),
/// "chars_per_indent" (a number). The answer has "findings", each with "check", "kind", "message",
/// "line", "column" and "reason" (of ignored ones), "warnings", and "fixed" (the mended text).
///
/// # Errors
/// The request is wrong, or the work was ended.
pub fn answer(text: &str, request: &Json, watch: &Watch<'_>) -> Result<Json, Error> {
    let report = lint_watched(text, &options(request)?, watch)?;
    let mut answer = Map::new();
    answer.insert("findings".into(), report.findings.iter().map(finding).collect());
    answer.insert("warnings".into(), report.warnings.into());
    answer.extend(report.fixed.map(|fixed| ("fixed".to_owned(), fixed.into())));
    Ok(answer.into())
}

/// Checks data whose texts, keys included, are `texts`; the request and the answer are those of [`answer`].
///
/// # Errors
/// The request is wrong.
pub fn answer_data(source: &str, texts: &[&str], request: &Json) -> Result<Json, Error> {
    let findings = lint_data(source, texts, &options(request)?);
    Ok(json!({ "findings": findings.iter().map(finding).collect::<Json>(), "warnings": [] }))
}

/// The answer for data that cannot be read, with the line and the column where it stops.
///
/// # Errors
/// The request is wrong.
pub fn answer_unreadable(message: &str, (line, column): (u32, u32), request: &Json) -> Result<Json, Error> {
    options(request)?;
    let message = format!("Syntax error ({message})");
    let unreadable = Finding { check: SYNTAX, kind: Kind::Error, message, line, column, reason: None };
    Ok(json!({ "findings": [finding(&unreadable)], "warnings": [] }))
}

/// The table of checks: each with "check", "severity", "on", "fixed", "about" and "plugin" (the plug-in of
/// puppet-lint that has it, or null).
pub fn checks() -> Json {
    let row = |check: &Check| {
        let severity = match check.severity {
            crate::Severity::Error => "error",
            crate::Severity::Warning => "warning",
        };
        json!({
            "check": check.name, "severity": severity, "on": check.is_on, "fixed": check.is_fixed(),
            "about": check.about, "plugin": check.plugin,
        })
    };
    CHECKS.iter().map(row).collect()
}

/// A finding as an object.
pub fn finding(finding: &Finding) -> Json {
    let mut told = json!({
        "check": finding.check, "kind": finding.kind.name(), "message": finding.message,
        "line": finding.line, "column": finding.column,
    });
    if let Some(reason) = &finding.reason {
        told["reason"] = reason.as_str().into();
    }
    told
}

fn wrong(message: String) -> Error {
    Error { kind: ErrorKind::Argument, ..Error::plain(message) }
}

/// Reads the options of a request.
///
/// # Errors
/// An option is unknown or of the wrong kind, or a check is unknown.
pub fn options(request: &Json) -> Result<LintOptions, Error> {
    let mut options = LintOptions::default();
    let given = match request {
        Json::Object(given) => given,
        Json::Null => return Ok(options),
        _ => return Err(wrong("options of the linter are an object".into())),
    };
    // Which checks run is said before single ones are switched on or off.
    if let Some(names) = given.get("only_checks") {
        options.checks = texts(names, "only_checks")?;
        options.checks.iter().try_for_each(|name| known(name))?;
    }
    if let Some(names) = given.get("plugins") {
        for name in texts(names, "plugins")? {
            let checks = checks_of_plugin(&name);
            if checks.is_empty() {
                return Err(wrong(format!("there is no plug-in '{name}'")));
            }
            options.checks.extend(checks.into_iter().map(|check| check.name.to_owned()));
        }
    }
    for (name, value) in given {
        let flag = || value.as_bool().ok_or_else(|| wrong(format!("'{name}' is true or false")));
        match name.as_str() {
            "only_checks" | "plugins" => {}
            "path" => {
                let path = value.as_str().ok_or_else(|| wrong("'path' is a text".into()))?;
                options.path = Some(path.to_owned());
            }
            "relative" => options.relative = flag()?,
            "fix" => options.fix = flag()?,
            "docs_allowed_styles" => options.docs_allowed_styles = texts(value, name)?,
            "chars_per_indent" => {
                let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
                let wrong = || wrong("'chars_per_indent' is a number of characters".into());
                options.chars_per_indent = number.filter(|number| *number <= 80).ok_or_else(wrong)?;
            }
            "top_scope_variables" => options.top_scope_variables = texts(value, name)?,
            "checks" => {
                let each = value.as_object().ok_or_else(|| wrong("'checks' is an object".into()))?;
                for (check, wanted) in each {
                    known(check)?;
                    let wanted =
                        wanted.as_bool().ok_or_else(|| wrong(format!("'{check}' is true or false")))?;
                    options.checks.retain(|other| other != check);
                    options.checks.extend(wanted.then(|| check.clone()));
                }
            }
            _ => return Err(wrong(format!("there is no option '{name}' of the linter"))),
        }
    }
    Ok(options)
}

fn known(name: &str) -> Result<(), Error> {
    check_named(name).map(drop).ok_or_else(|| wrong(format!("there is no check '{name}'")))
}

fn texts(value: &Json, name: &str) -> Result<Vec<String>, Error> {
    let all =
        value.as_array().and_then(|all| all.iter().map(|one| one.as_str().map(str::to_owned)).collect());
    all.ok_or_else(|| wrong(format!("'{name}' is a list of texts")))
}
