#ifndef BUNRAKU_H
#define BUNRAKU_H

/*
 * bunraku: the Puppet language as a native library.
 *
 * Load an environment, compile the catalog of a node, read it:
 *
 *     bunraku_text directory = BUNRAKU_TEXT("environments");
 *     bunraku_environment *environment;
 *     bunraku_catalog *catalog;
 *     bunraku_error *error;
 *
 *     error = bunraku_environment_load(&directory, 1, BUNRAKU_TEXT("production"), BUNRAKU_NO_TEXT, NULL,
 *                                      &environment);
 *     if (!error) {
 *         error = bunraku_environment_compile(environment, BUNRAKU_TEXT("web01"), BUNRAKU_TEXT("{}"),
 *                                             BUNRAKU_NO_TEXT, NULL, &catalog);
 *     }
 *
 * Ownership   What a function gives through an output parameter belongs to the caller, who gives it back
 *             to the _free function of its type. What a getter returns belongs to the object it was asked
 *             of. Never call free() on either.
 * Threads     Objects are immutable: any number of threads may use one at the same time (const T *). The
 *             one exclusive use is _free (T *). The library has no global state but constants that are
 *             built on first use (a thread has what bunraku_cancel_attach gave it), and touches neither
 *             signals, locale nor the working directory.
 * Text        UTF-8, as a bunraku_text: a pointer and a length in bytes; text that comes out has a NUL
 *             behind it, too.
 * Failures    No function unwinds, exits or prints.
 */

/* Generated from ffi/src by `make header`; do not edit. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Types ------------------------------------------------------------------------------------------- */

// Bytes that their receiver owns. Immutable: any number of threads can read them.
typedef struct bunraku_bytes bunraku_bytes;

// A call of one of the embedder's functions in progress. The library owns it. It lives as long as the
// callback runs and must be used on the thread that the callback runs on.
typedef struct bunraku_call bunraku_call;

// A switch that cancels compilations from another thread or from a signal handler.
typedef struct bunraku_cancel bunraku_cancel;

// The catalog of a node. Immutable: any number of threads can read it.
typedef struct bunraku_catalog bunraku_catalog;

// A node classifier. Any number of threads can use it at the same time, and other processes can use the same
// database.
typedef struct bunraku_classifier bunraku_classifier;

// A directory environment: manifests, modules, data. It is loaded once, and again when the option "reload"
// requires it. Any number of threads can compile and look up data at the same time, without waiting for each
// other. A reload does not affect a compilation that has begun.
typedef struct bunraku_environment bunraku_environment;

// The reason why a call failed: message, issue code and place. Every function that can fail returns NULL on
// success and otherwise an error that the caller owns. Immutable: any number of threads can read it.
typedef struct bunraku_error bunraku_error;

// What an environment defines and who refers to it. Any number of threads can use it at the same time. A
// renewal waits for the others and they for it, so a callback of a host must not use the index of its
// environment.
typedef struct bunraku_index bunraku_index;

// The matches of a query. Immutable: any number of threads can read it. It requires its program.
typedef struct bunraku_matches bunraku_matches;

// A parsed manifest or template. Immutable: any number of threads can read it.
typedef struct bunraku_program bunraku_program;

// A query: patterns of nodes, modelled on tree-sitter's query language. Immutable: any number of threads can
// use it.
//
// (ResourceExpression type_name: "file" bodies: (ResourceBody title: _ @title)) @resource
//
// "(Kind ...)" matches a node of a kind, "_" any node, "\"text\"" a node with this text, "[...]" one of
// several patterns. "field: ..." matches the content of a field, "!field" an empty field. Patterns without a
// field match direct children, in their order; "." between them requires that they are adjacent. "*", "+"
// and "?" match all nodes, at least one, or none. "@name" captures a node; (#eq? @a "text"), (#match? @a
// "regex"), (#any-of? @a "x" "y") and their "#not-" forms compare the text of captured nodes.
typedef struct bunraku_query bunraku_query;

// A resource of a catalog. It belongs to the catalog and lives as long as it.
typedef struct bunraku_resource bunraku_resource;

// Receives the answer of a callback. The library owns it. It lives as long as the callback runs.
typedef struct bunraku_sink bunraku_sink;

// Text that its receiver owns. It is UTF-8 unless documented as bytes. It is NUL-terminated for convenience;
// the text itself can contain NULs, so use the length. Immutable: any number of threads can read it.
typedef struct bunraku_string bunraku_string;

// All tokens of a text, with the white space and the comments between them. Immutable: any number of threads
// can read it.
typedef struct bunraku_tokens bunraku_tokens;

// A type of the language. Immutable: any number of threads can read it.
typedef struct bunraku_type bunraku_type;

// A value of the language. Immutable: any number of threads can read it.
typedef struct bunraku_value bunraku_value;

// The kinds of text to parse.
typedef enum {
    // A manifest.
    BUNRAKU_SYNTAX_MANIFEST = 0,
    // A template in EPP.
    BUNRAKU_SYNTAX_EPP = 1,
    // A manifest in which plans and "apply" are part of the language.
    BUNRAKU_SYNTAX_TASKS = 2,
    // What the path says: a template in EPP where it ends with ".epp", a manifest in which plans and "apply"
    // are known below a directory "plans", a manifest otherwise.
    BUNRAKU_SYNTAX_BY_NAME = 3,
} bunraku_syntax;

// How strictly questionable code is treated: the setting "strict".
typedef enum {
    // It is accepted silently.
    BUNRAKU_STRICTNESS_OFF = 0,
    // It is a warning.
    BUNRAKU_STRICTNESS_WARNING = 1,
    // It is an error: the default of Puppet 8.
    BUNRAKU_STRICTNESS_ERROR = 2,
} bunraku_strictness;

// The unit of offsets, lengths and columns.
typedef enum {
    // Bytes of UTF-8.
    BUNRAKU_UNIT_BYTE = 0,
    // Characters, as in messages.
    BUNRAKU_UNIT_CHARACTER = 1,
    // UTF-16 code units, as in the Language Server Protocol.
    BUNRAKU_UNIT_UTF16 = 2,
} bunraku_unit;

// The kinds of content of a node's field.
typedef enum {
    // Nothing: the field is optional.
    BUNRAKU_FIELD_ABSENT = 0,
    // A node: "node".
    BUNRAKU_FIELD_NODE = 1,
    // A list of nodes: "count" is the number, bunraku_node_member returns them.
    BUNRAKU_FIELD_NODES = 2,
    // A text: "text". Operators and forms are texts, too.
    BUNRAKU_FIELD_TEXT = 3,
    // A whole number: "integer"; one of more than 64 bits has its literal in "text".
    BUNRAKU_FIELD_INTEGER = 4,
    // A number with a fraction: "number".
    BUNRAKU_FIELD_FLOAT = 5,
    // True or false: "boolean".
    BUNRAKU_FIELD_BOOLEAN = 6,
} bunraku_field_type;

// The formats of a stream.
typedef enum {
    // JSON.
    BUNRAKU_STREAM_JSON = 0,
    // MessagePack.
    BUNRAKU_STREAM_MSGPACK = 1,
} bunraku_stream;

// The levels of detail of an inferred type.
typedef enum {
    // Arrays are Tuples; hashes with names as keys are Structs.
    BUNRAKU_INFERENCE_DETAILED = 0,
    // Arrays and hashes have one element type.
    BUNRAKU_INFERENCE_REDUCED = 1,
    // Types have no bounds and values.
    BUNRAKU_INFERENCE_GENERALIZED = 2,
} bunraku_inference;

// The kinds of failures. More may be added.
typedef enum {
    // No error.
    BUNRAKU_FAILURE_NONE = 0,
    // A text cannot be parsed: "syntax".
    BUNRAKU_FAILURE_SYNTAX = 1,
    // A text can be parsed, but is invalid: "validation".
    BUNRAKU_FAILURE_VALIDATION = 2,
    // The evaluation of a program fails: "evaluation".
    BUNRAKU_FAILURE_EVALUATION = 3,
    // Data is not found or invalid: "lookup".
    BUNRAKU_FAILURE_LOOKUP = 4,
    // A limit was exceeded: "limit".
    BUNRAKU_FAILURE_LIMIT = 5,
    // The work was cancelled, see bunraku_cancel_set: "cancelled".
    BUNRAKU_FAILURE_CANCELLED = 6,
    // An argument is invalid: "argument".
    BUNRAKU_FAILURE_ARGUMENT = 7,
    // The library was built without the required feature, see bunraku_features: "unsupported".
    BUNRAKU_FAILURE_UNSUPPORTED = 8,
    // The reference crashes here; the message is not part of the contract: "reference-fails".
    BUNRAKU_FAILURE_REFERENCE_FAILS = 9,
    // Something outside cannot be read: "io".
    BUNRAKU_FAILURE_IO = 10,
    // The library itself is at fault. The call has no result; everything else continues: "bug".
    BUNRAKU_FAILURE_BUG = 11,
    // Anything else, such as a duplicate declaration or an unknown resource type: "other".
    BUNRAKU_FAILURE_OTHER = 12,
} bunraku_failure;

// The kinds of values. More may be added.
typedef enum {
    // No value.
    BUNRAKU_KIND_NONE = 0,
    // `undef`.
    BUNRAKU_KIND_UNDEF = 1,
    // `default`.
    BUNRAKU_KIND_DEFAULT = 2,
    // True or false: bunraku_value_boolean.
    BUNRAKU_KIND_BOOLEAN = 3,
    // A whole number: bunraku_value_integer, or bunraku_value_to_string for one beyond 64 bits.
    BUNRAKU_KIND_INTEGER = 4,
    // A number with a fraction: bunraku_value_float.
    BUNRAKU_KIND_FLOAT = 5,
    // Text: bunraku_value_text.
    BUNRAKU_KIND_STRING = 6,
    // A list: bunraku_value_count, bunraku_value_element.
    BUNRAKU_KIND_ARRAY = 7,
    // A map: bunraku_value_count, bunraku_value_key, bunraku_value_element, bunraku_value_get.
    BUNRAKU_KIND_HASH = 8,
    // A type: bunraku_value_to_string.
    BUNRAKU_KIND_TYPE = 9,
    // A regular expression: bunraku_value_to_string.
    BUNRAKU_KIND_REGEXP = 10,
    // A value that must not be shown: only bunraku_value_unwrap returns it.
    BUNRAKU_KIND_SENSITIVE = 11,
    // Bytes: bunraku_value_text.
    BUNRAKU_KIND_BINARY = 12,
    // A duration: bunraku_value_to_string.
    BUNRAKU_KIND_TIMESPAN = 13,
    // A point in time: bunraku_value_to_string.
    BUNRAKU_KIND_TIMESTAMP = 14,
    // A semantic version: bunraku_value_to_string.
    BUNRAKU_KIND_SEMVER = 15,
    // A range of semantic versions: bunraku_value_to_string.
    BUNRAKU_KIND_SEMVER_RANGE = 16,
    // A URI: bunraku_value_to_string.
    BUNRAKU_KIND_URI = 17,
    // An instance of an Object type: bunraku_value_to_data.
    BUNRAKU_KIND_OBJECT = 18,
    // Anything else: bunraku_value_to_data.
    BUNRAKU_KIND_OTHER = 19,
} bunraku_kind;

// The kinds of declarations of resources. More may be added.
typedef enum {
    // Anything else: included classes, nodes, NULL.
    BUNRAKU_DECLARATION_UNKNOWN = 0,
    // A class that was declared as a resource.
    BUNRAKU_DECLARATION_CLASS = 1,
    // A resource of a defined type.
    BUNRAKU_DECLARATION_DEFINED_TYPE = 2,
    // A resource of a type that agents implement.
    BUNRAKU_DECLARATION_COMPILABLE_TYPE = 3,
} bunraku_declaration;

