/* Modules: documented and checked; types of resources described, written and checked. */
#include <bunraku.h>

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define TEXT BUNRAKU_TEXT
#define APP "tests/example/environments/production/site/profile"

int main(void)
{
    bunraku_string *json = NULL;
    bunraku_error *error = NULL;

    assert(!bunraku_module_document(TEXT("{\"paths\": [\"" APP "\"]}"), NULL, &json));
    assert(strstr(bunraku_string_data(json).data, "\"name\":\"profile::base\""));
    assert(strstr(bunraku_string_data(json).data, "\"warnings\":["));
    bunraku_string_free(json);
    assert(
        !bunraku_module_document(TEXT("{\"paths\": [\"" APP "\"], \"format\": \"markdown\"}"), NULL, &json));
    assert(strstr(bunraku_string_data(json).data, "## Table of Contents"));
    bunraku_string_free(json);
    assert(!bunraku_module_check(TEXT("{\"directory\": \"" APP "\"}"), NULL, &json));
    assert(strstr(bunraku_string_data(json).data, "\"severity\":\"error\",\"rule\":\"metadata\""));
    bunraku_string_free(json);
    assert(!bunraku_module_describe_types(TEXT("{\"modulepath\": [], \"types\": [\"file\", \"none\"]}"), NULL,
                                          &json));
    assert(strstr(bunraku_string_data(json).data, "- **content**"));
    assert(strstr(bunraku_string_data(json).data, ",null]"));
    bunraku_string_free(json);
    assert(!bunraku_module_generate_types(TEXT("{\"modulepath\": [\"nowhere\"]}"), NULL, &json));
    assert(strcmp(bunraku_string_data(json).data, "[]") == 0);
    bunraku_string_free(json);
    assert(!bunraku_module_check_definitions(TEXT("{\"definition\": {\"name\": \"a\", \"desc\": \"d\", "
                                                  "\"attributes\": {\"b\": {\"desc\": \"d\"}}}}"),
                                             NULL, &json));
    assert(strstr(bunraku_string_data(json).data, "`a.b` has no type"));
    bunraku_string_free(json);
    error = bunraku_module_document(TEXT("{}"), NULL, &json);
    assert(error);
    bunraku_error_free(error);
    puts("modules: ok");
    return 0;
}
