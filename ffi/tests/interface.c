/* Every part of the interface, used rightly and wrongly. */
#include <bunraku.h>

#include <pthread.h>
#include <time.h>

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT(literal) literal, sizeof(literal) - 1

static void programs(void)
{
    bunraku_program *program = NULL;
    bunraku_string *text = NULL;
    bunraku_error *error;
    size_t length = 0;

    error = bunraku_program_parse(TEXT("$a = 1"), NULL, 0, BUNRAKU_SYNTAX_MANIFEST, &program);
    assert(!error && program);
    error = bunraku_program_to_pn(program, TEXT("text"), &text);
    assert(!error && strcmp(bunraku_string_data(text, &length), "(= (var \"a\") 1)") == 0 && length == 15);
    bunraku_string_free(text);
    error = bunraku_program_to_pn(program, TEXT("xml"), &text);
    assert(error && strstr(bunraku_error_message(error, NULL), "format"));
    bunraku_error_free(error);
    bunraku_program_free(program);

    program = NULL;
    error = bunraku_program_parse(TEXT("$a =\n}"), TEXT("site.pp"), BUNRAKU_SYNTAX_MANIFEST, &program);
    assert(error && !program);
    assert(strcmp(bunraku_error_message(error, &length), "Syntax error at '}'") == 0 && length == 19);
    assert(strcmp(bunraku_error_issue_code(error, NULL), "SYNTAX_ERROR") == 0);
    assert(strcmp(bunraku_error_kind(error), "parse") == 0);
    assert(strcmp(bunraku_error_detailed_kind(error), "syntax") == 0);
    assert(strcmp(bunraku_error_file(error, NULL), "site.pp") == 0);
    assert(bunraku_error_line(error) == 2 && bunraku_error_column(error) == 1);
    bunraku_error_free(error);

    error = bunraku_program_parse(TEXT("$h = {a => 1, a => 2}"), NULL, 0, BUNRAKU_SYNTAX_MANIFEST, &program);
    assert(!error);
    error = bunraku_program_validate(program, BUNRAKU_STRICTNESS_WARNING, &text);
    assert(!error && strstr(bunraku_string_data(text, NULL), "\"issue_code\":\"DUPLICATE_KEY\""));
    bunraku_string_free(text);
    bunraku_program_free(program);
}

/* What an error says of the calls that led to it, as data and as text. */
static void stack(void)
{
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_error *error;

    error = bunraku_environment_load(NULL, 0, TEXT("production"),
                                     TEXT("{\"code\":\"define d() {\\n  fail('no')\\n}\\nclass a {\\n  d { 'x': }\\n}\\ninclude a\",\"modulepath\":[]}"),
                                     NULL, &environment);
    assert(!error);
    error = bunraku_environment_compile(environment, TEXT("n"), NULL, 0, NULL, 0, &catalog);
    assert(error && !catalog);
    assert(strstr(bunraku_error_stack_json(error, NULL), "\"name\":\"D[x]\",\"file\":null,\"line\":5"));
    assert(strstr(bunraku_error_trace(error, NULL), "\n  from fail (line 2)\n  from D[x] (line 5)\n  from Class[A] (line 4)"));
    assert(!bunraku_error_trace(NULL, NULL));
    bunraku_error_free(error);
    bunraku_environment_free(environment);
}

static void misuse(void)
{
    bunraku_program *program = NULL;
    bunraku_error *error = bunraku_program_parse(NULL, 3, NULL, 0, BUNRAKU_SYNTAX_MANIFEST, &program);

    assert(error && strcmp(bunraku_error_message(error, NULL), "source is NULL") == 0 && !program);
    assert(!bunraku_error_issue_code(error, NULL) && !bunraku_error_file(error, NULL) && bunraku_error_line(error) == 0);
    bunraku_error_free(error);
    error = bunraku_program_parse(TEXT("\xff"), NULL, 0, BUNRAKU_SYNTAX_MANIFEST, &program);
    assert(error && !program);
    bunraku_error_free(error);
    error = bunraku_program_parse(TEXT("1"), NULL, 0, BUNRAKU_SYNTAX_MANIFEST, NULL);
    assert(error);
    bunraku_error_free(error);
    error = bunraku_environment_compile(NULL, TEXT("n"), NULL, 0, NULL, 0, NULL);
    assert(error);
    bunraku_error_free(error);

    bunraku_error_free(NULL);
    bunraku_string_free(NULL);
    bunraku_program_free(NULL);
    bunraku_catalog_free(NULL);
    bunraku_environment_free(NULL);
    assert(!bunraku_error_message(NULL, NULL) && !bunraku_string_data(NULL, NULL));
    assert(bunraku_catalog_resource_count(NULL) == 0 && !bunraku_catalog_resource(NULL, 0));
    assert(strcmp(bunraku_version(), "0.1.0") == 0);
}

