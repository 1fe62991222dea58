/* Values part by part: made, read, given as facts, found in catalogs. */
#include <bunraku.h>

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define TEXT BUNRAKU_TEXT

static bool is(bunraku_text text, const char *wanted)
{
    return text.length == strlen(wanted) && memcmp(text.data, wanted, text.length) == 0;
}

static bunraku_value *text_value(const char *text)
{
    bunraku_value *value = NULL;

    assert(!bunraku_value_from_text(bunraku_text_of(text), &value));
    return value;
}

/* {"a": [undef, true, 1, 1.5, Sensitive("p4ss")], "host": {"name": "web"}} */
static bunraku_value *facts(void)
{
    bunraku_value *secret = text_value("p4ss"), *list = NULL, *host = NULL, *all = NULL, *elements[5];
    bunraku_value *keys[] = {text_value("a"), text_value("host"), text_value("name")},
                  *web = text_value("web");

    assert(!bunraku_value_from_undef(&elements[0]));
    assert(!bunraku_value_from_boolean(true, &elements[1]));
    assert(!bunraku_value_from_integer(INT64_MIN, &elements[2]));
    assert(!bunraku_value_from_float(1.5, &elements[3]));
    assert(!bunraku_value_from_secret(secret, &elements[4]));
    assert(!bunraku_value_from_elements((const bunraku_value *const *)elements, 5, &list));
    assert(!bunraku_value_from_entries((const bunraku_value *const *)&keys[2],
                                       (const bunraku_value *const *)&web, 1, &host));
    {
        const bunraku_value *values[] = {list, host};

        assert(!bunraku_value_from_entries((const bunraku_value *const *)keys, values, 2, &all));
    }
    for (size_t index = 0; index < 5; index++) {
        bunraku_value_free(elements[index]);
    }
    for (size_t index = 0; index < 3; index++) {
        bunraku_value_free(keys[index]);
    }
    bunraku_value_free(secret);
    bunraku_value_free(web);
    bunraku_value_free(list);
    bunraku_value_free(host);
    return all;
}

static void parts(const bunraku_value *value)
{
    const bunraku_value *list = bunraku_value_get(value, TEXT("a"));
    int64_t integer = 0;
    double number = 0;

    assert(bunraku_value_kind(value) == BUNRAKU_KIND_HASH && bunraku_value_count(value) == 2);
    assert(is(bunraku_value_text(bunraku_value_key(value, 1)), "host") && !bunraku_value_key(value, 2));
    assert(is(bunraku_value_text(bunraku_value_get(bunraku_value_element(value, 1), TEXT("name"))), "web"));
    assert(!bunraku_value_get(value, TEXT("b")) && !bunraku_value_get(list, TEXT("a")) &&
           !bunraku_value_key(list, 0));
    assert(bunraku_value_kind(list) == BUNRAKU_KIND_ARRAY && bunraku_value_count(list) == 5);
    assert(bunraku_value_kind(bunraku_value_element(list, 0)) == BUNRAKU_KIND_UNDEF);
    assert(bunraku_value_boolean(bunraku_value_element(list, 1)) && !bunraku_value_boolean(list));
    assert(bunraku_value_integer(bunraku_value_element(list, 2), &integer) && integer == INT64_MIN);
    assert(!bunraku_value_integer(bunraku_value_element(list, 3), &integer));
    assert(bunraku_value_float(bunraku_value_element(list, 3), &number) && number == 1.5);
    assert(bunraku_value_kind(bunraku_value_element(list, 4)) == BUNRAKU_KIND_SENSITIVE);
    assert(!bunraku_value_text(bunraku_value_element(list, 4)).data);
    assert(is(bunraku_value_text(bunraku_value_unwrap(bunraku_value_element(list, 4))), "p4ss"));
    assert(!bunraku_value_element(list, 5) && !bunraku_value_unwrap(list));
    assert(bunraku_value_kind(NULL) == BUNRAKU_KIND_NONE && bunraku_value_count(NULL) == 0);
}

