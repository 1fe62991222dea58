/* Every part of the interface, used rightly and wrongly. */
#include <bunraku.h>

#include <pthread.h>
#include <time.h>

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT BUNRAKU_TEXT

static bool is(bunraku_text text, const char *wanted)
{
    return text.length == strlen(wanted) && memcmp(text.data, wanted, text.length) == 0;
}

static void programs(void)
{
    bunraku_program *program = NULL;
    bunraku_string *text = NULL;
    bunraku_error *error;
    bunraku_text shown;
    bunraku_span span;

    error = bunraku_program_parse(TEXT("$a = 1"), BUNRAKU_NO_TEXT, BUNRAKU_SYNTAX_MANIFEST, &program);
    assert(!error && program);
    error = bunraku_program_to_pn(program, TEXT("text"), &text);
    shown = bunraku_string_data(text);
    assert(!error && strcmp(shown.data, "(= (var \"a\") 1)") == 0 && shown.length == 15);
    bunraku_string_free(text);
    assert(!bunraku_program_to_pn(program, TEXT("pretty"), &text));
    assert(strcmp(bunraku_string_data(text).data, "(=\n  (var\n    \"a\")\n  1)") == 0);
    bunraku_string_free(text);
    assert(!bunraku_program_to_pn(program, TEXT("json"), &text));
    assert(strcmp(bunraku_string_data(text).data, "{\"^\":[\"=\",{\"^\":[\"var\",\"a\"]},1]}") == 0);
    bunraku_string_free(text);
    error = bunraku_program_to_pn(program, TEXT("xml"), &text);
    assert(error && strstr(bunraku_error_message(error).data, "format"));
    bunraku_error_free(error);
    bunraku_program_free(program);

    program = NULL;
    error = bunraku_program_parse(TEXT("$a =\n}"), TEXT("site.pp"), BUNRAKU_SYNTAX_MANIFEST, &program);
    assert(error && !program);
    shown = bunraku_error_message(error);
    assert(strcmp(shown.data, "Syntax error at '}'") == 0 && shown.length == 19);
    assert(strcmp(bunraku_error_issue_code(error).data, "SYNTAX_ERROR") == 0);
    assert(bunraku_error_kind(error) == BUNRAKU_FAILURE_SYNTAX);
    assert(strcmp(bunraku_error_kind_name(error), "syntax") == 0);
    assert(strcmp(bunraku_error_file(error).data, "site.pp") == 0);
    assert(bunraku_error_line(error) == 2 && bunraku_error_column(error) == 1);
    assert(bunraku_error_span(error, BUNRAKU_UNIT_UTF16, &span));
    assert(span.line == 2 && span.column == 1 && span.length == 1 && span.end_column == 2);
    assert(!bunraku_error_span(error, 7, &span) && !bunraku_error_span(NULL, 0, &span));
    bunraku_error_free(error);

    error = bunraku_program_parse(TEXT("$h = {a => 1, a => 2}"), BUNRAKU_NO_TEXT, BUNRAKU_SYNTAX_MANIFEST,
                                  &program);
    assert(!error);
    error = bunraku_program_validate(program, BUNRAKU_STRICTNESS_WARNING, &text);
    assert(!error && strstr(bunraku_string_data(text).data, "\"issue_code\":\"DUPLICATE_KEY\""));
    assert(strstr(bunraku_string_data(text).data,
                  "\"utf16\":{\"offset\":16,\"length\":2,\"line\":1,\"column\":17,\"end_line\":1,\"end_column\":19}"));
    bunraku_string_free(text);
    bunraku_program_free(program);

    /* Plans are part of the language where they are asked for. */
    assert(!bunraku_program_parse(TEXT("plan a() { apply($n) { } }"), BUNRAKU_NO_TEXT, BUNRAKU_SYNTAX_TASKS,
                                  &program));
    bunraku_program_free(program);
    error = bunraku_program_parse(TEXT("plan a() { apply($n) { } }"), BUNRAKU_NO_TEXT, BUNRAKU_SYNTAX_MANIFEST,
                                  &program);
    assert(error && bunraku_error_kind(error) == BUNRAKU_FAILURE_SYNTAX);
    bunraku_error_free(error);

    /* Edits. */
    error = bunraku_program_parse(TEXT("$a = 1 # one"), BUNRAKU_NO_TEXT, BUNRAKU_SYNTAX_MANIFEST, &program);
    assert(!error);
    error = bunraku_program_edit(program, TEXT("[{\"edit\":\"insert_after\",\"node\":2,\"text\":\" + 2\"}]"), &text);
    assert(!error && strcmp(bunraku_string_data(text).data, "$a = 1 + 2 # one") == 0);
    bunraku_string_free(text);
    error = bunraku_program_edit(program, TEXT("[{\"edit\":\"remove\",\"node\":0},{\"edit\":\"remove\",\"node\":0}]"), &text);
    assert(error && strstr(bunraku_error_message(error).data, "overlap") && bunraku_error_line(error) == 1);
    bunraku_error_free(error);
    error = bunraku_program_edit(program, TEXT("[{\"edit\":\"remove\",\"node\":99}]"), &text);
    assert(error && strstr(bunraku_error_message(error).data, "no such node"));
    bunraku_error_free(error);
    bunraku_program_free(program);
    error = bunraku_program_parse(TEXT("include a # a"), BUNRAKU_NO_TEXT, BUNRAKU_SYNTAX_MANIFEST, &program);
    assert(!error);
    error = bunraku_program_edit(
        program, TEXT("[{\"edit\":\"rename\",\"kind\":\"class\",\"from\":\"a\",\"to\":\"b::c\"}]"), &text);
    assert(!error && strcmp(bunraku_string_data(text).data, "include b::c # a") == 0);
    bunraku_string_free(text);
    bunraku_program_free(program);

    /* What the name of a file says, and where the input ends. */
    error = bunraku_program_parse(TEXT("<% $x = 1 %>"), TEXT("a.epp"), BUNRAKU_SYNTAX_BY_NAME, &program);
    assert(!error);
    bunraku_program_free(program);
    error = bunraku_program_parse_recovering(TEXT("class a {\n"), TEXT("a.pp"), BUNRAKU_SYNTAX_BY_NAME, &program);
    assert(!error);
    error = bunraku_program_errors(program, &text);
    assert(!error && strstr(bunraku_string_data(text).data, "\"line\":null,\"column\":null,\"offset\":10,\"length\":0"));
    bunraku_string_free(text);
    bunraku_program_free(program);

    error = bunraku_program_validate_files(TEXT("{\"paths\":[\"/nowhere/a.pp\"],\"exclude\":[\"b.pp\"]}"), &text);
    assert(!error && strstr(bunraku_string_data(text).data, "{\"files\":1,\"findings\":[{\"severity\":\"error\",\"issue_code\":\"unreadable\""));
    bunraku_string_free(text);
    error = bunraku_program_validate_files(TEXT("{\"path\":[]}"), &text);
    assert(error && strstr(bunraku_error_message(error).data, "path"));
    bunraku_error_free(error);
}