/* Fails with a message. */
static void refused(bunraku_error *error, const char *message)
{
    assert(error);
    if (strcmp(bunraku_error_message(error, NULL), message) != 0) {
        printf("%s\n%s\n", bunraku_error_message(error, NULL), message);
    }
    assert(strcmp(bunraku_error_message(error, NULL), message) == 0);
    bunraku_error_free(error);
}

/* Options and requests have no keys that nobody reads. */
static void misspelt(const char *path)
{
    static const struct {
        const char *request, *message;
    } wrong[] = {
        {"{\"limts\":{\"seconds\":1}}", "there is no 'limts' in the request (did you mean 'limits'?)"},
        {"{\"limits\":{\"secnods\":1}}", "there is no limit 'secnods' (did you mean 'seconds'?)"},
        {"{\"trusted\":{\"extension\":{}}}", "there is no 'extension' in 'trusted' (did you mean 'extensions'?)"},
        {"{\"classification\":{\"clases\":{}}}", "there is no 'clases' in 'classification' (did you mean 'classes'?)"},
        {"{\"something else\":1}", "there is no 'something else' in the request"},
    };
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_classifier *classifier = NULL;
    bunraku_program *program = NULL;
    bunraku_string *answer = NULL;
    bool is_flawless;

    refused(bunraku_environment_load(path, strlen(path), TEXT("production"), TEXT("{\"file_sise\":1}"), NULL, &environment),
            "there is no 'file_sise' in the options of an environment (did you mean 'file_size'?)");
    refused(bunraku_environment_load(path, strlen(path), TEXT("production"), TEXT("{\"settings\":{\"strcit\":\"off\"}}"), NULL,
                                     &environment),
            "there is no setting 'strcit' (did you mean 'strict'?)");
    assert(!bunraku_environment_load(path, strlen(path), TEXT("production"), TEXT("{\"settings\":{\"vardir\":\"/v\"}}"), NULL,
                                     &environment));
    for (size_t number = 0; number < sizeof wrong / sizeof *wrong; number++) {
        const char *request = wrong[number].request;
        refused(bunraku_environment_compile(environment, TEXT("n"), NULL, 0, request, strlen(request), &catalog), wrong[number].message);
        refused(bunraku_environment_lookup(environment, TEXT("n"), NULL, 0, request, strlen(request), &answer), wrong[number].message);
    }
    refused(bunraku_environment_lookup(environment, TEXT("n"), NULL, 0, TEXT("{\"explian\":true}"), &answer),
            "there is no 'explian' in the request (did you mean 'explain'?)");
    refused(bunraku_task_invocation(environment, TEXT("{\"task\":\"a\",\"nop\":true}"), &answer),
            "there is no 'nop' in the request (did you mean 'noop'?)");
    bunraku_environment_free(environment);

    refused(bunraku_classifier_open(TEXT("{\"databse\":\"a\"}"), NULL, &classifier),
            "there is no 'databse' in the options of a classifier (did you mean 'database'?)");
    refused(bunraku_fleet_report(TEXT("{\"nodes\":[],\"formt\":\"text\"}"), &answer),
            "there is no 'formt' in the request (did you mean 'format'?)");
    refused(bunraku_module_document(TEXT("{\"path\":[\"a\"]}"), NULL, &answer),
            "there is no 'path' in the request (did you mean 'paths'?)");
    refused(bunraku_module_check(TEXT("{\"direktory\":\"a\"}"), NULL, &answer),
            "there is no 'direktory' in the request (did you mean 'directory'?)");
    refused(bunraku_module_describe_types(TEXT("{\"provider\":true}"), NULL, &answer),
            "there is no 'provider' in the request (did you mean 'providers'?)");
    refused(bunraku_module_generate_types(TEXT("{\"module_path\":[]}"), NULL, &answer),
            "there is no 'module_path' in the request (did you mean 'modulepath'?)");
    refused(bunraku_module_check_definitions(TEXT("{\"defintion\":{}}"), NULL, &answer),
            "there is no 'defintion' in the request (did you mean 'definition'?)");
    refused(bunraku_catalog_convert(TEXT("{}"), TEXT("agent"), TEXT("puppetdb:9"), TEXT("{\"producr\":\"p\"}"), NULL, &answer),
            "there is no 'producr' in the submission (did you mean 'producer'?)");
    assert(!bunraku_program_parse(TEXT("1"), NULL, 0, BUNRAKU_SYNTAX_MANIFEST, &program));
    refused(bunraku_program_is_flawless(program, TEXT("{\"manifests\":\"a\"}"), &is_flawless),
            "there is no 'manifests' in place_json (did you mean 'manifest'?)");
    bunraku_program_free(program);
}

/* A host with one function, one file more than the disk has, and a log. */
struct host_state {
    int logged;
    int freed;
};

static bool find_function(void *data, const char *name, size_t length, bunraku_sink *sink)
{
    (void)data;
    if (length != 5 || memcmp(name, "twice", 5) != 0) {
        return false;
    }
    bunraku_sink_add(sink, TEXT("Callable[Integer, Callable[Integer]]"));
    return true;
}

