/* Callbacks: on which thread and stack they come, what they may call, how they fail, and how the struct
 * grows. */
#define _GNU_SOURCE /* pthread_getattr_np */
#include <bunraku.h>

#include <pthread.h>

#undef NDEBUG
#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define TEXT BUNRAKU_TEXT
#define THREADS 4

static bool is(bunraku_text text, const char *wanted)
{
    assert(!text.data[text.length]);
    return text.length == strlen(wanted) && memcmp(text.data, wanted, text.length) == 0;
}

/* What the callbacks of a thread find. */
struct seen {
    pthread_t thread;
    const char *stack;
    size_t stack_size, calls, logged;
    uint64_t steps;
};

/* Notes that a callback came, and holds it to the thread and the stack of whoever called the library. */
static void note(struct seen *seen)
{
    const char here = 0;

    assert(pthread_equal(seen->thread, pthread_self()));
    assert(&here > seen->stack && &here < seen->stack + seen->stack_size);
    seen->calls++;
}

static void begin(struct seen *seen)
{
    pthread_attr_t attributes;
    void *stack;

    memset(seen, 0, sizeof *seen);
    seen->thread = pthread_self();
    assert(!pthread_getattr_np(seen->thread, &attributes));
    assert(!pthread_attr_getstack(&attributes, &stack, &seen->stack_size));
    assert(!pthread_attr_destroy(&attributes));
    seen->stack = stack;
}

static bool read_file(void *data, bunraku_text path, bunraku_sink *sink)
{
    note(data);
    if (path.length > 8 && memcmp(path.data + path.length - 8, "/site.pp", 8) == 0) {
        bunraku_sink_write(
            sink, TEXT("[1, 2].each |$n| { notice(deep($n) |$x| { deep($x + 1) |$y| { $y * 2 } }) }\n"
                       "if $facts['damaged'] { notice(file('/damaged')) }\n"
                       "if $facts['refused'] { refused() }\n"
                       "if $facts['long'] { Integer[1, 1000000].each |$n| { $n + 1 } }\n"));
        return true;
    }
    if (is(path, "/damaged")) {
        bunraku_sink_write(sink, TEXT("the medium is damaged"));
    }
    return false;
}

static bool file_info(void *data, bunraku_text path, bunraku_file_info *info)
{
    note(data);
    info->is_directory = is(path, "/e/production") || is(path, "/e/production/manifests");
    return info->is_directory ||
           (path.length > 8 && memcmp(path.data + path.length - 8, "/site.pp", 8) == 0) ||
           is(path, "/damaged");
}

static bool list_directory(void *data, bunraku_text path, bunraku_sink *sink)
{
    note(data);
    if (is(path, "/e/production/manifests")) {
        bunraku_sink_add(sink, TEXT("site.pp"));
        return true;
    }
    return false;
}

static bool find_function(void *data, bunraku_text name, bunraku_sink *sink)
{
    note(data);
    if (is(name, "deep")) {
        bunraku_sink_add(sink, TEXT("Callable[Integer, Callable[Integer]]"));
        return true;
    }
    if (is(name, "refused")) {
        bunraku_sink_write(sink, TEXT("nobody may call this"));
    }
    return false;
}

static bool call_function(void *data, bunraku_text name, size_t signature, bunraku_text arguments,
                          bunraku_call *call, bunraku_sink *sink)
{
    (void)name;
    assert(signature == 0);
    note(data);
    /* Messages come when they are said: before this second round. */
    assert(!is(arguments, "[3]") || ((struct seen *)data)->logged % 2 == 1);
    bunraku_string *result = NULL;
    bunraku_error *error = bunraku_call_block(call, arguments, &result);

    assert(bunraku_call_has_block(call));
    if (error) {
        bunraku_error_free(error);
        return false;
    }
    bunraku_sink_write(sink, bunraku_string_data(result));
    bunraku_string_free(result);
    return true;
}

static void log_entry(void *data, bunraku_text entry)
{
    struct seen *seen = data;

    note(seen);
    seen->logged += strstr(entry.data, "\"message\":\"4\"") || strstr(entry.data, "\"message\":\"6\"");
}

static bool progress(void *data, uint64_t steps)
{
    struct seen *seen = data;

    note(seen);
    seen->steps = steps;
    return steps < 100000;
}

static bunraku_environment *load(struct seen *seen)
{
    bunraku_host host = {
        .size = sizeof host,
        .data = seen,
        .read_file = read_file,
        .file_info = file_info,
        .list_directory = list_directory,
        .find_function = find_function,
        .call_function = call_function,
        .log = log_entry,
        .progress = progress,
    };
    bunraku_text directory = TEXT("/e");
    bunraku_environment *environment = NULL;
    bunraku_error *error =
        bunraku_environment_load(&directory, 1, TEXT("production"), BUNRAKU_NO_TEXT, &host, &environment);

    if (error) {
        fprintf(stderr, "%s\n", bunraku_error_message(error).data);
    }
    assert(!error);
    return environment;
}

