/* Types and values from C, on handles and in JSON: what works for each kind, and what is an error. */
#include <bunraku.h>

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT BUNRAKU_TEXT
#define COUNT(table) (sizeof(table) / sizeof(*(table)))

static bunraku_type *type_of(const char *source)
{
    bunraku_type *type = NULL;
    bunraku_error *error = bunraku_type_parse(bunraku_text_of(source), NULL, &type);

    if (error) {
        fprintf(stderr, "%s: %s\n", source, bunraku_error_message(error).data);
    }
    assert(!error);
    return type;
}

static bunraku_value *value_of(const char *data)
{
    bunraku_value *value = NULL;
    bunraku_error *error = bunraku_value_from_data(bunraku_text_of(data), NULL, false, &value);

    if (error) {
        fprintf(stderr, "%s: %s\n", data, bunraku_error_message(error).data);
    }
    assert(!error);
    return value;
}

/* Holds a text against what it should be, and frees it. */
static void expect(bunraku_error *error, bunraku_string *text, const char *expected)
{
    const char *given = error ? bunraku_error_message(error).data : bunraku_string_data(text).data;

    if (error || !given || strcmp(given, expected) != 0) {
        fprintf(stderr, "expected %s\n     got %s\n", expected, given ? given : "(nothing)");
        abort();
    }
    bunraku_string_free(text);
}

/* An error whose message has these words. */
static void refused(bunraku_error *error, const char *words)
{
    if (!error || !strstr(bunraku_error_message(error).data, words)) {
        fprintf(stderr, "expected %s\n     got %s\n", words,
                error ? bunraku_error_message(error).data : "success");
        abort();
    }
    bunraku_error_free(error);
}

static void expect_type(bunraku_type *type, const char *expected)
{
    bunraku_string *text = NULL;
    bunraku_error *error = bunraku_type_to_string(type, &text);

    expect(error, text, expected);
    bunraku_type_free(type);
}

/* Each type: how it is written, what it is, and that it comes back from its text, from data and from streams.
 */
