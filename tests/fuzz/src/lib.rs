//! The fuzz targets: the crates of the core that read untrusted text and bytes.
//!
//! Each function takes the fuzzer's input and panics if a property does not hold. Those of this file need the
//! syntax alone; [`library`] has those of everything else.

#[cfg(feature = "library")]
pub mod library;

use std::sync::Arc;

use bunraku_syntax::ast::Program;
use bunraku_syntax::source::Source;
use bunraku_syntax::validate::{ValidateOptions, validate};
use bunraku_syntax::{ParseOptions, Recovered, binary, parse, parse_recovering, pn};

/// The target with a name.
#[cfg(feature = "library")]
pub fn target(name: &str) -> Option<fn(&[u8])> {
    Some(match name {
        "lexer" => lexer,
        "parser" => parser,
        "epp" => epp,
        "pn" => notation,
        "binary" => binary_form,
        _ => return library::target(name),
    })
}

/// The lexer, through the recovering parser, which requests all tokens: comments and warnings are in order
/// and inside the text.
pub fn lexer(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for tasks in [false, true] {
        let source = Arc::new(Source::new(None, text));
        let Recovered { program, errors } =
            parse_recovering(source, &ParseOptions { epp: false, tasks, ..ParseOptions::default() });
        assert!(program.comments().is_sorted_by_key(|comment| comment.span.start));
        for comment in program.comments() {
            assert!(text.get(comment.span.start as usize..comment.span.end as usize).is_some());
        }
        for error in &errors {
            assert!(error.location.line.is_some() || error.span.is_none());
        }
    }
}

/// The parser: see [`programs`].
pub fn parser(data: &[u8]) {
    programs(data, false);
}

/// The parser of templates: see [`programs`].
pub fn epp(data: &[u8]) {
    programs(data, true);
}

/// A text in both modes of the parser: the first error is the same; work is bounded; whatever is read can be
/// validated, written in all forms and read back.
fn programs(data: &[u8], epp: bool) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let source = Arc::new(Source::new(None, text));
    let options = ParseOptions { epp, tasks: false, ..ParseOptions::default() };
    let Recovered { program, errors } = parse_recovering(Arc::clone(&source), &options);
    assert!(program.node_count() <= 2 * text.len() + 16, "{} nodes", program.node_count());
    written(&program);
    match parse(source, &options) {
        Ok(program) => {
            assert!(errors.is_empty(), "{errors:?}");
            validate(&program, &ValidateOptions::default());
            let body = program.body();
            let data = bunraku_notation::to_data(&program, body);
            if let (Ok(written), Ok(data)) = (pn::to_text(&program, body), data) {
                assert_eq!(bunraku_notation::read(&written).ok(), Some(data), "{written}");
            }
        }
        Err(error) => assert_eq!(errors.first(), Some(&error)),
    }
}

/// The binary form of a program is read back as the same program.
fn written(program: &Program) {
    let bytes = binary::write(program);
    let read = binary::read(&bytes).expect("what was written can be read");
    assert!(binary::write(&read) == bytes);
    assert_eq!(pn::to_text(&read, read.body()), pn::to_text(program, program.body()));
}

/// The reader of notation: its result is written so that it reads the same.
pub fn notation(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if let Ok(read) = bunraku_notation::read(text) {
        let written = bunraku_notation::data_to_text(&read, false);
        assert_eq!(bunraku_notation::read(&written).as_ref(), Ok(&read), "{written}");
        let pretty = bunraku_notation::data_to_text(&read, true);
        assert_eq!(bunraku_notation::read(&pretty).as_ref(), Ok(&read), "{pretty}");
    }
}

/// The reader of the binary form: every accepted program can be used as one. The checksum is corrected, so
/// that the fuzzer's bytes pass it.
pub fn binary_form(data: &[u8]) {
    let _ = binary::read(data);
    let Some((body, _)) = data.split_last_chunk::<8>() else { return };
    let sum = body
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum: u64, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let mut bytes = body.to_vec();
    bytes.extend_from_slice(&sum.to_le_bytes());
    if let Ok(program) = binary::read(&bytes) {
        validate(&program, &ValidateOptions::default());
        let _ = pn::to_text(&program, program.body());
        let _ = bunraku_notation::to_data(&program, program.body());
        written(&program);
    }
}
