/* The shared library, opened while the program runs, used by several threads, and closed again: PROGRAM
 * LIBRARY. */
#include <bunraku.h>

#undef NDEBUG
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#define FUNCTION(name) __typeof__(&name) own_##name = (__typeof__(&name))dlsym(library, #name)

static void *work(void *library)
{
    FUNCTION(bunraku_environment_load);
    FUNCTION(bunraku_environment_compile);
    FUNCTION(bunraku_environment_free);
    FUNCTION(bunraku_catalog_free);
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;

    assert(!own_bunraku_environment_load(
        NULL, 0, BUNRAKU_TEXT("production"),
        BUNRAKU_TEXT("{\"code\":\"notify { inline_template('<%= 1 + 1 %>'): }\",\"modulepath\":[]}"), NULL,
        &environment));
    assert(!own_bunraku_environment_compile(environment, BUNRAKU_TEXT("n"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT,
                                            NULL, &catalog));
    own_bunraku_catalog_free(catalog);
    own_bunraku_environment_free(environment);
    return NULL;
}

int main(int count, char **arguments)
{
    assert(count == 2);
    for (int round = 0; round < 20; round++) {
        void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
        pthread_t thread;

        assert(library);
        assert(!pthread_create(&thread, NULL, work, library));
        work(library);
        assert(!pthread_join(thread, NULL));
        assert(!dlclose(library));
    }
    puts("loading: ok");
    return 0;
}