static void types(void)
{
    static const struct {
        const char *source, *text, *kind, *general;
    } table[] = {
        {"Any", "Any", "Any", "Any"},
        {"Undef", "Undef", "Undef", "Undef"},
        {"Default", "Default", "Default", "Default"},
        {"Scalar", "Scalar", "Scalar", "Scalar"},
        {"ScalarData", "ScalarData", "ScalarData", "ScalarData"},
        {"Numeric", "Numeric", "Numeric", "Numeric"},
        {"Integer[1, 5]", "Integer[1, 5]", "Integer", "Integer"},
        {"Integer[0]", "Integer[0]", "Integer", "Integer"},
        {"Float[0, 1.5]", "Float[0.0, 1.5]", "Float", "Float"},
        {"String[1, 3]", "String[1, 3]", "String", "String"},
        {"Enum[b, a, true]", "Enum['a', 'b', true]", "Enum", "String[1, 1]"},
        {"Pattern[/a/, 'b']", "Pattern[/a/, /b/]", "Pattern", "Pattern[/a/, /b/]"},
        {"Regexp[/a\\/b/]", "Regexp[/a\\/b/]", "Regexp", "Regexp[/a\\/b/]"},
        {"Boolean", "Boolean", "Boolean", "Boolean"},
        {"Collection[1, 2]", "Collection[1, 2]", "Collection", "Collection"},
        {"Array[String[1], 2]", "Array[String[1], 2]", "Array", "Array[String]"},
        {"Hash[String, Integer[1, 2], 0, 3]", "Hash[String, Integer[1, 2], 0, 3]", "Hash",
         "Hash[String, Integer]"},
        {"Tuple[Integer[1, 2], String, 1, 4]", "Tuple[Integer[1, 2], String, 1, 4]", "Tuple",
         "Tuple[Integer, String, 1, 4]"},
        {"Struct[{a => Integer[1], Optional[b] => String}]",
         "Struct[{'a' => Integer[1], Optional['b'] => String}]", "Struct",
         "Struct[{'a' => Integer, Optional['b'] => String}]"},
        {"Optional[Integer[1]]", "Optional[Integer[1]]", "Optional", "Optional[Integer]"},
        {"NotUndef['a']", "NotUndef['a']", "NotUndef", "NotUndef[String]"},
        {"Variant[Integer[1, 1], String]", "Variant[Integer[1, 1], String]", "Variant",
         "Variant[Integer, String]"},
        {"Iterable[Integer[1]]", "Iterable[Integer[1]]", "Iterable", "Iterable[Integer]"},
        {"Iterator[Integer[1]]", "Iterator[Integer[1]]", "Iterator", "Iterator[Integer]"},
        {"Callable[[Integer[1], 1, 2, Callable], String]", "Callable[[Integer[1], 1, 2, Callable], String]",
         "Callable", "Callable[[Integer, 1, 2, Callable], String]"},
        {"Type[Integer[1]]", "Type[Integer[1]]", "Type", "Type[Integer]"},
        {"Runtime[ruby, 'Symbol']", "Runtime[ruby, 'Symbol']", "Runtime", "Runtime[ruby, 'Symbol']"},
        {"CatalogEntry", "CatalogEntry", "CatalogEntry", "CatalogEntry"},
        {"Class[a]", "Class[a]", "Class", "Class[a]"},
        {"File['/a']", "File['/a']", "Resource", "File['/a']"},
        {"SemVer['1.x']", "SemVer['1.x']", "SemVer", "SemVer['1.x']"},
        {"SemVerRange", "SemVerRange", "SemVerRange", "SemVerRange"},
        {"Timestamp['2020-01-02']", "Timestamp['2020-01-02T00:00:00.000000000 UTC']", "Timestamp",
         "Timestamp"},
        {"Timespan['0-00:00:01']", "Timespan['0-00:00:01.0']", "Timespan", "Timespan"},
        {"Binary", "Binary", "Binary", "Binary"},
        {"URI[{scheme => 'http'}]", "URI[{'scheme' => 'http'}]", "URI", "URI"},
        {"Sensitive", "Sensitive", "Sensitive", "Sensitive"},
        {"Init[Integer, 16]", "Init[Integer, 16]", "Init", "Init[Integer, 16]"},
    };
    size_t index;
    uint32_t format;

    for (index = 0; index < COUNT(table); index++) {
        bunraku_type *type = type_of(table[index].source), *again = type_of(table[index].text), *made = NULL;
        bunraku_value *value = NULL, *back = NULL;
        bunraku_string *text = NULL, *data = NULL;
        bunraku_bytes *stream = NULL;
        bunraku_text bytes;
        bunraku_error *error;
        bool answer = false;

        error = bunraku_type_to_string(type, &text);
        expect(error, text, table[index].text);
        error = bunraku_type_kind(type, &text);
        expect(error, text, table[index].kind);
        text = NULL;
        assert(!bunraku_type_name(type, &text));
        bunraku_string_free(text);
        assert(bunraku_type_equals(type, again) &&
               bunraku_type_is_assignable(type, again) == bunraku_type_is_assignable(again, type));
        assert(!bunraku_type_check_assignable(type, again, &answer));
        assert(answer == bunraku_type_is_assignable(type, again));
        bunraku_type_free(again);
        assert(!bunraku_type_generalize(type, &made));
        expect_type(made, table[index].general);
        assert(!bunraku_type_normalize(type, &made));
        bunraku_type_free(made);
        assert(!bunraku_type_resolved(type, &made) && bunraku_type_equals(type, made));
        bunraku_type_free(made);

        /* A type is a value: as data and as streams, and it is an instance of Type. */
        assert(!bunraku_type_to_value(type, &value));
        assert(!bunraku_value_to_data(value, BUNRAKU_NO_TEXT, &data));
        back = value_of(bunraku_string_data(data).data);
        assert(bunraku_value_equals(value, back));
        assert(!bunraku_type_from_value(back, &made) && bunraku_type_equals(type, made));
        bunraku_type_free(made);
        bunraku_value_free(back);
        bunraku_string_free(data);
        for (format = BUNRAKU_STREAM_JSON; format <= BUNRAKU_STREAM_MSGPACK; format++) {
            error = bunraku_value_dump(value, format, BUNRAKU_NO_TEXT, &stream);
            assert(!error);
            bytes = bunraku_bytes_data(stream);
            error = bunraku_value_load(bytes, format, NULL, &back);
            if (error) {
                /* The reference has no way back for these either. */
                assert(strcmp(table[index].kind, "Pattern") == 0 ||
                       strcmp(table[index].kind, "Runtime") == 0);
                bunraku_error_free(error);
            } else {
                assert(bunraku_value_equals(value, back));
                bunraku_value_free(back);
            }
            bunraku_bytes_free(stream);
        }
        again = type_of("Type");
        assert(bunraku_type_is_instance(again, value));
        bunraku_type_free(again);
        bunraku_value_free(value);
        bunraku_type_free(type);
    }
    /* A name that is unknown refers to a type; no text says that otherwise. */
    expect_type(type_of("Foo::Bar"), "TypeReference['Foo::Bar']");
}

