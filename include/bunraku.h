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

// Bytes that belong to whoever received them. Immutable: any number of threads may read them.
typedef struct bunraku_bytes bunraku_bytes;

// A call of one of the embedder's functions in progress. It belongs to the library and lives as long as the
// callback runs; use it on the thread that the callback runs on.
typedef struct bunraku_call bunraku_call;

// A switch that ends compilations from another thread, or from the handler of a signal.
typedef struct bunraku_cancel bunraku_cancel;

// The catalog of a node. Immutable: any number of threads may read it.
typedef struct bunraku_catalog bunraku_catalog;

// A node classifier. Any number of threads may use it at once, and other processes may use the same
// database.
typedef struct bunraku_classifier bunraku_classifier;

// A directory environment: manifests, modules, data. Loaded once, and anew where the option "reload" says
// so. Any number of threads may compile and look up at the same time, without waiting for each other; what
// is read anew meanwhile does not touch a compilation that has begun.
typedef struct bunraku_environment bunraku_environment;

// Why a call failed: message, issue code and place. Every function that can fail returns NULL on success and
// an error that belongs to the caller otherwise. Immutable: any number of threads may read it.
typedef struct bunraku_error bunraku_error;

// What a query has found. Immutable: any number of threads may read it. It needs its program.
typedef struct bunraku_matches bunraku_matches;

// A parsed manifest or template. Immutable: any number of threads may read it.
typedef struct bunraku_program bunraku_program;

// A query: patterns of nodes, after the model of tree-sitter's query language. Immutable: any number of
// threads may use one.
//
// (ResourceExpression type_name: "file" bodies: (ResourceBody title: _ @title)) @resource
//
// "(Kind ...)" is a node of a kind, "_" any node, "\"text\"" a node that says a text, "[...]" one of several;
// "field: ..." holds for what a field has, "!field" where there is nothing in it; other patterns hold for the
// nodes directly below, in their order, with "." between them where nothing stands between. "*", "+" and "?"
// take all that hold, at least one, or none. "@name" captures a node; (#eq? @a "text"), (#match? @a "regex"),
// (#any-of? @a "x" "y") and their "#not-" forms hold for what captured nodes say.
typedef struct bunraku_query bunraku_query;

// A resource of a catalog. It belongs to the catalog and lives as long as it.
typedef struct bunraku_resource bunraku_resource;

// Where a callback puts its answer. It belongs to the library and lives as long as the callback runs.
typedef struct bunraku_sink bunraku_sink;

// Text that belongs to whoever received it. UTF-8 unless it is said to be bytes, with a NUL behind its end
// for convenience; the text itself may hold NULs, so use the length. Immutable: any number of threads may
// read it.
typedef struct bunraku_string bunraku_string;

// All of a text as tokens, with the white space and the comments between them. Immutable: any number of
// threads may read it.
typedef struct bunraku_tokens bunraku_tokens;

// A type of the language. Immutable: any number of threads may read it.
typedef struct bunraku_type bunraku_type;

// A value of the language. Immutable: any number of threads may read it.
typedef struct bunraku_value bunraku_value;