static bool call_function(void *data, const char *name, size_t name_length, size_t signature, const char *arguments,
                          size_t length, bunraku_call *call, bunraku_sink *sink)
{
    (void)data;
    (void)name;
    (void)name_length;
    (void)signature;
    /* The block gets the arguments as they are: [n]. */
    return bunraku_call_block(call, arguments, length, sink);
}

static void log_entry(void *data, const char *entry, size_t length)
{
    struct host_state *state = data;

    assert(length == strlen(entry));
    state->logged += strstr(entry, "\"message\":\"42\"") != NULL;
}

static void free_data(void *data)
{
    ((struct host_state *)data)->freed++;
}

static void hosts(const char *path)
{
    struct host_state state = { 0, 0 };
    bunraku_host host = { .data = &state,
                          .find_function = find_function,
                          .call_function = call_function,
                          .log = log_entry,
                          .free_data = free_data };
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_error *error;

    (void)path;
    error = bunraku_environment_load(NULL, 0, TEXT("production"),
                                     TEXT("{\"code\":\"notice(twice(21) |$n| { $n * 2 })\",\"modulepath\":[]}"), &host,
                                     &environment);
    assert(!error);
    error = bunraku_environment_compile(environment, TEXT("n"), NULL, 0, NULL, 0, &catalog);
    if (error) {
        fprintf(stderr, "%s\n", bunraku_error_message(error, NULL));
    }
    assert(!error);
    assert(state.logged == 1 && strstr(bunraku_catalog_logs_json(catalog, NULL), "\"42\""));
    bunraku_catalog_free(catalog);
    bunraku_environment_free(environment);
    assert(state.freed == 1);
}

/* Functions of a host speak rich data: secrets stay secrets on both ways, and what is no data of the language is refused. */
static bool find_rich(void *data, const char *name, size_t length, bunraku_sink *sink)
{
    (void)data;
    if (length == 6 && memcmp(name, "secret", 6) == 0) {
        bunraku_sink_add(sink, TEXT("Callable[Sensitive, 0, 1]"));
        return true;
    }
    if (length != 7 || (memcmp(name, "through", 7) != 0 && memcmp(name, "damaged", 7) != 0)) {
        return false;
    }
    bunraku_sink_add(sink, TEXT("Callable"));
    return true;
}

static bool call_rich(void *data, const char *name, size_t name_length, size_t signature, const char *arguments,
                      size_t length, bunraku_call *call, bunraku_sink *sink)
{
    (void)data;
    (void)signature;
    if (memcmp(name, "secret", name_length) == 0) {
        const char *secret = "{\"__ptype\":\"Sensitive\",\"__pvalue\":\"p4ss\"}";

        assert(length == 2 || strstr(arguments, secret));
        bunraku_sink_write(sink, secret, strlen(secret));
        return true;
    }
    if (memcmp(name, "through", name_length) == 0) {
        return bunraku_call_function(call, TEXT("site::pass"), arguments, length, sink);
    }
    bunraku_sink_write(sink, TEXT("{\"__ptype\":\"Nothing::Known\",\"p4ss\":1}"));
    return true;
}

static void rich_data_of_hosts(void)
{
    bunraku_host host = { .find_function = find_rich, .call_function = call_rich };
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_error *error;
    const bunraku_resource *resource;
    const char *logs, *parameters;

    error = bunraku_environment_load(
        NULL, 0, TEXT("production"),
        TEXT("{\"code\":\"function site::pass($value) { notice($value); $value } "
             "$s = secret() notice($s, $s.unwrap.size) notice(secret($s)) notice(through($s)) "
             "notice(through({'__ptype' => 'Sensitive', '__pvalue' => 'x'})) notice(type(through(/a/))) "
             "file { '/f': content => $s, owner => 'root' } notify { 'n': message => [$s] } "
             "if $facts['damaged'] { damaged() }\",\"modulepath\":[]}"),
        &host, &environment);
    assert(!error);
    error = bunraku_environment_compile(environment, TEXT("n"), NULL, 0, NULL, 0, &catalog);
    if (error) {
        fprintf(stderr, "%s\n", bunraku_error_message(error, NULL));
    }
    assert(!error);
    logs = bunraku_catalog_logs_json(catalog, NULL);
    assert(!strstr(logs, "p4ss"));
    assert(strstr(logs, "\"Sensitive [value redacted] 4\"") && strstr(logs, "{__ptype => Sensitive, __pvalue => x}"));
    assert(strstr(logs, "\"Regexp[/a/]\""));

    resource = bunraku_catalog_find(catalog, TEXT("File[/f]"));
    parameters = bunraku_resource_parameters_json(resource, NULL);
    assert(!strcmp(parameters, "{\"content\":{\"__ptype\":\"Sensitive\",\"__pvalue\":\"[value redacted]\"},\"owner\":\"root\"}"));
    assert(!strcmp(bunraku_resource_sensitive_parameters_json(resource, NULL), "[\"content\"]"));
    parameters = bunraku_resource_unwrapped_parameters_json(resource, NULL);
    assert(!strcmp(parameters, "{\"content\":\"p4ss\",\"owner\":\"root\"}"));
    resource = bunraku_catalog_find(catalog, TEXT("Notify[n]"));
    assert(!strcmp(bunraku_resource_sensitive_parameters_json(resource, NULL), "[]"));
    assert(!strcmp(bunraku_resource_parameters_json(resource, NULL), "{\"message\":[{\"__ptype\":\"Sensitive\",\"__pvalue\":\"[value redacted]\"}]}"));
    assert(strstr(bunraku_resource_unwrapped_parameters_json(resource, NULL), "\"__pvalue\":\"p4ss\""));
    bunraku_catalog_free(catalog);

    error = bunraku_environment_compile(environment, TEXT("n"), TEXT("{\"damaged\":true}"), NULL, 0, &catalog);
    assert(error && strstr(bunraku_error_message(error, NULL), "Nothing::Known"));
    assert(!strstr(bunraku_error_message(error, NULL), "p4ss"));
    bunraku_error_free(error);
    bunraku_environment_free(environment);
}

