/* What modules and other libraries have in Ruby runs without Ruby: functions of both APIs, and the title
 * patterns of a type. */
#include <bunraku.h>

#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT BUNRAKU_TEXT

static char root[] = "/tmp/bunraku-module-ruby-XXXXXX";

/* Writes a file below the root, with the directories around it. */
static void put(const char *path, const char *text)
{
    char full[512];
    FILE *file;

    snprintf(full, sizeof full, "%s/%s", root, path);
    for (char *at = full + strlen(root) + 1; (at = strchr(at, '/')); at++) {
        *at = 0;
        mkdir(full, 0700);
        *at = '/';
    }
    assert((file = fopen(full, "w")));
    fputs(text, file);
    fclose(file);
}

/* What has a Ruby of its own, for what the built-in Ruby does not know. */
static const bunraku_host *ruby;

static bunraku_error *compile(const char *code, bunraku_string **json)
{
    bunraku_environment *environment = NULL;
    bunraku_catalog *catalog = NULL;
    bunraku_error *error;
    char options[2048];

    snprintf(options, sizeof options,
             "{\"modulepath\":[\"%s\"],\"code\":\"%s\",\"gems\":[\"%s/.gem\"],\"load_path\":[\"%s/.ruby\"],"
             "\"settings\":{\"libdir\":\"%s/.libdir\",\"vendormoduledir\":\"%s/.vendored\"},"
             "\"writable\":[\"%s/.kept\"]}",
             root, code, root, root, root, root, root);
    assert(
        !bunraku_environment_load(NULL, 0, TEXT("production"), bunraku_text_of(options), ruby, &environment));
    error =
        bunraku_environment_compile(environment, TEXT("n"), BUNRAKU_NO_TEXT, BUNRAKU_NO_TEXT, NULL, &catalog);
    if (!error)
        assert(!bunraku_catalog_to_json(catalog, json));
    bunraku_catalog_free(catalog);
    bunraku_environment_free(environment);
    return error;
}

/* The catalog has a text. */
static void gives(const char *code, const char *text)
{
    bunraku_string *json = NULL;
    bunraku_error *error = compile(code, &json);

    if (error)
        fprintf(stderr, "%s\n", bunraku_error_message(error).data);
    assert(!error);
    if (!strstr(bunraku_string_data(json).data, text))
        fprintf(stderr, "%s\nhas no %s\n", bunraku_string_data(json).data, text);
    assert(strstr(bunraku_string_data(json).data, text));
    bunraku_string_free(json);
}

/* The compilation fails with a text. */
static void fails(const char *code, const char *text)
{
    bunraku_string *json = NULL;
    bunraku_error *error = compile(code, &json);

    assert(error);
    if (!strstr(bunraku_error_message(error).data, text))
        fprintf(stderr, "%s\nis not %s\n", bunraku_error_message(error).data, text);
    assert(strstr(bunraku_error_message(error).data, text));
    bunraku_error_free(error);
}

static bool is(bunraku_text text, const char *wanted)
{
    return text.length == strlen(wanted) && memcmp(text.data, wanted, text.length) == 0;
}

static bool ends(bunraku_text text, const char *wanted)
{
    return text.length >= strlen(wanted) &&
           memcmp(text.data + text.length - strlen(wanted), wanted, strlen(wanted)) == 0;
}

static bool find_module_function(void *data, bunraku_text name, bunraku_text path, bool is_legacy,
                                 bunraku_sink *sink)
{
    assert(!data && is_legacy == is(name, "old_space"));
    if (is(name, "m::gone")) {
        return false;
    }
    if (is(name, "m::broken")) {
        bunraku_sink_write(sink, TEXT("this Ruby does not know it, either"));
        return false;
    }
    assert(ends(path, is_legacy ? "/m/lib/puppet/parser/functions/old_space.rb"
                                : "/m/lib/puppet/functions/m/space.rb"));
    bunraku_sink_add(sink, is_legacy ? TEXT("-2") : TEXT("Callable[Integer]"));
    if (is_legacy) {
        bunraku_sink_add(sink, TEXT("rvalue"));
    }
    return true;
}

static bool call_function(void *data, bunraku_text name, size_t signature, bunraku_text arguments,
                          bunraku_call *call, bunraku_sink *sink)
{
    bunraku_string *more = NULL;

    assert(!data && !signature);
    assert(!bunraku_call_variable(call, TEXT("more"), &more));
    bunraku_sink_write(sink, TEXT("\"spaces of "));
    bunraku_sink_write(sink, is(name, "old_space") ? TEXT("old") : TEXT("new"));
    bunraku_sink_write(sink, is(arguments, "[7]") ? TEXT(" 7 ") : TEXT(" other "));
    bunraku_sink_write(sink, bunraku_string_data(more));
    bunraku_sink_write(sink, TEXT("\""));
    bunraku_string_free(more);
    return true;
}