// What kind of text is parsed.
typedef enum {
    // A manifest.
    BUNRAKU_SYNTAX_MANIFEST = 0,
    // A template in EPP.
    BUNRAKU_SYNTAX_EPP = 1,
    // A manifest in which plans and "apply" are known.
    BUNRAKU_SYNTAX_TASKS = 2,
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

// What offsets, lengths and columns are counted in.
typedef enum {
    // Bytes of UTF-8.
    BUNRAKU_UNIT_BYTE = 0,
    // Characters, as messages count.
    BUNRAKU_UNIT_CHARACTER = 1,
    // Units of UTF-16, as the Language Server Protocol counts.
    BUNRAKU_UNIT_UTF16 = 2,
} bunraku_unit;

// What a field of a node holds.
typedef enum {
    // Nothing: it is optional.
    BUNRAKU_FIELD_ABSENT = 0,
    // A node: "node".
    BUNRAKU_FIELD_NODE = 1,
    // A list of nodes: "count" tells how many, bunraku_node_member gives them.
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

// How a stream is written.
typedef enum {
    // In JSON.
    BUNRAKU_STREAM_JSON = 0,
    // In MessagePack.
    BUNRAKU_STREAM_MSGPACK = 1,
} bunraku_stream;

// In how much detail a type is inferred.
typedef enum {
    // Arrays are Tuples, hashes with names as keys are Structs.
    BUNRAKU_INFERENCE_DETAILED = 0,
    // Arrays and hashes have one type of elements.
    BUNRAKU_INFERENCE_REDUCED = 1,
    // Without bounds and values.
    BUNRAKU_INFERENCE_GENERALIZED = 2,
} bunraku_inference;

// What sort of failure an error is. More may be added.
typedef enum {
    // There is no error.
    BUNRAKU_FAILURE_NONE = 0,
    // A text cannot be parsed: "syntax".
    BUNRAKU_FAILURE_SYNTAX = 1,
    // A text can be parsed, but is refused: "validation".
    BUNRAKU_FAILURE_VALIDATION = 2,
    // A program fails: "evaluation".
    BUNRAKU_FAILURE_EVALUATION = 3,
    // Data is not found, or is at fault: "lookup".
    BUNRAKU_FAILURE_LOOKUP = 4,
    // A limit was run over: "limit".
    BUNRAKU_FAILURE_LIMIT = 5,
    // The work was cancelled, see bunraku_cancel_set: "cancelled".
    BUNRAKU_FAILURE_CANCELLED = 6,
    // An argument is refused: "argument".
    BUNRAKU_FAILURE_ARGUMENT = 7,
    // The library was built without what does this, see bunraku_features: "unsupported".
    BUNRAKU_FAILURE_UNSUPPORTED = 8,
    // The reference crashes here; the message is no part of the contract: "reference-fails".
    BUNRAKU_FAILURE_REFERENCE_FAILS = 9,
    // Something outside cannot be read: "io".
    BUNRAKU_FAILURE_IO = 10,
    // The library itself is at fault: what was called gives nothing, all else goes on: "bug".
    BUNRAKU_FAILURE_BUG = 11,
    // Anything else, such as a duplicate declaration or an unknown resource type: "other".
    BUNRAKU_FAILURE_OTHER = 12,
} bunraku_failure;

// What kind of value it is. More may be added.
typedef enum {
    // There is no value.
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
    // A value that must not be shown: bunraku_value_unwrap alone gives it.
    BUNRAKU_KIND_SENSITIVE = 11,
    // Bytes: bunraku_value_text.
    BUNRAKU_KIND_BINARY = 12,
    // A length of time: bunraku_value_to_string.
    BUNRAKU_KIND_TIMESPAN = 13,
    // A moment: bunraku_value_to_string.
    BUNRAKU_KIND_TIMESTAMP = 14,
    // A semantic version: bunraku_value_to_string.
    BUNRAKU_KIND_SEMVER = 15,
    // A set of semantic versions: bunraku_value_to_string.
    BUNRAKU_KIND_SEMVER_RANGE = 16,
    // A URI: bunraku_value_to_string.
    BUNRAKU_KIND_URI = 17,
    // An instance of an Object type: bunraku_value_to_data.
    BUNRAKU_KIND_OBJECT = 18,
    // Anything else: bunraku_value_to_data.
    BUNRAKU_KIND_OTHER = 19,
} bunraku_kind;

// What declares a resource. More may be added.
typedef enum {
    // Anything else: classes that were included, nodes, NULL.
    BUNRAKU_DECLARATION_UNKNOWN = 0,
    // A class that was declared as a resource.
    BUNRAKU_DECLARATION_CLASS = 1,
    // A resource of a defined type.
    BUNRAKU_DECLARATION_DEFINED_TYPE = 2,
    // A resource of a type that agents know.
    BUNRAKU_DECLARATION_COMPILABLE_TYPE = 3,
} bunraku_declaration;

// How a comment stands to its node.
typedef enum {
    // On a line of its own before the node.
    BUNRAKU_PLACEMENT_LEADING = 0,
    // Behind the node: in its line, or below it where nothing else follows in the same brackets.
    BUNRAKU_PLACEMENT_TRAILING = 1,
    // In the node, where no other node is beside it.
    BUNRAKU_PLACEMENT_DANGLING = 2,
} bunraku_placement;

// Text: a pointer and a length in bytes. A plain value: copy it as you like, nothing is to be freed. Text
// that goes in is UTF-8, needs no NUL, and must stay until the function returns; where there is none, give
// BUNRAKU_NO_TEXT. Text that comes out belongs to the object that it was asked of; a NUL stands behind it
// unless the function says otherwise, and "data" is NULL where there is none. Where a function says so, it
// holds any bytes.
typedef struct {
    // The first byte.
    const char *data;
    // How many bytes.
    size_t length;
} bunraku_text;

// An edge of containment. A plain value; the resources belong to the catalog.
typedef struct {
    // The container.
    const bunraku_resource *source;
    // What it contains.
    const bunraku_resource *target;
} bunraku_edge;

// What stands at a path.
typedef struct {
    // Whether it is a directory.
    bool is_directory;
    // Its size in bytes.
    uint64_t size;
    // When it was last changed: seconds since 1970.
    int64_t modified_seconds;
    // And the nanoseconds of that second.
    uint32_t modified_nanoseconds;
} bunraku_file_info;

// The callbacks of an embedder: set "size" to sizeof(bunraku_host), and what you have. Any of them may be
// NULL: then the library reads the disk, has no further functions and logs only into the result. A callback
// is called on the thread that called the library, on its stack; by several threads at the same time when
// several compile. `data` is handed to each. A callback must not unwind or longjmp out of itself. Where a
// callback returns false, what it has written to its sink is the reason of a failure; nothing written means
// that there is no such thing.
typedef struct {
    // sizeof(bunraku_host), as the program was compiled with: later versions of the library have more
    // callbacks, which are behind those that there are.
    size_t size;
    // Handed to every callback.
    void *data;
    // Reads a file into the sink with `bunraku_sink_write`. Returns false when there is none, or, with the
    // reason written to the sink, when it cannot be read.
    bool (*read_file)(void *data, bunraku_text path, bunraku_sink *sink);
    // Tells what stands at a path. Returns false when there is nothing.
    bool (*file_info)(void *data, bunraku_text path, bunraku_file_info *info);
    // Lists the names in a directory, one call of `bunraku_sink_add` each. Returns false when there is none,
    // or, with the reason written to the sink, when it cannot be read.
    bool (*list_directory)(void *data, bunraku_text path, bunraku_sink *sink);
    // Tells whether there is a function of this Puppet name, adding each of its signatures
    // ("Callable[Integer, Integer]") with `bunraku_sink_add`. Returns false when there is no such function,
    // or, with the reason written to the sink, when it cannot be had.
    bool (*find_function)(void *data, bunraku_text name, bunraku_sink *sink);
    // Calls a function. `arguments_json` is an array in rich data; they match the signature of this index.
    // The result is written to the sink as JSON, in rich data, too: `{"__ptype": "Sensitive", "__pvalue":
    // "p4ss"}` is a Sensitive that nothing shows, a hash with a key "__ptype" is written as `{"__ptype":
    // "Hash", "__pvalue": [key, value, ...]}`; nothing is undef. A result whose type is not known is a
    // failure. Returns false on failure; the sink then holds the message, which is shown: it must not hold
    // secrets.
    bool (*call_function)(void *data,
                          bunraku_text name,
                          size_t signature,
                          bunraku_text arguments_json,
                          bunraku_call *call,
                          bunraku_sink *sink);
    // Tells which resources other nodes export, for collectors such as `File <<| |>>`: writes a JSON array
    // to the sink with objects of "certname", "type", "title", "parameters" and "tags". The collector's
    // query is applied to them; the node's own are not wanted. Returns false on failure; the sink then holds
    // the message. Needs the setting "storeconfigs".
    bool (*exported_resources)(void *data, bunraku_text node, bunraku_text type_name, bunraku_sink *sink);
    // Receives a message of a compilation or lookup when it is said: a JSON object as
    // `bunraku_catalog_logs_json` describes. Results have all messages, too.
    void (*log)(void *data, bunraku_text entry_json);
    // Frees `data` when the environment that used it is freed.
    void (*free_data)(void *data);
    // Tells the time: seconds since 1970, and the nanoseconds of that second. NULL for the clock of the
    // machine.
    void (*now)(void *data, int64_t *seconds, uint32_t *nanoseconds);
    // Fills a buffer with bytes that nobody can guess. Returns false when there are none. NULL for those of
    // the machine.
    bool (*random)(void *data, uint8_t *bytes, size_t length);
    // Is called about once in a thousand steps of work in an environment with this host, with how many steps
    // the work has taken; while files are read and other work goes on that takes no steps, with the same
    // number again. Returns false to end the work, which fails with an error of the kind
    // BUNRAKU_FAILURE_CANCELLED.
    bool (*progress)(void *data, uint64_t steps);
} bunraku_host;

// A node of a program. A plain value: copy it as you like, nothing is to be freed. It is good for as long as
// its program is live. Where there is no node, "program" is NULL; all functions take such a node, and answer
// 0, NULL or false.
typedef struct {
    // The program that the node belongs to.
    const bunraku_program *program;
    // Its number in the program, from 0.
    uint32_t number;
} bunraku_node;

// A field of a node. What its type does not name is 0, NULL or false.
typedef struct {
    // The name in the reference's model, such as "left_expr"; with a NUL behind it, valid for ever.
    const char *name;
    // Its number among the fields of its node, from 0.
    size_t index;
    // What it holds: one of bunraku_field_type.
    uint32_t field_type;
    // The node.
    bunraku_node node;
    // How many nodes.
    size_t count;
    // The text, valid until the program is freed. NO NUL stands behind it.
    bunraku_text text;
    // The whole number.
    int64_t integer;
    // The number with a fraction.
    double number;
    // The truth.
    bool boolean;
} bunraku_field;

// A stretch of a source.
typedef struct {
    // Where it begins, from 0.
    uint32_t offset;
    // How long it is.
    uint32_t length;
    // The line of its beginning, from 1.
    uint32_t line;
    // The column of its beginning, from 1.
    uint32_t column;
    // The line of its end.
    uint32_t end_line;
    // The column behind its end.
    uint32_t end_column;
} bunraku_span;

// A token, or white space or a comment between tokens. A plain value: nothing is to be freed.
typedef struct {
    // What it is: "Name", "ClassRef", "FArrow", "HeredocText", "Comment", "Space", "LineEnd", "Unreadable"
    // ..., with a NUL behind it, valid for ever; NULL where there is none.
    const char *kind;
    // Its text, of which the next one's begins where it ends. Valid until the tokens are freed; NO NUL
    // stands behind it.
    bunraku_text text;
    // Where it begins, in bytes.
    uint32_t offset;
    // Whether it is white space or a comment.
    bool is_trivia;
    // The number of the token that it belongs to: trivia behind a token, in its line, belongs to that one,
    // other trivia to the next one. A token belongs to itself. What stands behind the last token belongs to
    // none: the number is that of bunraku_tokens_count.
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
#define BUNRAKU_VERSION_MINOR 1

// The patch version that this header belongs to.
#define BUNRAKU_VERSION_PATCH 0

// The version of the binary interface that this header declares. It grows by one when a program that was
// compiled with an older header cannot use the library any more; functions, callbacks and kinds that are
// added do not change it.
#define BUNRAKU_ABI_VERSION 1

// The version of the library that runs, such as "0.1.0". The text is static. Any thread may ask.
const char *bunraku_version(void);

// The version of the binary interface of the library that runs: see BUNRAKU_ABI_VERSION. A program that
// loads the library itself compares them. Any thread may ask.
uint32_t bunraku_abi_version(void);

// The features that the library was built with, separated by spaces, in alphabetical order; of all there
// are: "check classifier documentation eyaml modules report ruby tasks". Functions of a feature that is
// left out return an error of the kind "unsupported", as does a compilation that needs it. The text is
// static. Any thread may ask.
const char *bunraku_features(void);

/* ---- Errors --------------------------------------------------------------------------------------------
 * Every function that can fail returns a bunraku_error: NULL on success, an error that belongs
 * to the caller otherwise. Output parameters come last and are written only on success.
 */

// What sort of failure an error is: one of bunraku_failure; BUNRAKU_FAILURE_NONE for NULL.
uint32_t bunraku_error_kind(const bunraku_error *error);

// The name of an error's kind, such as "syntax": see bunraku_failure. With a NUL behind it, valid for ever;
// NULL for NULL.
const char *bunraku_error_kind_name(const bunraku_error *error);

// The message, as the reference words it, without the place.
//
// @param error  the error; NULL gives NULL
// @return text that is valid until the error is freed
bunraku_text bunraku_error_message(const bunraku_error *error);

// The issue code, such as "UNKNOWN_VARIABLE"; NULL when the error has none.
//
// @param error  the error; NULL gives NULL
// @return text that is valid until the error is freed
bunraku_text bunraku_error_issue_code(const bunraku_error *error);

// The file that the error is in; NULL when it is in none.
//
// @param error  the error; NULL gives NULL
// @return text that is valid until the error is freed
bunraku_text bunraku_error_file(const bunraku_error *error);

// The line, from 1; 0 when it is not known.
uint32_t bunraku_error_line(const bunraku_error *error);

// The column in characters, from 1; 0 when it is not known.
uint32_t bunraku_error_column(const bunraku_error *error);

// The Puppet calls that led to the error, innermost first: a JSON array of objects with "name", "file",
// "line", "column".
//
// @param error  the error; NULL gives NULL
// @return text that is valid until the error is freed
bunraku_text bunraku_error_stack_json(const bunraku_error *error);

// The error as a text for people: the message with its place, and below it the Puppet calls that led there,
// innermost first, one a line: ` from apache::vhost (/code/site.pp:3)`.
//
// @param error  the error; NULL gives NULL
// @return text that is valid until the error is freed
bunraku_text bunraku_error_trace(const bunraku_error *error);

// What was logged before the error: a JSON array as `bunraku_catalog_logs_json` describes.
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

// The bytes, valid until they are freed. NO NUL stands behind them.
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
// @param elements  the elements; they stay the caller's
// @param count  how many
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_from_elements(const bunraku_value *const *elements,
                                           size_t count,
                                           bunraku_value **value);

// A Hash. Of keys that are equal the last one counts.
//
// @param keys  the keys; they stay the caller's
// @param elements  the value of each key; they stay the caller's
// @param count  how many
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_from_entries(const bunraku_value *const *keys,
                                          const bunraku_value *const *elements,
                                          size_t count,
                                          bunraku_value **value);

// A Sensitive: what it holds is shown nowhere.
//
// @param secret  what it holds; it stays the caller's
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_from_secret(const bunraku_value *secret, bunraku_value **value);

// What kind of value it is: one of bunraku_kind; BUNRAKU_KIND_NONE for NULL.
uint32_t bunraku_value_kind(const bunraku_value *value);

// Whether a value is true; false for what is no Boolean.
bool bunraku_value_boolean(const bunraku_value *value);

// The number that an Integer is.
//
// @param integer  receives the number
// @return whether it is an Integer of 64 bits; otherwise nothing is written
bool bunraku_value_integer(const bunraku_value *value, int64_t *integer);

// The number that a Float is.
//
// @param number  receives the number
// @return whether it is a Float; otherwise nothing is written
bool bunraku_value_float(const bunraku_value *value, double *number);

// The text of a String, or the bytes of a Binary; no text for other values. NO NUL stands behind it.
//
// @return text that is valid as long as the value
bunraku_text bunraku_value_text(const bunraku_value *value);

// How many elements an Array has, or entries a Hash; 0 for other values.
size_t bunraku_value_count(const bunraku_value *value);

// An element of an Array, or the value of an entry of a Hash, in the order of insertion.
//
// @param index  from 0
// @return a value that lives as long as the one that was asked, and is not to be freed; NULL when there is
//     none
const bunraku_value *bunraku_value_element(const bunraku_value *value, size_t index);

// The key of an entry of a Hash, in the order of insertion.
//
// @param index  from 0
// @return as bunraku_value_element
const bunraku_value *bunraku_value_key(const bunraku_value *value, size_t index);

// The value that a Hash has for a key that is a String.
//
// @return as bunraku_value_element
const bunraku_value *bunraku_value_get(const bunraku_value *value, bunraku_text key);

// What a Sensitive holds, in clear.
//
// @return as bunraku_value_element; NULL for other values
const bunraku_value *bunraku_value_unwrap(const bunraku_value *value);

// The value that plain JSON says: what has no form in JSON cannot be said.
//
// @param json  the JSON text, UTF-8
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_from_json(bunraku_text json, bunraku_value **value);

// The value that generic data says: JSON in which objects with "__ptype" are values of other types.
//
// @param json  the JSON text, UTF-8
// @param environment  where the names of modules' types are found; NULL for the types of the language alone
// @param allow_unresolved  whether data of unknown types stays a hash; otherwise it is an error
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_value_from_data(bunraku_text json,
                                       const bunraku_environment *environment,
                                       bool allow_unresolved,
                                       bunraku_value **value);

// A value as generic data.
//
// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "rich_data" (true: what JSON has no form for
//     becomes objects with "__ptype"; false: text), "local_reference" (true: what was met before becomes a
//     path), "type_by_reference" (true: types of objects are named), "symbol_as_string" (false),
//     "message_prefix" (""), "allow_loss" (false: a value that becomes text is an error)
// @param json  receives the JSON text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_value_to_data(const bunraku_value *value,
                                     bunraku_text options_json,
                                     bunraku_string **json);

// A value as generic data, as bunraku_value_to_data gives it, and what was lost.
//
// @param options_json  as for bunraku_value_to_data; "allow_loss" is not looked at
// @param json  receives the JSON text, to be freed with bunraku_string_free
// @param losses  receives a JSON array of texts, one for each value that became text; to be freed with
//     bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_value_to_data_with_losses(const bunraku_value *value,
                                                 bunraku_text options_json,
                                                 bunraku_string **json,
                                                 bunraku_string **losses);

// A value as text: what interpolation gives, or what String.new gives with a format.
//
// @param format  a format such as "%#p"; BUNRAKU_NO_TEXT for what interpolation gives
// @param string  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_value_to_string(const bunraku_value *value,
                                       bunraku_text format,
                                       bunraku_string **string);