// The position of a comment relative to its node.
typedef enum {
    // On a line of its own before the node.
    BUNRAKU_PLACEMENT_LEADING = 0,
    // After the node: in its line, or below it if nothing else follows in the same brackets.
    BUNRAKU_PLACEMENT_TRAILING = 1,
    // Inside the node, with no other node beside it.
    BUNRAKU_PLACEMENT_DANGLING = 2,
} bunraku_placement;

// Text: a pointer and a length in bytes. A plain value that can be copied and is not freed. Text arguments
// are UTF-8, need no NUL, and must stay valid until the function returns; pass BUNRAKU_NO_TEXT for no text.
// A returned text belongs to the object that it was read from. It is NUL-terminated unless the function says
// otherwise, and "data" is NULL if there is no text. Where a function says so, it contains arbitrary bytes.
typedef struct {
    // The first byte.
    const char *data;
    // The number of bytes.
    size_t length;
} bunraku_text;

// A containment edge. A plain value; the resources belong to the catalog.
typedef struct {
    // The container.
    const bunraku_resource *source;
    // The contained resource.
    const bunraku_resource *target;
} bunraku_edge;

// What exists at a path.
typedef struct {
    // Whether the path is a directory.
    bool is_directory;
    // The size in bytes.
    uint64_t size;
    // The time of the last change: seconds since 1970.
    int64_t modified_seconds;
    // The nanoseconds of that second.
    uint32_t modified_nanoseconds;
} bunraku_file_info;

// The callbacks of an embedder. Set "size" to sizeof(bunraku_host) and the callbacks that you provide. Any
// of them can be NULL: the library then reads the disk, has no further functions and logs only into the
// result. The library calls a callback on the thread that called the library, on that thread's stack, and on
// several threads at the same time when several compile. Each callback receives `data`. A callback must not
// unwind or longjmp out of itself. If a callback returns false, the text in its sink is the reason of a
// failure; an empty sink means that the requested thing does not exist.
typedef struct {
    // sizeof(bunraku_host) in the compiled program: later versions of the library add callbacks at the end.
    size_t size;
    // Passed to every callback.
    void *data;
    // Reads a file into the sink with `bunraku_sink_write`. Returns false if the file does not exist or,
    // with the reason written to the sink, if it cannot be read.
    bool (*read_file)(void *data, bunraku_text path, bunraku_sink *sink);
    // Describes what exists at a path. Returns false if nothing exists.
    bool (*file_info)(void *data, bunraku_text path, bunraku_file_info *info);
    // Lists the names in a directory with one call of `bunraku_sink_add` for each. Returns false if the
    // directory does not exist or, with the reason written to the sink, if it cannot be read.
    bool (*list_directory)(void *data, bunraku_text path, bunraku_sink *sink);
    // Finds a function by its Puppet name and adds each of its signatures ("Callable[Integer, Integer]")
    // with `bunraku_sink_add`. Returns false if the function does not exist or, with the reason written to
    // the sink, if it cannot be loaded.
    bool (*find_function)(void *data, bunraku_text name, bunraku_sink *sink);
    // Calls a function. `arguments_json` is an array in rich data that matches the signature with this
    // index. The result is written to the sink as JSON, also in rich data: `{"__ptype": "Sensitive",
    // "__pvalue": "p4ss"}` is a Sensitive, which is never shown; a hash with a key "__ptype" is written as
    // `{"__ptype": "Hash", "__pvalue": [key, value, ...]}`; an empty sink is undef. A result of an unknown
    // type is a failure. Returns false on failure; the sink then contains the message, which is shown and
    // must not contain secrets.
    bool (*call_function)(void *data,
                          bunraku_text name,
                          size_t signature,
                          bunraku_text arguments_json,
                          bunraku_call *call,
                          bunraku_sink *sink);
    // Returns the resources that other nodes export, for collectors such as `File <<| |>>`: writes a JSON
    // array to the sink with objects of "certname", "type", "title", "parameters" and "tags". The library
    // applies the collector's query to them; the node's own resources must not be included. Returns false on
    // failure; the sink then contains the message. Needs the setting "storeconfigs".
    bool (*exported_resources)(void *data, bunraku_text node, bunraku_text type_name, bunraku_sink *sink);
    // Receives each message of a compilation or lookup as it is logged: a JSON object as
    // `bunraku_catalog_logs_json` describes. Results also contain all messages.
    void (*log)(void *data, bunraku_text entry_json);
    // Frees `data` when the environment that used it is freed.
    void (*free_data)(void *data);
    // Returns the time: seconds since 1970, and the nanoseconds of that second. NULL for the machine's
    // clock.
    void (*now)(void *data, int64_t *seconds, uint32_t *nanoseconds);
    // Fills a buffer with unpredictable bytes. Returns false if none are available. NULL for those of the
    // machine.
    bool (*random)(void *data, uint8_t *bytes, size_t length);
    // Called about once in a thousand steps of work in an environment with this host, with the number of
    // steps so far. While files are read and other work without steps continues, it is called with the same
    // number again. Returns false to cancel the work, which fails with an error of the kind
    // BUNRAKU_FAILURE_CANCELLED.
    bool (*progress)(void *data, uint64_t steps);
    // As `exported_resources`, and called in its place, for stores that search themselves. `query_json` is
    // an object of "node", "type" and "filter": the collector's condition in rich data, `[name, operator,
    // value]` with "==" or "!=", and `[condition, operator, condition]` with "and" or "or"; null without
    // one. An object of the answer can have "filtered": true, to which the library does not apply the query
    // again.
    bool (*search_resources)(void *data, bunraku_text query_json, bunraku_sink *sink);
    // Finds a function of a module that the built-in Ruby does not know, in the file at `path`. For the 4.x
    // API as `find_function`; for the 3.x API (`is_legacy`) the items are the arity, as Ruby counts it
    // ("-2"), and "rvalue" or "statement". `call_function` then calls it.
    bool (*find_module_function)(void *data,
                                 bunraku_text name,
                                 bunraku_text path,
                                 bool is_legacy,
                                 bunraku_sink *sink);
    // Renders a template in ERB that the built-in Ruby does not know, and writes the result to the sink.
    // `path` is that of its file, or a name for it. Returns false on failure; the sink then contains the
    // message.
    bool (*render_template)(void *data,
                            bunraku_text path,
                            bunraku_text text,
                            bunraku_call *call,
                            bunraku_sink *sink);
} bunraku_host;

// A range of a source.
typedef struct {
    // The beginning, from 0.
    uint32_t offset;
    // The length.
    uint32_t length;
    // The line of the beginning, from 1.
    uint32_t line;
    // The column of the beginning, from 1.
    uint32_t column;
    // The line of the end.
    uint32_t end_line;
    // The column after the end.
    uint32_t end_column;
} bunraku_span;

// A node of a program. A plain value that can be copied and is not freed. It is valid as long as its program
// lives. If "program" is NULL, there is no node; all functions accept such a value and return 0, NULL or
// false.
// 0, NULL or false.
typedef struct {
    // The program that the node belongs to.
    const bunraku_program *program;
    // The node's index in the program, from 0.
    uint32_t number;
} bunraku_node;

// A field of a node. The members that its type does not name are 0, NULL or false.
typedef struct {
    // The name in the reference's model, such as "left_expr"; NUL-terminated and static.
    const char *name;
    // The field's index in its node, from 0.
    size_t index;
    // The kind of content: one of bunraku_field_type.
    uint32_t field_type;
    // The node.
    bunraku_node node;
    // The number of nodes.
    size_t count;
    // The text, valid until the program is freed. Not NUL-terminated.
    bunraku_text text;
    // The whole number.
    int64_t integer;
    // The number with a fraction.
    double number;
    // The Boolean value.
    bool boolean;
} bunraku_field;

// A token, or white space or a comment between tokens. A plain value that is not freed.
typedef struct {
    // The kind: "Name", "ClassRef", "FArrow", "HeredocText", "Comment", "Space", "LineEnd", "Unreadable"
    // ..., NUL-terminated and static; NULL if the token does not exist.
    const char *kind;
    // The text, which ends where the next one's begins. Valid until the tokens are freed; not
    // NUL-terminated.
    bunraku_text text;
    // The beginning in bytes.
    uint32_t offset;
    // Whether this is white space or a comment.
    bool is_trivia;
    // The index of the token that it belongs to. Trivia that follows a token on its line belongs to that
    // token, other trivia to the next one. A token belongs to itself. Trivia after the last token belongs to
    // none: the index is that of bunraku_tokens_count.
    size_t owner;
} bunraku_token;

