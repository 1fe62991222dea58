"""The C library, as include/bunraku.h declares it."""

from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Optional, Sequence

from .errors import Error

#: The version of the binary interface that this package is written for.
ABI_VERSION = 1

#: Where the library may be, best first.
PLACES = [
    os.environ.get("BUNRAKU_LIBRARY"),
    os.path.join(os.path.dirname(os.path.abspath(__file__)), "libbunraku.so"),
    "libbunraku.so.0.2",
    "libbunraku.so",
    "libbunraku.dylib",
]


class Text(ctypes.Structure):
    """A pointer and a length in bytes."""

    _fields_ = [("data", c_void_p), ("length", c_size_t)]

    def read(self) -> Optional[bytes]:
        """A copy of the bytes, or None if there is no text."""
        return ctypes.string_at(self.data, self.length) if self.data else None


class Node(ctypes.Structure):
    """A node of a program."""

    _fields_ = [("program", c_void_p), ("number", c_uint32)]


class Field(ctypes.Structure):
    """A field of a node."""

    _fields_ = [
        ("name", c_char_p),
        ("index", c_size_t),
        ("field_type", c_uint32),
        ("node", Node),
        ("count", c_size_t),
        ("text", Text),
        ("integer", c_int64),
        ("number", c_double),
        ("boolean", c_bool),
    ]


class Span(ctypes.Structure):
    """A range of a source."""

    _fields_ = [(name, c_uint32) for name in ("offset", "length", "line", "column", "end_line", "end_column")]


class Token(ctypes.Structure):
    """A token, or white space or a comment."""

    _fields_ = [("kind", c_char_p), ("text", Text), ("offset", c_uint32), ("is_trivia", c_bool), ("owner", c_size_t)]


class Edge(ctypes.Structure):
    """A containment edge."""

    _fields_ = [("source", c_void_p), ("target", c_void_p)]


FIND_FUNCTION = ctypes.CFUNCTYPE(c_bool, c_void_p, Text, c_void_p)
LOG = ctypes.CFUNCTYPE(None, c_void_p, Text)
PROGRESS = ctypes.CFUNCTYPE(c_bool, c_void_p, c_uint64)
CALL_FUNCTION = ctypes.CFUNCTYPE(c_bool, c_void_p, Text, c_size_t, Text, c_void_p, c_void_p)


class Host(ctypes.Structure):
    """The callbacks of an embedder."""

    _fields_ = [
        ("size", c_size_t),
        ("data", c_void_p),
        ("read_file", c_void_p),
        ("file_info", c_void_p),
        ("list_directory", c_void_p),
        ("find_function", FIND_FUNCTION),
        ("call_function", CALL_FUNCTION),
        ("exported_resources", c_void_p),
        ("log", LOG),
        ("free_data", c_void_p),
        ("now", c_void_p),
        ("random", c_void_p),
        ("progress", PROGRESS),
    ]


#: Functions that can fail, with their arguments before the one that receives the result.
FAILING: dict[str, list[Any]] = {
    "program_parse": [Text, Text, c_uint32],
    "program_validate": [c_void_p, c_uint32],
    "program_to_pn": [c_void_p, Text],
    "node_documentation": [Node],
    "tokens_new": [Text, c_uint32],
    "format": [Text, c_uint32, Text],
    "type_parse": [Text, c_void_p],
    "type_to_string": [c_void_p],
    "value_from_data": [Text, c_void_p, c_bool],
    "value_to_string": [c_void_p, Text],
    "environment_load": [POINTER(Text), c_size_t, Text, Text, POINTER(Host)],
    "environment_compile_facts": [c_void_p, Text, c_void_p, Text, c_void_p],
    "environment_lookup": [c_void_p, Text, Text, Text, c_void_p],
    "catalog_to_json": [c_void_p],
    "catalog_write": [c_void_p, Text, Text],
    "call_block": [c_void_p, Text],
    "call_function": [c_void_p, Text, Text],
    "call_variable": [c_void_p, Text],
}