/* What an error says of the calls that led to it, as data and as text. */
static void stack(void)
{
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_error *error;

    error = bunraku_environment_load(NULL, 0, TEXT("production"),
                                     TEXT("{\"code\":\"define d() {\\n  fail('no')\\n}\\nclass a {\\n  d { "
                                          "'x': }\\n}\\ninclude a\",\"modulepath\":[]}"),
                                     NULL, &environment);
    assert(!error);
    error =
        bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, NULL, &catalog);
    assert(error && !catalog);
    assert(strstr(bunraku_error_stack_json(error).data, "\"name\":\"D[x]\",\"file\":null,\"line\":5"));
    assert(strstr(bunraku_error_trace(error).data,
                  "\n  from fail (line 2)\n  from D[x] (line 5)\n  from Class[A] (line 4)"));
    assert(!bunraku_error_trace(NULL).data);
    bunraku_error_free(error);
    bunraku_environment_free(environment);
}

static void misuse(void)
{
    bunraku_program *program = NULL;
    bunraku_error *error =
        bunraku_program_parse((bunraku_text){NULL, 3}, BUNRAKU_NO_TEXT, BUNRAKU_SYNTAX_MANIFEST, &program);

    assert(error && strcmp(bunraku_error_message(error).data, "source is NULL") == 0 && !program);
    assert(!bunraku_error_issue_code(error).data && !bunraku_error_file(error).data &&
           bunraku_error_line(error) == 0);
    bunraku_error_free(error);
    error = bunraku_program_parse(TEXT("\xff"), BUNRAKU_NO_TEXT, BUNRAKU_SYNTAX_MANIFEST, &program);
    assert(error && !program);
    bunraku_error_free(error);
    error = bunraku_program_parse(TEXT("1"), BUNRAKU_NO_TEXT, BUNRAKU_SYNTAX_MANIFEST, NULL);
    assert(error);
    bunraku_error_free(error);
    error = bunraku_environment_compile(NULL, TEXT("n"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, NULL, NULL);
    assert(error);
    bunraku_error_free(error);

    bunraku_error_free(NULL);
    bunraku_string_free(NULL);
    bunraku_program_free(NULL);
    bunraku_catalog_free(NULL);
    bunraku_environment_free(NULL);
    assert(!bunraku_error_message(NULL).data && !bunraku_string_data(NULL).data);
    assert(bunraku_catalog_resource_count(NULL) == 0 && !bunraku_catalog_resource(NULL, 0));
    assert(strcmp(bunraku_version(), "0.2.0") == 0);
}

/* Fails with a message. */
static void refused(bunraku_error *error, const char *message)
{
    assert(error);
    if (strcmp(bunraku_error_message(error).data, message) != 0) {
        printf("%s\n%s\n", bunraku_error_message(error).data, message);
    }
    assert(strcmp(bunraku_error_message(error).data, message) == 0);
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
        {"{\"trusted\":{\"extension\":{}}}",
         "there is no 'extension' in 'trusted' (did you mean 'extensions'?)"},
        {"{\"classification\":{\"clases\":{}}}",
         "there is no 'clases' in 'classification' (did you mean 'classes'?)"},
        {"{\"something else\":1}", "there is no 'something else' in the request"},
    };
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_classifier *classifier = NULL;
    bunraku_program *program = NULL;
    bunraku_string *answer = NULL;
    bool is_flawless;

    refused(bunraku_environment_load((bunraku_text[]){bunraku_text_of(path)}, 1, TEXT("production"),
                                     TEXT("{\"file_sise\":1}"), NULL, &environment),
            "there is no 'file_sise' in the options of an environment (did you mean 'file_size'?)");
    refused(bunraku_environment_load((bunraku_text[]){bunraku_text_of(path)}, 1, TEXT("production"),
                                     TEXT("{\"settings\":{\"strcit\":\"off\"}}"), NULL, &environment),
            "there is no setting 'strcit' (did you mean 'strict'?)");
    assert(!bunraku_environment_load((bunraku_text[]){bunraku_text_of(path)}, 1, TEXT("production"),
                                     TEXT("{\"settings\":{\"vardir\":\"/v\"}}"), NULL, &environment));
    for (size_t number = 0; number < sizeof wrong / sizeof *wrong; number++) {
        const char *request = wrong[number].request;
        refused(bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT, bunraku_text_of(request),
                                            NULL, &catalog),
                wrong[number].message);
        refused(bunraku_environment_lookup(environment, TEXT("n"), BUNRAKU_NO_TEXT, bunraku_text_of(request),
                                           NULL, &answer),
                wrong[number].message);
    }
    refused(bunraku_environment_lookup(environment, TEXT("n"), BUNRAKU_NO_TEXT, TEXT("{\"explian\":true}"),
                                       NULL, &answer),
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
    refused(bunraku_catalog_convert(TEXT("{}"), TEXT("agent"), TEXT("puppetdb:9"),
                                    TEXT("{\"producr\":\"p\"}"), NULL, &answer),
            "there is no 'producr' in the submission (did you mean 'producer'?)");
    assert(!bunraku_program_parse(TEXT("1"), BUNRAKU_NO_TEXT, BUNRAKU_SYNTAX_MANIFEST, &program));
    refused(bunraku_program_is_flawless(program, TEXT("{\"manifests\":\"a\"}"), &is_flawless),
            "there is no 'manifests' in place_json (did you mean 'manifest'?)");
    bunraku_program_free(program);
}