// Whether two values are equal as keys of a hash are: 1 and 1.0 differ, and so do texts in case. NULL equals
// nothing.
bool bunraku_value_equals(const bunraku_value *a, const bunraku_value *b);

// A value as a stream in which everything is written once.
//
// @param format  one of bunraku_stream
// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "type_by_reference" (true), "tabulate" (true)
// @param stream  receives the stream, to be freed with bunraku_bytes_free
// @return NULL on success
bunraku_error *bunraku_value_dump(const bunraku_value *value,
                                  uint32_t format,
                                  bunraku_text options_json,
                                  bunraku_bytes **stream);

// The value that a stream holds.
//
// @param stream  the bytes that bunraku_value_dump gave
// @param format  one of bunraku_stream
// @param environment  where the names of modules' types are found; NULL for the types of the language alone
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

// Reads a type.
//
// @param source  the type in the language, such as "Array[String, 1]", UTF-8
// @param environment  where the names of modules' types are found; NULL: an unknown name is a
//     TypeReference. Any number of threads may use one at the same time
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

// The least type that two types can be assigned to.
//
// @param result  receives the type, to be freed with bunraku_type_free
// @return NULL on success
bunraku_error *bunraku_type_common(const bunraku_type *a, const bunraku_type *b, bunraku_type **result);

// Whether a value is an instance of a type. NULL is and has none.
bool bunraku_type_is_instance(const bunraku_type *of, const bunraku_value *value);

// Whether every instance of `other` is an instance of `of`. NULL fits nothing.
bool bunraku_type_is_assignable(const bunraku_type *of, const bunraku_type *other);

// Whether two types are equal, however they were written. NULL equals nothing.
bool bunraku_type_equals(const bunraku_type *a, const bunraku_type *b);

// A type as it is written in the language.
//
// @param string  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_type_to_string(const bunraku_type *of, bunraku_string **string);