static void wrong_types(void)
{
    static const struct {
        const char *source, *words;
    } table[] = {
        {"Array[", "Syntax error"},
        {"Integer[3, 1]", "'from' must be less or equal to 'to'"},
        {"Integer[1, 2, 3]", "Integer requires 1 or 2, 3 provided"},
        {"Struct[1]", "is not a valid type specification"},
        {"Pattern['(']", "unmatched parenthesis"},
        {"Boolean[1]", "Boolean parameter must be true or false"},
        {"Timespan[x]", "Unable to parse"},
        {"1 + 1", "is not a valid type specification"},
        {"", "is not a valid type specification"},
    };
    bunraku_type *type = NULL;
    bunraku_string *text = NULL;
    size_t index;
    char *deep = malloc(200000);

    for (index = 0; index < COUNT(table); index++) {
        refused(bunraku_type_parse(bunraku_text_of(table[index].source), NULL, &type), table[index].words);
        assert(!type);
    }
    refused(bunraku_type_parse(TEXT("Integer\xff"), NULL, &type), "UTF-8");
    refused(bunraku_type_parse((bunraku_text){NULL, 1}, NULL, &type), "source is NULL");
    refused(bunraku_type_parse(TEXT("Integer"), NULL, NULL), "NULL");
    assert(deep);
    for (index = 0; index < 33333; index++) {
        memcpy(deep + index * 6, "Array[", 6);
    }
    refused(bunraku_type_parse((bunraku_text){deep, 33333 * 6}, NULL, &type), "");
    free(deep);
    refused(bunraku_type_to_string(NULL, &text), "of is NULL");
    refused(bunraku_type_kind(NULL, &text), "of is NULL");
    refused(bunraku_type_name(NULL, &text), "of is NULL");
    refused(bunraku_type_generalize(NULL, &type), "of is NULL");
    refused(bunraku_type_normalize(NULL, &type), "of is NULL");
    refused(bunraku_type_resolved(NULL, &type), "of is NULL");
    refused(bunraku_type_infer(NULL, BUNRAKU_INFERENCE_REDUCED, &type), "value is NULL");
    refused(bunraku_type_common(NULL, NULL, &type), "a is NULL");
    refused(bunraku_type_mismatch(NULL, NULL, BUNRAKU_NO_TEXT, &text), "of is NULL");
    refused(bunraku_type_describe_mismatch(NULL, NULL, BUNRAKU_NO_TEXT, &text), "of is NULL");
    refused(bunraku_type_check_instance(NULL, NULL, NULL), "of is NULL");
    refused(bunraku_type_check_assignable(NULL, NULL, NULL), "of is NULL");
    refused(bunraku_type_new(NULL, NULL, NULL, NULL), "of is NULL");
    refused(bunraku_type_to_value(NULL, NULL), "of is NULL");
    refused(bunraku_type_from_value(NULL, NULL), "value is NULL");
    type = type_of("Integer");
    refused(bunraku_type_to_string(type, NULL), "NULL");
    refused(bunraku_type_name(type, NULL), "NULL");
    refused(bunraku_type_check_assignable(type, type, NULL), "NULL");
    bunraku_type_free(type);
    assert(!bunraku_type_equals(NULL, NULL) && !bunraku_type_is_assignable(NULL, NULL));
}

