/* What the library leaves alone in a process: signals, the working directory, the locale; and what a fork has
 * of it. */
#define _GNU_SOURCE
#include <bunraku.h>

#undef NDEBUG
#include <assert.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT BUNRAKU_TEXT

static bunraku_string *compile(const bunraku_environment *environment)
{
    bunraku_catalog *catalog = NULL;
    bunraku_string *json = NULL;
    bunraku_error *error = bunraku_environment_compile(
        environment, TEXT("plain.example.net"),
        TEXT("{\"os\":{\"family\":\"Debian\"},\"networking\":{\"fqdn\":\"plain.example.net\"}}"),
        TEXT("{\"seed\":1}"), NULL, &catalog);

    if (error) {
        fprintf(stderr, "%s\n", bunraku_error_message(error).data);
    }
    assert(!error && !bunraku_catalog_to_json(catalog, &json));
    bunraku_catalog_free(catalog);
    return json;
}

/* How the process treats each signal. */
static void look(struct sigaction *actions, sigset_t *mask)
{
    memset(actions, 0, sizeof *actions * NSIG);
    for (int number = 1; number < NSIG; number++) {
        sigaction(number, NULL, &actions[number]);
    }
    assert(!sigprocmask(SIG_SETMASK, NULL, mask));
}

int main(int count, char **arguments)
{
    static struct sigaction before[NSIG], after[NSIG];
    sigset_t mask_before, mask_after;
    bunraku_environment *environment = NULL;
    bunraku_string *json, *again;
    bunraku_text directory, text;
    char *place = getcwd(NULL, 0), *place_after;
    int status = 0;
    pid_t child;

    assert(count == 2 && place);
    look(before, &mask_before);
    directory = bunraku_text_of(arguments[1]);
    assert(!bunraku_environment_load(&directory, 1, TEXT("production"), BUNRAKU_NO_TEXT, NULL, &environment));
    json = compile(environment);
    text = bunraku_string_data(json);

    child = fork();
    assert(child >= 0);
    if (child == 0) {
        again = compile(environment);
        _exit(bunraku_string_data(again).length == text.length &&
                      memcmp(bunraku_string_data(again).data, text.data, text.length) == 0
                  ? 0
                  : 1);
    }
    assert(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    again = compile(environment);
    assert(strcmp(bunraku_string_data(again).data, text.data) == 0);

    look(after, &mask_after);
    for (int number = 1; number < NSIG; number++) {
        assert(before[number].sa_handler == after[number].sa_handler &&
               before[number].sa_flags == after[number].sa_flags);
        assert(sigismember(&mask_before, number) == sigismember(&mask_after, number));
    }
    place_after = getcwd(NULL, 0);
    assert(strcmp(place, place_after) == 0 && strcmp(setlocale(LC_ALL, NULL), "C") == 0);
    free(place);
    free(place_after);
    bunraku_string_free(json);
    bunraku_string_free(again);
    bunraku_environment_free(environment);
    puts("process: ok");
    return 0;
}
