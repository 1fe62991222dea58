//! Requests and answers in JSON.

use bunraku_syntax::diagnostic::{Error, ErrorKind};
use bunraku_syntax::watch::Watch;
use serde_json::{Map, Value as Json, json};

use crate::{CHECKS, Check, Finding, LintOptions, check_named, lint_watched};

/// Checks a text. `request` is an object: "path" (the absolute path of the file), "relative", "fix",
/// "only_checks" (names of the checks that run), "checks" (an object: names of checks, and whether they run),
/// "top_scope_variables" (a list of names). The answer has "findings", each with "check", "kind", "message",
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

/// The table of checks: each with "check", "severity", "on", "fixed" and "about".
pub fn checks() -> Json {
    let row = |check: &Check| {
        let severity = match check.severity {
            crate::Severity::Error => "error",
            crate::Severity::Warning => "warning",
        };
        json!({
            "check": check.name, "severity": severity, "on": check.is_on, "fixed": check.is_fixed(),
            "about": check.about,
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
    for (name, value) in given {
        let flag = || value.as_bool().ok_or_else(|| wrong(format!("'{name}' is true or false")));
        match name.as_str() {
            "only_checks" => {}
            "path" => {
                let path = value.as_str().ok_or_else(|| wrong("'path' is a text".into()))?;
                options.path = Some(path.to_owned());
            }
            "relative" => options.relative = flag()?,
            "fix" => options.fix = flag()?,
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