static void instances(void)
{
    static const struct {
        const char *type, *data, *mismatch;
    } table[] = {
        {"Integer[0, 9]", "5", NULL},
        {"Integer[0, 9]", "10", "v expects an Integer[0, 9] value, got Integer[10, 10]"},
        {"Integer", "1.0", "v expects an Integer value, got Float"},
        {"String[1]", "\"\"", "v expects a String[1] value, got String"},
        {"Enum[a, b, true]", "\"B\"", NULL},
        {"Pattern[/^a/]", "\"b\"", "v expects a match for Pattern[/^a/], got 'b'"},
        {"Optional[Integer]", "null", NULL},
        {"NotUndef", "null", "v expects a NotUndef value, got Undef"},
        {"Data", "[1, {\"a\": [null, true, 1.5]}]", NULL},
        {"Array[Integer, 2]", "[1]", "v expects size to be at least 2, got 1"},
        {"Tuple[Integer, String]", "[1, 2]", "v index 1 expects a String value, got Integer"},
        {"Hash[String, Integer]", "{\"a\": \"x\"}", "v entry 'a' expects an Integer value, got String"},
        {"Struct[{a => Integer}]", "{\"b\": 1}", " v expects a value for key 'a'\n  v unrecognized key 'b'"},
        {"Struct[{a => Struct[{b => Integer}]}]", "{\"a\": {\"b\": true}}",
         "v entry 'a' entry 'b' expects an Integer value, got Boolean"},
        {"Variant[Integer, Boolean]", "\"x\"", "v expects a value of type Integer or Boolean, got String"},
        {"Iterable", "[1]", NULL},
        {"Sensitive[String]", "{\"__ptype\":\"Sensitive\",\"__pvalue\":\"x\"}", NULL},
        {"Regexp", "{\"__ptype\":\"Regexp\",\"__pvalue\":\"x\"}", NULL},
        {"Timestamp", "{\"__ptype\":\"Timestamp\",\"__pvalue\":\"2020-01-02T00:00:00 UTC\"}", NULL},
        {"SemVer['>=2.0.0']", "{\"__ptype\":\"SemVer\",\"__pvalue\":\"1.0.0\"}",
         "v expects a SemVer['>=2.0.0'] value, got SemVer['1.0.0 - 1.0.0']"},
        {"Type[Integer]", "{\"__ptype\":\"Pcore::IntegerType\",\"from\":1}", NULL},
        {"Runtime[ruby, 'Symbol']", "{\"__ptype\":\"Symbol\",\"__pvalue\":\"x\"}", NULL},
    };
    bunraku_type *type, *actual = NULL;
    bunraku_value *value;
    bunraku_string *text = NULL;
    bunraku_error *error;
    bool answer;
    size_t index;

    for (index = 0; index < COUNT(table); index++) {
        type = type_of(table[index].type);
        value = value_of(table[index].data);
        assert(!bunraku_type_check_instance(type, value, &answer));
        assert(bunraku_type_is_instance(type, value) == answer && answer == !table[index].mismatch);
        error = bunraku_type_mismatch(type, value, TEXT("v"), &text);
        if (table[index].mismatch) {
            expect(error, text, table[index].mismatch);
            assert(!bunraku_type_infer(value, BUNRAKU_INFERENCE_DETAILED, &actual));
            assert(!bunraku_type_is_assignable(type, actual) || strstr(table[index].type, "Pattern"));
            error = bunraku_type_describe_mismatch(type, actual, BUNRAKU_NO_TEXT, &text);
            assert(!error);
            bunraku_string_free(text);
            bunraku_type_free(actual);
        } else {
            assert(!error && !text);
        }
        bunraku_value_free(value);
        bunraku_type_free(type);
    }
    /* A question that has no answer. */
    type = type_of("Init[CatalogEntry]");
    value = value_of("1");
    assert(!bunraku_type_is_instance(type, value));
    refused(bunraku_type_check_instance(type, value, &answer), "Creation of new instance");
    bunraku_value_free(value);
    bunraku_type_free(type);
}