static void *cancel_soon(void *cancel)
{
    struct timespec pause = { 0, 50 * 1000 * 1000 };

    nanosleep(&pause, NULL);
    bunraku_cancel_set(cancel);
    return NULL;
}

/* Commands run where the options say so, and settings have values. */
static void commands(void)
{
    static const char *const options[] = {
        "{\"code\":\"notice(generate('/bin/echo', $settings::ssldir))\",\"modulepath\":[]}",
        "{\"code\":\"notice(generate('/bin/echo', $settings::ssldir))\",\"modulepath\":[],\"commands\":true}",
        "{\"code\":\"notice(generate('/bin/false'))\",\"modulepath\":[],\"commands\":true}",
    };
    static const char *const expected[] = { "running commands is not allowed: /bin/echo", "/etc/puppetlabs/puppet/ssl",
                                            "Execution of '/bin/false' returned 1: " };

    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
        bunraku_environment *environment = NULL;
        bunraku_catalog *catalog = NULL;
        bunraku_error *error =
            bunraku_environment_load(NULL, 0, TEXT("production"), options[i], strlen(options[i]), NULL, &environment);

        assert(!error);
        error = bunraku_environment_compile(environment, TEXT("n"), NULL, 0, NULL, 0, &catalog);
        assert((error != NULL) == (i != 1));
        assert(strstr(error ? bunraku_error_message(error, NULL) : bunraku_catalog_logs_json(catalog, NULL), expected[i]));
        bunraku_error_free(error);
        bunraku_catalog_free(catalog);
        bunraku_environment_free(environment);
    }
}

/* Lookups end when they are cancelled, while the manifests are evaluated and without them. */
static void cancelled_lookups(const bunraku_environment *environment)
{
    static const char *const requests[] = {
        "{\"key\":\"k\",\"default\":1,\"compile\":true}",
        "{\"key\":\"k\",\"default\":1}",
    };
    bunraku_string *answer = NULL;
    bunraku_cancel *cancel = bunraku_cancel_new();
    bunraku_error *error;
    pthread_t thread;

    error = bunraku_environment_lookup_cancellable(environment, TEXT("n"), NULL, 0, requests[1], strlen(requests[1]), cancel,
                                                   &answer);
    assert(!error && strstr(bunraku_string_data(answer, NULL), "\"value\":1"));
    bunraku_string_free(answer);
    answer = NULL;
    assert(pthread_create(&thread, NULL, cancel_soon, cancel) == 0);
    for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
        error = bunraku_environment_lookup_cancellable(environment, TEXT("n"), NULL, 0, requests[i], strlen(requests[i]), cancel,
                                                       &answer);
        assert(!error && strstr(bunraku_string_data(answer, NULL), "\"error\":"));
        assert(strstr(bunraku_string_data(answer, NULL), "cancelled"));
        bunraku_string_free(answer);
        answer = NULL;
    }
    assert(pthread_join(thread, NULL) == 0);
    bunraku_cancel_free(cancel);
}

