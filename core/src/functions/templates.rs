//! Templates: `epp`, `inline_epp` in the Puppet language; `template`, `inline_template` in Ruby's ERB, which the host
//! renders. A text without any Ruby in it needs no Ruby.

use super::{files, legacy, ruby};
use crate::diagnostic::{Error, issues};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated};
use crate::host::ErbTemplate;
use crate::pcore::{Hash, Value};
use crate::source::Source;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    BuiltIn::new(
        "epp",
        &[Dispatch::new(
            r"String $path, Hash[Pattern[/^\w+$/], Any]? $parameters >> Variant[String, Sensitive[String]]",
            epp,
        )],
    ),
    BuiltIn::new(
        "inline_epp",
        &[Dispatch::new(
            r"String $template, Hash[Pattern[/^\w+$/], Any]? $parameters >> Variant[String, Sensitive[String]]",
            inline_epp,
        )],
    ),
    BuiltIn::legacy("template", -2, true, &[Dispatch::new("", template)]),
    BuiltIn::legacy("inline_template", -2, true, &[Dispatch::new("", inline_template)]),
];

fn parameters<'a>(call: &'a Call<'_, '_>) -> Option<&'a Hash> {
    match call.argument(1) {
        Value::Hash(parameters) => Some(parameters),
        _ => None,
    }
}

fn inline_epp(call: &Call<'_, '_>) -> Evaluated {
    call.evaluator.inline_epp(call.scope, call.text(0), parameters(call))
}

fn epp(call: &Call<'_, '_>) -> Evaluated {
    let host = &call.evaluator.environment.host;
    let mut name = call.text(0).to_owned();
    if !name.lines().any(|line| line.ends_with(".epp")) && host.info(&name).is_none() {
        name.push_str(".epp");
    }
    let path = files::find(call, &name, "templates").filter(|path| host.info(path).is_some());
    let Some(path) = path else {
        return Err(Error::plain(format!("Could not find template '{name}'")).into());
    };
    let source = Source::new(Some(&path), files::read_text(call, &path)?);
    call.evaluator.template(call.scope, "epp", source, parameters(call), true)
}

/// Scripts know no templates in ERB.
fn assert_no_script(call: &Call<'_, '_>) -> Evaluated<()> {
    if call.evaluator.environment.settings.tasks {
        let feature = format!("ERB {}", call.name);
        return Err(super::scripting_error(call, issues::feature_not_supported_when_scripting(feature)));
    }
    Ok(())
}

fn inline_template(call: &Call<'_, '_>) -> Evaluated {
    assert_no_script(call)?;
    let mut out = String::new();
    for text in legacy::arguments(call) {
        let Value::String(text) = &text else {
            let (text, class) = (ruby::to_s(&text), ruby::class_name(&text));
            let message =
                format!("Failed to parse inline template: undefined method `encoding' for {text}:{class}");
            return Err(Error::internal(message).into());
        };
        let rendered = render(call, "inline template", text)
            .map_err(|error| Error::plain(format!("Failed to parse inline template: {}", error.message)))?;
        out.push_str(&rendered);
    }
    Ok(out.into())
}

fn template(call: &Call<'_, '_>) -> Evaluated {
    assert_no_script(call)?;
    let mut out = String::new();
    for name in legacy::arguments(call) {
        let Some(path) = files::find_any(call, &name, "templates")? else {
            return Err(Error::plain(format!("Could not find template '{}'", ruby::to_s(&name))).into());
        };
        let rendered = files::read_text(call, &path).and_then(|text| render(call, &path, &text));
        let rendered = rendered.map_err(|error| {
            let line = error.location.line.map(|line| line.to_string()).unwrap_or_default();
            Error::plain(format!(
                "Failed to parse template {}:\n  Filepath: {path}\n  Line: {line}\n  Detail: {}\n",
                ruby::to_s(&name),
                error.message
            ))
        })?;
        out.push_str(&rendered);
    }
    Ok(out.into())
}

fn render(call: &Call<'_, '_>, path: &str, text: &str) -> Result<String, Error> {
    if let Some(plain) = without_ruby(text) {
        return Ok(plain);
    }
    let host = &call.evaluator.environment.host;
    let caller = call.evaluator.foreign_caller(call.scope, call.site);
    match host.render_erb(&ErbTemplate { path, text }, &caller) {
        Some(rendered) => rendered,
        None => Err(Error::plain("templates in ERB need a host with Ruby, and this one has none")),
    }
}

/// The text of a template that has no Ruby in it: only text, comments and escaped tags. A tag that is never closed ends
/// the text, as in ERB.
fn without_ruby(template: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find("<%") {
        out.push_str(&rest[..at]);
        let tag = &rest[at + 2..];
        if let Some(after) = tag.strip_prefix('%') {
            out.push_str("<%");
            rest = after;
        } else if let Some(comment) = tag.strip_prefix('#') {
            let end = comment.find("%>")?;
            let trims = comment[..end].ends_with('-');
            rest = &comment[end + 2..];
            if trims {
                rest = rest.strip_prefix('\n').unwrap_or(rest);
            }
        } else if tag.contains("%>") {
            return None;
        } else {
            return Some(out);
        }
    }
    out.push_str(rest);
    Some(out)
}
