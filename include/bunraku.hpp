/*
 * bunraku for C++17: the C interface with objects that free themselves, exceptions and std::string_view.
 *
 *     bunraku::Environment environment({"environments"}, "production");
 *     bunraku::Catalog catalog = environment.compile("web01", R"({"os": {"family": "Debian"}})");
 *     for (bunraku::Resource resource : catalog) {
 *         std::cout << resource.type() << '[' << resource.title() << "]\n";
 *     }
 *
 * Objects are immutable, as in C: any number of threads may use one at the same time. They are moved, not
 * copied. Views (std::string_view, Value, Resource) live as long as what they were asked of.
 */
#ifndef BUNRAKU_HPP
#define BUNRAKU_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bunraku.h"

namespace bunraku {

namespace detail {

inline bunraku_text in(std::string_view text) { return {text.data(), text.size()}; }

inline std::string_view out(bunraku_text text)
{
    return text.data ? std::string_view(text.data, text.length) : std::string_view();
}

/* Frees an object of the library. */
template <typename T, void (*Free)(T *)> struct Deleter {
    void operator()(T *object) const { Free(object); }
};

template <typename T, void (*Free)(T *)> using Handle = std::unique_ptr<T, Deleter<T, Free>>;

using String = Handle<bunraku_string, bunraku_string_free>;

} // namespace detail

/* Why a call failed: the message is what(). */
class Error : public std::runtime_error {
public:
    /* Takes over the error of a call. */
    explicit Error(bunraku_error *error)
        : std::runtime_error(std::string(detail::out(bunraku_error_message(error)))),
          kind_(bunraku_error_kind(error)), line_(bunraku_error_line(error)),
          column_(bunraku_error_column(error)), issue_code_(detail::out(bunraku_error_issue_code(error))),
          file_(detail::out(bunraku_error_file(error))),
          logs_json_(detail::out(bunraku_error_logs_json(error)))
    {
        bunraku_error_free(error);
    }

    /* What sort of failure it is: one of bunraku_failure. */
    std::uint32_t kind() const { return kind_; }
    /* The place, from 1; 0 where it is not known. */
    std::uint32_t line() const { return line_; }
    std::uint32_t column() const { return column_; }
    /* The reference's code, such as "SYNTAX_ERROR"; empty where there is none. */
    const std::string &issue_code() const { return issue_code_; }
    /* The file; empty where it is not known. */
    const std::string &file() const { return file_; }
    /* What was logged before the failure: see bunraku_error_logs_json. */
    const std::string &logs_json() const { return logs_json_; }

private:
    std::uint32_t kind_, line_, column_;
    std::string issue_code_, file_, logs_json_;
};

namespace detail {

inline void check(bunraku_error *error)
{
    if (error) {
        throw Error(error);
    }
}

/* The text that a call gives. */
template <typename Call> std::string text(Call call)
{
    bunraku_string *given = nullptr;
    check(call(&given));
    String string(given);
    return std::string(out(bunraku_string_data(string.get())));
}

/* The object that a call gives. */
template <typename T, typename Call> T *object(Call call)
{
    T *given = nullptr;
    check(call(&given));
    return given;
}

} // namespace detail

/* A value of the language, seen inside of an object. See bunraku_value_kind and its neighbours. */
class Value {
public:
    explicit Value(const bunraku_value *value = nullptr) : value_(value) {}

    /* Whether there is a value. */
    explicit operator bool() const { return value_ != nullptr; }
    /* One of bunraku_kind. */
    std::uint32_t kind() const { return bunraku_value_kind(value_); }
    bool boolean() const { return bunraku_value_boolean(value_); }
    /* The number of an Integer of 64 bits. */
    std::optional<std::int64_t> integer() const
    {
        std::int64_t number;
        return bunraku_value_integer(value_, &number) ? std::optional(number) : std::nullopt;
    }
    std::optional<double> real() const
    {
        double number;
        return bunraku_value_float(value_, &number) ? std::optional(number) : std::nullopt;
    }
    /* The text of a String, or the bytes of a Binary. */
    std::string_view text() const { return detail::out(bunraku_value_text(value_)); }
    /* How many elements or entries there are. */
    std::size_t size() const { return bunraku_value_count(value_); }
    /* An element of an Array, or the value of an entry of a Hash. */
    Value operator[](std::size_t index) const { return Value(bunraku_value_element(value_, index)); }
    /* The key of an entry of a Hash. */
    Value key(std::size_t index) const { return Value(bunraku_value_key(value_, index)); }
    /* The value of a key that is a String. */
    Value operator[](std::string_view key) const { return Value(bunraku_value_get(value_, detail::in(key))); }
    /* What a Sensitive holds, in clear. */
    Value unwrap() const { return Value(bunraku_value_unwrap(value_)); }
    /* The value as text, in a format such as "%p". */
    std::string to_string(std::string_view format = {}) const
    {
        return detail::text(
            [&](bunraku_string **out) { return bunraku_value_to_string(value_, detail::in(format), out); });
    }
    const bunraku_value *get() const { return value_; }

private:
    const bunraku_value *value_;
};

/* A value that is owned. */
class OwnedValue {
public:
    /* From rich data: JSON in which objects with "__ptype" are values of other types. */
    static OwnedValue from_data(std::string_view json)
    {
        return OwnedValue(detail::object<bunraku_value>([&](bunraku_value **out) {
            return bunraku_value_from_data(detail::in(json), nullptr, false, out);
        }));
    }
    /* Takes over a value of the library. */
    explicit OwnedValue(bunraku_value *value) : handle_(value) {}