/* A host with one function, one file more than the disk has, and a log. */
struct host_state {
    int logged;
    int freed;
};

static bool find_function(void *data, bunraku_text name, bunraku_sink *sink)
{
    (void)data;
    if (!is(name, "twice")) {
        return false;
    }
    bunraku_sink_add(sink, TEXT("Callable[Integer, Callable[Integer]]"));
    bunraku_sink_add(sink, TEXT("Callable[Integer]"));
    return true;
}

/* Whether a file has no flaw, where modules are in /modules, and the manifests of the site, too. */
static bool is_flawless(const char *file, const char *code)
{
    bunraku_program *program = NULL;
    bool answer;

    assert(!bunraku_program_parse(bunraku_text_of(code), bunraku_text_of(file), BUNRAKU_SYNTAX_MANIFEST,
                                  &program));
    assert(!bunraku_program_is_flawless(
        program, TEXT("{\"manifest\":\"/modules/site\",\"modulepath\":[\"/modules\"]}"), &answer));
    bunraku_program_free(program);
    return answer;
}

static void places(void)
{
    assert(is_flawless("/modules/m/manifests/a.pp", "class m::a { }"));
    assert(!is_flawless("/modules/m/manifests/a.pp", "class n::a { }"));
    assert(is_flawless("/modules/site/a.pp", "class n::a { }"));
    assert(!is_flawless("/modules/site/a.pp", "$h = {a => 1, a => 2}"));
}

/* Answers with what was asked of the compilation. */
static bool passed(bunraku_error *error, bunraku_string **result, bunraku_sink *sink)
{
    if (error) {
        bunraku_error_free(error);
        return false;
    }
    bunraku_sink_write(sink, bunraku_string_data(*result));
    bunraku_string_free(*result);
    return true;
}

static bool call_function(void *data, bunraku_text name, size_t signature, bunraku_text arguments,
                          bunraku_call *call, bunraku_sink *sink)
{
    bunraku_string *result = NULL;

    (void)data;
    (void)name;
    assert(bunraku_call_has_block(call) == (signature == 0));
    if (!bunraku_call_has_block(call)) {
        bunraku_sink_write(sink, TEXT("0"));
        return true;
    }
    /* The block gets the arguments as they are: [n]. */
    return passed(bunraku_call_block(call, arguments, &result), &result, sink);
}

