/* Catalogs as documents: written, read back, checked and converted. */
#include <bunraku.h>

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define TEXT BUNRAKU_TEXT

static const char submission[] =
    "{\"producer\": \"puppet.example.net\", \"producer_timestamp\": \"2024-02-29T12:00:00.000Z\", "
    "\"transaction_uuid\": \"6ba7b810-9dad-41d1-80b4-00c04fd430c8\"}";

static const char *const forms[] = {"agent",      "agent:msgpack", "puppetdb:1", "puppetdb:1-api",
                                    "puppetdb:4", "puppetdb:5",    "puppetdb:6", "puppetdb:7",
                                    "puppetdb:8", "puppetdb:9"};

static void sound(bunraku_text document, const char *form)
{
    bunraku_string *found = NULL;
    bunraku_error *error = bunraku_catalog_validate(document, bunraku_text_of(form), NULL, &found);

    assert(!error);
    if (strcmp(bunraku_string_data(found).data, "[]") != 0) {
        printf("%s: %s\n", form, bunraku_string_data(found).data);
    }
    assert(strcmp(bunraku_string_data(found).data, "[]") == 0);
    bunraku_string_free(found);
}

static void written_and_read(const bunraku_catalog *catalog)
{
    for (size_t number = 0; number < sizeof forms / sizeof *forms; number++) {
        const char *form = forms[number];
        bunraku_string *document = NULL, *again = NULL;
        bunraku_catalog *read = NULL;

        bunraku_error *error =
            bunraku_catalog_write(catalog, bunraku_text_of(form), bunraku_text_of(submission), &document);
        assert(!error);
        bunraku_text data = bunraku_string_data(document), written;
        sound(data, form);

        /* To its own form, a document is converted into itself. */
        error = bunraku_catalog_convert(data, bunraku_text_of(form), bunraku_text_of(form), BUNRAKU_NO_TEXT,
                                        NULL, &again);
        assert(!error);
        written = bunraku_string_data(again);
        assert(written.length == data.length && memcmp(written.data, data.data, data.length) == 0);
        bunraku_string_free(again);

        error = bunraku_catalog_read(data, bunraku_text_of(form), NULL, &read);
        if (number < 2) {
            assert(!error && bunraku_catalog_resource_count(read) == bunraku_catalog_resource_count(catalog));
            bunraku_catalog_free(read);
        } else {
            assert(error && strstr(bunraku_error_message(error).data, "does not say all"));
            bunraku_error_free(error);
        }
        bunraku_string_free(document);
    }
}

static void tell_time(void *data, int64_t *seconds, uint32_t *nanoseconds)
{
    (void)data;
    *seconds = 1709208000;
    *nanoseconds = 5000000;
}

static bool sevens(void *data, uint8_t *bytes, size_t length)
{
    (void)data;
    memset(bytes, 7, length);
    return true;
}

/* Compiles with a request and gives the payload for PuppetDB. */
static bunraku_string *payload(const bunraku_environment *environment, const char *request)
{
    bunraku_catalog *catalog = NULL;
    bunraku_string *document = NULL;

    assert(!bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT, bunraku_text_of(request),
                                        NULL, &catalog));
    assert(!bunraku_catalog_write(catalog, TEXT("puppetdb:9"), BUNRAKU_NO_TEXT, &document));
    assert(strstr(bunraku_catalog_identity_json(catalog).data, "\"catalog_uuid\":\""));
    bunraku_catalog_free(catalog);
    return document;
}

/* What a catalog is known by comes from the request, from a seed or from the host. */
static void identity(const char *environments)
{
    static const char known[] =
        "{\"catalog_uuid\": \"6f1d8f1c-2a3b-4c5d-8e9f-001122334455\", \"code_id\": \"r7\", \"job_id\": "
        "\"42\", "
        "\"transaction_uuid\": \"0c44b1a6-7b3c-4a64-8a7b-0f1e2d3c4b5a\", \"producer\": \"server\"}";
    static const char options[] = "{\"modulepath\": [], \"code\": \"notify { 'a': }\"}";
    bunraku_host host = {.size = sizeof host, .now = tell_time, .random = sevens};
    bunraku_environment *environment = NULL, *hosted = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_string *first, *second;
    bunraku_error *error;

    assert(!bunraku_environment_load((bunraku_text[]){bunraku_text_of(environments)}, 1, TEXT("production"),
                                     bunraku_text_of(options), NULL, &environment));
    first = payload(environment, known);
    assert(
        strstr(bunraku_string_data(first).data, "\"catalog_uuid\":\"6f1d8f1c-2a3b-4c5d-8e9f-001122334455\""));
    assert(strstr(bunraku_string_data(first).data, "\"code_id\":\"r7\"") &&
           strstr(bunraku_string_data(first).data, "\"job_id\":\"42\""));
    assert(strstr(bunraku_string_data(first).data,
                  "\"transaction_uuid\":\"0c44b1a6-7b3c-4a64-8a7b-0f1e2d3c4b5a\""));
    bunraku_string_free(first);

    first = payload(environment, "{\"seed\": 1, \"time\": \"2024-02-29T12:00:00Z\"}");
    second = payload(environment, "{\"seed\": 1, \"time\": 1709208000}");
    assert(strcmp(bunraku_string_data(first).data, bunraku_string_data(second).data) == 0);
    assert(strstr(bunraku_string_data(first).data, "\"producer_timestamp\":\"2024-02-29T12:00:00.000Z\""));
    bunraku_string_free(second);
    second = payload(environment, "{}");
    assert(strcmp(bunraku_string_data(first).data, bunraku_string_data(second).data) != 0);
    bunraku_string_free(first);
    bunraku_string_free(second);

    error = bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT,
                                        TEXT("{\"transaction_uuid\": \"x\"}"), NULL, &catalog);
    assert(error && strstr(bunraku_error_message(error).data, "'transaction_uuid' must be a UUID"));
    bunraku_error_free(error);
    bunraku_environment_free(environment);

    assert(!bunraku_environment_load((bunraku_text[]){bunraku_text_of(environments)}, 1, TEXT("production"),
                                     bunraku_text_of(options), &host, &hosted));
    first = payload(hosted, "{}");
    second = payload(hosted, "{}");
    assert(strcmp(bunraku_string_data(first).data, bunraku_string_data(second).data) == 0);
    assert(strstr(bunraku_string_data(first).data, "\"producer_timestamp\":\"2024-02-29T12:00:00.005Z\""));
    bunraku_string_free(first);
    bunraku_string_free(second);
    bunraku_environment_free(hosted);
}

