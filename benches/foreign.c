/*
 * What a C program pays for calls of its functions, whose arguments and results cross as JSON, and for reading a
 * catalog: `make bench-foreign`.
 */
#include <bunraku.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLS 100000
#define RESOURCES 5000
#define ROUNDS 5

static bool find_function(void *data, bunraku_text name, bunraku_sink *sink)
{
    (void)data;
    if (name.length != 11 || memcmp(name.data, "next_number", name.length) != 0)
        return false;
    bunraku_sink_add(sink, bunraku_text_of("Callable[Integer]"));
    return true;
}

static bool call_function(void *data, bunraku_text name, size_t signature, bunraku_text arguments, bunraku_call *call,
                          bunraku_sink *sink)
{
    (void)data, (void)name, (void)signature, (void)call;
    char text[32];
    int length = snprintf(text, sizeof text, "%ld", strtol(arguments.data + 1, NULL, 10) + 1);
    bunraku_sink_write(sink, (bunraku_text){text, (size_t)length});
    return true;
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void fail(void)
{
    fprintf(stderr, "foreign: a program was not compiled\n");
    exit(1);
}

static bunraku_environment *load(const char *code)
{
    bunraku_host host = {.size = sizeof(bunraku_host), .find_function = find_function, .call_function = call_function};
    char options[400];
    snprintf(options, sizeof options, "{\"modulepath\":[],\"code\":\"%s\"}", code);
    bunraku_environment *environment = NULL;
    if (bunraku_environment_load(NULL, 0, BUNRAKU_TEXT("production"), bunraku_text_of(options), &host, &environment))
        fail();
    return environment;
}

static bunraku_catalog *compile(bunraku_environment *environment)
{
    bunraku_catalog *catalog = NULL;
    if (bunraku_environment_compile(environment, BUNRAKU_TEXT("node"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, NULL, &catalog))
        fail();
    return catalog;
}

/* The least time of some compilations of a program that evaluates this for each number. */
static double measure_calls(const char *body)
{
    char code[200];
    snprintf(code, sizeof code, "Integer[1, %d].each |$n| { %s }", CALLS, body);
    bunraku_environment *environment = load(code);
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = seconds();
        bunraku_catalog *catalog = compile(environment);
        double time = seconds() - begin;
        best = time < best ? time : best;
        bunraku_catalog_free(catalog);
    }
    bunraku_environment_free(environment);
    return best;
}

/* The bytes of what a resource says, so that nothing of the reading is left out. */
static size_t read_values(const bunraku_resource *resource)
{
    size_t read = bunraku_resource_type(resource).length + bunraku_resource_title(resource).length;
    for (size_t i = 0; i < bunraku_resource_parameter_count(resource); i++) {
        const bunraku_value *value = bunraku_resource_parameter(resource, i);
        read += bunraku_resource_parameter_name(resource, i).length + bunraku_value_text(value).length;
        for (size_t k = 0; k < bunraku_value_count(value); k++)
            read += bunraku_value_text(bunraku_value_element(value, k)).length;
    }
    for (size_t i = 0; i < bunraku_resource_tag_count(resource); i++)
        read += bunraku_resource_tag(resource, i).length;
    return read;
}

static size_t read_json(const bunraku_resource *resource)
{
    return bunraku_resource_type(resource).length + bunraku_resource_title(resource).length +
           bunraku_resource_parameters_json(resource).length + bunraku_resource_tags_json(resource).length;
}

/* The least time in which all resources of a new catalog are read. */
static double measure_reading(size_t (*read)(const bunraku_resource *))
{
    char code[300];
    snprintf(code, sizeof code,
             "Integer[1, %d].each |$n| { file { \"/f${n}\": ensure => file, mode => '0644', content => \"${n}\", "
             "tag => ['one', 'two'] } }",
             RESOURCES);
    for (char *quote = code; (quote = strchr(quote, '"')); quote += 2)
        memmove(quote + 1, quote, strlen(quote) + 1), *quote = '\\';
    bunraku_environment *environment = load(code);
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        bunraku_catalog *catalog = compile(environment);
        size_t count = bunraku_catalog_resource_count(catalog), bytes = 0;
        double begin = seconds();
        for (size_t i = 0; i < count; i++)
            bytes += read(bunraku_catalog_resource(catalog, i));
        double time = (seconds() - begin) / (double)count;
        best = bytes > 0 && time < best ? time : best;
        bunraku_catalog_free(catalog);
    }
    bunraku_environment_free(environment);
    return best;
}

int main(void)
{
    double calls = measure_calls("next_number($n)") - measure_calls("$n");
    printf("%-45s %6.0f ns a call\n", "a function of a C program", calls * 1e9 / CALLS);
    printf("%-45s %6.0f ns a resource\n", "a catalog read by getters", measure_reading(read_values) * 1e9);
    printf("%-45s %6.0f ns a resource, not yet parsed\n", "a catalog read as JSON", measure_reading(read_json) * 1e9);
    return 0;
}