/* Compilations that would take too long or too much end with a place. */
static void limits(void)
{
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_cancel *cancel = bunraku_cancel_new();
    bunraku_error *error;
    pthread_t thread;

    error = bunraku_environment_load(NULL, 0, TEXT("production"),
                                     TEXT("{\"code\":\"Integer[1, 999999999].each |$i| { $i }\",\"modulepath\":[]}"), NULL,
                                     &environment);
    assert(!error);
    error = bunraku_environment_compile(environment, TEXT("n"), NULL, 0, TEXT("{\"limits\":{\"steps\":1000}}"), &catalog);
    assert(error && !catalog && strstr(bunraku_error_message(error, NULL), "1000 steps"));
    assert(bunraku_error_line(error) == 1);
    bunraku_error_free(error);

    assert(cancel && !bunraku_cancel_is_set(cancel));
    assert(pthread_create(&thread, NULL, cancel_soon, cancel) == 0);
    error = bunraku_environment_compile_cancellable(environment, TEXT("n"), NULL, 0, NULL, 0, cancel, &catalog);
    assert(error && !catalog && strstr(bunraku_error_message(error, NULL), "cancelled"));
    assert(bunraku_error_line(error) == 1);
    bunraku_error_free(error);
    assert(pthread_join(thread, NULL) == 0);
    bunraku_cancel_free(cancel);
    cancelled_lookups(environment);
    bunraku_environment_free(environment);

    error = bunraku_environment_load(NULL, 0, TEXT("production"),
                                     TEXT("{\"code\":\"Integer[1, 20].map |$i| { sprintf('%0100000d', $i) }\",\"modulepath\":[]}"),
                                     NULL, &environment);
    assert(!error);
    error = bunraku_environment_compile(environment, TEXT("n"), NULL, 0, TEXT("{\"limits\":{\"memory\":1000000}}"), &catalog);
    assert(error && !catalog && strstr(bunraku_error_message(error, NULL), "1000000 bytes of memory"));
    assert(bunraku_error_line(error) == 1);
    bunraku_error_free(error);
    error = bunraku_environment_compile(environment, TEXT("n"), NULL, 0, TEXT("{\"limits\":{\"memory\":null}}"), &catalog);
    assert(!error && catalog);
    bunraku_catalog_free(catalog);
    bunraku_environment_free(environment);
}

/* Single built-in functions that would take long end as well. */
static void long_functions(void)
{
    static const char *const programs[] = {
        "{\"code\":\"$t = sprintf('%0100d', 0)\\nnotice($t =~ /(0|00)+$\\\\Zx/)\",\"modulepath\":[]}",
        "{\"code\":\"$t = sprintf('%02000000d', 0)\\nnotice($t =~ /(0*0*0*){99}1/)\",\"modulepath\":[]}",
        "{\"code\":\"$t = sprintf('%060d', 0)\\nnotice($t =~ Pattern[/(0|00)+$\\\\Zx/])\",\"modulepath\":[]}",
        "{\"code\":\"notice(regsubst(sprintf('%060d', 0), '(0|00)+\\\\Zx', 'y'))\",\"modulepath\":[]}",
        "{\"code\":\"$e = Integer[1, 3000].map |$n| { Enum[\\\"a${n}\\\", \\\"b${n}\\\"] }\\n"
        "$v = Variant[*$e]\\nnotice(Integer[1, 1000000].map |$n| { $v <= $v })\",\"modulepath\":[]}",
        "{\"code\":\"notice(Integer[1, 100000000].any |$n| { md5(sprintf('%05000000d', $n)) == 'x' })\",\"modulepath\":[]}",
    };

    for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
        bunraku_environment *environment = NULL;
        bunraku_catalog *catalog = NULL;
        bunraku_cancel *cancel = bunraku_cancel_new();
        bunraku_error *error;
        struct timespec start, end;
        pthread_t thread;

        error = bunraku_environment_load(NULL, 0, TEXT("production"), programs[i], strlen(programs[i]), NULL, &environment);
        assert(!error);
        clock_gettime(CLOCK_MONOTONIC, &start);
        assert(pthread_create(&thread, NULL, cancel_soon, cancel) == 0);
        error = bunraku_environment_compile_cancellable(environment, TEXT("n"), NULL, 0, NULL, 0, cancel, &catalog);
        clock_gettime(CLOCK_MONOTONIC, &end);
        if (!error || !strstr(bunraku_error_message(error, NULL), "cancelled")) {
            fprintf(stderr, "%s\n%s\n", programs[i], error ? bunraku_error_message(error, NULL) : "no error");
        }
        assert(error && !catalog && strstr(bunraku_error_message(error, NULL), "cancelled"));
        assert(bunraku_error_line(error) >= 1);
        assert(end.tv_sec - start.tv_sec < 30);
        bunraku_error_free(error);
        assert(pthread_join(thread, NULL) == 0);
        bunraku_cancel_free(cancel);
        bunraku_environment_free(environment);
    }
}

