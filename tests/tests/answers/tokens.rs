//! Tokens with white space and comments: of every text, right or broken, they are the text.

use std::sync::Arc;

use bunraku::source::Source;
use bunraku::syntax::tokens::{StretchKind, Tokens};
use bunraku::syntax::{ParseOptions, parse};
use conform::manifests::{self, Manifest};
use conform::workers;

/// The text of the tokens, after a check of their properties.
fn regained(text: &str, epp: bool) -> Result<String, String> {
    let source = Arc::new(Source::new(None, text));
    let options = ParseOptions { epp, tasks: true, ..ParseOptions::default() };
    let tokens = Tokens::new(Arc::clone(&source), &options);
    let mut from_tokens = String::new();
    for token in tokens.iter() {
        for one in token.leading {
            from_tokens.push_str(source.slice(one.span));
        }
        from_tokens.push_str(source.slice(token.span));
        for one in token.trailing {
            from_tokens.push_str(source.slice(one.span));
            if one.kind == StretchKind::LineEnd || source.slice(one.span).is_empty() {
                return Err(format!("{one:?} trails"));
            }
        }
    }
    if let Ok(program) = parse(source, &options) {
        if let Some(one) = tokens.stretches().iter().find(|one| one.kind == StretchKind::Unreadable) {
            return Err(format!("{one:?} in a text without errors"));
        }
        let is_comment = |one: &&_| matches!(**one, StretchKind::Comment);
        let comments = tokens.stretches().iter().map(|one| one.kind).collect::<Vec<_>>();
        let known =
            program.comments().iter().filter(|comment| is_outside_of_heredocs(comment.span.start, &tokens));
        if comments.iter().filter(is_comment).count() != known.count() {
            return Err("other comments".to_owned());
        }
    }
    Ok(from_tokens)
}

/// Comments within interpolations of a heredoc are within its text.
fn is_outside_of_heredocs(at: u32, tokens: &Tokens) -> bool {
    let stretches = tokens.stretches();
    let index = stretches.partition_point(|one| one.span.end <= at);
    stretches.get(index).is_some_and(|one| one.kind != StretchKind::HeredocText)
}

/// A text with something changed, each time another thing.
fn damaged(text: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut below = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % limit.max(1) as u64) as usize
    };
    let place = |below: &mut dyn FnMut(usize) -> usize| {
        let mut at = below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (one, other) = (place(&mut below), place(&mut below));
    let (start, end) = (one.min(other), one.max(other));
    match below(4) {
        0 => text[..one].to_owned(),
        1 => format!("{}{}", &text[..start], &text[end..]),
        2 => format!("{}{}{}", &text[..end], &text[start..end], &text[end..]),
        _ => {
            let odd = [
                "'", "\"", "@(", "@(END)\n", "${", "}", "<%", "%>", "/*", "*/", "|", "\r", "\u{a0}", "é",
                "\0",
            ];
            format!("{}{}{}", &text[..one], odd[below(odd.len())], &text[one..])
        }
    }
}

fn check(manifests: &[Manifest], least: usize) {
    let failures: Vec<String> = workers::run_all(manifests, |manifest| {
        let mut wrong = Vec::new();
        let mut ask = |text: &str, epp: bool, what: &str| match regained(text, epp) {
            Ok(same) if same == text => {}
            Ok(_) => wrong.push(format!("{}: {what}: another text", manifest.path.display())),
            Err(error) => wrong.push(format!("{}: {what}: {error}", manifest.path.display())),
        };
        ask(&manifest.text, manifest.epp, "as it is");
        ask(&manifest.text, !manifest.epp, "taken for the other");
        for seed in 0..6 {
            ask(
                &damaged(&manifest.text, seed + manifest.text.len() as u64),
                manifest.epp,
                &format!("damage {seed}"),
            );
        }
        wrong
    })
    .into_iter()
    .flat_map(|answer| answer.unwrap_or_else(|panic| vec![panic]))
    .collect();
    assert!(
        failures.is_empty(),
        "{} failures, such as\n{}",
        failures.len(),
        failures[..failures.len().min(20)].join("\n")
    );
    assert!(manifests.len() >= least, "{} manifests", manifests.len());
}

#[test]
fn tokens_of_bundled_manifests_are_the_text() {
    check(&manifests::bundled(), 100);
}

#[test]
fn tokens_of_installed_manifests_are_the_text() {
    check(&manifests::installed(), 0);
}
