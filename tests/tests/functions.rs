//! Every function of the language has a file of questions about it (`data/functions/NAME.jsonl`): values, wrong arguments, blocks of
//! every arity. The reference has answered them.

use bunraku::functions;
use conform::{data, vectors};

/// Those that the reference answers differently where hiera-eyaml is installed; the environments ask about it.
const ASKED_ELSEWHERE: &[&str] = &["eyaml_lookup_key"];

#[test]
fn every_function_answers_as_the_reference() {
    let directory = data::directory().join("functions");
    let table = functions::table();
    let mut of_the_language: Vec<&str> = table
        .functions()
        .filter(|function| function.module.is_none())
        .map(|function| function.name)
        .collect();
    of_the_language.sort_unstable();
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for name in of_the_language {
        let path = directory.join(format!("{name}.jsonl"));
        if !path.exists() {
            if !ASKED_ELSEWHERE.contains(&name) {
                wrong.push(format!("{name}: no questions"));
            }
            continue;
        }
        let report = vectors::check(&path).expect("the questions can be read");
        asked += report.outcomes.len();
        let failed = report.outcomes.iter().filter(|outcome| !outcome.passed);
        wrong.extend(failed.map(|outcome| format!("{name}: {}", outcome.question["source"])));
    }
    println!("{asked} questions");
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}
