/*
 * Compiles the catalog of a node and writes it as JSON.
 *
 *     cc compile.c $(pkg-config --cflags --libs bunraku) -o compile
 *     ./compile ENVIRONMENTPATH ENVIRONMENT NODE FACTS.json OUTPUT.json [REQUEST]
 *
 * REQUEST is a JSON object with what else is known of the node, such as '{"classes": ["role::web"], "code_id": "7"}'.
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
    const char *file = bunraku_error_file(error, NULL);
    const char *code = bunraku_error_issue_code(error, NULL);

    if (file) {
        fprintf(stderr, "%s:%u:%u: ", file, bunraku_error_line(error), bunraku_error_column(error));
    }
    fprintf(stderr, "error: %s", bunraku_error_message(error, NULL));
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
        const char *file = bunraku_resource_file(resource, NULL);
        const char *name = file ? strrchr(file, '/') : NULL;

        printf("%-24s %-40s ", bunraku_resource_type(resource, NULL), bunraku_resource_title(resource, NULL));
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
    size_t facts_length = 0, length = 0;
    const char *request = NULL;
    char *facts;
    FILE *output;

    if (count != 6 && count != 7) {
        fprintf(stderr, "usage: %s ENVIRONMENTPATH ENVIRONMENT NODE FACTS.json OUTPUT.json [REQUEST]\n", arguments[0]);
        return 2;
    }
    if (count == 7) {
        request = arguments[6];
    }
    facts = read_file(arguments[4], &facts_length);
    if (!facts) {
        return EXIT_FAILURE;
    }

    error = bunraku_environment_load(arguments[1], strlen(arguments[1]), arguments[2], strlen(arguments[2]), NULL, 0, NULL,
                                     &environment);
    if (error) {
        free(facts);
        return fail(error);
    }
    error = bunraku_environment_compile(environment, arguments[3], strlen(arguments[3]), facts, facts_length, request,
                                        request ? strlen(request) : 0, &catalog);
    free(facts);
    if (error) {
        bunraku_environment_free(environment);
        return fail(error);
    }
    show(catalog);

    error = bunraku_catalog_to_json(catalog, &json);
    if (!error) {
        const char *text = bunraku_string_data(json, &length);

        output = fopen(arguments[5], "wb");
        if (!output || fwrite(text, 1, length, output) != length || fclose(output) != 0) {
            perror(arguments[5]);
        } else {
            printf("%zu resources, %zu bytes of JSON in %s\n", bunraku_catalog_resource_count(catalog), length,
                   arguments[5]);
        }
        bunraku_string_free(json);
    }
    bunraku_catalog_free(catalog);
    bunraku_environment_free(environment);
    return error ? fail(error) : EXIT_SUCCESS;
}
