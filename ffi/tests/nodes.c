/* Nodes, comments, recovery and the binary form. */
#include <bunraku.h>

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define TEXT BUNRAKU_TEXT

static const char SOURCE[] = "# Says it.\n"
                             "class a(\n"
                             "  # How loud.\n"
                             "  Integer $volume = 99999999999999999999,\n"
                             "  $e = '\xf0\x9f\x98\x80', # What.\n"
                             ") { notice(\"${volume}\") }\n";

static bool is(bunraku_text text, const char *wanted)
{
    return text.length == strlen(wanted) && memcmp(text.data, wanted, text.length) == 0;
}

static bunraku_program *parse(bunraku_text source)
{
    bunraku_program *program = NULL;
    bunraku_error *error = bunraku_program_parse(source, BUNRAKU_NO_TEXT, BUNRAKU_SYNTAX_MANIFEST, &program);

    assert(!error && program);
    return program;
}

/* Counts the nodes below a node, and that each knows what it is below of. */
static size_t count(bunraku_node node)
{
    size_t total = 1;

    for (size_t i = 0; i < bunraku_node_child_count(node); i++) {
        bunraku_node child = bunraku_node_child(node, i);
        assert(bunraku_node_parent(child).number == node.number && bunraku_node_kind(child));
        total += count(child);
    }
    return total;
}

static void nodes(const bunraku_program *program)
{
    bunraku_node definition, parameter;
    bunraku_field field;
    bunraku_string *text = NULL;
    bunraku_span span;

    assert(bunraku_program_definition_count(program) == 1);
    definition = bunraku_program_definition(program, 0);
    assert(strcmp(bunraku_node_kind(definition), "HostClassDefinition") == 0);
    assert(definition.number == bunraku_program_body(program).number &&
           !bunraku_node_parent(definition).program);
    assert(bunraku_node_type_of(definition) == BUNRAKU_NODE_HOST_CLASS_DEFINITION);
    assert(bunraku_node_type_of(bunraku_node_parent(definition)) == BUNRAKU_NODE_NONE);
    assert(count(definition) > 10);
    assert(bunraku_node_field_count(definition) == 4);
    assert(bunraku_node_field(definition, 0, &field) && strcmp(field.name, "name") == 0);
    assert(field.field_type == BUNRAKU_FIELD_TEXT && is(field.text, "a"));
    assert(bunraku_node_field_named(definition, TEXT("parent_class"), &field) &&
           field.field_type == BUNRAKU_FIELD_ABSENT);
    assert(bunraku_node_field_named(definition, TEXT("parameters"), &field));
    assert(field.field_type == BUNRAKU_FIELD_NODES && field.count == 2 && field.index == 1);
    assert(!bunraku_node_field_named(definition, TEXT("nothing"), &field) &&
           !bunraku_node_field(definition, 4, &field));

    assert(!bunraku_node_documentation(definition, &text) &&
           strcmp(bunraku_string_data(text).data, "Says it.") == 0);
    bunraku_string_free(text);

    parameter = bunraku_node_member(definition, 1, 0);
    assert(strcmp(bunraku_node_kind(parameter), "Parameter") == 0);
    assert(!bunraku_node_documentation(parameter, &text) &&
           strcmp(bunraku_string_data(text).data, "How loud.") == 0);
    bunraku_string_free(text);
    assert(bunraku_node_field_named(parameter, TEXT("captures_rest"), &field));
    assert(field.field_type == BUNRAKU_FIELD_BOOLEAN && !field.boolean);
    assert(bunraku_node_field_named(parameter, TEXT("value"), &field) &&
           field.field_type == BUNRAKU_FIELD_NODE);
    assert(bunraku_node_field_named(field.node, TEXT("value"), &field) &&
           field.field_type == BUNRAKU_FIELD_INTEGER);
    assert(is(field.text, "99999999999999999999"));
    assert(bunraku_node_extent(parameter, BUNRAKU_UNIT_BYTE, &span) && span.line == 4 && span.column == 3);
    assert(span.end_line == 4 && span.end_column == 41);

    parameter = bunraku_node_member(definition, 1, 1);
    assert(!bunraku_node_documentation(parameter, &text) &&
           strcmp(bunraku_string_data(text).data, "What.") == 0);
    bunraku_string_free(text);
    assert(bunraku_node_field_named(parameter, TEXT("value"), &field));
    assert(is(bunraku_node_text(field.node), "'\xf0\x9f\x98\x80'"));
    assert(bunraku_node_span(field.node, BUNRAKU_UNIT_BYTE, &span) && span.length == 6 && span.column == 8);
    assert(bunraku_node_span(field.node, BUNRAKU_UNIT_CHARACTER, &span) && span.length == 3 &&
           span.column == 8);
    assert(bunraku_node_span(field.node, BUNRAKU_UNIT_UTF16, &span) && span.length == 4 && span.column == 8);
    assert(!bunraku_node_span(field.node, 9, &span));

    assert(!bunraku_node_documentation(field.node, &text) && text);
    bunraku_string_free(text);
    assert(bunraku_program_comment_count(program) == 3 && !bunraku_program_comment(program, 3, 0, &span));
    assert(bunraku_program_comment(program, 0, BUNRAKU_UNIT_BYTE, &span) && span.offset == 0 &&
           span.length == 10);
    assert(is(bunraku_program_source(program), SOURCE));
}