// What kind of node it is: the names of the reference's model. More may be added at the end.
typedef enum {
    // There is no node.
    BUNRAKU_NODE_NONE = 0,
    // "Nop".
    BUNRAKU_NODE_NOP = 1,
    // "ParenthesizedExpression".
    BUNRAKU_NODE_PARENTHESIZED_EXPRESSION = 2,
    // "NotExpression".
    BUNRAKU_NODE_NOT_EXPRESSION = 3,
    // "UnaryMinusExpression".
    BUNRAKU_NODE_UNARY_MINUS_EXPRESSION = 4,
    // "UnfoldExpression".
    BUNRAKU_NODE_UNFOLD_EXPRESSION = 5,
    // "AssignmentExpression".
    BUNRAKU_NODE_ASSIGNMENT_EXPRESSION = 6,
    // "ArithmeticExpression".
    BUNRAKU_NODE_ARITHMETIC_EXPRESSION = 7,
    // "RelationshipExpression".
    BUNRAKU_NODE_RELATIONSHIP_EXPRESSION = 8,
    // "AccessExpression".
    BUNRAKU_NODE_ACCESS_EXPRESSION = 9,
    // "ComparisonExpression".
    BUNRAKU_NODE_COMPARISON_EXPRESSION = 10,
    // "MatchExpression".
    BUNRAKU_NODE_MATCH_EXPRESSION = 11,
    // "InExpression".
    BUNRAKU_NODE_IN_EXPRESSION = 12,
    // "AndExpression".
    BUNRAKU_NODE_AND_EXPRESSION = 13,
    // "OrExpression".
    BUNRAKU_NODE_OR_EXPRESSION = 14,
    // "LiteralList".
    BUNRAKU_NODE_LITERAL_LIST = 15,
    // "KeyedEntry".
    BUNRAKU_NODE_KEYED_ENTRY = 16,
    // "LiteralHash".
    BUNRAKU_NODE_LITERAL_HASH = 17,
    // "BlockExpression".
    BUNRAKU_NODE_BLOCK_EXPRESSION = 18,
    // "ApplyBlockExpression".
    BUNRAKU_NODE_APPLY_BLOCK_EXPRESSION = 19,
    // "CaseOption".
    BUNRAKU_NODE_CASE_OPTION = 20,
    // "CaseExpression".
    BUNRAKU_NODE_CASE_EXPRESSION = 21,
    // "ExportedQuery".
    BUNRAKU_NODE_EXPORTED_QUERY = 22,
    // "VirtualQuery".
    BUNRAKU_NODE_VIRTUAL_QUERY = 23,
    // "AttributeOperation".
    BUNRAKU_NODE_ATTRIBUTE_OPERATION = 24,
    // "AttributesOperation".
    BUNRAKU_NODE_ATTRIBUTES_OPERATION = 25,
    // "CollectExpression".
    BUNRAKU_NODE_COLLECT_EXPRESSION = 26,
    // "Parameter".
    BUNRAKU_NODE_PARAMETER = 27,
    // "FunctionDefinition".
    BUNRAKU_NODE_FUNCTION_DEFINITION = 28,
    // "ResourceTypeDefinition".
    BUNRAKU_NODE_RESOURCE_TYPE_DEFINITION = 29,
    // "TypeAlias".
    BUNRAKU_NODE_TYPE_ALIAS = 30,
    // "TypeMapping".
    BUNRAKU_NODE_TYPE_MAPPING = 31,
    // "TypeDefinition".
    BUNRAKU_NODE_TYPE_DEFINITION = 32,
    // "NodeDefinition".
    BUNRAKU_NODE_NODE_DEFINITION = 33,
    // "HeredocExpression".
    BUNRAKU_NODE_HEREDOC_EXPRESSION = 34,
    // "HostClassDefinition".
    BUNRAKU_NODE_HOST_CLASS_DEFINITION = 35,
    // "PlanDefinition".
    BUNRAKU_NODE_PLAN_DEFINITION = 36,
    // "LambdaExpression".
    BUNRAKU_NODE_LAMBDA_EXPRESSION = 37,
    // "ApplyExpression".
    BUNRAKU_NODE_APPLY_EXPRESSION = 38,
    // "IfExpression".
    BUNRAKU_NODE_IF_EXPRESSION = 39,
    // "UnlessExpression".
    BUNRAKU_NODE_UNLESS_EXPRESSION = 40,
    // "CallFunctionExpression".
    BUNRAKU_NODE_CALL_FUNCTION_EXPRESSION = 41,
    // "CallNamedFunctionExpression".
    BUNRAKU_NODE_CALL_NAMED_FUNCTION_EXPRESSION = 42,
    // "CallMethodExpression".
    BUNRAKU_NODE_CALL_METHOD_EXPRESSION = 43,
    // "LiteralRegularExpression".
    BUNRAKU_NODE_LITERAL_REGULAR_EXPRESSION = 44,
    // "LiteralString".
    BUNRAKU_NODE_LITERAL_STRING = 45,
    // "LiteralInteger".
    BUNRAKU_NODE_LITERAL_INTEGER = 46,
    // "LiteralFloat".
    BUNRAKU_NODE_LITERAL_FLOAT = 47,
    // "LiteralUndef".
    BUNRAKU_NODE_LITERAL_UNDEF = 48,
    // "LiteralDefault".
    BUNRAKU_NODE_LITERAL_DEFAULT = 49,
    // "LiteralBoolean".
    BUNRAKU_NODE_LITERAL_BOOLEAN = 50,
    // "TextExpression".
    BUNRAKU_NODE_TEXT_EXPRESSION = 51,
    // "ConcatenatedString".
    BUNRAKU_NODE_CONCATENATED_STRING = 52,
    // "QualifiedName".
    BUNRAKU_NODE_QUALIFIED_NAME = 53,
    // "ReservedWord".
    BUNRAKU_NODE_RESERVED_WORD = 54,
    // "QualifiedReference".
    BUNRAKU_NODE_QUALIFIED_REFERENCE = 55,
    // "VariableExpression".
    BUNRAKU_NODE_VARIABLE_EXPRESSION = 56,
    // "EppExpression".
    BUNRAKU_NODE_EPP_EXPRESSION = 57,
    // "RenderStringExpression".
    BUNRAKU_NODE_RENDER_STRING_EXPRESSION = 58,
    // "RenderExpression".
    BUNRAKU_NODE_RENDER_EXPRESSION = 59,
    // "ResourceBody".
    BUNRAKU_NODE_RESOURCE_BODY = 60,
    // "ResourceExpression".
    BUNRAKU_NODE_RESOURCE_EXPRESSION = 61,
    // "ResourceDefaultsExpression".
    BUNRAKU_NODE_RESOURCE_DEFAULTS_EXPRESSION = 62,
    // "ResourceOverrideExpression".
    BUNRAKU_NODE_RESOURCE_OVERRIDE_EXPRESSION = 63,
    // "SelectorEntry".
    BUNRAKU_NODE_SELECTOR_ENTRY = 64,
    // "SelectorExpression".
    BUNRAKU_NODE_SELECTOR_EXPRESSION = 65,
    // "NamedAccessExpression".
    BUNRAKU_NODE_NAMED_ACCESS_EXPRESSION = 66,
    // "Error".
    BUNRAKU_NODE_ERROR = 67,
} bunraku_node_type;

/* ---- Version -------------------------------------------------------------------------------------------
 * Which version the header belongs to, which one runs, and what it was built with. The header
 * is that of a library with all features: functions stay where their feature is left out, and
 * return an error of the kind "unsupported".
 */

// The major version that this header belongs to.
#define BUNRAKU_VERSION_MAJOR 0

// The minor version that this header belongs to.
#define BUNRAKU_VERSION_MINOR 2

// The patch version that this header belongs to.
#define BUNRAKU_VERSION_PATCH 0

// The version of the binary interface that this header declares. It increases by one when a program that was
// compiled with an older header can no longer use the library. Added functions, callbacks and kinds do not
// change it.
#define BUNRAKU_ABI_VERSION 1

// The version of the running library, such as "0.2.0". The text is static. Any thread can call this.
const char *bunraku_version(void);

// The version of the binary interface of the running library: see BUNRAKU_ABI_VERSION. A program that loads
// the library itself compares the two. Any thread can call this.
uint32_t bunraku_abi_version(void);

// The features that the library was built with, separated by spaces, in alphabetical order. The full list is
// "check classifier documentation eyaml lint modules report ruby tasks". Functions of a missing feature
// return an error of the kind "unsupported", as does a compilation that needs it. The text is static. Any
// thread can call this.
const char *bunraku_features(void);

/* ---- Errors --------------------------------------------------------------------------------------------
 * Every function that can fail returns a bunraku_error: NULL on success, an error that belongs
 * to the caller otherwise. Output parameters come last and are written only on success.
 */

// The kind of an error: one of bunraku_failure; BUNRAKU_FAILURE_NONE for NULL.
uint32_t bunraku_error_kind(const bunraku_error *error);

// The name of an error's kind, such as "syntax": see bunraku_failure. NUL-terminated and static; NULL for
// NULL.
const char *bunraku_error_kind_name(const bunraku_error *error);

// The message, in the reference's wording, without the place.
//
// @param error  the error; NULL gives NULL
// @return text that is valid until the error is freed
bunraku_text bunraku_error_message(const bunraku_error *error);

// The issue code, such as "UNKNOWN_VARIABLE"; NULL if the error has none.
//
// @param error  the error; NULL gives NULL
// @return text that is valid until the error is freed
bunraku_text bunraku_error_issue_code(const bunraku_error *error);

// The file of the error; NULL if it has none.
//
// @param error  the error; NULL gives NULL
// @return text that is valid until the error is freed
bunraku_text bunraku_error_file(const bunraku_error *error);

// The line, from 1; 0 if it is unknown.
uint32_t bunraku_error_line(const bunraku_error *error);

// The column in characters, from 1; 0 if it is unknown.
uint32_t bunraku_error_column(const bunraku_error *error);

// Returns the place at which a text cannot be parsed. If the input ends too early, the place is the end of
// the text, with the length 0; bunraku_error_line and bunraku_error_column do not report this place.
//
// @param error  the error; NULL has no place
// @param unit  the unit: one of bunraku_unit
// @param span  receives the place
// @return whether the error has such a place; otherwise nothing is written. Errors of compilations only have
//     a line and a column
bool bunraku_error_span(const bunraku_error *error, uint32_t unit, bunraku_span *span);

// The Puppet calls that led to the error, innermost first: a JSON array of objects with "name", "file",
// "line", "column".
//
// @param error  the error; NULL gives NULL
// @return text that is valid until the error is freed
bunraku_text bunraku_error_stack_json(const bunraku_error *error);

// The error as a text for people: the message with its place, followed by the Puppet calls that led there,
// innermost first, one a line: ` from apache::vhost (/code/site.pp:3)`.
//
// @param error  the error; NULL gives NULL
// @return text that is valid until the error is freed
bunraku_text bunraku_error_trace(const bunraku_error *error);

// The log that precedes the error: a JSON array as `bunraku_catalog_logs_json` describes.
//
// @param error  the error; NULL gives NULL
// @return text that is valid until the error is freed
bunraku_text bunraku_error_logs_json(const bunraku_error *error);

// Frees an error. NULL is allowed.
void bunraku_error_free(bunraku_error *error);

/* ---- Text ----------------------------------------------------------------------------------------------
 * Text that goes in: BUNRAKU_TEXT("a literal"), bunraku_text_of(with_a_nul), BUNRAKU_NO_TEXT,
 * or a pointer and a length. Text that comes out and belongs to the caller is a
 * bunraku_string.
 */

// A literal as text, and no text.
#ifdef __cplusplus
#define BUNRAKU_TEXT(literal) (bunraku_text{"" literal, sizeof(literal) - 1})
#define BUNRAKU_NO_TEXT (bunraku_text{NULL, 0})
#else
#define BUNRAKU_TEXT(literal) ((bunraku_text){"" literal, sizeof(literal) - 1})
#define BUNRAKU_NO_TEXT ((bunraku_text){NULL, 0})
#endif

// The text before a NUL. NULL gives BUNRAKU_NO_TEXT.
static inline bunraku_text bunraku_text_of(const char *text)
{
    bunraku_text result = {text, text ? strlen(text) : 0};

    return result;
}

// The text, valid until it is freed.
//
// @param string  the text; NULL gives no text
bunraku_text bunraku_string_data(const bunraku_string *string);

// Frees a text. NULL is allowed.
void bunraku_string_free(bunraku_string *string);

// The bytes, valid until they are freed. Not NUL-terminated.
//
// @param bytes  the bytes; NULL gives none
bunraku_text bunraku_bytes_data(const bunraku_bytes *bytes);

// Frees bytes. NULL is allowed.
void bunraku_bytes_free(bunraku_bytes *bytes);

/* ---- Values --------------------------------------------------------------------------------------------
 * Values of the language, from JSON and to JSON, as data and as streams.
 */

// `undef`.
//
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_from_undef(bunraku_value **value);

// A Boolean.
//
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_from_boolean(bool boolean, bunraku_value **value);

// An Integer.
//
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_from_integer(int64_t integer, bunraku_value **value);

// A Float.
//
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_from_float(double number, bunraku_value **value);

// A String.
//
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_from_text(bunraku_text string, bunraku_value **value);

// An Array.
//
// @param elements  the elements; the caller keeps them
// @param count  the number of elements
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_from_elements(const bunraku_value *const *elements,
                                           size_t count,
                                           bunraku_value **value);

// A Hash. If keys are equal, the last one is used.
//
// @param keys  the keys; the caller keeps them
// @param elements  the value of each key; the caller keeps them
// @param count  the number of keys
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_from_entries(const bunraku_value *const *keys,
                                          const bunraku_value *const *elements,
                                          size_t count,
                                          bunraku_value **value);

// A Sensitive, whose content is never shown.
//
// @param secret  the content; the caller keeps it
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_from_secret(const bunraku_value *secret, bunraku_value **value);

// The kind of a value: one of bunraku_kind; BUNRAKU_KIND_NONE for NULL.
uint32_t bunraku_value_kind(const bunraku_value *value);

// Whether a value is the Boolean true; false for all other values.
bool bunraku_value_boolean(const bunraku_value *value);

// The number of an Integer.
//
// @param integer  receives the number
// @return whether it is an Integer of 64 bits; otherwise nothing is written
bool bunraku_value_integer(const bunraku_value *value, int64_t *integer);

// The number of a Float.
//
// @param number  receives the number
// @return whether it is a Float; otherwise nothing is written
bool bunraku_value_float(const bunraku_value *value, double *number);

// The text of a String, or the bytes of a Binary; no text for other values. Not NUL-terminated.
//
// @return text that is valid as long as the value
bunraku_text bunraku_value_text(const bunraku_value *value);

// The number of elements of an Array or entries of a Hash; 0 for other values.
size_t bunraku_value_count(const bunraku_value *value);

// An element of an Array, or the value of an entry of a Hash, in the order of insertion.
//
// @param index  from 0
// @return a value that lives as long as the container and must not be freed; NULL if it does not exist
const bunraku_value *bunraku_value_element(const bunraku_value *value, size_t index);

// The key of an entry of a Hash, in the order of insertion.
//
// @param index  from 0
// @return as bunraku_value_element
const bunraku_value *bunraku_value_key(const bunraku_value *value, size_t index);