/* Numbers beyond 64 bits, and kinds that are texts. */
static void kinds(void)
{
    static const struct {
        const char *data, *text;
        uint32_t kind;
    } table[] = {
        {"99999999999999999999", "99999999999999999999", BUNRAKU_KIND_INTEGER},
        {"{\"__ptype\":\"Default\"}", "default", BUNRAKU_KIND_DEFAULT},
        {"{\"__ptype\":\"Regexp\",\"__pvalue\":\"a+\"}", "/a+/", BUNRAKU_KIND_REGEXP},
        {"{\"__ptype\":\"SemVer\",\"__pvalue\":\"1.2.3\"}", "1.2.3", BUNRAKU_KIND_SEMVER},
        {"{\"__ptype\":\"Binary\",\"__pvalue\":\"AAE=\"}", "AAE=", BUNRAKU_KIND_BINARY},
        {"{\"__ptype\":\"Pcore::IntegerType\",\"from\":1}", "Integer[1]", BUNRAKU_KIND_TYPE},
    };

    for (size_t index = 0; index < sizeof table / sizeof *table; index++) {
        bunraku_value *value = NULL;
        bunraku_string *text = NULL;
        int64_t integer;

        assert(!bunraku_value_from_data(bunraku_text_of(table[index].data), NULL, false, &value));
        assert(bunraku_value_kind(value) == table[index].kind && !bunraku_value_integer(value, &integer));
        assert(!bunraku_value_to_string(value, BUNRAKU_NO_TEXT, &text));
        assert(is(bunraku_string_data(text), table[index].text));
        if (table[index].kind == BUNRAKU_KIND_BINARY) {
            bunraku_text bytes = bunraku_value_text(value);

            assert(bytes.length == 2 && memcmp(bytes.data, "\0\1", 2) == 0);
        }
        bunraku_string_free(text);
        bunraku_value_free(value);
    }
}

static void catalog(const bunraku_value *facts)
{
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    const bunraku_resource *file;
    const bunraku_value *value;
    bunraku_edge edge;
    bool is_tagged = false;
    bunraku_error *error;

    assert(!bunraku_environment_load(
        NULL, 0, TEXT("production"),
        TEXT("{\"modulepath\":[],\"code\":\"class a { file { '/f': content => $facts['a'][4], mode => "
             "'0644', tag => 'x', "
             "require => Notify['n'] } @@notify { 'e': } } include a notify { 'n': }\"}"),
        NULL, &environment));
    error = bunraku_environment_compile_facts(environment, TEXT("n"), facts, BUNRAKU_NO_TEXT, NULL, &catalog);
    if (error) {
        fprintf(stderr, "%s\n", bunraku_error_message(error).data);
    }
    assert(!error);
    assert((file = bunraku_catalog_find(catalog, TEXT("File[/f]"))));
    assert(bunraku_resource_parameter_count(file) == 4 &&
           is(bunraku_resource_parameter_name(file, 1), "mode"));
    assert(is(bunraku_value_text(bunraku_resource_parameter(file, 1)), "0644"));
    value = bunraku_resource_parameter_named(file, TEXT("content"));
    assert(bunraku_value_kind(value) == BUNRAKU_KIND_SENSITIVE &&
           is(bunraku_value_text(bunraku_value_unwrap(value)), "p4ss"));
    assert(bunraku_value_kind(bunraku_resource_parameter_named(file, TEXT("require"))) == BUNRAKU_KIND_TYPE);
    assert(!bunraku_resource_parameter_named(file, TEXT("owner")) && !bunraku_resource_parameter(file, 4));
    for (size_t index = 0; index < bunraku_resource_tag_count(file); index++) {
        is_tagged |= is(bunraku_resource_tag(file, index), "x");
    }
    assert(is_tagged && !bunraku_resource_tag(file, 99).data && !bunraku_resource_is_virtual(file));
    assert(bunraku_resource_kind(file) == BUNRAKU_DECLARATION_COMPILABLE_TYPE);
    assert(bunraku_resource_kind(NULL) == BUNRAKU_DECLARATION_UNKNOWN);
    assert(bunraku_resource_is_virtual(bunraku_catalog_find(catalog, TEXT("Notify[e]"))));
    assert(bunraku_catalog_edge_count(catalog) > 3 && bunraku_catalog_edge(catalog, 0, &edge));
    assert(is(bunraku_resource_title(edge.source), "main") && edge.target);
    assert(!bunraku_catalog_edge(catalog, 99, &edge));
    bunraku_catalog_free(catalog);
    catalog = NULL;
    error = bunraku_environment_compile_facts(environment, TEXT("n"), bunraku_value_get(facts, TEXT("a")),
                                              BUNRAKU_NO_TEXT, NULL, &catalog);
    assert(error && bunraku_error_kind(error) == BUNRAKU_FAILURE_ARGUMENT && !catalog);
    bunraku_error_free(error);
    bunraku_environment_free(environment);
}

int main(void)
{
    bunraku_value *value = facts();

    parts(value);
    kinds();
    catalog(value);
    bunraku_value_free(value);
    puts("values: ok");
    return 0;
}