    Value view() const { return Value(handle_.get()); }

private:
    detail::Handle<bunraku_value, bunraku_value_free> handle_;
};

/* A manifest or template. */
class Program {
public:
    /* syntax is one of bunraku_syntax; path is what errors show. */
    static Program parse(std::string_view source, std::string_view path = {},
                         std::uint32_t syntax = BUNRAKU_SYNTAX_MANIFEST)
    {
        return Program(detail::object<bunraku_program>([&](bunraku_program **out) {
            return bunraku_program_parse(detail::in(source), detail::in(path), syntax, out);
        }));
    }
    explicit Program(bunraku_program *program) : handle_(program) {}

    /* A JSON array: see bunraku_program_validate. */
    std::string validate(std::uint32_t strictness = BUNRAKU_STRICTNESS_ERROR) const
    {
        return detail::text(
            [&](bunraku_string **out) { return bunraku_program_validate(get(), strictness, out); });
    }
    /* The tree in Puppet's notation: format is "text", "pretty" or "json". */
    std::string to_pn(std::string_view format = "text") const
    {
        return detail::text(
            [&](bunraku_string **out) { return bunraku_program_to_pn(get(), detail::in(format), out); });
    }
    bunraku_node body() const { return bunraku_program_body(get()); }
    const bunraku_program *get() const { return handle_.get(); }

private:
    detail::Handle<bunraku_program, bunraku_program_free> handle_;
};

/* A type of the language. */
class Type {
public:
    static Type parse(std::string_view source)
    {
        return Type(detail::object<bunraku_type>(
            [&](bunraku_type **out) { return bunraku_type_parse(detail::in(source), nullptr, out); }));
    }
    explicit Type(bunraku_type *type) : handle_(type) {}

    bool is_instance(Value value) const { return bunraku_type_is_instance(get(), value.get()); }
    bool is_assignable(const Type &other) const { return bunraku_type_is_assignable(get(), other.get()); }
    std::string to_string() const
    {
        return detail::text([&](bunraku_string **out) { return bunraku_type_to_string(get(), out); });
    }
    const bunraku_type *get() const { return handle_.get(); }

private:
    detail::Handle<bunraku_type, bunraku_type_free> handle_;
};

/* A resource of a catalog. */
class Resource {
public:
    explicit Resource(const bunraku_resource *resource = nullptr) : resource_(resource) {}

    explicit operator bool() const { return resource_ != nullptr; }
    std::string_view type() const { return detail::out(bunraku_resource_type(resource_)); }
    std::string_view title() const { return detail::out(bunraku_resource_title(resource_)); }
    std::string_view file() const { return detail::out(bunraku_resource_file(resource_)); }
    std::uint32_t line() const { return bunraku_resource_line(resource_); }
    bool is_exported() const { return bunraku_resource_is_exported(resource_); }
    /* One of bunraku_declaration. */
    std::uint32_t kind() const { return bunraku_resource_kind(resource_); }
    bool is_virtual() const { return bunraku_resource_is_virtual(resource_); }
    /* Parameters by number and by name; that of a sensitive one is a Sensitive. */
    std::size_t size() const { return bunraku_resource_parameter_count(resource_); }
    std::string_view name(std::size_t index) const
    {
        return detail::out(bunraku_resource_parameter_name(resource_, index));
    }
    Value operator[](std::size_t index) const { return Value(bunraku_resource_parameter(resource_, index)); }
    Value operator[](std::string_view name) const
    {
        return Value(bunraku_resource_parameter_named(resource_, detail::in(name)));
    }
    std::vector<std::string_view> tags() const
    {
        std::vector<std::string_view> all;
        for (std::size_t index = 0; index < bunraku_resource_tag_count(resource_); index++) {
            all.push_back(detail::out(bunraku_resource_tag(resource_, index)));
        }
        return all;
    }
    const bunraku_resource *get() const { return resource_; }

private:
    const bunraku_resource *resource_;
};

/* The catalog of a node. Iterates over its resources. */
class Catalog {
public:
    explicit Catalog(bunraku_catalog *catalog) : handle_(catalog) {}