static void log_entry(void *data, bunraku_text entry)
{
    struct host_state *state = data;

    assert(entry.length == strlen(entry.data));
    state->logged += strstr(entry.data, "\"message\":\"42\"") != NULL;
}

static void free_data(void *data) { ((struct host_state *)data)->freed++; }

static void hosts(const char *path)
{
    struct host_state state = {0, 0};
    bunraku_host host = {.size = sizeof host,
                         .data = &state,
                         .find_function = find_function,
                         .call_function = call_function,
                         .log = log_entry,
                         .free_data = free_data};
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_error *error;

    (void)path;
    error = bunraku_environment_load(
        NULL, 0, TEXT("production"),
        TEXT("{\"code\":\"notice(twice(21) |$n| { $n * 2 } + twice(1))\",\"modulepath\":[]}"), &host,
        &environment);
    assert(!error);
    error =
        bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, NULL, &catalog);
    if (error) {
        fprintf(stderr, "%s\n", bunraku_error_message(error).data);
    }
    assert(!error);
    assert(state.logged == 1 && strstr(bunraku_catalog_logs_json(catalog).data, "\"42\""));
    bunraku_catalog_free(catalog);
    bunraku_environment_free(environment);
    assert(state.freed == 1);
}

/* Functions of a host speak rich data: secrets stay secrets on both ways, and what is no data of the language
 * is refused. */
static bool find_rich(void *data, bunraku_text name, bunraku_sink *sink)
{
    (void)data;
    if (is(name, "secret")) {
        bunraku_sink_add(sink, TEXT("Callable[Sensitive, 0, 1]"));
        return true;
    }
    if (!is(name, "through") && !is(name, "damaged")) {
        return false;
    }
    bunraku_sink_add(sink, TEXT("Callable"));
    return true;
}

static bool call_rich(void *data, bunraku_text name, size_t signature, bunraku_text arguments,
                      bunraku_call *call, bunraku_sink *sink)
{
    bunraku_string *result = NULL;

    (void)data;
    (void)signature;
    if (is(name, "secret")) {
        const char *secret = "{\"__ptype\":\"Sensitive\",\"__pvalue\":\"p4ss\"}";

        assert(arguments.length == 2 || strstr(arguments.data, secret));
        bunraku_sink_write(sink, bunraku_text_of(secret));
        return true;
    }
    if (is(name, "through")) {
        return passed(bunraku_call_function(call, TEXT("site::pass"), arguments, &result), &result, sink);
    }
    bunraku_sink_write(sink, TEXT("{\"__ptype\":\"Nothing::Known\",\"p4ss\":1}"));
    return true;
}

static void rich_data_of_hosts(void)
{
    bunraku_host host = {.size = sizeof host, .find_function = find_rich, .call_function = call_rich};
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
    error =
        bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, NULL, &catalog);
    if (error) {
        fprintf(stderr, "%s\n", bunraku_error_message(error).data);
    }
    assert(!error);
    logs = bunraku_catalog_logs_json(catalog).data;
    assert(!strstr(logs, "p4ss"));
    assert(strstr(logs, "\"Sensitive [value redacted] 4\"") &&
           strstr(logs, "{__ptype => Sensitive, __pvalue => x}"));
    assert(strstr(logs, "\"Regexp[/a/]\""));

    resource = bunraku_catalog_find(catalog, TEXT("File[/f]"));
    parameters = bunraku_resource_parameters_json(resource).data;
    assert(!strcmp(
        parameters,
        "{\"content\":{\"__ptype\":\"Sensitive\",\"__pvalue\":\"[value redacted]\"},\"owner\":\"root\"}"));
    assert(!strcmp(bunraku_resource_sensitive_parameters_json(resource).data, "[\"content\"]"));
    parameters = bunraku_resource_unwrapped_parameters_json(resource).data;
    assert(!strcmp(parameters, "{\"content\":\"p4ss\",\"owner\":\"root\"}"));
    resource = bunraku_catalog_find(catalog, TEXT("Notify[n]"));
    assert(!strcmp(bunraku_resource_sensitive_parameters_json(resource).data, "[]"));
    assert(!strcmp(bunraku_resource_parameters_json(resource).data,
                   "{\"message\":[{\"__ptype\":\"Sensitive\",\"__pvalue\":\"[value redacted]\"}]}"));
    assert(strstr(bunraku_resource_unwrapped_parameters_json(resource).data, "\"__pvalue\":\"p4ss\""));
    bunraku_catalog_free(catalog);

    error = bunraku_environment_compile(environment, TEXT("n"), TEXT("{\"damaged\":true}"), BUNRAKU_NO_TEXT,
                                        NULL, &catalog);
    assert(error && strstr(bunraku_error_message(error).data, "Nothing::Known"));
    assert(!strstr(bunraku_error_message(error).data, "p4ss"));
    bunraku_error_free(error);
    bunraku_environment_free(environment);
}