static bool render_template(void *data, bunraku_text path, bunraku_text text, bunraku_call *call,
                            bunraku_sink *sink)
{
    bunraku_string *more = NULL;

    assert(!data && ends(path, "/m/templates/space.erb") && is(text, "<%= ObjectSpace.name %> <%= @more %>"));
    assert(!bunraku_call_variable(call, TEXT("more"), &more));
    bunraku_sink_write(sink, TEXT("rendered "));
    bunraku_sink_write(sink, bunraku_string_data(more));
    bool has_more = bunraku_string_data(more).length > 0;
    bunraku_string_free(more);
    return has_more;
}

/* What a host has no callbacks for is the disk: functions write where they may, and `**` follows no link. */
static void on_the_disk(void)
{
    char link[512], code[512];

    snprintf(code, sizeof code, "notify { m::keep('%s/.kept', 'two/files'): }", root);
    gives(code, "\"title\":\"two/files: two/files.txt\"");
    snprintf(link, sizeof link, "%s/.kept/again", root);
    assert(!symlink(".", link));
    gives(code, "\"title\":\"two/files: two/files.txt\"");
    snprintf(code, sizeof code, "m::keep('%s/elsewhere', 'a')", root);
    fails(code, "elsewhere");
}

/* The host runs what the built-in Ruby does not know, and nothing else. */
static void by_the_host(void)
{
    static const bunraku_host host = {.size = sizeof host,
                                      .find_module_function = find_module_function,
                                      .call_function = call_function,
                                      .render_template = render_template};
    static const bunraku_host none = {.size = sizeof none};

    ruby = &host;
    gives("$more = 1 notify { m::space(7): }", "\"title\":\"spaces of new 7 1\"");
    gives("$more = 1 notify { old_space(7): }", "\"title\":\"spaces of old 7 1\"");
    gives("$more = 2 notify { template('m/space.erb'): }", "\"title\":\"rendered 2\"");
    gives("notify { m::join(['a', 'b']): }", "\"title\":\"A-B\"");
    fails("$more = 1 m::space('x')", "expects an Integer value, got String");
    fails("$more = 1 $x = old_space()", "old_space(): Wrong number of arguments given (0 for minimum 1)");
    fails("m::gone()", "ObjectSpace");
    fails("m::broken()", "this Ruby does not know it, either");

    /* An environment without a host of its own asks the one of the thread. */
    ruby = &none;
    on_the_disk();
    fails("$more = 1 notify { m::space(7): }", "expects no arguments, got 1");
    assert(!bunraku_host_attach(&host));
    gives("$more = 1 notify { m::space(7): }", "\"title\":\"spaces of new 7 1\"");
    gives("$more = 2 notify { template('m/space.erb'): }", "\"title\":\"rendered 2\"");
    assert(!bunraku_host_attach(NULL));
    ruby = NULL;
}