static void catalogs(const char *path)
{
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_string *text = NULL;
    bunraku_error *error;
    const bunraku_resource *resource;

    error = bunraku_environment_load(path, strlen(path), TEXT("nowhere"), NULL, 0, NULL, &environment);
    assert(error && !environment && strstr(bunraku_error_message(error, NULL), "nowhere"));
    bunraku_error_free(error);

    error = bunraku_environment_load(path, strlen(path), TEXT("production"), TEXT("{\"reload\":\"sometimes\"}"), NULL, &environment);
    assert(error != NULL);
    bunraku_error_free(error);
    error = bunraku_environment_load(path, strlen(path), TEXT("production"), TEXT("{\"reload\":\"changed\"}"), NULL, &environment);
    assert(error == NULL);
    assert(bunraku_environment_clear(environment) == NULL);
    bunraku_environment_free(environment);
    error = bunraku_environment_load(path, strlen(path), TEXT("production"), NULL, 0, NULL, &environment);
    assert(!error);
    error = bunraku_environment_compile(environment, TEXT("plain.example.net"), TEXT("{\"os\":"), NULL, 0, &catalog);
    assert(error && !catalog && strstr(bunraku_error_message(error, NULL), "JSON"));
    bunraku_error_free(error);

    error = bunraku_environment_compile(environment, TEXT("plain.example.net"),
                                        TEXT("{\"os\":{\"family\":\"Debian\"},\"networking\":{\"fqdn\":\"x\"}}"), NULL, 0,
                                        &catalog);
    assert(!error);
    assert(bunraku_catalog_resource_count(catalog) > 5);
    resource = bunraku_catalog_find(catalog, TEXT("File[/etc/motd]"));
    assert(resource && strcmp(bunraku_resource_type(resource, NULL), "File") == 0);
    assert(strcmp(bunraku_resource_title(resource, NULL), "/etc/motd") == 0);
    assert(bunraku_resource_line(resource) == 13 && strstr(bunraku_resource_file(resource, NULL), "base.pp"));
    assert(strstr(bunraku_resource_parameters_json(resource, NULL), "\"mode\":\"0644\""));
    assert(strstr(bunraku_resource_tags_json(resource, NULL), "\"profile::base\""));
    assert(!bunraku_resource_is_exported(resource));
    assert(!bunraku_catalog_find(catalog, TEXT("File[/nowhere]")));
    assert(strstr(bunraku_catalog_data_keys_json(catalog, NULL), "\"profile::base::packages\""));
    bunraku_catalog_free(catalog);

    error = bunraku_environment_compile(environment, TEXT("plain.example.net"), NULL, 0, TEXT("{\"server_facts\":true}"), &catalog);
    assert(!error);
    bunraku_catalog_free(catalog);
    error = bunraku_environment_lookup(environment, TEXT("plain.example.net"), NULL, 0,
                                       TEXT("{\"key\":\"profile::users::accounts.deploy.uid\"}"), &text);
    assert(!error && strcmp(bunraku_string_data(text, NULL), "{\"value\":2000}") == 0);
    bunraku_string_free(text);
    error = bunraku_environment_lookup(environment, TEXT("plain.example.net"), NULL, 0,
                                       TEXT("{\"key\":\"profile::users::accounts\",\"explain\":true}"), &text);
    assert(!error && strstr(bunraku_string_data(text, NULL), "\"explain_data\":{\"branches\":["));
    bunraku_string_free(text);
    for (int shows = 0; shows < 2; shows++) {
        const char *request = shows ? "{\"key\":\"profile::database::password\",\"explain\":true,\"show_secrets\":true}"
                                    : "{\"key\":\"profile::database::password\",\"explain\":true}";
        error = bunraku_environment_lookup(environment, TEXT("db01.example.net"), NULL, 0, request, strlen(request), &text);
        assert(!error && (strstr(bunraku_string_data(text, NULL), "value: \\\"correct horse") != NULL) == shows);
        bunraku_string_free(text);
    }
    bunraku_environment_free(environment);
}

static bunraku_value *value_of(const char *json)
{
    bunraku_value *value = NULL;

    assert(!bunraku_value_from_json(json, strlen(json), &value));
    return value;
}

static bunraku_type *type_of(const char *source, const bunraku_environment *environment)
{
    bunraku_type *type = NULL;

    assert(!bunraku_type_parse(source, strlen(source), environment, &type));
    return type;
}

static void expect_text(bunraku_error *error, bunraku_string **text, const char *expected)
{
    assert(!error);
    if (strcmp(bunraku_string_data(*text, NULL), expected) != 0) {
        fprintf(stderr, "%s\n", bunraku_string_data(*text, NULL));
    }
    assert(strcmp(bunraku_string_data(*text, NULL), expected) == 0);
    bunraku_string_free(*text);
    *text = NULL;
}