static void *cancel_soon(void *cancel)
{
    struct timespec pause = {0, 50 * 1000 * 1000};

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
    static const char *const expected[] = {"running commands is not allowed: /bin/echo",
                                           "/etc/puppetlabs/puppet/ssl",
                                           "Execution of '/bin/false' returned 1: "};

    for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
        bunraku_environment *environment = NULL;
        bunraku_catalog *catalog = NULL;
        bunraku_error *error = bunraku_environment_load(NULL, 0, TEXT("production"),
                                                        bunraku_text_of(options[i]), NULL, &environment);

        assert(!error);
        error = bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, NULL,
                                            &catalog);
        assert((error != NULL) == (i != 1));
        assert(bunraku_catalog_reads_settings(catalog) == (i == 1));
        assert(strstr(error ? bunraku_error_message(error).data : bunraku_catalog_logs_json(catalog).data,
                      expected[i]));
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

    error = bunraku_environment_lookup(environment, TEXT("n"), BUNRAKU_NO_TEXT, bunraku_text_of(requests[1]),
                                       cancel, &answer);
    assert(!error && strstr(bunraku_string_data(answer).data, "\"value\":1"));
    bunraku_string_free(answer);
    answer = NULL;
    assert(pthread_create(&thread, NULL, cancel_soon, cancel) == 0);
    for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
        error = bunraku_environment_lookup(environment, TEXT("n"), BUNRAKU_NO_TEXT,
                                           bunraku_text_of(requests[i]), cancel, &answer);
        assert(error && !answer && bunraku_error_kind(error) == BUNRAKU_FAILURE_CANCELLED);
        bunraku_error_free(error);
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

    error = bunraku_environment_load(
        NULL, 0, TEXT("production"),
        TEXT("{\"code\":\"Integer[1, 999999999].each |$i| { $i }\",\"modulepath\":[]}"), NULL, &environment);
    assert(!error);
    error = bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT,
                                        TEXT("{\"limits\":{\"steps\":1000}}"), NULL, &catalog);
    assert(error && !catalog && strstr(bunraku_error_message(error).data, "1000 steps"));
    assert(bunraku_error_line(error) == 1);
    bunraku_error_free(error);

    assert(cancel && !bunraku_cancel_is_set(cancel));
    assert(pthread_create(&thread, NULL, cancel_soon, cancel) == 0);
    error = bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, cancel,
                                        &catalog);
    assert(error && !catalog && strstr(bunraku_error_message(error).data, "cancelled"));
    assert(bunraku_error_line(error) == 1);
    bunraku_error_free(error);
    assert(pthread_join(thread, NULL) == 0);
    bunraku_cancel_free(cancel);
    cancelled_lookups(environment);
    bunraku_environment_free(environment);

    error = bunraku_environment_load(
        NULL, 0, TEXT("production"),
        TEXT("{\"code\":\"Integer[1, 20].map |$i| { sprintf('%0100000d', $i) }\",\"modulepath\":[]}"), NULL,
        &environment);
    assert(!error);
    error = bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT,
                                        TEXT("{\"limits\":{\"memory\":1000000}}"), NULL, &catalog);
    assert(error && !catalog && strstr(bunraku_error_message(error).data, "1000000 bytes of memory"));
    assert(bunraku_error_line(error) == 1);
    bunraku_error_free(error);
    error = bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT,
                                        TEXT("{\"limits\":{\"memory\":null}}"), NULL, &catalog);
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
        "{\"code\":\"notice(Integer[1, 100000000].any |$n| { md5(sprintf('%05000000d', $n)) == 'x' "
        "})\",\"modulepath\":[]}",
    };

    for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
        bunraku_environment *environment = NULL;
        bunraku_catalog *catalog = NULL;
        bunraku_cancel *cancel = bunraku_cancel_new();
        bunraku_error *error;
        struct timespec start, end;
        pthread_t thread;

        error = bunraku_environment_load(NULL, 0, TEXT("production"), bunraku_text_of(programs[i]), NULL,
                                         &environment);
        assert(!error);
        clock_gettime(CLOCK_MONOTONIC, &start);
        assert(pthread_create(&thread, NULL, cancel_soon, cancel) == 0);
        error = bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, cancel,
                                            &catalog);
        clock_gettime(CLOCK_MONOTONIC, &end);
        if (!error || !strstr(bunraku_error_message(error).data, "cancelled")) {
            fprintf(stderr, "%s\n%s\n", programs[i], error ? bunraku_error_message(error).data : "no error");
        }
        assert(error && !catalog && strstr(bunraku_error_message(error).data, "cancelled"));
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

    error = bunraku_environment_load((bunraku_text[]){bunraku_text_of(path)}, 1, TEXT("nowhere"),
                                     BUNRAKU_NO_TEXT, NULL, &environment);
    assert(error && !environment && strstr(bunraku_error_message(error).data, "nowhere"));
    bunraku_error_free(error);

    error = bunraku_environment_load((bunraku_text[]){bunraku_text_of(path)}, 1, TEXT("production"),
                                     TEXT("{\"reload\":\"sometimes\"}"), NULL, &environment);
    assert(error != NULL);
    bunraku_error_free(error);
    error = bunraku_environment_load((bunraku_text[]){bunraku_text_of(path)}, 1, TEXT("production"),
                                     TEXT("{\"reload\":\"changed\",\"fresh_data\":true}"), NULL, &environment);
    assert(error == NULL);
    assert(bunraku_environment_clear(environment) == NULL);
    bunraku_environment_free(environment);
    error = bunraku_environment_load((bunraku_text[]){bunraku_text_of(path)}, 1, TEXT("production"),
                                     BUNRAKU_NO_TEXT, NULL, &environment);
    assert(!error);
    error = bunraku_environment_compile(environment, TEXT("plain.example.net"), TEXT("{\"os\":"),
                                        BUNRAKU_NO_TEXT, NULL, &catalog);
    assert(error && !catalog && strstr(bunraku_error_message(error).data, "JSON"));
    bunraku_error_free(error);

    error =
        bunraku_environment_compile(environment, TEXT("plain.example.net"),
                                    TEXT("{\"os\":{\"family\":\"Debian\"},\"networking\":{\"fqdn\":\"x\"}}"),
                                    BUNRAKU_NO_TEXT, NULL, &catalog);
    assert(!error);
    assert(bunraku_catalog_resource_count(catalog) > 5);
    resource = bunraku_catalog_find(catalog, TEXT("File[/etc/motd]"));
    assert(resource && strcmp(bunraku_resource_type(resource).data, "File") == 0);
    assert(strcmp(bunraku_resource_title(resource).data, "/etc/motd") == 0);
    assert(bunraku_resource_line(resource) == 13 && strstr(bunraku_resource_file(resource).data, "base.pp"));
    assert(strstr(bunraku_resource_parameters_json(resource).data, "\"mode\":\"0644\""));
    assert(strstr(bunraku_resource_tags_json(resource).data, "\"profile::base\""));
    assert(!bunraku_resource_is_exported(resource));
    assert(!bunraku_catalog_find(catalog, TEXT("File[/nowhere]")));
    assert(strstr(bunraku_catalog_data_keys_json(catalog).data, "\"profile::base::packages\""));
    bunraku_catalog_free(catalog);

    error = bunraku_environment_compile(environment, TEXT("plain.example.net"), BUNRAKU_NO_TEXT,
                                        TEXT("{\"server_facts\":true}"), NULL, &catalog);
    assert(!error);
    bunraku_catalog_free(catalog);
    error =
        bunraku_environment_lookup(environment, TEXT("plain.example.net"), BUNRAKU_NO_TEXT,
                                   TEXT("{\"key\":\"profile::users::accounts.deploy.uid\"}"), NULL, &text);
    assert(!error && strcmp(bunraku_string_data(text).data, "{\"value\":2000}") == 0);
    bunraku_string_free(text);
    error = bunraku_environment_lookup(environment, TEXT("plain.example.net"), BUNRAKU_NO_TEXT,
                                       TEXT("{\"key\":\"profile::users::accounts\",\"explain\":true}"), NULL,
                                       &text);
    assert(!error && strstr(bunraku_string_data(text).data, "\"explain_data\":{\"branches\":["));
    bunraku_string_free(text);
    for (int shows = 0; shows < 2; shows++) {
        const char *request =
            shows ? "{\"key\":\"profile::database::password\",\"explain\":true,\"show_secrets\":true}"
                  : "{\"key\":\"profile::database::password\",\"explain\":true}";
        error = bunraku_environment_lookup(environment, TEXT("db01.example.net"), BUNRAKU_NO_TEXT,
                                           bunraku_text_of(request), NULL, &text);
        assert(!error &&
               (strstr(bunraku_string_data(text).data, "value: \\\"correct horse") != NULL) == shows);
        bunraku_string_free(text);
    }
    bunraku_environment_free(environment);
}

