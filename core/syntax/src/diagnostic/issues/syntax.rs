//! Issues of the lexer and the parser, and of reading source files.

use super::issues;
use crate::diagnostic::{Issue, Report};

issues! {
    EMPTY_HEREDOC_SYNTAX_SEGMENT empty_heredoc_syntax_segment(syntax) =>
        "Heredoc syntax specification has empty segment between '+' : '{syntax}'";
    ILLEGAL_EPP_PARAMETERS illegal_epp_parameters() =>
        "Ambiguous EPP parameter expression. Probably missing '<%-' before parameters to remove leading whitespace";
    DISCONTINUED_IMPORT discontinued_import() =>
        "Use of 'import' has been discontinued in favor of a manifest directory. See http://links.puppet.com/puppet-import-deprecation";
    SYNTAX_ERROR syntax_error(location) => "Syntax error at {location}";
    ILLEGAL_CLASS_REFERENCE illegal_class_reference() => "Illegal class reference";
    ILLEGAL_FULLY_QUALIFIED_CLASS_REFERENCE illegal_fully_qualified_class_reference() =>
        "Illegal fully qualified class reference";
    ILLEGAL_FULLY_QUALIFIED_NAME illegal_fully_qualified_name() => "Illegal fully qualified name";
    ILLEGAL_NAME_OR_BARE_WORD illegal_name_or_bare_word() => "Illegal name or bare word";
    ILLEGAL_NUMBER illegal_number(value) => "Illegal number '{value}'";
    ILLEGAL_UNICODE_ESCAPE illegal_unicode_escape() =>
        "Unicode escape '\\u' was not followed by 4 hex digits or 1-6 hex digits in {{}} or was > 10ffff";
    INVALID_HEX_NUMBER invalid_hex_number(value) => "Not a valid hex number {value}";
    INVALID_OCTAL_NUMBER invalid_octal_number(value) => "Not a valid octal number {value}";
    INVALID_DECIMAL_NUMBER invalid_decimal_number(value) => "Not a valid decimal number {value}";
    NO_INPUT_TO_LEXER no_input_to_lexer() => "Internal Error: No string or file given to lexer to process.";
    UNRECOGNIZED_ESCAPE unrecognized_escape(ch) => "Unrecognized escape sequence '\\{ch}'";
    UNCLOSED_QUOTE unclosed_quote(after, followed_by) =>
        "Unclosed quote after {after} followed by '{followed_by}'";
    UNCLOSED_MLCOMMENT unclosed_mlcomment() => "Unclosed multiline comment";
    EPP_INTERNAL_ERROR epp_internal_error(error) => "Internal error: {error}";
    EPP_UNBALANCED_TAG epp_unbalanced_tag() => "Unbalanced epp tag, reached <eof> without closing tag.";
    EPP_UNBALANCED_COMMENT epp_unbalanced_comment() => "Reaching end after opening <%# without seeing %>";
    EPP_UNBALANCED_EXPRESSION epp_unbalanced_expression() =>
        "Unbalanced embedded expression - opening <% and reaching end of input";
    HEREDOC_UNCLOSED_PARENTHESIS heredoc_unclosed_parenthesis(followed_by) =>
        "Unclosed parenthesis after '@(' followed by '{followed_by}'";
    HEREDOC_WITHOUT_END_TAGGED_LINE heredoc_without_end_tagged_line() => "Heredoc without end-tagged line";
    HEREDOC_INVALID_ESCAPE heredoc_invalid_escape(actual) =>
        "Invalid heredoc escape char. Only t, r, n, s,  u, L, $ allowed. Got '{actual}'";
    HEREDOC_INVALID_SYNTAX heredoc_invalid_syntax() =>
        "Invalid syntax in heredoc expected @(endtag[:syntax][/escapes])";
    HEREDOC_WITHOUT_TEXT heredoc_without_text() => "Heredoc without any following lines of text";
    HEREDOC_EMPTY_ENDTAG heredoc_empty_endtag() => "Heredoc with an empty endtag";
    HEREDOC_DIRTY_MARGIN heredoc_dirty_margin(heredoc_line) =>
        "Heredoc with text in the margin is not allowed (line {heredoc_line} in this heredoc)";
    ILLEGAL_BOM illegal_bom(format, bom) =>
        "Illegal {format} Byte Order mark at beginning of input: {bom} - remove these from the puppet source";
    NO_SUCH_FILE_OR_DIRECTORY no_such_file_or_directory(file) => "No such file or directory: {file}";
    NOT_A_FILE not_a_file(file) => "{file} is not a file";
}

/// `HEREDOC_MULTIPLE_AT_ESCAPES`: a heredoc's tag names an escape more than once.
pub fn heredoc_multiple_at_escapes<T: AsRef<str>>(escapes: &[T]) -> Report {
    let escapes: Vec<&str> = escapes.iter().map(AsRef::as_ref).collect();
    Report {
        issue: Issue("HEREDOC_MULTIPLE_AT_ESCAPES"),
        message: format!("An escape char for @() may only appear once. Got '{}'", escapes.join(", ")),
    }
}

/// The diagnostic of the checker of an external syntax for the text of a heredoc. `code` is the checker's:
/// `ILLEGAL_JSON`, `ILLEGAL_BASE64`, `ILLEGAL_PP` or `ILLEGAL_EPP`.
pub fn illegal_external_syntax(code: &'static str, syntax: &str, message: &str) -> Report {
    Report {
        issue: Issue(code),
        message: format!("Invalid produced text having syntax: '{syntax}'. {message}"),
    }
}