// The value of a Hash for a String key.
//
// @return as bunraku_value_element
const bunraku_value *bunraku_value_get(const bunraku_value *value, bunraku_text key);

// The content of a Sensitive, in clear.
//
// @return as bunraku_value_element; NULL for other values
const bunraku_value *bunraku_value_unwrap(const bunraku_value *value);

// Reads a value from plain JSON, which can only represent values that have a form in JSON.
//
// @param json  the JSON text, UTF-8
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_from_json(bunraku_text json, bunraku_value **value);

// Reads a value from generic data: JSON in which objects with "__ptype" are values of other types.
//
// @param json  the JSON text, UTF-8
// @param environment  resolves the names of modules' types; NULL for only the types of the language
// @param allow_unresolved  whether data of unknown types stays a hash; otherwise it is an error
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_from_data(bunraku_text json,
                                       const bunraku_environment *environment,
                                       bool allow_unresolved,
                                       bunraku_value **value);

// A value as generic data.
//
// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "rich_data" (true: values without a form in JSON
//     become objects with "__ptype"; false: text), "local_reference" (true: a repeated object becomes a
//     path), "type_by_reference" (true: types of objects are named), "symbol_as_string" (false),
//     "message_prefix" (""), "allow_loss" (false: a value that becomes text is an error)
// @param json  receives the JSON text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_value_to_data(const bunraku_value *value,
                                     bunraku_text options_json,
                                     bunraku_string **json);

// A value as generic data, as bunraku_value_to_data writes it, with the losses.
//
// @param options_json  as for bunraku_value_to_data; "allow_loss" is ignored
// @param json  receives the JSON text, to be freed with bunraku_string_free
// @param losses  receives a JSON array of texts, one for each value that became text; to be freed with
//     bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_value_to_data_with_losses(const bunraku_value *value,
                                                 bunraku_text options_json,
                                                 bunraku_string **json,
                                                 bunraku_string **losses);

// A value as text: by interpolation, or by String.new with a format.
//
// @param format  a format such as "%#p"; BUNRAKU_NO_TEXT for interpolation
// @param string  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_value_to_string(const bunraku_value *value,
                                       bunraku_text format,
                                       bunraku_string **string);

// Whether two values are equal as keys of a hash: 1 and 1.0 differ, and texts differ in case. False if one
// of them is NULL.
bool bunraku_value_equals(const bunraku_value *a, const bunraku_value *b);

// A value as a stream that contains each object once.
//
// @param format  one of bunraku_stream
// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "type_by_reference" (true), "tabulate" (true)
// @param stream  receives the stream, to be freed with bunraku_bytes_free
// @return NULL on success
bunraku_error *bunraku_value_dump(const bunraku_value *value,
                                  uint32_t format,
                                  bunraku_text options_json,
                                  bunraku_bytes **stream);

// Reads a value from a stream.
//
// @param stream  the bytes from bunraku_value_dump
// @param format  one of bunraku_stream
// @param environment  resolves the names of modules' types; NULL for only the types of the language
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_load(bunraku_text stream,
                                  uint32_t format,
                                  const bunraku_environment *environment,
                                  bunraku_value **value);

// Frees a value. NULL is allowed.
void bunraku_value_free(bunraku_value *value);

/* ---- Types ---------------------------------------------------------------------------------------------
 * Types of the language: what is an instance of them, and what they make.
 */

// Parses a type.
//
// @param source  the type in the language, such as "Array[String, 1]", UTF-8
// @param environment  resolves the names of modules' types; if it is NULL, an unknown name is a
//     TypeReference. Any number of threads can use one at the same time
// @param result  receives the type, to be freed with bunraku_type_free
// @return NULL on success
bunraku_error *bunraku_type_parse(bunraku_text source,
                                  const bunraku_environment *environment,
                                  bunraku_type **result);

// The type of a value.
//
// @param method  one of bunraku_inference
// @param result  receives the type, to be freed with bunraku_type_free
// @return NULL on success
bunraku_error *bunraku_type_infer(const bunraku_value *value, uint32_t method, bunraku_type **result);

// The most specific type that two types can be assigned to.
//
// @param result  receives the type, to be freed with bunraku_type_free
// @return NULL on success
bunraku_error *bunraku_type_common(const bunraku_type *a, const bunraku_type *b, bunraku_type **result);

// Whether a value is an instance of a type. False if one of them is NULL.
bool bunraku_type_is_instance(const bunraku_type *of, const bunraku_value *value);

// Whether every instance of `other` is an instance of `of`. False if one of them is NULL.
bool bunraku_type_is_assignable(const bunraku_type *of, const bunraku_type *other);

// Whether two types are equal, however they were written. False if one of them is NULL.
bool bunraku_type_equals(const bunraku_type *a, const bunraku_type *b);

// A type in the notation of the language.
//
// @param string  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_type_to_string(const bunraku_type *of, bunraku_string **string);

// Makes a value of a type, as Type.new(...) does in the language.
//
// @param arguments  an array of the arguments
// @param environment  provides the clock for Timestamp.new; NULL for the system's
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_type_new(const bunraku_type *of,
                                const bunraku_value *arguments,
                                const bunraku_environment *environment,
                                bunraku_value **value);

// Why a value is not an instance of a type, in the reference's words.
//
// @param name  the beginning of the text; BUNRAKU_NO_TEXT for nothing
// @param string  receives the text, to be freed with bunraku_string_free; NULL if the value is an instance
// @return NULL on success
bunraku_error *bunraku_type_mismatch(const bunraku_type *of,
                                     const bunraku_value *value,
                                     bunraku_text name,
                                     bunraku_string **string);

// Whether a value is an instance of a type, as bunraku_type_is_instance. Here a type that cannot decide (an
// Init of a type without constructor, a pattern that takes too long) is an error.
//
// @param answer  receives the result
// @return NULL on success
bunraku_error *bunraku_type_check_instance(const bunraku_type *of, const bunraku_value *value, bool *answer);

// Whether every instance of `other` is an instance of `of`, as bunraku_type_is_assignable. Here a type that
// cannot decide is an error.
//
// @param answer  receives the result
// @return NULL on success
bunraku_error *bunraku_type_check_assignable(const bunraku_type *of, const bunraku_type *other, bool *answer);

// The type without its bounds and values.
//
// @param result  receives the type, to be freed with bunraku_type_free
// @return NULL on success
bunraku_error *bunraku_type_generalize(const bunraku_type *of, bunraku_type **result);

// The type in its simplest form.
//
// @param result  receives the type, to be freed with bunraku_type_free
// @return NULL on success
bunraku_error *bunraku_type_normalize(const bunraku_type *of, bunraku_type **result);

// The target of an alias; any other type itself.
//
// @param result  receives the type, to be freed with bunraku_type_free
// @return NULL on success
bunraku_error *bunraku_type_resolved(const bunraku_type *of, bunraku_type **result);

// The kind of a type, such as "Integer", "Variant" or "TypeAlias".
//
// @param string  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_type_kind(const bunraku_type *of, bunraku_string **string);

// The name of a type: that of an alias, an Object type or a TypeSet, or the language's name of the type.
//
// @param string  receives the text, to be freed with bunraku_string_free; NULL for an Object type without a
//     name
// @return NULL on success
bunraku_error *bunraku_type_name(const bunraku_type *of, bunraku_string **string);

// Why another type does not fit where this one is expected, in the reference's words.
//
// @param actual  a type that cannot be assigned to `of`
// @param name  the beginning of the text; BUNRAKU_NO_TEXT for nothing
// @param string  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_type_describe_mismatch(const bunraku_type *of,
                                              const bunraku_type *actual,
                                              bunraku_text name,
                                              bunraku_string **string);

// A type as a value: types are values of the language.
//
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_type_to_value(const bunraku_type *of, bunraku_value **value);

// The type that a value is.
//
// @param value  a value of the kind BUNRAKU_KIND_TYPE
// @param of  receives the type, to be freed with bunraku_type_free
// @return NULL on success
bunraku_error *bunraku_type_from_value(const bunraku_value *value, bunraku_type **of);

// Frees a type. NULL is allowed.
void bunraku_type_free(bunraku_type *of);

/* ---- Programs ------------------------------------------------------------------------------------------
 * Manifests and templates, parsed: see if they are valid, look at their syntax.
 */

// The root node of a program: its expression, usually a block of statements.
bunraku_node bunraku_program_body(const bunraku_program *program);

// The number of classes, defined types, functions, types, plans and nodes that a program defines.
size_t bunraku_program_definition_count(const bunraku_program *program);

// A definition of a program by its index. Inner definitions precede outer ones.
bunraku_node bunraku_program_definition(const bunraku_program *program, size_t index);

// The number of comments in a program.
size_t bunraku_program_comment_count(const bunraku_program *program);

// The place of a comment, in the order of the source.
//
// @param unit  the unit: one of bunraku_unit
// @param span  receives the place
// @return whether it exists; otherwise nothing is written
bool bunraku_program_comment(const bunraku_program *program, size_t index, uint32_t unit, bunraku_span *span);

// The node that a comment belongs to; no node if the comment does not exist.
//
// @param index  the index of the comment, from 0, as in bunraku_program_comment
// @param placement  receives its position relative to the node, one of bunraku_placement, unless it is NULL
bunraku_node bunraku_program_comment_node(const bunraku_program *program, size_t index, uint32_t *placement);

// The text that a program was parsed from. Valid until the program is freed; not NUL-terminated.
bunraku_text bunraku_program_source(const bunraku_program *program);

// Parses a text. The text is copied.
//
// @param source  the text, UTF-8
// @param path  the file name that errors show; BUNRAKU_NO_TEXT for none
// @param syntax  the kind of text: one of bunraku_syntax
// @param program  receives the program, to be freed with bunraku_program_free
// @return NULL on success; the syntax error otherwise
bunraku_error *bunraku_program_parse(bunraku_text source,
                                     bunraku_text path,
                                     uint32_t syntax,
                                     bunraku_program **program);

// Parses a text to its end, even after errors. Nodes of the kind "Error" replace what could not be parsed;
// bunraku_program_errors returns the reasons. The text is copied.
//
// @param source  the text, UTF-8
// @param path  the file name that errors show; BUNRAKU_NO_TEXT for none
// @param syntax  the kind of text: one of bunraku_syntax
// @param program  receives the program, to be freed with bunraku_program_free
// @return NULL on success, also when there are syntax errors
bunraku_error *bunraku_program_parse_recovering(bunraku_text source,
                                                bunraku_text path,
                                                uint32_t syntax,
                                                bunraku_program **program);

// The errors that bunraku_program_parse_recovering found. The first is the one of bunraku_program_parse.
//
// @param diagnostics  receives a JSON array as that of bunraku_program_validate; to be freed with
//     bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_program_errors(const bunraku_program *program, bunraku_string **diagnostics);

// The warnings of the lexer: unknown escapes.
//
// @param diagnostics  receives a JSON array as that of bunraku_program_validate; to be freed with
//     bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_program_warnings(const bunraku_program *program, bunraku_string **diagnostics);

// Writes a program in its binary form, for caches; core/docs/binary.md describes it. It excludes the errors
// after which the parser continued.
//
// @param bytes  receives the bytes, to be freed with bunraku_bytes_free
// @return NULL on success
bunraku_error *bunraku_program_write(const bunraku_program *program, bunraku_bytes **bytes);

// Reads the binary form of a program.
//
// @param given  the bytes that bunraku_program_write made
// @param syntax  the kind of the program's text: one of bunraku_syntax
// @param program  receives the program, to be freed with bunraku_program_free
// @return NULL on success; an error if the bytes are damaged or of another version
bunraku_error *bunraku_program_read(bunraku_text given, uint32_t syntax, bunraku_program **program);

