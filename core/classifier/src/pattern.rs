//! Java's regular expressions, as rules have them, for the engine that is here.
//!
//! Most of the syntax is the same. Java's classes are of ASCII unless told otherwise, it has POSIX classes under `\p`, and
//! quotes with `\Q…\E`.

use fancy_regex::{Regex, RegexBuilder};

/// How often the engine may try other ways before it gives up; only patterns with look-around or back references need it.
const BACKTRACKS: usize = 1_000_000;

/// The classes that a letter behind a backslash means: within brackets, without the brackets.
const CLASSES: &[(char, &str)] = &[
    ('d', "0-9"),
    ('w', "a-zA-Z0-9_"),
    ('s', r" \t\n\x0B\f\r"),
    ('h', r" \t\xA0\u{1680}\u{180e}\u{2000}-\u{200a}\u{202f}\u{205f}\u{3000}"),
    ('v', r"\n\x0B\f\r\x{85}\u{2028}\u{2029}"),
];

/// Java's names of classes that others write in another way.
const PROPERTIES: &[(&str, &str)] = &[
    ("Lower", "a-z"),
    ("Upper", "A-Z"),
    ("ASCII", r"\x00-\x7F"),
    ("Alpha", "a-zA-Z"),
    ("Digit", "0-9"),
    ("Alnum", "a-zA-Z0-9"),
    ("Punct", r"!-/:-@\[-`{-~"),
    ("Graph", "!-~"),
    ("Print", r" -~"),
    ("Blank", r" \t"),
    ("Cntrl", r"\x00-\x1F\x7F"),
    ("XDigit", "0-9a-fA-F"),
    ("Space", r" \t\n\x0B\f\r"),
    ("javaLowerCase", r"\p{Ll}"),
    ("javaUpperCase", r"\p{Lu}"),
    ("javaWhitespace", r"\s"),
];

/// Compiles a pattern.
///
/// # Errors
/// What is wrong with it, in the engine's words.
pub(super) fn compile(source: &str) -> Result<Regex, String> {
    let regex = RegexBuilder::new(&translated(source)).backtrack_limit(BACKTRACKS).build();
    regex.map_err(|error| error.to_string())
}

fn translated(source: &str) -> String {
    let mut out = String::with_capacity(source.len() + 16);
    let mut rest = source;
    let mut depth = 0_usize;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match character {
            '\\' => rest = escaped(rest, depth > 0, &mut out),
            '[' => {
                depth += 1;
                out.push('[');
                // A bracket that closes at once is itself a member.
                for opening in ["^", "]"] {
                    if let Some(behind) = rest.strip_prefix(opening) {
                        rest = behind;
                        out.push_str(if opening == "]" { r"\]" } else { "^" });
                    }
                }
            }
            ']' => {
                depth = depth.saturating_sub(1);
                out.push(']');
            }
            other => out.push(other),
        }
    }
    out
}

/// Writes what stands behind a backslash, and returns what follows it.
fn escaped<'a>(rest: &'a str, in_class: bool, out: &mut String) -> &'a str {
    let Some(letter) = rest.chars().next() else {
        out.push('\\');
        return rest;
    };
    let behind = &rest[letter.len_utf8()..];
    if letter == 'Q' {
        let (quoted, behind) = behind.split_once(r"\E").unwrap_or((behind, ""));
        out.push_str(&fancy_regex::escape(quoted));
        return behind;
    }
    let class = |name: char| CLASSES.iter().find(|(known, _)| *known == name).map(|(_, members)| *members);
    if let Some(members) = class(letter) {
        push_class(members, false, in_class, out);
        return behind;
    }
    if let Some(members) = class(letter.to_ascii_lowercase()).filter(|_| letter.is_ascii_uppercase()) {
        push_class(members, true, in_class, out);
        return behind;
    }
    if let ('p' | 'P', Some((name, after))) = (letter, braced(behind)) {
        let name = name.strip_prefix("Is").filter(|name| name.len() > 2).unwrap_or(name);
        if let Some((_, members)) = PROPERTIES.iter().find(|(known, _)| *known == name) {
            push_class(members, letter == 'P', in_class, out);
            return after;
        }
        out.extend(['\\', letter, '{']);
        out.push_str(name);
        out.push('}');
        return after;
    }
    out.extend(['\\', letter]);
    behind
}

fn braced(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('{')?.split_once('}')
}

fn push_class(members: &str, negated: bool, in_class: bool, out: &mut String) {
    if in_class && !negated {
        out.push_str(members);
    } else {
        out.push_str(if negated { "[^" } else { "[" });
        out.push_str(members);
        out.push(']');
    }
}

#[cfg(test)]
mod tests {
    use super::compile;

    fn matches(pattern: &str, text: &str) -> bool {
        compile(pattern).expect("a pattern").is_match(text).expect("an answer")
    }

    #[test]
    fn classes_are_of_ascii() {
        assert!(matches(r"^web\d+$", "web12"));
        assert!(!matches(r"^web\d+$", "web\u{0663}"));
        assert!(matches(r"^[\w.]+$", "a_1.b"));
        assert!(!matches(r"^[\W]$", "a"));
        assert!(matches(r"^\p{Upper}\p{Lower}+$", "Web"));
        assert!(!matches(r"^\P{Digit}$", "1"));
    }

    #[test]
    fn anchors_stand_at_the_ends_of_the_text() {
        assert!(!matches("^b$", "a\nb"));
        assert!(matches("(?m)^b$", "a\nb"));
    }

    #[test]
    fn quotes_and_look_around_work() {
        assert!(matches(r"\Qa.b\E+", "a.bb"));
        assert!(!matches(r"\Qa.b\E", "axb"));
        assert!(matches(r"^(?!db).*\.example\.com$", "web.example.com"));
        assert!(matches(r"^[]a]+$", "]a"));
    }
}
