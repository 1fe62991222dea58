//! Templates: `epp`, `inline_epp` in the Puppet language; `template`, `inline_template` in Ruby's ERB. A host
//! with Ruby may render those; otherwise the Ruby that is built in does.

use super::{files, legacy, ruby as texts};
use crate::eval::{BuiltIn, Call, Dispatch, Evaluated, Unwind};
use bunraku_host::{ErbFailure, ErbTemplate, TemplateChoice};
use bunraku_pcore::types::{Type, TypeKind, mismatch};
use bunraku_pcore::{Hash, Value};
use bunraku_syntax::diagnostic::{Error, issues};
use bunraku_syntax::source::{Location, Source};

#[cfg(feature = "ruby")]
mod built_in;

pub(super) static FUNCTIONS: &[BuiltIn] = &[
    BuiltIn::new(
        "epp",
        &[Dispatch::new(
            r"String $path, Hash[Pattern[/^\w+$/], Any]? $parameters >> Variant[String, Sensitive[String]]",
            epp,
        )],
    ).only_in_4x().calling(),
    BuiltIn::new(
        "inline_epp",
        &[Dispatch::new(
            r"String $template, Hash[Pattern[/^\w+$/], Any]? $parameters >> Variant[String, Sensitive[String]]",
            inline_epp,
        )],
    ).only_in_4x().calling(),
    BuiltIn::legacy("template", -2, true, &[Dispatch::new("", template)]).calling(),
    BuiltIn::legacy("inline_template", -2, true, &[Dispatch::new("", inline_template)]).calling(),
];

fn parameters<'a>(call: &'a Call<'_, '_>) -> Option<&'a Hash> {
    match call.argument(1) {
        Value::Hash(parameters) => Some(parameters),
        _ => None,
    }
}

fn inline_epp(call: &Call<'_, '_>) -> Evaluated {
    written(call, call.evaluator.inline_epp(call.scope, call.text(0), parameters(call)))
}

fn epp(call: &Call<'_, '_>) -> Evaluated {
    let host = &call.evaluator.environment.host;
    let mut name = call.text(0).to_owned();
    if !name.lines().any(|line| line.ends_with(".epp")) && host.info(&name).is_none() {
        name.push_str(".epp");
    }
    let found = files::find(call, &name, "templates").and_then(|found| {
        let info = found.info.or_else(|| host.info(&found.path))?;
        Some(files::Found { info: Some(info), ..found })
    });
    let Some(found) = found else {
        return Err(Error::plain(format!("Could not find template '{name}'")).into());
    };
    let source = Source::new(Some(&found.path), &*files::template(call, &found)?);
    written(call, call.evaluator.template(call.scope, "epp", source, parameters(call), true))
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
            let class = texts::class_name(&text);
            let message =
                format!("Failed to parse inline template: a template is a String, not of the class {class}");
            return Err(Error::internal(message).into());
        };
        let rendered = render(call, INLINE, text).map_err(|failed| match failed {
            Failed::Inside(error) => Error {
                message: format!("Failed to parse inline template: {}", error.message),
                ..plain(&error)
            },
            Failed::Outside(error) => error,
        })?;
        out.push_str(&rendered);
    }
    Ok(out.into())
}

fn template(call: &Call<'_, '_>) -> Evaluated {
    assert_no_script(call)?;
    let mut out = String::new();
    for name in legacy::arguments(call) {
        let Some(found) = files::find_any(call, &name, "templates")? else {
            return Err(Error::plain(format!("Could not find template '{}'", texts::to_s(&name))).into());
        };
        let path = &found.path;
        let rendered = files::template(call, &found).map_err(Failed::Inside);
        let rendered = rendered
            .and_then(|text| render(call, path, text.strip_prefix(files::MARK).unwrap_or(&text)))
            .map_err(|failed| match failed {
                Failed::Inside(error) => {
                    let line = error.location.line.map(|line| line.to_string()).unwrap_or_default();
                    let message = format!(
                        "Failed to parse template {}:\n  Filepath: {path}\n  Line: {line}\n  Detail: {}\n",
                        texts::to_s(&name),
                        error.message
                    );
                    Error { message, ..plain(&error) }
                }
                Failed::Outside(error) => error,
            })?;
        out.push_str(&rendered);
    }
    Ok(out.into())
}

