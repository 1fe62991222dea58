// The static library beside a program's own functions that are called as others in it: each uses its own.
#include <stdio.h>
#include <string.h>

#include "bunraku.h"

static int calls;

int sqlite3_open(const char *name, void **database)
{
    calls += name != NULL && database == NULL;
    return 42;
}

int sqlite3_open_v2(const char *name, void **database, int flags, const char *vfs)
{
    (void)name, (void)database, (void)flags, (void)vfs;
    return 43;
}

// The personality of the library's panics is its own, too.
int rust_eh_personality(void)
{
    return 44;
}

int main(int count, char **arguments)
{
    const char *options = "{\"database\":\":memory:\"}";
    char file[4096];
    bunraku_classifier *classifier = NULL;
    bunraku_error *error;

    if (count > 1) {
        snprintf(file, sizeof file, "{\"database\":\"%s\",\"create\":true}", arguments[1]);
        options = file;
    }
    error = bunraku_classifier_open(bunraku_text_of(options), NULL, &classifier);
    if (error != NULL) {
        fprintf(stderr, "%s\n", bunraku_error_message(error).data);
        return 1;
    }
    bunraku_classifier_free(classifier);
    if (sqlite3_open("own", NULL) != 42 || calls != 1 || sqlite3_open_v2("own", NULL, 0, NULL) != 43)
        return 2;
    puts("names: ok");
    return 0;
}
