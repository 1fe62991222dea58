//! `cargo bench`: the jobs by themselves.

use bunraku_benches::{
    compile, compile_program, example, example_facts, manifests, parse_text, programs, validate_text,
};
use divan::Bencher;
use divan::counter::BytesCount;

fn main() {
    divan::main();
}

fn texts() -> Vec<String> {
    manifests().iter().filter_map(|path| std::fs::read_to_string(path).ok()).collect()
}

#[divan::bench]
fn parse(bencher: Bencher) {
    let texts = texts();
    let bytes: usize = texts.iter().map(String::len).sum();
    bencher
        .counter(BytesCount::new(bytes))
        .bench(|| texts.iter().filter_map(|text| parse_text(text)).count());
}

#[divan::bench]
fn parse_and_validate(bencher: Bencher) {
    let texts = texts();
    let bytes: usize = texts.iter().map(String::len).sum();
    bencher
        .counter(BytesCount::new(bytes))
        .bench(|| texts.iter().map(|text| validate_text(text)).sum::<usize>());
}

/// A long array: the cost grows with the length.
#[divan::bench(args = [1_000, 100_000, 10_000_000])]
fn parse_bytes(bencher: Bencher, bytes: usize) {
    let text = format!("$a = [{}]", "'item', ".repeat(bytes / 8));
    bencher.counter(BytesCount::new(text.len())).bench(|| parse_text(&text));
}

#[divan::bench(args = programs().into_iter().map(|(name, _)| name))]
fn program(bencher: Bencher, name: &str) {
    let code: String =
        programs().into_iter().filter(|(known, _)| *known == name).map(|(_, code)| code).collect();
    bencher.bench(|| compile_program(&code));
}

#[divan::bench]
fn compile_example(bencher: Bencher) {
    match example() {
        Ok(environment) => {
            let facts = example_facts();
            bencher.bench(|| compile(&environment, &facts));
        }
        Err(error) => panic!("{error}"),
    }
}
