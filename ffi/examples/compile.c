/*
 * Compiles the catalog of a node and writes it as JSON.
 *
 *     cc compile.c $(pkg-config --cflags --libs bunraku) -o compile
 *     ./compile ENVIRONMENTPATH ENVIRONMENT NODE FACTS.json OUTPUT.json [REQUEST]
 *
 * REQUEST is a JSON object with what else is known of the node, such as '{"classes": ["role::web"],
 * "code_id": "7"}'.
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

/* Says why something failed, with its place, and frees the error. */
static int fail(bunraku_error *error)
{
    const char *file = bunraku_error_file(error).data;
    const char *code = bunraku_error_issue_code(error).data;

    if (file) {
        fprintf(stderr, "%s:%u:%u: ", file, bunraku_error_line(error), bunraku_error_column(error));
    }
    fprintf(stderr, "error: %s", bunraku_error_message(error).data);
    fprintf(stderr, code ? " (%s)\n" : "\n", code);
    bunraku_error_free(error);
    return EXIT_FAILURE;
}

/* Prints the resources as a table. */
static void show(const bunraku_catalog *catalog)
{
    size_t count = bunraku_catalog_resource_count(catalog);

    printf("%-24s %-40s %s\n", "TYPE", "TITLE", "DECLARED AT");
    for (size_t index = 0; index < count; index++) {
        const bunraku_resource *resource = bunraku_catalog_resource(catalog, index);
        const char *file = bunraku_resource_file(resource).data;
        const char *name = file ? strrchr(file, '/') : NULL;

        printf("%-24s %-40s ", bunraku_resource_type(resource).data, bunraku_resource_title(resource).data);
        if (name) {
            printf("%s:%u", name + 1, bunraku_resource_line(resource));
        }
        putchar('\n');
    }
}

int main(int count, char **arguments)
{
    bunraku_environment *environment;
    bunraku_catalog *catalog;
    bunraku_string *json;
    bunraku_error *error;
    size_t facts_length = 0;
    bunraku_text path, request = BUNRAKU_NO_TEXT;
    char *facts;
    FILE *output;

    if (count != 6 && count != 7) {
        fprintf(stderr, "usage: %s ENVIRONMENTPATH ENVIRONMENT NODE FACTS.json OUTPUT.json [REQUEST]\n",
                arguments[0]);
        return 2;
    }
    if (count == 7) {
        request = bunraku_text_of(arguments[6]);
    }
    facts = read_file(arguments[4], &facts_length);
    if (!facts) {
        return EXIT_FAILURE;
    }

    path = bunraku_text_of(arguments[1]);
    error = bunraku_environment_load(&path, 1, bunraku_text_of(arguments[2]), BUNRAKU_NO_TEXT, NULL,
                                     &environment);
    if (error) {
        free(facts);
        return fail(error);
    }
    error = bunraku_environment_compile(environment, bunraku_text_of(arguments[3]),
                                        (bunraku_text){facts, facts_length}, request, NULL, &catalog);
    free(facts);
    if (error) {
        bunraku_environment_free(environment);
        return fail(error);
    }
    show(catalog);

    error = bunraku_catalog_to_json(catalog, &json);
    if (!error) {
        bunraku_text text = bunraku_string_data(json);

        output = fopen(arguments[5], "wb");
        if (!output || fwrite(text.data, 1, text.length, output) != text.length || fclose(output) != 0) {
            perror(arguments[5]);
        } else {
            printf("%zu resources, %zu bytes of JSON in %s\n", bunraku_catalog_resource_count(catalog),
                   text.length, arguments[5]);
        }
        bunraku_string_free(json);
    }
    bunraku_catalog_free(catalog);
    bunraku_environment_free(environment);
    return error ? fail(error) : EXIT_SUCCESS;
}