// Makes a value of a type, as Type.new(...) does in the language.
//
// @param arguments  an array of the arguments
// @param environment  whose clock Timestamp.new asks; NULL for the system's
// @param value  receives the value, to be freed with bunraku_value_free
// @return NULL on success
bunraku_error *bunraku_type_new(const bunraku_type *of,
                                const bunraku_value *arguments,
                                const bunraku_environment *environment,
                                bunraku_value **value);

// Why a value is no instance of a type, in the reference's words.
//
// @param name  what the text begins with; BUNRAKU_NO_TEXT for nothing
// @param string  receives the text, to be freed with bunraku_string_free; NULL when the value is an
//     instance
// @return NULL on success
bunraku_error *bunraku_type_mismatch(const bunraku_type *of,
                                     const bunraku_value *value,
                                     bunraku_text name,
                                     bunraku_string **string);

// Whether a value is an instance of a type, as bunraku_type_is_instance says; here a type that cannot be
// asked (an Init of what nothing can be made of, a pattern that takes too long) is an error.
//
// @param answer  receives the answer
// @return NULL on success
bunraku_error *bunraku_type_check_instance(const bunraku_type *of, const bunraku_value *value, bool *answer);

// Whether every instance of `other` is an instance of `of`, as bunraku_type_is_assignable says; here a type
// that cannot be asked is an error.
//
// @param answer  receives the answer
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

// What is behind an alias; the type itself when it is none.
//
// @param result  receives the type, to be freed with bunraku_type_free
// @return NULL on success
bunraku_error *bunraku_type_resolved(const bunraku_type *of, bunraku_type **result);

// What a type is, such as "Integer", "Variant" or "TypeAlias".
//
// @param string  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_type_kind(const bunraku_type *of, bunraku_string **string);

// The name of a type: that of an alias, an Object type or a TypeSet, or what the type is called in the
// language.
//
// @param string  receives the text, to be freed with bunraku_string_free; NULL for an Object type without a
//     name
// @return NULL on success
bunraku_error *bunraku_type_name(const bunraku_type *of, bunraku_string **string);

// Why another type does not fit where this one is expected, in the reference's words.
//
// @param actual  a type that cannot be assigned to `of`
// @param name  what the text begins with; BUNRAKU_NO_TEXT for nothing
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

// Frees a type. NULL is allowed.
void bunraku_type_free(bunraku_type *of);

/* ---- Programs ------------------------------------------------------------------------------------------
 * Manifests and templates, parsed: see if they are valid, look at their syntax.
 */

// The node that a program is: its expression, a block of statements mostly.
bunraku_node bunraku_program_body(const bunraku_program *program);

// How many classes, defined types, functions, types, plans and nodes a program defines.
size_t bunraku_program_definition_count(const bunraku_program *program);

// A definition of a program. Those inside of others come first.
bunraku_node bunraku_program_definition(const bunraku_program *program, size_t index);

// How many comments a program has.
size_t bunraku_program_comment_count(const bunraku_program *program);

// Where a comment stands. They are in the order of the source.
//
// @param unit  what is counted: one of bunraku_unit
// @param span  receives the place
// @return whether there is one; otherwise nothing is written
bool bunraku_program_comment(const bunraku_program *program, size_t index, uint32_t unit, bunraku_span *span);

// The node that a comment belongs to; no node where there is no such comment.
//
// @param index  which comment, from 0, as in bunraku_program_comment
// @param placement  receives how it stands to the node, one of bunraku_placement, unless it is NULL
bunraku_node bunraku_program_comment_node(const bunraku_program *program, size_t index, uint32_t *placement);

// The text that a program was parsed from. Valid until the program is freed; NO NUL stands behind it.
bunraku_text bunraku_program_source(const bunraku_program *program);

// Parses a text. The text is copied.
//
// @param source  the text, UTF-8
// @param path  the file name that errors show; BUNRAKU_NO_TEXT for none
// @param syntax  what kind of text: one of bunraku_syntax
// @param program  receives the program, to be freed with bunraku_program_free
// @return NULL on success; the syntax error otherwise
bunraku_error *bunraku_program_parse(bunraku_text source,
                                     bunraku_text path,
                                     uint32_t syntax,
                                     bunraku_program **program);

// Parses a text to its end, errors or not. Nodes of the kind "Error" stand for what could not be read;
// bunraku_program_errors tells why. The text is copied.
//
// @param source  the text, UTF-8
// @param path  the file name that errors show; BUNRAKU_NO_TEXT for none
// @param syntax  what kind of text: one of bunraku_syntax
// @param program  receives the program, to be freed with bunraku_program_free
// @return NULL on success, also when there are syntax errors
bunraku_error *bunraku_program_parse_recovering(bunraku_text source,
                                                bunraku_text path,
                                                uint32_t syntax,
                                                bunraku_program **program);

// The errors that bunraku_program_parse_recovering met, the first being the one of bunraku_program_parse.
//
// @param diagnostics  receives a JSON array as that of bunraku_program_validate; to be freed with
//     bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_program_errors(const bunraku_program *program, bunraku_string **diagnostics);

// What the lexer warned of: escapes that mean nothing.
//
// @param diagnostics  receives a JSON array as that of bunraku_program_validate; to be freed with
//     bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_program_warnings(const bunraku_program *program, bunraku_string **diagnostics);

// Writes a program in its binary form, for caches; core/docs/binary.md describes it. Errors behind which
// parsing went on are not in it.
//
// @param bytes  receives the bytes, to be freed with bunraku_bytes_free
// @return NULL on success
bunraku_error *bunraku_program_write(const bunraku_program *program, bunraku_bytes **bytes);

// Reads the binary form of a program.
//
// @param given  the bytes that bunraku_program_write made
// @param syntax  what kind of text the program was: one of bunraku_syntax
// @param program  receives the program, to be freed with bunraku_program_free
// @return NULL on success; an error when the bytes are damaged or of another version
bunraku_error *bunraku_program_read(bunraku_text given, uint32_t syntax, bunraku_program **program);

// Validates a program.
//
// @param strictness  how questionable code is treated: one of bunraku_strictness
// @param diagnostics  receives a JSON array of objects with "severity" ("error", "warning", "deprecation"),
//     "issue_code", "message", "file", "line", "column", "offset" and "length" (bytes); to be freed with
//     bunraku_string_free
// @return NULL on success, whatever the diagnostics say
bunraku_error *bunraku_program_validate(const bunraku_program *program,
                                        uint32_t strictness,
                                        bunraku_string **diagnostics);

// Whether there is nothing at all to say about a program, by the strictest rules: no error, no warning,
// nothing for the log.
//
// @param place_json  what says which definitions may stand in which file: a JSON object with "modulepath"
//     (a list of directories) and "manifest" (a file or directory whose contents may be anything), or
//     BUNRAKU_NO_TEXT
// @param is_flawless  receives the answer
// @return NULL on success
bunraku_error *bunraku_program_is_flawless(const bunraku_program *program,
                                           bunraku_text place_json,
                                           bool *is_flawless);

// Writes a program in Puppet Extended S-Expression Notation.
//
// @param format  "text" for the notation itself in one line, "pretty" with each element in a line of its
//     own, "json" for the same as JSON
// @param pn  receives the text, to be freed with bunraku_string_free
// @return NULL on success; an error when a parameter has a name that the notation cannot have, "$a::b" say
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

// The name of a node's kind in the reference's model, such as "LiteralString". With a NUL behind it, valid
// for ever.
const char *bunraku_node_kind(bunraku_node node);

// The kind of a node as a number: one of bunraku_node_type; BUNRAKU_NODE_NONE for no node. Programs of a
// library that is newer may have kinds that the header does not name.
uint32_t bunraku_node_type_of(bunraku_node node);

// The node that a node is directly below; none above the body.
bunraku_node bunraku_node_parent(bunraku_node node);

// The innermost definition around a node: of a class, a type, a function, a plan or a node; none where there
// is none.
bunraku_node bunraku_node_enclosing_definition(bunraku_node node);

// The node before a node, directly below the same one; none before the first.
bunraku_node bunraku_node_previous_sibling(bunraku_node node);