/// The result of an EPP template: `return` ends the function with any value, but the value of `next` must be
/// a text.
fn written(call: &Call<'_, '_>, result: Evaluated) -> Evaluated {
    let value = match result {
        Err(Unwind::Return(jump)) => return Ok(jump.value),
        result => result?,
    };
    let inner = match &value {
        Value::Sensitive(inner) => inner,
        value => value,
    };
    if matches!(inner, Value::String(_) | Value::ByteString(_)) {
        return Ok(value);
    }
    let sensitive = TypeKind::Sensitive(Some(Type::any_string()));
    let wanted = Type::variant(vec![Type::any_string(), sensitive.into()]);
    let subject = format!("value returned from function '{}' has wrong type,", call.name);
    Err(Error::argument(mismatch::describe(&subject, &wanted, &Type::infer_set(&value))).into())
}

/// The path of inline templates.
const INLINE: &str = "inline template";

/// The reason why a template was not rendered.
enum Failed {
    /// A failure inside it: the functions report the template, and the line if it is known.
    Inside(Error),
    /// Something that goes through all layers: a limit, a text that is not Ruby.
    Outside(Error),
}

/// The result of the built-in Ruby for a template.
enum Rendered {
    /// The text.
    #[cfg(feature = "ruby")]
    Text(String),
    /// Nothing; where the Ruby of the host does not render it either, this is why.
    NotHere(Failed),
}

/// An error for the function around a template: a place in the template is not a place in a manifest.
fn plain(error: &Error) -> Error {
    match error.kind {
        kind if kind.is_crash() => Error::internal(""),
        _ => Error::plain(""),
    }
}

fn render(call: &Call<'_, '_>, path: &str, text: &str) -> Result<String, Failed> {
    let environment = call.evaluator.environment;
    if !text.contains("<%") {
        return Ok(text.to_owned());
    }
    let caller = call.evaluator.foreign_caller(call.scope, call.site);
    if let Some(rendered) = environment.host.render_erb(&ErbTemplate { path, text }, &caller) {
        return rendered.map_err(Failed::Inside);
    }
    let choice = environment.host.template_choice();
    if choice == TemplateChoice::All
        && let Some(rendered) = render_by_ruby(call, path, text)?
    {
        return Ok(rendered);
    }
    match built_in::render(call, path, text)? {
        #[cfg(feature = "ruby")]
        Rendered::Text(text) => Ok(text),
        Rendered::NotHere(failed) if choice == TemplateChoice::Unknown => {
            if let Some(rendered) = render_by_ruby(call, path, text)? {
                return Ok(rendered);
            }
            match environment.host.render_unknown(&ErbTemplate { path, text }, &caller) {
                Some(rendered) => rendered.map_err(Failed::Inside),
                None => Err(failed),
            }
        }
        Rendered::NotHere(failed) => Err(failed),
    }
}

/// The result of the host's Ruby for a template, if it has one.
fn render_by_ruby(call: &Call<'_, '_>, path: &str, text: &str) -> Result<Option<String>, Failed> {
    let Some(ruby) = call.evaluator.module_ruby().map_err(Failed::Outside)? else { return Ok(None) };
    let caller = call.evaluator.foreign_caller(call.scope, call.site);
    match ruby.render_erb(&ErbTemplate { path, text }, &caller) {
        None => Ok(None),
        Some(Ok(rendered)) => Ok(Some(rendered)),
        Some(Err(ErbFailure { error, line: Some(line) })) if !error.kind.is_limit() => {
            Err(Failed::Inside(at_line(error, line)))
        }
        Some(Err(ErbFailure { error, .. })) => Err(Failed::Outside(error)),
    }
}

/// An error with its place written out, and with the line of the template as its own.
fn at_line(error: Error, line: u32) -> Error {
    let message = error.to_string();
    Error { message, location: Location { line: Some(line), ..Location::default() }, ..plain(&error) }
}

/// Without the Ruby that is built in, templates are rendered by that of the host.
#[cfg(not(feature = "ruby"))]
mod built_in {
    use super::{Call, Error, Failed, Rendered};

    pub(super) fn render(_: &Call<'_, '_>, _: &str, _: &str) -> Result<Rendered, Failed> {
        Ok(Rendered::NotHere(Failed::Outside(Error::without_feature("ruby"))))
    }
}
