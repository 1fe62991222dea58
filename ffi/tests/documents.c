/* Catalogs as documents: written, read back, checked and converted. */
#include <bunraku.h>

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define TEXT(literal) literal, sizeof(literal) - 1

static const char submission[] =
    "{\"producer\": \"puppet.example.net\", \"producer_timestamp\": \"2024-02-29T12:00:00.000Z\", \"transaction_uuid\": \"0c44\"}";

static const char *const forms[] = {"agent",      "agent:msgpack", "puppetdb:1", "puppetdb:1-api", "puppetdb:4", "puppetdb:5",
                                    "puppetdb:6", "puppetdb:7",    "puppetdb:8", "puppetdb:9"};

static void sound(const char *data, size_t length, const char *form)
{
    bunraku_string *found = NULL;
    bunraku_error *error = bunraku_catalog_validate(data, length, form, strlen(form), NULL, &found);

    assert(!error);
    if (strcmp(bunraku_string_data(found, NULL), "[]") != 0) {
        printf("%s: %s\n", form, bunraku_string_data(found, NULL));
    }
    assert(strcmp(bunraku_string_data(found, NULL), "[]") == 0);
    bunraku_string_free(found);
}

static void written_and_read(const bunraku_catalog *catalog)
{
    for (size_t number = 0; number < sizeof forms / sizeof *forms; number++) {
        const char *form = forms[number];
        bunraku_string *document = NULL, *again = NULL;
        bunraku_catalog *read = NULL;
        size_t length, other_length;

        bunraku_error *error = bunraku_catalog_write(catalog, form, strlen(form), TEXT(submission), &document);
        assert(!error);
        const char *data = bunraku_string_data(document, &length);
        sound(data, length, form);

        /* To its own form, a document is converted into itself. */
        error = bunraku_catalog_convert(data, length, form, strlen(form), form, strlen(form), NULL, 0, NULL, &again);
        assert(!error);
        assert(memcmp(bunraku_string_data(again, &other_length), data, length) == 0 && length == other_length);
        bunraku_string_free(again);

        error = bunraku_catalog_read(data, length, form, strlen(form), NULL, &read);
        if (number < 2) {
            assert(!error && bunraku_catalog_resource_count(read) == bunraku_catalog_resource_count(catalog));
            bunraku_catalog_free(read);
        } else {
            assert(error && strstr(bunraku_error_message(error, NULL), "does not say all"));
            bunraku_error_free(error);
        }
        bunraku_string_free(document);
    }
}

static void violations(void)
{
    static const char document[] = "{\"name\": \"a\", \"resources\": [{\"type\": \"File\", \"title\": 1, \"title\": 2}], \"edges\": 3}";
    bunraku_string *found = NULL, *document_9 = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_error *error;

    error = bunraku_catalog_validate(TEXT(document), TEXT("agent"), NULL, &found);
    assert(!error && strcmp(bunraku_string_data(found, NULL),
                            "[{\"path\":\"$.resources[0].title\",\"message\":\"the key stands twice\"}]") == 0);
    bunraku_string_free(found);
    error = bunraku_catalog_read(TEXT("[]"), TEXT("agent"), NULL, &catalog);
    assert(error && strstr(bunraku_error_message(error, NULL), "$: expected an object, got an array"));
    bunraku_error_free(error);
    error = bunraku_catalog_convert(TEXT("{\"name\": \"a\"}"), TEXT("agent"), TEXT("puppetdb:9"), NULL, 0, NULL, &document_9);
    assert(error && strstr(bunraku_error_message(error, NULL), "\"producer_timestamp\", which is not given"));
    bunraku_error_free(error);
    error = bunraku_catalog_validate(TEXT("{}"), TEXT("puppetdb:3"), NULL, &found);
    assert(error && strstr(bunraku_error_message(error, NULL), "no version 3"));
    bunraku_error_free(error);
}

/* What another node exports, as a host tells it. */
static bool exported(void *data, const char *node, size_t node_length, const char *type, size_t type_length, bunraku_sink *sink)
{
    static const char list[] = "[{\"certname\": \"other\", \"type\": \"Notify\", \"title\": \"from afar\", \"parameters\": "
                               "{\"message\": \"hello\"}, \"tags\": [\"a\"]}]";

    (void)data;
    assert(node_length == 1 && *node == 'n' && type_length == 6 && memcmp(type, "Notify", 6) == 0);
    bunraku_sink_write(sink, TEXT(list));
    return true;
}

static void collected(const char *environments)
{
    bunraku_host host = {.exported_resources = exported};
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_error *error = bunraku_environment_load(environments, strlen(environments), TEXT("production"),
        TEXT("{\"code\": \"Notify <<| tag == a |>>\", \"settings\": {\"storeconfigs\": true}}"), &host, &environment);

    assert(!error);
    error = bunraku_environment_compile(environment, TEXT("n"), NULL, 0, NULL, 0, &catalog);
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

    error = bunraku_environment_load(environments, strlen(environments), TEXT("production"), TEXT("{\"code\": \""
        "file { '/etc/motd': content => 'hello', mode => '0644' } package { 'a': name => 'b', before => File['/etc/motd'] }\"}"),
        NULL, &environment);
    assert(!error);
    error = bunraku_environment_compile(environment, TEXT("web01.example.net"), NULL, 0, NULL, 0, &catalog);
    assert(!error);
    written_and_read(catalog);
    violations();
    collected(environments);
    bunraku_catalog_free(catalog);
    bunraku_environment_free(environment);
    return 0;
}
