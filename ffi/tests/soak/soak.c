/* Many compilations with callbacks in many threads, for valgrind and sanitizers:
 *
 *     soak COMPILATIONS [THREADS]
 *
 * All threads share one environment, whose functions, log and progress are callbacks. What comes out is held
 * to what it must be, whichever way a compilation ends: well, by a failure of a manifest, by one of a
 * callback, by a limit, or because the host ends it. */
#include <bunraku.h>

#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT BUNRAKU_TEXT

static const char CODE[] =
    "class base(Hash $users = lookup('users', default_value => { 'a' => 1, 'b' => 2 })) {\n"
    "  $users.each |$name, $number| {\n"
    "    $twice = site::apply($number) |$n| { $n * 2 }\n"
    "    file { \"/home/${name}\": content => Sensitive(\"${name} ${twice}\"), tag => [$name] }\n"
    "  }\n"
    "  notice(inline_epp('<%= $users.size %> users'))\n"
    "}\n"
    "include base\n"
    "case $facts['way'] {\n"
    "  'fail': { fail('as wanted') }\n"
    "  'refuse': { site::apply(-1) |$n| { $n } }\n"
    "  'long': { Integer[1, 1000000].each |$n| { $n + 1 } }\n"
    "  default: { File['/home/a'] -> File['/home/b'] }\n"
    "}\n";

/* What can become of a compilation. */
static const struct {
    const char *facts, *request, *message;
    uint32_t kind;
} WAYS[] = {
    {"{\"way\":\"well\"}", NULL, NULL, BUNRAKU_FAILURE_NONE},
    {"{\"way\":\"fail\"}", NULL, "as wanted", BUNRAKU_FAILURE_EVALUATION},
    {"{\"way\":\"refuse\"}", NULL, "no negative numbers", BUNRAKU_FAILURE_EVALUATION},
    {"{\"way\":\"long\"}", NULL, "The host has ended the work", BUNRAKU_FAILURE_CANCELLED},
    {"{\"way\":\"long\"}", "{\"limits\":{\"steps\":2000}}", "More than 2000 steps", BUNRAKU_FAILURE_LIMIT},
};
#define WAY_COUNT (sizeof WAYS / sizeof *WAYS)

static bunraku_environment *environment;
static atomic_long left;
static atomic_ulong called, logged;

static bool find_function(void *data, bunraku_text name, bunraku_sink *sink)
{
    (void)data;
    if (name.length == strlen("site::apply") && memcmp(name.data, "site::apply", name.length) == 0) {
        bunraku_sink_add(sink, TEXT("Callable[Integer, Callable[Integer]]"));
        return true;
    }
    return false;
}

static bool call_function(void *data, bunraku_text name, size_t signature, bunraku_text arguments,
                          bunraku_call *call, bunraku_sink *sink)
{
    bunraku_string *result = NULL;
    bunraku_error *error;

    (void)data, (void)name, (void)signature;
    atomic_fetch_add(&called, 1);
    if (strcmp(arguments.data, "[-1]") == 0) {
        bunraku_sink_write(sink, TEXT("no negative numbers"));
        return false;
    }
    error = bunraku_call_block(call, arguments, &result);
    assert(!error);
    bunraku_sink_write(sink, bunraku_string_data(result));
    bunraku_string_free(result);
    return true;
}

static void log_entry(void *data, bunraku_text entry)
{
    (void)data;
    assert(strstr(entry.data, "\"message\":"));
    atomic_fetch_add(&logged, 1);
}

static bool progress(void *data, uint64_t steps)
{
    (void)data;
    return steps < 5000;
}

/* Reads all of a catalog by the getters. */
static void read_catalog(const bunraku_catalog *catalog)
{
    size_t sensitive = 0, parameters = 0;
    bunraku_edge edge;

    for (size_t index = 0; index < bunraku_catalog_resource_count(catalog); index++) {
        const bunraku_resource *resource = bunraku_catalog_resource(catalog, index);

        for (size_t at = 0; at < bunraku_resource_parameter_count(resource); at++) {
            const bunraku_value *value = bunraku_resource_parameter(resource, at);

            parameters += bunraku_resource_parameter_name(resource, at).length > 0;
            sensitive += bunraku_value_kind(value) == BUNRAKU_KIND_SENSITIVE;
        }
    }
    assert(sensitive == 2 && parameters > sensitive);
    assert(bunraku_catalog_find(catalog, TEXT("File[/home/b]")));
    for (size_t index = 0; index < bunraku_catalog_edge_count(catalog); index++) {
        assert(bunraku_catalog_edge(catalog, index, &edge));
    }
}

static void compile(size_t way)
{
    bunraku_text request =
        WAYS[way].request ? bunraku_text_of(WAYS[way].request) : TEXT("{\"rich_data\":true}");
    bunraku_catalog *catalog = NULL;
    bunraku_string *json = NULL;
    bunraku_error *error = bunraku_environment_compile(
        environment, TEXT("soak.example.net"), bunraku_text_of(WAYS[way].facts), request, NULL, &catalog);

    if (bunraku_error_kind(error) != WAYS[way].kind) {
        fprintf(stderr, "%s: %s\n", WAYS[way].facts, bunraku_error_message(error).data);
        abort();
    }
    if (error) {
        assert(!catalog && strstr(bunraku_error_message(error).data, WAYS[way].message));
        bunraku_error_free(error);
        return;
    }
    read_catalog(catalog);
    assert(!bunraku_catalog_to_json(catalog, &json));
    assert(strstr(bunraku_string_data(json).data, "/home/a"));
    bunraku_string_free(json);
    bunraku_catalog_free(catalog);
}

static void *work(void *unused)
{
    long number;

    (void)unused;
    while ((number = atomic_fetch_sub(&left, 1)) > 0) {
        compile((size_t)number % WAY_COUNT);
    }
    return NULL;
}

int main(int count, char **arguments)
{
    bunraku_host host = {
        .size = sizeof host,
        .find_function = find_function,
        .call_function = call_function,
        .log = log_entry,
        .progress = progress,
    };
    int threads = count > 2 ? atoi(arguments[2]) : 8;
    long compilations = count > 1 ? atol(arguments[1]) : 1000;
    pthread_t *started = calloc((size_t)threads, sizeof *started);
    char options[2048], *end = options + sprintf(options, "{\"modulepath\":[],\"code\":\"");

    for (const char *at = CODE; *at; at++) {
        if (*at == '\n') {
            end += sprintf(end, "\\n");
        } else {
            end += sprintf(end, *at == '"' ? "\\%c" : "%c", *at);
        }
    }
    strcpy(end, "\"}");
    assert(!bunraku_environment_load(NULL, 0, TEXT("production"), bunraku_text_of(options), &host,
                                     &environment));
    atomic_store(&left, compilations);
    assert(started);
    for (int index = 0; index < threads; index++) {
        assert(pthread_create(&started[index], NULL, work, NULL) == 0);
    }
    for (int index = 0; index < threads; index++) {
        assert(pthread_join(started[index], NULL) == 0);
    }
    bunraku_environment_free(environment);
    free(started);
    printf("soak: %ld compilations in %d threads, %lu calls, %lu messages\n", compilations, threads,
           atomic_load(&called), atomic_load(&logged));
    return 0;
}
