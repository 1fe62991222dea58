/* Templates in ERB are rendered without Ruby; what fails in them is told with its place. */
#include <bunraku.h>

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <string.h>

#define TEXT BUNRAKU_TEXT

static bunraku_error *compile(const char *options, bunraku_catalog **catalog)
{
    bunraku_environment *environment = NULL;
    bunraku_error *error;

    assert(
        !bunraku_environment_load(NULL, 0, TEXT("production"), bunraku_text_of(options), NULL, &environment));
    error =
        bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, NULL, catalog);
    bunraku_environment_free(environment);
    return error;
}

int main(void)
{
    bunraku_catalog *catalog = NULL;
    bunraku_string *json = NULL;
    bunraku_error *error;

    error = compile("{\"modulepath\":[],\"code\":\"$ports = { 'http' => 80, 'ftp' => 21 }\\n"
                    "$text = \\\"<% @ports.sort.each do |name, port| -%>\\\\n<%= name.upcase %>=<%= '%05d' % "
                    "port %>\\\\n<% end -%>\\\\n\\\"\\n"
                    "file { '/a': content => inline_template($text) }\"}",
                    &catalog);
    assert(!error && !bunraku_catalog_to_json(catalog, &json));
    assert(strstr(bunraku_string_data(json).data, "FTP=00021\\nHTTP=00080\\n"));
    bunraku_string_free(json);
    bunraku_catalog_free(catalog);

    error = compile("{\"modulepath\":[],\"code\":\"inline_template('<%= ObjectSpace.name %>')\"}", &catalog);
    assert(error && strstr(bunraku_error_message(error).data, "is not known to the Ruby that is built in"));
    bunraku_error_free(error);
    error = compile("{\"modulepath\":[],\"code\":\"inline_template('<%= @nothing.size %>')\"}", &catalog);
    assert(error && strstr(bunraku_error_message(error).data, "undefined method `size' for nil:NilClass"));
    bunraku_error_free(error);
    error = compile("{\"modulepath\":[],\"code\":\"inline_template('<%= %q(x) * 999999999 %>')\"}", &catalog);
    assert(error);
    bunraku_error_free(error);
    puts("templates: ok");
    return 0;
}