static void types(void)
{
    bunraku_type *integers = type_of("Array[Integer, 1]", NULL), *other = NULL, *broken = NULL;
    bunraku_value *value = value_of("[1, 2]"), *texts = value_of("[1, \"a\"]"), *arguments = value_of("[\"0x1f\", 16]");
    bunraku_value *made = NULL;
    bunraku_string *text = NULL;
    bunraku_error *error = bunraku_type_parse(TEXT("Array["), NULL, &broken);

    assert(error && !broken);
    bunraku_error_free(error);
    assert(bunraku_type_is_instance(integers, value) && !bunraku_type_is_instance(integers, texts));
    assert(!bunraku_type_mismatch(integers, value, TEXT("x"), &text) && !text);
    expect_text(bunraku_type_mismatch(integers, texts, TEXT("x"), &text), &text,
                "x index 1 expects an Integer value, got String");
    assert(!bunraku_type_infer(value, BUNRAKU_INFERENCE_DETAILED, &other));
    expect_text(bunraku_type_to_string(other, &text), &text, "Tuple[Integer[1, 1], Integer[2, 2]]");
    assert(bunraku_type_is_assignable(integers, other) && !bunraku_type_is_assignable(other, integers));
    assert(!bunraku_type_equals(integers, other) && bunraku_type_equals(other, other));
    bunraku_type_free(other);
    error = bunraku_type_infer(value, 9, &other);
    assert(error && strstr(bunraku_error_message(error, NULL), "bunraku_inference"));
    bunraku_error_free(error);
    bunraku_type_free(integers);

    integers = type_of("Integer", NULL);
    other = type_of("Float", NULL);
    assert(!bunraku_type_common(integers, other, &broken));
    expect_text(bunraku_type_to_string(broken, &text), &text, "Numeric");
    bunraku_type_free(broken);
    bunraku_type_free(other);
    assert(!bunraku_type_new(integers, arguments, NULL, &made));
    expect_text(bunraku_value_to_string(made, NULL, 0, &text), &text, "31");
    expect_text(bunraku_value_to_string(made, TEXT("%#x"), &text), &text, "0x1f");
    bunraku_value_free(made);
    error = bunraku_type_new(integers, texts, NULL, &made);
    assert(error && bunraku_error_message(error, NULL));
    bunraku_error_free(error);
    assert(!bunraku_type_is_instance(NULL, value) && !bunraku_type_is_instance(integers, NULL));
    assert(!bunraku_type_to_value(integers, &made));
    expect_text(bunraku_value_to_data(made, NULL, 0, &text), &text, "{\"__ptype\":\"Pcore::IntegerType\"}");
    bunraku_value_free(made);
    bunraku_type_free(integers);
    bunraku_type_free(NULL);
    bunraku_value_free(value);
    bunraku_value_free(texts);
    bunraku_value_free(arguments);
}

static void values(void)
{
    static const char data[] = "[{\"__ptype\":\"Regexp\",\"__pvalue\":\"x\"},{\"__ptype\":\"Point\",\"x\":1}]";
    static const char numbers[] = "{\"a\":[18446744073709551616,-123456789012345678901234567890,0.5]}";
    bunraku_environment *environment = NULL;
    bunraku_value *value = NULL, *again = NULL;
    bunraku_string *text = NULL;
    bunraku_bytes *stream = NULL;
    bunraku_error *error;
    const uint8_t *bytes;
    size_t length = 0;
    uint32_t format;

    assert(!bunraku_environment_load(
        NULL, 0, TEXT("production"),
        TEXT("{\"code\":\"type Point = Object[{attributes => {x => Integer}}]\",\"modulepath\":[]}"), NULL, &environment));
    error = bunraku_value_from_data(TEXT(data), NULL, false, &value);
    assert(error && strstr(bunraku_error_message(error, NULL), "Point"));
    bunraku_error_free(error);
    assert(!bunraku_value_from_data(TEXT(data), NULL, true, &value));
    bunraku_value_free(value);
    assert(!bunraku_value_from_data(TEXT(data), environment, false, &value));
    assert(!bunraku_value_from_data(TEXT(numbers), NULL, false, &again));
    expect_text(bunraku_value_to_data(again, NULL, 0, &text), &text, numbers);
    bunraku_value_free(again);
    expect_text(bunraku_value_to_string(value, NULL, 0, &text), &text, "[/x/, Point({'x' => 1})]");
    expect_text(bunraku_value_to_data(value, NULL, 0, &text), &text, data);
    error = bunraku_value_to_data(value, TEXT("{\"rich_data\":false}"), &text);
    assert(error && strstr(bunraku_error_message(error, NULL), "Regexp"));
    bunraku_error_free(error);
    expect_text(bunraku_value_to_data(value, TEXT("{\"rich_data\":false,\"allow_loss\":true}"), &text), &text,
                "[\"/x/\",\"Point({'x' => 1})\"]");
    for (format = BUNRAKU_STREAM_JSON; format <= BUNRAKU_STREAM_MSGPACK; format++) {
        assert(!bunraku_value_dump(value, format, NULL, 0, &stream));
        bytes = bunraku_bytes_data(stream, &length);
        assert(!bunraku_value_load(bytes, length, format, environment, &again));
        assert(bunraku_value_equals(value, again));
        bunraku_value_free(again);
        error = bunraku_value_load(bytes, length - 1, format, environment, &again);
        assert(error);
        bunraku_error_free(error);
        bunraku_bytes_free(stream);
    }
    error = bunraku_value_dump(value, 7, NULL, 0, &stream);
    assert(error);
    bunraku_error_free(error);
    bunraku_bytes_free(NULL);
    assert(!bunraku_bytes_data(NULL, NULL) && !bunraku_value_equals(value, NULL));
    bunraku_value_free(value);
    bunraku_environment_free(environment);
}