// The node behind a node, directly below the same one; none behind the last.
bunraku_node bunraku_node_next_sibling(bunraku_node node);

// How many nodes are directly below a node.
size_t bunraku_node_child_count(bunraku_node node);

// A node directly below a node, in the order of the fields.
bunraku_node bunraku_node_child(bunraku_node node, size_t index);

// How many fields a node has.
size_t bunraku_node_field_count(bunraku_node node);

// A field of a node by number.
//
// @param field  receives the field
// @return whether there is one; otherwise nothing is written
bool bunraku_node_field(bunraku_node node, size_t index, bunraku_field *field);

// A field of a node by name.
//
// @param name  such as "left_expr"
// @param field  receives the field
// @return whether there is one; otherwise nothing is written
bool bunraku_node_field_named(bunraku_node node, bunraku_text name, bunraku_field *field);

// A node of a list that is a field.
//
// @param field  the number of the field
// @param index  which node of it
bunraku_node bunraku_node_member(bunraku_node node, size_t field, size_t index);

// The source text of a node. Valid until the program is freed; NO NUL stands behind it.
bunraku_text bunraku_node_text(bunraku_node node);

// Where a node stands, as the reference has it. That of some is but a part: of a parameter, its name.
//
// @param unit  what is counted: one of bunraku_unit
// @param span  receives the place
// @return whether there is one; otherwise nothing is written
bool bunraku_node_span(bunraku_node node, uint32_t unit, bunraku_span *span);

// Where a node stands with all that is below it: of a parameter, from the type to the end of the default.
//
// @param unit  what is counted: one of bunraku_unit
// @param span  receives the place
// @return whether there is one; otherwise nothing is written
bool bunraku_node_extent(bunraku_node node, uint32_t unit, bunraku_span *span);

// Writes a node, with all that is below it, in Puppet Extended S-Expression Notation.
//
// @param format  as bunraku_program_to_pn takes it
// @param pn  receives the text, to be freed with bunraku_string_free
// @return NULL on success; an error when a parameter has a name that the notation cannot have
bunraku_error *bunraku_node_to_pn(bunraku_node node, bunraku_text format, bunraku_string **pn);

// What the comments right above a node say, or else the one behind it on its last line: without "#", "/*"
// and "*/".
//
// @param documentation  receives the text, to be freed with bunraku_string_free; NULL when there is none
// @return NULL on success
bunraku_error *bunraku_node_documentation(bunraku_node node, bunraku_string **documentation);

/* ---- Tokens and formatting -----------------------------------------------------------------------------
 * All of a text as tokens with white space and comments, and programs as the style guide has them.
 */

// Takes a text apart, whatever is wrong with it. The text is copied.
//
// @param source  the text, UTF-8
// @param syntax  what kind of text: one of bunraku_syntax
// @param tokens  receives the tokens, to be freed with bunraku_tokens_free
// @return NULL on success, also when there are errors in the text
bunraku_error *bunraku_tokens_new(bunraku_text source, uint32_t syntax, bunraku_tokens **tokens);

// Frees tokens; NULL is none.
void bunraku_tokens_free(bunraku_tokens *tokens);

// How many tokens and pieces of trivia there are.
size_t bunraku_tokens_count(const bunraku_tokens *tokens);

// A token or a piece of trivia by its number, from 0, in the order of the text.
bunraku_token bunraku_tokens_token(const bunraku_tokens *tokens, size_t index);

// Where a token or a piece of trivia stands.
//
// @param unit  what is counted: one of bunraku_unit
// @param span  receives the place
// @return whether there is one; otherwise nothing is written
bool bunraku_tokens_span(const bunraku_tokens *tokens, size_t index, uint32_t unit, bunraku_span *span);

// Writes a text as the style guide has it. What is written means the same and has the same comments.
//
// @param source  the text, UTF-8
// @param syntax  what kind of text: one of bunraku_syntax
// @param options_json  a JSON object with "width" (characters that a line should have at most: 140),
//     "indentation" (2), "align_arrows" (true), "single_quotes" (true); BUNRAKU_NO_TEXT for none
// @param formatted  receives the text, to be freed with bunraku_string_free
// @return NULL on success; the first error of a text that cannot be parsed
bunraku_error *bunraku_format(bunraku_text source,
                              uint32_t syntax,
                              bunraku_text options_json,
                              bunraku_string **formatted);

/* ---- Queries -------------------------------------------------------------------------------------------
 * Nodes by kind, fields and structure: a query is read once, and asked for any number of programs.
 */

// Reads a query.
//
// @param source  the query, UTF-8
// @param query  receives the query, to be freed with bunraku_query_free
// @return NULL on success; an error that tells what is wrong, and at which byte
bunraku_error *bunraku_query_new(bunraku_text source, bunraku_query **query);

// Frees a query; NULL is none.
void bunraku_query_free(bunraku_query *query);

// How many names captures have.
size_t bunraku_query_capture_count(const bunraku_query *query);

// The name of a capture by its number, from 0; no text where there is none. Valid until the query is freed.
bunraku_text bunraku_query_capture_name(const bunraku_query *query, size_t index);

// Finds all matches for a node and those below it, in the order of the source: with bunraku_program_body in a
// whole program. Threads may ask at the same time.
//
// @param matches  receives what was found, to be freed with bunraku_matches_free
// @return NULL on success, also when nothing was found; an error where it was cancelled
//     (bunraku_cancel_attach) or takes more than 300 seconds of the processor
bunraku_error *bunraku_query_run(const bunraku_query *query, bunraku_node below, bunraku_matches **matches);

// Frees what a query has found; NULL is nothing.
void bunraku_matches_free(bunraku_matches *matches);

// How many matches there are.
size_t bunraku_matches_count(const bunraku_matches *matches);

// The number of the pattern of the query that has matched, from 0.
size_t bunraku_matches_pattern(const bunraku_matches *matches, size_t index);

// The node that a match is for.
bunraku_node bunraku_matches_node(const bunraku_matches *matches, size_t index);

// How many nodes a match captures.
size_t bunraku_matches_capture_count(const bunraku_matches *matches, size_t index);

// A node that a match captures, in the order in which they were found.
//
// @param capture  which one, from 0
// @param name  receives the number of the capture's name, unless it is NULL or there is no such node
bunraku_node bunraku_matches_capture(const bunraku_matches *matches,
                                     size_t index,
                                     size_t capture,
                                     size_t *name);

/* ---- Hosts ---------------------------------------------------------------------------------------------
 * What an embedder provides: files that are not on the disk, functions of its own, a log.
 * A bunraku_sink takes the answer of a callback; a bunraku_call lets a function call back.
 */

// Whether a block was given to the running function.
bool bunraku_call_has_block(const bunraku_call *call);

// Calls the block that was given to the running function.
//
// @param arguments_json  an array in rich data
// @param result  receives the result as JSON, in rich data, to be freed with bunraku_string_free
// @return NULL on success. A callback that cannot go on after a failure returns false: the failure, which
//     the library remembers, is its own then.
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

// Reads a variable as seen from the calling scope.
//
// @param name  without its "$"
// @param result  receives the value as JSON, in rich data, to be freed with bunraku_string_free; NULL when
//     there is no such variable
// @return NULL on success
bunraku_error *bunraku_call_variable(const bunraku_call *call, bunraku_text name, bunraku_string **result);

// Writes bytes of an answer; may be called again to add more. Answers that are too large fail: files that
// have more than the option "file_size" of the environment, others with more than 256 MiB.
void bunraku_sink_write(bunraku_sink *sink, bunraku_text given);

// Adds one item to an answer that is a list. The text must be UTF-8; other text is left out.
void bunraku_sink_add(bunraku_sink *sink, bunraku_text item);

/* ---- Environments --------------------------------------------------------------------------------------
 * Load an environment once; compile and look up in it from any thread. A bunraku_cancel ends
 * either, and other work.
 */

// A switch that nobody has set, for the functions that take one and for bunraku_cancel_attach.
//
// @return the switch, to be freed with bunraku_cancel_free; NULL when there is no memory for it
bunraku_cancel *bunraku_cancel_new(void);