static void nobody(const bunraku_program *program)
{
    bunraku_node none = bunraku_node_parent(bunraku_program_body(program));
    bunraku_node wrong = {program, 100000};
    bunraku_string *text = NULL;
    bunraku_field field;
    bunraku_error *error;

    assert(!none.program && !bunraku_node_kind(none) && !bunraku_node_kind(wrong));
    assert(bunraku_node_child_count(none) == 0 && !bunraku_node_child(wrong, 0).program);
    assert(!bunraku_node_field(none, 0, &field) && !bunraku_node_text(wrong).data);
    assert(!bunraku_program_body(NULL).program && bunraku_program_definition_count(NULL) == 0);
    error = bunraku_node_documentation(none, &text);
    assert(error && !text);
    bunraku_error_free(error);
}

static void recovery(void)
{
    bunraku_program *program = NULL;
    bunraku_string *text = NULL;
    bunraku_error *error = bunraku_program_parse_recovering(TEXT("$a = )\n$b = 2\n"), BUNRAKU_NO_TEXT,
                                                            BUNRAKU_SYNTAX_MANIFEST, &program);

    assert(!error && program);
    error = bunraku_program_errors(program, &text);
    assert(!error && strstr(bunraku_string_data(text).data, "\"message\":\"Syntax error at ')'\""));
    bunraku_string_free(text);
    error = bunraku_program_to_pn(program, TEXT("text"), &text);
    assert(!error && strcmp(bunraku_string_data(text).data, "(block (error) (= (var \"b\") 2))") == 0);
    bunraku_string_free(text);
    bunraku_program_free(program);

    error = bunraku_program_parse(TEXT("$a = \"\\q\""), BUNRAKU_NO_TEXT, BUNRAKU_SYNTAX_MANIFEST, &program);
    assert(!error);
    error = bunraku_program_warnings(program, &text);
    assert(!error && strstr(bunraku_string_data(text).data, "\"message\":\"Unrecognized escape sequence '\\\\q'\""));
    bunraku_string_free(text);
    bunraku_program_free(program);
}