// Validates a program. The diagnostics are the findings of the validator and, without errors among them,
// parameters with names of metaparameters and names that are defined twice.
//
// @param strictness  how strictly questionable code is treated: one of bunraku_strictness
// @param diagnostics  receives a JSON array of objects with "severity" ("error", "warning", "deprecation"),
//     "issue_code", "message", "file", "line" and "column" as Puppet reports them (null at the end of the
//     input), "offset" and "length" (bytes), "end_line" and "end_column" (characters), and "ranges": an
//     object with "byte", "character" and "utf16", each with "offset", "length", "line", "column",
//     "end_line" and "end_column". A diagnostic about no text, such as a limit, has no ranges. To be freed
//     with bunraku_string_free
// @return NULL on success, whatever the diagnostics are
bunraku_error *bunraku_program_validate(const bunraku_program *program,
                                        uint32_t strictness,
                                        bunraku_string **diagnostics);

// Changes the text of a program: what is named changes, all else stays as it is written. Parse the result to
// know whether it is still a program.
//
// @param edits_json  a JSON array of objects with "edit" ("replace", "insert_before", "insert_after",
//     "remove", which takes lines with it that have nothing else), "node" (the number of a node) and "text"
//     (not with "remove"). Insertions at one place stand in their order. "rename" has "kind" ("class",
//     "define", "function"), "from" and "to" instead: the definition and all references in this text
// @param edited  receives the text, to be freed with bunraku_string_free
// @return NULL on success; an error when edits overlap, with the place of the second one
bunraku_error *bunraku_program_edit(const bunraku_program *program,
                                    bunraku_text edits_json,
                                    bunraku_string **edited);

// Validates the files of a repository on several threads. The findings are all syntax errors of each file,
// the findings of the validator, parameters with names of metaparameters, names that are defined twice in a
// file or in several files of an environment or module, and data of Hiera or metadata of modules that is not
// valid YAML or JSON.
//
// @param request_json  a JSON object: "paths" (files and directories) and optionally "exclude" (patterns as
//     in .gitignore), "gitignore" (false: files that .gitignore names are checked, too), "data" (false: YAML
//     and JSON files are not checked), "threads" (a number), "strict" ("off", "warning", "error"), "tasks"
//     (whether plans are part of the language outside directories plans), "only" (the absolute paths of the
//     files whose findings are reported)
// @param json  receives a JSON object with "files" (the number of files), "findings" (objects as those of
//     bunraku_program_validate; lower-case codes are of this library) and "empty" (the paths that led to no
//     file); to be freed with bunraku_string_free
// @return NULL on success, whatever the findings are
bunraku_error *bunraku_program_validate_files(bunraku_text request_json, bunraku_string **json);

// Whether a program has no diagnostics at all under the strictest rules: no error, no warning, nothing for
// the log.
//
// @param place_json  determines which definitions a file can contain: a JSON object with "modulepath" (a
//     list of directories) and "manifest" (a file or directory that can contain anything), or
//     BUNRAKU_NO_TEXT
// @param is_flawless  receives the result
// @return NULL on success
bunraku_error *bunraku_program_is_flawless(const bunraku_program *program,
                                           bunraku_text place_json,
                                           bool *is_flawless);

// Writes a program in Puppet Extended S-Expression Notation.
//
// @param format  "text" for the notation on one line, "pretty" for each element on its own line, "json" for
//     the same as JSON
// @param pn  receives the text, to be freed with bunraku_string_free
// @return NULL on success; an error if the notation cannot represent the name of a parameter, such as
//     "$a::b"
bunraku_error *bunraku_program_to_pn(const bunraku_program *program,
                                     bunraku_text format,
                                     bunraku_string **pn);

// Frees a program. NULL is allowed.
void bunraku_program_free(bunraku_program *program);

/* ---- Nodes ---------------------------------------------------------------------------------------------
 * The syntax tree: what kind a node is of, what stands in its fields, where it stands, what
 * comments say of it. Names of kinds and fields are those of the reference's model
 * (Puppet::Pops::Model).
 */

// The name of a node's kind in the reference's model, such as "LiteralString". NUL-terminated and static.
const char *bunraku_node_kind(bunraku_node node);

// The kind of a node as a number: one of bunraku_node_type; BUNRAKU_NODE_NONE for no node. A newer library
// may return kinds that this header does not name.
uint32_t bunraku_node_type_of(bunraku_node node);

// The parent of a node; none for the body.
bunraku_node bunraku_node_parent(bunraku_node node);

// The innermost definition that encloses a node: of a class, a type, a function, a plan or a node; none if
// no definition encloses it.
bunraku_node bunraku_node_enclosing_definition(bunraku_node node);

// The previous sibling of a node; none for the first.
bunraku_node bunraku_node_previous_sibling(bunraku_node node);

// The next sibling of a node; none for the last.
bunraku_node bunraku_node_next_sibling(bunraku_node node);

// The number of children of a node.
size_t bunraku_node_child_count(bunraku_node node);

// A child of a node, in the order of the fields.
bunraku_node bunraku_node_child(bunraku_node node, size_t index);

// The number of fields of a node.
size_t bunraku_node_field_count(bunraku_node node);

// A field of a node by its index.
//
// @param field  receives the field
// @return whether it exists; otherwise nothing is written
bool bunraku_node_field(bunraku_node node, size_t index, bunraku_field *field);

// A field of a node by name.
//
// @param name  such as "left_expr"
// @param field  receives the field
// @return whether it exists; otherwise nothing is written
bool bunraku_node_field_named(bunraku_node node, bunraku_text name, bunraku_field *field);

// A node of a field that is a list.
//
// @param field  the index of the field
// @param index  the index in the list
bunraku_node bunraku_node_member(bunraku_node node, size_t field, size_t index);

// The source text of a node. Valid until the program is freed; not NUL-terminated.
bunraku_text bunraku_node_text(bunraku_node node);

// The place of a node, as the reference has it. For some nodes it is a part only: for a parameter, its name.
//
// @param unit  the unit: one of bunraku_unit
// @param span  receives the place
// @return whether it exists; otherwise nothing is written
bool bunraku_node_span(bunraku_node node, uint32_t unit, bunraku_span *span);

// The place of a node with everything below it: for a parameter, from its type to the end of its default.
//
// @param unit  the unit: one of bunraku_unit
// @param span  receives the place
// @return whether it exists; otherwise nothing is written
bool bunraku_node_extent(bunraku_node node, uint32_t unit, bunraku_span *span);

// Writes a node and everything below it in Puppet Extended S-Expression Notation.
//
// @param format  as bunraku_program_to_pn takes it
// @param pn  receives the text, to be freed with bunraku_string_free
// @return NULL on success; an error if the notation cannot represent the name of a parameter
bunraku_error *bunraku_node_to_pn(bunraku_node node, bunraku_text format, bunraku_string **pn);

// The text of the comments directly above a node or, without these, of the one after it on its last line. It
// excludes "#", "/*" and "*/".
//
// @param documentation  receives the text, to be freed with bunraku_string_free; NULL if there is none
// @return NULL on success
bunraku_error *bunraku_node_documentation(bunraku_node node, bunraku_string **documentation);

/* ---- Tokens, formatting and style ----------------------------------------------------------------------
 * All of a text as tokens with white space and comments, programs as the style guide has them, and what is
 * not as it has them.
 */

// Splits a text into tokens, whatever errors it has. The text is copied.
//
// @param source  the text, UTF-8
// @param syntax  the kind of text: one of bunraku_syntax
// @param tokens  receives the tokens, to be freed with bunraku_tokens_free
// @return NULL on success, even if the text has errors
bunraku_error *bunraku_tokens_new(bunraku_text source, uint32_t syntax, bunraku_tokens **tokens);

// Frees tokens. NULL is allowed.
void bunraku_tokens_free(bunraku_tokens *tokens);

// The number of tokens and pieces of trivia.
size_t bunraku_tokens_count(const bunraku_tokens *tokens);

// A token or a piece of trivia by its index, from 0, in the order of the text.
bunraku_token bunraku_tokens_token(const bunraku_tokens *tokens, size_t index);

// The place of a token or a piece of trivia.
//
// @param unit  the unit: one of bunraku_unit
// @param span  receives the place
// @return whether it exists; otherwise nothing is written
bool bunraku_tokens_span(const bunraku_tokens *tokens, size_t index, uint32_t unit, bunraku_span *span);

// Formats a text according to the style guide. The result means the same and has the same comments.
//
// @param source  the text, UTF-8
// @param syntax  the kind of text: one of bunraku_syntax
// @param options_json  a JSON object with "width" (the maximum number of characters in a line where
//     possible: 140), "indentation" (2), "align_arrows" (true), "single_quotes" (true), "lines" (the first
//     and the last line, from 1, whose statements are formatted: all), "recover" (whether a text that cannot
//     be parsed is formatted but for the statements with errors: false); BUNRAKU_NO_TEXT for none
// @param formatted  receives the text, to be freed with bunraku_string_free
// @return NULL on success; the first error if the text cannot be parsed
bunraku_error *bunraku_format(bunraku_text source,
                              uint32_t syntax,
                              bunraku_text options_json,
                              bunraku_string **formatted);

// Checks a text as puppet-lint does, and mends what can be mended.
//
// @param source  the text, UTF-8
// @param request_json  a JSON object, or an empty text: "path" (the absolute path of the file, for
//     autoloader_layout), "relative" (whether the layout of a module counts from its root), "only_checks"
//     (names of the checks that run), "plugins" (names of plug-ins of puppet-lint whose checks run, too, or
//     "voxpupuli-puppet-lint-plugins"), "checks" (an object: names of checks, and whether they run),
//     "top_scope_variables" (names), "docs_allowed_styles" (of "doc", "kafo", "strings"),
//     "chars_per_indent" (a number), "fix" (whether the text is mended). A text whose path ends with .yaml
//     or .yml is data, where old names of facts are found.
// @param json  receives a JSON object with "findings" (objects with "check", "kind": "error", "warning",
//     "fixed" or "ignored", "message", "line", "column", and "reason" of ignored ones), "warnings" (of
//     comments that do not fit together) and "fixed" (the mended text); to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_lint_json(bunraku_text source, bunraku_text request_json, bunraku_string **json);

// The checks of bunraku_lint_json.
//
// @param json  receives a JSON array of objects with "check", "severity" ("error" or "warning"), "on"
//     (whether it runs unless the request says otherwise), "fixed" (whether what it finds can be mended),
//     "about" and "plugin" (the plug-in of puppet-lint that has it, or null); to be freed with
//     bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_lint_checks_json(bunraku_string **json);

/* ---- Queries -------------------------------------------------------------------------------------------
 * Nodes by kind, fields and structure: a query is read once, and asked for any number of programs.
 */

// Parses a query.
//
// @param source  the query, UTF-8
// @param query  receives the query, to be freed with bunraku_query_free
// @return NULL on success; otherwise an error with the reason and the offset in bytes
bunraku_error *bunraku_query_new(bunraku_text source, bunraku_query **query);

// Frees a query. NULL is allowed.
void bunraku_query_free(bunraku_query *query);

// The number of capture names.
size_t bunraku_query_capture_count(const bunraku_query *query);

// The name of a capture by its index, from 0; no text if it does not exist. Valid until the query is freed.
bunraku_text bunraku_query_capture_name(const bunraku_query *query, size_t index);

// Finds all matches in a node and its descendants, in the order of the source. Pass bunraku_program_body to
// search a whole program. Threads can call it at the same time.
//
// @param matches  receives the matches, to be freed with bunraku_matches_free
// @return NULL on success, even without matches; an error if the search is cancelled (bunraku_cancel_attach)
//     or takes more than 300 seconds of processor time
bunraku_error *bunraku_query_run(const bunraku_query *query, bunraku_node below, bunraku_matches **matches);

// Frees the matches of a query. NULL is allowed.
void bunraku_matches_free(bunraku_matches *matches);

// The number of matches.
size_t bunraku_matches_count(const bunraku_matches *matches);

// The index of the query's pattern that matched, from 0.
size_t bunraku_matches_pattern(const bunraku_matches *matches, size_t index);