static void *compile(void *unused)
{
    struct seen seen;
    bunraku_environment *environment;

    (void)unused;
    begin(&seen);
    environment = load(&seen);
    for (int round = 0; round < 20; round++) {
        bunraku_catalog *catalog = NULL;
        bunraku_error *error = bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT,
                                                           BUNRAKU_NO_TEXT, NULL, &catalog);

        if (error) {
            fprintf(stderr, "%s\n", bunraku_error_message(error).data);
        }
        assert(!error);
        bunraku_catalog_free(catalog);
    }
    assert(seen.logged == 40 && seen.calls > 100);
    bunraku_environment_free(environment);
    return NULL;
}

/* What a callback writes before it returns false is the reason. */
static void failures(void)
{
    static const struct {
        const char *facts, *message;
        uint32_t kind;
    } table[] = {
        {"{\"damaged\":true}", "the medium is damaged", BUNRAKU_FAILURE_EVALUATION},
        {"{\"refused\":true}", "nobody may call this", BUNRAKU_FAILURE_EVALUATION},
        {"{\"long\":true}", "The host has ended the work", BUNRAKU_FAILURE_CANCELLED},
    };
    struct seen seen;
    bunraku_environment *environment;

    begin(&seen);
    environment = load(&seen);
    for (size_t index = 0; index < sizeof table / sizeof *table; index++) {
        bunraku_catalog *catalog = NULL;
        bunraku_error *error = bunraku_environment_compile(
            environment, TEXT("n"), bunraku_text_of(table[index].facts), BUNRAKU_NO_TEXT, NULL, &catalog);

        assert(error && !catalog);
        if (!strstr(bunraku_error_message(error).data, table[index].message)) {
            fprintf(stderr, "%s\n", bunraku_error_message(error).data);
        }
        assert(strstr(bunraku_error_message(error).data, table[index].message));
        assert(bunraku_error_kind(error) == table[index].kind);
        bunraku_error_free(error);
    }
    assert(seen.steps >= 100000 && seen.steps < 110000);
    bunraku_environment_free(environment);
}

/* A host of an older header is shorter, one of a newer header longer. */
static void sizes(void)
{
    struct {
        bunraku_host host;
        void (*newer)(void);
    } longer = {.host = {.size = sizeof longer}};
    bunraku_host host = {.size = offsetof(bunraku_host, random)};
    bunraku_environment *environment = NULL;
    bunraku_error *error;

    assert(!bunraku_environment_load(NULL, 0, TEXT("production"), TEXT("{\"code\":\"\",\"modulepath\":[]}"),
                                     &host, &environment));
    bunraku_environment_free(environment);
    assert(!bunraku_environment_load(NULL, 0, TEXT("production"), TEXT("{\"code\":\"\",\"modulepath\":[]}"),
                                     &longer.host, &environment));
    bunraku_environment_free(environment);
    longer.newer = sizes;
    error =
        bunraku_environment_load(NULL, 0, TEXT("production"), BUNRAKU_NO_TEXT, &longer.host, &environment);
    assert(error && bunraku_error_kind(error) == BUNRAKU_FAILURE_ARGUMENT);
    assert(strstr(bunraku_error_message(error).data, "does not know"));
    bunraku_error_free(error);
    host.size = 0;
    error = bunraku_environment_load(NULL, 0, TEXT("production"), BUNRAKU_NO_TEXT, &host, &environment);
    assert(error && strstr(bunraku_error_message(error).data, "sizeof"));
    bunraku_error_free(error);
    assert(bunraku_abi_version() == BUNRAKU_ABI_VERSION);
    assert(strcmp(bunraku_features(), "check classifier documentation eyaml lint modules report ruby tasks") == 0);
}

/* The text of the only manifest of the host below. */
static const char *manifest;

static bool read_manifest(void *data, bunraku_text path, bunraku_sink *sink)
{
    (void)data;
    if (!manifest || !is(path, "/e/production/manifests/site.pp")) {
        return false;
    }
    bunraku_sink_write(sink, bunraku_text_of(manifest));
    return true;
}

static bool contains(const bunraku_index *index, bunraku_text path, const char *part)
{
    bunraku_string *json = NULL;

    assert(!bunraku_index_json(index, path, &json));
    bool found = strstr(bunraku_string_data(json).data, part) != NULL;
    bunraku_string_free(json);
    return found;
}