static bunraku_value *value_of(const char *json)
{
    bunraku_value *value = NULL;

    assert(!bunraku_value_from_json(bunraku_text_of(json), &value));
    return value;
}

static bunraku_type *type_of(const char *source, const bunraku_environment *environment)
{
    bunraku_type *type = NULL;

    assert(!bunraku_type_parse(bunraku_text_of(source), environment, &type));
    return type;
}

static void expect_text(bunraku_error *error, bunraku_string **text, const char *expected)
{
    assert(!error);
    if (strcmp(bunraku_string_data(*text).data, expected) != 0) {
        fprintf(stderr, "%s\n", bunraku_string_data(*text).data);
    }
    assert(strcmp(bunraku_string_data(*text).data, expected) == 0);
    bunraku_string_free(*text);
    *text = NULL;
}

static void types(void)
{
    bunraku_type *integers = type_of("Array[Integer, 1]", NULL), *other = NULL, *broken = NULL;
    bunraku_value *value = value_of("[1, 2]"), *texts = value_of("[1, \"a\"]"),
                  *arguments = value_of("[\"0x1f\", 16]");
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
    assert(error && strstr(bunraku_error_message(error).data, "bunraku_inference"));
    bunraku_error_free(error);
    bunraku_type_free(integers);

    integers = type_of("Integer", NULL);
    other = type_of("Float", NULL);
    assert(!bunraku_type_common(integers, other, &broken));
    expect_text(bunraku_type_to_string(broken, &text), &text, "Numeric");
    bunraku_type_free(broken);
    bunraku_type_free(other);
    assert(!bunraku_type_new(integers, arguments, NULL, &made));
    expect_text(bunraku_value_to_string(made, BUNRAKU_NO_TEXT, &text), &text, "31");
    expect_text(bunraku_value_to_string(made, TEXT("%#x"), &text), &text, "0x1f");
    bunraku_value_free(made);
    error = bunraku_type_new(integers, texts, NULL, &made);
    assert(error && bunraku_error_message(error).data);
    bunraku_error_free(error);
    assert(!bunraku_type_is_instance(NULL, value) && !bunraku_type_is_instance(integers, NULL));
    assert(!bunraku_type_to_value(integers, &made));
    expect_text(bunraku_value_to_data(made, BUNRAKU_NO_TEXT, &text), &text,
                "{\"__ptype\":\"Pcore::IntegerType\"}");
    bunraku_value_free(made);
    bunraku_type_free(integers);
    bunraku_type_free(NULL);
    bunraku_value_free(value);
    bunraku_value_free(texts);
    bunraku_value_free(arguments);
}

