//! Written programs are read back unchanged: PN as text, plain and pretty, compared with PN as data; and the
//! binary form. This is checked for every available text: all golden questions with a source, the manifests
//! of the repository, and the corpus if it is installed. The reference's trees are written and read, too.

use std::fs;
use std::sync::Arc;

use bunraku::notation;
use bunraku::source::Source;
use bunraku::syntax::{ParseOptions, binary, parse_recovering, pn};
use conform::manifests::Manifest;
use conform::suite::{self, Test};
use conform::{data, manifests, workers};
use serde_json::Value;

/// A golden question, or a text without an answer.
struct Text {
    name: String,
    source: String,
    epp: bool,
    tasks: bool,
    /// The reference's tree.
    tree: Option<Value>,
}

const OF_THE_CORPUS: &str = "what_is_written_of_the_corpus_is_read_back";

pub fn tests() -> Vec<Test> {
    let installed = manifests::installed();
    let of_the_corpus = match installed.is_empty() {
        true => suite::ignored(OF_THE_CORPUS, "no modules are installed"),
        false => suite::plain(OF_THE_CORPUS, move || read_back(&from_manifests(installed))),
    };
    let golden = || {
        let texts = golden_texts();
        assert!(texts.len() > 10_000, "{} golden questions", texts.len());
        read_back(&texts);
    };
    vec![
        suite::plain("what_is_written_of_golden_questions_is_read_back", golden),
        suite::plain("what_is_written_of_the_repository_is_read_back", || {
            read_back(&from_manifests(manifests::bundled()));
        }),
        of_the_corpus,
    ]
}

fn from_manifests(manifests: Vec<Manifest>) -> Vec<Text> {
    let text = |manifest: Manifest| Text {
        name: manifest.path.display().to_string(),
        tasks: manifest.path.iter().any(|part| part == "plans"),
        source: manifest.text,
        epp: manifest.epp,
        tree: None,
    };
    manifests.into_iter().map(text).collect()
}

fn read_back(texts: &[Text]) {
    assert!(!texts.is_empty(), "there are texts");
    let results = workers::run_all(texts, round_trip);
    let faults: Vec<String> = texts
        .iter()
        .zip(results)
        .filter_map(|(text, result)| {
            let fault = result.unwrap_or_else(|panic| Err(format!("panic: {panic}"))).err()?;
            Some(format!("{}: {fault}", text.name))
        })
        .collect();
    assert!(faults.is_empty(), "{} faults, such as {:#?}", faults.len(), faults.first());
}

/// The sources of golden questions, with the trees where these are the answers.
fn golden_texts() -> Vec<Text> {
    let directory = data::directory().join("conformance");
    let files = fs::read_dir(directory).expect("the golden data is there").filter_map(Result::ok);
    let lines = files.map(|file| file.path()).filter(|path| path.to_string_lossy().ends_with(".jsonl.gz"));
    let questions = lines.flat_map(|path| data::read_lines(&path).expect("golden data can be read"));
    questions
        .filter_map(|question| {
            Some(Text {
                name: question["id"].as_str()?.to_owned(),
                source: question["source"].as_str()?.to_owned(),
                epp: question["op"].as_str()?.starts_with("epp") || question["epp"] == true,
                tasks: question["tasks"] == true,
                tree: question["expect"].get("pn").cloned(),
            })
        })
        .collect()
}

fn round_trip(text: &Text) -> Result<(), String> {
    let source = Arc::new(Source::new(None, text.source.as_str()));
    let program = parse_recovering(
        source,
        &ParseOptions { epp: text.epp, tasks: text.tasks, ..ParseOptions::default() },
    )
    .program;
    let bytes = binary::write(&program);
    let read = binary::read(&bytes).map_err(|error| format!("binary: {error:?}"))?;
    if binary::write(&read) != bytes {
        return Err("binary: written again, it differs".into());
    }
    if let (Ok(data), Ok(written)) =
        (notation::to_data(&program, program.body()), pn::to_text(&program, program.body()))
    {
        same(&notation::read(&written), &data, &written)?;
        // Numbers of JSON in memory hold 64 bits.
        let is_exact = program.ids().all(|id| program.big_integer(id).is_none());
        if is_exact && written != notation::data_to_text(&data, false) {
            return Err(format!("the text of the data differs: {written}"));
        }
        written_and_read(&data)?;
    }
    text.tree.as_ref().map_or(Ok(()), written_and_read)
}

/// Data is written in both ways, and read.
fn written_and_read(data: &Value) -> Result<(), String> {
    for pretty in [false, true] {
        let written = notation::data_to_text(data, pretty);
        same(&notation::read(&written), data, &written)?;
    }
    Ok(())
}

fn same<E: std::fmt::Debug>(read: &Result<Value, E>, data: &Value, written: &str) -> Result<(), String> {
    match read {
        Ok(read) if read == data => Ok(()),
        other => Err(format!("{written} is read as {other:?}, and not as {data}")),
    }
}