static void query(void)
{
    bunraku_program *program = NULL;
    bunraku_query *query = NULL;
    bunraku_matches *matches = NULL;
    bunraku_node node;
    size_t name = 7;
    bunraku_error *error = bunraku_program_parse(
        TEXT("class a($x, $y) { file { '/a': } }"), BUNRAKU_NO_TEXT, BUNRAKU_SYNTAX_MANIFEST, &program);

    assert(!error);
    error = bunraku_query_new(TEXT("(Nothing)"), &query);
    assert(error && !query && strstr(bunraku_error_message(error).data, "there is no kind 'Nothing' of nodes, at byte 1"));
    bunraku_error_free(error);
    error = bunraku_query_new(TEXT("(Parameter) @p (ResourceBody title: _ @title)"), &query);
    assert(!error && bunraku_query_capture_count(query) == 2);
    assert(strcmp(bunraku_query_capture_name(query, 1).data, "title") == 0 && !bunraku_query_capture_name(query, 2).data);
    error = bunraku_query_run(query, bunraku_program_body(NULL), &matches);
    assert(error && !matches);
    bunraku_error_free(error);
    error = bunraku_query_run(query, bunraku_program_body(program), &matches);
    assert(!error && bunraku_matches_count(matches) == 3);
    assert(bunraku_matches_pattern(matches, 1) == 0 && bunraku_matches_pattern(matches, 2) == 1);
    assert(strcmp(bunraku_node_kind(bunraku_matches_node(matches, 2)), "ResourceBody") == 0);
    assert(bunraku_matches_capture_count(matches, 2) == 1 && bunraku_matches_capture_count(matches, 3) == 0);
    node = bunraku_matches_capture(matches, 2, 0, &name);
    assert(name == 1 && strcmp(bunraku_node_kind(node), "LiteralString") == 0);
    node = bunraku_node_enclosing_definition(node);
    assert(node.number == bunraku_program_body(program).number);
    assert(!bunraku_node_enclosing_definition(node).program);
    node = bunraku_matches_node(matches, 0);
    assert(bunraku_node_next_sibling(node).number == bunraku_matches_node(matches, 1).number);
    assert(bunraku_node_previous_sibling(bunraku_matches_node(matches, 1)).number == node.number);
    assert(!bunraku_node_previous_sibling(node).program);
    assert(!bunraku_matches_node(matches, 9).program && !bunraku_matches_capture(NULL, 0, 0, NULL).program);
    bunraku_matches_free(matches);
    bunraku_query_free(query);
    bunraku_program_free(program);
}

