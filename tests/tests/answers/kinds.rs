//! The kinds of errors that callers distinguish: a failure of each kind.

use bunraku::{Cancel, Environment, ErrorKind, Limits, NodeInput};

fn compiled(code: &str, limits: Limits) -> Option<ErrorKind> {
    let modules: [&str; 0] = [];
    let environment =
        Environment::builder("production").code(code).modulepath(modules).load().expect("it loads");
    environment
        .compilation(NodeInput::new("web01"))
        .limits(limits)
        .run()
        .catalog
        .err()
        .map(|error| error.kind)
}

#[test]
fn failures_of_programs_have_kinds() {
    let cases = [
        ("notice(1)", None),
        ("$a = 1 +", Some(ErrorKind::Syntax)),
        ("notice(\"a", Some(ErrorKind::Syntax)),
        ("1 notice(2)", Some(ErrorKind::Validation)),
        ("class a($a, $a) { }", Some(ErrorKind::Validation)),
        ("fail('no')", Some(ErrorKind::Evaluation)),
        ("notice($unknown)", Some(ErrorKind::Evaluation)),
        ("lookup('none')", Some(ErrorKind::Lookup)),
        ("notify { a: } notify { a: }", Some(ErrorKind::Evaluation)),
        ("call('')", Some(ErrorKind::ReferenceFails)),
    ];
    for (code, kind) in cases {
        assert_eq!(compiled(code, Limits::default()), kind, "{code}");
    }
}

#[test]
fn a_limit_is_no_cancellation() {
    let code = "$a = Integer[1, 1000].map |$n| { $n * 2 }";
    let limits = Limits { steps: Some(100), ..Limits::default() };
    assert_eq!(compiled(code, limits), Some(ErrorKind::Limit));
    let cancel = Cancel::new();
    cancel.cancel();
    let limits = Limits { cancel: Some(cancel), ..Limits::default() };
    assert_eq!(compiled("Integer[1, 100000].each |$n| { }", limits), Some(ErrorKind::Cancelled));
    assert!(ErrorKind::Limit.is_limit() && ErrorKind::Cancelled.is_limit());
}

#[test]
fn what_cannot_be_read_is_of_the_kind_io() {
    let directory = tempfile::tempdir().expect("there is room");
    let file = directory.path().join("production/environment.conf");
    std::fs::create_dir_all(&file).expect("it can be made");
    let environments = directory.path().to_str().expect("the path is a text");
    let error = Environment::builder("production").environmentpath(environments).load().unwrap_err();
    assert_eq!((error.kind, error.kind.name()), (ErrorKind::Io, "io"));
    assert!(error.message.contains("environment.conf"), "{error}");
}
