//! Random patterns of all kinds find in random texts what Ruby finds (`data/patterns/ask.rb` asked it).

use bunraku::pcore::meter::Bounded;
use bunraku::pcore::regexp::Regex;
use conform::data;
use serde_json::{Value, json};

/// Of so many patterns one may differ: groups that call themselves and refer to what they are in the middle of.
const ONE_IN: usize = 1000;

#[test]
fn patterns_find_what_ruby_finds() {
    let file = data::directory().join("patterns/patterns.jsonl");
    let file = std::fs::read_to_string(file).expect("the patterns can be read");
    let (mut wrong, mut asked) = (Vec::new(), 0);
    for line in file.lines() {
        let question: Value = serde_json::from_str(line).expect("a question");
        let (pattern, text) = (question[0].as_str().unwrap_or(""), question[1].as_str().unwrap_or(""));
        let start = question[2].as_u64().unwrap_or(0) as usize;
        let regex = Regex::new(pattern).unwrap_or_else(|error| panic!("{error}"));
        let found = regex.captures_at(text, start, &Bounded::default()).expect("a search that ends");
        let spans = found.map(|groups| {
            groups.into_iter().map(|span| span.map(|(start, end)| [start, end])).collect::<Vec<_>>()
        });
        asked += 1;
        if json!(spans) != question[3] {
            wrong.push(format!("{pattern:?} in {text:?} from {start}: {} for {}", json!(spans), question[3]));
        }
    }
    println!("{asked} patterns, {} differ", wrong.len());
    assert!(wrong.len() * ONE_IN <= asked, "{}", wrong.join("\n"));
}
