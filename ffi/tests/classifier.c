/* The node classifier: groups made, read and refused, a node classified, and its catalog compiled. */
#include <bunraku.h>

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT BUNRAKU_TEXT

static const char web[] = "{\"name\": \"Web\", \"parent\": \"00000000-0000-4000-8000-000000000000\", "
                          "\"rule\": [\"=\", [\"fact\", \"role\"], "
                          "\"web\"], \"classes\": {\"motd\": {\"text\": \"hello\"}}, \"config_data\": "
                          "{\"motd\": {\"owner\": \"web\"}}}";

static uint16_t asked(const bunraku_classifier *classifier, const char *method, const char *path,
                      const char *body, bunraku_string **answer)
{
    bunraku_string *headers = NULL;
    uint16_t status = 0;
    bunraku_error *error =
        bunraku_classifier_answer(classifier, bunraku_text_of(method), bunraku_text_of(path), BUNRAKU_NO_TEXT,
                                  bunraku_text_of(body), &status, &headers, answer);

    assert(!error);
    bunraku_string_free(headers);
    return status;
}

int main(void)
{
    bunraku_classifier *classifier = NULL;
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_string *answer = NULL;
    char request[2048];

    assert(!bunraku_classifier_open(BUNRAKU_NO_TEXT, NULL, &classifier));
    assert(asked(classifier, "POST", "/classifier-api/v1/groups", web, &answer) == 303);
    bunraku_string_free(answer);
    assert(asked(classifier, "POST", "/v1/groups", web, &answer) == 422);
    assert(strstr(bunraku_string_data(answer).data, "uniqueness-violation"));
    bunraku_string_free(answer);
    assert(asked(classifier, "GET", "/v1/groups", NULL, &answer) == 200);
    assert(strstr(bunraku_string_data(answer).data, "All Nodes"));
    bunraku_string_free(answer);

    assert(asked(classifier, "POST", "/v1/classified/nodes/www1", "{\"fact\": {\"role\": \"web\"}}",
                 &answer) == 200);
    snprintf(request, sizeof request, "{\"classification\": %s}", bunraku_string_data(answer).data);
    bunraku_string_free(answer);
    assert(!bunraku_environment_load(
        NULL, 0, TEXT("production"),
        TEXT("{\"code\": \"class motd($text, $owner) { notify { \\\"$text $owner\\\": } }\", "
             "\"modulepath\": []}"),
        NULL, &environment));
    assert(!bunraku_environment_compile(environment, TEXT("www1"), BUNRAKU_NO_TEXT, bunraku_text_of(request),
                                        NULL, &catalog));
    assert(!bunraku_catalog_to_json(catalog, &answer));
    assert(strstr(bunraku_string_data(answer).data, "hello web"));
    bunraku_string_free(answer);
    bunraku_catalog_free(catalog);

    static const char elsewhere[] = "{\"classification\": {\"environment\": \"staging\"}}";
    bunraku_error *error = bunraku_environment_compile(environment, TEXT("www1"), BUNRAKU_NO_TEXT,
                                                       bunraku_text_of(elsewhere), NULL, &catalog);
    assert(error && strstr(bunraku_error_message(error).data,
                           "classified into the environment staging, and this is production"));
    bunraku_error_free(error);
    static const char own[] = "{\"classification\": {\"environment\": \"agent-specified\"}}";
    assert(!bunraku_environment_compile(environment, TEXT("www1"), BUNRAKU_NO_TEXT, bunraku_text_of(own),
                                        NULL, &catalog));
    bunraku_catalog_free(catalog);
    bunraku_environment_free(environment);
    bunraku_classifier_free(classifier);

    error = bunraku_classifier_open(TEXT("{\"database\": \"/nowhere/groups.db\"}"), NULL, &classifier);
    assert(error && strstr(bunraku_error_message(error).data, "/nowhere/groups.db"));
    bunraku_error_free(error);
    char directory[] = "/tmp/bunraku-classifier-XXXXXX", path[64], options[128];
    assert(mkdtemp(directory));
    snprintf(path, sizeof path, "%s/groups.db", directory);
    snprintf(options, sizeof options, "{\"database\": \"%s\"}", path);
    error = bunraku_classifier_open(bunraku_text_of(options), NULL, &classifier);
    assert(error && strstr(bunraku_error_message(error).data, "there is no such database"));
    assert(access(path, F_OK) != 0);
    bunraku_error_free(error);
    char create[160];
    snprintf(create, sizeof create, "{\"database\": \"%s\", \"create\": true}", path);
    assert(!bunraku_classifier_open(bunraku_text_of(create), NULL, &classifier));
    bunraku_classifier_free(classifier);
    assert(!bunraku_classifier_open(bunraku_text_of(options), NULL, &classifier));
    bunraku_classifier_free(classifier);
    for (const char *const *suffix = (const char *const[]){"", "-wal", "-shm", NULL}; *suffix; suffix++) {
        char file[96];
        snprintf(file, sizeof file, "%s%s", path, *suffix);
        unlink(file);
    }
    assert(!rmdir(directory));
    puts("classifier: ok");
    return 0;
}