/* An index reads again only what it is told to. */
static void indexed(void)
{
    struct seen seen;
    bunraku_host host = {.size = sizeof host,
                         .data = &seen,
                         .read_file = read_manifest,
                         .file_info = file_info,
                         .list_directory = list_directory};
    bunraku_text directory = TEXT("/e"), path = TEXT("/e/production/manifests/site.pp");
    bunraku_environment *environment = NULL;
    bunraku_index *index = NULL;
    bunraku_string *text = NULL;
    bunraku_error *error = NULL;

    begin(&seen);
    manifest = "class first {}";
    assert(
        !bunraku_environment_load(&directory, 1, TEXT("production"), BUNRAKU_NO_TEXT, &host, &environment));
    assert(!bunraku_index_new(environment, &index));
    assert(contains(index, BUNRAKU_NO_TEXT, "\"name\":\"first\""));
    assert(contains(index, path, "\"name\":\"first\""));
    manifest = "class second {}";
    assert(contains(index, path, "\"name\":\"first\""));
    assert(!bunraku_index_renew(index, path));
    assert(contains(index, path, "\"name\":\"second\""));
    assert(!contains(index, BUNRAKU_NO_TEXT, "\"name\":\"first\""));
    manifest = "class second { include missing }";
    assert(!bunraku_index_renew(index, path));
    error = bunraku_index_check_json(
        index, TEXT("{\"paths\":[\"/e/production/manifests/site.pp\"]}"), &text);
    assert(!error && strstr(bunraku_string_data(text).data, "\"code\":\"missing-module\""));
    bunraku_string_free(text);
    manifest = "class second {}";
    assert(!bunraku_index_renew(index, path));
    error = bunraku_index_check_json(
        index, TEXT("{\"paths\":[\"/e/production/manifests/site.pp\"]}"), &text);
    assert(!error && !strcmp(bunraku_string_data(text).data, "[]"));
    bunraku_string_free(text);
    error = bunraku_index_check_json(index, TEXT("{\"paths\":1}"), &text);
    assert(error && !strcmp(bunraku_error_message(error).data, "'paths' is no list of texts"));
    bunraku_error_free(error);
    error = bunraku_index_rename_json(
        index, TEXT("{\"kind\":\"class\",\"from\":\"second\",\"to\":\"third\"}"), &text);
    assert(!error && strstr(bunraku_string_data(text).data, "\"text\":\"class third {}\""));
    bunraku_string_free(text);
    error = bunraku_index_rename_json(
        index, TEXT("{\"kind\":\"class\",\"from\":\"other\",\"to\":\"third\"}"), &text);
    assert(error && !strcmp(bunraku_error_message(error).data, "there is no class 'other'"));
    bunraku_error_free(error);
    manifest = NULL;
    assert(!bunraku_index_renew(index, path));
    assert(!contains(index, BUNRAKU_NO_TEXT, "\"name\""));
    assert(!bunraku_index_renew(index, TEXT("/elsewhere")));
    bunraku_index_free(index);
    bunraku_environment_free(environment);
}

static bool search_resources(void *data, bunraku_text query, bunraku_sink *sink)
{
    note(data);
    assert(strstr(query.data, "\"node\":\"n\"") && strstr(query.data, "\"type\":\"Notify\""));
    assert(strstr(query.data, "[\"title\",\"==\",\"theirs\"]"));
    bunraku_sink_write(sink, TEXT("[{\"certname\": \"o\", \"type\": \"Notify\", \"title\": \"theirs\"}]"));
    return true;
}

/* The callbacks of a thread come before those of an environment, which other threads share. */
static void attached(void)
{
    struct seen seen;
    bunraku_host none = {.size = sizeof none};
    bunraku_host host = {.size = sizeof host, .data = &seen, .search_resources = search_resources};
    bunraku_environment *environment = NULL;
    bunraku_text options = TEXT("{\"modulepath\": [], \"settings\": {\"storeconfigs\": true},"
                                " \"code\": \"Notify <<| title == theirs |>>\"}");

    assert(!bunraku_environment_load(NULL, 0, TEXT("production"), options, &none, &environment));
    for (int round = 0; round < 3; round++) {
        bunraku_catalog *catalog = NULL;
        const bunraku_resource *found;

        begin(&seen);
        assert(!bunraku_host_attach(round == 1 ? &host : NULL));
        assert(!bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, NULL,
                                            &catalog));
        found = bunraku_catalog_find(catalog, TEXT("Notify[theirs]"));
        assert((found != NULL) == (round == 1) && (seen.calls > 0) == (round == 1));
        bunraku_string *resources = NULL, *edges = NULL, *outline = NULL;

        assert(!bunraku_catalog_body(catalog, true, &resources, &edges));
        assert(!strstr(bunraku_string_data(resources).data, "theirs") == (round != 1));
        assert(strstr(bunraku_string_data(edges).data, "{\"source\":\"Stage[main]\""));
        assert(!bunraku_catalog_outline_json(catalog, &outline));
        assert(!strstr(bunraku_string_data(outline).data, "[\"Notify\",\"compilable_type\"]") ==
               (round != 1));
        assert(strstr(bunraku_string_data(outline).data, "\"rich\":[]"));
        bunraku_string_free(resources);
        bunraku_string_free(edges);
        bunraku_string_free(outline);
        bunraku_catalog_free(catalog);
    }
    host.size = 1;
    bunraku_error *error = bunraku_host_attach(&host);
    assert(error);
    bunraku_error_free(error);
    bunraku_environment_free(environment);
}

int main(void)
{
    pthread_t threads[THREADS];

    sizes();
    failures();
    indexed();
    compile(NULL);
    for (int index = 0; index < THREADS; index++) {
        assert(!pthread_create(&threads[index], NULL, compile, NULL));
    }
    for (int index = 0; index < THREADS; index++) {
        assert(!pthread_join(threads[index], NULL));
    }
    puts("callbacks: ok");
    attached();
    return 0;
}
