/*
 * Answers questions for catalogs, one a line, as other programs may ask them through a pipe.
 *
 *     cc answer.c $(pkg-config --cflags --libs bunraku) -o answer
 *     ./answer < questions
 *
 * A question has eight texts with tabs between them: directories of environments with colons between them,
 * environment, options of the environment (JSON), node, facts (JSON), what else is known of the node (JSON),
 * form of the catalog ("agent", "puppetdb:9" …), and what PuppetDB is told beside the catalog (JSON). The
 * answer is a line of JSON: {"catalog": …, "logs": […]} or {"error": {…}, "logs": […]}.
 */
#include <bunraku.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIRECTORIES = 16 };
enum { PATH, ENVIRONMENT, OPTIONS, NODE, FACTS, REQUEST, FORM, SUBMISSION, COLUMNS };

/* Writes a text as JSON. */
static void write_text(bunraku_text text)
{
    putchar('"');
    for (size_t index = 0; index < text.length; index++) {
        unsigned char byte = (unsigned char)text.data[index];

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

static void write_member(const char *name, bunraku_text text)
{
    if (text.data) {
        printf(",\"%s\":", name);
        write_text(text);
    }
}

/* Answers with an error and what was logged before it, and frees the error. */
static void write_error(bunraku_error *error, const char *logs)
{
    printf("{\"error\":{\"message\":");
    write_text(bunraku_error_message(error));
    write_member("issue_code", bunraku_error_issue_code(error));
    write_member("file", bunraku_error_file(error));
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
    const char *logs = bunraku_catalog_logs_json(catalog).data;
    bunraku_string *document;
    bunraku_error *error = bunraku_catalog_write(catalog, bunraku_text_of(columns[FORM]),
                                                 bunraku_text_of(columns[SUBMISSION]), &document);

    if (error) {
        write_error(error, logs);
    } else {
        printf("{\"catalog\":%s,\"logs\":%s}\n", bunraku_string_data(document).data, logs);
        bunraku_string_free(document);
    }
}

/* Answers a question that was taken apart. */
static void answer(char *const *columns)
{
    bunraku_environment *environment;
    bunraku_catalog *catalog;
    bunraku_text directories[MOST_DIRECTORIES];
    size_t count = 0;
    bunraku_error *error;

    for (char *one = strtok(columns[PATH], ":"); one && count < MOST_DIRECTORIES; one = strtok(NULL, ":")) {
        directories[count++] = bunraku_text_of(one);
    }
    error = bunraku_environment_load(directories, count, bunraku_text_of(columns[ENVIRONMENT]),
                                     bunraku_text_of(columns[OPTIONS]), NULL, &environment);

    if (!error) {
        error = bunraku_environment_compile(environment, bunraku_text_of(columns[NODE]),
                                            bunraku_text_of(columns[FACTS]),
                                            bunraku_text_of(columns[REQUEST]), NULL, &catalog);
        if (!error) {
            write_catalog(catalog, columns);
            bunraku_catalog_free(catalog);
        }
        bunraku_environment_free(environment);
    }
    if (error) {
        write_error(error, bunraku_error_logs_json(error).data);
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
