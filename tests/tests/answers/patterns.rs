//! Random patterns of all kinds find in random texts what Ruby finds (`data/patterns/ask.rb` asked it).

use bunraku::pcore::fuel::BoundedFuel;
use bunraku::pcore::regexp::Regex;
use conform::report::{Outcome, Report};
use conform::{data, suite};
use serde_json::{Value, json};

#[test]
fn patterns_find_what_ruby_finds() {
    compare("patterns.jsonl", "patterns", 3_800);
}

#[test]
fn patterns_without_regard_to_case_find_what_ruby_finds() {
    compare("folds.jsonl", "folds", 2_000);
}

/// With those that Ruby refuses.
#[test]
fn look_behinds_are_accepted_and_find_as_in_ruby() {
    compare("behind.jsonl", "behind", 600);
}

/// What Ruby says of patterns that are none; of two faults it tells the one that its engine finds first.
#[test]
fn broken_patterns_are_refused_with_the_message_of_ruby() {
    let file = data::directory().join("patterns/refused.jsonl");
    let file = std::fs::read_to_string(file).expect("the patterns can be read");
    let mut outcomes = Vec::new();
    for (number, line) in file.lines().enumerate() {
        let question: Value = serde_json::from_str(line).expect("a question");
        let pattern = question[0].as_str().unwrap_or("");
        let said = Regex::new(pattern).map_or_else(|message| json!(message), |_| json!(true));
        let id = format!("line {}", number + 1);
        outcomes.push(Outcome::exact(id, json!({ "pattern": pattern }), question[1].clone(), said));
    }
    let report = Report { name: "refused".to_owned(), outcomes, ..Report::default() };
    suite::assert_answers(&report, 1_000, "refused");
}

fn compare(file: &str, name: &str, least: usize) {
    let file = data::directory().join("patterns").join(file);
    let file = std::fs::read_to_string(file).expect("the patterns can be read");
    let mut outcomes = Vec::new();
    for (number, line) in file.lines().enumerate() {
        let question: Value = serde_json::from_str(line).expect("a question");
        let (pattern, text) = (question[0].as_str().unwrap_or(""), question[1].as_str().unwrap_or(""));
        let start = question[2].as_u64().unwrap_or(0) as usize;
        let spans = Regex::new(pattern).map(|regex| {
            let found = regex.captures_at(text, start, &BoundedFuel::default()).expect("a search that ends");
            found.map(|groups| {
                groups.into_iter().map(|span| span.map(|(start, end)| [start, end])).collect::<Vec<_>>()
            })
        });
        let spans = spans.map_or(json!(false), |spans| json!(spans));
        let asked = json!({ "pattern": pattern, "text": text, "start": start });
        let id = format!("line {}", number + 1);
        outcomes.push(Outcome::exact(id, asked, question[3].clone(), spans));
    }
    let report = Report { name: name.to_owned(), outcomes, ..Report::default() };
    suite::assert_answers(&report, least, name);
}
