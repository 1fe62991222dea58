use crate::data::fuel::Unmetered;
use crate::data::value::Value;
use crate::formats::json::push_text;

fn parse(document: &str) -> Result<Value, String> {
    let variable = |name: &str| (name == "PLACE").then(|| "there 5".to_owned());
    super::parse(document, &variable, &Unmetered).map_err(|error| error.message)
}

/// The value of a document as JSON, or `error`.
fn read(document: &str) -> String {
    let mut text = String::new();
    match parse(document) {
        Ok(value) => push_text(&mut text, &value),
        Err(_) => text.push_str("error"),
    }
    text
}

/// Documents and the gem's results.
#[test]
fn documents_have_the_values_of_the_gem() {
    let documents = include_str!("documents.txt");
    for example in documents.split("=====\n") {
        let (document, expected) = example.split_once("-----\n").expect("a document has an answer");
        assert_eq!(read(document), expected.trim_end(), "{document}");
    }
}

#[test]
fn what_the_gem_breaks_at_has_the_value_of_the_specification() {
    let documents = [
        ("a { b = ${r} }\na { b { y = 1 } }\nr { z = 1 }", r#"{"a":{"b":{"y":1,"z":1}},"r":{"z":1}}"#),
        ("a = [ { b = ${x}, b = ${y} } ]\nx = 1\ny = 2", r#"{"a":[{"b":2}],"x":1,"y":2}"#),
        ("a = {1 : x, 0 : y} [z]", r#"{"a":["y","x","z"]}"#),
        (
            "a = ${b} { c = ${x}, c = ${y} }\nb { d = 1 }\nx = 1\ny = 2",
            r#"{"a":{"c":2,"d":1},"b":{"d":1},"x":1,"y":2}"#,
        ),
        (r#"a = "\ud83d\ude00""#, r#"{"a":"😀"}"#),
    ];
    for (document, expected) in documents {
        assert_eq!(read(document), expected, "{document}");
    }
}

#[test]
fn what_the_document_does_not_have_is_a_variable_of_the_process() {
    assert_eq!(read("a = ${PLACE}, b = ${?PLACE}x, c = ${?NONE}"), r#"{"a":"there 5","b":"there 5x"}"#);
    assert_eq!(read("PLACE = 1, a = ${PLACE}"), r#"{"PLACE":1,"a":1}"#);
    assert_eq!(read("a = ${PLACE.x}"), "error");
}

#[test]
fn numbers_may_be_of_any_size() {
    assert_eq!(
        read("a = 9223372036854775808\nb = -1e19"),
        r#"{"a":9223372036854775808,"b":-10000000000000000000}"#
    );
}

#[test]
fn a_byte_order_mark_is_text() {
    assert_eq!(read("\u{feff}a = 1"), "{\"\u{feff}a\":1}");
}

#[test]
fn documents_have_limits() {
    let doubled = |open: &str, close: &str| {
        let lines = (0..40).map(|at| format!("a{at} = {open}${{a{}}}${{a{}}}{close}\n", at + 1, at + 1));
        lines.collect::<String>() + "a40 = x"
    };
    let chain: String = (0..10_000).map(|at| format!("a{at} = [${{a{}}}]\n", at + 1)).collect();
    let documents = [
        "a = ".to_owned() + &"[".repeat(100_000),
        "a = ".to_owned() + &"{a=".repeat(100_000),
        "a = ".to_owned() + &"${".repeat(100_000),
        "a.".repeat(100_000) + "a = 1",
        doubled("", ""),
        doubled("[", "]"),
        chain + "a10000 = 1",
    ];
    for document in documents {
        assert_eq!(read(&document), "error", "{document:.40}");
    }
    let additions: String = (0..100).map(|at| format!("a += {at}\n")).collect();
    assert!(read(&additions).ends_with("98,99]}"));
}

#[test]
fn errors_say_where_and_what() {
    let documents = [
        (
            "^a",
            "String: 1: expecting a close brace or a field name here, got '^' (Reserved character '^' is not allowed outside quotes)",
        ),
        ("{a: 1} \"b\"", "String: 1: Document has trailing tokens after first object or array: 'b' (STRING)"),
        ("{} 1e3", "String: 1: Document has trailing tokens after first object or array: '1000' (NUMBER)"),
        ("{} null", "String: 1: Document has trailing tokens after first object or array: '' (NULL)"),
        ("abc", "String: 1: Key 'abc' may not be followed by token: end of file"),
        (
            "a = 1\nb = [1",
            "String: 2: List should have ended with ] or had a comma, instead had token: end of file (if you want end of file to be part of a string value, then double-quote it)",
        ),
        (
            "a: 1\n}",
            "String: 2: unbalanced close brace '}' with no open brace (if you intended '}' to be part of a key or string value, try enclosing the key or value in double quotes",
        ),
        (
            "a { b: 1 } }",
            "String: 1: unbalanced close brace '}' with no open brace (if you intended '}' to be part of a key or string value, try enclosing the key or value in double quotes",
        ),
        (
            "a..b = 1",
            "path has a leading, trailing, or two adjacent period '.' (use quoted \"\" empty string if you want an empty element)",
        ),
        (
            "a = ${b:c}",
            "String: 1: Token not allowed in path expression: ':' (you can double-quote this token if you really want it here)",
        ),
        (
            "a $x = 1",
            "String: 1: Key 'a' may not be followed by token: 'x' ('$' not followed by {, 'x' not allowed after '$') (if you intended 'x' ('$' not followed by {, 'x' not allowed after '$') to be part of a key or string value, try enclosing the key or value in double quotes",
        ),
        ("a = ${b c.d}", "String: 1: Could not resolve substitution to a value: ${\"b c\".d}"),
        ("{a: 1}}", "String: 1: Document has trailing tokens after first object or array: '}'"),
        ("a = ${b.c}", "String: 1: Could not resolve substitution to a value: ${b.c}"),
    ];
    for (document, message) in documents {
        assert_eq!(parse(document), Err(message.to_owned()), "{document}");
    }
}

#[test]
fn substitutions_do_not_grow_without_end() {
    let doubled: String = (1..40).map(|n| format!("a{n} = ${{a{}}} ${{a{}}}\n", n - 1, n - 1)).collect();
    let message = parse(&format!("a0 = [1, 2, 3]\n{doubled}")).expect_err("it is too big");
    assert!(message.ends_with("substitutions make the document too big"), "{message}");
}
