/* One environment, many threads: every thread compiles every node, and all get the same bytes. */
#include <bunraku.h>

#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 8
#define ROUNDS 3

static bunraku_environment *environment;

static const char NODE[] = "plain.example.net";
static const char FACTS[] =
    "{\"os\":{\"family\":\"Debian\"},\"networking\":{\"fqdn\":\"plain.example.net\"}}";

static bunraku_string *compile_once(void)
{
    bunraku_catalog *catalog = NULL;
    bunraku_string *json = NULL;
    bunraku_error *error = bunraku_environment_compile(
        environment, bunraku_text_of(NODE), bunraku_text_of(FACTS), BUNRAKU_NO_TEXT, NULL, &catalog);

    if (error) {
        fprintf(stderr, "%s\n", bunraku_error_message(error).data);
        abort();
    }
    error = bunraku_catalog_to_json(catalog, &json);
    assert(!error);
    bunraku_catalog_free(catalog);
    return json;
}

/* The part of a catalog that does not hold its version. */
static const char *resources(const bunraku_string *json)
{
    const char *found = strstr(bunraku_string_data(json).data, "\"resources\":");

    assert(found);
    return found;
}

static void *work(void *unused)
{
    bunraku_string *first = compile_once();

    (void)unused;
    for (int round = 1; round < ROUNDS; round++) {
        bunraku_string *next = compile_once();

        assert(strcmp(resources(first), resources(next)) == 0);
        bunraku_string_free(next);
    }
    return first;
}

int main(int count, char **arguments)
{
    pthread_t threads[THREADS];
    bunraku_string *results[THREADS];
    bunraku_error *error;

    assert(count == 2);
    error = bunraku_environment_load((bunraku_text[]){bunraku_text_of(arguments[1])}, 1,
                                     BUNRAKU_TEXT("production"), BUNRAKU_NO_TEXT, NULL, &environment);
    assert(!error);
    for (int i = 0; i < THREADS; i++) {
        assert(pthread_create(&threads[i], NULL, work, NULL) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;

        assert(pthread_join(threads[i], &result) == 0);
        results[i] = result;
        assert(strcmp(resources(results[0]), resources(results[i])) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        bunraku_string_free(results[i]);
    }
    bunraku_environment_free(environment);
    puts("threads: ok");
    return 0;
}