static void values(void)
{
    static const char data[] =
        "[{\"__ptype\":\"Regexp\",\"__pvalue\":\"x\"},{\"__ptype\":\"Point\",\"x\":1}]";
    static const char numbers[] = "{\"a\":[18446744073709551616,-123456789012345678901234567890,0.5]}";
    bunraku_environment *environment = NULL;
    bunraku_value *value = NULL, *again = NULL;
    bunraku_string *text = NULL;
    bunraku_bytes *stream = NULL;
    bunraku_error *error;
    bunraku_text bytes;
    uint32_t format;

    assert(!bunraku_environment_load(
        NULL, 0, TEXT("production"),
        TEXT("{\"code\":\"type Point = Object[{attributes => {x => Integer}}]\",\"modulepath\":[]}"), NULL,
        &environment));
    error = bunraku_value_from_data(bunraku_text_of(data), NULL, false, &value);
    assert(error && strstr(bunraku_error_message(error).data, "Point"));
    bunraku_error_free(error);
    assert(!bunraku_value_from_data(bunraku_text_of(data), NULL, true, &value));
    bunraku_value_free(value);
    assert(!bunraku_value_from_data(bunraku_text_of(data), environment, false, &value));
    assert(!bunraku_value_from_data(bunraku_text_of(numbers), NULL, false, &again));
    expect_text(bunraku_value_to_data(again, BUNRAKU_NO_TEXT, &text), &text, numbers);
    bunraku_value_free(again);
    expect_text(bunraku_value_to_string(value, BUNRAKU_NO_TEXT, &text), &text, "[/x/, Point({'x' => 1})]");
    expect_text(bunraku_value_to_data(value, BUNRAKU_NO_TEXT, &text), &text, data);
    error = bunraku_value_to_data(value, TEXT("{\"rich_data\":false}"), &text);
    assert(error && strstr(bunraku_error_message(error).data, "Regexp"));
    bunraku_error_free(error);
    expect_text(bunraku_value_to_data(value, TEXT("{\"rich_data\":false,\"allow_loss\":true}"), &text), &text,
                "[\"/x/\",\"Point({'x' => 1})\"]");
    for (format = BUNRAKU_STREAM_JSON; format <= BUNRAKU_STREAM_MSGPACK; format++) {
        assert(!bunraku_value_dump(value, format, BUNRAKU_NO_TEXT, &stream));
        bytes = bunraku_bytes_data(stream);
        assert(!bunraku_value_load(bytes, format, environment, &again));
        assert(bunraku_value_equals(value, again));
        bunraku_value_free(again);
        error = bunraku_value_load((bunraku_text){bytes.data, bytes.length - 1}, format, environment, &again);
        assert(error);
        bunraku_error_free(error);
        bunraku_bytes_free(stream);
    }
    error = bunraku_value_dump(value, 7, BUNRAKU_NO_TEXT, &stream);
    assert(error);
    bunraku_error_free(error);
    bunraku_bytes_free(NULL);
    assert(!bunraku_bytes_data(NULL).data && !bunraku_value_equals(value, NULL));
    bunraku_value_free(value);
    bunraku_environment_free(environment);
}

