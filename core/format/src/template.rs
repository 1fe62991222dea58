//! Templates: the code in tags is formatted, the text between them and the lines of the code stay.

use std::sync::Arc;

use bunraku_syntax::diagnostic::Error;
use bunraku_syntax::source::Source;
use bunraku_syntax::tokens::{StretchKind, Tokens};
use bunraku_syntax::watch::Watch;
use bunraku_syntax::{ParseOptions, parse_watched};

use crate::pieces::Pieces;
use crate::{FormatOptions, print};

/// What makes the code of a tag a program: text before and behind it. The code of one tag may begin what that
/// of another one ends.
const AROUND: &[(&str, &str)] = &[
    ("", ""),
    // `if $a {`, `$a.each |$b| {`
    ("", "}"),
    // `}`, and `} else {`
    ("if true {", ""),
    ("if true {", "}"),
    // `| $a, $b |`
    ("f() ", "{}"),
];

/// Writes a template.
pub(crate) fn print(tokens: &Tokens, options: &FormatOptions, watch: &Watch<'_>) -> Result<String, Error> {
    let text = tokens.source().text();
    let mut out = String::with_capacity(text.len());
    let mut code: Option<(usize, bool)> = None;
    let mut at = 0;
    for stretch in tokens.stretches() {
        let (start, end) = (stretch.span.start as usize, stretch.span.end as usize);
        match stretch.kind {
            StretchKind::TemplateOpen => code = Some((end, false)),
            StretchKind::Comment | StretchKind::TemplateComment => {
                code = code.map(|(start, _)| (start, true));
            }
            StretchKind::TemplateClose => {
                let Some((opened, has_comment)) = code.take() else { continue };
                let line = tokens.source().line(opened as u32);
                let is_wanted = options.lines.as_ref().is_none_or(|lines| lines.contains(&line));
                let source = &text[opened..start];
                let written = match is_wanted && !has_comment {
                    true => formatted(source, options, watch)?,
                    false => None,
                };
                if let Some(written) = written {
                    out.push_str(&text[at..opened]);
                    out.push(' ');
                    out.push_str(&written);
                    out.push(' ');
                    at = start;
                }
            }
            _ => {}
        }
    }
    out.push_str(&text[at..]);
    Ok(out)
}

/// The code of a tag, formatted. `None` if it goes over lines, or is not understood.
fn formatted(code: &str, options: &FormatOptions, watch: &Watch<'_>) -> Result<Option<String>, Error> {
    if code.contains(['\n', '\r']) {
        return Ok(None);
    }
    let code = code.trim();
    if code.is_empty() {
        return Ok(None);
    }
    // Everything stays on its line.
    let options = FormatOptions { width: usize::MAX / 2, lines: None, epp: false, ..options.clone() };
    for &(before, behind) in AROUND {
        let Some(written) = formatted_program(&format!("{before}{code}{behind}"), &options, watch)? else {
            continue;
        };
        let flat = flat(&written);
        let strip = |written: &str| {
            let rest = written.strip_prefix(before.trim_end()).unwrap_or(written).trim_start().to_owned();
            Some(rest.strip_suffix(behind)?.trim_end().to_owned())
        };
        return Ok(flat.and_then(|flat| match before.starts_with('f') {
            // Parameters have spaces inside their bars.
            true => {
                let pipes = strip(flat.trim_end())?;
                let inside = pipes.strip_prefix('|')?.strip_suffix('|')?.trim();
                Some(if inside.is_empty() { "| |".to_owned() } else { format!("| {inside} |") })
            }
            false => strip(flat.trim_end()),
        }));
    }
    Ok(None)
}

/// A program on one line, if blocks alone go over lines.
fn flat(written: &str) -> Option<String> {
    let mut lines = written.trim_end().lines().map(str::trim);
    let mut out = lines.next()?.to_owned();
    for line in lines {
        let last = out.chars().next_back()?;
        if !(last == '{' || line.starts_with('}')) || line.contains('#') {
            return None;
        }
        out.push(' ');
        out.push_str(line);
    }
    Some(out)
}

fn formatted_program(
    text: &str,
    options: &FormatOptions,
    watch: &Watch<'_>,
) -> Result<Option<String>, Error> {
    let source = Arc::new(Source::new(None, text));
    let parse_options = ParseOptions { tasks: options.tasks, ..ParseOptions::default() };
    let Ok(program) = parse_watched(Arc::clone(&source), &parse_options, &mut Vec::new(), watch)? else {
        return Ok(None);
    };
    let tokens = Tokens::new(Arc::clone(&source), &parse_options);
    Ok(Pieces::of(source.text(), &tokens).map(|pieces| print::print(&pieces, &program, options)))
}
