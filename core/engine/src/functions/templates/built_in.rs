//! Templates on the Ruby that is built in.

use super::super::template_world::TemplateWorld;
use super::{Call, Failed, INLINE, Rendered, at_line};
use bunraku_ruby_interpreter::{self as ruby, RefusedError, erb};
use bunraku_syntax::diagnostic::{Error, ErrorKind};

/// Renders a template. If the built-in Ruby does not support it, the host's Ruby can do it.
pub(super) fn render(call: &Call<'_, '_>, path: &str, text: &str) -> Result<Rendered, Failed> {
    let environment = call.evaluator.environment;
    /// The number of bytes that the parser takes for each byte of a text.
    const MEMORY_OF_PROGRAM: usize = 128;
    let memory = text.len().saturating_mul(MEMORY_OF_PROGRAM);
    call.evaluator.usage.check_memory(memory).map_err(Failed::Outside)?;
    let parse = || ruby::parse_template(path, text, erb::Trim::Dash);
    // A template is read whenever it is rendered, as the reference does; its program stays as long as the
    // text does.
    let program = match path {
        INLINE => environment.caches.erb_texts.get(text, parse),
        _ => environment.caches.erb_files.get(path, text, parse),
    };
    let program = match &*program {
        Ok(program) => program,
        Err(refused @ RefusedError::Syntax { .. }) => {
            return Err(Failed::Outside(refused.to_error()));
        }
        Err(refused) => {
            let failed = Failed::Inside(at_line(refused.to_error(), refused.line()));
            return Ok(Rendered::NotHere(failed));
        }
    };
    let world = TemplateWorld::new(call);
    let failure = match ruby::render(program, &world) {
        Ok(text) => return Ok(Rendered::Text(text)),
        Err(failure) => failure,
    };
    // For a problem that only appears at run time, the host's Ruby can take over as long as the template had
    // no visible effect.
    let host_may = failure.needs_ruby() && !world.has_acted();
    let line = failure.line;
    let failed = match failure.class {
        Some(_) if failure.is_standard() => Failed::Inside(at_line(*failure.error, line)),
        None if !failure.error.kind.ends_work() => Failed::Inside(at_line(*failure.error, line)),
        Some(_) => Failed::Outside(Error { kind: ErrorKind::ReferenceFails, ..*failure.error }),
        None => Failed::Outside(*failure.error),
    };
    if host_may { Ok(Rendered::NotHere(failed)) } else { Err(failed) }
}