int main(void)
{
    char command[64];

    assert(mkdtemp(root));
    put("m/lib/puppet/functions/m/join.rb",
        "Puppet::Functions.create_function(:'m::join') do\n"
        "  dispatch :list do\n    param 'Array[String]', :list\n    optional_param 'String', :between\n  "
        "end\n"
        "  dispatch :hash do\n    param 'Hash', :hash\n  end\n"
        "  def list(list, between = '-')\n    list.map(&:upcase).join(between)\n  end\n"
        "  def hash(hash)\n    hash.map { |key, value| \"#{key}#{value}\" }.join(',')\n  end\n"
        "end\n");
    put("m/lib/puppet/functions/m/space.rb",
        "Puppet::Functions.create_function(:'m::space') do\n  def space = ObjectSpace.name\nend\n");
    put("m/lib/puppet/functions/m/keep.rb",
        "Puppet::Functions.create_function(:'m::keep') do\n"
        "  def keep(top, name)\n"
        "    file = File.join(top, \"#{name}.txt\")\n"
        "    FileUtils.mkdir_p(File.dirname(file))\n"
        "    File.write(file, name)\n"
        "    found = Dir.glob(File.join(top, '**', '*.txt')).map { |one| one.delete_prefix(\"#{top}/\") }\n"
        "    \"#{File.read(file)}: #{found.join(' ')}\"\n"
        "  end\n"
        "end\n");
    put("m/lib/puppet/functions/m/gone.rb",
        "Puppet::Functions.create_function(:'m::gone') do\n  def gone = ObjectSpace.name\nend\n");
    put("m/lib/puppet/functions/m/broken.rb",
        "Puppet::Functions.create_function(:'m::broken') do\n  def broken = ObjectSpace.name\nend\n");
    put("m/lib/puppet/parser/functions/old_space.rb",
        "Puppet::Parser::Functions.newfunction(:old_space, :type => :rvalue) { |args| ObjectSpace.name }\n");
    put("m/templates/space.erb", "<%= ObjectSpace.name %> <%= @more %>");
    put("m/lib/puppet/functions/m/block.rb",
        "Puppet::Functions.create_function(:'m::block') do\n"
        "  dispatch :block do\n    param 'Integer', :x\n    block_param\n  end\n"
        "  def block(x)\n    yield(x)\n  end\n"
        "end\n");
    put("m/lib/puppet/parser/functions/old_sum.rb",
        "module Puppet::Parser::Functions\n"
        "  newfunction(:old_sum, :type => :rvalue, :arity => -2, :doc => 'Adds') do |args|\n"
        "    raise(Puppet::ParseError, 'old_sum(): only numbers') unless args.all? { |one| "
        "one.is_a?(Numeric) }\n"
        "    args.inject(0) { |sum, one| sum + one } + (lookupvar('more') || 0)\n"
        "  end\n"
        "end\n");
    put("m/lib/puppet/parser/functions/old_say.rb",
        "Puppet::Parser::Functions.newfunction(:old_say, :type => :statement) do |args|\n"
        "  function_create_resources(['notify', { args[0] => { 'message' => function_sprintf(['%s!', "
        "args[0]]) } }])\n"
        "end\n");
    put("m/lib/puppet/type/m_box.rb",
        "Puppet::Type.newtype(:m_box) do\n"
        "  ensurable\n  newparam(:name, :namevar => true)\n  newparam(:shelf, :namevar => true)\n  "
        "newproperty(:width)\n"
        "  def self.title_patterns\n"
        "    [[/\\A([^@]+)@(.*)\\z/, [[:name], [:shelf]]], [/\\A(.*)\\z/m, [[:name]]]]\n"
        "  end\n"
        "end\n");

    /* Modules have no names with a dot: what stands there is found by the options alone. */
    for (int index = 0; index < 4; index++) {
        static const char *const places[] = {".gem", ".libdir", ".ruby", ".vendored/v/lib"};
        static const char *const names[] = {"gem", "libdir", "ruby", "vendored"};
        char path[128], text[256];

        snprintf(path, sizeof path, "%s/puppet/type/in_%s.rb", places[index], names[index]);
        snprintf(text, sizeof text,
                 "Puppet::Type.newtype(:in_%s) do\n  newparam(:name, :namevar => true)\nend\n", names[index]);
        put(path, text);
        snprintf(path, sizeof path, "%s/puppet/parser/functions/where.rb", places[index]);
        snprintf(text, sizeof text,
                 "Puppet::Parser::Functions.newfunction(:where, :type => :rvalue) { |args| '%s' }\n",
                 names[index]);
        put(path, text);
    }
    put(".vendored/v/manifests/init.pp", "class v { }\n");

    gives("in_gem { 'x': } in_libdir { 'x': } in_ruby { 'x': } in_vendored { 'x': }",
          "\"type\":\"In_vendored\"");
    gives("notify { where(): }", "\"title\":\"gem\"");
    fails("include v", "Could not find class ::v");
    gives("notify { m::join(['a', 'b']): }", "\"title\":\"A-B\"");
    gives("notify { m::join(['a', 'b'], '+'): }", "\"title\":\"A+B\"");
    gives("notify { m::join({'a' => 1, 'b' => 2}): }", "\"title\":\"a1,b2\"");
    gives("$b = m::block(1) |$x| { \\\"b${x}\\\" } notify { $b: }", "\"title\":\"b1\"");
    fails("m::space()", "ObjectSpace");
    fails("m::join([1])", "parameter 'list' index 0 expects a String value, got Integer");
    gives("$more = 4 $n = old_sum(1, 2) notify { \\\"n${n}\\\": }", "\"title\":\"n7\"");
    fails("old_sum('x')", "old_sum(): only numbers");
    fails("old_sum()", "old_sum(): Wrong number of arguments given (0 for minimum 1)");
    gives("old_say('hello')", "\"message\":\"hello!\"");
    gives("m_box { 'a@b': width => 1 }", "\"shelf\":\"b\"");
    gives("m_box { 'plain': width => 1 }", "\"title\":\"plain\"");
    fails("m_box { 'a@b': depth => 1 }", "no parameter named 'depth'");
    fails("m_box { 'a@b': } m_box { 'other': name => 'a', shelf => 'b' }", "Cannot alias");

    by_the_host();

    snprintf(command, sizeof command, "rm -r %s", root);
    assert(system(command) == 0);
    puts("module_ruby: ok");
    return 0;
}
