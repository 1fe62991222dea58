use super::{Type, tokens};

fn shown(text: &str) -> Option<String> {
    let found = tokens(text, &["String", "Type"])?;
    let show = |token: &super::Token<'_>| {
        let kind = match &token.kind {
            Type::Named(name) => (*name).to_owned(),
            Type::Keyword(word) => word.to_uppercase(),
        };
        format!("{kind} {:?} {}:{}", token.value, token.line, token.column)
    };
    Some(found.tokens.iter().map(show).collect::<Vec<_>>().join("\n"))
}

#[test]
fn strings_have_parts() {
    assert_eq!(
        shown("\"a ${b['c']} $d-e\\\"\""),
        Some(
            [
                "DQPRE \"a \" 1:1",
                "VARIABLE \"b\" 1:6",
                "LBRACK \"[\" 1:7",
                "SSTRING \"c\" 1:8",
                "RBRACK \"]\" 1:11",
                "DQMID \" \" 1:12",
                "UNENC_VARIABLE \"d-e\" 1:14",
                "DQPOST \"\\\\\\\"\" 1:18"
            ]
            .join("\n")
        )
    );
}

#[test]
fn the_tag_of_a_heredoc_ends_it_within_a_line() {
    assert_eq!(
        shown("$a = @(END)\n the END\n x\n  | END\n"),
        Some(
            [
                "VARIABLE \"a\" 1:1",
                "WHITESPACE \" \" 1:3",
                "EQUALS \"=\" 1:4",
                "WHITESPACE \" \" 1:5",
                "HEREDOC_OPEN \"END\" 1:6",
                "NEWLINE \"\\n\" 1:12",
                "HEREDOC \" the\" 2:1",
                "NEWLINE \"\\n\" 2:9",
                "INDENT \" \" 3:1",
                "NAME \"x\" 3:2",
                "NEWLINE \"\\n\" 3:3",
                "INDENT \"  \" 4:1",
                "PIPE \"|\" 4:3",
                "WHITESPACE \" \" 4:4",
                "CLASSREF \"END\" 4:5",
                "NEWLINE \"\\n\" 4:8"
            ]
            .join("\n")
        )
    );
}

#[test]
fn numbers_end_with_words() {
    let kinds = |text| {
        let found = tokens(text, &[]).unwrap_or_else(|| panic!("{text} has no tokens"));
        found.tokens.into_iter().map(|token| token.value.into_owned()).collect::<Vec<_>>()
    };
    assert_eq!(kinds("1.5e3"), ["1.5e3"]);
    assert_eq!(kinds("1.5x"), ["1", ".", "5x"]);
    assert_eq!(kinds("1e-5"), ["1e-5"]);
    assert_eq!(kinds("0x1G"), ["0x1G"]);
    assert_eq!(kinds("1e5.3"), ["1e5", ".", "3"]);
}

#[test]
fn what_puppet_lint_fails_on_has_no_tokens() {
    for text in ["'a", "\"a", "\"${a", "$", "é", "$a = @(END)\n", "\"${@(A)}\"", "'a\\'", "^"] {
        assert_eq!(shown(text), None, "{text}");
    }
}

#[test]
fn braces_in_interpolations_are_counted() {
    for (text, wanted) in [
        (r#""a ${b.map |$x| { '}' }} c""#, "a |b|.|map| |||x||| |{| |}| |} c"),
        (r#""${ {a => 1}[a] } }{ d""#, "| |{|a| |=>| |1|}|[|a|]| | }{ d"),
        (r#""a {b} c""#, "a {b} c"),
        (r#""${a}{${b}}""#, "|a|{|b|}"),
        (r#""x ${b ? { 1 => {2 => 3} }} y""#, "x |b| |?| |{| |1| |=>| |{|2| |=>| |3|}| |}| y"),
        (r#""${a[{b => 1}]}""#, "|a|[|{|b| |=>| |1|}|]|"),
    ] {
        let found = tokens(text, &[]).unwrap_or_else(|| panic!("{text} has no tokens"));
        let values: Vec<_> = found.tokens.iter().map(|token| &*token.value).collect();
        assert_eq!(values.join("|"), wanted, "{text}");
    }
}

#[test]
fn interpolations_nest_up_to_a_depth() {
    let nested = |depth: usize| "\"${".repeat(depth) + "1" + &"}\"".repeat(depth);
    assert!(tokens(&nested(8), &[]).is_some());
    assert_eq!(tokens(&nested(100), &[]), None);
}