// The node that matched.
bunraku_node bunraku_matches_node(const bunraku_matches *matches, size_t index);

// The number of nodes that a match captures.
size_t bunraku_matches_capture_count(const bunraku_matches *matches, size_t index);

// A node that a match captures, in the order in which they were found.
//
// @param capture  the index of the capture, from 0
// @param name  receives the index of the capture's name, unless it is NULL or the node does not exist
bunraku_node bunraku_matches_capture(const bunraku_matches *matches,
                                     size_t index,
                                     size_t capture,
                                     size_t *name);

/* ---- Hosts ---------------------------------------------------------------------------------------------
 * What an embedder provides: files that are not on the disk, functions of its own, a log.
 * A bunraku_sink takes the answer of a callback; a bunraku_call lets a function call back.
 */

// Whether the caller passed a block to the running function.
bool bunraku_call_has_block(const bunraku_call *call);

// Calls the block that was passed to the running function.
//
// @param arguments_json  an array in rich data
// @param result  receives the result as JSON, in rich data, to be freed with bunraku_string_free
// @return NULL on success. A callback that cannot continue after a failure returns false: the library
//     remembers the failure and reports it as the callback's own.
bunraku_error *bunraku_call_block(bunraku_call *call, bunraku_text arguments_json, bunraku_string **result);

// Calls another Puppet function by name.
//
// @param name  such as "split"
// @param arguments_json  an array in rich data
// @param result  receives the result as JSON, in rich data, to be freed with bunraku_string_free
// @return as bunraku_call_block
bunraku_error *bunraku_call_function(bunraku_call *call,
                                     bunraku_text name,
                                     bunraku_text arguments_json,
                                     bunraku_string **result);

// Reads a variable in the scope of the caller.
//
// @param name  the name without its "$"
// @param result  receives the value as JSON, in rich data, to be freed with bunraku_string_free; NULL if the
//     variable does not exist
// @return NULL on success
bunraku_error *bunraku_call_variable(const bunraku_call *call, bunraku_text name, bunraku_string **result);

// Sets the callbacks of the calling thread. In environments that were loaded with a host (which can be
// one without any callbacks), the later work of this thread calls `exported_resources`,
// `search_resources`, `log`, `progress`, `find_module_function` (with `call_function`) and
// `render_template` of these, where they are not NULL, in place of the environment's own. So several
// programs in one process, such as the interpreters of a server, can share an environment. The other
// callbacks are not used.
//
// @param host  the callbacks, which are copied; NULL for none. `free_data` is never called
// @return NULL on success
bunraku_error *bunraku_host_attach(const bunraku_host *host);

// Appends bytes to an answer; it can be called repeatedly. An answer that is too large fails: a file of more
// bytes than the environment's option "file_size", or any other answer of more than 256 MiB.
void bunraku_sink_write(bunraku_sink *sink, bunraku_text given);

// Adds one item to an answer that is a list. The text must be UTF-8; an invalid text is ignored.
void bunraku_sink_add(bunraku_sink *sink, bunraku_text item);

/* ---- Environments --------------------------------------------------------------------------------------
 * Load an environment once; compile and look up in it from any thread. A bunraku_cancel ends
 * either, and other work.
 */

// Makes a switch that is not set, for the functions that take one and for bunraku_cancel_attach.
//
// @return the switch, to be freed with bunraku_cancel_free; NULL if memory is exhausted
bunraku_cancel *bunraku_cancel_new(void);

// Cancels all compilations that have been given this switch or will be. They fail within a few thousand
// steps, at the place that they have reached. The function only writes a flag: any thread and any signal
// handler can call it.
void bunraku_cancel_set(const bunraku_cancel *cancel);

// Lets a switch cancel the later work of the calling thread: compilations without a switch of their own,
// parsing and validating programs, loading environments, writing and reading catalogs as documents
// (bunraku_catalog_write, _read, _validate, _convert), origins, explanations, differences and drawings,
// requests about modules and tasks, and requests to a classifier. The work fails as a cancelled compilation
// does, with an error of the kind BUNRAKU_FAILURE_CANCELLED. Even without a switch, such work ends after 300
// seconds of processor time. Work that reads files of modules or untrusted input can use 1 GiB of memory.
//
// @param cancel  the switch, which may be freed before the work ends; NULL detaches the current switch
// @return NULL on success
bunraku_error *bunraku_cancel_attach(const bunraku_cancel *cancel);

// Whether the switch is set.
bool bunraku_cancel_is_set(const bunraku_cancel *cancel);

// Frees a switch. NULL is allowed. Compilations that use the switch continue.
void bunraku_cancel_free(bunraku_cancel *cancel);

// Loads an environment.
//
// @param directories  the directories that contain environments; relative paths start at the working
//     directory
// @param directory_count  the number of directories
// @param name  the environment, such as "production"
// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "directory" (the environment's own directory,
//     whatever its name; `directories` are then not searched), "basemodulepath" and "modulepath" (lists of
//     directories), "manifest" (a path), "code" (text instead of the main manifest), "global_hiera" (a
//     path), "global_hiera_text" (the content of that file, which is then not read), "settings" (an object:
//     "strict", "strict_variables", "rich_data", "storeconfigs", "tasks", …; the directory "libdir" and the
//     modules of "vendormoduledir" are searched for resource types, providers and functions of the 3.x API
//     after the modules; the default is the reference's, an empty text means none), "gems" and "load_path"
//     (lists of directories with Ruby that are also searched for these, before the modules and between
//     "libdir" and the vendored modules), "commands" (true: config_version, generate() and functions of
//     modules run commands, with the rights of this process), "writable" (a list of directories below which
//     functions of modules can write files), "prefer_ruby" (a list of modules whose own Ruby functions run
//     even where the library has native replacements, ["*"] for all), "file_size" (the maximum size in bytes
//     of a file that is read, 67108864 by default), "reload" (when the environment is loaded again: "never",
//     the default, "always", by each call, "changed", when the size or time of a file or directory that was
//     read has changed, "configured", as environment_timeout in its environment.conf says, or a time such as
//     "5m"), "fresh_data" (true: each compilation sees changes of data files and of every hiera.yaml,
//     while all else stays as it was read)
// @param host  callbacks, which are copied; NULL for the disk without further functions
// @param environment  receives the environment, to be freed with bunraku_environment_free
// @return NULL on success
bunraku_error *bunraku_environment_load(const bunraku_text *directories,
                                        size_t directory_count,
                                        bunraku_text name,
                                        bunraku_text options_json,
                                        const bunraku_host *host,
                                        bunraku_environment **environment);

// Compiles the catalog of a node.
//
// @param node  the certname
// @param facts_json  the facts, a JSON object; BUNRAKU_NO_TEXT for none
// @param request_json  a JSON object with further input, or BUNRAKU_NO_TEXT: "trusted" (an object),
//     "trusted_data" (the whole of $trusted instead, whatever its members), "classes" (a list of names, or
//     an object of names to parameters), "parameters" (variables of the top scope), "classification" (an
//     object as a classifier returns it: more classes and parameters,
//     "config_data", and "environment", which must be this one or "agent-specified"), "server_facts" (an
//     object; or true, which sets $servername, $serverip, $serverversion and the others as OpenVox does,
//     with the name and the addresses of this machine, which are looked up once for an environment),
//     "server_facts_merged": true when "parameters" already contain them; "rich_data": true when facts, and
//     parameters other than those of "classification", are in rich data, so that {"__ptype": "Sensitive",
//     "__pvalue": "p4ss"} is a Sensitive and not a hash; "provenance": true records where values come from;
//     "check_cycles": true makes a dependency cycle an error that shows its path; the identity of the
//     catalog: "code_id", "transaction_uuid", "job_id", "producer", "producer_timestamp" (ISO 8601 with a
//     time zone; by default the time of the compilation) and "catalog_uuid" (by default a new one); "seed"
//     (a text or whole number that determines everything random, so that the same request gives the same
//     bytes), "time" (the fixed time of the clock: seconds since 1970 or ISO 8601; with a "seed" the default
//     is the beginning of 1970); "limits" (an object of whole numbers: "depth", "steps", "seconds",
//     "cpu_seconds", "value_size", "value_depth", "output_size", "resources", "memory" (the maximum number
//     of bytes at one time, 1 GiB by default); "steps" also counts one for each kilobyte that an operation
//     reads or makes; "cpu_seconds", 300 by default, limits the thread's processor time and applies if
//     "seconds" is not set; "steps", "seconds", "cpu_seconds" and "memory" can be null for none)
// @param cancel  a switch that another thread or a signal handler can set; NULL for that of
//     bunraku_cancel_attach
// @param catalog  receives the catalog, to be freed with bunraku_catalog_free
// @return NULL on success; bunraku_error_logs_json returns the log of the error
bunraku_error *bunraku_environment_compile(const bunraku_environment *environment,
                                           bunraku_text node,
                                           bunraku_text facts_json,
                                           bunraku_text request_json,
                                           const bunraku_cancel *cancel,
                                           bunraku_catalog **catalog);

// Compiles the catalog of a node, as bunraku_environment_compile does, with its facts as a value, so that
// values without a form in JSON, such as a Sensitive, keep their types.
//
// @param node  the certname
// @param facts  a Hash; the caller keeps it
// @param request_json  as for bunraku_environment_compile
// @param cancel  as for bunraku_environment_compile
// @param catalog  receives the catalog, to be freed with bunraku_catalog_free
// @return as bunraku_environment_compile
bunraku_error *bunraku_environment_compile_facts(const bunraku_environment *environment,
                                                 bunraku_text node,
                                                 const bunraku_value *facts,
                                                 bunraku_text request_json,
                                                 const bunraku_cancel *cancel,
                                                 bunraku_catalog **catalog);

// Looks up data as `puppet lookup` does.
//
// @param node  the certname
// @param facts_json  the facts, a JSON object; BUNRAKU_NO_TEXT for none
// @param request_json  a JSON object: "key" (required), "type" (a type in Puppet's language), "merge" (a
//     strategy or an object of options), "default", "explain" (true for the explanation as text),
//     "explain_options", "show_secrets" (true to show what is Sensitive or was encrypted in the explanation,
//     which is redacted otherwise), "compile" (true to evaluate the manifests first), "logs" (true for the
//     log), and the members that bunraku_environment_compile takes
// @param cancel  as for bunraku_environment_compile
// @param answer  receives a JSON object with "value" or "error", and with "explain_text", "explain_data" and
//     "logs" (as bunraku_catalog_logs_json has them, and "reads_settings" as bunraku_catalog_reads_settings)
//     if requested; to be freed with bunraku_string_free. A Sensitive in the value is an object with
//     "__ptype" and, in clear, "__pvalue"
// @return NULL on success. A missing key is a success with an "error" in the answer; exceeding a limit or a
//     set switch is an error
bunraku_error *bunraku_environment_lookup(const bunraku_environment *environment,
                                          bunraku_text node,
                                          bunraku_text facts_json,
                                          bunraku_text request_json,
                                          const bunraku_cancel *cancel,
                                          bunraku_string **answer);

// Describes an environment: where it was found, and where its modules are.
//
// @param json  receives a JSON object with "name", "directory" (null if it has none) and "modulepath" (the
//     existing directories of modules); to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_environment_describe(const bunraku_environment *environment, bunraku_string **json);

// Reports which Ruby files of an environment's modules the built-in Ruby supports: what a program without
// Ruby can run. The files are only read, so what a function uses at run time is not reported.
//
// @param json  receives a JSON object with "files", an array of objects with "file", "module", "kind"
//     ("function", "legacy_function", "resource_type", "library", "template"), "known", "native" (whether
//     the library's own function does what this version of the file does) and "unknown" (an array of objects
//     with "construct" and "line"), and with the numbers of files "known" and "unknown"; to be freed with
//     bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_environment_ruby_report_json(const bunraku_environment *environment,
                                                    bunraku_string **json);