// Ends the compilations that were given this switch, and those that will be. They fail within a few thousand
// steps, with the place where they were. Does no more than write a flag: any thread may call it, and the
// handler of a signal.
void bunraku_cancel_set(const bunraku_cancel *cancel);

// Lets a switch end what the calling thread does from now on: compilations that are not given another one,
// programs that are parsed and validated, environments that are loaded, catalogs as documents
// (bunraku_catalog_write, _read, _validate, _convert), origins, explanations, differences and drawings, what
// is asked of modules and tasks, and requests to a classifier. They fail as cancelled compilations do, with
// an error of the kind BUNRAKU_FAILURE_CANCELLED. Such work ends without a switch, too, after 300 seconds of the processor;
// where it reads files of modules or what strangers send, it may have 1 GiB of memory.
//
// @param cancel  the switch, which may be freed before the work is over; NULL: nothing ends the work of
//     this thread any more
// @return NULL on success
bunraku_error *bunraku_cancel_attach(const bunraku_cancel *cancel);

// Whether it was set.
bool bunraku_cancel_is_set(const bunraku_cancel *cancel);

// Frees a switch. NULL is allowed. Compilations that were given it go on.
void bunraku_cancel_free(bunraku_cancel *cancel);

// Loads an environment.
//
// @param directories  the directories that hold environments; relative ones start at the working directory
// @param directory_count  how many
// @param name  the environment, such as "production"
// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "directory" (the environment's own, whatever it is
//     called; then `directories` are not searched), "basemodulepath" and "modulepath" (lists of
//     directories), "manifest" (a path), "code" (text instead of the main manifest), "global_hiera" (a
//     path), "global_hiera_text" (what stands in it; then it is not read), "settings" (an object: "strict",
//     "strict_variables", "rich_data", "storeconfigs", "tasks", …; resource types, providers and functions
//     of the 3.x API are also looked for in the directory "libdir" and in the modules of "vendormoduledir",
//     behind the modules; where nothing is said, in those of the reference, and an empty text is none),
//     "gems" and "load_path" (lists of directories with Ruby in which these are looked for, before the
//     modules and between "libdir" and the vendored modules), "commands" (true: config_version, generate()
//     and functions of modules run commands, with the rights of this process), "writable" (a list of
//     directories below which functions of modules may write files), "prefer_ruby" (a list of modules whose
//     own functions in Ruby run even where native ones stand in for them, ["*"] for all), "file_size" (how
//     many bytes a file may have that is read, 67108864 without this option), "reload": when it is read
//     anew: "never" (as without this option), "always" (by each call), "changed" (when size or time of a
//     file or directory that was read has changed), "configured" (as environment_timeout in its
//     environment.conf says), or a time such as "5m"
// @param host  callbacks, copied; NULL for the disk and nothing else
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
// @param request_json  a JSON object with what else is known, or BUNRAKU_NO_TEXT: "trusted" (an object),
//     "classes" (a list of names, or an object of names to parameters), "parameters" (variables of the top
//     scope), "classification" (an object as a classifier answers it: more of both, "config_data", and
//     "environment", which must be this one or "agent-specified"), "server_facts" (an object; or true: as
//     OpenVox sets $servername, $serverip, $serverversion and their like, with the name and the addresses of
//     this machine, which are looked up once for an environment), "server_facts_merged": true when
//     "parameters" hold them already; "rich_data": true when facts, and parameters beside those of
//     "classification", are in rich data, so that {"__ptype": "Sensitive", "__pvalue": "p4ss"} is a
//     Sensitive and not a hash; "provenance": true records where values come from; "check_cycles": true
//     makes a cycle of dependencies an error that tells its path; what the catalog is known by: "code_id",
//     "transaction_uuid", "job_id", "producer", "producer_timestamp" (ISO 8601 with a time zone; the time of
//     the compilation without it) and "catalog_uuid" (a new one without it); "seed" (a text or whole number:
//     what is random follows from it, so that the same request gives the same bytes), "time" (where the
//     clock stands still: seconds since 1970 or ISO 8601; with a "seed" only, the beginning of 1970);
//     "limits" (an object: "depth", "steps", "seconds", "cpu_seconds", "value_size", "value_depth",
//     "output_size", "resources", "memory" (bytes that it may have at one time, 1 GiB where nothing is
//     said), each a whole number; "steps" counts one for each kilobyte that an operation reads or makes,
//     too, and "cpu_seconds", 300 where nothing is said, are those of the thread's processor, looked at
//     where "seconds" sets nothing; "steps", "seconds", "cpu_seconds" and "memory" may be null for none)
// @param cancel  a switch that another thread, or the handler of a signal, may set; NULL for that of
//     bunraku_cancel_attach
// @param catalog  receives the catalog, to be freed with bunraku_catalog_free
// @return NULL on success; the error has the log in bunraku_error_logs_json
bunraku_error *bunraku_environment_compile(const bunraku_environment *environment,
                                           bunraku_text node,
                                           bunraku_text facts_json,
                                           bunraku_text request_json,
                                           const bunraku_cancel *cancel,
                                           bunraku_catalog **catalog);

// Compiles the catalog of a node, as bunraku_environment_compile does, with its facts as a value: what JSON
// has no form for, such as a Sensitive, is itself.
//
// @param node  the certname
// @param facts  a Hash; it stays the caller's
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
//     strategy or an object of options), "default", "explain" (true for the text that explains),
//     "explain_options", "show_secrets" (true to explain with what is Sensitive or was encrypted, redacted
//     otherwise), "compile" (true to evaluate the manifests first), and what bunraku_environment_compile
//     takes
// @param cancel  as for bunraku_environment_compile
// @param answer  receives a JSON object with "value" or "error", and "explain_text" and "explain_data" when
//     asked for; to be freed with bunraku_string_free. A Sensitive in the value is an object with "__ptype"
//     and, in clear, "__pvalue"
// @return NULL on success; not finding the key is a success with an "error" in the answer, what a limit or a
//     switch ends is an error
bunraku_error *bunraku_environment_lookup(const bunraku_environment *environment,
                                          bunraku_text node,
                                          bunraku_text facts_json,
                                          bunraku_text request_json,
                                          const bunraku_cancel *cancel,
                                          bunraku_string **answer);

// What an environment is: where it was found, and where its modules are.
//
// @param json  receives a JSON object with "name", "directory" (null when it has none) and "modulepath"
//     (the directories of modules that exist); to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_environment_describe(const bunraku_environment *environment, bunraku_string **json);

// Which files in Ruby of an environment's modules the Ruby that is built in knows: what a program without Ruby
// can run. Nothing is called, so what a function meets only when it runs is not told.
//
// @param json  receives a JSON object with "files", an array of objects with "file", "module", "kind"
//     ("function", "legacy_function", "resource_type", "library", "template"), "known", "native" (whether the
//     library's own function does what this version of the file does) and "unknown" (an array of objects with
//     "construct" and "line"), and with the numbers of files "known" and "unknown"; to be freed with
//     bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_environment_ruby_report_json(const bunraku_environment *environment,
                                                    bunraku_string **json);

// Checks an environment: what is wrong with its manifests, modules, templates and data, told without compiling
// a node.
//
// @param request_json  a JSON object, or an empty text: "select" and "ignore" (codes, or beginnings of codes),
//     "notes" (whether notes are told), "paths" (files and directories whose findings are told)
// @param json  receives a JSON array of objects with "code", "severity" ("error", "warning" or "note"),
//     "message", "file", "line", "column", "end_line", "end_column", "related" (objects with "message" and a
//     place) and "fix" (null, or an object with "message", a place and "text"); to be freed with
//     bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_environment_check(const bunraku_environment *environment,
                                         bunraku_text request_json,
                                         bunraku_string **json);

// What an environment defines, and who refers to it.
//
// @param json  receives a JSON object with "definitions" (objects with "kind", "name", a place, "module",
//     "documentation", "parent" and "parameters": "name", "type", "default", "required"), "references"
//     (objects with "kind", "usage", "name", "title", a place, and "inside": the definition around it) and
//     "unused" (the numbers of definitions that nobody refers to); to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_environment_index_json(const bunraku_environment *environment, bunraku_string **json);