    class Iterator {
    public:
        Iterator(const bunraku_catalog *catalog, std::size_t index) : catalog_(catalog), index_(index) {}
        Resource operator*() const { return Resource(bunraku_catalog_resource(catalog_, index_)); }
        Iterator &operator++()
        {
            index_++;
            return *this;
        }
        bool operator!=(const Iterator &other) const { return index_ != other.index_; }

    private:
        const bunraku_catalog *catalog_;
        std::size_t index_;
    };

    Iterator begin() const { return Iterator(get(), 0); }
    Iterator end() const { return Iterator(get(), size()); }
    std::size_t size() const { return bunraku_catalog_resource_count(get()); }
    /* By reference, such as "File[/etc/motd]". */
    Resource find(std::string_view reference) const
    {
        return Resource(bunraku_catalog_find(get(), detail::in(reference)));
    }
    /* Containment: who contains whom. */
    std::vector<std::pair<Resource, Resource>> edges() const
    {
        std::vector<std::pair<Resource, Resource>> all;
        bunraku_edge edge;
        for (std::size_t index = 0; bunraku_catalog_edge(get(), index, &edge); index++) {
            all.emplace_back(Resource(edge.source), Resource(edge.target));
        }
        return all;
    }
    /* The catalog as an agent receives it. */
    std::string to_json() const
    {
        return detail::text([&](bunraku_string **out) { return bunraku_catalog_to_json(get(), out); });
    }
    /* The catalog in a form, such as "puppetdb:9": see bunraku_catalog_write. */
    std::string write(std::string_view form, std::string_view submission_json = {}) const
    {
        return detail::text([&](bunraku_string **out) {
            return bunraku_catalog_write(get(), detail::in(form), detail::in(submission_json), out);
        });
    }
    /* What was logged: see bunraku_catalog_logs_json. */
    std::string_view logs_json() const { return detail::out(bunraku_catalog_logs_json(get())); }
    const bunraku_catalog *get() const { return handle_.get(); }

private:
    detail::Handle<bunraku_catalog, bunraku_catalog_free> handle_;
};

/* A switch that ends work from another thread. */
class Cancel {
public:
    Cancel() : handle_(bunraku_cancel_new()) {}

    void set() const { bunraku_cancel_set(get()); }
    bool is_set() const { return bunraku_cancel_is_set(get()); }
    const bunraku_cancel *get() const { return handle_.get(); }

private:
    detail::Handle<bunraku_cancel, bunraku_cancel_free> handle_;
};

/* An environment. Any number of threads may compile and look up at the same time. */
class Environment {
public:
    /* See bunraku_environment_load. host is copied. */
    Environment(const std::vector<std::string> &directories, std::string_view name,
                std::string_view options_json = {}, const bunraku_host *host = nullptr)
        : handle_(detail::object<bunraku_environment>([&](bunraku_environment **out) {
              std::vector<bunraku_text> texts;
              for (const std::string &directory : directories) {
                  texts.push_back(detail::in(directory));
              }
              return bunraku_environment_load(texts.data(), texts.size(), detail::in(name),
                                              detail::in(options_json), host, out);
          }))
    {
    }

    /* See bunraku_environment_compile. */
    Catalog compile(std::string_view node, std::string_view facts_json = {},
                    std::string_view request_json = {}, const Cancel *cancel = nullptr) const
    {
        return Catalog(detail::object<bunraku_catalog>([&](bunraku_catalog **out) {
            return bunraku_environment_compile(get(), detail::in(node), detail::in(facts_json),
                                               detail::in(request_json), cancel ? cancel->get() : nullptr,
                                               out);
        }));
    }
    /* The same with facts as a Hash. */
    Catalog compile(std::string_view node, Value facts, std::string_view request_json = {},
                    const Cancel *cancel = nullptr) const
    {
        return Catalog(detail::object<bunraku_catalog>([&](bunraku_catalog **out) {
            return bunraku_environment_compile_facts(get(), detail::in(node), facts.get(),
                                                     detail::in(request_json),
                                                     cancel ? cancel->get() : nullptr, out);
        }));
    }
    /* A JSON object: see bunraku_environment_lookup. */
    std::string lookup(std::string_view node, std::string_view facts_json, std::string_view request_json,
                       const Cancel *cancel = nullptr) const
    {
        return detail::text([&](bunraku_string **out) {
            return bunraku_environment_lookup(get(), detail::in(node), detail::in(facts_json),
                                              detail::in(request_json), cancel ? cancel->get() : nullptr,
                                              out);
        });
    }
    const bunraku_environment *get() const { return handle_.get(); }

private:
    detail::Handle<bunraku_environment, bunraku_environment_free> handle_;
};

} // namespace bunraku

#endif /* BUNRAKU_HPP */
