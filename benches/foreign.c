/* What a call of a function costs that a C program brings: `make bench-foreign`. Arguments and results cross as JSON. */
#include <bunraku.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALLS 100000
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

/* The least time of some compilations of a program that evaluates this for each number. */
static double measure(const char *body)
{
    bunraku_host host = {.size = sizeof(bunraku_host), .find_function = find_function, .call_function = call_function};
    char code[200], options[300];
    snprintf(code, sizeof code, "Integer[1, %d].each |$n| { %s }", CALLS, body);
    snprintf(options, sizeof options, "{\"modulepath\":[],\"code\":\"%s\"}", code);
    bunraku_environment *environment = NULL;
    bunraku_error *error =
        bunraku_environment_load(NULL, 0, BUNRAKU_TEXT("production"), bunraku_text_of(options), &host, &environment);
    double best = 1e9;
    for (int round = 0; !error && round < ROUNDS; round++) {
        bunraku_catalog *catalog = NULL;
        double begin = seconds();
        error = bunraku_environment_compile(environment, BUNRAKU_TEXT("node"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, NULL, &catalog);
        double time = seconds() - begin;
        best = time < best ? time : best;
        bunraku_catalog_free(catalog);
    }
    if (error) {
        fprintf(stderr, "foreign: a program was not compiled\n");
        exit(1);
    }
    bunraku_environment_free(environment);
    return best;
}

int main(void)
{
    double without = measure("$n");
    printf("%-45s %6.0f ns a call\n", "a function of a C program", (measure("next_number($n)") - without) * 1e9 / CALLS);
    return 0;
}
