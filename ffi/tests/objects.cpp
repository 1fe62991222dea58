/* The header for C++: objects, exceptions, views. */
#include <bunraku.hpp>

#undef NDEBUG
#include <cassert>
#include <cstdio>
#include <cstring>

static void programs()
{
    bunraku::Program program = bunraku::Program::parse("$a = 1");
    assert(program.to_pn() == "(= (var \"a\") 1)" && program.validate() == "[]");
    assert(std::strcmp(bunraku_node_kind(program.body()), "AssignmentExpression") == 0);
    bunraku::Program moved = std::move(program);
    assert(moved.get() && !program.get());
    try {
        bunraku::Program::parse("$a =\n}", "site.pp");
        assert(false);
    } catch (const bunraku::Error &error) {
        assert(std::string("Syntax error at '}'") == error.what() && error.kind() == BUNRAKU_FAILURE_SYNTAX);
        assert(error.file() == "site.pp" && error.line() == 2 && error.column() == 1 &&
               error.issue_code() == "SYNTAX_ERROR");
    }
}

static void values()
{
    bunraku::OwnedValue owned = bunraku::OwnedValue::from_data(
        R"({"a": [1, 1.5, true, null], "s": {"__ptype": "Sensitive", "__pvalue": "p4ss"}})");
    bunraku::Value value = owned.view(), list = value["a"];
    assert(value.kind() == BUNRAKU_KIND_HASH && value.size() == 2 && value.key(0).text() == "a");
    assert(list.size() == 4 && list[0].integer() == 1 && list[1].real() == 1.5 && list[2].boolean() &&
           !list[1].integer());
    assert(list[3].kind() == BUNRAKU_KIND_UNDEF && !list[4] && !value["b"]);
    assert(value["s"].to_string() == "Sensitive [value redacted]" && value["s"].unwrap().text() == "p4ss");
    bunraku::Type type = bunraku::Type::parse("Array[Scalar, 1]");
    assert(type.to_string() == "Array[Scalar, 1]" && !type.is_instance(list) &&
           bunraku::Type::parse("Array").is_assignable(type));
}

static void catalogs(const char *path)
{
    bunraku::Environment example({path}, "production");
    assert(example
               .compile("plain.example.net",
                        R"({"os": {"family": "Debian"}, "networking": {"fqdn": "plain.example.net"}})")
               .size() > 3);

    bunraku::Environment environment(
        {}, "production",
        R"json({"modulepath": [], "code": "file { '/f': content => $facts['c'], mode => '0644' } notice('n')"})json");
    bunraku::Catalog catalog = environment.compile("n", R"({"c": "x"})");
    bunraku::Resource file = catalog.find("File[/f]");
    std::size_t count = 0;
    assert(file && file.type() == "File" && file["content"].text() == "x" && file.name(1) == "mode" &&
           !file["owner"]);
    for (bunraku::Resource resource : catalog) {
        count += !resource.title().empty() && !resource.tags().empty();
    }
    assert(count == catalog.size() && catalog.edges().size() == count - 1);
    assert(catalog.logs_json().find("\"message\":\"n\"") != std::string_view::npos);
    assert(catalog.to_json().find("\"name\":\"n\"") != std::string::npos);
    bunraku::OwnedValue facts =
        bunraku::OwnedValue::from_data(R"({"c": {"__ptype": "Sensitive", "__pvalue": "p4ss"}})");
    assert(environment.compile("n", facts.view()).find("File[/f]")["content"].unwrap().text() == "p4ss");
    assert(environment.lookup("n", "{}", R"({"key": "k", "default": 3})").find("\"value\":3") !=
           std::string::npos);

    bunraku::Cancel cancel;
    cancel.set();
    try {
        environment.compile("n", "", "", &cancel);
        assert(false);
    } catch (const bunraku::Error &error) {
        assert(cancel.is_set() && error.kind() == BUNRAKU_FAILURE_CANCELLED);
    }
}

int main(int count, char **arguments)
{
    assert(count == 2);
    programs();
    values();
    catalogs(arguments[1]);
    std::puts("objects: ok");
    return 0;
}