/* Where values come from, what differs, drawings. */
static void reports(void)
{
    static const char code[] =
        "{\"modulepath\":[],\"code\":\"$mode = '0600'\\nfile { '/a': mode => $mode }\"}";
    static const char other[] = "{\"modulepath\":[],\"code\":\"file { '/a': mode => '0644' }\"}";
    static const char options[] = "{\"by\":\"resource\",\"format\":\"dot\"}";
    bunraku_environment *environment = NULL, *second = NULL;
    bunraku_catalog *catalog = NULL, *plain = NULL;
    bunraku_string *text = NULL, *diff = NULL;
    bunraku_error *error;
    char request[2048];

    assert(!bunraku_environment_load(NULL, 0, TEXT("production"), bunraku_text_of(code), NULL, &environment));
    assert(!bunraku_environment_load(NULL, 0, TEXT("production"), bunraku_text_of(other), NULL, &second));
    error = bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT,
                                        TEXT("{\"provenance\":true}"), NULL, &catalog);
    assert(!error);
    assert(!bunraku_environment_compile(second, TEXT("n"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, NULL, &plain));

    assert(!bunraku_catalog_provenance_json(catalog, TEXT("File[/a]"), &text));
    assert(
        strstr(bunraku_string_data(text).data, "\"mode\":{\"kind\":\"expression\",\"line\":2,\"column\":14"));
    assert(strstr(bunraku_string_data(text).data, "\"name\":\"$mode\",\"kind\":\"variable\",\"line\":1"));
    bunraku_string_free(text);
    assert(!bunraku_catalog_why_json(catalog, TEXT("File[/a]"), &text));
    assert(strstr(bunraku_string_data(text).data, "\"how\":\"main\""));
    bunraku_string_free(text);
    assert(!bunraku_catalog_explain(catalog, TEXT("File[/a]"), BUNRAKU_NO_TEXT, &text));
    assert(strstr(bunraku_string_data(text).data, "mode => '0600'"));
    bunraku_string_free(text);
    assert(strcmp(bunraku_catalog_data_keys_json(plain).data, "[]") == 0);
    assert(!bunraku_catalog_reads_settings(plain) && !bunraku_catalog_reads_settings(NULL));
    error = bunraku_catalog_why_json(plain, TEXT("File[/a]"), &text);
    assert(error && strstr(bunraku_error_message(error).data, "provenance"));
    bunraku_error_free(error);

    assert(!bunraku_catalog_diff_json(catalog, plain, &diff));
    assert(strstr(bunraku_string_data(diff).data, "\"from\":\"0600\",\"to\":\"0644\""));
    assert(!bunraku_diff_text(bunraku_string_data(diff), &text));
    assert(strcmp(bunraku_string_data(text).data, "~ File[/a]\n    mode: '0600' -> '0644'\n") == 0);
    bunraku_string_free(text);
    assert(snprintf(request, sizeof request, "{\"format\":\"html\",\"nodes\":[{\"node\":\"n\",\"diff\":%s}]}",
                    bunraku_string_data(diff).data) < (int)sizeof request);
    assert(!bunraku_fleet_report(bunraku_text_of(request), &text));
    assert(strncmp(bunraku_string_data(text).data, "<!DOCTYPE html>", 15) == 0);
    bunraku_string_free(text);
    bunraku_string_free(diff);
    assert(!bunraku_diff_json(TEXT("{\"resources\":[]}"), TEXT("{\"error\":\"broken\"}"), &text));
    assert(strstr(bunraku_string_data(text).data, "\"failure\":{\"to\":\"broken\"}"));
    bunraku_string_free(text);
    error = bunraku_diff_json(TEXT("{}"), TEXT("[]"), &text);
    assert(error && strstr(bunraku_error_message(error).data, "not a catalog"));
    bunraku_error_free(error);

    assert(!bunraku_catalog_graph(catalog, bunraku_text_of(options), &text));
    assert(strstr(bunraku_string_data(text).data, "label=\"File[/a]\""));
    bunraku_string_free(text);
    refused(bunraku_catalog_graph(catalog, TEXT("{\"fromat\":\"dot\"}"), &text),
            "there is no 'fromat' in the options of a drawing (did you mean 'format'?)");
    assert(!bunraku_catalog_graph(catalog, BUNRAKU_NO_TEXT, &text));
    assert(strncmp(bunraku_string_data(text).data, "<svg ", 5) == 0);
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
    places();
    hosts(arguments[1]);
    rich_data_of_hosts();
    commands();
    limits();
    long_functions();
    catalogs(arguments[1]);
    puts("interface: ok");
    return 0;
}