// Has an environment read anew when it is used next, whatever the option "reload" says.
//
// @return NULL on success
bunraku_error *bunraku_environment_clear(const bunraku_environment *environment);

// Frees an environment. NULL is allowed. Catalogs made in it stay valid.
void bunraku_environment_free(bunraku_environment *environment);

// Reads from a certificate what is trusted of a node, the member "trusted" of a request. The certificate is
// not verified: whoever took it from the node has done that.
//
// @param pem  the certificate in PEM, the first of the text
// @param oid_mapping  the text of a custom_trusted_oid_mapping.yaml, which names extensions beside those
//     that Puppet names; BUNRAKU_NO_TEXT for none
// @param path  the path of that file, for messages; BUNRAKU_NO_TEXT for its usual name
// @param json  receives a JSON object with "authenticated" ("remote"), "certname" (the common name, in
//     small letters), "hostname", "domain", "extensions" (by their short names, or else their numbers;
//     texts, whatever type of text the certificate has them in, true, false, null or arrays; numbers and
//     times are their texts) and "external" (empty, for what the caller knows from elsewhere), in rich data:
//     bytes that are no UTF-8 are {"__ptype": "Binary", "__pvalue": …}, which a request with "rich_data"
//     takes; to be freed with bunraku_string_free
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

// What was logged while compiling: a JSON array of objects with "level" ("notice", "warning" …),
// "message", "source", and "file", "line", "column", "issue_code" where known.
//
// @return text that is valid until the catalog is freed
bunraku_text bunraku_catalog_logs_json(const bunraku_catalog *catalog);

// The keys of data that the compilation looked up, each once, in order: a JSON array of texts.
//
// @return text that is valid until the catalog is freed; NULL for NULL
bunraku_text bunraku_catalog_data_keys_json(const bunraku_catalog *catalog);

// What the catalog is known by beside its node: a JSON object with "catalog_uuid", "code_id",
// "transaction_uuid", "job_id", "producer" and "producer_timestamp", each a text or null. Documents that
// catalogs are read from say the first two alone.
//
// @return text that is valid until the catalog is freed; NULL for NULL
bunraku_text bunraku_catalog_identity_json(const bunraku_catalog *catalog);

// How many resources the catalog has; 0 for NULL.
size_t bunraku_catalog_resource_count(const bunraku_catalog *catalog);

// A resource by its number, from 0; NULL when there is none.
const bunraku_resource *bunraku_catalog_resource(const bunraku_catalog *catalog, size_t index);

// A resource by its reference, such as "File[/etc/motd]"; NULL when it is not in the catalog.
const bunraku_resource *bunraku_catalog_find(const bunraku_catalog *catalog, bunraku_text reference);

// How many edges of containment the catalog has.
size_t bunraku_catalog_edge_count(const bunraku_catalog *catalog);

// An edge of containment by number.
//
// @param index  from 0
// @param edge  receives the edge
// @return whether there is one; otherwise nothing is written
bool bunraku_catalog_edge(const bunraku_catalog *catalog, size_t index, bunraku_edge *edge);

// Frees a catalog with its resources. NULL is allowed.
void bunraku_catalog_free(bunraku_catalog *catalog);

// Where the values of a resource's parameters come from, in a catalog that was compiled with "provenance": a
// JSON object of names to objects with "kind" ("hiera", "default", "expression", "splat",
// "resource_default", "override", "collector", "enc", …), and as known "file", "line", "column", "layer",
// "level", "key", "merge", "parts", "function", "sources" (what the variables and calls in the expression go
// back to).
//
// @param reference  such as "File[/etc/motd]"
// @param json  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_catalog_provenance_json(const bunraku_catalog *catalog,
                                               bunraku_text reference,
                                               bunraku_string **json);

// The chain of declarations and inclusions that brought a resource into a catalog that was compiled with
// "provenance": a JSON array of objects with "resource", "how" ("declaration", "include", "enc", "node",
// …), and as known "by", "file", "line", "column", "function", "also" and "realized" (further causes).
//
// @param reference  such as "File[/etc/motd]"
// @param json  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_catalog_why_json(const bunraku_catalog *catalog,
                                        bunraku_text reference,
                                        bunraku_string **json);

// Both of it as text for people: the parameters of a resource with their origins, and why the resource is
// there.
//
// @param reference  such as "File[/etc/motd]"
// @param directory  paths below it are shown without it; BUNRAKU_NO_TEXT for none
// @param output  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_catalog_explain(const bunraku_catalog *catalog,
                                       bunraku_text reference,
                                       bunraku_text directory,
                                       bunraku_string **output);

// What differs between two catalogs: a JSON object with "added" and "removed" (resources with their
// parameters), "changed" (resources with the parameters that differ, each with "name", "from", "to" and
// "paths"), "edges" and "classes" (each with "added" and "removed"). Files, lines, tags and the order of
// resources do not count; secrets are compared, and not shown.
//
// @param json  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_catalog_diff_json(const bunraku_catalog *from,
                                         const bunraku_catalog *to,
                                         bunraku_string **json);

// Draws a catalog's resources and their edges; cycles are red.
//
// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "by" ("containment", the default, "class" or
//     "resource"), "format" ("svg", the default, "html", a page with a search and a zoom, or "dot"), "focus" (a
//     reference or a list of them: only what is near is drawn) and "depth" (how many lines or frames away is
//     near, 2 by default)
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
// @return text that is valid until the catalog is freed; NULL when a value cannot be written, of which
//     bunraku_catalog_to_json tells more
bunraku_text bunraku_resource_parameters_json(const bunraku_resource *resource);

// The names of the parameters that are sensitive: a JSON array of texts. A Sensitive within an array or a
// hash makes no parameter sensitive.
//
// @return text that is valid until the catalog is freed
bunraku_text bunraku_resource_sensitive_parameters_json(const bunraku_resource *resource);

// The resource's parameters with their secrets, as an agent receives them: a JSON object in rich data. Not
// to be shown or logged.
//
// @return text that is valid until the catalog is freed; NULL when a value cannot be written, of which
//     bunraku_catalog_to_json tells more
bunraku_text bunraku_resource_unwrapped_parameters_json(const bunraku_resource *resource);

// The resource's tags: a JSON array of texts.
//
// @return text that is valid until the catalog is freed
bunraku_text bunraku_resource_tags_json(const bunraku_resource *resource);

// The file that declares the resource; NULL when it is not known.
//
// @return text that is valid until the catalog is freed
bunraku_text bunraku_resource_file(const bunraku_resource *resource);

// The line that declares the resource, from 1; 0 when it is not known.
uint32_t bunraku_resource_line(const bunraku_resource *resource);

// Whether the resource is exported.
bool bunraku_resource_is_exported(const bunraku_resource *resource);

// How many parameters the resource has.
size_t bunraku_resource_parameter_count(const bunraku_resource *resource);

// The name of a parameter. NO NUL stands behind it.
//
// @param index  from 0
// @return text that is valid until the catalog is freed
bunraku_text bunraku_resource_parameter_name(const bunraku_resource *resource, size_t index);

// The value of a parameter. That of a sensitive parameter is a Sensitive.
//
// @param index  from 0
// @return a value that lives until the catalog is freed, and is not to be freed; NULL when there is none
const bunraku_value *bunraku_resource_parameter(const bunraku_resource *resource, size_t index);

// The value of a parameter by name.
//
// @param name  such as "ensure"
// @return as bunraku_resource_parameter
const bunraku_value *bunraku_resource_parameter_named(const bunraku_resource *resource, bunraku_text name);

// How many tags the resource has.
size_t bunraku_resource_tag_count(const bunraku_resource *resource);

// A tag of the resource. NO NUL stands behind it.
//
// @param index  from 0
// @return text that is valid until the catalog is freed
bunraku_text bunraku_resource_tag(const bunraku_resource *resource, size_t index);

// What kind of resource it is: one of bunraku_declaration, as "kind" says it in catalogs.
uint32_t bunraku_resource_kind(const bunraku_resource *resource);

// Whether the resource is virtual; of those, only exported ones are in a catalog.
bool bunraku_resource_is_virtual(const bunraku_resource *resource);