// Checks an environment for mistakes in its manifests, modules, templates and data, without compiling a
// node.
//
// @param request_json  a JSON object, or an empty text: "select" and "ignore" (codes, or prefixes of codes),
//     "notes" (whether notes are reported), "paths" (files and directories whose findings are reported)
// @param json  receives a JSON array of objects with "code", "severity" ("error", "warning" or "note"),
//     "message", "file", "line", "column", "end_line", "end_column", "related" (objects with "message" and a
//     place) and "fix" (null, or an object with "message", a place and "text"); to be freed with
//     bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_environment_check(const bunraku_environment *environment,
                                         bunraku_text request_json,
                                         bunraku_string **json);

// Lists what an environment defines and who refers to it.
//
// @param json  receives a JSON object with "definitions" (objects with "kind", "name", a place, "module",
//     "documentation", "parent" and "parameters": "name", "type", "default", "required"), "references"
//     (objects with "kind", "usage", "name", "title", a place, and "inside": the enclosing definition) and
//     "unused" (the indices of definitions without references); to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_environment_index_json(const bunraku_environment *environment, bunraku_string **json);

// Makes the environment load again at its next use, whatever the option "reload" says.
//
// @return NULL on success
bunraku_error *bunraku_environment_clear(const bunraku_environment *environment);

// Frees an environment. NULL is allowed. Catalogs made in it stay valid.
void bunraku_environment_free(bunraku_environment *environment);

// Reads all files of an environment for an index. The index keeps the environment as it is now: a module
// that is added later is not part of it.
//
// @param index  receives the index, to be freed with bunraku_index_free
// @return NULL on success
bunraku_error *bunraku_index_new(const bunraku_environment *environment, bunraku_index **index);

// Reads a file again that was changed, created or removed. The others stay unchanged.
//
// @param path  the path of the file, as the host knows it; a file that does not belong to the environment
//     changes nothing
// @return NULL on success
bunraku_error *bunraku_index_renew(const bunraku_index *index, bunraku_text path);

// Checks some files again, without a look at the others but for the names that they have: milliseconds in a
// repository of thousands of files. Renew the files that have changed first. What is written in Ruby, and
// functions and types in the language, are as the environment has loaded them: see
// bunraku_environment_clear.
//
// @param request_json  a JSON object with "paths" (the files, as the host knows them), and optionally
//     "select", "ignore" (lists of codes) and "notes"
// @param json  receives a JSON array as that of bunraku_environment_check, without findings that need all
//     files (templates in ERB, metadata); to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_index_check_json(const bunraku_index *index,
                                        bunraku_text request_json,
                                        bunraku_string **json);

// What an index contains.
//
// @param path  a file, for an object with its "definitions" and "references"; BUNRAKU_NO_TEXT for all, as
//     bunraku_environment_index_json writes it, with "unused"
// @param json  receives a JSON object, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_index_json(const bunraku_index *index, bunraku_text path, bunraku_string **json);

// What a new name changes in the environment of an index: definitions, references, keys of data for the
// parameters of a class. Nothing is written.
//
// @param request_json  a JSON object with "kind" ("class", "define", "function"), "from" and "to"
// @param json  receives a JSON object with "files" (objects with "path", null for a main manifest that was
//     given as text, and "text") and "moves" (objects with "from" and "to": files whose paths say the old
//     name); to be freed with bunraku_string_free
// @return NULL on success; an error when there is no such definition, the new name is taken, or a name is
//     written in a way that cannot be changed, with its place
bunraku_error *bunraku_index_rename_json(const bunraku_index *index,
                                         bunraku_text request_json,
                                         bunraku_string **json);

// Frees an index; NULL is allowed.
void bunraku_index_free(bunraku_index *index);

// Reads the trusted data of a node, the member "trusted" of a request, from a certificate. It does not
// verify the certificate: whoever accepted it from the node has done that.
//
// @param pem  a text with certificates in PEM, of which the first is used
// @param oid_mapping  the text of a custom_trusted_oid_mapping.yaml, which names extensions in addition to
//     those that Puppet names; BUNRAKU_NO_TEXT for none
// @param path  the path of that file, for messages; BUNRAKU_NO_TEXT for its usual name
// @param json  receives a JSON object with "authenticated" ("remote"), "certname" (the common name, in lower
//     case), "hostname", "domain", "extensions" (by their short names, or else their numbers; texts for
//     every text type of the certificate, true, false, null or arrays; numbers and times are texts) and
//     "external" (empty, for data of the caller), in rich data: bytes that are not UTF-8 are {"__ptype":
//     "Binary", "__pvalue": …}, which a request with "rich_data" accepts; to be freed with
//     bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_trusted_from_certificate(bunraku_text pem,
                                                bunraku_text oid_mapping,
                                                bunraku_text path,
                                                bunraku_string **json);

/* ---- Catalogs ------------------------------------------------------------------------------------------
 * What a compilation makes: resources and their edges.
 */

// The catalog as an agent receives it: JSON in the format "rich_data_json".
//
// @param json  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_catalog_to_json(const bunraku_catalog *catalog, bunraku_string **json);

// The resources and the edges of what an agent receives, for callers that write the rest of the document
// themselves.
//
// @param with_exported  whether resources that are only exported are included
// @param resources  receives a JSON array, to be freed with bunraku_string_free
// @param edges  receives a JSON array, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_catalog_body(const bunraku_catalog *catalog,
                                    bool with_exported,
                                    bunraku_string **resources,
                                    bunraku_string **edges);

// Describes what the catalog consists of.
//
// @param json  receives a JSON object, to be freed with bunraku_string_free: "kinds" (the types of the
//     resources, each an array of type and kind: "compilable_type", "defined_type", "class" or "unknown"),
//     "definitions" (the classes and defined types in use, each an array of kind and name in lower case),
//     "by_function" (the indices of the resources that functions have declared), "rich" (the indices of the
//     resources with parameters that JSON cannot represent directly) and "edges" (arrays of the indices of
//     container and contained resource)
// @return NULL on success
bunraku_error *bunraku_catalog_outline_json(const bunraku_catalog *catalog, bunraku_string **json);

// The log of the compilation: a JSON array of objects with "level" ("notice", "warning" …), "message",
// "source", and "file", "line", "column", "issue_code", "once" (the key under which the
// reference logs the message once in a process) where known.
//
// @return text that is valid until the catalog is freed
bunraku_text bunraku_catalog_logs_json(const bunraku_catalog *catalog);

// The keys of data that the compilation looked up, each once, in order: a JSON array of texts.
//
// @return text that is valid until the catalog is freed; NULL for NULL
bunraku_text bunraku_catalog_data_keys_json(const bunraku_catalog *catalog);

// Whether the compilation read variables of the class `settings`: a host for which some settings cost time
// to find can compile without them, and again with them if this is true.
//
// @return false for NULL
bool bunraku_catalog_reads_settings(const bunraku_catalog *catalog);

// The identity of the catalog apart from its node: a JSON object with "catalog_uuid", "code_id",
// "transaction_uuid", "job_id", "producer" and "producer_timestamp", each a text or null. A document that a
// catalog is read from contains only the first two.
//
// @return text that is valid until the catalog is freed; NULL for NULL
bunraku_text bunraku_catalog_identity_json(const bunraku_catalog *catalog);

// The number of resources in the catalog; 0 for NULL.
size_t bunraku_catalog_resource_count(const bunraku_catalog *catalog);

// A resource by its index, from 0; NULL if it does not exist.
const bunraku_resource *bunraku_catalog_resource(const bunraku_catalog *catalog, size_t index);

// A resource by its reference, such as "File[/etc/motd]"; NULL if the catalog does not contain it.
const bunraku_resource *bunraku_catalog_find(const bunraku_catalog *catalog, bunraku_text reference);

// The number of containment edges in the catalog.
size_t bunraku_catalog_edge_count(const bunraku_catalog *catalog);

// A containment edge by its index.
//
// @param index  from 0
// @param edge  receives the edge
// @return whether it exists; otherwise nothing is written
bool bunraku_catalog_edge(const bunraku_catalog *catalog, size_t index, bunraku_edge *edge);

// Frees a catalog with its resources. NULL is allowed.
void bunraku_catalog_free(bunraku_catalog *catalog);

// The origins of a resource's parameters, in a catalog that was compiled with "provenance": a JSON object of
// names to objects with "kind" ("hiera", "default", "expression", "splat", "resource_default", "override",
// "collector", "enc", …), and where known "file", "line", "column", "layer", "level", "key", "merge",
// "parts", "function", "sources" (the origins of the variables and calls in the expression).
//
// @param reference  such as "File[/etc/motd]"
// @param json  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_catalog_provenance_json(const bunraku_catalog *catalog,
                                               bunraku_text reference,
                                               bunraku_string **json);

// The chain of declarations and inclusions that added a resource to a catalog that was compiled with
// "provenance": a JSON array of objects with "resource", "how" ("declaration", "include", "enc", "node", …),
// and where known "by", "file", "line", "column", "function", "also" and "realized" (further causes).
//
// @param reference  such as "File[/etc/motd]"
// @param json  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_catalog_why_json(const bunraku_catalog *catalog,
                                        bunraku_text reference,
                                        bunraku_string **json);

// Both reports as text for people: the parameters of a resource with their origins, and why the catalog
// contains the resource.
//
// @param reference  such as "File[/etc/motd]"
// @param directory  paths below it are shown relative to it; BUNRAKU_NO_TEXT for none
// @param output  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_catalog_explain(const bunraku_catalog *catalog,
                                       bunraku_text reference,
                                       bunraku_text directory,
                                       bunraku_string **output);

// The differences between two catalogs: a JSON object with "added" and "removed" (resources with their
// parameters), "changed" (resources with the parameters that differ, each with "name", "from", "to" and
// "paths"), "edges" and "classes" (each with "added" and "removed"). Files, lines, tags and the order of
// resources are ignored; secrets are compared, but not shown.
//
// @param json  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_catalog_diff_json(const bunraku_catalog *from,
                                         const bunraku_catalog *to,
                                         bunraku_string **json);

// Draws a catalog's resources and their edges; cycles are red.
//
// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "by" ("containment", the default, "class" or
//     "resource"), "format" ("svg", the default, "html", a page with search and zoom, or "dot"), "focus" (a
//     reference or a list of them: only their neighbourhood is drawn) and "depth" (the distance of the
//     neighbourhood in edges or frames, 2 by default)
// @param output  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_catalog_graph(const bunraku_catalog *catalog,
                                     bunraku_text options_json,
                                     bunraku_string **output);

// The resource's type, such as "File".
//
// @return text that is valid until the catalog is freed
bunraku_text bunraku_resource_type(const bunraku_resource *resource);

// The resource's title.
//
// @return text that is valid until the catalog is freed
bunraku_text bunraku_resource_title(const bunraku_resource *resource);

// The resource's parameters: a JSON object in rich data, without secrets. A parameter that is sensitive, and
// every Sensitive within another value, is {"__ptype": "Sensitive", "__pvalue": "[value redacted]"}.
//
// @return text that is valid until the catalog is freed; NULL if a value cannot be written, for which
//     bunraku_catalog_to_json returns the error
bunraku_text bunraku_resource_parameters_json(const bunraku_resource *resource);

// The names of the sensitive parameters: a JSON array of texts. A Sensitive within an array or a hash does
// not make its parameter sensitive.
//
// @return text that is valid until the catalog is freed
bunraku_text bunraku_resource_sensitive_parameters_json(const bunraku_resource *resource);

// The resource's parameters with their secrets, as an agent receives them: a JSON object in rich data. It
// must not be shown or logged.
//
// @return text that is valid until the catalog is freed; NULL if a value cannot be written, for which
//     bunraku_catalog_to_json returns the error
bunraku_text bunraku_resource_unwrapped_parameters_json(const bunraku_resource *resource);