/* Where values come from, what differs, drawings. */
static void reports(void)
{
    static const char code[] = "{\"modulepath\":[],\"code\":\"$mode = '0600'\\nfile { '/a': mode => $mode }\"}";
    static const char other[] = "{\"modulepath\":[],\"code\":\"file { '/a': mode => '0644' }\"}";
    static const char options[] = "{\"by\":\"resource\",\"format\":\"dot\"}";
    bunraku_environment *environment = NULL, *second = NULL;
    bunraku_catalog *catalog = NULL, *plain = NULL;
    bunraku_string *text = NULL, *diff = NULL;
    bunraku_error *error;
    size_t length = 0;
    char request[2048];

    assert(!bunraku_environment_load(NULL, 0, TEXT("production"), code, strlen(code), NULL, &environment));
    assert(!bunraku_environment_load(NULL, 0, TEXT("production"), other, strlen(other), NULL, &second));
    error = bunraku_environment_compile(environment, TEXT("n"), NULL, 0, TEXT("{\"provenance\":true}"), &catalog);
    assert(!error);
    assert(!bunraku_environment_compile(second, TEXT("n"), NULL, 0, NULL, 0, &plain));

    assert(!bunraku_catalog_provenance_json(catalog, TEXT("File[/a]"), &text));
    assert(strstr(bunraku_string_data(text, NULL), "\"mode\":{\"kind\":\"expression\",\"line\":2,\"column\":14"));
    assert(strstr(bunraku_string_data(text, NULL), "\"name\":\"$mode\",\"kind\":\"variable\",\"line\":1"));
    bunraku_string_free(text);
    assert(!bunraku_catalog_why_json(catalog, TEXT("File[/a]"), &text));
    assert(strstr(bunraku_string_data(text, NULL), "\"how\":\"main\""));
    bunraku_string_free(text);
    assert(!bunraku_catalog_explain(catalog, TEXT("File[/a]"), NULL, 0, &text));
    assert(strstr(bunraku_string_data(text, NULL), "mode => '0600'"));
    bunraku_string_free(text);
    assert(strcmp(bunraku_catalog_data_keys_json(plain, NULL), "[]") == 0);
    error = bunraku_catalog_why_json(plain, TEXT("File[/a]"), &text);
    assert(error && strstr(bunraku_error_message(error, NULL), "provenance"));
    bunraku_error_free(error);

    assert(!bunraku_catalog_diff_json(catalog, plain, &diff));
    assert(strstr(bunraku_string_data(diff, &length), "\"from\":\"0600\",\"to\":\"0644\""));
    assert(!bunraku_diff_text(bunraku_string_data(diff, NULL), length, &text));
    assert(strcmp(bunraku_string_data(text, NULL), "~ File[/a]\n    mode: '0600' -> '0644'\n") == 0);
    bunraku_string_free(text);
    assert(snprintf(request, sizeof request, "{\"format\":\"html\",\"nodes\":[{\"node\":\"n\",\"diff\":%s}]}",
                    bunraku_string_data(diff, NULL)) < (int)sizeof request);
    assert(!bunraku_fleet_report(request, strlen(request), &text));
    assert(strncmp(bunraku_string_data(text, NULL), "<!DOCTYPE html>", 15) == 0);
    bunraku_string_free(text);
    bunraku_string_free(diff);
    assert(!bunraku_diff_json(TEXT("{\"resources\":[]}"), TEXT("{\"error\":\"broken\"}"), &text));
    assert(strstr(bunraku_string_data(text, NULL), "\"failure\":{\"to\":\"broken\"}"));
    bunraku_string_free(text);
    error = bunraku_diff_json(TEXT("{}"), TEXT("[]"), &text);
    assert(error && strstr(bunraku_error_message(error, NULL), "not a catalog"));
    bunraku_error_free(error);

    assert(!bunraku_catalog_graph(catalog, options, strlen(options), &text));
    assert(strstr(bunraku_string_data(text, NULL), "label=\"File[/a]\""));
    bunraku_string_free(text);
    refused(bunraku_catalog_graph(catalog, TEXT("{\"fromat\":\"dot\"}"), &text),
            "there is no 'fromat' in the options of a drawing (did you mean 'format'?)");
    assert(!bunraku_catalog_graph(catalog, NULL, 0, &text));
    assert(strncmp(bunraku_string_data(text, NULL), "<svg ", 5) == 0);
    bunraku_string_free(text);

    bunraku_catalog_free(plain);
    bunraku_catalog_free(catalog);
    bunraku_environment_free(second);
    bunraku_environment_free(environment);
}

int main(int count, char **arguments)
{
    assert(count == 2);
    programs();
    reports();
    stack();
    misuse();
    misspelt(arguments[1]);
    types();
    values();
    hosts(arguments[1]);
    rich_data_of_hosts();
    commands();
    limits();
    long_functions();
    catalogs(arguments[1]);
    puts("interface: ok");
    return 0;
}
