/* Tasks: listed, prepared, and their output read; what the built-in Ruby knows of modules. */
#include <bunraku.h>

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define TEXT BUNRAKU_TEXT

int main(int count, char **arguments)
{
    const char *path = count > 1 ? arguments[1] : "tests/example/environments";
    bunraku_environment *environment = NULL;
    bunraku_string *json = NULL;

    assert(!bunraku_environment_load((bunraku_text[]){bunraku_text_of(path)}, 1, TEXT("production"),
                                     BUNRAKU_NO_TEXT, NULL, &environment));
    assert(!bunraku_task_list(environment, &json));
    assert(*bunraku_string_data(json).data == '[');
    bunraku_string_free(json);
    assert(!bunraku_task_invocation(environment, TEXT("{\"task\": \"nowhere::none\"}"), &json));
    assert(strstr(bunraku_string_data(json).data, "puppet.tasks/module-not-found"));
    bunraku_string_free(json);
    assert(!bunraku_environment_ruby_report_json(environment, &json));
    assert(strstr(bunraku_string_data(json).data, "\"files\":["));
    bunraku_string_free(json);
    bunraku_environment_free(environment);

    assert(!bunraku_task_outcome(TEXT("{\"a\": 1}"), 12, &json));
    assert(strstr(bunraku_string_data(json).data, "The task errored with a code 12"));
    bunraku_string_free(json);
    assert(!bunraku_task_outcome(TEXT("{\"a\": 1, \"_sensitive\": {\"password\": \"p4ss\"}}"), 0, &json));
    assert(!strstr(bunraku_string_data(json).data, "p4ss"));
    assert(strstr(bunraku_string_data(json).data, "\"sensitive\":[\"_sensitive\"]"));
    bunraku_string_free(json);
    assert(!bunraku_task_outcome_sensitive(TEXT("{\"_sensitive\": {\"password\": \"p4ss\"}}"), 0, &json));
    assert(!strcmp(bunraku_string_data(json).data, "{\"password\":\"p4ss\"}"));
    bunraku_string_free(json);
    assert(!bunraku_task_outcome_sensitive(TEXT("{\"a\": 1}"), 0, &json));
    assert(!strcmp(bunraku_string_data(json).data, "null"));
    bunraku_string_free(json);
    puts("tasks: ok");
    return 0;
}