static void inference(void)
{
    static const struct {
        const char *data, *detailed, *reduced, *general;
    } table[] = {
        {"null", "Undef", "Undef", "Undef"},
        {"1", "Integer[1, 1]", "Integer[1, 1]", "Integer"},
        {"1.5", "Float[1.5, 1.5]", "Float[1.5, 1.5]", "Float"},
        {"[1, \"a\"]", "Tuple[Integer[1, 1], String]", "Array[ScalarData, 2, 2]", "Array[ScalarData]"},
        {"{\"a\": [1, 2]}", "Struct[{'a' => Tuple[Integer[1, 1], Integer[2, 2]]}]",
         "Hash[String, Array[Integer[1, 2], 2, 2], 1, 1]", "Hash[String, Array[Integer]]"},
        {"[]", "Array[0, 0]", "Array[0, 0]", "Array[Unit]"},
        {"36893488147419103232", "Integer[36893488147419103232, 36893488147419103232]",
         "Integer[36893488147419103232, 36893488147419103232]", "Integer"},
        {"{\"__ptype\":\"Default\"}", "Default", "Default", "Default"},
        {"{\"__ptype\":\"Sensitive\",\"__pvalue\":1}", "Sensitive[Integer]", "Sensitive[Integer]",
         "Sensitive[Integer]"},
    };
    static const struct {
        const char *one, *other, *common;
    } pairs[] = {
        {"Integer[1, 2]", "Integer[5, 6]", "Integer[1, 6]"},
        {"Integer", "Float", "Numeric"},
        {"Integer", "String", "ScalarData"},
        {"String", "Regexp", "Scalar"},
        {"Array[Integer]", "Array[Float]", "Array[Numeric]"},
        {"Enum[a]", "Enum[b]", "Enum['a', 'b']"},
        {"File['/a']", "File['/b']", "File"},
        {"Runtime[ruby, 'Integer']", "Runtime[ruby, 'Rational']", "Runtime[ruby, 'Numeric']"},
        {"Callable[Integer]", "Callable[String]", "Callable"},
        {"Callable", "Integer", "Any"},
    };
    bunraku_type *type = NULL, *one, *other;
    bunraku_value *value;
    size_t index;

    for (index = 0; index < COUNT(table); index++) {
        value = value_of(table[index].data);
        assert(!bunraku_type_infer(value, BUNRAKU_INFERENCE_DETAILED, &type));
        expect_type(type, table[index].detailed);
        assert(!bunraku_type_infer(value, BUNRAKU_INFERENCE_REDUCED, &type));
        expect_type(type, table[index].reduced);
        assert(!bunraku_type_infer(value, BUNRAKU_INFERENCE_GENERALIZED, &type));
        expect_type(type, table[index].general);
        refused(bunraku_type_infer(value, 3, &type), "bunraku_inference");
        bunraku_value_free(value);
    }
    for (index = 0; index < COUNT(pairs); index++) {
        one = type_of(pairs[index].one);
        other = type_of(pairs[index].other);
        assert(!bunraku_type_common(one, other, &type));
        assert(bunraku_type_is_assignable(type, one) && bunraku_type_is_assignable(type, other));
        expect_type(type, pairs[index].common);
        refused(bunraku_type_common(one, NULL, &type), "b is NULL");
        bunraku_type_free(one);
        bunraku_type_free(other);
    }
}