static void violations(void)
{
    static const char document[] =
        "{\"name\": \"a\", \"resources\": [{\"type\": \"File\", \"title\": 1, \"title\": 2}], \"edges\": 3}";
    bunraku_string *found = NULL, *document_9 = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_error *error;

    error = bunraku_catalog_validate(bunraku_text_of(document), TEXT("agent"), NULL, &found);
    assert(!error &&
           strcmp(bunraku_string_data(found).data,
                  "[{\"path\":\"$.resources[0].title\",\"message\":\"the key stands twice\"}]") == 0);
    bunraku_string_free(found);
    error = bunraku_catalog_read(TEXT("[]"), TEXT("agent"), NULL, &catalog);
    assert(error && strstr(bunraku_error_message(error).data, "$: expected an object, got an array"));
    bunraku_error_free(error);
    error = bunraku_catalog_convert(TEXT("{\"name\": \"a\"}"), TEXT("agent"), TEXT("puppetdb:9"),
                                    BUNRAKU_NO_TEXT, NULL, &document_9);
    assert(error && strstr(bunraku_error_message(error).data, "\"producer_timestamp\", which is not given"));
    bunraku_error_free(error);
    error = bunraku_catalog_validate(TEXT("{}"), TEXT("puppetdb:3"), NULL, &found);
    assert(error && strstr(bunraku_error_message(error).data, "no version 3"));
    bunraku_error_free(error);

    /* An attached switch ends what its thread does, until it is taken away. */
    bunraku_cancel *cancel = bunraku_cancel_new();
    bunraku_cancel_set(cancel);
    assert(!bunraku_cancel_attach(cancel));
    bunraku_cancel_free(cancel);
    error = bunraku_catalog_validate(bunraku_text_of(document), TEXT("agent"), NULL, &found);
    assert(error && bunraku_error_kind(error) == BUNRAKU_FAILURE_CANCELLED);
    assert(strcmp(bunraku_error_kind_name(error), "cancelled") == 0);
    assert(strstr(bunraku_error_message(error).data, "The work was cancelled"));
    bunraku_error_free(error);
    bunraku_environment *environment = NULL;
    error =
        bunraku_environment_load(NULL, 0, TEXT("production"),
                                 TEXT("{\"modulepath\": [], \"code\": \"notice(1)\"}"), NULL, &environment);
    assert(error && !environment && bunraku_error_kind(error) == BUNRAKU_FAILURE_CANCELLED);
    bunraku_error_free(error);
    assert(!bunraku_cancel_attach(NULL));
    assert(!bunraku_catalog_validate(bunraku_text_of(document), TEXT("agent"), NULL, &found));
    bunraku_string_free(found);
}

/* What another node exports, as a host tells it. */
static bool exported(void *data, bunraku_text node, bunraku_text type, bunraku_sink *sink)
{
    static const char list[] =
        "[{\"certname\": \"other\", \"type\": \"Notify\", \"title\": \"from afar\", \"parameters\": "
        "{\"message\": \"hello\"}, \"tags\": [\"a\"]}]";

    (void)data;
    assert(node.length == 1 && *node.data == 'n' && type.length == 6 && memcmp(type.data, "Notify", 6) == 0);
    bunraku_sink_write(sink, bunraku_text_of(list));
    return true;
}

static void collected(const char *environments)
{
    bunraku_host host = {.size = sizeof host, .exported_resources = exported};
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_error *error = bunraku_environment_load(
        (bunraku_text[]){bunraku_text_of(environments)}, 1, TEXT("production"),
        TEXT("{\"code\": \"Notify <<| tag == a |>>\", \"settings\": {\"storeconfigs\": true}}"), &host,
        &environment);

    assert(!error);
    error =
        bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, NULL, &catalog);
    assert(!error && bunraku_catalog_find(catalog, TEXT("Notify[from afar]")));
    bunraku_catalog_free(catalog);
    bunraku_environment_free(environment);
}

int main(int count, char **arguments)
{
    const char *environments = count > 1 ? arguments[1] : "tests/example/environments";
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_error *error;

    error = bunraku_environment_load((bunraku_text[]){bunraku_text_of(environments)}, 1, TEXT("production"),
                                     TEXT("{\"code\": \""
                                          "file { '/etc/motd': content => 'hello', mode => '0644' } package "
                                          "{ 'a': name => 'b', before => File['/etc/motd'] }\"}"),
                                     NULL, &environment);
    assert(!error);
    error = bunraku_environment_compile(environment, TEXT("web01.example.net"), BUNRAKU_NO_TEXT,
                                        BUNRAKU_NO_TEXT, NULL, &catalog);
    assert(!error);
    written_and_read(catalog);
    identity(environments);
    violations();
    collected(environments);
    bunraku_catalog_free(catalog);
    bunraku_environment_free(environment);
    return 0;
}
