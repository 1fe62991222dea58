//! The laws of the formatter, over real manifests: the tree stays the same, comments keep their order and
//! their nodes, formatted text stays unchanged, invalid texts are rejected.
//!
//! `MIRROR=DIRECTORY cargo test -p conform --release --test answers format -- --ignored` checks all manifests
//! below a directory.

use std::path::PathBuf;
use std::sync::Arc;

use bunraku::source::Source;
use bunraku::syntax::ast::Program;
use bunraku::syntax::{ParseOptions, parse, pn};
use bunraku::{ErrorKind, FormatOptions, format};
use conform::manifests::{self, Manifest};
use conform::workers;

/// The result for a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kept {
    Refused,
    AsItWas,
    Changed,
}

/// The meaning of a program, and the texts and nodes of its comments.
fn meaning(program: &Program) -> (String, Vec<String>) {
    // An attribute whose name has colons has no PN; then the kinds of the nodes stand for it.
    let text = pn::to_text(program, program.body())
        .unwrap_or_else(|_| program.ids().map(|id| format!("{:?} ", program.node(id).kind())).collect());
    let comments = program.placed_comments().into_iter().map(|placed| {
        let text = program.source().slice(placed.span).trim_end();
        format!("{text} {} {}", placed.placement.name(), placed.node.index())
    });
    (text, comments.collect())
}

fn check(manifest: &Manifest) -> Result<Kept, String> {
    let tasks = manifest.path.components().any(|part| part.as_os_str() == "plans");
    let parse_options = ParseOptions { epp: manifest.epp, tasks, ..ParseOptions::default() };
    let options = FormatOptions { epp: manifest.epp, tasks, ..FormatOptions::default() };
    let text = manifest.text.as_str();
    let before = match parse(Arc::new(Source::new(None, text)), &parse_options) {
        Ok(program) => program,
        Err(_) => {
            return match format(text, &options) {
                Err(error) if error.kind == ErrorKind::Syntax => Ok(Kept::Refused),
                other => Err(format!("what cannot be parsed: {other:?}")),
            };
        }
    };
    let once = format(text, &options).map_err(|error| error.to_string())?;
    let after = parse(Arc::new(Source::new(None, once.as_str())), &parse_options)
        .map_err(|error| format!("the formatted text: {error}"))?;
    let (before, after) = (meaning(&before), meaning(&after));
    if before.0 != after.0 {
        return Err("another tree".to_owned());
    }
    if before.1 != after.1 {
        let pairs = before.1.iter().zip(&after.1).find(|(before, after)| before != after);
        return Err(format!("comments with other nodes: {pairs:?}"));
    }
    if format(once.as_str(), &options).map_err(|error| error.to_string())? != once {
        return Err("formatted twice it changes".to_owned());
    }
    Ok(if once == text { Kept::AsItWas } else { Kept::Changed })
}

fn check_all(manifests: &[Manifest], least: usize) {
    let answers = workers::run_all(manifests, check);
    let (mut failures, mut counts) = (Vec::new(), [0; 3]);
    for (manifest, answer) in manifests.iter().zip(answers) {
        match answer.and_then(|answer| answer) {
            Ok(kept) => counts[kept as usize] += 1,
            Err(failure) => failures.push(format!("{}: {failure}", manifest.path.display())),
        }
    }
    let [refused, same, changed] = counts;
    println!("{changed} formatted, {same} as they were, {refused} refused, {} wrong", failures.len());
    let shown = &failures[..failures.len().min(30)];
    assert!(failures.is_empty(), "{} failures, such as\n{}", failures.len(), shown.join("\n"));
    assert!(manifests.len() >= least, "{} manifests", manifests.len());
}

#[test]
fn laws_hold_for_bundled_manifests() {
    check_all(&manifests::bundled(), 100);
}

#[test]
fn laws_hold_for_installed_manifests() {
    check_all(&manifests::installed(), 0);
}

#[test]
#[ignore = "it needs clones of public repositories"]
fn laws_hold_for_public_manifests() {
    let roots = std::env::var_os("MIRROR").expect("MIRROR names a directory");
    let roots: Vec<PathBuf> = std::env::split_paths(&roots).collect();
    check_all(&manifests::below(&roots), 20_000);
}
