/*
 * Answers questions for catalogs, one a line, as other programs may ask them through a pipe.
 *
 *     cc answer.c $(pkg-config --cflags --libs bunraku) -o answer
 *     ./answer < questions
 *
 * A question has eight texts with tabs between them: environment path, environment, options of the environment (JSON), node,
 * facts (JSON), what else is known of the node (JSON), form of the catalog ("agent", "puppetdb:9" …), and what PuppetDB is
 * told beside the catalog (JSON). The answer is a line of JSON: {"catalog": …, "logs": […]} or {"error": {…}, "logs": […]}.
 */
#include <bunraku.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH, ENVIRONMENT, OPTIONS, NODE, FACTS, REQUEST, FORM, SUBMISSION, COLUMNS };

/* Writes a text as JSON. */
static void write_text(const char *text, size_t length)
{
    putchar('"');
    for (size_t index = 0; index < length; index++) {
        unsigned char byte = (unsigned char)text[index];

        if (byte == '"' || byte == '\\') {
            printf("\\%c", byte);
        } else if (byte < ' ') {
            printf("\\u%04x", byte);
        } else {
            putchar(byte);
        }
    }
    putchar('"');
}

static void write_member(const char *name, const char *text, size_t length)
{
    if (text) {
        printf(",\"%s\":", name);
        write_text(text, length);
    }
}

/* Answers with an error and what was logged before it, and frees the error. */
static void write_error(bunraku_error *error, const char *logs)
{
    size_t length;
    const char *text = bunraku_error_message(error, &length);

    printf("{\"error\":{\"message\":");
    write_text(text, length);
    text = bunraku_error_issue_code(error, &length);
    write_member("issue_code", text, length);
    text = bunraku_error_file(error, &length);
    write_member("file", text, length);
    if (bunraku_error_line(error)) {
        printf(",\"line\":%u", bunraku_error_line(error));
    }
    if (bunraku_error_column(error)) {
        printf(",\"column\":%u", bunraku_error_column(error));
    }
    printf("},\"logs\":%s}\n", logs);
    bunraku_error_free(error);
}

/* Answers with a catalog in a form. */
static void write_catalog(const bunraku_catalog *catalog, char *const *columns)
{
    const char *logs = bunraku_catalog_logs_json(catalog, NULL);
    bunraku_string *document;
    bunraku_error *error = bunraku_catalog_write(catalog, columns[FORM], strlen(columns[FORM]), columns[SUBMISSION],
                                                 strlen(columns[SUBMISSION]), &document);

    if (error) {
        write_error(error, logs);
    } else {
        printf("{\"catalog\":%s,\"logs\":%s}\n", bunraku_string_data(document, NULL), logs);
        bunraku_string_free(document);
    }
}

/* Answers a question that was taken apart. */
static void answer(char *const *columns)
{
    bunraku_environment *environment;
    bunraku_catalog *catalog;
    bunraku_error *error =
        bunraku_environment_load(columns[PATH], strlen(columns[PATH]), columns[ENVIRONMENT], strlen(columns[ENVIRONMENT]),
                                 columns[OPTIONS], strlen(columns[OPTIONS]), NULL, &environment);

    if (!error) {
        error = bunraku_environment_compile(environment, columns[NODE], strlen(columns[NODE]), columns[FACTS],
                                            strlen(columns[FACTS]), columns[REQUEST], strlen(columns[REQUEST]), &catalog);
        if (!error) {
            write_catalog(catalog, columns);
            bunraku_catalog_free(catalog);
        }
        bunraku_environment_free(environment);
    }
    if (error) {
        write_error(error, bunraku_error_logs_json(error, NULL));
    }
}

/* Ends the texts of a line where the tabs are. Whether there are enough. */
static int split(char *line, char **columns)
{
    int count = 0;

    line[strcspn(line, "\n")] = '\0';
    while (line && count < COLUMNS) {
        columns[count++] = line;
        line = strchr(line, '\t');
        if (line) {
            *line++ = '\0';
        }
    }
    return count == COLUMNS && !line;
}

int main(void)
{
    char *line = NULL, *columns[COLUMNS];
    size_t capacity = 0;

    while (getline(&line, &capacity, stdin) > 0) {
        if (!split(line, columns)) {
            fprintf(stderr, "a question has %d texts with tabs between them\n", COLUMNS);
            free(line);
            return 2;
        }
        answer(columns);
        fflush(stdout);
    }
    free(line);
    return EXIT_SUCCESS;
}