// The resource's tags: a JSON array of texts.
//
// @return text that is valid until the catalog is freed
bunraku_text bunraku_resource_tags_json(const bunraku_resource *resource);

// The file that declares the resource; NULL if it is unknown.
//
// @return text that is valid until the catalog is freed
bunraku_text bunraku_resource_file(const bunraku_resource *resource);

// The line that declares the resource, from 1; 0 if it is unknown.
uint32_t bunraku_resource_line(const bunraku_resource *resource);

// Whether the resource is exported.
bool bunraku_resource_is_exported(const bunraku_resource *resource);

// The number of parameters of the resource.
size_t bunraku_resource_parameter_count(const bunraku_resource *resource);

// The name of a parameter. Not NUL-terminated.
//
// @param index  from 0
// @return text that is valid until the catalog is freed
bunraku_text bunraku_resource_parameter_name(const bunraku_resource *resource, size_t index);

// The value of a parameter. The value of a sensitive parameter is a Sensitive.
//
// @param index  from 0
// @return a value that lives until the catalog is freed and must not be freed; NULL if it does not exist
const bunraku_value *bunraku_resource_parameter(const bunraku_resource *resource, size_t index);

// The value of a parameter by name.
//
// @param name  such as "ensure"
// @return as bunraku_resource_parameter
const bunraku_value *bunraku_resource_parameter_named(const bunraku_resource *resource, bunraku_text name);

// The number of tags of the resource.
size_t bunraku_resource_tag_count(const bunraku_resource *resource);

// A tag of the resource. Not NUL-terminated.
//
// @param index  from 0
// @return text that is valid until the catalog is freed
bunraku_text bunraku_resource_tag(const bunraku_resource *resource, size_t index);

// The kind of the resource: one of bunraku_declaration, the member "kind" of catalogs.
uint32_t bunraku_resource_kind(const bunraku_resource *resource);

// Whether the resource is virtual. A catalog contains virtual resources only if they are exported.
bool bunraku_resource_is_virtual(const bunraku_resource *resource);

// Writes a catalog in a form.
//
// @param form  the form's name
// @param submission_json  the data for PuppetDB in addition to the catalog, a JSON object: "producer",
//     "producer_timestamp" (ISO 8601 with a time zone), "transaction_uuid", "job_id", and data that the
//     catalog does not contain: "catalog_uuid", "code_id", "environment"; BUNRAKU_NO_TEXT for only what the
//     catalog was compiled with. The version of the form determines which of them it needs
// @param document  receives the document (bytes, when it is MessagePack), to be freed with
//     bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_catalog_write(const bunraku_catalog *catalog,
                                     bunraku_text form,
                                     bunraku_text submission_json,
                                     bunraku_string **document);

// Reads a catalog from the form "agent" or "agent:msgpack".
//
// @param document  the document
// @param form  the form's name
// @param environment  resolves types of objects in the catalog that the language does not define; can be
//     NULL
// @param catalog  receives the catalog, to be freed with bunraku_catalog_free
// @return NULL on success; the error's message has a line for each violation of the form's rules
bunraku_error *bunraku_catalog_read(bunraku_text document,
                                    bunraku_text form,
                                    const bunraku_environment *environment,
                                    bunraku_catalog **catalog);

// Checks a document against the rules of its form.
//
// @param document  the document
// @param form  the form's name
// @param environment  resolves types of objects in the catalog that the language does not define; can be
//     NULL
// @param violations  receives a JSON array of objects with "path" (a JSON path) and "message", empty if the
//     document is valid; to be freed with bunraku_string_free
// @return NULL on success, whether the document is valid or not
bunraku_error *bunraku_catalog_validate(bunraku_text document,
                                        bunraku_text form,
                                        const bunraku_environment *environment,
                                        bunraku_string **violations);

// Writes a document in another form.
//
// @param document  the document
// @param from  the name of its form
// @param to  the name of the other form
// @param submission_json  the data that the document does not contain; see bunraku_catalog_write
// @param environment  resolves types of objects in the catalog that the language does not define; can be
//     NULL
// @param converted  receives the other document, to be freed with bunraku_string_free
// @return NULL on success; an error if the document is invalid or lacks data that the other form needs
bunraku_error *bunraku_catalog_convert(bunraku_text document,
                                       bunraku_text from,
                                       bunraku_text to,
                                       bunraku_text submission_json,
                                       const bunraku_environment *environment,
                                       bunraku_string **converted);

/* ---- Reports -------------------------------------------------------------------------------------------
 * What differs between written catalogs, and between those of many nodes.
 */

// As bunraku_catalog_diff_json, for written catalogs: JSON as agents or PuppetDB receive it. `{"error":
// MESSAGE}` can replace a catalog whose compilation failed.
//
// @param json  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_diff_json(bunraku_text from, bunraku_text to, bunraku_string **json);

// Differences as text for people; empty if there are none.
//
// @param diff  the result of bunraku_catalog_diff_json or bunraku_diff_json
// @param output  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_diff_text(bunraku_text diff, bunraku_string **output);

// Combines the differences of many nodes: lists each change once, with the nodes that have it.
//
// @param request_json  a JSON object: "nodes" (a list of objects with "node" and "diff", the result of
//     bunraku_diff_json), "from" and "to" (names of the sides), "format" ("json", "text", or "html" for one
//     self-contained page)
// @param output  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_fleet_report(bunraku_text request_json, bunraku_string **output);

/* ---- Tasks ---------------------------------------------------------------------------------------------
 * Tasks of modules: which ones there are, what to run with which input, how output is read.
 * Running is yours.
 */

// Lists the tasks of an environment.
//
// @param json  receives a JSON array of objects with "name", "module", "description", "private", "metadata",
//     "metadata_file", "executables", "files" and "violations" (of the schema by the metadata: "path",
//     "message"), or with "name" and "error"; to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_task_list(const bunraku_environment *environment, bunraku_string **json);

// Resolves what to run for a task, and with which input.
//
// @param request_json  a JSON object: "task" (required), "parameters" (an object), "features" (the
//     capabilities of the target, a list such as ["shell"]), "noop", "remote" (the connection to a remote
//     target, an object), "installdir" (the directory of the task's files on the target)
// @param json  receives a JSON object with "executable", "files", "input_method", "parameters", "sensitive",
//     and the input for the method: "stdin" (text), "environment" (an object), "powershell" (an object); or
//     with "error" if the task cannot run this way; to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_task_invocation(const bunraku_environment *environment,
                                       bunraku_text request_json,
                                       bunraku_string **json);

// Reads the output of a task.
//
// @param output  the bytes that the task wrote to its standard output
// @param exit_code  its exit code
// @param json  receives a JSON object with "status" ("success" or "failure"), "value" (an object, with
//     "_output" for output that is not a JSON object and "_error" after a failure) and "sensitive" (a list
//     of the secret members of the value: "_sensitive", or none; in the value they are {"__ptype":
//     "Sensitive", "__pvalue": "[value redacted]"}); to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_task_outcome(bunraku_text output, int32_t exit_code, bunraku_string **json);

// Reads the secret part of a task's output: its member "_sensitive". It must not be shown or logged.
//
// @param output  as for bunraku_task_outcome
// @param exit_code  as for bunraku_task_outcome
// @param json  receives the secret as JSON, "null" if there is none; to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_task_outcome_sensitive(bunraku_text output, int32_t exit_code, bunraku_string **json);

/* ---- Modules -------------------------------------------------------------------------------------------
 * What is told of modules without a compilation.
 */

// Documents modules and files: classes, defined types, functions, types, tasks and plans, with their
// comments.
//
// @param request_json  a JSON object: "paths" (directories of modules, and files), "format" ("json", or
//     "markdown")
// @param host  callbacks; NULL for the disk
// @param json  receives a JSON object with "documentation" (what `puppet strings generate --format json`
//     writes, or a Markdown text), "failures" (files that could not be read: "file", "message") and
//     "warnings" (missing or wrong parts of comments: "severity", which is "warning" or "error", "file",
//     "line", and "message" as puppet-strings logs it); to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_module_document(bunraku_text request_json,
                                       const bunraku_host *host,
                                       bunraku_string **json);

// Checks a module: unexpected and missing files, metadata, dependencies, definitions and tasks.
//
// @param request_json  a JSON object: "directory" (the module's), "modulepath" (a list of directories with
//     its dependencies)
// @param host  callbacks; NULL for the disk
// @param json  receives a JSON array of objects with "severity" ("error", "warning" or "notice"), "rule",
//     "file", "message", and "line" or "path" (a JSON path); to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_module_check(bunraku_text request_json,
                                    const bunraku_host *host,
                                    bunraku_string **json);

// Describes the resource types of modules, as `puppet describe` does.
//
// @param request_json  a JSON object: "modulepath" (a list of directories), "types" (a list of names; all
//     types are listed by default), "details", "providers", "metaparameters" (whether to show them)
// @param host  callbacks; NULL for the disk
// @param json  receives a JSON array of texts, null for an unknown type; to be freed with
//     bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_module_describe_types(bunraku_text request_json,
                                             const bunraku_host *host,
                                             bunraku_string **json);

// Writes resource types as files for an environment's `.resource_types`.
//
// @param request_json  a JSON object: "modulepath" (a list of directories)
// @param host  callbacks; NULL for the disk
// @param json  receives a JSON array of objects with "name", "file", and "text", which is null if the type
//     is computed; to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_module_generate_types(bunraku_text request_json,
                                             const bunraku_host *host,
                                             bunraku_string **json);

// Checks type definitions of the Resource API, and values of resources against them.
//
// @param request_json  a JSON object: "definition" (an object) or "file" (the path of a Ruby file), "values"
//     (an object of a resource's attributes)
// @param host  callbacks; NULL for the disk
// @param json  receives a JSON array of objects with "definition" (null if it is computed), "complaints" and
//     "values" (arrays of objects with "severity", "path", "message"); to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_module_check_definitions(bunraku_text request_json,
                                                const bunraku_host *host,
                                                bunraku_string **json);

/* ---- Classifier ----------------------------------------------------------------------------------------
 * Groups of nodes by rules, with the classes and data that their nodes get: the requests of
 * the classifier's HTTP interface (Puppet Enterprise's, version 1), answered without a server.
 */

// Opens a classifier.
//
// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "database" (the path of a SQLite database; by
//     default groups are kept in memory), "create" (whether a missing database is created; false by default:
//     a path without a database is an error), "environmentpath" (a list of directories: groups can only use
//     the classes of these environments; by default any class) and the other options of
//     bunraku_environment_load, "allow_config_data" (true), "stores_check_ins" (whether classifications of
//     nodes are recorded; false), "prefix" (what can precede /v1 in paths; "/classifier-api")
// @param host  callbacks, which are copied; NULL for the disk without further functions
// @param classifier  receives the classifier, to be freed with bunraku_classifier_free
// @return NULL on success
bunraku_error *bunraku_classifier_open(bunraku_text options_json,
                                       const bunraku_host *host,
                                       bunraku_classifier **classifier);

// Answers a request. Errors of the HTTP interface are responses, too. If the switch of bunraku_cancel_attach
// or a limit ends the request, the result is an error and nothing is changed.
//
// @param method  such as "GET"
// @param path  the path, percent-encoded, with or without the prefix
// @param query  the part of the URL after the question mark; BUNRAKU_NO_TEXT for none
// @param body  the body; BUNRAKU_NO_TEXT for none
// @param status  receives the HTTP status
// @param headers_json  receives a JSON object of headers to values, to be freed with bunraku_string_free
// @param answer  receives the body of the response, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_classifier_answer(const bunraku_classifier *classifier,
                                         bunraku_text method,
                                         bunraku_text path,
                                         bunraku_text query,
                                         bunraku_text body,
                                         uint16_t *status,
                                         bunraku_string **headers_json,
                                         bunraku_string **answer);

// Frees a classifier.
void bunraku_classifier_free(bunraku_classifier *classifier);

#ifdef __cplusplus
}
#endif

#endif /* BUNRAKU_H */