static void making(void)
{
    static const struct {
        const char *type, *arguments, *text, *words;
    } table[] = {
        {"Integer", "[\"0x1f\", 16]", "31", NULL},
        {"Integer", "[\"x\"]", NULL, "cannot be converted to Integer"},
        {"Float", "[\"1e3\"]", "1000.0", NULL},
        {"Boolean", "[\"yes\"]", "true", NULL},
        {"String", "[[1, null], \"%p\"]", "[1, undef]", NULL},
        {"String", "[1, \"%y\"]", NULL, "Illegal format"},
        {"Array", "[{\"a\": 1}]", "[[a, 1]]", NULL},
        {"Hash", "[[[\"a\", 1]]]", "{a => 1}", NULL},
        {"Timestamp", "[\"2020-01-02\", \"%Y-%m-%d\", \"CET\"]", "2020-01-01T23:00:00.000000000 UTC", NULL},
        {"Timespan", "[90]", "0-00:01:30.0", NULL},
        {"SemVer", "[\"1.2.3\"]", "1.2.3", NULL},
        {"SemVerRange", "[\">=1.0.0 <2.0.0\"]", ">=1.0.0 <2.0.0", NULL},
        {"Binary", "[\"AQI=\"]", "AQI=", NULL},
        {"URI", "[\"http://a/b\"]", "http://a/b", NULL},
        {"Regexp", "[\"a+\"]", "/a+/", NULL},
        {"Type", "[\"Integer[1]\"]", "Integer[1]", NULL},
        {"Tuple[Integer]", "[[\"x\"]]", NULL, "expects"},
        {"CatalogEntry", "[1]", NULL, "Creation of new instance of type 'CatalogEntry' is not supported"},
    };
    bunraku_type *type;
    bunraku_value *arguments, *made = NULL;
    bunraku_string *text = NULL;
    bunraku_error *error;
    size_t index;

    for (index = 0; index < COUNT(table); index++) {
        type = type_of(table[index].type);
        arguments = value_of(table[index].arguments);
        error = bunraku_type_new(type, arguments, NULL, &made);
        if (table[index].words) {
            refused(error, table[index].words);
        } else {
            assert(!error && bunraku_type_is_instance(type, made));
            error = bunraku_value_to_string(made, BUNRAKU_NO_TEXT, &text);
            expect(error, text, table[index].text);
            refused(bunraku_value_to_string(made, TEXT("%"), &text), "not a valid format");
            bunraku_value_free(made);
        }
        refused(bunraku_type_new(type, NULL, NULL, &made), "arguments is NULL");
        bunraku_value_free(arguments);
        bunraku_type_free(type);
    }
    type = type_of("Integer");
    arguments = value_of("1");
    refused(bunraku_type_new(type, arguments, NULL, &made), "no array");
    bunraku_value_free(arguments);
    bunraku_type_free(type);
}

