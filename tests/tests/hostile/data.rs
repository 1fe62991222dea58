//! Hostile data: keys that double, knots of aliases, options and hierarchies without end, documents that nest
//! or grow. A thousand steps end each of them soon, with an error that has a place.

use conform::priced::{assert_short, compilation, environment, narrow, timed, told};

/// The content of a data file, and the manifest that looks it up.
struct Case {
    name: &'static str,
    /// The file below `data`, and its text.
    file: (&'static str, String),
    code: &'static str,
}

fn doubled(count: usize, entry: impl Fn(usize) -> String) -> String {
    (1..=count).map(entry).collect()
}

fn cases() -> Vec<Case> {
    let yaml = |name, text: String, code| Case { name, file: ("common.yaml", text), code };
    let interpolated = |method: &str| {
        let entry = |at: usize| {
            let inner = at - 1;
            format!("k{at}: \"%{{{method}('k{inner}')}}%{{{method}('k{inner}')}}\"\n")
        };
        "k0: ''\n".to_owned() + &doubled(40, entry)
    };
    let aliased =
        doubled(40, |at| format!("k{at}: [\"%{{alias('k{}')}}\", \"%{{alias('k{}')}}\"]\n", at - 1, at - 1));
    let chained = |count| {
        "k0: ''\n".to_owned() + &doubled(count, |at| format!("k{at}: \"%{{lookup('k{}')}}\"\n", at - 1))
    };
    let bomb = doubled(40, |at| format!("k{at}: &a{at} [*a{}, *a{}]\n", at - 1, at - 1));
    let patterns = doubled(20_000, |at| format!("  '^(a|b{at})*c': {{ merge: deep }}\n"));
    let knocked = |mark: &str| doubled(5_000, |at| format!("  - '{mark}x{at}'\n"));
    let substituted = doubled(40, |at| format!("k{at} = ${{k{}}}${{k{}}}\n", at - 1, at - 1));
    let conf = |name, text: String, code| Case { name, file: ("common.conf", text), code };
    vec![
        yaml("interpolations that double", interpolated("lookup"), "lookup('k40')"),
        yaml("as in Hiera 3", interpolated("hiera"), "lookup('k40')"),
        yaml("aliases that double", "k0: x\n".to_owned() + &aliased, "lookup('k40')"),
        yaml("a chain of interpolations", chained(20_000), "lookup('k20000')"),
        yaml(
            "parameters of classes",
            interpolated("lookup").replace("k40:", "a::b:"),
            "class a($b) { } include a",
        ),
        yaml("aliases of YAML that double", "k0: &a0 [x]\n".to_owned() + &bomb, "lookup('k40')"),
        yaml("patterns of options", format!("k: 1\nlookup_options:\n{patterns}"), "lookup('k')"),
        yaml("a long value", format!("k: '{}'\n", "%{x}".repeat(300_000)), "lookup('k')"),
        yaml("deep lists", format!("k: {}{}\n", "[".repeat(400), "]".repeat(400)), "lookup('k')"),
        yaml(
            "elements that are knocked out",
            format!("k:\n{}l:\n{}", knocked("--"), knocked("")),
            "lookup('k', merge => { strategy => deep, knockout_prefix => '--' })",
        ),
        conf("substitutions that double", "k0 = x\n".to_owned() + &substituted, "lookup('k40')"),
        conf("fields one by one", doubled(20_000, |at| format!("k.f{at} = 1\n")), "lookup('k')"),
        conf("additions", doubled(5_000, |at| format!("k += {at}\n")), "lookup('k')"),
    ]
}

#[test]
fn a_thousand_steps_end_it() {
    let mut taken = Vec::new();
    for Case { name, file, code } in cases() {
        let function = if file.0.ends_with("conf") { "hocon_data" } else { "yaml_data" };
        let entry = |name: &str| format!("  - {{ name: {name}, data_hash: {function}, path: {} }}\n", file.0);
        let configuration = format!("version: 5\nhierarchy:\n{}{}", entry("one"), entry("two"));
        let files = [("hiera.yaml".to_owned(), configuration), (format!("data/{}", file.0), file.1)];
        let environment = environment(code, &files).expect("an environment");
        let (outcome, time) = timed(|| {
            let work = || told(compilation(&environment, &[], narrow()).compile());
            environment.on_deep_stack(work).expect("no panic")
        });
        println!("{:.2} s {name} => {outcome}", time.as_secs_f32());
        assert!(!outcome.starts_with("limit -"), "{name} => {outcome}");
        taken.push((format!("{name} => {outcome}"), time));
    }
    assert_short(taken);
}

#[test]
fn doubling_interpolations_run_over_the_limit_where_they_stand() {
    let entry = |at: usize| format!("k{at}: \"%{{lookup('k{}')}}%{{lookup('k{}')}}\"\n", at - 1, at - 1);
    let files = [
        (
            "hiera.yaml".to_owned(),
            "version: 5\nhierarchy:\n  - { name: all, path: common.yaml }\n".to_owned(),
        ),
        ("data/common.yaml".to_owned(), "k0: ''\n".to_owned() + &doubled(40, entry)),
    ];
    let environment = environment("\nlookup('k40')", &files).expect("an environment");
    let work = || compilation(&environment, &[], narrow()).compile().err();
    let error = environment.on_deep_stack(work).expect("no panic").expect("a limit");
    assert_eq!(
        (error.kind, error.location.line),
        (bunraku::diagnostic::ErrorKind::Limit, Some(2)),
        "{error}"
    );

    let cancel = bunraku::eval::limits::Cancel::new();
    cancel.cancel();
    let limits = bunraku::compiler::Limits { cancel: Some(cancel), ..bunraku::compiler::Limits::default() };
    let work = || compilation(&environment, &[], limits).compile().err();
    let error = environment.on_deep_stack(work).expect("no panic").expect("a limit");
    assert!(error.message.contains("cancelled"), "{error}");
}
