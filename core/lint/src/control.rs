//! Comments that switch checks off: `# lint:ignore:check reason`, behind text for its line, alone up to
//! `# lint:endignore`.

use std::collections::HashMap;

use crate::token::{Kind, Token};

/// What comments say.
#[derive(Debug, Default)]
pub(crate) struct Controls {
    /// The checks that are switched off, with their lines and the reasons.
    ignored: HashMap<String, Vec<Range>>,
    /// Comments that do not fit together.
    pub warnings: Vec<String>,
}

#[derive(Debug)]
struct Range {
    from: u32,
    to: u32,
    reason: String,
}

impl Controls {
    pub fn of(tokens: &[Token<'_>]) -> Self {
        let mut made = Self::default();
        let mut open: Vec<Vec<(u32, String, String)>> = Vec::new();
        for (at, token) in tokens.iter().enumerate() {
            let said = token.value.trim();
            if !token.kind.is_comment() || !is_control(said) {
                continue;
            }
            let words: Vec<&str> = said.split_whitespace().collect();
            let is_command =
                |word: &&&str| word.starts_with("lint:ignore") || word.starts_with("lint:endignore");
            let count = words.iter().take_while(is_command).count();
            let reason = words[count..].join(" ");
            let is_behind = at
                .checked_sub(1)
                .is_some_and(|before| !matches!(tokens[before].kind, Kind::Newline | Kind::Indent));
            let mut opened = Vec::new();
            for command in &words[..count] {
                let mut parts = command.split(':').skip(1);
                if parts.next() == Some("ignore") {
                    let check = parts.next().unwrap_or_default().to_owned();
                    if is_behind {
                        made.ignore(check, token.line, token.line, &reason);
                    } else {
                        opened.push((token.line, reason.clone(), check));
                    }
                } else {
                    match open.pop() {
                        None => made.warnings.push(format!(
                            "lint:endignore comment with no opening lint:ignore:<check> comment found on line {}",
                            token.line
                        )),
                        Some(ended) => {
                            for (from, reason, check) in ended {
                                made.ignore(check, from, token.line, &reason);
                            }
                        }
                    }
                }
            }
            if !opened.is_empty() {
                open.push(opened);
            }
        }
        made.warnings.extend(open.iter().filter_map(|opened| opened.first()).map(|(line, _, check)| {
            format!("lint:ignore:{check} comment on line {line} with no closing lint:endignore comment")
        }));
        made
    }

    fn ignore(&mut self, check: String, from: u32, to: u32, reason: &str) {
        self.ignored.entry(check).or_default().push(Range { from, to, reason: reason.to_owned() });
    }

    /// The reason why a check is switched off for a line, if it is. What was said last holds.
    pub fn reason(&self, check: &str, line: u32) -> Option<&str> {
        let ranges = self.ignored.get(check)?;
        let found = ranges.iter().rev().find(|range| (range.from..=range.to).contains(&line));
        found.map(|range| range.reason.as_str())
    }
}

/// Whether a comment is one of those.
fn is_control(said: &str) -> bool {
    let Some(said) = said.strip_prefix("lint:") else { return false };
    said.starts_with("endignore")
        || said
            .strip_prefix("ignore:")
            .is_some_and(|rest| rest.starts_with(|first: char| first.is_alphanumeric() || first == '_'))
}