// Writes a catalog in a form.
//
// @param form  the form's name
// @param submission_json  what PuppetDB is told beside the catalog, a JSON object: "producer",
//     "producer_timestamp" (ISO 8601 with a time zone), "transaction_uuid", "job_id", and what the catalog
//     does not say itself: "catalog_uuid", "code_id", "environment"; BUNRAKU_NO_TEXT for nothing but what
//     the catalog was compiled with. Which of them a form needs depends on its version
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
// @param environment  knows the types that objects in the catalog may have beside those of the language;
//     may be NULL
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
// @param environment  knows the types that objects in the catalog may have beside those of the language;
//     may be NULL
// @param violations  receives a JSON array of objects with "path" (a JSON path) and "message", empty when
//     the document is sound; to be freed with bunraku_string_free
// @return NULL on success, whether the document is sound or not
bunraku_error *bunraku_catalog_validate(bunraku_text document,
                                        bunraku_text form,
                                        const bunraku_environment *environment,
                                        bunraku_string **violations);

// Writes a document in another form.
//
// @param document  the document
// @param from  the name of its form
// @param to  the name of the other form
// @param submission_json  what the document does not say itself; see bunraku_catalog_write
// @param environment  knows the types that objects in the catalog may have beside those of the language;
//     may be NULL
// @param converted  receives the other document, to be freed with bunraku_string_free
// @return NULL on success; an error when the document is not sound or does not say what the other form needs
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
// MESSAGE}` may stand for a catalog whose compilation failed.
//
// @param json  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_diff_json(bunraku_text from, bunraku_text to, bunraku_string **json);

// Differences as text for people; empty when there are none.
//
// @param diff  what bunraku_catalog_diff_json or bunraku_diff_json gives
// @param output  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_diff_text(bunraku_text diff, bunraku_string **output);

// Puts the differences of many nodes together, each change once with the nodes that have it.
//
// @param request_json  a JSON object: "nodes" (a list of objects with "node" and "diff", which
//     bunraku_diff_json gives), "from" and "to" (names of the sides), "format" ("json", "text", or "html"
//     for one self-contained page)
// @param output  receives the text, to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_fleet_report(bunraku_text request_json, bunraku_string **output);

/* ---- Tasks ---------------------------------------------------------------------------------------------
 * Tasks of modules: which ones there are, what to run with which input, how output is read.
 * Running is yours.
 */

// Lists the tasks of an environment.
//
// @param json  receives a JSON array of objects with "name", "module", "description", "private",
//     "metadata", "metadata_file", "executables", "files" and "violations" (what the metadata break of the
//     schema: "path", "message"), or with "name" and "error"; to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_task_list(const bunraku_environment *environment, bunraku_string **json);

// Says what to run for a task, and with which input.
//
// @param request_json  a JSON object: "task" (required), "parameters" (an object), "features" (what the
//     target can do, a list such as ["shell"]), "noop", "remote" (how a remote target is connected to, an
//     object), "installdir" (where the task's files will be on the target)
// @param json  receives a JSON object with "executable", "files", "input_method", "parameters",
//     "sensitive", and what the method takes: "stdin" (text), "environment" (an object), "powershell" (an
//     object); or with "error" when the task cannot be run so; to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_task_invocation(const bunraku_environment *environment,
                                       bunraku_text request_json,
                                       bunraku_string **json);

// Reads the output of a task.
//
// @param output  what it wrote to its standard output, whatever bytes
// @param exit_code  its exit code
// @param json  receives a JSON object with "status" ("success" or "failure"), "value" (an object, with
//     "_output" for text that is none and "_error" when it failed) and "sensitive" (a list of the members of
//     the value that are secret: "_sensitive", or none; in the value they are {"__ptype": "Sensitive",
//     "__pvalue": "[value redacted]"}); to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_task_outcome(bunraku_text output, int32_t exit_code, bunraku_string **json);

// Reads what is secret in the output of a task: its member "_sensitive". Not to be shown or logged.
//
// @param output  as for bunraku_task_outcome
// @param exit_code  as for bunraku_task_outcome
// @param json  receives the secret as JSON, "null" when there is none; to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_task_outcome_sensitive(bunraku_text output, int32_t exit_code, bunraku_string **json);

/* ---- Modules -------------------------------------------------------------------------------------------
 * What is told of modules without a compilation.
 */

// Documents modules and files: classes, defined types, functions, types, tasks, plans, with what comments
// say of them.
//
// @param request_json  a JSON object: "paths" (directories of modules, and files), "format" ("json", or
//     "markdown")
// @param host  callbacks; NULL for the disk
// @param json  receives a JSON object with "documentation" (what `puppet strings generate --format json`
//     writes, or a text of Markdown), "failures" (files that could not be read: "file", "message") and
//     "warnings" (what comments miss or have wrong: "severity", which is "warning" or "error", "file",
//     "line", and "message" as puppet-strings logs it); to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_module_document(bunraku_text request_json,
                                       const bunraku_host *host,
                                       bunraku_string **json);

// Checks a module: files that do not belong or are missing, metadata, what it depends on, definitions and
// tasks.
//
// @param request_json  a JSON object: "directory" (the module's), "modulepath" (a list of directories, for
//     what it depends on)
// @param host  callbacks; NULL for the disk
// @param json  receives a JSON array of objects with "severity" ("error", "warning" or "notice"), "rule",
//     "file", "message", and "line" or "path" (a JSON path); to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_module_check(bunraku_text request_json,
                                    const bunraku_host *host,
                                    bunraku_string **json);

// Describes types of resources that modules have, as `puppet describe` does.
//
// @param request_json  a JSON object: "modulepath" (a list of directories), "types" (a list of names; all
//     are listed without it), "details", "providers", "metaparameters" (whether to show them)
// @param host  callbacks; NULL for the disk
// @param json  receives a JSON array of texts, null for a type that is not known; to be freed with
//     bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_module_describe_types(bunraku_text request_json,
                                             const bunraku_host *host,
                                             bunraku_string **json);

// Writes types of resources as files for an environment's `.resource_types`.
//
// @param request_json  a JSON object: "modulepath" (a list of directories)
// @param host  callbacks; NULL for the disk
// @param json  receives a JSON array of objects with "name", "file", and "text", null where a type is
//     computed; to be freed with bunraku_string_free
// @return NULL on success
bunraku_error *bunraku_module_generate_types(bunraku_text request_json,
                                             const bunraku_host *host,
                                             bunraku_string **json);

// Checks definitions of types of the Resource API, and values of resources against them.
//
// @param request_json  a JSON object: "definition" (an object) or "file" (a path of a file in Ruby),
//     "values" (an object of a resource's attributes)
// @param host  callbacks; NULL for the disk
// @param json  receives a JSON array of objects with "definition" (null when it is computed), "complaints"
//     and "values" (arrays of objects with "severity", "path", "message"); to be freed with
//     bunraku_string_free
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
// @param options_json  a JSON object, or BUNRAKU_NO_TEXT: "database" (the path of a SQLite database;
//     without it groups are kept in memory), "create" (false; whether the database is made when it is not
//     there: without it a path where there is none is an error), "environmentpath" (a list of directories:
//     groups may use the classes of these environments only; any without it) and what else
//     bunraku_environment_load takes, "allow_config_data" (true), "stores_check_ins" (false; whether it is
//     noted when nodes are classified), "prefix" (what may stand before /v1 in paths; "/classifier-api")
// @param host  callbacks, copied; NULL for the disk and nothing else
// @param classifier  receives the classifier, to be freed with bunraku_classifier_free
// @return NULL on success
bunraku_error *bunraku_classifier_open(bunraku_text options_json,
                                       const bunraku_host *host,
                                       bunraku_classifier **classifier);

// Answers a request. Errors of the interface are answers, too; a request that the switch of
// bunraku_cancel_attach or a limit ends is an error, and changes nothing.
//
// @param method  such as "GET"
// @param path  the path, percent-encoded, with or without the prefix
// @param query  what stands behind the question mark; BUNRAKU_NO_TEXT for nothing
// @param body  the body; BUNRAKU_NO_TEXT for none
// @param status  receives the status
// @param headers_json  receives a JSON object of headers to values, to be freed with bunraku_string_free
// @param answer  receives the body of the answer, to be freed with bunraku_string_free
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
