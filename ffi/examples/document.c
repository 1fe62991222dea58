/*
 * Documents the definitions of a manifest: what each is called, what its comment says, and its parameters
 * with types, defaults and comments. With --tree, prints the whole syntax tree instead.
 *
 *     cc document.c $(pkg-config --cflags --libs bunraku) -o document
 *     ./document [--tree] MANIFEST.pp
 */
#include <bunraku.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads a whole file; the caller frees it. */
static char *read_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size;

    if (!file) {
        perror(path);
        return NULL;
    }
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0) {
        rewind(file);
        text = malloc((size_t)size + 1);
        if (text) {
            *length = fread(text, 1, (size_t)size, file);
        }
    }
    fclose(file);
    return text;
}

/* Prints a node with all below it: kind, place, and the fields that are no nodes. */
static void print_tree(bunraku_node node, int depth)
{
    bunraku_span span = {0, 0, 0, 0, 0, 0};
    bunraku_field field;

    bunraku_node_span(node, BUNRAKU_UNIT_CHARACTER, &span);
    printf("%*s%s %u:%u", depth * 2, "", bunraku_node_kind(node), (unsigned)span.line, (unsigned)span.column);
    for (size_t i = 0; bunraku_node_field(node, i, &field); i++) {
        switch (field.field_type) {
        case BUNRAKU_FIELD_TEXT:
            printf(" %s=%.*s", field.name, (int)field.text.length, field.text.data);
            break;
        case BUNRAKU_FIELD_INTEGER:
            printf(" %s=%lld", field.name, (long long)field.integer);
            break;
        case BUNRAKU_FIELD_FLOAT:
            printf(" %s=%g", field.name, field.number);
            break;
        case BUNRAKU_FIELD_BOOLEAN:
            printf(" %s=%s", field.name, field.boolean ? "true" : "false");
            break;
        default:
            break;
        }
    }
    putchar('\n');
    for (size_t i = 0; i < bunraku_node_child_count(node); i++) {
        print_tree(bunraku_node_child(node, i), depth + 1);
    }
}

/* The source text of a field's node with all below it; nothing for a field that is absent. */
static void print_source(const bunraku_program *program, bunraku_node node, const char *before,
                         const char *name)
{
    bunraku_field field;
    bunraku_span span;

    if (bunraku_node_field_named(node, bunraku_text_of(name), &field) &&
        field.field_type == BUNRAKU_FIELD_NODE && bunraku_node_extent(field.node, BUNRAKU_UNIT_BYTE, &span)) {
        printf("%s%.*s", before, (int)span.length, bunraku_program_source(program).data + span.offset);
    }
}

static void print_documentation(bunraku_node node, const char *before)
{
    bunraku_string *text = NULL;
    bunraku_error *error = bunraku_node_documentation(node, &text);

    if (!error && text) {
        printf("%s%s", before, bunraku_string_data(text).data);
    }
    bunraku_string_free(text);
    bunraku_error_free(error);
}

static void print_definition(const bunraku_program *program, bunraku_node node)
{
    bunraku_field name, parameters;

    if (!bunraku_node_field_named(node, BUNRAKU_TEXT("name"), &name)) {
        return;
    }
    printf("%s %.*s", bunraku_node_kind(node), (int)name.text.length, name.text.data);
    print_documentation(node, "\n");
    putchar('\n');
    if (!bunraku_node_field_named(node, BUNRAKU_TEXT("parameters"), &parameters)) {
        return;
    }
    for (size_t i = 0; i < parameters.count; i++) {
        bunraku_node parameter = bunraku_node_member(node, parameters.index, i);
        if (bunraku_node_field_named(parameter, BUNRAKU_TEXT("name"), &name)) {
            printf("  $%.*s", (int)name.text.length, name.text.data);
        }
        print_source(program, parameter, " : ", "type_expr");
        print_source(program, parameter, " = ", "value");
        print_documentation(parameter, "\n    ");
        putchar('\n');
    }
}

int main(int count, char **arguments)
{
    int is_tree = count == 3 && strcmp(arguments[1], "--tree") == 0;
    const char *path = arguments[count - 1];
    bunraku_program *program = NULL;
    bunraku_error *error;
    size_t length = 0;
    char *source;

    if (count != 2 && !is_tree) {
        fprintf(stderr, "usage: document [--tree] MANIFEST.pp\n");
        return 2;
    }
    source = read_file(path, &length);
    if (!source) {
        return 2;
    }
    error = bunraku_program_parse((bunraku_text){source, length}, bunraku_text_of(path),
                                  BUNRAKU_SYNTAX_MANIFEST, &program);
    free(source);
    if (error) {
        fprintf(stderr, "%s:%u:%u: %s\n", path, (unsigned)bunraku_error_line(error),
                (unsigned)bunraku_error_column(error), bunraku_error_message(error).data);
        bunraku_error_free(error);
        return 1;
    }
    if (is_tree) {
        print_tree(bunraku_program_body(program), 0);
    }
    for (size_t i = 0; !is_tree && i < bunraku_program_definition_count(program); i++) {
        print_definition(program, bunraku_program_definition(program, i));
    }
    bunraku_program_free(program);
    return 0;
}