#: The other functions: arguments and result.
OTHERS: dict[str, tuple[list[Any], Any]] = {
    "abi_version": ([], c_uint32),
    "version": ([], c_char_p),
    "features": ([], c_char_p),
    "error_kind_name": ([c_void_p], c_char_p),
    "error_line": ([c_void_p], c_uint32),
    "error_column": ([c_void_p], c_uint32),
    "program_body": ([c_void_p], Node),
    "tokens_count": ([c_void_p], c_size_t),
    "tokens_token": ([c_void_p, c_size_t], Token),
    "tokens_span": ([c_void_p, c_size_t, c_uint32, POINTER(Span)], c_bool),
    "node_kind": ([Node], c_char_p),
    "node_parent": ([Node], Node),
    "node_child_count": ([Node], c_size_t),
    "node_child": ([Node, c_size_t], Node),
    "node_field": ([Node, c_size_t, POINTER(Field)], c_bool),
    "node_member": ([Node, c_size_t, c_size_t], Node),
    "node_text": ([Node], Text),
    "node_span": ([Node, c_uint32, POINTER(Span)], c_bool),
    "type_is_instance": ([c_void_p, c_void_p], c_bool),
    "value_kind": ([c_void_p], c_uint32),
    "value_boolean": ([c_void_p], c_bool),
    "value_integer": ([c_void_p, POINTER(c_int64)], c_bool),
    "value_float": ([c_void_p, POINTER(c_double)], c_bool),
    "value_text": ([c_void_p], Text),
    "value_count": ([c_void_p], c_size_t),
    "value_element": ([c_void_p, c_size_t], c_void_p),
    "value_key": ([c_void_p, c_size_t], c_void_p),
    "value_unwrap": ([c_void_p], c_void_p),
    "catalog_resource_count": ([c_void_p], c_size_t),
    "catalog_resource": ([c_void_p, c_size_t], c_void_p),
    "catalog_find": ([c_void_p, Text], c_void_p),
    "catalog_edge_count": ([c_void_p], c_size_t),
    "catalog_edge": ([c_void_p, c_size_t, POINTER(Edge)], c_bool),
    "catalog_logs_json": ([c_void_p], Text),
    "resource_type": ([c_void_p], Text),
    "resource_title": ([c_void_p], Text),
    "resource_file": ([c_void_p], Text),
    "resource_line": ([c_void_p], c_uint32),
    "resource_is_exported": ([c_void_p], c_bool),
    "resource_is_virtual": ([c_void_p], c_bool),
    "resource_parameter_count": ([c_void_p], c_size_t),
    "resource_parameter_name": ([c_void_p, c_size_t], Text),
    "resource_parameter": ([c_void_p, c_size_t], c_void_p),
    "resource_tag_count": ([c_void_p], c_size_t),
    "resource_tag": ([c_void_p, c_size_t], Text),
    "call_has_block": ([c_void_p], c_bool),
    "sink_write": ([c_void_p, Text], None),
    "sink_add": ([c_void_p, Text], None),
    "string_data": ([c_void_p], Text),
    "error_message": ([c_void_p], Text),
    "error_issue_code": ([c_void_p], Text),
    "error_file": ([c_void_p], Text),
    "error_logs_json": ([c_void_p], Text),
}

#: Handles and the functions that free them.
OBJECTS = ["error", "string", "program", "type", "value", "environment", "catalog", "tokens"]


def _load() -> ctypes.CDLL:
    failures = []
    for place in filter(None, PLACES):
        try:
            return ctypes.CDLL(place)
        except OSError as error:
            failures.append(str(error))
    raise ImportError(
        "the library of bunraku is not installed (BUNRAKU_LIBRARY may tell where it is): "
        + "; ".join(failures)
    )


_library = _load()


def _function(name: str, arguments: Sequence[Any], result: Any) -> Callable[..., Any]:
    function = getattr(_library, f"bunraku_{name}")
    function.argtypes, function.restype = list(arguments), result
    return function


_functions = {name: _function(name, arguments, result) for name, (arguments, result) in OTHERS.items()}
_functions.update(
    {name: _function(name, [*arguments, POINTER(c_void_p)], c_void_p) for name, arguments in FAILING.items()}
)
_functions.update({f"{name}_free": _function(f"{name}_free", [c_void_p], None) for name in OBJECTS})

if _functions["abi_version"]() != ABI_VERSION:
    raise ImportError(
        f"the library of bunraku has the binary interface {_functions['abi_version']()}, not {ABI_VERSION}"
    )


def text(value: Optional[str | bytes]) -> Text:
    """A text for an argument. It keeps its bytes alive."""
    if value is None:
        return Text(None, 0)
    encoded = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
    made = Text(ctypes.cast(ctypes.c_char_p(encoded), c_void_p), len(encoded))
    made.kept = encoded
    return made


def string(given: Text) -> Optional[str]:
    """A text of an object, as a string."""
    read = given.read()
    return None if read is None else read.decode("utf-8", "replace")


def ask(name: str, *arguments: Any) -> Any:
    """Calls a function that cannot fail."""
    return _functions[name](*arguments)


def make(name: str, *arguments: Any) -> Optional[int]:
    """Calls a function that can fail, and returns the object that it makes.

    Raises Error when it fails.
    """
    result = c_void_p()
    error = _functions[name](*arguments, byref(result))
    if error:
        raise failure(error)
    return result.value


def make_string(name: str, *arguments: Any) -> Optional[str]:
    """As make, for a text."""
    made = make(name, *arguments)
    if made is None:
        return None
    try:
        return string(ask("string_data", made))
    finally:
        ask("string_free", made)


def failure(error: int) -> Error:
    """Converts an error of the library to an exception. Frees the error."""
    try:
        return Error(
            string(ask("error_message", error)) or "",
            kind=ask("error_kind_name", error).decode(),
            issue_code=string(ask("error_issue_code", error)),
            file=string(ask("error_file", error)),
            line=ask("error_line", error) or None,
            column=ask("error_column", error) or None,
            logs_json=string(ask("error_logs_json", error)) or "[]",
        )
    finally:
        ask("error_free", error)


class Handle:
    """An object of the library, freed when the last reference is gone."""

    def __init__(self, kind: str, address: Optional[int]) -> None:
        self._kind, self.address = kind, address

    def __del__(self) -> None:
        address, self.address = self.address, None
        if address:
            _functions[f"{self._kind}_free"](address)