/* Each kind of value as data and as streams, both ways; each stream that ends too early is an error. */
static void values(void)
{
    static const char *const table[] = {
        "null",
        "true",
        "-1",
        "1.5",
        "36893488147419103232",
        "\"a\\\"b\"",
        "[]",
        "{}",
        "[1,[2,[3,{\"a\":null}]]]",
        "{\"__ptype\":\"Default\"}",
        "{\"__ptype\":\"Symbol\",\"__pvalue\":\"x\"}",
        "{\"__ptype\":\"Regexp\",\"__pvalue\":\"a+\"}",
        "{\"__ptype\":\"Binary\",\"__pvalue\":\"AQI=\"}",
        "{\"__ptype\":\"SemVer\",\"__pvalue\":\"1.2.3-rc1\"}",
        "{\"__ptype\":\"SemVerRange\",\"__pvalue\":\"1.x\"}",
        "{\"__ptype\":\"Timespan\",\"__pvalue\":\"1-02:03:04.5\"}",
        "{\"__ptype\":\"Timestamp\",\"__pvalue\":\"2020-01-02T03:04:05.000000000 UTC\"}",
        "{\"__ptype\":\"URI\",\"__pvalue\":\"http://a/b\"}",
        "{\"__ptype\":\"Sensitive\",\"__pvalue\":[1]}",
        "{\"__ptype\":\"Hash\",\"__pvalue\":[1,2,\"__ptype\",{\"__ptype\":\"Default\"}]}",
        "{\"__ptype\":\"Error\",\"msg\":\"m\",\"kind\":\"k\"}",
        "{\"__ptype\":\"Pcore::IntegerType\",\"from\":1}",
        "[[1],{\"__ptype\":\"LocalRef\",\"__pvalue\":\"$[0]\"}]",
    };
    bunraku_value *value, *again = NULL;
    bunraku_string *text = NULL;
    bunraku_bytes *stream = NULL;
    bunraku_error *error;
    bunraku_text bytes;
    size_t index, cut;
    uint32_t format;

    for (index = 0; index < COUNT(table); index++) {
        value = value_of(table[index]);
        error = bunraku_value_to_data(value, BUNRAKU_NO_TEXT, &text);
        expect(error, text, table[index]);
        for (format = BUNRAKU_STREAM_JSON; format <= BUNRAKU_STREAM_MSGPACK; format++) {
            error = bunraku_value_dump(value, format, index % 2 ? TEXT("{\"tabulate\":false}") : TEXT("{}"),
                                       &stream);
            if (error) {
                assert(strstr(table[index], "3689348814741910"));
                bunraku_error_free(error);
                continue;
            }
            bytes = bunraku_bytes_data(stream);
            assert(!bunraku_value_load(bytes, format, NULL, &again));
            assert(bunraku_value_equals(value, again));
            bunraku_value_free(again);
            for (cut = 0; cut < bytes.length; cut++) {
                error = bunraku_value_load((bunraku_text){bytes.data, cut}, format, NULL, &again);
                assert(error);
                bunraku_error_free(error);
            }
            bunraku_bytes_free(stream);
        }
        bunraku_value_free(value);
    }
    value = value_of("{\"a\":[{\"__ptype\":\"Regexp\",\"__pvalue\":\"x\"},{\"__ptype\":\"Default\"}]}");
    {
        bunraku_string *losses = NULL;

        assert(!bunraku_value_to_data_with_losses(
            value, TEXT("{\"rich_data\":false,\"message_prefix\":\"v\"}"), &text, &losses));
        expect(NULL, text, "{\"a\":[\"/x/\",\"default\"]}");
        assert(strstr(bunraku_string_data(losses).data,
                      "\"v['a'][0] contains a Regexp value. It will be converted to the String '/x/'\""));
        assert(strstr(bunraku_string_data(losses).data, "v['a'][1]"));
        bunraku_string_free(losses);
        refused(bunraku_value_to_data_with_losses(value, BUNRAKU_NO_TEXT, &text, NULL), "NULL");
    }
    refused(bunraku_value_to_data(value, TEXT("{\"rich_data\":1}"), &text), "rich_data");
    refused(bunraku_value_to_data(value, TEXT("{"), &text), "JSON");
    refused(bunraku_value_to_data(value, BUNRAKU_NO_TEXT, NULL), "NULL");
    refused(bunraku_value_to_data(NULL, BUNRAKU_NO_TEXT, &text), "value is NULL");
    refused(bunraku_value_dump(NULL, 0, BUNRAKU_NO_TEXT, &stream), "value is NULL");
    refused(bunraku_value_dump(value, 2, BUNRAKU_NO_TEXT, &stream), "bunraku_stream");
    refused(bunraku_value_dump(value, 0, TEXT("{\"tabluate\":false}"), &stream),
            "there is no 'tabluate' in options_json (did you mean 'tabulate'?)");
    refused(bunraku_value_to_string(NULL, BUNRAKU_NO_TEXT, &text), "value is NULL");
    bunraku_value_free(value);
}

