//! Examples at the end of the help of each subcommand.

use clap::Command;

/// The words of subcommands, each with examples.
const EXAMPLES: &[(&[&str], &[&str])] = &[
    (
        &["check"],
        &[
            "bunraku check",
            "bunraku check site-modules/profile --format github",
            "bunraku check --write-baseline known.json && bunraku check --baseline known.json",
        ],
    ),
    (
        &["classifier"],
        &[
            "bunraku classifier --db nodes.db --create --token-file secret --open-to-read",
            "bunraku classifier --db nodes.db --token-file secret --read-token-file readers --port 4433",
        ],
    ),
    (
        &["compile"],
        &[
            "bunraku compile --node web01.example.net --facts-set debian-12",
            "facter --json | bunraku compile --node web01.example.net --facts - --format agent",
            "bunraku compile --node web01.example.net --facts facts/ --explain 'File[/etc/motd]'",
            "bunraku compile --node web01.example.net --class 'apache={\"port\": 80}' --type file",
        ],
    ),
    (&["completions"], &["source <(bunraku completions bash)"]),
    (
        &["convert"],
        &[
            "bunraku convert catalog.json --to agent:msgpack --output catalog.msgpack",
            "bunraku convert catalog.json",
        ],
    ),
    (&["describe"], &["bunraku describe --list", "bunraku describe file --providers --meta"]),
    (
        &["diff"],
        &[
            "bunraku diff --from main --to . --all-nodes facts/",
            "bunraku diff --from main --to HEAD --node web01.example.net --facts web01.yaml --format markdown",
            "bunraku diff --from old/ --to new/ --all-nodes facts/ --ignore 'File[/etc/motd]/content'",
            "bunraku diff before.json after.json",
        ],
    ),
    (
        &["doc"],
        &[
            "bunraku doc --format markdown --output REFERENCE.md",
            "bunraku doc site-modules/profile --fail-on-warning",
        ],
    ),
    (&["fmt"], &["bunraku fmt", "bunraku fmt --check --diff site-modules", "bunraku fmt - <init.pp"]),
    (
        &["generate", "types"],
        &["bunraku generate types --directory .", "bunraku generate types --output types"],
    ),
    (
        &["graph"],
        &[
            "bunraku graph --node web01.example.net --facts-set debian-12 --format html --output web01.html",
            "bunraku graph --node web01.example.net --focus 'Class[Nginx]' --depth 2",
        ],
    ),
    (
        &["lint"],
        &[
            "bunraku lint",
            "bunraku lint --fix site-modules",
            "bunraku lint --no-140chars-check --fail-on-warnings .",
        ],
    ),
    (
        &["lookup"],
        &[
            "bunraku lookup profile::base::packages --node web01.example.net",
            "bunraku lookup ntp::servers --node web01.example.net --merge unique --explain",
        ],
    ),
    (&["man"], &["bunraku man --output ~/.local/share/man/man1"]),
    (
        &["module", "check"],
        &["bunraku module check", "bunraku module check site-modules/profile --release --format json"],
    ),
    (&["parse"], &["bunraku parse manifests/init.pp", "echo '$a = 1' | bunraku parse - --format json"]),
    (
        &["shadow"],
        &[
            "bunraku shadow --all-nodes facts/ --sample 10%",
            "bunraku shadow --all-nodes facts/ --state shadow.json --html shadow.html",
            "bunraku shadow --puppetdb http://localhost:8080 --sample 50",
        ],
    ),
    (
        &["validate"],
        &[
            "bunraku validate .",
            "bunraku validate . --changed-since main --format github",
            "bunraku validate - <init.pp",
        ],
    ),
];

/// Adds the examples to the help of the subcommands.
pub(crate) fn with_examples(command: Command) -> Command {
    EXAMPLES.iter().fold(command, |command, (words, examples)| add(command, words, examples))
}

fn add(command: Command, words: &[&'static str], examples: &[&str]) -> Command {
    if let Some((word, words)) = words.split_first() {
        return command.mut_subcommand(*word, |command| add(command, words, examples));
    }
    let before = command.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
    let lines: String = examples.iter().map(|line| format!("\n  {line}")).collect();
    command.after_long_help(format!("{before}Examples:{lines}"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::CommandLine;

    #[test]
    fn each_subcommand_has_examples_and_takes_them() {
        let known = CommandLine::command();
        for command in known.get_subcommands() {
            let is_of = |(words, _): &&(&[&str], _)| words.first() == Some(&command.get_name());
            assert!(EXAMPLES.iter().any(|row| is_of(&row)), "{}", command.get_name());
        }
        for line in EXAMPLES.iter().flat_map(|(_, lines)| *lines) {
            let (_, command) = line.split_once("bunraku ").expect("it is a command");
            for command in command.split("&& bunraku ") {
                let end = command.find([')', '<', '&']).unwrap_or(command.len());
                let words = shell_words(command.get(..end).unwrap_or_default());
                let words = std::iter::once("bunraku".to_owned()).chain(words);
                assert!(CommandLine::command().try_get_matches_from(words).is_ok(), "{line}");
            }
        }
    }

    /// The words of a line: single quotes hold together what they surround.
    fn shell_words(line: &str) -> Vec<String> {
        let parts = line.split('\'').enumerate();
        parts.fold(Vec::new(), |mut words, (number, part)| {
            match number % 2 {
                0 => words.extend(part.split_whitespace().map(str::to_owned)),
                _ => words.push(part.to_owned()),
            }
            words
        })
    }
}