static void tokens(const bunraku_program *program)
{
    static const char broken[] = "$a =>  # why\n  'x";
    bunraku_tokens *tokens = NULL;
    bunraku_string *formatted = NULL;
    bunraku_span span;
    bunraku_token token;
    uint32_t placement = 9;
    size_t length = 0;
    bunraku_error *error = bunraku_tokens_new(bunraku_text_of(broken), BUNRAKU_SYNTAX_MANIFEST, &tokens);

    assert(!error);
    for (size_t i = 0; i < bunraku_tokens_count(tokens); i++) {
        token = bunraku_tokens_token(tokens, i);
        assert(token.offset == length && memcmp(token.text.data, broken + length, token.text.length) == 0);
        length += token.text.length;
    }
    assert(length == strlen(broken));
    token = bunraku_tokens_token(tokens, 4);
    assert(strcmp(token.kind, "Comment") == 0 && is(token.text, "# why") && token.is_trivia && token.owner == 2);
    assert(bunraku_tokens_span(tokens, 4, BUNRAKU_UNIT_BYTE, &span) && span.line == 1 && span.column == 8);
    assert(!bunraku_tokens_span(tokens, 99, BUNRAKU_UNIT_BYTE, &span) && !bunraku_tokens_token(NULL, 0).kind);
    bunraku_tokens_free(tokens);

    assert(strcmp(bunraku_node_kind(bunraku_program_comment_node(program, 0, &placement)), "HostClassDefinition") == 0);
    assert(placement == BUNRAKU_PLACEMENT_LEADING && !bunraku_program_comment_node(program, 9, NULL).program);

    error = bunraku_format(TEXT("$a=\"1\""), BUNRAKU_SYNTAX_MANIFEST, BUNRAKU_NO_TEXT, &formatted);
    assert(!error && is(bunraku_string_data(formatted), "$a = '1'\n"));
    bunraku_string_free(formatted);
    formatted = NULL;
    error = bunraku_format(TEXT("$a=1\n$b=)\n$c=3\n"), BUNRAKU_SYNTAX_MANIFEST, TEXT("{\"recover\": true}"), &formatted);
    assert(!error && is(bunraku_string_data(formatted), "$a = 1\n$b=)\n$c = 3\n"));
    bunraku_string_free(formatted);
    formatted = NULL;
    error = bunraku_format(TEXT("$a=1\n$b=2\n"), BUNRAKU_SYNTAX_MANIFEST, TEXT("{\"lines\": [2, 2]}"), &formatted);
    assert(!error && is(bunraku_string_data(formatted), "$a = 1\n$b = 2\n"));
    bunraku_string_free(formatted);
    formatted = NULL;
    error = bunraku_format(TEXT("$a=1\n"), BUNRAKU_SYNTAX_MANIFEST, TEXT("{\"lines\": 2}"), &formatted);
    assert(error && !formatted && strstr(bunraku_error_message(error).data, "lines is no array"));
    bunraku_error_free(error);
    error = bunraku_format(TEXT("$a=\"1\""), BUNRAKU_SYNTAX_MANIFEST, TEXT("{\"widht\": 3}"), &formatted);
    assert(error && !formatted && strstr(bunraku_error_message(error).data, "did you mean 'width'"));
    bunraku_error_free(error);
    error = bunraku_format(bunraku_text_of(broken), BUNRAKU_SYNTAX_MANIFEST, BUNRAKU_NO_TEXT, &formatted);
    assert(error && !formatted && strcmp(bunraku_error_kind_name(error), "syntax") == 0);
    bunraku_error_free(error);

    error = bunraku_lint_json(TEXT("$a=\"1\"\n"), TEXT("{\"fix\": true}"), &formatted);
    assert(!error && strstr(bunraku_string_data(formatted).data, "double_quoted_strings"));
    assert(strstr(bunraku_string_data(formatted).data, "$a='1'\\n"));
    bunraku_string_free(formatted);
    formatted = NULL;
    error = bunraku_lint_json(TEXT(""), TEXT("{\"only_checks\": [\"none\"]}"), &formatted);
    assert(error && !formatted && strstr(bunraku_error_message(error).data, "there is no check 'none'"));
    bunraku_error_free(error);
    error = bunraku_lint_checks_json(&formatted);
    assert(!error && strstr(bunraku_string_data(formatted).data, "trailing_whitespace"));
    bunraku_string_free(formatted);
}

static void binary(const bunraku_program *program)
{
    bunraku_bytes *bytes = NULL;
    bunraku_program *read = NULL;
    bunraku_error *error = bunraku_program_write(program, &bytes);
    bunraku_text data;

    assert(!error && bytes);
    data = bunraku_bytes_data(bytes);
    assert(data.length > 100);
    error = bunraku_program_read((bunraku_text){data.data, data.length - 1}, BUNRAKU_SYNTAX_MANIFEST, &read);
    assert(error && !read && strstr(bunraku_error_message(error).data, "not a program"));
    bunraku_error_free(error);
    error = bunraku_program_read(data, BUNRAKU_SYNTAX_MANIFEST, &read);
    assert(!error && read);
    bunraku_bytes_free(bytes);
    nodes(read);
    bunraku_program_free(read);
    bunraku_bytes_free(NULL);
}

int main(void)
{
    bunraku_program *program = parse(bunraku_text_of(SOURCE));

    nodes(program);
    nobody(program);
    binary(program);
    recovery();
    query();
    tokens(program);
    bunraku_program_free(program);
    puts("nodes: ok");
    return 0;
}