/* Data and streams that were damaged, refer to themselves, or are nested without end. */
static void damaged(void)
{
    static const char *const data[] = {
        "[1",
        "{\"a\":}",
        "[1]]",
        "nul",
        "\"\\ud800\"x",
        "[{\"__ptype\":\"LocalRef\",\"__pvalue\":\"$\"}]",
        "{\"a\":[{\"__ptype\":\"LocalRef\",\"__pvalue\":\"$['a']\"}]}",
        "{\"__ptype\":\"Integer[\"}",
        "{\"__ptype\":\"Nowhere\",\"a\":1}",
        "{\"__ptype\":\"Regexp\",\"__pvalue\":\"(\"}",
        "{\"__ptype\":\"SemVer\",\"__pvalue\":\"x\"}",
        "{\"__ptype\":\"Timestamp\",\"__pvalue\":\"x\"}",
        "{\"__ptype\":\"Pcore::IntegerType\",\"from\":3,\"to\":1}",
        "{\"__ptype\":\"Pcore::NowhereType\"}",
    };
    static const char *const streams[] = {
        "",
        "[",
        "[[16]]",
        "[[16,3,1]]",
        "[[16,9223372036854775807]]",
        "[[17,1,\"a\"]]",
        "[[48]]",
        "[[99,1]]",
        "[[48,\"(\"]]",
        "{}",
        "[[53,\"x\"]]",
    };
    bunraku_value *value = NULL;
    bunraku_error *error;
    uint32_t random = 12345, format;
    uint8_t noise[64];
    size_t index, round;
    char *deep = malloc(1000000);

    for (index = 0; index < COUNT(data); index++) {
        error = bunraku_value_from_data(bunraku_text_of(data[index]), NULL, false, &value);
        if (!error) {
            fprintf(stderr, "taken: %s\n", data[index]);
        }
        assert(error && !value);
        bunraku_error_free(error);
    }
    for (index = 0; index < COUNT(streams); index++) {
        error = bunraku_value_load(bunraku_text_of(streams[index]), BUNRAKU_STREAM_JSON, NULL, &value);
        if (!error) {
            fprintf(stderr, "taken: %s\n", streams[index]);
        }
        assert(error && !value);
        bunraku_error_free(error);
    }
    assert(deep);
    memset(deep, '[', 1000000);
    error = bunraku_value_from_data((bunraku_text){deep, 1000000}, NULL, false, &value);
    assert(error && !value);
    bunraku_error_free(error);
    error = bunraku_value_from_json((bunraku_text){deep, 1000000}, &value);
    assert(error && !value);
    bunraku_error_free(error);
    error = bunraku_value_load((bunraku_text){deep, 1000000}, BUNRAKU_STREAM_JSON, NULL, &value);
    assert(error && !value);
    bunraku_error_free(error);
    memset(deep, 0x91, 1000000);
    error = bunraku_value_load((bunraku_text){deep, 1000000}, BUNRAKU_STREAM_MSGPACK, NULL, &value);
    assert(error && !value);
    bunraku_error_free(error);
    free(deep);
    for (round = 0; round < 500; round++) {
        for (index = 0; index < sizeof noise; index++) {
            random = random * 1664525 + 1013904223;
            noise[index] = (uint8_t)(random >> 24);
        }
        for (format = BUNRAKU_STREAM_JSON; format <= BUNRAKU_STREAM_MSGPACK; format++) {
            error =
                bunraku_value_load((bunraku_text){(const char *)noise, sizeof noise}, format, NULL, &value);
            bunraku_error_free(error);
            if (!error) {
                bunraku_value_free(value);
            }
            value = NULL;
        }
    }
    refused(bunraku_value_load((bunraku_text){NULL, 1}, BUNRAKU_STREAM_MSGPACK, NULL, &value),
            "stream is NULL");
    refused(bunraku_value_load(BUNRAKU_NO_TEXT, 5, NULL, &value), "bunraku_stream");
    refused(bunraku_value_from_data((bunraku_text){NULL, 1}, NULL, false, &value), "json is NULL");
    refused(bunraku_value_from_json(TEXT("\"\xff\""), &value), "UTF-8");
    refused(bunraku_value_from_json(TEXT("1"), NULL), "NULL");
    bunraku_value_free(NULL);
    bunraku_type_free(NULL);
}

int main(void)
{
    types();
    wrong_types();
    instances();
    inference();
    making();
    values();
    damaged();
    puts("pcore: ok");
    return 0;
}
